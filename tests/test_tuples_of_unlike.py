# SPDX-License-Identifier: BSD-3-Clause
"""Instances of unlike classes in tuples that containers and fields hold, which are filled one after
the other; against what CPython does."""

from __future__ import annotations

import heapq
from collections import deque, namedtuple

import pytest
from live_memory import live

import swathe

Named = namedtuple("Named", "name obj")


class A:
    def __init__(self, n):
        self.n = n

    def f(self):
        return self.n


class B:
    def __init__(self, n):
        self.n = n
        self.k = 3

    def f(self):
        return self.n * self.k


class World:
    def __init__(self):
        self.items = []
        self.by_name = {}
        self.last = None
        self.pair = (0, A(1))

    def add(self, name, o, w):
        self.items.append((w, o))
        self.by_name[name] = (w, o)
        self.last = (w, o)
        self.pair = (w + 1, o)


def made(k):
    return (A(k), k) if k % 2 else (B(k), k)


def lists():
    x, names, deep = [], [], []
    for i in range(6):
        x.append((i, A(i)) if i % 2 else (i, B(i)))
    x[0] = (7, A(7))
    first = x[0][1]
    x.insert(1, (8, B(8)))
    k, o = x.pop()
    x.extend([(9, B(9)), (10, A(10))])
    first.n = 50
    names.append(Named("a", A(1)))
    names.append(Named("b", B(1)))
    deep.append((A(1), (B(2), 3)))
    deep.append((B(1), (A(2), 4)))
    x.sort(key=lambda t: -t[0])
    out = [(i, o.f()) for i, o in x], k, o.f(), [(n.name, n.obj.f()) for n in names]
    return out, [(a.f(), b.f(), k) for a, (b, k) in deep], first.f()


def others():
    d, q, h, out = {}, deque(), [], []
    for i in range(10):
        d.setdefault(i % 3, []).append((i, made(i)[0]))
        q.append((A(i), None) if i % 2 else (B(i), A(3)))
        heapq.heappush(h, ((i * 7) % 10, i, made(i)[0]))
    while q:
        a, b = q.popleft()
        out.append(a.f() + (b.f() if b is not None else 0))
    while h:
        p, _, o = heapq.heappop(h)
        out.append(p * o.f())
    return out, {k: [o.f() * i for i, o in v] for k, v in d.items()}


def fields(n):
    w = World()
    w.add("a", A(3), 2)
    before = w.pair[1].f()
    w.add("b", B(4), 1)
    total = sum(k * o.f() for k, o in w.items) // n
    return total, w.by_name["a"][1].f(), w.last[1].f(), w.last[0], before, w.pair[1].f()


def may_fail(n):
    r = []
    r.append((A(1), "x"))
    r.append((B(1), "y"))
    try:
        r.append((A(2), str(1 // n)))
    except ZeroDivisionError:
        r.append((B(2), "z"))
    return [o.f() for o, _ in r], [s for _, s in r]


PROGRAMS = [(lists, ()), (others, ()), (fields, (1,)), (may_fail, (0,)), (may_fail, (1,))]
COMPILED = {f: swathe.njit(f) for f in dict.fromkeys(f for f, _ in PROGRAMS)}


@pytest.mark.parametrize(
    ("f", "args"), PROGRAMS, ids=[f.__name__ + "".join(map(str, a)) for f, a in PROGRAMS]
)
def test_as_in_python(f, args):
    assert COMPILED[f](*args) == f(*args)
    before = live()
    for _ in range(3):
        assert COMPILED[f](*args) == f(*args)
    assert live() == before


def test_what_raises_leaks_nothing():
    with pytest.raises(ZeroDivisionError):
        COMPILED[fields](0)
    before = live()
    with pytest.raises(ZeroDivisionError):
        COMPILED[fields](0)
    assert live() == before
