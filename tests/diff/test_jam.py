# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a stencil over narrow elements run together, and return what CPython returns."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from harness import ORACLE

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython's")


def life(world, out):
    h, w = world.shape
    for i in prange(1, h - 1):
        for j in range(1, w - 1):
            n = (
                world[i - 1, j - 1]
                + world[i - 1, j]
                + world[i - 1, j + 1]
                + world[i, j - 1]
                + world[i, j + 1]
                + world[i + 1, j - 1]
                + world[i + 1, j]
                + world[i + 1, j + 1]
            )
            out[i, j] = 1 if n == 3 or (world[i, j] == 1 and n == 2) else 0


def least(x, out):
    h, w = x.shape
    for i in prange(1, h - 1):
        for j in range(1, w - 1):
            t = x[i, j]
            for_all = min(t, x[i - 1, j], x[i + 1, j], x[i, j - 1], x[i, j + 1])
            corner = min(x[i - 1, j - 1], x[i + 1, j + 1], x[i - 1, j + 1], x[i + 1, j - 1])
            out[i, j] = min(for_all, corner)


def inside(x, out):
    """The rows above and below, into a part of the same array."""
    h, w = x.shape
    for i in prange(2, h - 2):
        for j in range(w):
            a = x[i - 2, j] ^ x[i - 1, j] ^ x[i, j]
            b = x[i + 1, j] ^ x[i + 2, j] ^ x[i, w - 1 - j]
            out[i, j] = a | b


SIZES = [(0, 0), (2, 9), (3, 3), (4, 70), (5, 5), (6, 130), (7, 64), (9, 200), (18, 67), (60, 3)]


def compare(f, x, out):
    mine, theirs = out.copy(), out.copy()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        f(x, theirs)
    for threads in (1, 4):
        call = swathe.njit(parallel=True)(f)
        before = swathe.get_num_threads()
        swathe.set_num_threads(min(threads, before))
        try:
            call(x, mine)
        finally:
            swathe.set_num_threads(before)
        np.testing.assert_array_equal(mine, theirs)
        mine[...] = out


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "i4"])
@pytest.mark.parametrize("f", [life, least, inside], ids=lambda f: f.__name__)
def test_sizes(f, dtype):
    rng = np.random.default_rng(3)
    for h, w in SIZES:
        high = 2 if f is life else 100
        x = rng.integers(0, high, (h, w)).astype(dtype)
        compare(f, x, np.full((h, w), 7, dtype))
        compare(f, np.asfortranarray(x), np.full((h, w), 7, dtype))
        compare(f, np.repeat(x, 2, axis=1)[:, ::2], np.full((h, w), 7, dtype))


def test_one_array():
    """Iterations depend on each other then, and run as they are written."""
    x = np.random.default_rng(4).integers(0, 2, (40, 90)).astype("u1")
    mine, theirs = x.copy(), x.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        life(theirs[1:], theirs[:-1])
    swathe.njit(parallel=True)(life)(mine[1:], mine[:-1])
    np.testing.assert_array_equal(mine, theirs)


def test_short_output():
    """An index out of range: what was written before is what CPython has written."""
    x = np.ones((9, 70), "u1")
    mine, theirs = np.zeros((9, 66), "u1"), np.zeros((9, 66), "u1")
    with pytest.raises(IndexError):
        life(x, theirs)
    with pytest.raises(IndexError):
        swathe.njit(life)(x, mine)
    np.testing.assert_array_equal(mine, theirs)


def test_rows_run_together():
    """The tests above mean nothing unless they do."""
    call = swathe.njit(parallel=True)(life)
    call(np.zeros((9, 9), "u1"), np.zeros((9, 9), "u1"))
    assert "rows run together" in call.explain()
