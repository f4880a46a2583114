# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse matrices with dense and sparse ones."""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.shapes import _common
from ..lib.sparse import _sparse_check
from . import _classes
from ._pairs import product


@njit(parallel=True)
def of_csr(A, B):
    if isinstance(B, _classes.CSR):
        return product(A, B, "plus.times")
    elif isinstance(B, (_classes.CSC, _classes.COO, _classes.BSR)):
        return product(A, B.tocsr(), "plus.times")
    else:
        _need_axes(B)
        return _by_dense(A, B)


@njit(parallel=True)
def of_csc(A, B):
    if isinstance(B, (_classes.CSR, _classes.CSC, _classes.COO, _classes.BSR)):
        return product(A.tocsr(), B.tocsr(), "plus.times")
    else:
        _need_axes(B)
        if B.ndim == 1:
            return _by_vector_csc(A, B)
        else:
            return _by_dense(A.tocsr(), B)


@njit(parallel=True)
def of_bsr(A, B):
    if isinstance(B, (_classes.CSR, _classes.CSC, _classes.COO, _classes.BSR)):
        return product(A.tocsr(), B.tocsr(), "plus.times")
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
        if x.shape[1] == 1:
            return _by_dense(A, x[:, 0]).reshape(n, 1)
        _sparse_check(A, m)
        return _by_matrix(A, x, kind)


@njit(parallel=True, boundscheck=False)
def _by_matrix(A, x, kind):
    """Sums of eight columns at a time, or of fewer, are in registers. A has been checked."""
    data, indices, indptr = A.data, A.indices, A.indptr
    n, m = A.shape[0], x.shape[1]
    y = np.empty((n, m), kind)
    zero = kind.type(0)
    for i in prange(n):
        begin, end = indptr[i], indptr[i + 1]
        at = 0
        while at + 8 <= m:
            a, b, c, d, e, f, g, h = zero, zero, zero, zero, zero, zero, zero, zero
            for k in range(begin, end):
                v, j = data[k], indices[k]
                a, b, c, d = (
                    a + v * x[j, at],
                    b + v * x[j, at + 1],
                    c + v * x[j, at + 2],
                    d + v * x[j, at + 3],
                )
                e, f, g, h = (
                    e + v * x[j, at + 4],
                    f + v * x[j, at + 5],
                    g + v * x[j, at + 6],
                    h + v * x[j, at + 7],
                )
            y[i, at], y[i, at + 1], y[i, at + 2], y[i, at + 3] = a, b, c, d
            y[i, at + 4], y[i, at + 5], y[i, at + 6], y[i, at + 7] = e, f, g, h
            at += 8
        while at + 4 <= m:
            a, b, c, d = zero, zero, zero, zero
            for k in range(begin, end):
                v, j = data[k], indices[k]
                a, b, c, d = (
                    a + v * x[j, at],
                    b + v * x[j, at + 1],
                    c + v * x[j, at + 2],
                    d + v * x[j, at + 3],
                )
            y[i, at], y[i, at + 1], y[i, at + 2], y[i, at + 3] = a, b, c, d
            at += 4
        if at + 3 == m:
            a, b, c = zero, zero, zero
            for k in range(begin, end):
                v, j = data[k], indices[k]
                a, b, c = (a + v * x[j, at], b + v * x[j, at + 1], c + v * x[j, at + 2])
            y[i, at], y[i, at + 1], y[i, at + 2] = a, b, c
        elif at + 2 == m:
            a, b = zero, zero
            for k in range(begin, end):
                v, j = data[k], indices[k]
                a, b = (a + v * x[j, at], b + v * x[j, at + 1])
            y[i, at], y[i, at + 1] = a, b
        elif at < m:
            a = zero
            for k in range(begin, end):
                v, j = data[k], indices[k]
                a = a + v * x[j, at]
            y[i, at] = a
    return y


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
