# SPDX-License-Identifier: BSD-3-Clause
"""Where the greatest or the least is, found by chunks: ties, NaN, a start that is as great as
any. And the greatest of each kind, h[k] = max(h[k], x). See parallel.py."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE
from parallel import SIZES, check, numbers

from swathe import njit, prange
from swathe.errors import RaceError

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")


def first_greatest(x, m, k):
    for i in prange(len(x)):
        if x[i] > m:
            m = x[i]
            k = i
    return m, k


def last_greatest(x, m, k):
    for i in prange(len(x)):
        if x[i] >= m:
            k = i
            m = x[i]
    return m, k


def first_least(x, m, k):
    twice = 0.5
    for i in prange(len(x)):
        v = x[i]
        if m > v:
            m, k = v, i
            twice = 2.0 * i
    return m, k, twice


def last_least(x, m, k):
    for i in prange(len(x) - 1, -1, -1):
        v = x[i]
        if v <= m:
            m, k = v, i
    return m, k


def both_ends(x, m, k):
    low, at, high = m, k, m
    for i in prange(len(x)):
        if x[i] <= low:
            low = x[i]
            at = i
        if x[i] > high:
            high = x[i]
            k = i
    return low, at, high, k


def only_where(x, m, k):
    for i in prange(len(x)):
        if x[i] >= m:
            m = x[i]
            k = i
    return k


def place(x, m):
    r, c = -1, -1
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] >= m:
                m = x[i, j]
                r = i
                c = j
    return m, r, c


PICKS = [first_greatest, last_greatest, first_least, last_least, both_ends, only_where]


@pytest.mark.parametrize("f", PICKS)
@pytest.mark.parametrize("n", SIZES)
def test_where_it_is(f, n):
    check(f, numbers(n), 0.25, -1)
    check(f, numbers(n, dtype=np.int64), 5, -1)


@pytest.mark.parametrize("f", PICKS)
@pytest.mark.parametrize("start", [-2.0, 0.0, 1.0, 5.0, np.inf, -np.inf, np.nan])
def test_ties_and_starts(f, start):
    x = np.random.default_rng(3).integers(-1, 2, 40_000) * 1.0
    check(f, x, start, 7)
    x[-9000:] = -5.0
    check(f, x, start, 7)
    x[::3] = np.nan
    check(f, x, start, 7)
    check(f, np.full(40_000, start), start, 7)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 9), (300, 300), (5000, 7), (3, 60_000)])
def test_in_a_nest(shape):
    x = np.random.default_rng(4).integers(0, 9, shape)
    check(place, x, 3)
    check(place, x * 1.0, 8.0)


def greatest_each(h, k, x):
    for i in prange(len(x)):
        h[k[i]] = max(h[k[i]], x[i])
    return h


def least_each(h, k, x):
    for i in prange(len(x)):
        j = k[i]
        h[j] = min(x[i], h[j])
    return h


def greatest_named(h, k, x):
    for i in prange(len(x)):
        was = h[k[i]]
        h[k[i]] = max(was, x[i])
    return h


def greatest_if(h, k, x):
    for i in prange(len(x)):
        if x[i] > h[k[i]]:
            h[k[i]] = x[i]
    return h


def least_if(h, k, x):
    for i in prange(len(x)):
        j, v = k[i], x[i] * 2 + 1
        if h[j] >= v:
            h[j] = v
    return h


def greatest_where(h, k, x):
    for i in prange(len(x)):
        if i % 3:
            if x[i] > h[k[i]]:
                h[k[i]] = x[i]
    return h


def greatest_of_all(h, k, x):
    for i in prange(len(x)):
        if x[i] > h[2]:
            h[2] = x[i]
    return h


EACH = [greatest_each, least_each, greatest_named, greatest_if, least_if, greatest_where]


@pytest.mark.parametrize("f", [*EACH, greatest_of_all])
@pytest.mark.parametrize("n", SIZES)
def test_of_each_kind(f, n):
    k = np.random.default_rng(5).integers(0, 13, n)
    for dtype in (np.float64, np.int64, np.float32):
        check(f, np.zeros(13, dtype), k, numbers(n, dtype=dtype))


@pytest.mark.parametrize("f", [greatest_if, least_if, greatest_where, greatest_of_all])
def test_of_each_kind_is_a_reduction(f):
    compiled = njit(parallel=True, debug=True)(f)
    compiled(np.zeros(13), np.zeros(20, np.int64), numbers(20))
    assert "not proven" not in str(compiled.explain())


def guarded(h, k, x):
    for i in prange(len(x)):
        if x[i] > h[k[i]]:
            far = x[i + 1]
            h[k[i]] = x[i] + 0 * far


def test_a_branch_that_may_fail_is_none():
    """Taken anew in each chunk, it would fail more often."""
    compiled = njit(parallel=True)(guarded)
    compiled(np.full(3, 9.0), np.zeros(5, np.int64), np.arange(5.0))
    assert "not proven" in str(compiled.explain())


def at_once(x, low, high):
    n = 0
    for i in prange(len(x)):
        low, high = min(low, x[i]), max(high, x[i])
        n = n if x[i] > 0.5 else n + i
    return low, high, n


@pytest.mark.parametrize("n", SIZES)
def test_several_at_once(n):
    for dtype in (np.float64, np.int64, np.float32):
        x = numbers(n, dtype=dtype)
        check(at_once, x, np.dtype(dtype).type(1), np.dtype(dtype).type(0))


def nearest(m, w):
    for i in prange(m.shape[0]):
        b = np.inf
        at = -1
        for j in prange(m.shape[1]):
            if m[i, j] < b:
                b = m[i, j]
                at = j
        w[i] = at
    return w


@pytest.mark.parametrize("n", [1, 31, 997])
def test_in_a_nest_of_pranges(n):
    check(nearest, numbers(n * 20).reshape(n, 20), np.zeros(n, np.int64))


def last_one(m, w):
    for i in prange(len(w)):
        for j in prange(i):
            x = m[i, j]
        w[0] = x


def test_names_are_those_of_the_program():
    with pytest.raises(RaceError) as e:
        njit(parallel=True)(last_one)(np.zeros((5, 5)), np.zeros(5))
    assert ".bound" not in str(e.value) and "'x'" in str(e.value)
