# SPDX-License-Identifier: BSD-3-Clause
"""numba.cuda's atomic.max and atomic.min: an element stays as it is where the other is NaN."""

from __future__ import annotations

import numpy as np
import pytest

from swathe.compat.numba import cuda


@cuda.jit
def greatest(x, vals, old):
    i = cuda.grid(1)
    if i < vals.size:
        old[i] = cuda.atomic.max(x, 0, vals[i])


@cuda.jit
def least(x, vals, old):
    i = cuda.grid(1)
    if i < vals.size:
        old[i] = cuda.atomic.min(x, (1, 0), vals[i])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_of_floats(dtype):
    for first in (3.0, -0.0, np.inf, -np.inf, np.nan):
        for val in (1.0, 5.0, 0.0, np.inf, -np.inf, np.nan):
            x, old = np.full(2, first, dtype), np.zeros(1, dtype)
            greatest[1, 1](x, np.array([val], dtype), old)
            want = val if val > first else first
            assert np.array_equal(x, np.array([want, first], dtype), equal_nan=True)
            assert np.array_equal(old, [first], equal_nan=True)
            y, old = np.full((2, 1), first, dtype), np.zeros(1, dtype)
            least[1, 1](y, np.array([val], dtype), old)
            want = val if val < first else first
            assert np.array_equal(y[:, 0], np.array([first, want], dtype), equal_nan=True)
            assert np.array_equal(old, [first], equal_nan=True)
    vals = np.arange(100.0).astype(dtype)
    vals[::3] = np.nan
    x = np.zeros(1, dtype)
    greatest[4, 32](x, vals, np.zeros(100, dtype))
    assert x[0] == 98


def test_of_integers():
    x, old = np.array([3, 9]), np.zeros(3, np.int64)
    greatest[1, 3](x, np.array([1, 7, 2]), old)
    assert x.tolist() == [7, 9] and set(old) <= {3, 7}
    y = np.array([[5], [2]])
    least[1, 2](y, np.array([4, -3]), old)
    assert y.tolist() == [[5], [-3]]


def test_in_shared_memory():
    @cuda.jit
    def kernel(vals, out):
        s = cuda.shared.array(1, np.float64)
        i = cuda.threadIdx.x
        if i == 0:
            s[0] = -1.0
        cuda.syncthreads()
        cuda.atomic.max(s, 0, vals[i])
        cuda.syncthreads()
        out[i] = s[0]

    vals, out = np.arange(32.0), np.zeros(32)
    vals[5] = np.nan
    kernel[1, 32](vals, out)
    assert (out == 31).all()
