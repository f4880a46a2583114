# SPDX-License-Identifier: BSD-3-Clause
"""Statements that change an object which only one name has: `x.shape = ...` of a new array, and
stores to a list of slices that becomes an index; and where somebody else has it, too."""

import numpy as np
import pytest

import swathe


def same(a, b):
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return np.asarray(a).dtype == np.asarray(b).dtype and np.array_equal(a, b)


def shape_set(n):
    x = np.arange(2.0 * n)
    x.shape = (2, n)
    x[1] += 1
    y = x * 2
    y.shape = -1
    return x, y, y.shape


def shape_of_copy(n):
    x = np.ones((n, 4), dtype=np.float32)
    y = x.copy()
    y.shape = 2, -1, n
    return x.shape, y.sum(axis=0)


def shape_in_branch(n):
    x = np.zeros((n, 2))
    if n > 3:
        x.shape = (2, n)
        x[0] = 1
    return x


class Grid:
    def __init__(self, n):
        self.shape = n

    def wider(self):
        self.shape = self.shape + 1
        return self


def shape_of_an_instance(n):
    g = Grid(n)
    g.shape = 7
    h = g.wider()
    return g.shape, h.shape


def along(x, axis):
    at = [slice(None)] * x.ndim
    low = [slice(None)] * x.ndim
    at[axis] = slice(1, None)
    low[axis] = slice(None, -1)
    return x[tuple(at)] - x[tuple(low)]


def by_helper(n):
    x = np.arange(12.0 * n).reshape(2, n, 6) ** 2
    return along(x, 0), along(x, axis=-1), along(x[0], 1)


def differences(n):
    x = np.arange(24.0 * n).reshape(2, n, 12) ** 2
    first = [slice(None)] * x.ndim
    second = 3 * [slice(None)]
    first[-1] = slice(1, None)
    second[2] = slice(None, -1)
    return x[tuple(first)] - x[tuple(second)], len(first)


def mixed(n):
    x = np.arange(24.0 * n).reshape(2, n, 12)
    at = [slice(None), 0, slice(1, 9, 2)]
    at[0] = None
    at[1] = slice(None, None, -1)
    return x[tuple(at)].shape, x[1][tuple(at[1:])]


def out_of_range(n):
    at = [slice(None)] * 2
    at[2] = 0
    return np.zeros((n, n))[tuple(at)]


PROGRAMS = [
    shape_set, shape_of_copy, shape_in_branch, shape_of_an_instance, differences, mixed,
    by_helper,
]  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not shape_in_branch])
def test_is_numpys(f, n):
    assert same(swathe.njit(f)(n), f(n))


def test_index_out_of_range():
    with pytest.raises(IndexError, match="list assignment index out of range"):
        swathe.njit(out_of_range)(3)


def test_shape_that_does_not_fit():
    @swathe.njit
    def f(n):
        x = np.zeros(n)
        x.shape = (2, 2)
        return x

    with pytest.raises(ValueError, match="cannot reshape array of size 3"):
        f(3)


def aliased(n):
    x = np.zeros(n)
    y = x
    y.shape = (1, n)
    return x.shape


def in_a_list(n):
    x = np.zeros(n)
    kept = [x]
    x.shape = (1, n)
    return kept[0].shape


def of_an_argument(x):
    x.shape = (1, x.size)
    return x


def of_what_may_be_one(x):
    y = np.asarray(x)
    y.shape = (1, y.size)
    return x.shape


@pytest.mark.parametrize("f", [aliased, in_a_list, of_an_argument, of_what_may_be_one])
def test_what_others_have_is_refused(f):
    x = 3 if f in (aliased, in_a_list) else np.zeros(3)
    with pytest.raises(swathe.UnsupportedError, match="assignment to attribute 'shape'"):
        swathe.njit(f)(x)
