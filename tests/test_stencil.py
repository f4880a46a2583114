# SPDX-License-Identifier: BSD-3-Clause
"""Stencils: functions of the elements around one."""

from __future__ import annotations

import numpy as np
import pytest

import swathe
from swathe import stencil

SCALE = 0.25


@stencil
def cross(a):
    return SCALE * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])


@stencil(cval=9, neighborhood=((-2, 2),))
def window(a, w):
    s = 0
    for k in range(-2, 3):
        s += a[k] * w
    return s


@stencil(standard_indexing="w")
def weighted(a, w):
    before = a[-1] * w[0]
    return before + a[0] * w[1] + a[1] * w[2]


@stencil("constant", cval=True)
def greatest(x):
    return (x[0] > x[-1]) & (x[0] >= x[1])


@stencil
def ahead(a, b):
    return a[2] - b[1]


def test_cross():
    for a in (np.arange(20.0).reshape(4, 5) ** 2, np.arange(12).reshape(3, 4), np.ones((2, 9))):
        want = np.zeros(a.shape)
        want[1:-1, 1:-1] = SCALE * (a[1:-1, 2:] + a[2:, 1:-1] + a[1:-1, :-2] + a[:-2, 1:-1])
        for x in (a, np.asfortranarray(a), a[::-1, ::-1].copy()[::-1, ::-1]):
            got = cross(x)
            assert got.dtype == want.dtype and np.array_equal(got, want)


def test_neighborhood_and_dtypes():
    for n in (0, 1, 4, 5, 8):
        for dtype in (np.int64, np.float32, np.complex128):
            a = np.arange(n).astype(dtype)
            want = np.full(n, 9, np.result_type(dtype, np.int64 if dtype == np.int64 else dtype))
            if n >= 5:
                want[2:-2] = np.convolve(a, np.ones(5, dtype), "valid") * 2
            got = window(a, 2)
            assert got.dtype == want.dtype and np.array_equal(got, want)


def test_inside_compiled_code():
    a, w = np.arange(6.0), np.array([1.0, 2.0, 3.0])
    want = np.zeros(6)
    want[1:-1] = a[:-2] * 1 + a[1:-1] * 2 + a[2:] * 3
    assert np.array_equal(weighted(a, w), want)
    for parallel in (False, True):
        f = swathe.njit(parallel=parallel)(lambda a, w: weighted(a, w) + 1)
        assert np.array_equal(f(a, w), want + 1)
    assert greatest(np.array([1, 3, 2, 5, 5, 1])).tolist() == [True, True, False, True, False, True]
    assert ahead(a, a * 2).tolist() == [0.0, -1.0, -2.0, -3.0, 0.0, 0.0]


STEP = 1


def reaching(by):
    """A kernel whose indices are made of a closure's, a global's and its own constant."""

    def kernel(a):
        k = by + 1
        return a[k - STEP, 0] + a[-by, STEP] * 2 + a[STEP - 1, -k]

    return kernel


def test_indices_of_constants():
    a = np.arange(30.0).reshape(5, 6) ** 2
    for by in (1, 2):
        want = np.zeros(a.shape)
        for i in range(by, 5 - by):
            for j in range(by + 1, 6 - STEP):
                want[i, j] = a[i + by, j] + a[i - by, j + 1] * 2 + a[i, j - by - 1]
        assert np.array_equal(stencil(reaching(by))(a), want)


def middle(a):
    return np.median(a[-1:2, -1:2])


def behind(a):
    return a[-2:1].sum() * a[1]


def every_second(a):
    return a[-2:3:2].sum()


def test_slices():
    a = np.arange(30.0).reshape(5, 6) ** 2 % 17
    want = np.zeros(a.shape)
    for i in range(1, 4):
        for j in range(1, 5):
            want[i, j] = np.median(a[i - 1 : i + 2, j - 1 : j + 2])
    for options in ({}, {"neighborhood": ((-1, 1), (-1, 1))}):
        f = stencil(middle, **options)
        assert np.array_equal(f(a), want)
        assert np.array_equal(swathe.njit(lambda a: f(a))(a), want)  # noqa: B023
    for n in (0, 1, 3, 4, 9):
        row = np.arange(n) ** 2.0
        want = [0.0] * n
        far = [0.0] * n
        for i in range(2, n - 1):
            want[i] = row[i - 2 : i + 1].sum() * row[i + 1]
        for i in range(2, n - 2):
            far[i] = row[i - 2 : i + 3 : 2].sum()
        assert stencil(behind)(row).tolist() == want
        assert stencil(every_second, neighborhood=((-2, 2),))(row).tolist() == far


def test_lambdas():
    a = np.arange(20.0).reshape(4, 5)
    left, right = stencil(lambda a: a[0, -1]), stencil(lambda a: a[0, 1])
    both = [stencil(lambda a: a[0, -1]), stencil(lambda b: b[0, 1]), stencil(lambda a: a[1, 0])]
    assert np.array_equal(left(a)[:, 1:], a[:, :-1]) and np.array_equal(right(a)[:, :-1], a[:, 1:])
    assert np.array_equal(both[0](a), left(a)) and np.array_equal(both[1](a), right(a))
    assert np.array_equal(both[2](a)[:-1], a[1:])
    within = [(lambda f: lambda a: f(a)[0, 1])(lambda x: x), stencil(lambda a: a[0, 1])]
    assert np.array_equal(within[1](a), right(a))


def test_out():
    a, out = np.arange(20.0).reshape(4, 5), np.full((4, 5), 7.0)
    assert cross(a, out=out) is out
    assert (out[0] == 7).all() and np.array_equal(out[1:-1, 1:-1], cross(a)[1:-1, 1:-1])
    out = np.zeros(5, np.int64)
    assert window(np.arange(5), 1, out=out).tolist() == [9, 9, 10, 9, 9]


def not_constant(a):
    s = 0
    for k in range(2):
        s += a[k]
    return s


def set_twice(a):
    k = 1
    if a[0] > 0:
        k = 2
    return a[k]


def open_slice(a):
    return a[:2].sum()


def stores(a):
    a[0] = 1
    return a[0]


def named_out(a, out):
    return a[0] + out


def beyond(a):
    return a[-2:1].sum() + a[1]


def unequal(a):
    return a[0] + a[0, 1]


def nothing(a):
    return 1


def keywords(a, *, b):
    return a[0]


@pytest.mark.parametrize(
    "f, options, error, says",
    [
        (not_constant, {}, ValueError, "is k, which is no constant: say by neighborhood"),
        (set_twice, {}, ValueError, "is k, which is no constant"),
        (open_slice, {}, ValueError, "is :2, which is no constant"),
        (open_slice, {"neighborhood": ((0, 1),)}, ValueError, "has no two ends"),
        (stores, {}, ValueError, "stores to its argument 'a'"),
        (named_out, {}, ValueError, "has a parameter 'out'"),
        (beyond, {"neighborhood": ((-1, 1),)}, ValueError, "-2:1 of 'a' in beyond lies outside"),
        (beyond, {"neighborhood": ((-2, 0),)}, ValueError, "index 1 of 'a' in beyond lies outside"),
        (unequal, {}, ValueError, "has 2 indices in unequal, not 1"),
        (nothing, {}, ValueError, r"indexes no array: write a\[0\]"),
        (keywords, {}, TypeError, "by position"),
        (np.sum, {}, TypeError, "has no source|takes a function"),
        (nothing, {"standard_indexing": ("b",)}, ValueError, "no other array 'b'"),
        (nothing, {"cvl": 1}, TypeError, "unexpected option 'cvl'"),
        ("wrap", {}, ValueError, "the mode is 'constant', not 'wrap'"),
    ],
)
def test_errors(f, options, error, says):
    with pytest.raises(error, match=says):
        stencil(f, **options)


def test_too_few_axes():
    with pytest.raises(swathe.errors.CompileError, match="too many indices|axes|dimension"):
        cross(np.arange(3.0))
