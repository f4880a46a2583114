# SPDX-License-Identifier: BSD-3-Clause
"""Loops that number the elements of several axes as one, and divide, are as in CPython."""

from __future__ import annotations

import numpy as np
import pytest
from harness import check

from swathe import prange

MODES = ("plain", "unchecked", "parallel")


def two(a, b, m):
    for q in prange(a.size):
        i = q // m
        j = q % m
        b[i, j] = a[i, j] * 2 + i - j


def at_once(a, b, m):
    n, w = a.shape
    for q in prange(n * w):
        i, j = divmod(q, w)
        b[i, j] = a[i, j] * (i + 1) - j


def flat(a, b, m):
    x = a.reshape(-1)
    y = b.reshape(-1)
    for q in prange(len(x)):
        y[q] = x[q] + q // m * 10 + q % m


def part(a, b, m):
    x = a.reshape(-1)
    y = b.reshape(-1)
    for q in range(3, len(x) - 2):
        y[q] = x[q - 3] + q // m * 10 + q % m


def below_zero(a, b, m):
    y = b.reshape(-1)
    for q in range(-len(y), len(y)):
        y[abs(q) % len(y)] = q // m * 10 + q % m


def boundary(a, b, m):
    n, w = a.shape
    for q in prange(n * w):
        i = q // w
        j = q % w
        if 0 < i < n - 1 and 0 < j < w - 1:
            b[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4 * a[i, j]


def total(a, b, m):
    s = 0.0
    for q in range(a.size):
        if q % m == 0:
            s += q // m
        s = s * 0.5 + b[q // a.shape[1], q % a.shape[1]]
    return s


def last_row(a, b, m):
    i = j = -1
    for q in range(a.size):
        s = i * 3 + j
        i = q // m
        j = q % m
        b[0, 0] = b[0, 0] + s
    return i, j


def stops(a, b, m):
    for q in range(a.size):
        if q // m == 2:
            break
        if q % m == 1:
            continue
        b[q // a.shape[1], q % a.shape[1]] = q
    return b


def returns(a, b, m):
    for q in range(a.size):
        if q // m == 1 and q % m == 3:
            return q
        b[q // a.shape[1], q % a.shape[1]] = q
    return -1


def changes(a, b, m):
    for q in range(a.size):
        b[0, 0] = b[0, 0] + q // m + q % m
        if q == 20:
            m = m + 1
    return m


def known(a, b, m):
    x = a.reshape(-1)
    for q in range(len(x)):
        b[0, 0] = b[0, 0] * 0.5 + x[q // 16] + x[q % 16 // 2] + q // 32 + q % 8


def of_place(a, b, m):
    n, w = a.shape
    for q in range(n * w):
        r = q % (m * w)
        b[r // w % n, r % w] = a[q // w, q % w] + q // (m * w) + r


def helper(q, m):
    return q // m, q % m


def by_helper(a, b, m):
    for q in prange(a.size):
        i, j = helper(q, a.shape[1])
        b[i, j] = a[i, j] - j


def nothing(a, b, m):
    for q in range(m):
        b[q // 16 % a.shape[0], q % 16 % a.shape[1]] = 1.0


FLAT = [two, at_once, flat, part, below_zero, boundary, total, last_row, stops, returns, changes]
FLAT += [known, of_place, by_helper]
SHAPES = [
    (1, 1),
    (3, 2),
    (2, 8),
    (5, 9),
    (9, 5),
    (4, 16),
    (1, 33),
    (33, 1),
    (7, 40),
    (2, 0),
    (0, 8),
]


@pytest.mark.parametrize("f", FLAT, ids=lambda f: f.__name__)
def test_two_digits(f):
    for n, w in SHAPES:
        for m in sorted({w, 1, 3, 8, 20} if f is not two else {w}):
            a = (np.arange(n * w).reshape(n, w) * 7 % 11).astype(float)
            if a.size == 0 and f in (of_place, known, last_row):
                continue
            modes = MODES if f in (two, at_once, flat, boundary, by_helper) else MODES[:2]
            check(f, a, np.ones((n, w)), m, modes=modes, raises=..., promoted=True)


@pytest.mark.parametrize("m", [-(2**63), -(2**63) + 1, -1, 0, 5, 100])
def test_ends(m):
    check(nothing, np.ones((5, 9)), np.zeros((5, 9)), m, modes=MODES)


def test_divisors_below_one():
    for f in (flat, below_zero, changes, of_place):
        for m in (0, -1, -9, -(2**59)):
            check(f, np.ones((4, 9)), np.zeros((4, 9)), m, modes=("plain",), raises=...)


def three(a, b, p):
    n, m, w = a.shape
    for q in prange(n * m * w):
        b[q // (m * w), q // w % m, q % w] = a[q // (m * w), q // w % m, q % w] + q


def three_by_rest(a, b, p):
    n, m, w = a.shape
    for q in prange(n * m * w):
        i = q // (w * m)
        r = q % (w * m)
        j = r // w
        k = r % w
        b[i, j, k] = a[i, j, k] + i - 3 * j + k


def three_by_steps(a, b, p):
    n, m, w = a.shape
    for q in prange(n * m * w):
        k = q % w
        r = q // w
        j = r % m
        i = r // m
        b[i, j, k] = a[i, j, k] * 2 + p


def transposed(a, b, p):
    n, m, w = a.shape
    c = b.reshape(-1)
    for q in prange(n * m * w):
        c[q % w * n * m + q // w] = a[q // (m * w), q // w % m, q % w]


@pytest.mark.parametrize(
    "f", [three, three_by_rest, three_by_steps, transposed], ids=lambda f: f.__name__
)
def test_three_digits(f):
    for shape in [
        (1, 1, 1),
        (2, 3, 4),
        (3, 2, 9),
        (2, 9, 8),
        (2, 1, 17),
        (17, 2, 1),
        (3, 0, 9),
        (2, 5, 30),
    ]:
        a = (np.arange(np.prod(shape)).reshape(shape) * 7 % 11).astype(float)
        for dtype in (np.float64, np.int32):
            check(f, a.astype(dtype), np.ones(shape, dtype), 3, modes=MODES, raises=...)
