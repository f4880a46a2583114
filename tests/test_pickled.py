# SPDX-License-Identifier: BSD-3-Clause
"""Compiled functions through pickle: by name, or by what they are made of; and Numba's `py_func`,
which sees globals as they are, whatever the compiled function has kept."""

import math
import pickle

import numpy as np
import pytest

import swathe
from swathe.compat import numba

KIND = np.float64
SCALE = 3


def _through(x):
    return pickle.loads(pickle.dumps(x))


def _plain(x):
    return x * SCALE


def _inner(k, table):
    @swathe.njit(fastmath=True)
    def inner(x):
        return x * k + table[1] + math.sqrt(SCALE) + _plain(x)

    def undecorated(x):
        return x + k

    @swathe.njit
    def factorial(n):
        return 1 if n <= 1 else n * factorial(n - 1)

    @swathe.njit
    def both(x, more=2):
        return inner(x) + factorial(4) + undecorated(x) + more

    return both, factorial


def test_functions_inside_of_functions():
    both, factorial = _inner(3, np.arange(4.0))
    copy, other = _through((both, factorial))
    assert copy is not both and copy.__qualname__ == both.__qualname__
    assert copy(2.0) == both(2.0) == both.py_func(2.0) == copy.py_func(2.0)
    assert copy(2.0, more=5) == both(2.0) + 3 and other(5) == 120
    assert _through(copy)(2.0) == both(2.0)


@numba.vectorize(["float64(float64,float64)"])
def added(a, b):
    return a + b


@numba.guvectorize(["void(float64[:],float64[:])"], "(n)->(n)")
def doubled(a, out):
    for i in range(len(a)):
        out[i] = 2 * a[i]


def test_ufuncs():
    assert _through(added) is added and _through(doubled) is doubled

    def add(a, b):
        return a + SCALE * b

    for made in (
        numba.vectorize("float64(float64,float64)", identity=0)(add),
        numba.vectorize(add),
    ):
        assert _through(made)(1.0, 2.0) == 7.0
    again = numba.guvectorize(["void(float64[:],float64[:])"], "(n)->(n)")(doubled._func)
    assert np.array_equal(_through(again)(np.arange(3.0)), [0, 2, 4])


def test_py_func_sees_globals_as_they_are(monkeypatch):
    @numba.njit("float64(float64)")
    def kept(x):
        return KIND(x)

    @numba.vectorize(["float64(float64)"])
    def each(x):
        return KIND(x)

    monkeypatch.setitem(globals(), "KIND", int)
    assert kept(2.5) == 2.5 and kept.py_func(2.5) == 2 and isinstance(kept.py_func(2.5), int)
    assert each(2.5) == 2.5 and each.py_func(2.5) == 2


def test_reduce_where():
    @numba.vectorize(["float64(float64,float64)"], identity=0)
    def add(a, b):
        return a + b

    a = np.arange(24.0).reshape(2, 3, 4)
    masks = (a % 2 == 0, np.array([True, False, True, False]), a > 50, False, np.True_)
    for where in masks:
        for axis in (0, 1, (0, 2), None, -1):
            for keep in (False, True):
                want = np.add.reduce(a, axis=axis, where=where, keepdims=keep, initial=5.0)
                got = add.reduce(a, axis=axis, where=where, keepdims=keep, initial=5.0)
                assert np.array_equal(want, got) and np.shape(want) == np.shape(got)
    assert np.array_equal(add.reduce(a[:, :, :0], axis=2, where=True), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="does not have an identity, so to use a where mask"):
        numba.vectorize(["float64(float64,float64)"])(lambda a, b: a * b).reduce(a, where=a > 3)
    with pytest.raises(TypeError):
        add.reduce(a, where=np.ones(4))


def test_what_is_inlined_takes_its_callers_types():
    @numba.njit("f4(i1[::1],f4)", inline="always")
    def scaled(x, s):
        total = 0
        for v in x:
            total += v
        return np.float32(s * total)

    table = np.ones((3, 4), np.int8)

    @numba.njit
    def row(i):
        return scaled(table[i], np.float32(2))  # a constant: read-only, as no argument is there

    assert row(1) == 8 and row.py_func(1) == 8
    with pytest.raises(swathe.ArgumentTypeError, match="no explicit signature"):
        scaled(np.ones(3), 1)
