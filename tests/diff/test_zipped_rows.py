# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501, E701, E702, E711, E731, B023, F841, C400, C401, C402, C404, C408, C411, C414, C416, C419, E741, D103, C417, C405, C418, B007, PLR0124, SIM108, SIM101, UP027, F811, RUF005, PIE810, B905, B015, E711, C413, C420, B904, B033, PERF401, PERF402, RUF015, SIM110, SIM118
"""Rows and columns: zip(*rows), zip of what is unlike, tuples of permutations and their kin."""

from __future__ import annotations

import pytest
from said import outcome

import swathe


def t_tr1(m):
    return list(zip(*m))


def t_tr2(m):
    return [list(r) for r in zip(*m)]


def t_tr3(m):
    return list(map(list, zip(*m)))


def t_tr4(m):
    return [sum(c) for c in zip(*m)], [max(c) - min(c) for c in zip(*m)]


def t_tr5(m):
    r = []
    for c in zip(*m):
        r.append(list(c))
    return r


def t_tr6(m):
    return [list(r[::-1]) for r in zip(*m)], [list(r) for r in zip(*m[::-1])]


def t_tr7(m):
    return [tuple(r) for r in zip(*m)]


def t_tr8(m):
    return ["".join(c) for c in zip(*m)]


def t_tr9(m):
    t = list(zip(*m))
    return t[0][1], len(t), [sum(r) for r in t]


def t_tr10(m):
    return list(zip(*m[::-1]))


def t_tr11(m):
    return tuple(zip(*m))


def t_z1(a, b):
    return dict(zip(a, b)), max(zip(a, b)), sorted(zip(b, a)), min(zip(a, b)), list(zip(a, b))


def t_z2(a, b):
    return (
        max(zip(a, b), key=lambda p: p[1]),
        sorted(zip(a, b), key=lambda p: -p[1])[0],
        sum(x * y for x, y in zip(a, b)),
    )


def t_z3():
    pts = [(1, 2), (3, 4), (5, 6)]
    xs, ys = zip(*pts)
    return sum(xs), max(ys), list(xs), xs[0], len(ys)


def t_z4():
    pts = [(1, 2), (3, 4), (5, 6)]
    xs, ys = zip(*pts)
    return xs, ys


def t_z5():
    pts = [(1, "a"), (3, "b")]
    a, b = zip(*pts)
    return list(a), "".join(b)


def t_z6():
    return [x for t in zip((1, 2), ("a", "b")) for x in [t[0]]], [
        n for n, s in zip((1, 2), ("a", "b"))
    ]


def t_z8():
    s = 0
    for a, b in zip((1, 2, 3), (1.5, 2.5, 3.5)):
        s += a * b
    return s


def t_z9(m):
    rot = [list(r) for r in zip(*m)]
    rot = [r[::-1] for r in rot]
    return rot


def t_z10(m):
    return all(len(set(c)) == len(c) for c in zip(*m)), any(0 in c for c in zip(*m))


def t_z11(m):
    return [c.count(1) for c in zip(*m)], [c.index(max(c)) for c in zip(*m)]


def t_z12(m):
    cols = {}
    for i, c in enumerate(zip(*m)):
        cols[i] = c
    return cols


def t_z13(m):
    return set(zip(*m)), {c: i for i, c in enumerate(zip(*m))}


def t_z14(m):
    return [tuple(sorted(c)) for c in zip(*m)], [c for c in zip(*m)]


def t_z16(m):
    m = list(map(list, zip(*m)))
    m = [list(x) for x in zip(*m[::-1])]
    return m


def t_z17():
    d = {"a": 1, "b": 2}
    k, v = zip(*d.items())
    return list(k), list(v), k, v


def t_z18():
    d = {"a": 1, "b": 2}
    inv = dict(zip(d.values(), d.keys()))
    return inv


def t_tup1(x):
    return tuple(x), tuple(sorted(x)), tuple(v * 2 for v in x)


def t_tup2(x):
    seen = set()
    seen.add(tuple(x))
    return tuple(sorted(x)) in seen, len(seen)


def t_tup3(words):
    g = {}
    for w in words:
        g.setdefault(tuple(sorted(w)), []).append(w)
    return list(g.values())


def t_tup4(m):
    return {tuple(r) for r in m}, [tuple(r) for r in m]


def t_longest1(m):
    from itertools import zip_longest

    pairs = [(x, y) for x, y in zip_longest(*m[:2], fillvalue=9)]
    told = [[v for v in t if v is not None] for t in zip_longest(*m)]
    return (
        list(zip_longest(*m, fillvalue=0)),
        [sum(t) for t in zip_longest(*m, fillvalue=0)],
        pairs,
        told,
    )


def t_longest2(words):
    from itertools import zip_longest

    out = []
    for row in zip_longest(*words, fillvalue="-"):
        out.append("".join(row))
    return out


def t_longest3(a, b):
    return columns_of(a, b)


def columns_of(*rows):
    from itertools import zip_longest

    return [list(r) for r in zip_longest(*rows, fillvalue="")]


def t_perm1():
    from itertools import permutations

    return [p for p in permutations([1, 2, 3])]


def t_perm2(x):
    from itertools import permutations

    best = None
    for p in permutations(x):
        c = sum(i * v for i, v in enumerate(p))
        if best is None or c > best[0]:
            best = (c, p)
    return best


def t_perm3(x):
    from itertools import combinations

    return [c for c in combinations(x, 2)], {c for c in combinations(x, 2)}


def t_perm4(x):
    from itertools import permutations

    return list(permutations(x))[:3], len(list(permutations(x)))


def t_perm5(s):
    from itertools import permutations

    return sorted({"".join(p) for p in permutations(s)})


M = [[1, 2, 3], [4, 5, 6]]
ARGS = {
    k: [(M,)]
    for k in [
        "t_tr1",
        "t_tr2",
        "t_tr3",
        "t_tr4",
        "t_tr5",
        "t_tr6",
        "t_tr7",
        "t_tr9",
        "t_tr10",
        "t_tr11",
        "t_z9",
        "t_z10",
        "t_z11",
        "t_z12",
        "t_z13",
        "t_z14",
        "t_z15",
        "t_z16",
        "t_tup4",
    ]
}
ARGS |= {
    "t_tr8": [(["abc", "def"],)],
    "t_z1": [([1, 2], [3, 4])],
    "t_z2": [([1, 2], [3, 4])],
    "t_tup1": [([3, 1, 2],)],
    "t_tup2": [([1, 2],)],
    "t_tup3": [(["abc", "bca", "x"],)],
    "t_perm2": [([1, 2, 3],)],
    "t_perm3": [([1, 2, 3],)],
    "t_perm4": [([1, 2, 3],)],
    "t_perm5": [("aab",)],
    "t_longest1": [([[1, 2, 3], [4], [5, 6]],)],
    "t_longest2": [(["abc", "d", ""],), (["x"],)],
    "t_longest3": [(["a"], ["b", "c"])],
}


PROGRAMS = [f for name, f in list(globals().items()) if name.startswith("t_")]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f):
    for args in ARGS.get(f.__name__, [()]):
        assert outcome(swathe.njit(f), args) == outcome(f, args)
