# SPDX-License-Identifier: BSD-3-Clause
"""Loops that count bits one by one, which become one operation, and others that look like them."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def by_clearing(a, k):
    n, left = 0, 0
    for i in range(a.size):
        x = a[i]
        while x:
            x &= x - type(x)(1)
            n += 1
        left += int(x)
    return n, left


def by_clearing_positive(a, k):
    n, left = k, 0
    for i in range(a.size):
        x = a[i]
        while x > 0:
            x = x & (x - type(x)(1))
            n += 1
        left = left * 3 % 1000 + int(x) % 7
    return n, left


def by_shifts(a, k):
    n, left = 0, 0
    for i in range(a.size):
        x = int(a[i])
        count = 0
        while x > 0:
            count += x & 1
            x >>= 1
        n += count
        left = left * 3 % 1000 + x % 7
    return n, left


def by_division(a, k):
    n = 0
    for i in range(a.size):
        x = a[i]
        if x > 0:
            while x != 0:
                if x % 2 == 1:
                    n += 1
                x = x // 2
    return n, 0


def width(a, k):
    n, m = 0, 0
    for i in range(a.size):
        x = max(int(a[i]), 0) % 1000
        while x > 0:
            n += 1
            m += x & 2
            x >>= 1
    return n, m


SAME = [by_clearing, by_clearing_positive, by_shifts, by_division, width]


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32", "uint8"])
def test_counts(dtype):
    ends = np.iinfo(dtype)
    some = [0, 1, 2, 3, 85, 127, ends.max, ends.max - 1, ends.min, ends.min + 1]
    a = np.array([*some, *([] if ends.min == 0 else [-1, -2, -128])], dtype)
    for f in SAME:
        if dtype == "uint64" and f in (by_shifts, width):
            continue  # int() of the largest raises
        with np.errstate(over="ignore"):
            want = f(a, 5)
        assert swathe.njit(f)(a, 5) == want, f.__name__


def test_negative_never_ends():
    def f(x, most):
        n = 0
        while x != 0:
            n += x & 1
            x >>= 1
            if n > most:
                break
        return n

    assert swathe.njit(f)(-5, 70) == f(-5, 70) == 71
