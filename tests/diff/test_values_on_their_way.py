# SPDX-License-Identifier: BSD-3-Clause
"""Values between what makes them and what consumes them: lists that are consumed where they stand,
functions that take what a comprehension goes through, None that nothing else tells of."""

from __future__ import annotations

import linecache
from typing import NamedTuple

import numpy as np
import pytest

import swathe

TEXT = """
class P(NamedTuple):
    x: int
    y: float = 0.5


G = [1, 2, 3]
H = [[1, 2], [3, 4]]
E = []
M = [1, 2.5, "a"]


def noisy(l, k):
    l.append(k)


def bad(k):
    if k > 0:
        raise KeyError(k)


def same(x):
    return x


def each(x):
    for v in x:
        yield v


def f(n):
    {body}
"""

LISTS = """
return G
x = G; return x
return H[0], H[1][n]
return n in G, G == [1, 2, 3], G == (1, 2, 3), (1, 2, 3) == G
for r in H: x = r + [n]
return G[1:], G[::-1], G * 2, G + [4]
return isinstance(G, list), isinstance(G, tuple), tuple(G), isinstance([n] + [1], list)
r = [list(v) for v in H if n in v]; return r[0]
return next(iter([[n]]))
return [[n, 1], [3]][0]
return ([n] + [2]) or 5
return [] * 0 and 1
return list(zip([[n], [2]], [[3], [4]]))
return list(enumerate([[n], [2]]))
return [x for x in [[n], [2]]]
return [x for x in ([n], [2])]
return list(reversed([[n], [2, 3]]))
return [y for y in map(lambda z: z, [[n], [2]])]
return list(filter(lambda z: n in z, [[n], [2]]))
return [*[[n], [2]]]
return [*[[n], *[[2]]], *([3],)]
return sorted([[n], [2], [0, 5]])
*a, b = [n, 2, 3]; return a
*a, b = [[n], [2], [3]]; return a, b
a, b = [[n], [2]]; a.append(3); return a, b
a, b = [[n], [2, 3]]; return a + b
return dict([[n, 2], [3, 4]])
return {n: [n] + [2]}[n]
return [[n] * 2, [3]]
x = [[0] * 2] * 2; x[0][1] = n; return x
x = [[n]] * 2 + [[3]]; x[0].append(n); return x
return list([[n]])
return tuple([[n], [2]])
return [n, 2][n]
return [n, 2.5][abs(-1)]
return [2][n]
return (2, 3.5)[abs(3)]
return [np.ones(2), np.zeros(n)][abs(3)]
return [k for r in [[0, n], [n, 0]] for k in r]
return [a * 10 + b for a, b in [[0, n], [n, 0]]]
return [r[0] * 10 + r[1] for r in [[0, n], [n, 0]]]
return [len(r) for r in [[0], [n, 0]]]
""".strip().split("\n")
SCOPES = """
return [(lambda y: x + y)(1) for x in [n, 2]]
return [x for x in [1, 2, 3] if (lambda y: x + y)(1) > 2]
return sum((lambda y: x + y)(1) for x in [n, 2])
return [list(map(lambda y: x + y, [1, 2])) for x in [n, 2]]
return [list(filter(lambda y: y > x, [1, 2])) for x in [n, 2]]
return [(lambda y: (lambda z: x + y + z)(1))(2) for x in [n, 2]]
return [[(lambda y: x * 10 + w + y)(1) for w in [5, 6]] for x in [n, 2]]
return [max([1, 2, 3], key=lambda y: -(y - x)**2) for x in range(4)]
return sorted([3, 1, 2], key=lambda y: max([1, 2, 3], key=lambda z: -abs(z - y)))
return {x: (lambda y: x + y)(1) for x in [n, 2]}
return {(lambda y: x + y)(1) for x in [n, 2]}
x = 100; r = [(lambda y: x + y)(1) for x in [n, 2]]; return r, (lambda y: x + y)(1)
g = lambda y: y + n; return [g(x) for x in [1, 2]], [(lambda: g(x))() for x in [1, 2]]
return [[sorted([1, 2], key=lambda q: -q * x) for x in [y, -y]] for y in [n, 2]]
return sum(max([1, 2, 3], key=lambda y: (y - x)**2) for x in [n, 2])
return [sorted([[1]], key=lambda q: x[0]) for x in ([n],) if n > 5]
return [(lambda: [x, k])() for k, x in enumerate([n, 2])]
return [(lambda x: x)(x + 1) for x in [n, 2]]
""".strip().split("\n")
WITHOUT_A_NAME = """
return [x for x in [n, 2]][0], [x * 2 for x in [n, 2]][-1], [x for x in [n, 2]][1:]
return ([x for x in [n, 2] if x > 5] or [7]), ([x for x in [n, 2] if x > 1] and [7])
return not [x for x in [n] if x > 1], 1 if [x for x in [n] if x > 1] else 2
return bool([x for x in [n] if x > 1]), bool([n]), bool([]), bool([n] * 0)
while [x for x in [1, 2] if x + n < 4]: n += 1; return n
if x := [y for y in [n, 2] if y > 1]: return x
return max((n, 2), (1, 3)), min([n, 2], [1, 0]), max([3], [n], [2]), max((1, 2.5), (n, 0.5))
return max(n, 3, 2, key=lambda q: -q), max([n], [1, 2], key=len)
return min((n,), (0,), key=lambda p: p[0])
return max(sorted([n, 0]), [x for x in [n, 2]]), min(same([n]), [n] * 2)
return np.arange(n + 2.0).tolist(), np.arange(6).reshape(2, 3)[:, ::-1].tolist()
return np.array(2.5).tolist(), np.array([True]).tolist(), np.zeros((0, 2)).tolist()
return np.array([]), np.array([], np.float32), np.array([[], []]), np.sum([])
return np.array([[], []]).shape, np.asarray([], int), np.zeros(2)[:0] + np.array([])
return np.zeros((2, 0)).tolist(), np.array([1j, n]).tolist(), np.float32(0.1 * np.ones(2)).tolist()
x = np.arange(3).tolist(); x.append(4); return x
""".strip().split("\n")
NONES = """
return list(each([(None,) for x in []]))
return sorted(each([(None,) for x in []]), key=len, reverse=True)
return list(each([None for x in []]))
return list(each([(None,) for x in [n]]))
return [x for x in [(None,) for x in [n]]]
return list([(None,) for x in [n, 2]])
return sorted(same([None]), key=lambda x: 0)
return same(list(same([None])))
return max([], default=None), max([n], default=None), min((x for x in G if x > 5), default=None)
return max([None for x in G if x > 5], default=None)
return list(map(lambda x: {(n, n): None}[n, n], each({1: 1})))
""".strip().split("\n")
ENDS = """
return dict(zip((0 for z in [] if 0), [[0.0] for x in [n]]))
return list(zip((z for z in [1] if n > 5), [[0.0] for x in [n]]))
x = 0; c = [x := x + a * b for a, b in enumerate(iter(range(n, 5)))]; return c
return [i for i, x in enumerate(iter(each(G)), 5)]
return [i for i, x in enumerate(iter(iter(G)))]
d = {5: 6}; return d[1] in {d[0]: n}
d = {5: 6}; return d[1] not in {d[0]}
d = {5: 6}; return d[1] in [d[0]], d[1] in (d[0],)
d = {5: 6}; return [d[1]] < [d[0]]
d = {5: 6}; return next((x for x in [d[1]]), d[0]), next(iter([d[1]]), d[0])
return next((x for x in [n, 2] if x > 1), 7), next((x for x in [n, 2] if x > 2), 7)
return (n if 0 in [0] else None,)
return (n if 0 in (0,) else None, n if 1 in [0, 2] else None)
return [n if 0 in (1,) else None]
for w in [n] * 0 or [n for x in range(n)]: n = n + w; return n
return sum([n] * 0 or [n for x in []]), max([n] * 0 or [n + x for x in [1, 2]])
""".strip().split("\n")


# Lists of which one is no object: equal, ordered, added, found as lists are.
BESIDE = [
    f"xs = [n, 2, 3]; m = [xs, [4]]; a, *b = (0, n, 2, 3); z = [n] * 0; return {e}"
    for e in """
G == xs, xs == G, xs != G, G != xs
[x for x in xs] == [1, 2, 3], [1, 2, 3] == [x for x in xs], [x for x in xs] != [1, 2]
[x for x in xs] == [x for x in b], [x for x in xs] != [x + 1 for x in xs]
b == xs, xs == b, b == [x for x in xs], [x for x in xs] == b, b == G
[] == [x for x in xs if x > 5], [x for x in xs if x > 5] == [], z == [], [] != [x for x in xs]
E == [x for x in xs if x > 5], E == xs, xs != E, z == E, E in [z], E in m
G in m, G not in m, b in m, [x for x in xs] in m, [x for x in xs] in H, xs in H, xs not in H
[1, 2] in H, [n, 2] in H, [x for x in xs][:2] in H, xs in [[1], [1, 2, 3]], [1, 2, 3] in [xs, xs]
H == m, m == H, [[1, 2], [3, 4]] == [[x, x + 1] for x in (n, 3)], H == [[x, x + 1] for x in (n, 3)]
m[0] == G, m.index(G), m.count(G), m.index([x for x in xs]), m.count(b)
G[:1] == xs[:1], G[:1] == [x for x in xs if x < 2], G[::-1] == [3, 2, n], xs[::-1] == G[::-1]
[[x] for x in xs] == [[1], [2], [3]], [[x] for x in xs] == m
[(x, 1) for x in xs] == [(1, 1), (2, 1), (3, 1)], [(x, 1) for x in xs] == [(1, 1.0), (2, 2.0)]
(xs if n else m[0]) == G, ([1, 2, 3] if n else [1]) == G, G == ([1, 2, 3] if n else [1])
([1, 2, 3] if n else [1]) == xs, (G or xs) == xs, not (G == xs), 1 if G == xs else 2
xs == G * 1, xs * 2 == G * 2, xs == [*G], xs == [*b], G + [4] == [*xs, 4]
G == (1, 2, 3), xs == (1, 2, 3), [x for x in xs] == (1, 2, 3), (1, 2, 3) != [x for x in xs]
[x for x in xs] == [1.0, 2.0, 3.0], xs == M[:2], M == xs, xs in M
[x for x in xs] == None, [x for x in xs] == 3, G == None, [x for x in xs] == {1, 2, 3}
xs < G, G < xs, xs <= G, [x for x in xs] < [1, 2, 4], G >= [x for x in xs]
b > xs, [[x] for x in b] < H
G + xs, xs + G, b + xs, xs + b, G + [x for x in xs], [x for x in xs] + b, E + xs, xs + E, H + m
""".strip().split("\n")
]


# Where the value is known, what it is made of is evaluated all the same.
KNOWN = """
return len(P(y=2.0, x=n)), len(P(x=n))
l = [5]; return len(P(x=l[n]))
v = [P(n, 1.0) for _ in range(n)]; return len(v[1])
return [None][n] is None
return [None, None][n] is None
l = [5]; return (noisy(l, 1) if n else noisy(l, 2)) is None, l
l = [5]; return (noisy(l, 1) if n > 1 else noisy(l, 2)) is None, l
l = [5]; return (n and noisy(l, 1)) is None, (n - 1 or noisy(l, 2)) is None, l
l = [5]; return len((l[0], 2) if n > 1 else (l[1], 3))
return len((G[n], 2) if n > 1 else (G[n + 5], 3))
x = bad(n) if n else bad(0); return x
return (bad(n) or bad(0)) is None
return (bad(0) or bad(n - 1) or bad(n)) is None
return len([(1, 2), (3, 4)][n + 1])
t = ((1, 2.0), (3, 4.0)); return len(t[n + 1])
l = [5]; return isinstance((l[n], 2), tuple)
l = [5]; return ((l[n],) if n else None) is None
return {1: None}[n + 1] is None
return len({1: (1, 2)}[n + 1])
""".strip().split("\n")


def made(body):
    text = TEXT.format(body=body)
    name = f"<way {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"np": np, "NamedTuple": NamedTuple, "__name__": "way"}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def outcome(f):
    try:
        return f(1)
    except Exception as e:
        return f"{type(e).__name__}: {str(e).splitlines()[0]}"


@pytest.mark.parametrize("body", LISTS + BESIDE + WITHOUT_A_NAME + SCOPES + NONES + ENDS + KNOWN)
def test_as_in_python(body):
    f = made(body)
    want = outcome(f)
    for options in ({}, {"debug": True}, {"parallel": True}):
        assert repr(outcome(swathe.njit(f, **options))) == repr(want)


@pytest.mark.parametrize(
    "body",
    ["return [G, [n]]", "return {n: G}", "x = [G]; return x", "x = G; x.append(1); return x"],
)
def test_a_constant_list_is_no_new_one(body):
    """It is the global one, which what is put into it there changes, too."""
    f, g = made(body), made(body)
    want = f(1)
    got = swathe.njit(g)(1)
    own = g.__globals__["G"]
    assert repr(got) == repr(want) and own == f.__globals__["G"]
    assert got is own or own in (got.values() if isinstance(got, dict) else got)
