"""Loops that store to an array which they read at a place that stays: results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import swathe


def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through


def eliminate(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


def by_columns(a):
    for k in range(a.shape[0]):
        for j in range(a.shape[1]):
            for i in range(a.shape[0]):
                a[i, j] = a[i, j] * 0.5 + a[k, j] - a[i, k - 1]


def fixed(a, at, lo, hi):
    for j in range(lo, hi):
        a[j] = a[j] + a[at] * 2


def shifted(a, at, lo, hi):
    for j in range(lo, hi):
        a[j + 2] = a[at] - a[j + 2] // 3


def twice(a, at, lo, hi):
    last = 0
    for j in range(lo, hi):
        last += a[at]
        a[j] = last
        if last % 3 == 0:
            a[j] = a[at] + 1
        last = last % 1000 + j
    return last


def rarely(a, at, lo, hi):
    for j in range(lo, hi):
        if a[j] > 40:
            a[j] = a[at] - a[j]


def same(function: Callable[..., Any], array: np.ndarray, *rest: int) -> None:
    """Compare with Python on copies of the array."""
    want, got = array.copy(order="K"), array.copy(order="K")
    expected = function(want, *rest)
    compiled = swathe.njit(cache=False)(function)
    assert compiled(got, *rest) == expected
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 17, 40])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("function", [floyd_warshall, eliminate, by_columns])
def test_nests(function: Callable[..., Any], order: str, n: int) -> None:
    rng = np.random.default_rng(n)
    same(function, np.asarray(rng.uniform(1, 100, (n, n)), order=order))
    same(function, np.asarray(rng.uniform(-3, 2, (n, n)), order=order).astype(np.float32))


def test_rows_that_share_memory() -> None:
    """Which are not written to at all."""
    base = np.random.default_rng(1).uniform(1, 9, 40)
    mine = base.copy()
    rows = np.lib.stride_tricks.as_strided(mine, (8, 8), (16, 8))
    with pytest.raises(ValueError, match="read-only"):
        swathe.njit(cache=False)(floyd_warshall)(rows)
    np.testing.assert_array_equal(mine, base)


@pytest.mark.parametrize("function", [fixed, shifted, twice, rarely])
@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.int16])
def test_one_axis(function: Callable[..., Any], dtype: type) -> None:
    a = np.random.default_rng(2).integers(0, 50, 50).astype(dtype)
    for at in (0, 1, 20, 46, 49, -1, -50):
        for lo, hi in ((0, 48), (0, 47), (3, 3), (20, 21), (21, 48), (5, 20), (30, 2)):
            with np.errstate(all="ignore"):
                same(function, a, at, lo, hi)


def test_remark() -> None:
    compiled = swathe.njit(cache=False)(floyd_warshall)
    compiled(np.ones((3, 3)))
    assert "stands alone" in str(compiled.explain())
