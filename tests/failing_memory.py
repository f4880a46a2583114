# SPDX-License-Identifier: BSD-3-Clause
"""Calls each function with its n-th request for memory failing, for every n.

Either that one fails or all that follow, too. Each call gives CPython's result or MemoryError;
after it the arguments are whole and nothing is lost. test_failing_memory.py runs it.
"""

from __future__ import annotations

import copy
import ctypes
import heapq
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from live_memory import live

import swathe
from swathe.types import float64

fail_request = getattr(ctypes.PyDLL(None), "fail_request", None)  # of c/failing_malloc.c
if fail_request:
    fail_request.argtypes = [ctypes.c_long, ctypes.c_int]


def growing(n):
    x = []
    for i in range(n):
        x.append(i * 0.5)
    return x


def nested(n):
    rows = [[0] * k for k in range(n)]
    rows.append([1, 2])
    return rows, rows[-1]


def selected(text):
    words = text.split()
    return heapq.nsmallest(2, words), heapq.nlargest(2, words, key=lambda w: [len(w)])


def counted(x):
    d = {}
    for v in x:
        d[v % 7] = d.get(v % 7, 0) + 1
    return d


def grouped(x):
    d = {}
    for v in x:
        if v % 3 not in d:
            d[v % 3] = []
        d[v % 3].append(v)
    return d


def pairs(x):
    return [(v, v * 0.5) for v in x if v > 1]


def changed(x, y):
    y.append(x[0] * 0.5)
    x.append(len(y))
    x.sort()
    return y


def perhaps(x, n):
    found = None
    if n > 2:
        found = x[1:] * 2
    return found


def arrays(x):
    t = np.sqrt(x) + x[::-1]
    return t, t.sum(), t[1:].copy()


def refused(x):
    y = [v + 1 for v in x]
    y.append(y[99])
    return y


def of_arrays(n):
    x = []
    for i in range(n):
        a = np.arange(i, i + 4.0)
        x.append((a, a[1:]))
    x[0] = x[-1]
    return x, [a for a, _ in x], {0: x[1][0]}


def arrays_changed(x, d, v):
    x.append(v)
    x.append(v * 2)
    x[0][0] = 5.0
    d[7] = x[-1]
    x.insert(0, x.pop())
    y = x[::-1] + [v[1:]]
    d.pop(1)
    return y, d[7], v


class Body(NamedTuple):
    """What a list of named tuples holds."""

    pos: Any
    mass: float

    def __add__(self, other: Body) -> Body:
        return Body(self.pos + other.pos, self.mass + other.mass)


def perhaps_arrays(x, v):
    x.append(None)
    x[0] = v * 2.0 if x[0] is None else None
    y = [None] * 3
    y[1] = x[0]
    d = {1: v, 2: None}
    d[2] = d.pop(1)
    return y + x[::-1], d, [q for q in x if q is not None]


def perhaps_lists(x, n):
    found = None
    for i in range(n):
        if x[i] is None:
            x[i] = [i, None]
        else:
            found = x[i]
    x.append(found)
    return found, {n: found}


@swathe.jitclass
class Link:
    """An instance with all that it may refer to."""

    next: Link | None
    data: float64[:]
    items: list[int]
    n: int

    def __init__(self, next_, n):
        self.next = next_
        self.data = np.ones(n)
        self.items = [n]
        self.n = n

    def grow(self):
        self.items.append(self.n)
        return self.data.sum() + len(self.items)


def links(n):
    head = None
    for i in range(1, n):
        head = Link(head, i)
    s, at = 0.0, head
    while at is not None:
        s += at.grow()
        at = at.next
    return s


@dataclass
class Pair:
    """What is copied in and out."""

    a: float64[:]
    xs: list[int]
    k: int
    other: Pair | None = None


def pairs_changed(p):
    p.k += 1
    p.xs.append(p.k)
    p.other = Pair(p.a * 2.0, [p.k], 0, None)
    return p.a.sum()


def bodies(x):
    s = x[0]
    for b in x[1:]:
        s = s + b
    x.append(s)
    x[0] = Body(x[0].pos, -1.0)
    return x, {0: s}, [(b, None) for b in x]


def in_python(x, a, n):
    try:
        with swathe.objmode(y="float64[:]", d="dict[int, float]"):
            a.append(float(n))
            y = x[1:]
            d = {k: k + 0.5 for k in range(n)}
    except KeyError:
        return x[0], {0: 1.5}, a
    return y.sum(), d, a


def raised_in_python(x, a, n):
    try:
        with swathe.objmode(y="float64[:]"):
            a.append(float(n))
            y = x[1:]
            raise KeyError(n)
    except KeyError:
        return x[0], a
    return y.sum(), a


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (growing, (100,)),
    (in_python, (np.arange(4.0), [1.0, 2.0], 3)),
    (raised_in_python, (np.arange(4.0), [1.0, 2.0], 9)),
    (nested, (6,)),
    (selected, ("some words of which few are less than most others but for their ends in a line",)),
    (counted, (list(range(40)),)),
    (grouped, ([5, 3, 4, 9, 12, 7],)),
    (pairs, ([1, 2, 3, 4],)),
    (changed, ([3, 1, 2], [1.5])),
    (perhaps, (np.arange(5.0), 3)),
    (arrays, (np.arange(1e4),)),
    (refused, ([1, 2, 3],)),
    (of_arrays, (9,)),
    (perhaps_arrays, ([None, np.ones(2)], np.arange(3.0))),
    (perhaps_lists, ([None, [1, None], None], 3)),
    (bodies, ([Body(np.arange(3.0), 1.5), Body(np.ones(3), 2.0)],)),
    (arrays_changed, ([np.arange(3.0)] * 2, {1: np.ones(2)}, np.full(3, 2.0))),
    (links, (4,)),
    (pairs_changed, (Pair(np.arange(3.0), [1], 2),)),
]


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, type | None]:
    try:
        return f(*args), None
    except Exception as e:
        return None, type(e)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and np.allclose(a, b, rtol=1e-12)
    if a is None or b is None:
        return a is b
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return type(a) is type(b) and same(list(a.items()), list(b.items()))
    if isinstance(a, Pair):
        return type(a) is type(b) and same(vars(a), vars(b))
    return type(a) is type(b) and (a == b or abs(a - b) < 1e-12 * abs(a))


def held() -> tuple[int, int]:
    found = live()
    return found["functions"], found["bytes"]


def requests(f: Callable[..., Any], args: tuple[Any, ...], all_that_follow: bool) -> int:
    """How many there were; each was refused once."""
    compiled = swathe.njit(f)
    want_args = copy.deepcopy(args)
    want = outcome(f, want_args)
    for _ in range(3):  # what is made once, such as a cache of blocks
        outcome(compiled, copy.deepcopy(args))
    for n in range(1, 10_000):
        given: Any = copy.deepcopy(args)
        swathe._core.trim()  # or blocks that were given back would serve
        before = held()
        fail_request(n, all_that_follow)
        try:
            got: Any = compiled(*given), None
        except Exception as e:
            got = None, type(e)
        failed = fail_request(0, False)
        if got[1] is not MemoryError:
            assert got[1] is want[1] and same(got[0], want[0]), (n, got, want)
            assert same(given, want_args), (n, given)
        assert failed or got[1] is want[1], (n, got)
        got = given = None  # which may hold arrays that the function has made
        assert held() == before, (n, held(), before)
        assert same(outcome(compiled, copy.deepcopy(args))[0], want[0])
        if not failed:
            return n
    raise AssertionError("it asks without end")


if __name__ == "__main__":
    for f, args in CASES:
        if sys.argv[1:] in ([], [f.__name__]):
            print(f.__name__, *(requests(f, args, which) for which in (False, True)), flush=True)
