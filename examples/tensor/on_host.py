# SPDX-License-Identifier: BSD-3-Clause
"""Operations on all cores of the CPU: njit and prange over places of the result.

`map_of`, `zip_of` and `reduce_of` take a function of one or two numbers and return the operation on
whole storages; each is compiled once, when it first runs.
"""

from __future__ import annotations

from typing import Any

import functions
import numpy as np
from compiler import numba
from storage import Storage

njit = numba.njit
prange = numba.prange


@njit
def row_place(row, shape, strides):
    """Return where a row begins: the last axis but one counts fastest."""
    at = 0
    left = np.int64(row)  # Numba counts parallel loops without a sign
    for d in range(len(shape) - 2, -1, -1):
        at += left % shape[d] * strides[d]
        left = left // shape[d]
    return at


def map_of(fn: Any) -> Any:
    f = njit(fn)

    @njit(parallel=True)
    def flat(out, a):
        for i in prange(len(out)):
            out[i] = f(a[i])

    @njit(parallel=True)
    def strided(out, a, shape, strides):
        n, step = shape[-1], strides[-1]
        for row in prange(len(out) // n):
            at = row_place(row, shape, strides)
            for k in range(n):
                out[row * n + k] = f(a[at + k * step])

    def run(a: Storage) -> Storage:
        out = Storage.empty(a.shape)
        if a.is_contiguous():
            flat(out.data, a.data)
        elif out.size:
            strided(out.data, a.data, _array(a.shape), _array(a.strides))
        return out

    return run


def zip_of(fn: Any) -> Any:
    f = njit(fn)

    @njit(parallel=True)
    def flat(out, a, b):
        for i in prange(len(out)):
            out[i] = f(a[i], b[i])

    @njit(parallel=True)
    def strided(out, a, b, shape, a_strides, b_strides):
        n, a_step, b_step = shape[-1], a_strides[-1], b_strides[-1]
        for row in prange(len(out) // n):
            a_at = row_place(row, shape, a_strides)
            b_at = row_place(row, shape, b_strides)
            for k in range(n):
                out[row * n + k] = f(a[a_at + k * a_step], b[b_at + k * b_step])

    def run(a: Storage, b: Storage) -> Storage:
        out = Storage.empty(a.shape)
        if a.is_contiguous() and b.is_contiguous():
            flat(out.data, a.data, b.data)
        elif out.size:
            strides = _array(a.strides), _array(b.strides)
            strided(out.data, a.data, b.data, _array(a.shape), *strides)
        return out

    return run


def reduce_of(fn: Any, start: float) -> Any:
    f = njit(fn)

    @njit(parallel=True)
    def strided(out, a, shape, strides, n, step):
        for i in prange(len(out)):
            at = row_place(i, shape, strides)
            total = start
            for k in range(n):
                total = f(total, a[at + k * step])
            out[i] = total

    def run(a: Storage, axis: int) -> Storage:
        shape = a.shape[:axis] + (1,) + a.shape[axis + 1 :]
        out = Storage.empty(shape)
        sizes = _array((*shape, 1)), _array((*a.strides, 0))
        strided(out.data, a.data, *sizes, a.shape[axis], a.strides[axis])
        return out

    return run


@njit(parallel=True)
def _matmul(out, a, b, rows, columns, inner):
    for i in prange(len(out) // columns):
        row = np.int64(i)
        to, b_at = row * columns, row // rows * inner * columns
        for c in range(columns):
            out[to + c] = 0.0
        for k in range(inner):
            x = a[row * inner + k]
            for c in range(columns):
                out[to + c] += x * b[b_at + k * columns + c]


same = map_of(functions.same)


def matmul(a: Storage, b: Storage) -> Storage:
    """Return the products of matrices: of two storages with the same axes before the last two."""
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    out = Storage.empty((*a.shape[:-1], columns))
    a, b = (m if m.is_contiguous() else same(m) for m in (a, b))
    if out.size:
        _matmul(out.data, a.data, b.data, rows, columns, inner)
    return out


def _array(values: tuple[int, ...]) -> np.ndarray:
    """Return a shape or strides with an axis at least, for a row to be along."""
    return np.array(values or (1,), dtype=np.int64)
