# SPDX-License-Identifier: BSD-3-Clause
"""SWATHE_SMALL=1 makes strips, blocks and tiles so short that arrays of a few elements go through
whole ones, through what is left, and past them: every length gives what CPython gives, and the
interpreter agrees after every pass."""

import math

import numpy as np
import pytest

import swathe
from swathe import prange


def gather(out, x, index):
    for i in range(out.shape[0]):
        out[i] = x[index[i]] * 2.0


def rows_of(out, start, index, value, x):
    for i in range(out.shape[0]):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[index[k]]
        out[i] = total


def roots(out, a, b):
    for i in range(out.shape[0]):
        out[i] = math.sqrt(a[i]) + b[i]


def neighbours(out, x):
    for i in prange(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            s = x[i - 1, j - 1] + x[i - 1, j] + x[i, j - 1] + x[i, j + 1]
            s += x[i + 1, j] + x[i + 1, j + 1]
            out[i, j] = x[i, j] & s


def greatest(x):
    top, at = x[0], 0
    for i in range(x.shape[0]):
        if x[i] > top:
            top, at = x[i], i
    return top, at


def product(out, a, b):
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


def gathered(n, r):
    return np.zeros(n), r.random(n + 1), r.integers(-1, n + 1, n)


def sparse(n, r):
    start = np.concatenate([[0], np.cumsum(r.integers(0, 4, n))])
    entries = int(start[-1])
    return np.zeros(n), start, r.integers(0, n + 1, entries), r.random(entries), r.random(n + 1)


def positive(n, r):
    return np.zeros(n), r.random(n), r.random(n)


def image(n, r):
    return np.zeros((n, 2 * n), np.uint8), r.integers(0, 2, (n, 2 * n)).astype(np.uint8)


def numbers(n, r):
    return (r.integers(0, 9, n + 1).astype(np.float64),)


def matrices(n, r):
    return np.zeros((n, n + 3)), r.random((n, 11 - n % 5)), r.random((11 - n % 5, n + 3))


# what shows that the pass has acted, where explain() says it
ROWS = "rows run together"  # of iterations that are known to be independent
CASES = [
    (gather, gathered, "one test for each strip of 8"),
    (rows_of, sparse, ""),
    (roots, positive, "tested once in 5 iterations"),
    (neighbours, image, ROWS),
    (greatest, numbers, "an accumulator in each lane"),
    (product, matrices, "tile"),
]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("f, made, remark", CASES, ids=[f.__name__ for f, _, _ in CASES])
def test_every_length_around_small_blocks(f, made, remark, parallel, monkeypatch):
    monkeypatch.setenv("SWATHE_SMALL", "1")
    monkeypatch.setenv("SWATHE_CHECK", "2")
    compiled = swathe.njit(parallel=parallel, cache=False)(f)
    for n in range(28):
        r = np.random.default_rng(n)
        args = made(n, r)
        ours, theirs = [a.copy() for a in args], [a.copy() for a in args]
        want = f(*theirs)
        got = compiled(*ours)
        assert got == want
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    if parallel or remark != ROWS:
        assert remark in compiled.explain()


def test_what_fails_in_a_strip_leaves_what_python_leaves(monkeypatch):
    monkeypatch.setenv("SWATHE_SMALL", "1")
    compiled = swathe.njit(cache=False)(roots)
    gathers = swathe.njit(cache=False)(gather)
    for n in range(1, 14):
        for bad in range(n):
            a, out = np.ones(n), np.zeros(n)
            a[bad] = -1.0
            with pytest.raises(ValueError, match="math domain error"):
                compiled(out, a, np.ones(n))
            np.testing.assert_array_equal(out, [2.0 * (i < bad) for i in range(n)])
            index = np.zeros(n, np.int64)
            index[bad] = n
            got = np.zeros(n)
            with pytest.raises(IndexError):
                gathers(got, np.ones(n), index)
            np.testing.assert_array_equal(got, [2.0 * (i < bad) for i in range(n)])
