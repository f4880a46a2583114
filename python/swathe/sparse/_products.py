# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse matrices with dense and sparse ones."""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.shapes import _common
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
