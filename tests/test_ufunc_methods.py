# SPDX-License-Identifier: BSD-3-Clause
"""What swathe.vectorize makes, in compiled code: `out=`, `where=`, and the methods of a ufunc, as
NumPy has them of the same function, made by np.frompyfunc."""

import numpy as np
import pytest

import swathe


@swathe.vectorize
def joined(a, b):
    return a + 2 * b


@swathe.vectorize(["float64(float64, float64)"], identity=0)
def summed(a, b):
    return a + b


@swathe.vectorize
def quotient(a, b):
    return a // b


@swathe.vectorize
def opposite(a):
    return -a


def rows(x):
    return joined.reduce(x), joined.reduce(x, axis=-1), joined.reduce(x, axis=1, keepdims=True)


def so_far(x):
    return joined.accumulate(x), joined.accumulate(x, axis=1)


def stretches(x):
    return joined.reduceat(x, np.array([0, 1, 0])), joined.reduceat(x, [0, 2], axis=1)


def each_with_each(x):
    return joined.outer(x[0], x), summed.outer(x[0], x[1])


def at_places(x):
    y = x.copy()
    joined.at(y, np.array([0, 1, 0]), 3)
    joined.at(y, (np.array([0, 1]), np.array([2, 2])), x[:2, 0])
    return y


def into(x):
    r, s = np.zeros_like(x), np.empty(x.shape)
    joined(x, x, r)
    joined(x, 1, out=s)
    joined(x, x, out=r, where=x > 2)
    opposite(x[:1], out=r[0:1], where=[True, False, True, False])
    return r, s


def into_itself(x):
    y = x.copy()
    summed(y[1:], y[:-1], out=y[1:], where=y[:-1] > 1)
    quotient(y, x, out=y, where=x != 0)
    return y


def whole(x):
    return summed.reduce(x, axis=None), summed.reduce(x[:0], axis=0), summed.reduce(x[0, :0])


INPUTS = [
    np.arange(12.0).reshape(3, 4),
    np.asfortranarray(np.arange(12, dtype=np.int64).reshape(3, 4)),
    np.arange(24, dtype=np.float32).reshape(3, 8)[:, ::2],
]


@pytest.mark.parametrize("f", [rows, so_far, stretches, each_with_each, at_places, into, whole])
@pytest.mark.parametrize("x", INPUTS, ids=["float64", "int64 Fortran", "float32 strided"])
def test_is_what_python_gets(f, x):
    for got, want in zip(tuple(swathe.njit(f)(x)), tuple(f(x)), strict=True):
        np.testing.assert_array_equal(got, want)
        assert np.asarray(got).dtype == np.asarray(want).dtype


def test_operands_that_are_parts_of_out():
    x = INPUTS[0]
    np.testing.assert_array_equal(swathe.njit(into_itself)(x), into_itself(x))


def test_by_numpy():
    one = np.frompyfunc(lambda a, b: a + 2 * b, 2, 1)
    x = np.arange(6.0)
    f = swathe.njit(lambda x: (joined.reduce(x), joined.accumulate(x), joined.outer(x, x)))
    total, parts, table = f(x)
    assert total == one.reduce(x)
    np.testing.assert_array_equal(parts, one.accumulate(x.astype(object)).astype(float))
    np.testing.assert_array_equal(table, one.outer(x, x).astype(float))


def test_errors():
    @swathe.njit
    def none(x):
        return joined.reduce(x)

    @swathe.njit
    def every(x):
        return joined.reduce(x, axis=None)

    @swathe.njit
    def place(x):
        return joined.reduceat(x, [7])

    @swathe.njit
    def narrow(x):
        out = np.zeros(2)
        return joined(x, x, out=out)

    with pytest.raises(ValueError, match="zero-size array to reduction operation joined"):
        none(np.zeros((0, 2)))
    with pytest.raises(ValueError, match="not reorderable"):
        every(np.zeros((2, 2)))
    with pytest.raises(IndexError, match="out-of-bounds in joined.reduceat"):
        place(np.zeros(3))
    with pytest.raises(ValueError, match="non-broadcastable output"):
        narrow(np.zeros(3))
