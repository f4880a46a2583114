# SPDX-License-Identifier: BSD-3-Clause
"""Nests whose checks run before them raise, or return, what they do in CPython."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE

from swathe import njit, prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython's")


def matmul(a, b):
    n, m = a.shape
    p = b.shape[1]
    out = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            s = 0.0
            for k in range(m):
                s += a[i, k] * b[k, j]
            out[i, j] = s
    return out


def tiled(a, b):
    n, m = a.shape
    p = b.shape[1]
    out = np.ones((n, p))
    for i in prange(n):
        for k in range(m):
            for j in range(p):
                out[i, j] += a[i, k] * b[k, j]
    return out


def total(x, n):
    s = 0.0
    for i in prange(n):
        s += x[i]
    return s


def triangle(x, n, m):
    """The first rows read nothing; later ones may read too much."""
    out = np.zeros(n)
    for i in range(n):
        for j in range(m, i):
            out[i] += x[i + j]
    return out


def counter(x, n, k):
    """What the index is made of goes from one iteration to the next."""
    s = 0.0
    c = 0
    for i in range(n):
        s += x[i]
        c += k
        if c > 12:
            c -= 5
        s += x[c]
    return s, c


def branch(x, n, limit):
    """Reads in a branch only."""
    s = 0
    for i in range(n):
        if i < limit:
            s += x[i]
    return s


def divide(x, n, d):
    out = np.zeros(n)
    for i in range(n):
        out[i] = x[i] + i // d
    return out


def caught(x, n):
    s = 0.0
    try:
        for i in range(n):
            s += x[i]
    except IndexError:
        s = -s
    return s


def back(x, n):
    """Negative indices are no error."""
    s = 0.0
    for i in range(n):
        s += x[i - 3]
    return s


def gather(x, index, n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = x[index[i]]
    return out


def outcome(f, args):
    """What f returns, or what it raises."""
    try:
        return f(*args)
    except (IndexError, ZeroDivisionError) as error:
        return type(error)


A, B = np.arange(24.0).reshape(4, 6), np.arange(30.0).reshape(6, 5)
X = np.arange(8.0)
CASES = [
    *(
        (f, (a, b))
        for f in (matmul, tiled)
        for a, b in [
            (A, B),
            (A, B[:5]),
            (A[:0], B[:5]),
            (A, B[:5, :0]),
            (A[:, :0], B[:0]),
            (A, B[:0]),
            (np.ones((64, 70)), np.ones((70, 66))),
            (np.ones((64, 70)), np.ones((69, 66))),
            (np.ones((0, 70)), np.ones((7, 66))),
            (np.ones((64, 70)), np.ones((7, 0))),
        ]
    ),
    *((total, (X, n)) for n in (-1, 0, 1, 8, 9, 10**15)),
    *((triangle, (X, n, m)) for n in (0, 3, 5, 6, 9) for m in (0, 2, 4, 20)),
    *((counter, (X, n, k)) for n in (0, 3, 8, 9) for k in (0, 2, 9)),
    *((branch, (X, n, k)) for n in (0, 8, 20) for k in (0, 8, 9)),
    *((divide, (X, n, d)) for n in (0, 8, 9) for d in (0, 3)),
    *((caught, (X, n)) for n in (0, 8, 9)),
    *((back, (X, n)) for n in (0, 8, 11, 12)),
    *((gather, (X, np.array([1, -8, 7]), n)) for n in (0, 3, 4)),
    (gather, (X, np.array([1, 8, 7]), 3)),
]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize(("f", "args"), CASES)
def test_raises_or_returns_as_python_does(f, args, parallel):
    expected, got = outcome(f, args), outcome(njit(f, parallel=parallel), args)
    if isinstance(expected, type):
        assert got is expected
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize("n", [9, 20])
def test_the_message_is_that_of_the_first_error(n):
    with pytest.raises(IndexError, match="index 8 is out of bounds for axis 0 of 'x' with size 8"):
        njit(total)(X, n)
