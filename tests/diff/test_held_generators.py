# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501, E701, E702, E711, E731, B023, F841, C400, C401, C402, C404, C408, C411, C414, C416, C419, E741, D103, C417, C405, C418, B007, PLR0124, SIM108, SIM101, UP027, F811, RUF005, PIE810, B905, B015, E711, C413, C420, B904, B033, PERF401, PERF402, RUF015, SIM110, SIM118
"""Generator expressions, map and filter in variables, given to functions, returned by them, asked in pieces."""

from __future__ import annotations

from collections import Counter, deque

import numpy as np
import pytest
from said import outcome

import swathe


def t_loopvar(rows):
    s = 0
    for i in range(len(rows)):
        g = (x for x in rows[i] if x != i)
        s += next(g, 0) * 10 + next(g, 0)
    return s


def t_source_changes():
    x = [1, 2, 3]
    g = (v for v in x)
    a = next(g)
    x.append(9)
    x[1] = 7
    return a, list(g)


def t_rebind():
    x = [1, 2, 3]
    g = (v for v in x)
    a = next(g)
    x = [5]
    return a, list(g)


def t_exc():
    g = (10 // v for v in [1, 0, 5])
    r = [next(g)]
    try:
        next(g)
    except ZeroDivisionError:
        r.append(-1)
    return r, list(g)


def t_exc2():
    g = (10 // v for v in [1, 0, 5])
    r = [next(g)]
    try:
        r.append(next(g))
    except ZeroDivisionError:
        pass
    r.append(next(g, 77))
    return r


def t_deep():
    a = (x + 1 for x in range(3))
    b = (y * 2 for y in a)
    r = next(b)
    return r, next(a), list(b), list(a)


def t_zipgen():
    a = (x for x in "abc")
    b = (i for i in [1, 2])
    z = zip(a, b)
    r = next(z)
    return r, list(z), list(a)


def t_enumgen():
    e = enumerate((c for c in "xyz"), 5)
    r = next(e)
    return r, list(e)


def t_dict(d):
    g = (k for k in d if k != "b")
    a = next(g)
    h = ((k, v) for k, v in d.items())
    b = next(h)
    return a, list(g), b, dict(h)


def t_set():
    s = {1, 2, 3}
    g = (v for v in s)
    a = next(g)
    return a + sum(g)


def t_dq():
    d = deque([1, 2])
    g = (v * 2 for v in d)
    a = next(g)
    return a, list(g)


def t_arr(a):
    g = (v * 2 for v in a)
    x = next(g)
    return x, sum(g)


def t_arr2(a):
    g = (r.sum() for r in a)
    x = next(g)
    return x, max(g)


def t_tup():
    g = (v for v in (1, 2, 3))
    return next(g), next(g)


def t_file():
    lines = iter(["a=1", "", "b=2"])
    kv = (l.split("=") for l in lines if l)
    d = {}
    k, v = next(kv)
    d[k] = int(v)
    for k, v in kv:
        d[k] = int(v)
    return d


def t_nested_target():
    g = ((a, b, c) for a, (b, c) in [(1, (2, 3)), (4, (5, 6))])
    x, y, z = next(g)
    return x, y, z, list(g)


def t_cond2():
    g = (v for v in range(20) if v % 2 if v % 3 == 0)
    return next(g), next(g), list(g)


def t_method():
    words = ["b", "a"]
    g = (w.upper() for w in words)
    return next(g), "".join(g)


def consume(it, n):
    r = []
    for v in it:
        r.append(v)
        if len(r) == n:
            break
    return r


def t_partial():
    g = (i * i for i in range(10))
    a = consume(g, 3)
    b = consume(g, 2)
    return a, b, sum(g)


def helper_gen(x):
    return (v * v for v in x if v)


def t_hg():
    g = helper_gen([1, 0, 3])
    return (
        next(g),
        list(g),
        sum(helper_gen([1, 2])),
        max(helper_gen([4, 2])),
        [q for q in helper_gen([1, 2])],
        sorted(helper_gen([3, 1])),
    )


def pair(line):
    return map(int, line.split(","))


def t_pair():
    a, b = pair("3,4")
    x = [*pair("1,2,3")]
    return a, b, x, list(pair("9"))


def neigh(r, c):
    return ((r + dr, c + dc) for dr, dc in ((0, 1), (1, 0)))


def t_neigh():
    s = 0
    for r, c in neigh(1, 2):
        s += r * 10 + c
    return s, list(neigh(0, 0)), any(r > 1 for r, c in neigh(1, 1)), (0, 1) in neigh(0, 0)


def t_while():
    g = (c for c in "a1b2")
    out = ""
    while True:
        c = next(g, "")
        if not c:
            break
        out = c + out
    return out


def t_none():
    g = (v if v else None for v in [0, 1, 0])
    return next(g), next(g), next(g)


def t_list_elems():
    g = ([v, v + 1] for v in range(3))
    a = next(g)
    a.append(5)
    return a, list(g)


def t_default_type():
    g = (v for v in [1, 2])
    return next(g, None), next(g, None), next(g, None)


def t_closure():
    k = 2

    def f(v):
        return v * k

    g = map(f, [1, 2, 3])
    a = next(g)
    return a, list(g)


def t_filterl():
    k = 2
    g = filter(lambda v: v > k, [1, 2, 3, 4])
    a = next(g)
    return a, list(g)


def t_iterof():
    g = (v for v in [1, 2])
    h = iter(g)
    return next(h), next(g)


def t_str_join_gen():
    parts = (f"{k}={v}" for k, v in {"a": 1, "b": 2}.items())
    first = next(parts)
    return first + ";" + ",".join(parts)


def t_unused():
    g = (v for v in [1])
    return 5


def t_reassign():
    g = (v for v in [1, 2])
    a = next(g)
    g = (v for v in [5])
    return a, next(g)


def t_sum_start():
    g = (v for v in [1, 2])
    next(g)
    return sum(g, 10)


def t_minmax():
    g = (v for v in [3, 1, 2])
    next(g)
    return min(g, default=5), max(g, default=-1)


def t_cmp():
    x = [3, 1]
    x.sort()
    y = []
    y.extend(reversed(x))
    y.extend(zip(x, x)[:0] if False else [])
    return y


def t_ext_zip():
    y = [(0, 0)]
    y.extend(zip([1, 2], [3, 4]))
    y += zip([7], [8])
    y.extend(enumerate([5]))
    return y


def t_ext_dictitems():
    y = [("q", 0)]
    y.extend({"a": 1}.items())
    y += {"b": 2}.items()
    return y


def t_upd_raise():
    d = {1: 1}
    try:
        d.update((v, 10 // v) for v in [2, 0, 5])
    except ZeroDivisionError:
        pass
    s = {1}
    try:
        s.update(10 // v for v in [2, 0, 5])
    except ZeroDivisionError:
        pass
    return d, sorted(s)


def t_upd_self():
    d = {1: 1}
    d.update((v, len(d)) for v in [5, 6])
    return d


def t_slice_raise():
    x = [1, 2, 3]
    try:
        x[0:2] = (6 // v for v in [1, 0])
    except ZeroDivisionError:
        pass
    return x


def t_slice_self():
    x = [1, 2, 3]
    x[1:1] = (v * 10 for v in x)
    return x


def t_c():
    c = Counter("aab")
    c.update(ch for ch in "bb")
    c.subtract(ch for ch in "a")
    return c["a"], c["b"]


ARGS = {
    "t_loopvar": [([[0, 1, 5], [1, 2, 3]],)],
    "t_dict": [({"a": 1, "b": 2, "c": 3},)],
    "t_arr": [(np.arange(4.0),), (np.arange(3),)],
    "t_arr2": [(np.ones((3, 2)),)],
}


PROGRAMS = [f for name, f in list(globals().items()) if name.startswith("t_")]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f):
    for args in ARGS.get(f.__name__, [()]):
        assert outcome(swathe.njit(f), args) == outcome(f, args)
