# SPDX-License-Identifier: BSD-3-Clause
"""np.pad by widths and values that are lists or arrays, also changed ones, and comprehensions over
shapes that are unpacked into arguments."""

import numpy as np
import pytest
from harness import check


def along(x, k):
    widths = [(0, 0)] * x.ndim
    widths[k] = (1, 2)
    return np.pad(x, widths), np.pad(x, [(k, 1) for _ in range(x.ndim)], mode="wrap")


def lists(x, k):
    a = np.pad(x, [1]), np.pad(x, [k, 2], mode="reflect"), np.pad(x, [[k], [2]])
    return (
        a,
        np.pad(x, [[1, 1]] * x.ndim, mode="edge"),
        np.pad(x, ((1,), (2,))),
        np.pad(x, [[1, 2]]),
    )


def arrays(x, k):
    w = np.array([k, 2])
    return np.pad(x, w), np.pad(x, w[:, None]), np.pad(x, np.array(2)), np.pad(x, w[:, None] * w)


def values(x, k):
    a = np.pad(x, 2, constant_values=[5, 6]), np.pad(x, k, constant_values=np.array([5, 6]))
    b = np.pad(x, 2, constant_values=([1, 2], [3, 4])), np.pad(x, [1, k], constant_values=[(7, 8)])
    c = np.pad(x, 2, "linear_ramp", end_values=[(5, 6), (7, 8)])
    return a, b, c, np.pad(x, 2, "maximum", stat_length=np.array([[1, 2], [2, 1]]))


def wrong(x, k):
    return np.pad(x, np.array([1, 2], np.uint8))


def too_many(x, k):
    return np.pad(x, [0, 0, 1])


def negative(x, k):
    return np.pad(x, [k, -1])


def unpacked(x, k):
    g = np.meshgrid(*[np.arange(n) for n in x.shape], indexing="ij")
    h = np.meshgrid(*(np.linspace(0, 1, n) for n in x.shape), sparse=True)
    m = np.meshgrid(*map(np.arange, x.shape))
    return g, h, m, np.ix_(*[np.arange(n) for n in x.shape]), max(*[n + k for n in x.shape])


FUNCTIONS = [along, lists, arrays, values, unpacked]
ERRORS = {wrong: TypeError, too_many: ValueError, negative: ValueError}


@pytest.mark.parametrize("f", FUNCTIONS)
def test_widths(f):
    check(f, np.arange(12.0).reshape(3, 4), 1)


@pytest.mark.parametrize("f", ERRORS)
def test_wrong_widths(f):
    check(f, np.arange(12.0).reshape(3, 4), 1, raises=ERRORS[f])


def test_small():
    check(values, np.ones((1, 2)), 1)
