# SPDX-License-Identifier: BSD-3-Clause
"""Lists of unlike rows that a loop goes through, `d.get(k, ())`, and sets of expressions with
several loops."""

from collections import Counter

import pytest

import swathe


def commands(k):
    out = []
    for cmd, *args in [("put", 1, k), ("put", 2, 2), ("get", 1)]:
        if cmd == "put":
            out.append(args[0] * 10 + args[1])
        else:
            out.append(args[0])
    return out


def matched(k):
    out = 0
    for cmd in [("put", 1, 1), ("put", 2, 2), ("get", 1)]:
        match cmd:
            case ("put", a, b):
                out += a * b
            case ("get", a):
                out -= a * k
    return out


def computed(k):
    n = 0
    for row in [(k,), (k + 1, "x"), ("y", [k], 2.5)]:
        n += len(row)
    return n, [len(r) for r in [(1,), (1, 2), ("a", "b", k)]]


def lists_or_nothing(k):
    g = {1: [2, 3], 2: [3]}
    seen, stack = [], [1]
    while stack:
        n = stack.pop()
        seen.append(n)
        for m in g.get(n, ()):
            stack.append(m)
    return seen, [m + k for j in range(4) for m in g.get(j, ())]


def sets_or_nothing(k):
    g = {"a": {2, k}, "b": {3}}
    return sorted(m for n in "abc" for m in g.get(n, ())), [m for m in g.get("z", ())]


def taken_or_nothing(k):
    g = {1: [2, 3], 2: [3], k: [1, 1]}
    n = sum(len(g.get(j, ())) for j in range(9))
    it = iter(g.get(1, ()))
    return n, sorted(g.get(8, ())), list(g.get(1, ())), set(g.get(k, ())), next(it), list(it)


def tuples_or_nothing(k):
    g = {"a": (2, k), "b": (3,)}
    return [m for n in "abc" for m in g.get(n, ())]


def counted(k):
    c = Counter(a * b for a in range(k) for b in range(3) if a != b)
    return c, frozenset((a, b) for a in range(k) for b in range(a))


ALL = [commands, matched, computed, lists_or_nothing, sets_or_nothing, tuples_or_nothing, counted]
ALL += [taken_or_nothing]


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_as_python(f):
    g = swathe.njit(f)
    for k in (0, 3, 7):
        assert g(k) == f(k)
