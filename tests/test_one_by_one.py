# SPDX-License-Identifier: BSD-3-Clause
"""Expressions with several `for`, given to extend and update: what Python adds, one by one."""

from collections import Counter, defaultdict, deque

import pytest
from live_memory import live

import swathe


def naturals(n):
    yield from range(n)


def kinds():
    s, xs, c, d, q = set(), [], Counter(), {}, deque([9], 3)
    s.update((i, j) for i in range(2) for j in range(2) if i != j)
    xs.extend(i * j for i in range(3) for j in range(i))
    c.update(ch for w in ["ab", "bc"] for ch in w)
    d.update((i + j, i) for i in range(2) for j in range(2))
    q.extendleft(a + b for a in (1, 2) for b in (10, 20))
    return s, xs, c, d, list(q)


def half_way():
    s, out = {0}, []
    try:
        s.update(10 // (2 - v) for w in ([0, 1], [2, 3]) for v in w)
    except ZeroDivisionError as e:
        out.append(str(e))
    for k in range(3):
        out.extend(str(k * a) for a in (1, 2) if a > k - 2 for b in (3, 4) if b > 3)
    return sorted(s), out


def reads_itself():
    xs = [1, 2]
    xs.extend(len(xs) for _ in range(2) for _ in range(2))
    return xs


def generators():
    xs = []
    xs.extend(x for n in range(4) for x in naturals(n))
    return xs


def nested():
    def add(to):
        to.extend(y for x in [[1, 2], [3]] for y in x)

    z, u, d = [], set(), defaultdict(list)
    d.update((k, [v]) for k in "ab" for v in (1, 2))
    add(z)
    if z:
        z.extend(v for k in d for v in d[k])
    for r in ([1], [2], []):
        u.update(x + y for x in r for y in r)
    return z, u, dict(d)


PROGRAMS = [kinds, half_way, reads_itself, generators, nested]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_one_by_one(f):
    g = swathe.njit(f)
    assert g() == f()
    before = live()
    assert g() == f()
    assert live() == before
