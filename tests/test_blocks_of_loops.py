# SPDX-License-Identifier: BSD-3-Clause
"""Iterations of a prange that have a block of an array each: where each begins and ends is looked
at before the loop where nothing else is known of it."""

import numpy as np
import pytest

from swathe import njit, prange

SIZES = (0, 1, 2, 7, 64, 1000)
PARTS = (-2, 0, 1, 2, 3, 7, 64, 65, 2000)


def quotients(x, out, m, q):
    n = x.shape[0]
    for i in prange(m):
        lo = i * n // m
        hi = (i + 1) * n // m
        for k in range(lo, hi):
            out[k] = out[k] * 2 + x[k] + i


def overlapping(x, out, m, q):
    n = x.shape[0]
    for i in prange(m):
        lo = i * n // m + q
        hi = (i + 1) * n // m
        for k in range(lo, hi):
            out[k] = out[k] * 2 + x[k] + i


def remainders(x, out, m, q):
    n = x.shape[0]
    step = n // m if m != 0 else 0
    rest = n % m if m != 0 else 0
    for i in prange(m):
        lo = i * step + min(i, rest)
        hi = lo + step + (1 if i < rest else 0)
        out[lo:hi] = out[lo:hi] * 2 + x[lo:hi] + i


def last_is_longer(x, out, m, q):
    n = x.shape[0]
    step = n // m if m != 0 else 0
    for i in prange(m):
        lo = i * step
        hi = lo + step
        if i == m - 1:
            hi = n
        part = out[lo:hi]
        for k in range(len(part)):
            part[k] = part[k] * 3 + x[lo + k] + i


def one_or_the_other(x, out, m, q):
    n = x.shape[0]
    step = n // m if m != 0 else 0
    for i in prange(m):
        lo = i * step
        if i == m - 1:
            hi = n
        else:
            hi = lo + step + q
        for k in range(hi - 1, lo - 1, -1):
            out[k] = out[k] * 2 + x[k] + i


def along(x, out, m, q):
    n = x.shape[0]
    for i in prange(m):
        lo = 0 if i == 0 else i * n // m
        hi = n if i == m - 1 else (i + 1) * n // m
        for k in range(lo, hi):
            if k > lo:
                out[k] = out[k - 1] + x[k]
            else:
                out[k] = x[k] * i


def downwards(x, out, m, q):
    n = x.shape[0]
    for i in prange(m):
        for k in range((m - 1 - i) * n // m, (m - i) * n // m):
            out[k] = out[k] * 2 + x[k] + i


def flat_rows(x, out, m, q):
    w = 3
    h = x.shape[0] // w
    for i in prange(m):
        for r in range(i * h // m, (i + 1) * h // m):
            for c in range(w + q):
                out[r * w + c] = out[r * w + c] * 2 + x[r * w + c] + i


def triples(x, out, m, q):
    n = x.shape[0] // 3
    for i in prange(m):
        for k in range(i * n // m, (i + 1) * n // m):
            out[3 * k] = x[3 * k + 2] + i
            out[3 * k + 1] = out[3 * k + 1] + x[3 * k] * 2
            out[3 * (k + q) + 2] = out[3 * k] * 3 + q


BLOCKS = (
    quotients,
    overlapping,
    remainders,
    last_is_longer,
    one_or_the_other,
    along,
    downwards,
    flat_rows,
    triples,
)


def fails(f, *args):
    try:
        f(*args)
    except IndexError:
        return True
    return False


@pytest.mark.parametrize("f", BLOCKS)
def test_is_what_the_loop_yields(f):
    g = njit(parallel=True)(f)
    for n in SIZES:
        for m in PARTS:
            for q in (0, 1, -1):
                x = np.arange(n) % 7
                want, got = np.zeros(n, np.int64), np.zeros(n, np.int64)
                failed = fails(f, x, want, m, q)
                assert fails(g, x, got, m, q) == failed, (n, m, q)
                assert failed or np.array_equal(want, got), (n, m, q)
    assert "independent on a condition" in g.explain()


@njit(parallel=True)
def rows(a, out, m):
    n = a.shape[0]
    for i in prange(m):
        for r in range(i * n // m, (i + 1) * n // m):
            s = 0.0
            for c in range(a.shape[1]):
                s += a[r, c]
            out[r, 0] = s
            out[r, 1] = i


def test_blocks_of_rows():
    a = np.random.default_rng(1).random((57, 5))
    for m in (1, 2, 5, 57, 100):
        got, want = np.zeros((57, 2)), np.zeros((57, 2))
        rows(a, got, m)
        rows.py_func(a, want, m)
        assert np.array_equal(got, want)
    assert "independent on a condition" in rows.explain()


@njit(parallel=True)
def beyond(x, out, m, far):
    n = x.shape[0]
    for i in prange(m):
        lo = i * n // m * far
        for k in range(lo, (i + 1) * n // m):
            out[k] = x[k]


def test_an_error_is_that_of_the_loop():
    x, out = np.arange(10), np.zeros(5, np.int64)
    with pytest.raises(IndexError, match="out of bounds for axis 0 of 'out' with size 5"):
        beyond(x, out, 4, 1)
    want, got = np.zeros(10, np.int64), np.zeros(10, np.int64)
    beyond(x, got, 4, -1)  # from the end
    beyond.py_func(x, want, 4, -1)
    assert np.array_equal(want, got)
