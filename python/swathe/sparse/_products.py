# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse matrices with dense and sparse ones."""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.shapes import _common
from . import _classes


@njit(parallel=True)
def of_csr(A, B):
    if isinstance(B, _classes.CSR):
        return _product(A, B)
    elif isinstance(B, (_classes.CSC, _classes.COO, _classes.BSR)):
        return _product(A, B.tocsr())
    else:
        _need_axes(B)
        return _by_dense(A, B)


@njit(parallel=True)
def of_csc(A, B):
    if isinstance(B, (_classes.CSR, _classes.CSC, _classes.COO, _classes.BSR)):
        return _product(A.tocsr(), B.tocsr())
    else:
        _need_axes(B)
        if B.ndim == 1:
            return _by_vector_csc(A, B)
        else:
            return _by_dense(A.tocsr(), B)


@njit(parallel=True)
def of_bsr(A, B):
    if isinstance(B, (_classes.CSR, _classes.CSC, _classes.COO, _classes.BSR)):
        return _product(A.tocsr(), B.tocsr())
    else:
        _need_axes(B)
        return _by_dense_bsr(A, B)


@njit
def _need_axes(x):
    if not isinstance(x, np.ndarray):
        raise ValueError(
            "a sparse matrix @ takes vectors and matrices: * is the product with a number"
        )
    elif x.ndim != 1 and x.ndim != 2:
        raise ValueError("a sparse matrix @ takes vectors and matrices, of one and two axes")


@njit(parallel=True)
def _by_dense(A, x):
    n, m = A.shape
    if x.shape[0] != m:
        raise ValueError("dimension mismatch")
    data, indices, indptr = A.data, A.indices, A.indptr
    kind = _common((data, x)).dtype
    if x.ndim == 1:
        y = np.empty(n, kind)
        for i in prange(n):
            total = kind.type(0)
            for k in range(indptr[i], indptr[i + 1]):
                total += data[k] * x[indices[k]]
            y[i] = total
        return y
    else:
        z = np.zeros((n, x.shape[1]), kind)
        for i in prange(n):
            for k in range(indptr[i], indptr[i + 1]):
                v, j = data[k], indices[k]
                for c in range(x.shape[1]):
                    z[i, c] += v * x[j, c]
        return z


@njit
def _by_vector_csc(A, x):
    n, m = A.shape
    if x.shape[0] != m:
        raise ValueError("dimension mismatch")
    y = np.zeros(n, _common((A.data, x)).dtype)
    for j in range(m):
        for k in range(A.indptr[j], A.indptr[j + 1]):
            y[A.indices[k]] += A.data[k] * x[j]
    return y


@njit(parallel=True)
def _by_dense_bsr(A, x):
    n, m = A.shape
    if x.shape[0] != m:
        raise ValueError("dimension mismatch")
    _, height, width = A.data.shape
    kind = _common((A.data, x)).dtype
    y = np.zeros((n,) + x.shape[1:], kind)
    for i in prange(len(A.indptr) - 1):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            j = A.indices[k] * width
            for r in range(height):
                for c in range(width):
                    y[i * height + r] += A.data[k, r, c] * x[j + c]
    return y


@njit(parallel=True)
def _product(A, B):
    """Gustavson's product: a row of the result is a sum of rows of B, which is added up in a dense
    row. F. Gustavson, Two fast algorithms for sparse matrices, ACM TOMS 4 (1978) 250.

    Each piece of rows has a dense row of its own, so that there are no more pieces than pay it.
    """
    n, m = A.shape[0], B.shape[1]
    if A.shape[1] != B.shape[0]:
        raise ValueError("dimension mismatch")
    work = A.nnz * B.nnz // max(B.shape[0], 1)
    pieces = max(min(work // max(4 * m, 1), n // 16, 32), 1)
    rows = (n + pieces - 1) // pieces
    indptr = np.zeros(n + 1, np.int64)
    for c in prange(pieces):
        seen = np.full(m, -1, np.int64)
        for i in range(c * rows, min((c + 1) * rows, n)):
            count = 0
            for k in range(A.indptr[i], A.indptr[i + 1]):
                row = A.indices[k]
                for p in range(B.indptr[row], B.indptr[row + 1]):
                    j = B.indices[p]
                    if seen[j] != i:
                        seen[j] = i
                        count += 1
            indptr[i + 1] = count
    for i in range(n):
        indptr[i + 1] += indptr[i]
    indices = np.empty(indptr[n], np.int32)
    data = np.empty(indptr[n], _common((A.data, B.data)).dtype)
    for c in prange(pieces):
        lo, hi = min(c * rows, n), min((c + 1) * rows, n)
        first = indptr[lo]
        at, sums = indices[first : indptr[hi]], data[first : indptr[hi]]
        place = np.full(m, -1, np.int64)
        end = 0
        for i in range(lo, hi):
            start = end
            for k in range(A.indptr[i], A.indptr[i + 1]):
                row, v = A.indices[k], A.data[k]
                for p in range(B.indptr[row], B.indptr[row + 1]):
                    j = B.indices[p]
                    q = place[j]
                    if q < start:
                        place[j] = end
                        at[end] = j
                        sums[end] = v * B.data[p]
                        end += 1
                    else:
                        sums[q] += v * B.data[p]
    return _classes.CSR(data, indices, indptr, (n, m))
