# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501, E701, E702, E711, E731, B023, F841, C400, C401, C402, C404, C408, C411, C414, C416, C419, E741, D103, C417, C405, C418, B007, PLR0124, SIM108, SIM101, UP027, F811, RUF005, PIE810, B905, B015, E711, C413, C420, B904, B033, PERF401, PERF402, RUF015, SIM110, SIM118
"""Tuples of a known length beside those of any: in variables, containers, operators and calls."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from harness import check
from said import outcome

import swathe


def t_1(n):
    s = set()
    s.add(tuple(range(n)))
    s.add((0, 1))
    s.discard((9, 9))
    return s, (0, 1, 2) in s, len(s)


def t_2(n):
    d = {tuple(range(n)): 1}
    d[(5,)] = 2
    d[(0, 1)] = d.get((0, 1), 0) + 7
    return d, d.get((4,), -1), (5,) in d


def t_3(n):
    L = [tuple(range(n))]
    L.append((1, 2))
    L.insert(0, (9,))
    L[0] = (8, 8)
    return L, (1, 2) in L, L.index((1, 2))


def t_4(n):
    return [tuple(range(n)), tuple(range(n + 1))], {"a": tuple(range(n))}, (tuple(range(n)), 3)


def t_5(g, s, e):
    q = deque([(s, tuple([s]))])
    seen = {s}
    while q:
        u, p = q.popleft()
        if u == e:
            return p
        for v in g[u]:
            if v not in seen:
                seen.add(v)
                q.append((v, p + (v,)))
    return None


def t_9(x):
    a = tuple(x)
    b = a
    a = a + (1,)
    return a, b, a is b


def t_10(x):
    st = [(tuple(x), 0)]
    out = []
    while st:
        t, d = st.pop()
        if d == 2:
            out.append(t)
            continue
        for i in range(len(t)):
            st.append((t[:i] + t[i + 1 :], d + 1))
    return sorted(set(out))


def t_11(x):
    return (
        dict(zip(map(tuple, x), range(9))),
        [sum(t) for t in map(tuple, x)],
        sorted(map(tuple, x)),
        list(map(tuple, x)),
    )


def t_12(x):
    t = tuple(x)
    for i, v in enumerate(t):
        if v == 2:
            return i
    return -1


def t_13(words):
    t = tuple(words)
    return "-".join(t), t[0][0], len(t), max(t), t.index("b")


def t_14(x):
    a = tuple(float(v) for v in x)
    return a, sum(a), np.mean(a), np.array(a) * 2


def t_15(x):
    return tuple(x) if x else ()


def t_16(x):
    t = ()
    for v in x:
        t = t + (v,)
    return t


def t_17(x):
    t = tuple()
    for v in x:
        t += (v,)
    return t


def t_18(x):
    t = tuple([])
    for v in x:
        t += (v,)
    return t


class Node:
    def __init__(self, k):
        self.k = k


def t_19(x):
    return [tuple(r) for r in x], {tuple(r): i for i, r in enumerate(x)}


def t_20(x):
    t = tuple(x)
    u = t.__len__() if False else len(t)
    return u, t.count(1)


def t_21(x):
    t = tuple(x)
    r = []
    while t:
        h, t = t[0], t[1:]
        r.append(h)
    return r


def t_22(x):
    t = tuple(x)
    a, *b = t
    *c, d = t
    return a, b, c, d


def t_23(x):
    t = tuple(x)
    raise ValueError(t)


def t_27(x):
    return sum([tuple(x), tuple(x)], ()), [y for t in [tuple(x)] for y in t]


def t_30(n):
    d = {0: ()}
    d[1] = d[0] + (n,)
    return d


def t_31(n):
    q = [(0, ())]
    out = []
    while q:
        k, p = q.pop()
        if k == n:
            out.append(p)
        else:
            q.append((k + 1, p + (k,)))
    return out


def t_32(n):
    best = {0: ()}
    for w in range(1, n):
        for c, ch in sorted(best.items()):
            best[c + w] = ch + (w,)
    return best


def t_33(n):
    def go(r, cols):
        if r == n:
            return 1
        return sum(
            go(r + 1, cols + (c,))
            for c in range(n)
            if all(c != cc and abs(c - cc) != r - rr for rr, cc in enumerate(cols))
        )

    return go(0, ())


def t_34(n):
    row = (1,)
    out = [row]
    for _ in range(n):
        row = (1,) + tuple(a + b for a, b in zip(row, row[1:])) + (1,)
        out.append(row)
    return out


def t_35(g):
    out = []
    st = [("a", ("a",))]
    while st:
        n, p = st.pop()
        if n == "end":
            out.append(p)
            continue
        for m in g[n]:
            if m not in p:
                st.append((m, p + (m,)))
    return sorted(out)


def t_36(n):
    def walk(path, left):
        if not left:
            return [path]
        return [
            p for i in range(len(left)) for p in walk(path + (left[i],), left[:i] + left[i + 1 :])
        ]

    return walk((), tuple(range(n)))


def t_37(x):
    t = tuple(x)
    return t in [(3, 1, 2)], t in ((3, 1, 2), (1, 2)), t not in [(1,), (2,)]


def t_38(x):
    try:
        return str(tuple(x).index(99))
    except ValueError as e:
        return str(e)


def t_39(x):
    t = tuple(x)
    return (t < (9,)), t >= (3, 1), t != (3,), {t[i : i + 2] for i in range(2)}, t * 0, (t,) * 2


G = {0: [1, 2], 1: [3], 2: [3], 3: []}
ARGS = {f"t_{i}": [([3, 1, 2],)] for i in range(1, 40)}
for k in (1, 2, 3, 4):
    ARGS[f"t_{k}"] = [(3,)]
ARGS["t_5"] = [(G, 0, 3)]
ARGS["t_11"] = ARGS["t_19"] = [([[1, 2], [3]],)]
ARGS["t_13"] = [(["a", "b"],)]
for _k in (30, 31, 32, 33, 34, 36):
    ARGS[f"t_{_k}"] = [(4,)]
ARGS["t_35"] = [({"a": ["b", "c"], "b": ["c", "end"], "c": ["end"], "end": ["a"]},)]


PROGRAMS = [f for name, f in list(globals().items()) if name.startswith("t_")]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f):
    for args in ARGS.get(f.__name__, [()]):
        assert outcome(swathe.njit(f), args) == outcome(f, args)


def test_the_greatest_of_tuples_is_of_numpys_numbers():
    """As a variable that is a Python number on one path and NumPy's on the other."""

    def f(x):
        best = (-1.0, -1)
        for i in range(len(x)):
            best = max(best, (x[i], i))
        least = min((x[0], "a"), (3.0, "b"), key=lambda v: v[0])
        return best[0] / 0.0, max(((0.0, 2), 3), ((x[0], 2), 3))[0][0] / 0.0, least[0] / 0.0

    check(f, np.array([1.0, 4.0, 2.0]))
