# SPDX-License-Identifier: BSD-3-Clause
"""Statements between a parallel loop and the independent loop that is the rest of its body, where
the two are cut together: what adds up, or reads what the inner loop changes, is done once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_offload import OPENCL, on_device

import swathe
from swathe import prange


def sum_around(n, m, k):
    r = 0
    for i in prange(n):
        r = r + i
        for _ in range(1, m):
            r = r + k % 2
    return r


def two_sums(n, m, k):
    r = s = 0
    for i in prange(n):
        s += i
        for _ in range(m):
            r += k
    return r, s


def greatest_and_sum(n, m, k):
    r, s = 0.0, -1.0
    for i in prange(n):
        s = max(s, i * 0.5)
        for j in range(m):
            r += j
    return r, s


def count_if(n, m, k):
    r = 0
    for i in prange(n):
        if i % 2:
            r += 100
        for j in range(m):
            r += k
    return r


COUNTS = [sum_around, two_sums, greatest_and_sum, count_if]


def first_of_row(a, b):
    n, m = a.shape
    for i in prange(n):
        t = a[i, 0]
        for j in range(m):
            b[i, j] = t + 1.0


def first_by_view(a, b):
    n, m = a.shape
    for i in prange(n):
        row = b[i]
        t = a[i, 0]
        for j in range(m):
            row[j] = t + 1.0


def scale_row(a, b):
    n, m = a.shape
    for i in prange(n):
        t = a[i, m // 2]
        for j in range(m):
            b[i, j] = a[i, j] / t


def size_of_row(a, b):
    n, m = a.shape
    for i in prange(n):
        k = int(a[i, 0])
        for j in range(m):
            b[i, j] = k


def last_of_row(a, b):
    n, m = a.shape
    for i in prange(n):
        t = a[i, m - 1]
        for j in range(m):
            b[i, j] += t


def update_then_loop(a, b):
    n, m = a.shape
    for i in prange(n):
        a[i, 0] += 1.0
        for j in range(m):
            b[i, j] += 2.0


ROWS = [first_of_row, first_by_view, scale_row, size_of_row, last_of_row, update_then_loop]
SHAPES = [(0, 5), (1, 1), (1, 700), (2, 333), (3, 64), (40, 2)]


@pytest.mark.parametrize("f", COUNTS)
@pytest.mark.parametrize("threads", [1, 2])
def test_counts(f, threads, monkeypatch):
    monkeypatch.setenv("SWATHE_GRAIN", "1")
    ours = swathe.njit(f, parallel=True, cache=False)
    before = swathe.get_num_threads()
    swathe.set_num_threads(min(threads, before))
    try:
        for n, m in SHAPES:
            assert ours(n, m, 3) == f(n, m, 3)
    finally:
        swathe.set_num_threads(before)


def test_count_in_few_long_rows():
    """As it comes, with no knob."""
    assert swathe.njit(sum_around, parallel=True)(2, 10**6, 1) == 1 + 2 * (10**6 - 1)


def rows(f: Any, shape: tuple[int, int], alias: bool) -> tuple[np.ndarray, np.ndarray]:
    a = np.arange(1.0, 1.0 + shape[0] * shape[1]).reshape(shape)
    return (a, a) if alias else (a, np.zeros(shape))


@pytest.mark.parametrize("alias", [False, True])
@pytest.mark.parametrize("f", ROWS)
def test_rows(f, alias, monkeypatch):
    monkeypatch.setenv("SWATHE_GRAIN", "1")
    ours = swathe.njit(f, parallel=True, cache=False)
    for shape in SHAPES:
        want, got = rows(f, shape, alias), rows(f, shape, alias)
        f(*want)
        for _ in range(3):  # threads come in any order
            got = rows(f, shape, alias)
            ours(*got)
            np.testing.assert_array_equal(got[1], want[1])
            np.testing.assert_array_equal(got[0], want[0])


@pytest.mark.parametrize("f", [first_of_row, last_of_row])
def test_few_long_rows(f):
    want, got = rows(f, (2, 10**6), True), rows(f, (2, 10**6), True)
    f_ = swathe.njit(f)  # serial
    f_(*want)
    swathe.njit(f, parallel=True)(*got)
    np.testing.assert_array_equal(got[0], want[0])


@pytest.mark.skipif(OPENCL is None, reason="there is no OpenCL device")
@pytest.mark.parametrize("f", COUNTS)
def test_counts_on_a_device(f):
    ours = swathe.njit(f, parallel=True, cache=False)
    for n, m in SHAPES:
        assert on_device(ours, n, m, 3) == f(n, m, 3)


@pytest.mark.skipif(OPENCL is None, reason="there is no OpenCL device")
@pytest.mark.parametrize("f", ROWS)
def test_rows_on_a_device(f):
    ours = swathe.njit(f, parallel=True, cache=False)
    for shape in SHAPES[1:]:
        want, got = rows(f, shape, True), rows(f, shape, True)
        f(*want)
        on_device(ours, *got)
        np.testing.assert_array_equal(got[0], want[0])
