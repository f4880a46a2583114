# SPDX-License-Identifier: BSD-3-Clause
"""Views of lazy arrays by subscripts, which C makes where nothing is wrong, beside NumPy's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from swathe import xp

X = np.arange(60.0).reshape(5, 12)
BOUNDS = (None, 0, 1, 3, 12, 40, -1, -4, -40)
STEPS = (None, 1, 2, 5, -1, -3, 100, -100)
KEYS = [slice(*k) for k in itertools.product(BOUNDS, BOUNDS, STEPS)]
OTHERS = [
    0, -1, 4, None, Ellipsis, (), (0, 0), (-5, -12), (None, 1), (1, None), (slice(1, 4), None, 2),
    (None, None), (..., 3), (slice(None), slice(None, None, -1)), (slice(2, 2), 5), np.int64(2),
    (slice(np.int64(1), None),), (slice(0, 10**30),),
]  # fmt: skip


def memory(x):
    return xp.asarray(x)


def computed_later(x):
    return xp.asarray(x) + 0.0


@pytest.mark.parametrize("made", [memory, computed_later])
def test_slices(made):
    x, row = made(X), X[2]
    y = made(row)
    for key in KEYS:
        got = np.asarray(y[key])
        assert got.shape == row[key].shape and np.array_equal(got, row[key]), key
    for key in [*KEYS[::7], *OTHERS]:
        got, want = x[key], X[key]
        assert got.shape == want.shape and np.array_equal(np.asarray(got), want), key
    for key in KEYS[::11]:
        assert np.array_equal(np.asarray(x[1:4, key]), X[1:4, key]), key


@pytest.mark.parametrize("made", [memory, computed_later])
@pytest.mark.parametrize("key", [5, -6, (0, 12), (0, 0, 0), 1.0, slice(0, 1, 0), 10**30, "a"])
def test_wrong_subscripts(made, key):
    with pytest.raises(Exception) as want:
        X[key]
    with pytest.raises(want.type):
        made(X)[key]


@pytest.mark.parametrize("made", [memory, computed_later])
def test_assignments_reach_views_of_views(made):
    def program(a):
        b = a[1:, ::-2]
        c = b[::2]
        d = c[0]
        c += 100.0
        d[1:3] = -1.0
        a[3, :4] = 7.0
        b[0] *= 2.0
        return a, b, c, d

    for got, want in zip(program(made(X)), program(X.copy()), strict=True):
        assert np.array_equal(np.asarray(got), want)


def test_chains_of_views_of_any_length():
    x = root = xp.asarray(np.arange(4000.0)) * 1.0
    for _ in range(3000):
        x = x[1:]
    assert float(xp.sum(x)) == np.arange(3000.0, 4000.0).sum()
    root[3999] = 0.0
    assert float(xp.sum(x)) == np.arange(3000.0, 3999.0).sum()


def test_a_part_that_stands_for_itself():
    """`x[key] += y` assigns to the view and then stores it again; that changes nothing more."""
    x, want = xp.zeros(8), np.zeros(8)
    for k in range(4):
        x[k : k + 4] += 1.0
        want[k : k + 4] += 1.0
    assert np.array_equal(np.asarray(x), want)
    part = x[:3]
    x[0] = 50.0
    x[1:4] = part
    want[0] = 50.0
    want[1:4] = want[:3].copy()
    assert np.array_equal(np.asarray(x), want)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("power", [0, 1, 2, 3, 4, 5, -1, 2.0, 3.0, 0.5, 2.5, -2.0])
def test_powers(dtype, power):
    x = np.linspace(0.5, 3.0, 50, dtype=dtype)
    for _ in range(2):  # the second is made by what the first has found out
        got = np.asarray(xp.asarray(x) ** power)
        assert got.dtype == x.dtype
        np.testing.assert_allclose(got, x**power, rtol=1e-6 if dtype == "f4" else 1e-14)


@pytest.mark.parametrize(
    "number", [2, -3, 0.1, 1e300, -1e39, float("inf"), float("nan"), 2**53 + 1]
)
def test_numbers_beside_float32(number):
    x = np.linspace(-2.0, 3.0, 7, dtype=np.float32)
    for _ in range(2):
        with np.errstate(all="ignore"):
            got, want = np.asarray(xp.asarray(x) * number), x * number
            assert got.dtype == want.dtype and np.array_equal(got, want, equal_nan=True)
            got, want = np.asarray(number - xp.asarray(x)), number - x
            assert got.dtype == want.dtype and np.array_equal(got, want, equal_nan=True)
