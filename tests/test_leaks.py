# SPDX-License-Identifier: BSD-3-Clause
"""Nothing is lost: references, memory of arrays, compiled functions; also on error paths."""

from __future__ import annotations

import collections
import gc
import sys
import weakref

import numpy as np
import pytest
from live_memory import live

import swathe

Point = collections.namedtuple("Point", "x y")


@swathe.njit
def fresh(n):
    return np.ones(n)


@swathe.njit
def view(x):
    return x[1:]


@swathe.njit
def same(x):
    return x


@swathe.njit
def several(x):
    return x, x[1:], x * 2, (x[0], x + 1)


@swathe.njit
def at(x, i):
    y = x * 2
    return y[i]


@swathe.njit
def refused(x):
    return property(x)


@pytest.mark.parametrize("make", [
    lambda a: [a], lambda a: {1: a}, lambda a: (a, 1), lambda a: ((a,), 2.5), lambda a: Point(a, a),
], ids=["list", "dict", "tuple", "tuples", "named"])  # fmt: skip
def test_arguments_are_let_go(make):
    """Code that is made for an argument's type does not keep the argument."""
    a = np.ones(3)
    x = make(a)
    before = sys.getrefcount(x), sys.getrefcount(a)
    f = swathe.njit(lambda x: 1)
    for _ in range(2):
        f(x)
    assert (sys.getrefcount(x), sys.getrefcount(a)) == before


@swathe.njit
def point(p):
    return Point(p.y, p.x * 2)


def statements(x, y, out):
    t = x * y
    u = np.sqrt(t) + y
    v = np.where(u > x, u - x, t)
    t = u * v
    out[:] = t + x
    return out, t, v - y


merged = swathe.njit(statements)
merged_parallel = swathe.njit(parallel=True)(statements)


@swathe.njit
def many(x, k):
    """More references than stay in registers; left at the k-th of its places."""
    a = x + 1
    b = a * 2
    if k == 0:
        raise ValueError("first")
    c = np.concatenate((b, a))
    d = c[::2]
    try:
        e = np.zeros(k) + d[:k]
        f = e + x[k]
        g = np.concatenate((f, f))
        if k == 3:
            raise ValueError("inside")
    except ValueError:
        g = np.concatenate((a, b))
    for _ in range(k):
        c = np.concatenate((c, g))[1:]
        d = c + c[0]
        if k == 4:
            return d, c
    if k == 5:
        return g, a
    h = np.concatenate((g, d)) * c[-1]
    a, b = b, h
    return b * x[k + 1], a


class Held(collections.namedtuple("Held", "buffer keeps")):
    def __enter__(self):
        return self.buffer[1:]

    def __exit__(self, *args):
        t = self.buffer * 2
        return self.keeps == 1 and t[0] >= 0


@swathe.njit
def left_early(x, k):
    """Iterators, lists and context managers, left at the k-th of the places."""
    s = [[float(i)] for i in range(k + 2)]
    it = iter(s)
    z = zip(iter(x * 2), enumerate(it))
    r = 0.0
    for v, (i, t) in z:
        with Held(x + v, k % 2) as b, Held(b * 2, 0) as c:
            if k == 1:
                return c[i:]
            if k == 2:
                break
            if k == 3:
                raise ValueError("left")
            if k == 4 and i == 1:
                raise KeyError(k)
            for w in filter(lambda q: q > 0, map(lambda q: q + c[0], t)):
                if k == 5:
                    return np.full(3, w)
                r += w
        if k == 6:
            next(it)
    if k == 7:
        return np.array([next(it)[0]])
    r += next((q * p[0] for p in s for q in c if q > 0), 1.0) + sum(sorted(p[0] for p in s))
    return x + r + sum(dict(enumerate(b)).values())


def fail(f, *args):
    try:
        f(*args)
    except Exception:
        return
    raise AssertionError("no exception")


X = np.ones(100)
OUT = np.ones(100)
CASES = {
    "fresh": lambda: fresh(1000),
    "many": lambda: [many(X, k) for k in (-1, 1, 3, 4, 5)],
    "many, raised": lambda: [fail(many, X, k) for k in (0, 99, 200)],
    "left early": lambda: [left_early(X, k) for k in (0, 1, 2, 3, 5, 6, 8)],
    "left early, raised": lambda: [fail(left_early, X, k) for k in (4, 7)],
    "view": lambda: view(X),
    "same": lambda: same(X),
    "scalar": lambda: same(1.5),
    "numpy scalar": lambda: same(np.float32(1.5)),
    "tuple": lambda: same((X, (1, X), None)),
    "several": lambda: several(X),
    "named": lambda: point(Point(1, X)),
    "keyword": lambda: at(x=X, i=0),
    "index error": lambda: fail(at, X, 1000),
    "bad argument": lambda: fail(same, [object()]),
    "bad in tuple": lambda: fail(same, (X, object())),
    "too many": lambda: fail(same, 1, 2),
    "does not compile": lambda: fail(refused, 1),
    "merged": lambda: merged(X, X, OUT),
    "merged, one size": lambda: merged(X, X[:1], OUT),
    "merged, onto": lambda: merged(X, OUT, OUT),
    "merged, onto a part": lambda: merged(X[1:], OUT[1:], OUT[:-1]),
    "merged, error": lambda: fail(merged, X, X, OUT[1:]),
    "merged, error at once": lambda: fail(merged, X, X[1:], OUT),
    "merged in parallel": lambda: merged_parallel(X, X, OUT),
    "merged in parallel, error": lambda: fail(merged_parallel, X, X, OUT[1:]),
    "memory": lambda: fail(fresh, 1 << 58),
}


def snapshot():
    held = live()
    return sys.getrefcount(X), sys.getrefcount(Point), held["bytes"], held["functions"]


def blocks_of(call):
    """Return by how many blocks of memory Python has more after 900 calls."""
    gc.collect()
    blocks = sys.getallocatedblocks()
    for _ in range(900):
        call()
    gc.collect()
    return sys.getallocatedblocks() - blocks


@pytest.mark.parametrize("name", CASES)
def test_repeat(name):
    call = CASES[name]
    for _ in range(5):
        call()
    before = snapshot()
    grown = blocks_of(call)
    for _ in range(3):  # what grows once is no leak: free lists
        grown = min(grown, blocks_of(call) if grown >= 450 else grown)
    assert snapshot() == before
    assert grown < 450


def test_memory_of_results():
    before = live()["bytes"]
    a = fresh(100_000)
    assert live()["bytes"] - before >= 800_000
    v = a[::2]
    del a
    assert live()["bytes"] - before >= 800_000
    del v
    assert live()["bytes"] == before


def test_dispatcher_dies():
    def make():
        k = 3

        @swathe.njit(cache=False)
        def f(x):
            return x + k if x < 100 else f(x)

        assert f(1) == 4
        return weakref.ref(f)

    make()
    before = live()["functions"]
    refs = [make() for _ in range(5)]
    gc.collect()
    assert [r() for r in refs] == [None] * 5
    assert live()["functions"] == before


def test_recompile_drops_functions():
    @swathe.njit(cache=False)
    def f(x):
        return x + 1

    f(1)
    before = live()["functions"]
    for _ in range(5):
        f.recompile()
        f(1)
        f(1.0)
    f.recompile()
    f(1)
    assert live()["functions"] == before


def test_changing_global_drops_functions():
    f = changing
    f.recompile()
    f(1)
    before = live()["functions"]
    for k in range(30):
        globals()["FACTOR"] = k
        assert f(1) == k
    assert live()["functions"] <= before + 8  # those of the last values
    f.recompile()
    f(1)
    assert live()["functions"] == before


FACTOR = 1


@swathe.njit(cache=False)
def changing(x):
    return x * FACTOR


def test_function_dropped_while_it_runs():
    import threading

    @swathe.njit(cache=False)
    def spin(n):
        s = 0
        for i in range(n):
            s = (s * 1103515245 + i) % 2147483648
        return s

    want = spin(50_000_000)
    got = []
    t = threading.Thread(target=lambda: got.append(spin(50_000_000)))
    t.start()
    for _ in range(20):
        spin.recompile()
    t.join()
    assert got == [want]
