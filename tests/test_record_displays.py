# SPDX-License-Identifier: BSD-3-Clause
"""Structured dtypes that are written inside a function."""

import numpy as np
import pytest

import swathe

KIND = np.int16


def colours():
    colour = np.dtype([("r", np.ubyte), ("g", "u1"), ("a", float)])
    z = np.zeros(3, colour)
    z["r"] = 5
    z[1]["a"] = 2
    return z


def grid():
    z = np.zeros((5, 4), [("x", float), ("y", "f4")])
    z["x"], z["y"] = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 5))
    return z


def axes():
    a = np.zeros(3, dtype=[("a", int), ("b", np.float32, 3), ("c", KIND, (2, 2))])
    a["a"] = np.arange(3)
    a["b"] = 1.5
    a["c"] = 3
    return a


def aligned():
    return np.zeros(2, np.dtype([("u", "i1"), ("v", "f8")], align=True))


def nested():
    z = np.zeros(2, np.dtype([("p", [("u", "i4"), ("v", np.complex64)]), ("t", "M8[s]")]))
    z["p"]["v"] = 2j
    return z


def total():
    a = np.zeros(4, np.dtype([("q", KIND), ("w", bool)]))
    s = 0
    for i in range(4):
        a[i] = (i, i % 2 == 0)
        s += int(a[i]["q"]) if a[i]["w"] else 0
    return s


@pytest.mark.parametrize("function", [colours, grid, axes, aligned, nested, total])
def test_as_in_numpy(function):
    want, got = function(), swathe.njit(cache=False)(function)()
    assert np.asarray(got).dtype == np.asarray(want).dtype
    assert np.shape(got) == np.shape(want)
    assert np.array_equal(got, want)


def test_errors():
    def text():
        return np.zeros(2, [("a", "U3", (2,))])

    def unknown():
        return np.zeros(2, [("a", "zz")])

    def variable(x):
        return np.zeros(2, [("a", x)])

    for function, args in ((text, ()), (unknown, ()), (variable, (3,))):
        with pytest.raises(swathe.CompileError):
            swathe.njit(cache=False)(function)(*args)


def test_nested_first_field_comes_back_whole():
    @swathe.njit(cache=False)
    def same(a):
        return a

    a = np.zeros(3, [("p", [("u", "i4"), ("v", "f8")]), ("w", "f4")])
    a["p"]["v"] = [1, 2, 3]
    got = same(a[1:])
    assert got.shape == (2,)
    assert np.array_equal(got, a[1:])
