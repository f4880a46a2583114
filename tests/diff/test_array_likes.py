# SPDX-License-Identifier: BSD-3-Clause
"""Lists where NumPy takes arrays, bins with NaN, views by as_strided, limits of numbers."""

import random

import numpy as np
import pytest

from swathe import njit

NAN = np.nan
CASES = [np.array([True, False, False]), np.array([False, True, False])]


def same(func, *args):
    compiled = njit(func)
    try:
        expected = func(*args)
    except Exception as error:
        with pytest.raises(type(error)):
            compiled(*args)
        return
    got = compiled(*args)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize(
    "bins",
    [
        [1, 2, NAN],
        [NAN, 2, 1],
        [NAN],
        [1, 2, NAN, NAN],
        [],
        [1, 1, 1],
        [3, 1, 2],
        [1, 1, 3, 2],
        [2, 1],
    ],
)
def test_bins_with_nan_are_ordered_as_numpy_orders_them(bins, right):
    def digitize(x, bins, right):
        return np.digitize(x, bins, right)

    for x in (np.array([0, 1, 1.5, NAN, 9]), 1.5, NAN):
        same(digitize, x, np.array(bins, float), right)


@pytest.mark.parametrize("default", [9, 2.5, np.float32(1)])
@pytest.mark.parametrize(
    "choices",
    [
        [np.array([1, 2, 3]), np.array([4, 5, 6])],
        (np.array([1, 2, 3]), np.array([4.0, 5, 6])),
        [1, 2],
        (1, 2.0),
        (np.arange(3), 2.5),
        [np.ones((2, 1)), np.zeros((2, 1))],
        [np.array([1, 2, 3], np.int8)] * 2,
        [1],
    ],
)
def test_select_takes_lists_and_tuples_of_either(choices, default):
    def select(conditions, choices, default):
        return np.select(conditions, choices, default)

    same(select, CASES, choices, default)
    same(select, tuple(CASES), choices, default)


@pytest.mark.parametrize(
    "rows",
    [
        ([1, 2], [3, 4]),
        ([1, 2.5], [3, 4.0]),
        ([1, 2], [3.0, 4.0]),
        ([1, 2],),
        ([[1]], [[2]]),
        ([True], [False]),
        ([1, 2], [3]),
        ([], []),
    ],
)
def test_a_tuple_of_lists_is_an_array(rows):
    def array(x):
        return np.array(x)

    def narrow(x):
        return np.array(x, dtype=np.float32)

    def total(x):
        return np.sum(x, axis=0)

    def flipped(x):
        return np.flipud(x)

    for func in (array, narrow, total, flipped):
        same(func, rows)


def test_what_a_tuple_of_lists_holds_is_copied_when_it_is_asked_for():
    @njit
    def changed(a, b):
        rows = (a, b)
        a.append(5)
        b.append(6)
        made = np.array(rows)
        a[0] = 9
        return made

    np.testing.assert_array_equal(changed([1, 2], [3, 4]), [[1, 2, 5], [3, 4, 6]])


def test_as_strided_without_a_shape_or_strides():
    strided = np.lib.stride_tricks.as_strided

    def whole(a):
        return strided(a)

    def stepped(a):
        return strided(a, strides=(8, 8))

    def small(a):
        return strided(a, (2, 3))

    def short(a):
        return strided(a, shape=(2,), strides=None)

    a = np.arange(24.0).reshape(4, 6)
    for func in (whole, stepped, small, short):
        same(func, a)
    same(whole, a[::2, ::-1])
    same(whole, np.zeros((0, 3)))
    same(whole, np.array(3.0))
    same(short, np.arange(3.0))


def test_limits_of_a_number_are_those_of_its_dtype():
    def eps(x):
        return np.finfo(x).eps

    def greatest(x):
        return np.iinfo(x).max

    for x in (np.float32(1), 1.0, 1j, np.complex64(1), np.float64(2)):
        same(eps, x)
    for x in (np.int8(1), 1, np.uint16(2)):
        assert njit(greatest)(x) == greatest(x)


def test_infinities_of_a_sign_are_stored_where_out_says():
    def negative(x, out):
        return np.isneginf(x, out)

    def positive(x, out):
        np.isposinf(x, out=out)
        return out

    for func in (negative, positive):
        for out in (np.ones(2, bool), np.ones(2), np.ones((2, 2), np.int8), np.ones(3, bool)):
            same(func, np.array([np.inf, -np.inf]), out)


def test_whole_floats_are_degrees_of_freedom():
    def cov(m, ddof):
        return np.cov(m, ddof=ddof)

    m = np.arange(12.0).reshape(3, 4) ** 2
    for ddof in (3.0, 0.0, 1.5, np.float32(2), np.inf):
        same(cov, m, ddof)


def test_argpartition_of_a_number_is_of_one_element():
    def places(a, kth, axis):
        return np.argpartition(a, kth, axis)

    same(places, np.array(3.0), 0, -1)
    same(places, np.array(3.0), 1, 0)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_random_takes_integers_of_any_width(kind):
    def drawn(seed, a, b, k):
        random.seed(seed)
        ranges = [random.randrange(b), random.randrange(a, b), random.randrange(a, b, k)]
        return random.randint(a, b), ranges, random.getrandbits(k), random.sample([1, 2, 3, 4], k)

    args = (5, kind(1), kind(100), kind(3))
    got = njit(drawn)(*args)
    assert got == drawn(*args)
    assert type(got[0]) is int and {type(x) for x in got[1]} == {int}


def test_random_refuses_floats_for_integers():
    @njit
    def drawn(n):
        return random.randrange(n)

    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        drawn(3.0)
