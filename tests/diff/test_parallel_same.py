# SPDX-License-Identifier: BSD-3-Clause
"""Parallel loops where two arguments are the same array, or share some of it. See parallel.py."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")


def scale(x, out):
    for i in prange(min(x.size, out.size)):
        out[i] = x[i] * 2.0 + 1.0


def twice(x, out):
    for i in prange(min(x.size, out.size)):
        out[i] = x[i] + 1.0
        out[i] = x[i] * 3.0 if x[i] > 5.0 else out[i] - x[i]


def root(x, y, out):
    for i in prange(min(x.shape[0], out.shape[0])):
        for j in range(min(x.shape[1], out.shape[1])):
            out[i, j] = np.sqrt(abs(x[i, j])) * y[i, j] + 0.5


def turn(x, y, out):
    for i in prange(min(x.shape[0], out.shape[0])):
        for j in range(min(x.shape[1], out.shape[1])):
            out[i, j] = x[j, i] + y[i, j]


def rows(x, y, out):
    for i in prange(min(x.shape[0], out.shape[0])):
        out[i] = x[i] * 2.0 - y[i]


def swap(x, y):
    for i in prange(x.size):
        t = x[i]
        x[i] = y[i] + 1.0
        y[i] = t


def shift(x, out):
    for i in prange(min(x.size, out.size) - 1):
        out[i] = x[i + 1] + x[i]


FLAT = [scale, twice, swap, shift]


def views(n: int) -> list:
    """Pairs of views of one array: the same one, or others that share some of it."""
    return [
        lambda a: (a[:n], a[:n]),
        lambda a: (a[:n], a[1 : n + 1]),
        lambda a: (a[1 : n + 1], a[:n]),
        lambda a: (a[: 2 * n : 2], a[: 2 * n : 2]),
        lambda a: (a[: 2 * n : 2], a[1 : 2 * n : 2]),
        lambda a: (a[:n], a[:n][::-1]),
        lambda a: (a[:n][::-1], a[:n][::-1]),
        lambda a: (a[:n], a[n : 2 * n]),
        lambda a: (a[:n], a[n - 5 : 2 * n - 5]),
        lambda a: (np.broadcast_to(a[:1], n) if n > 1 else a[:1], a[:n]),
    ]


def compare(f, make, array) -> None:
    """One after the other in Python, and compiled, on some numbers of threads."""
    want = array.copy()
    args = make(want)
    for a in args:
        if not a.flags.writeable and f is swap:
            return
    f(*args)
    for options in ({}, {"parallel": True}, {"parallel": True, "fastmath": True}):
        compiled = swathe.njit(**options)(f)
        for n in (1, 3, 7) if options else (1,):
            got = array.copy()
            before = swathe.get_num_threads()
            try:
                swathe.set_num_threads(n)
            except ValueError:
                continue
            try:
                compiled(*make(got))
            finally:
                swathe.set_num_threads(before)
            np.testing.assert_allclose(got, want, rtol=1e-14)


@pytest.mark.parametrize("which", range(10))
@pytest.mark.parametrize("n", [1, 17, 40_000])
@pytest.mark.parametrize("f", FLAT)
def test_flat(f, n, which):
    compare(f, views(n)[which], np.random.default_rng(1).uniform(0, 9, 2 * n + 8))


SQUARES = [
    lambda a: (a, a, a),
    lambda a: (a, a + 1, a),
    lambda a: (a + 1, a, a),
    lambda a: (a.T, a, a),
    lambda a: (a, a.T, a),
    lambda a: (a.T, a.T, a.T),
    lambda a: (a[1:], a[:-1], a[:-1]),
    lambda a: (a[:, 1:], a[:, 1:], a[:, :-1]),
    lambda a: (a[:-1], a[1:], a[1:]),
]


@pytest.mark.parametrize("which", range(len(SQUARES)))
@pytest.mark.parametrize("n", [2, 9, 250])
@pytest.mark.parametrize("f", [root, rows])
def test_square(f, n, which):
    compare(f, SQUARES[which], np.random.default_rng(2).uniform(0, 9, (n, n)))


@pytest.mark.parametrize("which", range(6))
def test_turned(which):
    compare(turn, SQUARES[which], np.random.default_rng(2).uniform(0, 9, (250, 250)))


def test_other_kinds() -> None:
    a = np.arange(40_000)
    want = a.copy()
    view = want.view(np.float64)
    scale(want, view)
    got = a.copy()
    swathe.njit(parallel=True)(scale)(got, got.view(np.float64))
    np.testing.assert_array_equal(got, want)


def product(a, b, c):
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def sums(a, b, c):
    for i in prange(c.shape[0]):
        for k in range(a.shape[1]):
            for j in range(c.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@pytest.mark.parametrize("which", range(6))
@pytest.mark.parametrize("n", [3, 64, 100])
@pytest.mark.parametrize("f", [product, sums])
def test_products(f, n, which):
    a = np.random.default_rng(2).uniform(-1, 1, (n, n)) / n
    want, got = a.copy(), a.copy()
    f(*SQUARES[which](want))
    for options in ({}, {"parallel": True}):
        got = a.copy()
        swathe.njit(**options)(f)(*SQUARES[which](got))
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-13)
