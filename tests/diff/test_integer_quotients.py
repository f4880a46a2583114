# SPDX-License-Identifier: BSD-3-Clause
"""Quotients and remainders of integers over arrays, which lanes compute by floats: the ends of
every dtype, all signs, 0 and -1 as divisors, one divisor for all and one for each, and each length
about the number of lanes."""

import numpy as np
import pytest

import swathe

DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def by_arrays(a, b):
    return a // b, a % b, np.divmod(a, b)


def by_constants(a):
    return a // 7, a % 7, a // 1, (a + 1) // 3


def by_loops(a, b, d):
    q, r, s = np.empty_like(a), np.empty_like(a), np.empty_like(a)
    for i in range(a.size):
        q[i] = a[i] // b[i]
        r[i] = a[i] % b[i]
        s[i] = a[i] // d
    return q, r, s


def numbers(dtype):
    """The ends, powers of two and what is next to them, and any."""
    info, rng = np.iinfo(dtype), np.random.default_rng(3)
    some = [
        0,
        1,
        2,
        3,
        5,
        7,
        10,
        127,
        info.max,
        info.max - 1,
        info.max // 2,
        info.min,
        info.min + 1,
    ]
    some += [2**k + d for k in range(2, 64) for d in (-1, 0, 1)]
    some += [-v for v in some]
    fitting = sorted({v for v in some if info.min <= v <= info.max})
    drawn = rng.integers(info.min, info.max, 200, dtype=dtype, endpoint=True)
    small = rng.integers(max(info.min, -99), 99, 50).astype(dtype)
    return np.concatenate([np.array(fitting, dtype), drawn, small])


def assert_same(got, want):
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            assert_same(g, w)
    else:
        assert got.dtype == want.dtype and np.array_equal(got, want)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_of_arrays(dtype):
    each = numbers(dtype)
    a, b = (v.ravel() for v in np.meshgrid(each, each))
    compiled = swathe.njit(cache=False)(by_arrays)
    with np.errstate(all="ignore"):
        assert_same(compiled(a, b), by_arrays(a, b))
        for d in each[::7]:
            assert_same(compiled(each, d), by_arrays(each, d))
        for n in (0, 1, 7, 8, 9, 31, 33):
            assert_same(compiled(a[-n:], b[-n:]), by_arrays(a[-n:], b[-n:]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_by_constants(dtype):
    a = numbers(dtype)
    assert_same(swathe.njit(cache=False)(by_constants)(a), by_constants(a))


@pytest.mark.parametrize("dtype", ["i2", "u4", "i8", "u8"])
@pytest.mark.parametrize("parallel", [False, True])
def test_quotients_in_loops(dtype, parallel):
    each = numbers(dtype)
    a, b = (v.ravel() for v in np.meshgrid(each, each[each != 0]))
    compiled = swathe.njit(cache=False, parallel=parallel)(by_loops)
    for d in (each[3], np.array(-1).astype(dtype), each[-1] or each[5]):
        with np.errstate(all="ignore"):
            want = a // b, a % b, a // d
        assert_same(compiled(a, b, d), want)
