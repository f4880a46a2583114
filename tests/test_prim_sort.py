# SPDX-License-Identifier: BSD-3-Clause
"""prim.sort beside NumPy's stable sort, by bytes: vectors that are sorted by buckets, and rows; and
prim.topk of few."""

import numpy as np
import pytest

import swathe
from swathe import prim

N = 1 << 18  # from which on there are buckets
RNG = np.random.default_rng(0)


def check(x, axis=-1):
    """Zeros of either sign, and NaN of unlike bits, stay in the order in which they stood."""
    got, want = prim.sort(x, axis), np.sort(x, axis, kind="stable")
    assert got.dtype == want.dtype and got.tobytes() == want.tobytes()


def shapes_of_numbers(dtype, n):
    """What buckets of equal size can't be had of, too."""
    x = RNG.standard_normal(n)
    many = (x * 1000).astype(dtype) if dtype.kind != "u" else np.abs(x * 1000).astype(dtype)
    yield many
    yield np.sort(many)[::-1]
    yield many % 3
    yield np.where(np.arange(n) % 1000, dtype.type(7), many)  # of nearly one value
    if dtype.kind == "f":
        yield np.exp(x * 9).astype(dtype)
        odd = x.astype(dtype)
        odd[::3], odd[1::9], odd[2::9] = np.nan, -0.0, 0.0
        odd[5::11], odd[7::13], odd[4::33] = np.inf, -np.inf, -np.nan
        yield odd
        yield np.full(n, np.nan, dtype)
    else:
        ends = np.iinfo(dtype)
        yield RNG.integers(ends.min, ends.max, n, dtype, endpoint=True)
        yield np.where(np.arange(n) % 2, dtype.type(ends.max), dtype.type(ends.min))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u8", "u4"])
def test_by_buckets(dtype):
    for x in shapes_of_numbers(np.dtype(dtype), N + 77):
        check(x)
    check(shapes_of_numbers(np.dtype(dtype), 2 * N).__next__()[::-2])


@pytest.mark.parametrize("n", [0, 1, 2, N - 1, N, N + 1])
def test_sizes(n):
    check(RNG.random(n))
    check(RNG.random((n, 1))[:, 0])


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f2", "c16", "m8[s]"])
def test_other_dtypes(dtype):
    check((RNG.random(N + 5) * 90).astype("i8").astype(dtype))


@pytest.mark.parametrize("axis", [0, 1, 2, -2, None])
def test_rows(axis):
    check(RNG.integers(0, 9, (3, 5, 7)), axis)
    check(RNG.random((3, 0, 7)), axis)
    check(np.asfortranarray(RNG.random((6, 5, 4)))[::-2], axis)


def test_threads():
    x = RNG.random(3 * N).round(4) - 0.5
    before = swathe.get_num_threads()
    try:
        for n in range(1, before + 1):
            swathe.set_num_threads(n)
            check(x)
    finally:
        swathe.set_num_threads(before)


def test_in_compiled_code():
    @swathe.njit(parallel=True)
    def median(x):
        return prim.sort(x)[len(x) // 2]

    x = RNG.random(N + 1)
    assert median(x) == np.sort(x)[len(x) // 2]


@pytest.mark.parametrize("shape", [(3,), (3, 3)])
def test_no_such_axis(shape):
    with pytest.raises(np.exceptions.AxisError):
        prim.sort(np.ones(shape), 2)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
def test_few_of_many(dtype):
    """What finds few by groups and strips, about the lengths where it begins, ends and gives up."""
    rng = np.random.default_rng(5)
    wide = np.dtype(dtype).itemsize > 1
    for n in (63, 64, 65, 127, 128, 129, 191, 193, 500, 1023, 4097):
        plain = (rng.standard_normal(n) * (1000 if wide else 2)).astype(dtype)
        same = np.full(n, plain[0])
        up = np.sort(plain)
        nan = plain.copy()
        nan[n // 2] = np.nan if nan.dtype.kind == "f" else 1
        zeros = np.where(plain > 0, plain, -0.0).astype(dtype)
        for x in (plain, same, up, up[::-1], nan, zeros, np.repeat(plain, 2)[::2]):
            for k in (0, 1, 2, 7, 15, 32, 33):
                for largest in (True, False):
                    back = x[::-1] if largest else x
                    order = np.argsort(back, kind="stable")
                    order = n - 1 - order[::-1] if largest else order
                    values, places = prim.topk(x, k, largest)
                    assert np.array_equal(places, order[:k]), (n, k, largest)
                    assert np.array_equal(values, x[order[:k]], equal_nan=True)
