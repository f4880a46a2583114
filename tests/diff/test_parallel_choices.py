# SPDX-License-Identifier: BSD-3-Clause
"""Reductions written as choices, chains and calls: they are found, they combine as loops do,
and debug=True has nothing against them. See parallel.py."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE, copy_args
from parallel import check, numbers

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")

SIZES = (0, 1, 997, 100_003)


def sum_or_same(a):
    s = 0.0
    for i in prange(len(a)):
        s = s + a[i] if a[i] > 0.3 else s
    return s


def same_or_sum(a):
    s = 0.0
    for i in prange(len(a)):
        s = s if a[i] > 0.3 else a[i] + s
    return s


def one_of_two_sums(a):
    s = 0.0
    for i in prange(len(a)):
        s = (s + a[i]) if a[i] > 0.3 else (s - 1.0)
    return s


def one_of_three(a):
    s = 0.0
    for i in prange(len(a)):
        s = s + a[i] if a[i] > 0.3 else s - 1.0 if a[i] > 0.2 else s
    return s


def greater(a):
    m = -9.0
    for i in prange(len(a)):
        m = a[i] if a[i] > m else m
    return m


def same_if_less(a):
    m = 9.0
    for i in prange(len(a)):
        m = m if m <= a[i] else a[i]
    return m


def not_less(a):
    m = -9.0
    for i in prange(len(a)):
        if not a[i] <= m:
            m = a[i]
    return m


def greatest_of_three(a):
    m = 0.0
    for i in prange(len(a)):
        m = max(m, a[i], 0.25)
    return m


def greatest_of_terms(a):
    m = 0.0
    for i in prange(len(a)):
        m = max(m, abs(a[i] - 0.4), a[i] / 2)
    return m


def least_where(a):
    m = 9.0
    for i in prange(len(a)):
        m = min(m, a[i]) if a[i] > 0.1 else m
    return m


def place_and_value(a):
    m, at = -9.0, -1
    for i in prange(len(a)):
        m, at = (a[i], i) if a[i] > m else (m, at)
    return m, at


def bits_where(a):
    n = 0
    for i in prange(len(a)):
        n = n | (1 << int(a[i] * a[i] * 50)) if a[i] > 0.1 else n
    return n


def in_an_inner_loop(a):
    s = 0.0
    for i in prange(len(a)):
        for j in range(i % 4):
            s = s + a[j] if a[i] > 0 else s
    return s


def by_a_function(a):
    def add(s, x):
        return s + x

    s = 0.0
    for i in prange(len(a)):
        s = add(s, a[i])
    return s


def by_a_function_where(a):
    def add(s, x):
        return s + 2.0 * x

    s = 0.0
    for i in prange(len(a)):
        if a[i] > 0:
            s = add(s, a[i])
    return s


def complex_where(a):
    s = 0j
    for i in prange(len(a)):
        s = s + a[i] * 1j if a[i] > 0.3 else s
    return s


def counts_where(a):
    h = np.zeros(101)
    for i in prange(len(a)):
        h[int(a[i] * a[i] * 100)] = (
            h[int(a[i] * a[i] * 100)] + 1 if a[i] > 0.2 else h[int(a[i] * a[i] * 100)]
        )
    return h


def greatest_where(a):
    h = np.zeros(4)
    for i in prange(len(a)):
        k = i % 4
        h[k] = max(h[k], a[i]) if a[i] < 0.5 else h[k]
    return h


def two_at_once(a):
    s, c = 0, 0
    for i in prange(len(a)):
        s, c = s + int(a[i] * 10), c + 1
    return s, c


FOUND = [
    *(sum_or_same, same_or_sum, one_of_two_sums, one_of_three, greater, same_if_less, not_less),
    *(greatest_of_three, greatest_of_terms, least_where, place_and_value, bits_where),
    *(in_an_inner_loop, by_a_function, by_a_function_where, complex_where, counts_where),
    *(greatest_where, two_at_once),
]


@pytest.mark.parametrize("f", FOUND)
@pytest.mark.parametrize("n", SIZES)
def test_choice(f, n):
    check(f, numbers(n), close=True)


@pytest.mark.parametrize("f", FOUND)
def test_is_shown(f):
    g = swathe.njit(parallel=True)(f)
    g(numbers(50))
    assert "runs serially" not in str(g.explain())
    assert "not proven" not in str(g.explain())


@pytest.mark.parametrize("f", FOUND)
def test_debug_lets_it_be(f):
    a = (numbers(50),)
    want = f(*copy_args(a))
    np.testing.assert_allclose(swathe.njit(parallel=True, debug=True)(f)(*a), want, rtol=1e-12)


def sum_or_half(a):
    s = 0.0
    for i in prange(len(a)):
        s = s + a[i] if a[i] > 0.3 else s / 2
    return s


def depends_on_itself(a):
    s = 0.0
    for i in prange(len(a)):
        s = s + a[i] if s < 3 else s
    return s


def swapped(a):
    s, t = 0.0, 1.0
    for i in prange(len(a)):
        s, t = (t, s) if a[i] > 0 else (s, t)
    return s, t


def mixed_ops(a):
    h = np.zeros(4)
    for i in prange(len(a)):
        h[i % 4] = h[i % 4] + 1 if a[i] > 0 else h[i % 4] * 2
    return h


@pytest.mark.parametrize("f", [sum_or_half, depends_on_itself, swapped])
def test_what_is_none_is_refused(f):
    with pytest.raises(swathe.errors.RaceError):
        swathe.njit(parallel=True)(f)(numbers(50))


def test_debug_finds_an_array_that_is_updated_in_two_ways():
    with pytest.raises(swathe.errors.RaceError):
        swathe.njit(parallel=True, debug=True)(mixed_ops)(numbers(50))
