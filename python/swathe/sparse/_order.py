# SPDX-License-Identifier: BSD-3-Clause
"""Rows in the order of their columns, with what is twice at one place added up.

Most matrices are so already. Whether one is costs a pass over its columns, which is less than to
put it in order; so nobody has to remember it.
"""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.sparse import _sparse_check, _sparse_sort_row
from . import _classes


@njit(parallel=True, inline="never")
def is_ordered(A):
    """Whether the columns of each row increase; an IndexError if one isn't there.

    All pairs of neighbours are compared in one loop over the matrix, and those counted off that
    belong to two rows.
    """
    n, m = A.shape
    indices, indptr, nnz = A.indices, A.indptr, A.nnz
    if indptr[0] != 0 or nnz > len(indices) or nnz > len(A.data):
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


@njit(parallel=True, inline="never", boundscheck=False)
def _sorted(A):
    n, m = A.shape
    _sparse_check(A, m)
    indices, data = A.indices[: A.nnz].copy(), A.data[: A.nnz].copy()
    indptr = np.zeros(n + 1, A.indptr.dtype)
    for i in prange(n):
        indptr[i + 1] = _sort_row(indices, data, A.indptr[i], A.indptr[i + 1])
    return packed(data, indices, indptr, A.indptr, A.shape)


@njit(inline="never", boundscheck=False)
def _sort_row(indices, data, lo, hi):
    return _sparse_sort_row(indices, data, lo, hi, "plus.times")


@njit(parallel=True, inline="never", boundscheck=False)
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
