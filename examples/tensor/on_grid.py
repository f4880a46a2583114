# SPDX-License-Identifier: BSD-3-Clause
"""The operations of `on_host` as grid kernels, with shared memory where threads share their work.

Under swathe they run on any device: on the CPU where there is no other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from compiler import cuda as _cuda
from compiler import numba
from storage import Storage

cuda = _cuda()

THREADS = 256
REDUCERS = 64
TILE = 16


@cuda.jit(device=True)
def place(ordinal, shape, strides):
    """Return where the element of a number is: the last axis counts fastest."""
    at = 0
    for d in range(len(shape) - 1, -1, -1):
        at += ordinal % shape[d] * strides[d]
        ordinal = ordinal // shape[d]
    return at


def map_of(fn: Any) -> Any:
    f = cuda.jit(device=True)(fn)

    @cuda.jit
    def kernel(out, a, shape, strides):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = f(a[place(i, shape, strides)])

    def run(a: Storage) -> Storage:
        out = Storage.empty(a.shape)
        if out.size:
            kernel[_blocks(out.size), THREADS](out.data, a.data, _array(a.shape), _array(a.strides))
        return out

    return run


def zip_of(fn: Any) -> Any:
    f = cuda.jit(device=True)(fn)

    @cuda.jit
    def kernel(out, a, b, shape, a_strides, b_strides):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = f(a[place(i, shape, a_strides)], b[place(i, shape, b_strides)])

    def run(a: Storage, b: Storage) -> Storage:
        out = Storage.empty(a.shape)
        if out.size:
            strides = _array(a.strides), _array(b.strides)
            kernel[_blocks(out.size), THREADS](out.data, a.data, b.data, _array(a.shape), *strides)
        return out

    return run


def reduce_of(fn: Any, start: float) -> Any:
    """A block for each element of the result: its threads take every 64th, then join in a tree."""
    f = cuda.jit(device=True)(fn)

    @cuda.jit
    def kernel(out, a, shape, strides, n, step):
        partial = cuda.shared.array(REDUCERS, numba.float64)
        i, t = cuda.blockIdx.x, cuda.threadIdx.x
        at = place(i, shape, strides)
        total = start
        for k in range(t, n, REDUCERS):
            total = f(total, a[at + k * step])
        partial[t] = total
        cuda.syncthreads()
        half = REDUCERS // 2
        while half > 0:
            if t < half:
                partial[t] = f(partial[t], partial[t + half])
            cuda.syncthreads()
            half = half // 2
        if t == 0:
            out[i] = partial[0]

    def run(a: Storage, axis: int) -> Storage:
        shape = a.shape[:axis] + (1,) + a.shape[axis + 1 :]
        out = Storage.empty(shape)
        if out.size:
            sizes = _array(shape), _array(a.strides), a.shape[axis], a.strides[axis]
            kernel[out.size, REDUCERS](out.data, a.data, *sizes)
        return out

    return run


@cuda.jit
def _matmul(out, a, b, shape, a_strides, b_strides, rows, columns, inner):
    """A block for a tile of the result: it walks along tiles of a and b, in shared memory."""
    x = cuda.shared.array((TILE, TILE), numba.float64)
    y = cuda.shared.array((TILE, TILE), numba.float64)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * TILE + tx, cuda.blockIdx.y * TILE + ty
    batch = cuda.blockIdx.z
    a_at, b_at = place(batch, shape, a_strides), place(batch, shape, b_strides)
    total = 0.0
    for start in range(0, inner, TILE):
        x[ty, tx] = 0.0
        y[ty, tx] = 0.0
        if row < rows and start + tx < inner:
            x[ty, tx] = a[a_at + row * a_strides[-2] + (start + tx) * a_strides[-1]]
        if column < columns and start + ty < inner:
            y[ty, tx] = b[b_at + (start + ty) * b_strides[-2] + column * b_strides[-1]]
        cuda.syncthreads()
        for k in range(TILE):
            total += x[ty, k] * y[k, tx]
        cuda.syncthreads()
    if row < rows and column < columns:
        out[(batch * rows + row) * columns + column] = total


def matmul(a: Storage, b: Storage) -> Storage:
    """Return the products of matrices: of two storages with the same axes before the last two."""
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    out = Storage.empty((*a.shape[:-1], columns))
    if out.size:
        tiles = -(-columns // TILE), -(-rows // TILE), out.size // (rows * columns)
        strides = _array(a.strides), _array(b.strides)
        sizes = _array(a.shape[:-2]), *strides, rows, columns, inner
        _matmul[tiles, (TILE, TILE)](out.data, a.data, b.data, *sizes)
    return out


def _blocks(n: int) -> int:
    return -(-n // THREADS)


def _array(values: tuple[int, ...]) -> np.ndarray:
    return np.array(values, dtype=np.int64)
