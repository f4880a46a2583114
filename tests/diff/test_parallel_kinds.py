# SPDX-License-Identifier: BSD-3-Clause
"""Parallel loops over what else there is: other types, layouts, captured tuples and constants,
loops that run down, calls of parallel functions. See parallel.py."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE
from parallel import check, numbers

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")

SIZES = (0, 1, 5, 1000, 100_003)
SHAPES = ((0, 0), (1, 7), (2, 50_000), (300, 300), (5000, 3))

TABLE = np.array([1.5, 2.5, -3.0])


def anyall(x):
    a = False
    b = True
    c = False
    for i in prange(len(x)):
        a |= x[i] > 90
        b &= x[i] > -1000
        c ^= x[i] > 5
    return a, b, c


def cplx(x, w):
    s = 0j
    z = 2j * w
    out = np.zeros(len(x), np.complex128)
    for i in prange(len(x)):
        s += x[i] * z
        out[i] = z * x[i]
    return s, out


def table(x):
    out = np.zeros(len(x))
    for i in prange(len(x)):
        out[i] = TABLE[x[i] % 3] * x[i]
    return out


def imin(x):
    lo = x[0]
    hi = x[0]
    for i in prange(len(x)):
        if x[i] < lo:
            lo = x[i]
        if x[i] > hi:
            hi = x[i]
    return lo, hi


@swathe.njit(parallel=True)
def inner(x):
    s = 0
    for i in prange(len(x)):
        s += x[i]
    return s


def outer(x):
    out = np.zeros(x.shape[0], np.int64)
    for i in prange(x.shape[0]):
        out[i] = inner(x[i])
    return out


def while_in(x):
    tot = 0
    for i in prange(len(x)):
        k = x[i]
        while k > 0:
            k -= 3
            if k == 7:
                continue
            if k == 10:
                break
            tot += k
    return tot


def tup(t, n):
    a, (b, k) = t
    s = 0.0
    for i in prange(n):
        s += a[i] * b[i] + k
    return s


def half(x):
    m = x[0]
    for i in prange(len(x)):
        m = max(m, x[i])
    return m


def fmat(x):
    s = 0.0
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            s += x[i, j]
            x[i, j] = -x[i, j]
    return s


def mult(x):
    a = np.ones(4)
    b = np.zeros((2, 3), np.float32)
    for i in prange(len(x)):
        a[i % 4] *= 1 + x[i] * 1e-6
        b[i % 2, i % 3] += 1
    return a, b


def down(n):
    out = np.zeros(n)
    s = 0
    last = -1
    for i in prange(n - 1, -1, -1):
        out[i] = i
        s += i
        last = i
    return out, s, last


def down3(n):
    s = 0
    last = -1
    m = 10**9
    for i in prange(n, -n, -3):
        s += i
        last = i
        m = min(m, i)
    return s, last, m


def zerod(x, z):
    for i in prange(len(x)):
        x[i] += z[()]
    return x


def two_arr(x):
    h = np.zeros(5, np.int64)
    m = np.full(5, -(10**9))
    for i in prange(len(x)):
        h[i % 5] += x[i]
        m[i % 5] = np.maximum(m[i % 5], x[i])
    return h, m


def trirows(x):
    n = x.shape[0]
    for i in prange(n):
        for j in range(i):
            x[i, j] = i - j
    return x


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("f", [anyall, table, while_in, two_arr])
def test_ints(f, n):
    check(f, numbers(n, dtype=np.int64))


@pytest.mark.parametrize("n", SIZES)
def test_floats(n):
    x = numbers(n)
    check(cplx, x, 1.5, close=True)
    check(tup, (x, (x * 2, 3)), n, close=True)
    check(mult, x, close=True)
    check(zerod, x, np.array(2.5))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("f", [down, down3])
def test_downwards(f, n):
    check(f, n)


@pytest.mark.parametrize("n", SIZES[1:])
def test_extremes_from_the_first(n):
    check(imin, numbers(n, dtype=np.int64))
    check(imin, numbers(n))
    check(half, numbers(n).astype(np.float16))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_parallel_function_in_a_parallel_loop(shape):
    check(outer, numbers(shape[0] * shape[1], dtype=np.int64).reshape(shape))


@pytest.mark.parametrize("shape", SHAPES)
def test_layouts(shape):
    x = numbers(shape[0] * shape[1]).reshape(shape)
    for y in (x, np.asfortranarray(x), x[:, ::-1], x.T):
        check(fmat, y, close=True)


@pytest.mark.parametrize("n", [0, 1, 2, 300])
def test_triangle(n):
    check(trirows, numbers(n * n).reshape(n, n))
