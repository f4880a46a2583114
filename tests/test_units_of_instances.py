# SPDX-License-Identifier: BSD-3-Clause
"""Units that move instances from place to place are shared by all classes: what they move stays
what it is, and goes when nobody has it any more."""

from __future__ import annotations

from live_memory import live

import swathe


class Point:
    def __init__(self, x: int, y: int):
        self.x = x
        self.y = y


class Named:
    def __init__(self, name: str, parts: list[int]):
        self.name = name
        self.parts = parts


def points(n):
    d = {}
    for i in range(n):
        d[i] = Point(i, -i)
    for i in range(0, n, 3):
        del d[i]
    for i in range(n, 2 * n):
        d[i] = Point(i, i * i)
    return sum(p.x * 3 + p.y for p in d.values()), len(d), list(d)[:5]


def names(n):
    d = {}
    for i in range(n):
        d[str(i)] = Named(f"n{i}", [i] * (i % 4))
    for i in range(0, n, 2):
        d.pop(str(i))
    for i in range(n):
        d[str(i)] = Named(f"m{i}", [i])
    return "".join(v.name for v in d.values()), sum(len(v.parts) for v in d.values()), list(d)[:5]


def maybe(n):
    d = {}
    for i in range(n):
        d[i] = Point(i, 1) if i % 3 else None
    for i in range(0, n, 4):
        del d[i]
    for i in range(n, 3 * n):
        d[i] = None if i % 5 == 0 else Point(1, i)
    return sum(p.x + p.y for p in d.values() if p is not None), len(d)


def ordered(n):
    x = [Point((i * 7919) % 101, i) for i in range(n)]
    x.sort(key=lambda p: (p.x, -p.y))
    x[1:3] = [Point(5, 6)]
    x.insert(0, x.pop())
    return [(p.x, p.y) for p in x[::-1]]


def test_as_python_and_nothing_stays():
    for f in (points, names, maybe, ordered):
        g = swathe.njit(f)
        for n in (0, 1, 7, 8, 9, 40, 300):
            assert g(n) == f(n), (f.__name__, n)
        before = live()
        for n in (0, 1, 9, 300):
            g(n)
        assert live() == before, f.__name__


def test_the_same_whole(monkeypatch):
    monkeypatch.setenv("SWATHE_SKIP", "units")
    for f in (points, names, maybe, ordered):
        assert swathe.njit(cache=False)(f)(100) == f(100)
