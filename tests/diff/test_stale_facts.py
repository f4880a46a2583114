# SPDX-License-Identifier: BSD-3-Clause
"""What was known before a branch, a loop or an error must not be used behind it: handlers that
begin in the middle of a branch, loops whose ends are further apart than an int64 holds, loops that
never run."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython's")

LOW, HIGH = -(2**63), 2**63 - 1


def outcome(f, *args):
    args = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
    try:
        return f(*args), args
    except (IndexError, ValueError) as e:
        return type(e), args


def same(f, *args, **options):
    call = swathe.njit(**options)(f)
    call(*args)  # the first is CPython's
    for _ in range(2):
        (mine, x), (theirs, y) = outcome(call, *args), outcome(f, *args)
        assert mine == theirs
        for a, b in zip(x, y):
            np.testing.assert_array_equal(a, b)


# ---- handlers ----


def index_in_handler(a, n):
    x = 0
    first = a[2]
    try:
        if n > 3:
            x = 2**40
            raise ValueError("far")
    except ValueError:
        return a[x]
    return a[x] + first


def index_behind(a, n):
    x = 1
    first = a[2]
    try:
        if n > 3:
            x = n * 2**40
            raise ValueError("far")
        if n > 2:
            x = -(2**40)
            raise ValueError("near")
    except ValueError:
        pass
    return a[x] + first


def element_in_handler(a, n):
    i = np.zeros(1, np.int64)
    first = a[2]
    if 0 <= i[0] and i[0] < 2:
        try:
            if n > 3:
                i[0] = 2**40
                raise ValueError("far")
        except ValueError:
            return a[i[0]]
    return a[i[0]] + first


def size_in_handler(a, n):
    b = np.zeros(8)
    try:
        if n > 3:
            b = np.zeros(0)
            raise ValueError("empty")
    except ValueError:
        return b[5] + a[0]
    return b[5]


def way_in_handler(a, n):
    """What a test said of a number, before it was set and an error came."""
    x = 5
    for k in range(n):
        try:
            if k == 3:
                x = 2**40
                raise ValueError("far")
            x = k
        except ValueError:
            if x > 9:
                return 7.0
            return a[x]
    return a[0]


@pytest.mark.parametrize(
    "f",
    [index_in_handler, index_behind, element_in_handler, size_in_handler, way_in_handler],
    ids=lambda f: f.__name__,
)
def test_handlers(f):
    call = swathe.njit(f)
    call(np.arange(10.0), 1)
    for n in (1, 3, 4):
        mine, theirs = outcome(call, np.arange(10.0), n)[0], outcome(f, np.arange(10.0), n)[0]
        assert mine == theirs, n


# ---- a parallel loop in a try ----


def chained(a, b, n):
    s = 0
    try:
        for i in prange(n):
            s = max(max(s, a[i]), b[i])
    except IndexError:
        pass
    return s


def branches(a, b, n):
    s, t = 0, 1
    try:
        for i in prange(n):
            s = s + a[i] if a[i] > 2 else s + 1
            t = b[i]
    except IndexError:
        pass
    return s * 1000 + t


@pytest.mark.parametrize("f", [chained, branches], ids=lambda f: f.__name__)
def test_set_before_the_error(f):
    a, b = np.array([1, 5, 100, 3]), np.array([1, 2])
    same(f, a, b, 2, parallel=True)
    same(f, a, b, 4, parallel=True)


# ---- loops over all of int64 ----


def up(lo, hi):
    n = x = 0
    for i in range(lo, hi, 2**46):
        n += 1
        x ^= i
    return n, x


def down(lo, hi):
    n = x = 0
    for i in range(hi, lo, -(2**46) - 1):
        n += 1
        x ^= i
    return n, x


@pytest.mark.parametrize("f", [up, down], ids=lambda f: f.__name__)
def test_far_ends(f):
    call = swathe.njit(f)
    call(0, 1)
    for lo, hi in ((LOW, HIGH), (-(2**62) - 9, 2**62), (0, HIGH), (LOW, 0), (HIGH, LOW)):
        assert call(lo, hi) == f(lo, hi)


# ---- loops that end before they start ----


def rows(a, c, n):
    for i in prange(1, n):
        for j in range(a.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * a[k, j]
            c[i, j] = s


def terms(a, c, n):
    for i in prange(c.shape[0]):
        for j in range(a.shape[1]):
            c[i, j] = 0.0
            for k in range(1, n):
                c[i, j] += a[i, k] * a[k, j]


@pytest.mark.parametrize("f", [rows, terms], ids=lambda f: f.__name__)
def test_no_tiles(f):
    a, c = np.ones((60, 60)), np.full((60, 60), 7.0)
    same(f, a, c, LOW, parallel=True)
