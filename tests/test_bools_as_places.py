# SPDX-License-Identifier: BSD-3-Clause
"""Bools as places are masks, and floats are places where Python makes ints of them."""

import math
import warnings

import numpy as np
import pytest
from diff.harness import define

import swathe

CALLS = (
    "np.delete(a, v)",
    "np.delete(a.reshape(1, 5), v, 1)",
    "np.insert(a, v, 9)",
    "np.take(a, v)",
)
VALUES = (True, False, np.bool_(True), np.array(True), np.array([True] * 5), 2, np.int8(-1))


def outcome(f, *args):
    try:
        return f(*args)
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as e:
        return type(e)


@pytest.mark.parametrize("text", CALLS)
def test_bools(text):
    f = define(f"def f(a, v):\n    return {text}\n")
    g = swathe.njit(opt_level=0)(f)
    for v in VALUES:
        a = np.arange(5)
        np.testing.assert_equal(outcome(g, a, v), outcome(f, a, v), f"{text} {v!r}")


def test_floats():
    f = define("def f(a, v):\n    return np.take(a, v)\n")
    g = swathe.njit(opt_level=0)(f)
    for v in (2.5, -1.0, math.inf, math.nan, 1e30, (1.5, 0.0), ()):
        a = np.arange(5)
        np.testing.assert_equal(outcome(g, a, v), outcome(f, a, v), repr(v))
    f = define("def f(v):\n    return np.bincount(v)\n")
    g = swathe.njit(opt_level=0)(f)
    for v in ((2.5, 1.0), (math.nan, 1.0), (), 2.5, (-1.0,)):
        np.testing.assert_equal(outcome(g, v), outcome(f, v), repr(v))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_edges_of_bins_are_of_the_precision_of_the_extremes(dtype):
    f = define("def f(a, n):\n    return np.histogram(a, n)\n")
    g = swathe.njit(opt_level=0)(f)
    for a in (np.ones(1), np.arange(40) / 7, np.zeros(0)):
        for n in (3, 11):
            a = a.astype(dtype)
            for got, want in zip(g(a, n), f(a, n), strict=True):
                assert got.dtype == want.dtype and np.array_equal(got, want)


def test_numbers_as_places():
    f = define("def f(a, v):\n    return np.take(a, v)\n")
    g = swathe.njit(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for v in (np.float32(1.5), np.float16(2), np.complex64(1 + 2j), np.complex128(2), 1.5):
            assert g(np.arange(3.0), v) == f(np.arange(3.0), v)
            with pytest.raises(IndexError):
                g(0.0, v)
