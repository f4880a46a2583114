# SPDX-License-Identifier: BSD-3-Clause
"""Lists and arrays of places that a later operand changes: NumPy looks at them when all of an index
is evaluated, and `a[ix] += f(ix)` once more when it stores."""

import copy

import numpy as np
import pytest
from harness import ORACLE

import swathe

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython's")


def put(x):
    x[0] = 2
    return [1, 1]


def put_array(x):
    x[0] = 2
    return np.array([1, 1])


def grow(x):
    x.append(1)
    return np.array([1, 1, 1])


def swap(m):
    m[0], m[1] = m[1], m[0]
    return 1.0


def both_lists(a, x):
    return a[x, put(x)], a[(x, put_array(x))]


def by_another_name(a, x):
    y = x
    return a[y, put_array(x)], a[put_array(y), x]


def grown(a, x):
    return a[x, grow(x)]


def in_a_display(a, x):
    return a[x, [put_array(x)[0], 1]], a[1:, x, put_array(x)[0]]


def stored(a, x):
    a[x, put_array(x)] = 5
    a[x, 0] = put_array(x)[:, None]
    return a


def augmented(a, x):
    a[x, 0] *= put(x)[0] + 1
    a[x] += put_array(x)[1]
    a[1, x] -= put_array(x)[:, None]
    return a


def augmented_at_both(a, x):
    a[x, put_array(x)] += 5
    return a


def in_order(a, x):
    for i in range(3):
        a[x, i] += abs(i)
        a[i, x] = a[i, x] * float(i)
    return a


def masked(a, m):
    a[m] += swap(m)
    return a


A = np.arange(36.0).reshape(3, 4, 3)
FUNCTIONS = [both_lists, by_another_name, grown, in_a_display, stored, augmented]
FUNCTIONS += [augmented_at_both, in_order]


def same(f, *args):
    here, there = copy.deepcopy(args), copy.deepcopy(args)
    want, got = f(*here), swathe.njit(f)(*there)
    assert repr(want) == repr(got)
    assert repr(here) == repr(there)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_places_that_change(f):
    same(f, A, [0, 1])
    if f not in (by_another_name, grown, in_a_display):
        same(f, A, np.array([0, 1]))


@pytest.mark.parametrize("mask", [[False, True, False], [True, False, False]])
def test_masks_that_change(mask):
    same(masked, A, np.array(mask))
