# SPDX-License-Identifier: BSD-3-Clause
"""Rows in the order of their columns, with what is twice at one place added up.

Most matrices are so already. Whether one is costs a pass over its columns, which is less than to
put it in order; so nobody has to remember it.
"""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from . import _classes
from ._rings import add


@njit(parallel=True, inline="never")
def is_ordered(A):
    """Whether the columns of each row increase; an IndexError if one isn't there.

    All pairs of neighbours are compared in one loop over the matrix, and those counted off that
    belong to two rows.
    """
    n, m = A.shape
    indices, indptr, nnz = A.indices, A.indptr, A.nnz
    if indptr[0] != 0 or nnz > len(indices):
        return False
    falls = 0
    for k in prange(1, nnz):
        falls += int(indices[k] <= indices[k - 1])
    between, backwards = 0, 0
    for i in prange(n):
        lo, hi = indptr[i], indptr[i + 1]
        if hi < lo or hi > nnz:
            backwards += 1
        elif lo < hi:
            if indices[lo] < 0 or indices[hi - 1] >= m:
                raise IndexError("a column of a sparse matrix is out of range")
            if lo > 0:
                between += int(indices[lo] <= indices[lo - 1])
    return backwards == 0 and falls == between


@njit(parallel=True)
def ordered(A):
    """The matrix with its rows in order: itself, if they are."""
    if is_ordered(A):
        return A
    else:
        return _sorted(A)


@njit(parallel=True)
def ordered_copy(A):
    if is_ordered(A):
        n = A.nnz
        return _classes.CSR(A.data[:n].copy(), A.indices[:n].copy(), A.indptr.copy(), A.shape)
    else:
        return _sorted(A)


@njit(parallel=True, inline="never")
def _sorted(A):
    n, m = A.shape
    check_rows(A)
    indices, data = A.indices[: A.nnz].copy(), A.data[: A.nnz].copy()
    indptr = np.zeros(n + 1, A.indptr.dtype)
    for i in prange(n):
        indptr[i + 1] = sort_row(indices, data, A.indptr[i], A.indptr[i + 1], m, "plus.times")
    return packed(data, indices, indptr, A.indptr, A.shape)


@njit
def check_rows(A):
    """Raise unless rows lie one after another."""
    n = A.shape[0]
    if A.indptr[0] != 0:
        raise ValueError("index pointer should start with 0")
    if A.nnz > len(A.indices) or A.nnz > len(A.data):
        raise ValueError("Last value of index pointer should be less than the size of index")
    for i in range(n):
        if A.indptr[i + 1] < A.indptr[i]:
            raise ValueError("index pointer values must form a non-decreasing sequence")


@njit(inline="never")
def sort_row(indices, data, lo, hi, m, ring):
    """Put a row in order and add up, as a semiring does it, what is in one column; returns how many
    elements are left. D. Shell, A high-speed sorting procedure, CACM 2 (1959) 30: most rows are
    short, and this is little code."""
    gap = 1
    while gap < (hi - lo) // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(lo + gap, hi):
            j, v = indices[k], data[k]
            p = k
            while p >= lo + gap and indices[p - gap] > j:
                indices[p] = indices[p - gap]
                data[p] = data[p - gap]
                p -= gap
            indices[p] = j
            data[p] = v
        gap //= 3
    if lo < hi and (indices[lo] < 0 or indices[hi - 1] >= m):
        raise IndexError("a column of a sparse matrix is out of range")
    end = lo
    for k in range(lo, hi):
        if end > lo and indices[k] == indices[end - 1]:
            data[end - 1] = add(ring, data[end - 1], data[k])
        else:
            indices[end] = indices[k]
            data[end] = data[k]
            end += 1
    return end - lo


@njit(parallel=True, inline="never")
def packed(data, indices, indptr, starts, shape):
    """The matrix of rows that begin at `starts` with gaps behind them; `indptr` has how many
    elements each has at the place behind it."""
    n = shape[0]
    for i in range(n):
        indptr[i + 1] += indptr[i]
    total = indptr[n]
    if total == len(data):
        return _classes.CSR(data, indices, indptr, shape)
    at, values = np.empty(total, indices.dtype), np.empty(total, data.dtype)
    for i in prange(n):
        away = starts[i] - indptr[i]
        for k in range(indptr[i], indptr[i + 1]):
            at[k] = indices[k + away]
            values[k] = data[k + away]
    return _classes.CSR(values, at, indptr, shape)
