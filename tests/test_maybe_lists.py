# SPDX-License-Identifier: BSD-3-Clause
"""What is a list, set or dict, or None, beside lists and on the right of `in`."""

import pytest
from live_memory import live

import swathe


class Box:
    def __init__(self, items=None):
        self.items = items
        self.seen = None
        self.ranks = None

    def fill(self):
        if self.items is None:
            self.items = [1]
        if self.seen is None:
            self.seen = {1, 2}
        if self.ranks is None:
            self.ranks = {"a": 1}

    def ask(self, k):
        return k in self.items, k not in self.seen, "a" in self.ranks, self.items + [k]

    def sums(self, k):
        return [k] + self.items, self.items + self.items, self.items + [k, k]


def boxes(k):
    b, c = Box(), Box([7])
    b.fill()
    c.fill()
    return b.ask(k), c.ask(7), b.sums(k), c.sums(8)


def maybe(k):
    return [k] if k else None


def of_results(k):
    d = {"a": maybe(k), "b": maybe(0)}
    out = [3] + maybe(k + 1)
    try:
        out = out + (d["a"] + [4])
        out = out + (d["b"] + [5])
    except TypeError as e:
        return out, str(e)
    return out, ""


def nothing(k):
    b = Box([1])
    b.seen = {1}
    b.ranks = {"a": 1}
    if k >= 0:
        b.items = b.seen = b.ranks = None
    out = []
    for i in range(5):
        try:
            if i == 0:
                out.append(str(b.items + [k]))
            elif i == 1:
                out.append(str([k] + b.items))
            elif i == 2:
                out.append(str(k in b.items))
            elif i == 3:
                out.append(str(k not in b.seen))
            else:
                out.append(str("a" in b.ranks))
        except TypeError as e:
            out.append(str(e).split(" is not ")[0])
    return out


def paths(g, s, path=None):
    if path is None:
        path = []
    path = path + [s]
    yield path
    for n in g[s]:
        if n not in path:
            yield from paths(g, n, path)


def searched(g, start, goal, path=None):
    if path is None:
        path = [start]
    if start == goal:
        yield path
    for n in sorted(g[start] - set(path)):
        yield from searched(g, n, goal, path + [n])


def graphs(k):
    g = {1: [2, 3], 2: [1], 3: [2, k], 4: []}
    sets = {"A": {"B", "C"}, "B": {"A", "D"}, "C": {"A", "D"}, "D": set()}
    return [p for p in paths(g, 3)], list(searched(sets, "A", "D")), next(searched(sets, "B", "D"))


@pytest.mark.parametrize("f", [boxes, of_results, nothing, graphs], ids=lambda f: f.__name__)
def test_as_python(f):
    before = live()
    g = swathe.njit(f)
    for k in (1, 2, 4):
        assert g(k) == f(k)
    if f is nothing:
        assert g(-1) == f(-1)
    del g
    assert live() == before
