# SPDX-License-Identifier: BSD-3-Clause
"""What is found near where it was found before: cells of np.interp whose points come in order,
blocks of long lanes of np.argmin, places of a shuffle that are drawn ahead; and short sums in a
loop of a parallel function, which run where they stand."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


@swathe.njit
def lines(x, xp, fp):
    return np.interp(x, xp, fp)


ORDERS = {
    "rising": lambda x: x,
    "falling": lambda x: x[::-1],
    "steps": lambda x: x[(np.arange(x.size) * 7) % max(x.size, 1)],
    "none": lambda x: x[:0],
}


@pytest.mark.parametrize("n", [1, 2, 3, 17])
@pytest.mark.parametrize("order", ORDERS)
def test_interp_of_points_in_any_order(n: int, order: str) -> None:
    rng = np.random.default_rng(n)
    xp, fp = np.sort(rng.normal(size=n)), rng.normal(size=n)
    x = np.sort(np.concatenate((rng.normal(size=41), xp, [np.inf, -np.inf, np.nan])))
    x = ORDERS[order](x)
    for values in (fp, fp + 1j * fp[::-1]):
        want = np.interp(x, xp, values)
        np.testing.assert_allclose(lines(x, xp, values), want, rtol=1e-14)


@swathe.njit
def extremes(a):
    return a.argmax(1), np.argmin(a, axis=1, keepdims=True)


@pytest.mark.parametrize("n", [1, 255, 512, 513, 769, 1025])
@pytest.mark.parametrize("dtype", [np.float64, np.int16])
def test_extremes_of_long_lanes(n: int, dtype: type) -> None:
    rng = np.random.default_rng(n)
    a = rng.integers(-3, 4, (7, n)).astype(dtype)
    a[1] = 0
    a[2, -1] = 99
    a[3, n // 2] = -99
    if dtype is np.float64:
        a[4, n // 3 :: 5] = np.nan
        a[5, -1] = np.nan
        a[6] = -np.inf
    for x in (a, a[:, ::-1], np.asfortranarray(a)):
        for got, want in zip(extremes(x), extremes.py_func(x), strict=True):
            assert np.array_equal(got, want)


@swathe.njit
def shuffled(seed, n):
    g = np.random.default_rng(seed)
    np.random.seed(seed)
    a, b = np.arange(n), np.arange(2.0 * n).reshape(n, 2)
    g.shuffle(a)
    np.random.shuffle(b)
    return a, b, g.permutation(n), np.random.permutation(a), g.random(), np.random.random()


@pytest.mark.parametrize("n", [0, 1, 2, 1024, 1025, 1026, 3000])
def test_shuffles_longer_than_what_is_drawn_ahead(n: int) -> None:
    for got, want in zip(shuffled(3, n), shuffled.py_func(3, n), strict=True):
        assert np.array_equal(got, want)


@swathe.njit(parallel=True)
def short_rows(a, first):
    sums, tops, last = np.zeros(first.size), np.zeros(first.size), np.zeros(a.size)
    for i in range(first.size - 1):
        part = a[first[i] : first[i + 1]]
        sums[i] = part.sum()
        if part.size:
            tops[i] = part.max()
        last[: part.size] = part * 2.0 + i
    return sums, tops, last, np.add.reduceat(a, first)


@pytest.mark.parametrize("n", [1, 3, 9, 4000, 300000])
def test_short_rows_in_a_loop_of_a_parallel_function(n: int) -> None:
    a = np.random.default_rng(n).normal(size=4 * n + 1)
    first = np.array([0, n, n, n + 1, 3 * n, 4 * n])
    for got, want in zip(short_rows(a, first), short_rows.py_func(a, first), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
