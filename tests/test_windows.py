# SPDX-License-Identifier: BSD-3-Clause
"""Loops over a few neighbours, `for y in range(i - 1, i + 2)`, in whichever form."""

import numpy as np
import pytest

from swathe import njit

W = 2


def around(a, o):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            c = 0
            for y in range(i - 1, i + 2):
                for x in range(j - 1, j + 2):
                    c += a[y, x]
            o[i, j] = c - a[i, j]


def clipped(a, o):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            for y in range(max(i - 1, 0), min(i + 2, n)):
                for x in range(max(j - 1, 0), min(j + 2, m)):
                    o[i, j] += a[y, x]


def asked(a, o):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            for y in range(i - W, i + W + 1):
                for x in range(j - W, j + W + 1):
                    if 0 <= y < n and 0 <= x < m and (y != i or x != j):
                        o[i, j] += a[y, x]


def greatest(a, o):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            b = a[i, j]
            for y in range(i - 1, i + 2):
                for x in range(j - 1, j + 2):
                    if a[y, x] > b:
                        b = a[y, x]
            o[i, j] = b


def left_early(a, o):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for y in range(i - 1, i + 2):
                if a[y, j] > 5:
                    break
            o[i, j] = y - i
            for x in range(j - 1, j + 2):
                if a[i, x] % 2:
                    continue
                o[i, j] += x


def moving(a, o):
    p = 1
    for i in range(2):
        for y in range(p, p + 3):
            p = (p + int(a[0, 0]) + y) % 4
            o[y % o.shape[0], i % o.shape[1]] += p


def of_elements(a, o):
    n = a.shape[0]
    for i in range(a.shape[1]):
        k = int(a[0, i])
        for y in range(k - 1, k + 2):
            o[y % n, i] += y


def outside(a, o):
    for i in range(a.shape[0]):
        for y in range(i - 1, i + 2):
            o[y, 0] = a[y, 0] + 1


FORMS = [around, clipped, asked, greatest, left_early, moving, of_elements, outside]


@pytest.mark.parametrize("dtype", ["u1", "i4", "i8", "f8"])
@pytest.mark.parametrize("f", FORMS)
def test_windows(f, dtype):
    compiled = njit(f)
    for shape in [(1, 1), (1, 5), (2, 2), (3, 3), (4, 7), (40, 33), (3, 200)]:
        for order in "CF":
            a = np.random.default_rng(1).integers(0, 9, shape).astype(dtype, order=order)
            results = []
            for g in (compiled, f):
                o = np.zeros(shape, dtype)
                try:
                    g(a, o)
                    error = None
                except (IndexError, OverflowError) as e:
                    error = str(e).split("\n")[0].split(" for ")[0]
                results.append((o.tolist(), error))
            assert results[0] == results[1]


def test_bounds_that_wrap():
    def count(k):
        c = 0
        for y in range(k, k + 3):
            c += y & 1
        return c

    compiled = njit(count)
    for k in (0, -2, 2**63 - 4):
        assert compiled(k) == count(k)
