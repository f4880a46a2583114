# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501, E701, E702, E711, E731, B023, F841, C400, C401, C402, C404, C408, C411, C414, C416, C419, E741, D103, C417, C405, C418, B007, PLR0124, SIM108, SIM101, UP027, F811, RUF005, PIE810, B905, B015, E711, C413, C420, B904, B033, PERF401, PERF402, RUF015, SIM110, SIM118
"""Tuples whose length only the run tells: made, compared, keys, elements, parts, results."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pytest
from said import outcome

import swathe


def t_1(x):
    t = tuple(x)
    return (
        t[0],
        t[-1],
        t[1:],
        t[::-1],
        len(t),
        sum(t),
        max(t),
        min(t),
        sorted(t),
        3 in t,
        t.index(1),
        t.count(1),
    )


def t_2(x):
    t = tuple(x)
    return (
        t == tuple(sorted(x)),
        t == (3, 1, 2),
        t != (3, 1),
        (3, 1, 2) == t,
        t < (4,),
        t < tuple([9]),
        hash(t) == hash(tuple(x)),
        t is t,
    )


def t_3(x):
    t = tuple(x)
    u = t + (5,)
    v = (0,) + t
    w = t + t
    y = t * 2
    return u, v, w, y, () + t, t + ()


def t_4(x):
    t = tuple(x)
    t2 = t
    t += (7,)
    return t, t2


def t_5(x):
    t = tuple(x)
    t2 = t
    t *= 2
    return t, t2


def t_6(x):
    t = tuple(x)
    try:
        return str(t[10])
    except IndexError as e:
        return str(e)


def t_7(x):
    a, b, c = tuple(x)
    d, *e = tuple(x)
    return a, b, c, d, e


def t_8(x):
    try:
        a, b = tuple(x)
        return str(a)
    except ValueError as e:
        return str(e)


def t_10(x):
    print(tuple(x))
    print(tuple(x[:1]), tuple(x[:0]))
    print([tuple(x)], {tuple(x): 1})


def t_11(ws):
    g = defaultdict(list)
    for w in ws:
        g[tuple(sorted(w))].append(w)
    return dict(g), sorted(g.items()), list(g.keys())


def t_12(m):
    s = {tuple(r) for r in m}
    return len(s), tuple(m[0]) in s, (1, 2) in s


def t_13(m):
    d = {}
    for r in m:
        d[tuple(r)] = d.get(tuple(r), 0) + 1
    return d, d[tuple(m[0])]


def t_14(n):
    start = tuple(range(n))
    q = deque([(start, 0)])
    seen = {start}
    while q:
        s, d = q.popleft()
        if s == tuple(range(n - 1, -1, -1)):
            return d
        for i in range(n - 1):
            l = list(s)
            l[i], l[i + 1] = l[i + 1], l[i]
            t = tuple(l)
            if t not in seen:
                seen.add(t)
                q.append((t, d + 1))
    return -1


def t_15(n):
    start = tuple(range(n))
    q = deque([(start, 0)])
    seen = {start}
    while q:
        s, d = q.popleft()
        if s[::-1] == start:
            return d, len(seen)
        for i in range(n - 1):
            t = s[:i] + (s[i + 1], s[i]) + s[i + 2 :]
            if t not in seen:
                seen.add(t)
                q.append((t, d + 1))
    return -1, 0


@cache
def ss(nums, target):
    if not nums:
        return 1 if target == 0 else 0
    return ss(nums[1:], target - nums[0]) + ss(nums[1:], target)


def t_16(x, t):
    return ss(tuple(x), t)


def t_17(x):
    memo = {}

    def f(i, rest):
        if (i, rest) in memo:
            return memo[i, rest]
        r = 0 if i == 0 or len(rest) == 0 else rest[0] + f(i - 1, rest[1:])
        memo[(i, rest)] = r
        return r

    return f(3, tuple(x)), len(memo)


def t_18(x):
    best = None
    for p in permutations(x):
        c = sum(abs(p[i] - p[i + 1]) for i in range(len(p) - 1))
        if best is None or c < best[0] or (c == best[0] and p < best[1]):
            best = (c, p)
    return best


def t_19(x):
    return (
        max(tuple(v) for v in [[1, 2], [3]]),
        min([tuple(x), tuple(x[:1])]),
        sorted([tuple(x), tuple(x[1:])]),
    )


def t_20(x):
    t = tuple(x)
    return np.array(t), np.sum(t), np.array([t, t])


def t_21(x):
    t = tuple(x)
    return isinstance(t, tuple), isinstance(t, list), type(t).__name__, bool(t), bool(t[:0]), not t


def t_22(x):
    return (
        tuple(str(v) for v in x),
        tuple((v, v * v) for v in x),
        tuple([v] for v in x),
        tuple(tuple([v]) for v in x),
    )


def t_23(s):
    return tuple(s), tuple(s.split(",")), tuple(map(int, s.split(",")))


def t_24(d):
    return tuple(d), tuple(d.items()), tuple(d.values()), tuple(sorted(d.items()))


def t_25(x):
    r = []
    for i, v in enumerate(tuple(x)):
        r.append(i * v)
    for a, b in zip(tuple(x), tuple(x[1:])):
        r.append(a - b)
    return r, [*tuple(x)], {*tuple(x)}, list(tuple(x)), set(tuple(x)), list(reversed(tuple(x)))


def t_26(x):
    r = None
    if len(x) > 1:
        r = tuple(x)
    return r


def t_27(m):
    return [tuple(map(tuple, m))], tuple(tuple(r) for r in m), {tuple(tuple(r) for r in m): 1}


def t_28(m):
    seen = {}
    g = tuple(map(tuple, m))
    i = 0
    while g not in seen:
        seen[g] = i
        i += 1
        l = [list(r) for r in g]
        l[0][0] = (l[0][0] + 1) % 3
        g = tuple(map(tuple, l))
    return i, seen[g]


def f2(t):
    return t[0] + len(t)


def t_29(x):
    return f2(tuple(x)), f2((1, 2)), f2(x)


def t_30(x):
    c = Counter(tuple(sorted(p)) for p in permutations(x, 2))
    return sorted(c.items())


def t_31(x):
    return (
        [c for c in combinations(x, len(x) - 1)],
        list(product(x, repeat=len(x) - 1))[:3],
        set(combinations(x, len(x) - 1)),
    )


def t_32(x):
    t = tuple(x)

    def g(a, *r):
        return a + len(r)

    return tuple(g(v) for v in t)


def t_33(x):
    L = []
    L.append(tuple(x))
    L.append(tuple(x[:1]))
    L[0] = tuple(x[1:])
    return L, L.index(tuple(x[:1])), tuple(x[:1]) in L


def t_34(a):
    return tuple(a), tuple(a.tolist()), {tuple(r.tolist()) for r in a.reshape(2, 2)}


def t_35(x):
    t = tuple(x)
    match t:
        case (a, b, c):
            return a
        case _:
            return -1


def t_36():
    a = frozenset({1})
    b = a
    b |= {2}
    return a, b


def t_37(x):
    t = tuple(x)
    return t < t, t <= t, t > tuple(x[1:]), t == x, t == None


def t_38(x):
    return (
        tuple(x)[0],
        len(tuple(set(x))),
        tuple(sorted(set(x))),
        tuple(reversed(x)),
        tuple(x)[:2] + tuple(x)[2:],
    )


def t_39(x):
    t = tuple(x)
    u = tuple(v + 1 for v in t)
    return (
        t,
        u,
        sum(a * b for a, b in zip(t, u)),
        any(v > 2 for v in t),
        [i for i in range(len(t)) if t[i] > 1],
    )


class P:
    def __init__(self, c):
        self.c = tuple(c)

    def n(self):
        return len(self.c)


ARGS = {f"t_{i}": [([3, 1, 2],)] for i in range(1, 40)}
for k in (11,):
    ARGS[f"t_{k}"] = [(["abc", "cab", "d"],)]
for k in (12, 13, 27, 28):
    ARGS[f"t_{k}"] = [([[1, 2], [3, 4], [1, 2]],)]
for k in (14, 15):
    ARGS[f"t_{k}"] = [(4,)]
ARGS["t_16"] = [([1, 2, 3, 4], 5)]
ARGS["t_23"] = [("1,2",)]
ARGS["t_24"] = [({"b": 1, "a": 2},)]
ARGS["t_34"] = [(np.arange(4),)]
ARGS["t_36"] = [()]
ARGS["t_26"] = [([1],), ([1, 2],)]


PROGRAMS = [f for name, f in list(globals().items()) if name.startswith("t_")]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f):
    for args in ARGS.get(f.__name__, [()]):
        assert outcome(swathe.njit(f), args) == outcome(f, args)
