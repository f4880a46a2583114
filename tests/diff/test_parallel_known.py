# SPDX-License-Identifier: BSD-3-Clause
"""What is known around a parallel loop is used in it: sizes that were compared, ranges of loops
that step, fall or are empty, and errors of single iterations of loops that became vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from harness import ORACLE
from parallel import SIZES, check, numbers

from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")


def sines(x, y):
    for i in prange(len(x)):
        y[i] = math.sin(x[i])
    return y


@pytest.mark.parametrize("n", SIZES)
def test_sizes_that_match_or_not(n):
    x = numbers(n)
    check(sines, x, np.zeros(n), close=True)
    check(sines, x, np.zeros(n + 3), close=True)
    check(sines, x, np.zeros(max(n - 1, 0)), close=True)


@pytest.mark.parametrize("n", SIZES[1:])
def test_one_value_out_of_the_domain(n):
    for at in {0, n // 2, n - 1}:
        x = numbers(n)
        x[at] = np.inf
        check(sines, x, np.zeros(n))


def some(x, y, lo, hi):
    for i in prange(lo, hi):
        y[i] = math.sqrt(x[i - lo])
    for i in prange(hi - 1, lo - 1, -1):
        y[i] += math.sqrt(x[i - lo])
    for i in prange(lo, hi, 3):
        y[i] *= 2
    return y


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("bounds", [(0, 0), (3, 0), (3, -3), (0, 5), (-2, -1), (5, 3)])
def test_ranges(n, bounds):
    lo, cut = bounds
    x = np.abs(numbers(n))
    check(some, x, np.zeros(n), lo, n - cut)
    check(some, x, np.zeros(n + 8), lo, n + cut)


def rows(x, y, w, lo, hi):
    m = x.shape[1]
    if w.shape[0] >= m and y.shape[1] >= m:
        for i in prange(x.shape[0]):
            for j in range(lo, hi):
                y[i, j] = math.exp(x[i, j]) * w[j]
    m = y.shape[0]
    for i in prange(m):
        y[i, 0] += m
    return y


@pytest.mark.parametrize("shape", [(1, 1), (3, 5000), (2, 100_003), (997, 31)])
def test_columns(shape):
    n, m = shape
    x = numbers(n * m).reshape(shape)
    w = numbers(m)
    for lo, hi in [(0, m), (m, 0), (1, m - 1), (0, m + 1), (m + 5, m), (-m, m)]:
        check(rows, x, np.zeros(shape), w, lo, hi, close=True)
    check(rows, x, np.zeros((n, m + 2)), w[:-1], 0, m, close=True)
    check(rows, x, np.zeros((n + 1, m)), w, 0, m, close=True)


def picked(x, at, y):
    n = len(at)
    out = np.empty(n)
    if len(y) >= n:
        for i in prange(n):
            out[i] = x[at[i]] + y[i]
    return out


@pytest.mark.parametrize("n", SIZES[1:])
def test_indices_from_memory(n):
    x, y = numbers(50), numbers(n)
    at = np.random.default_rng(1).integers(-50, 50, n)
    check(picked, x, at, y)
    for bad in (-51, 50, 1 << 40):
        at[n // 2] = bad
        check(picked, x, at, y)
