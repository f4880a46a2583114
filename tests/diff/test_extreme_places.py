# SPDX-License-Identifier: BSD-3-Clause
"""Where the greatest or least is, several of them in one loop, and sums of ints beside them, in
vector lanes: as a loop in order, whatever there is of equal elements, NaN, zeros of either sign."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython's")


def first(x, top):
    k = -1
    for i in range(x.shape[0]):
        if x[i] > top:
            top = x[i]
            k = i
    return k, top


def least_of_values(x, low):
    k = -1
    for i, v in enumerate(x):
        if v < low:
            k = i
            low = v
    return k, low, v if len(x) else low, i if len(x) else -1


def turned(x, low):
    k = -1
    for i in range(3, x.shape[0] - 1):
        v = x[i]
        if not (low <= v) and low > v:
            low, k = v, 2 * i + 1
    return k, low


def last(x, top):
    k = -1
    for i in range(x.shape[0]):
        if x[i] >= top:
            top = x[i]
            k = i
    return k, top


def both_ends(x, start):
    low = top = start
    where_low = where_top = -1
    found = False
    rising = True
    n = 0
    for i in range(x.shape[0]):
        v = x[i]
        if v < low:
            low = v
            where_low = i
        if v > top:
            top = v
            where_top = i
            found = True
            rising = False
        n += v > 0
    return low, where_low, top, where_top, found, rising, n


def range_of(x, start):
    low = high = start
    for v in x:
        if v < low:
            low = v
        if v > high:
            high = v
    return low, high


def counted(x, top):
    """How often the top rose is a question of order."""
    n = 0
    k = 0
    for i in range(x.shape[0]):
        if x[i] > top:
            top = x[i]
            n += 1
            k = i
    return top, n, k


def of_two(x, top):
    bi = bj = -1
    a = x[: len(x) // 3 * 3].reshape(3, len(x) // 3)
    for i in range(3):
        for j in range(a.shape[1]):
            if a[i, j] > top:
                top = a[i, j]
                bi = i
                bj = j
    return bi, bj, top


def of_distance(x, low):
    k = -1
    s = 0
    for i in range(x.shape[0]):
        d = (x[i] - 0.25) * (x[i] - 0.25)
        if d < low:
            low = d
            k = i
        s ^= i
    return k, low, s, d if len(x) else low


def of_wave(x, low):
    k = -1
    for i in range(x.shape[0]):
        d = np.sin(x[i])
        if d < low:
            low = d
            k = i
    return k, low


FUNCTIONS = (
    first,
    least_of_values,
    turned,
    last,
    both_ends,
    range_of,
    counted,
    of_two,
    of_distance,
)
FLOATS = (-np.inf, np.inf, np.nan, 0.0, -0.0, 5.0)


def columns():
    rng = np.random.default_rng(9)
    for n in (0, 1, 127, 128, 300, 2047, 2048, 2049, 3072, 5000, 6150):
        x = rng.standard_normal(n)
        yield x
        yield np.arange(n, dtype=float)
        yield -np.arange(n, dtype=float)
        yield np.round(x)
        yield np.where(rng.random(n) < 0.5, np.nan, x)
        yield np.full(n, np.nan)
        yield np.where(rng.random(n) < 0.5, 0.0, -0.0)
        yield np.where(rng.random(n) < 0.1, rng.choice([0.0, -0.0, np.nan], n), -abs(x))


def bits(values):
    return [np.asarray(v).tobytes() if not np.all(np.isnan(v)) else "nan" for v in values]


def held(f, call, values, start):
    with np.errstate(all="ignore"):
        want = f(values, start)
    got = call(values, start)
    assert bits(np.float64(v) for v in want) == bits(np.float64(v) for v in got), (
        len(values),
        start,
        want,
        got,
    )


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_floats(f, dtype):
    call = swathe.njit(f)
    kind = np.dtype(dtype).type
    for x in columns():
        for values in (x.astype(dtype), np.repeat(x, 2).astype(dtype)[::2]):
            for start in FLOATS if len(x) < 3000 else FLOATS[:2]:
                held(f, call, values, kind(start))


@pytest.mark.parametrize("dtype", ["i8", "i4", "u2", "i1"])
@pytest.mark.parametrize(
    "f", (first, last, both_ends, range_of, counted, of_two), ids=lambda f: f.__name__
)
def test_ints(f, dtype):
    call = swathe.njit(f)
    info = np.iinfo(dtype)
    rng = np.random.default_rng(10)
    for n in (0, 1, 2048, 2500):
        for low, high in ((info.min, info.max), (0, 3)):
            x = rng.integers(low, high, n, dtype, endpoint=True)
            for start in (info.min, 1, info.max):
                held(f, call, x, x.dtype.type(start))


def test_chunks():
    @swathe.njit(parallel=True)
    def rows(x, where):
        for i in prange(x.shape[0]):
            top = x[i, 0]
            k = 0
            for j in range(1, x.shape[1]):
                if x[i, j] > top:
                    top = x[i, j]
                    k = j
            where[i] = k

    x = np.round(np.random.default_rng(3).standard_normal((9, 4000)), 1)
    where = np.zeros(9, int)
    rows(x, where)
    assert (where == x.argmax(axis=1)).all()


@pytest.mark.parametrize("ends", [(2**63 - 2500, 2**63 - 1), (-(2**63), -(2**63) + 2500)])
def test_ranges_at_the_ends(ends):
    @swathe.njit
    def farthest(x, lo, hi):
        top = -np.inf
        k = 0
        for i in range(lo, hi):
            v = x[i % 1000]
            if v > top:
                top = v
                k = i
        return k, top

    x = np.random.default_rng(4).standard_normal(1000)
    assert farthest(x, *ends) == farthest.py_func(x, *ends)


@pytest.mark.parametrize(
    "f,yes",
    [
        (first, True),
        (both_ends, True),
        (range_of, True),
        (of_distance, True),
        (last, True),
        (counted, False),
        (of_wave, False),
    ],
    ids=lambda f: getattr(f, "__name__", f),
)
def test_lanes_are_used(f, yes):
    """The tests above mean nothing unless they are; what hangs on the order stays as it was."""
    call = swathe.njit(f)
    call(np.zeros(3), 1.0)
    assert ("an accumulator in each lane" in call.explain()) == yes
