# SPDX-License-Identifier: BSD-3-Clause
"""Divisions in loops whose iterations wait for each other: rounded down, for all signs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import swathe


def chain(a, b):
    total = 0
    for i in range(a.size):
        x, y = int(a[i]), int(b[i])
        total = (total * 31 + x // y * 7 + x % y) % 1000003
    return total


def constants(a):
    s = 1
    for i in range(a.size):
        s = (s * 48271 + a[i]) % 2147483647
        s = s // 3 - s % -7 + s // 5 % 11
        s -= s // 8 + s % 16
    return s


def numpy_zero(a, b, out):
    k = 0
    while k < a.size:
        out[0, k] = a[k] // b[k]
        out[1, k] = a[k] % b[k]
        k += 1


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64"])
def test_dtypes(dtype):
    ends = np.iinfo(dtype)
    some = [1, 2, 3, 7, 8, 100, ends.max - 1, ends.max]
    some += [] if ends.min == 0 else [-1, -2, -3, -8, ends.min, ends.min + 1]
    a, b = (np.array(v, dtype) for v in zip(*itertools.product([*some, 0], some), strict=True))
    with np.errstate(over="ignore"):
        want = np.zeros((2, a.size), dtype)
        numpy_zero(a, b, want)
        got = np.zeros_like(want)
        swathe.njit(numpy_zero)(a, b, got)
        assert (got == want).all()


def test_python_numbers():
    a = np.random.default_rng(1).integers(-50, 50, 100)
    b = np.where(a % 3 == 0, 7, -9)
    assert swathe.njit(chain)(a, b) == chain(a, b)


def test_constants():
    a = np.random.default_rng(0).integers(-1000, 1000, 50)
    assert swathe.njit(constants)(a) == constants(a)


def test_zero():
    a, b = np.arange(-3, 4), np.array([2, -2, 1, 0, -1, 0, 3])
    out, want = np.zeros((2, 7), np.int64), np.zeros((2, 7), np.int64)
    swathe.njit(numpy_zero)(a, b, out)
    with np.errstate(divide="ignore"):
        numpy_zero(a, b, want)
    assert (out == want).all()

    def python(n, m):
        while n < 10:
            n += n % m
        return n

    with pytest.raises(ZeroDivisionError):
        swathe.njit(python)(1, 0)
    assert swathe.njit(python)(5, 7) == python(5, 7)


def test_bit_count():
    def f(a):
        t = 0
        for i in range(a.size):
            t = t * 3 + int(a[i]).bit_count()
        return t

    a = np.array([0, 1, -1, 2**63 - 1, -(2**63), -(2**63) + 1, 12345, -12345])
    assert swathe.njit(f)(a) == f(a)
