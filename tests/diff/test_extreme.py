# SPDX-License-Identifier: BSD-3-Clause
"""The greatest and least of floats, found in vector lanes, are those of a loop in order: the
same bits, whatever there is of NaN and of zeros of either sign."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE

import swathe

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython's")


def greatest(x, top):
    for i in range(x.shape[0]):
        if x[i] > top:
            top = x[i]
    return top


def least(x, low):
    for i in range(x.shape[0]):
        if low > x[i]:
            low = x[i]
    return low


def last_greatest(x, top):
    for i in range(x.shape[0]):
        if x[i] >= top:
            top = x[i]
    return top


def not_greater(x, top):
    for i in range(x.shape[0]):
        if not x[i] <= top:
            top = x[i]
    return top


def of_product(x, low):
    for i in range(x.shape[0]):
        if x[i] * x[i] <= low:
            low = x[i] * x[i]
    return low


def rows(x, top):
    s = top
    for i in range(x.shape[0] // 150):
        t = x[150 * i]
        for j in range(1, 150):
            if x[150 * i + j] > t:
                t = x[150 * i + j]
        s += t
    return s


FUNCTIONS = (greatest, least, last_greatest, not_greater, of_product, rows)
STARTS = (-np.inf, np.inf, np.nan, 0.0, -0.0, 5.0, -5.0)


def columns():
    rng = np.random.default_rng(8)
    for n in (0, 1, 100, 127, 128, 129, 160, 300, 1000):
        x = rng.standard_normal(n)
        yield x
        yield -abs(x)
        yield np.where(rng.random(n) < 0.5, np.nan, x)
        yield np.full(n, np.nan)
        yield np.where(rng.random(n) < 0.5, 0.0, -0.0)
        yield np.where(rng.random(n) < 0.1, rng.choice([0.0, -0.0, np.nan], n), -abs(x))
        yield np.where(rng.random(n) < 0.1, rng.choice([0.0, -0.0, np.inf], n), abs(x))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_same_bits(f, dtype):
    call = swathe.njit(f)
    kind = np.dtype(dtype).type
    for x in columns():
        for values in (x.astype(dtype), np.repeat(x, 2).astype(dtype)[::2]):
            for start in STARTS:
                with np.errstate(all="ignore"):
                    want = kind(f(values, kind(start)))
                got = kind(call(values, kind(start)))
                same = want.tobytes() == got.tobytes() or (np.isnan(want) and np.isnan(got))
                assert same, (len(x), start, want, got)


def test_lanes_are_used():
    """The tests above mean nothing unless they are."""
    call = swathe.njit(greatest)
    call(np.zeros(3), 1.0)
    assert "an accumulator in each lane" in call.explain()
