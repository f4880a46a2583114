# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices from one form to another."""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.sparse import _sparse_check_rows
from . import _classes


@njit
def need_number(x):
    """Raise unless x is a number: what * of two matrices is, SciPy's classes don't agree on."""
    if not isinstance(x, (int, float, complex, np.generic)):
        raise TypeError(
            "* and / of a sparse matrix take a number: multiply() is the product of elements, @ "
            "that of matrices"
        )


@njit
def transposed(x):
    """What x is beside the transpose: numbers are themselves, vectors are rows."""
    if isinstance(x, (int, float, complex, np.generic)):
        return x
    elif isinstance(x, np.ndarray) and x.ndim == 1:
        return x.reshape(-1, 1)
    else:
        return x.T


@njit
def rows_of(A):
    _sparse_check_rows(A.indptr, A.shape[0])
    row = np.empty(A.nnz, A.indices.dtype)
    for i in range(A.shape[0]):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row[k] = i
    return row


@njit
def flipped(A):
    """The transpose as compressed rows, in order; what is twice at one place stays so."""
    n, m = A.shape
    _sparse_check_rows(A.indptr, n)
    first = np.zeros(m + 1, np.int64)
    for k in range(A.nnz):
        first[A.indices[k] + 1] += 1
    for j in range(m):
        first[j + 1] += first[j]
    indices = np.empty(first[m], A.indices.dtype)
    data = np.empty(first[m], A.data.dtype)
    end = first[:m].copy()
    for i in range(n):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            j = A.indices[k]
            p = end[j]
            end[j] = p + 1
            indices[p] = i
            data[p] = A.data[k]
    return _classes.CSR(data, indices, first, (m, n))


@njit
def turned(A):
    """The transpose as compressed rows, in order, what is twice at one place added up."""
    n, m = A.shape
    count = np.zeros(m + 1, np.int64)
    last = np.full(m, -1, np.int64)
    for i in range(n):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            j = A.indices[k]
            if last[j] != i:
                count[j + 1] += 1
                last[j] = i
    for j in range(m):
        count[j + 1] += count[j]
    indices = np.empty(count[m], A.indices.dtype)
    data = np.zeros(count[m], A.data.dtype)
    end = count[:m].copy()
    for i in range(n):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            j = A.indices[k]
            if end[j] == count[j] or indices[end[j] - 1] != i:
                indices[end[j]] = i
                end[j] += 1
            data[end[j] - 1] += A.data[k]
    return _classes.CSR(data, indices, count, (m, n))


@njit(parallel=True)
def _by_rows(A):
    """Whether elements come row by row, each of which is there, and its column, too."""
    row, col, size = A.row, A.col, len(A.row)
    wrong = 0
    for k in prange(1, size):
        wrong += int(row[k] < row[k - 1])
    for k in prange(size):
        wrong += int(col[k] < 0) | int(col[k] >= A.shape[1])
    return wrong == 0 and (size == 0 or (row[0] >= 0 and row[size - 1] < A.shape[0]))


@njit(parallel=True)
def _of_rows(A):
    row, size, n = A.row, len(A.row), A.shape[0]
    indptr = np.zeros(n + 1, np.int64)
    for k in prange(size):  # the first element of a row says where it and the empty ones begin
        before = int(row[k - 1]) if k > 0 else -1
        for i in range(before + 1, int(row[k]) + 1):
            indptr[i] = k
    for i in range(int(row[size - 1]) + 1 if size > 0 else 0, n + 1):
        indptr[i] = size
    return _classes.CSR(A.data.copy(), A.col.copy(), indptr, A.shape)


@njit(parallel=True)
def csr_of_coo(A):
    n, m = A.shape
    if len(A.row) != len(A.data) or len(A.col) != len(A.data):
        raise ValueError("row, column, and data arrays must have the same length")
    if _by_rows(A):
        return _of_rows(A)
    indptr = np.zeros(n + 1, np.int64)
    for i in A.row:
        if i < 0:
            raise ValueError("negative row index found")
        indptr[i + 1] += 1
    for i in range(n):
        indptr[i + 1] += indptr[i]
    indices = np.empty(len(A.data), A.col.dtype)
    data = np.empty(len(A.data), A.data.dtype)
    end = indptr[:n].copy()
    for k in range(len(A.data)):
        i, j = A.row[k], A.col[k]
        if j < 0 or j >= m:
            raise ValueError("column index out of range")
        indices[end[i]] = j
        data[end[i]] = A.data[k]
        end[i] += 1
    return _classes.CSR(data, indices, indptr, (n, m))


@njit
def csr_of_bsr(A):
    """Compressed rows of all elements of blocks, zeros among them."""
    _, height, width = A.data.shape
    n = A.shape[0]
    _sparse_check_rows(A.indptr, n // height)
    indptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        blocks = A.indptr[i // height + 1] - A.indptr[i // height]
        indptr[i + 1] = indptr[i] + blocks * width
    indices = np.empty(indptr[n], A.indices.dtype)
    data = np.empty(indptr[n], A.data.dtype)
    for i in range(n):
        end = indptr[i]
        for k in range(A.indptr[i // height], A.indptr[i // height + 1]):
            for c in range(width):
                indices[end] = A.indices[k] * width + c
                data[end] = A.data[k, i % height, c]
                end += 1
    return _classes.CSR(data, indices, indptr, A.shape)


@njit
def dense_csr(A):
    out = np.zeros(A.shape, A.data.dtype)
    for i in range(A.shape[0]):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            out[i, A.indices[k]] += A.data[k]
    return out


@njit
def dense_bsr(A):
    _, height, width = A.data.shape
    out = np.zeros(A.shape, A.data.dtype)
    for i in range(len(A.indptr) - 1):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            j = A.indices[k] * width
            for r in range(height):
                for c in range(width):
                    out[i * height + r, j + c] += A.data[k, r, c]
    return out
