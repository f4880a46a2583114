# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of what lists hold, and sorted() by a key."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import swathe


def appended(n):
    x = []
    for i in range(n):
        x.append(i * 0.5)
    return np.array(x), np.asarray(x).sum(), np.array(x)[::-1]


def with_dtype(x):
    return np.array(x), np.array(x, np.float32), np.array(x, dtype=np.int8), np.asarray(x, "f8")


def product(m):
    return np.array(m).T @ np.array(m, dtype=np.float64)


def row(m):
    return np.array(m[0]), np.asarray(m[-1])


def made(x):
    y = [v for v in x if v > 0]
    return np.array(y).mean(), np.array(sorted(y)), np.array(list(range(3)))


def of_arrays(a):
    return np.array(a[0]), np.array(a), np.asarray(a, dtype=np.float32)


PROGRAMS = [
    (appended, (5,)),
    (with_dtype, ([1, 2, 3],)),
    (with_dtype, ([1, 200, 3],)),
    (with_dtype, ([True, False],)),
    (with_dtype, ([np.float32(1.5)],)),
    (product, ([[1, 2], [3, 4], [5, 6]],)),
    (with_dtype, ([(1, 2), (3, 4)],)),
    (with_dtype, ([(1, 2.5), (3, 4.0)],)),
    (row, ([[1, 2], [3]],)),
    (made, ([1.0, -2.0, 3.0],)),
    (of_arrays, (np.arange(6.0).reshape(2, 3),)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.parametrize("options", [{}, {"parallel": True}], ids=["serial", "parallel"])
def test_arrays_of_lists(f, args, options):
    compiled = swathe.njit(**options)(f)
    try:
        want = f(*args)
    except OverflowError as e:
        with pytest.raises(OverflowError, match=str(e)):
            compiled(*args)
        return
    for w, g in zip(np.atleast_1d(want) if isinstance(want, np.ndarray) else want, compiled(*args)):
        assert type(w) is type(g)
        np.testing.assert_array_equal(w, g, strict=True)


def test_nested_calls_are_typed_once():
    """Twice at each depth would take years."""
    text = "np.asarray(" * 40 + "a" + ")" * 40
    names = {"np": np}
    path = f"<{len(text)} letters>"
    source = f"def f(a):\n    return {text}\n"
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    exec(compile(source, path, "exec"), names)
    assert swathe.njit(names["f"])(np.ones(3)).sum() == 3.0


def test_rows_of_unequal_length():
    with pytest.raises(ValueError, match="inhomogeneous shape"):
        swathe.njit(product)([[1, 2], [3]])


def test_rows_of_rows_and_other_arguments():
    def f(x, m, t):
        return (
            np.array(x, order="F"),
            np.array(m, order="F"),
            np.array(m, dtype=np.float32, order="C", copy=True),
            np.asarray(m, order="F"),
            np.array(t),
            np.asarray(t, np.float32),
            np.sum(t),
        )

    args = [1, 2.5], [[1, 2], [3, 4]], [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    for got, want in zip(swathe.njit(f)(*args), f(*args), strict=True):
        assert got.dtype == want.dtype and got.strides == want.strides
        assert np.array_equal(got, want)
    for bad in ([[[1]], [[1], [2]]], [[[1, 2], [3]]]):
        with pytest.raises(ValueError, match="inhomogeneous shape"):
            swathe.njit(f)([1], [[1]], bad)


def test_other_arguments_are_refused():
    with pytest.raises(TypeError, match=r"np\.array\(\[v for v in x\]\)"):
        swathe.njit(lambda x: np.random.shuffle(x))([1, 2])


def down(x):
    return sorted(x, key=lambda v: -v), x


def by_abs(x, r):
    return sorted(x, key=abs, reverse=r)


def counted(d):
    return sorted(d.items(), key=lambda kv: (-kv[1], kv[0]))


def by_third(x):
    def third(v):
        return v % 3

    return sorted((v for v in x if v != 5), key=third), sorted(x, key=None)


def fails(x):
    return sorted(x, key=lambda v: 1 / v)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (down, ([3, 1, 2],)),
        (down, (np.array([3.0, 9.0]),)),
        (by_abs, ([3, -4, 2, 4], True)),
        (by_abs, ([3, -4, 2, 4], 0)),
        (counted, ({1: 5, 2: 5, 0: 7},)),
        (by_third, ([7, 5, 3, 8, 2, 4, 1],)),
    ],
)
def test_sorted_by_a_key(f, args):
    assert repr(swathe.njit(f)(*args)) == repr(f(*args))


def test_a_key_that_raises():
    with pytest.raises(ZeroDivisionError):
        swathe.njit(fails)([1, 0, 2])
    with pytest.raises(TypeError, match="'int' object is not callable"):
        swathe.njit(lambda x: sorted(x, key=3))([1])
