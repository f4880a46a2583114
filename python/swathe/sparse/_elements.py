# SPDX-License-Identifier: BSD-3-Clause
"""Sums, elements, parts, and operations of two sparse matrices element by element."""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.shapes import _common
from . import _classes
from ._forms import need_number
from ._order import ordered
from ._pairs import merged


@njit
def mean(A, axis):
    """The mean of all, or of each column (axis 0) or row (axis 1) as a vector."""
    n, m = A.shape
    B = A.astype(np.float64) if A.dtype.kind in "biu" else A
    s = B.sum(axis)
    count = n * m if axis is None else n if axis == 0 or axis == -2 else m
    if count == 0:
        raise ZeroDivisionError("float division by zero")
    return s / B.dtype.type(count)


@njit
def extreme(A, greatest):
    n, m = A.shape
    if n * m == 0:
        raise ValueError("zero-size array to reduction operation")
    B = ordered(A)
    zero = B.data.dtype.type(0)
    if B.nnz == 0:
        return zero
    stored = B.data[: B.nnz]
    found = stored.max() if greatest else stored.min()
    if B.nnz < n * m:
        found = np.maximum(found, zero) if greatest else np.minimum(found, zero)
    return found


@njit(parallel=True)
def total(A, axis):
    if axis is None:
        return A.data[: A.nnz].sum()
    elif axis == 0 or axis == -2:
        out = np.zeros(A.shape[1], np.sum(A.data[:0]).dtype)
        for k in range(A.nnz):
            out[A.indices[k]] += A.data[k]
        return out
    elif axis == 1 or axis == -1:
        rows = np.zeros(A.shape[0], np.sum(A.data[:0]).dtype)
        for i in range(A.shape[0]):
            for k in range(A.indptr[i], A.indptr[i + 1]):
                rows[i] += A.data[k]
        return rows
    else:
        raise ValueError("axis out of range")


@njit
def row(A, i):
    if i < -A.shape[0] or i >= A.shape[0]:
        raise IndexError("row index out of range")
    if i < 0:
        i += A.shape[0]
    lo, hi = A.indptr[i], A.indptr[i + 1]
    return A.indices[lo:hi], A.data[lo:hi]


@njit
def element(A, i, j):
    n, m = A.shape
    if i < -n or i >= n or j < -m or j >= m:
        raise IndexError("index out of range")
    total = A.data.dtype.type(0)
    for k in range(A.indptr[i % n], A.indptr[i % n + 1]):
        if A.indices[k] == j % m:
            total += A.data[k]
    return total


def item(A, at):
    """The element at (i, j), or the matrix of rows, or of rows and columns, that slices, vectors of
    places and vectors of bools name. From Python it runs in Python, for slices are no arguments."""
    if isinstance(at, tuple):
        if len(at) != 2:
            raise IndexError("a sparse matrix has two axes")
        i, j = at
        if isinstance(i, (int, np.integer)) and isinstance(j, (int, np.integer)):
            return element(A, i, j)
        elif isinstance(i, np.ndarray) and isinstance(j, np.ndarray):
            raise IndexError("two arrays of places are not supported: A[rows][:, columns]")
        else:
            _need_part(i)
            _need_part(j)
            return _columns(_rows(A, np.arange(A.shape[0])[i]), np.arange(A.shape[1])[j])
    else:
        _need_part(at)
        return _rows(A, np.arange(A.shape[0])[at])


def item_csc(A, at):
    if isinstance(at, tuple):
        if len(at) != 2:
            raise IndexError("a sparse matrix has two axes")
        i, j = at
        if isinstance(i, (int, np.integer)) and isinstance(j, (int, np.integer)):
            return element(A.T, j, i)
        else:
            return item(A.T, (j, i)).T
    else:
        return item(A.T, (slice(None), at)).T


def _need_part(k):
    if isinstance(k, (int, np.integer)):
        raise IndexError("one row or column of a sparse matrix: say A[i : i + 1], or use row(i)")
    elif isinstance(k, np.ndarray):
        if k.ndim != 1:
            raise IndexError("an array that is an index of a sparse matrix has one axis")
    elif not isinstance(k, slice):
        raise IndexError("slices, vectors of integers and of bools are parts of a sparse matrix")


@njit(parallel=True)
def _rows(A, rows):
    indptr = np.zeros(len(rows) + 1, np.int64)
    for k in range(len(rows)):
        indptr[k + 1] = indptr[k] + A.indptr[rows[k] + 1] - A.indptr[rows[k]]
    indices = np.empty(indptr[-1], A.indices.dtype)
    data = np.empty(indptr[-1], A.data.dtype)
    for k in prange(len(rows)):
        lo, hi = indptr[k], indptr[k + 1]
        start = A.indptr[rows[k]]
        indices[lo:hi] = A.indices[start : start + hi - lo]
        data[lo:hi] = A.data[start : start + hi - lo]
    return _classes.CSR(data, indices, indptr, (len(rows), A.shape[1]))


@njit
def _columns(A, columns):
    n, m = A.shape
    first = np.zeros(m + 1, np.int64)  # where the new places of each column begin
    for j in columns:
        first[j + 1] += 1
    for j in range(m):
        first[j + 1] += first[j]
    place, end = np.empty(len(columns), np.int64), first[:m].copy()
    for k in range(len(columns)):
        place[end[columns[k]]] = k
        end[columns[k]] += 1
    indptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        count = indptr[i]
        for k in range(A.indptr[i], A.indptr[i + 1]):
            count += first[A.indices[k] + 1] - first[A.indices[k]]
        indptr[i + 1] = count
    indices = np.empty(indptr[n], A.indices.dtype)
    data = np.empty(indptr[n], A.data.dtype)
    for i in range(n):
        p = indptr[i]
        for k in range(A.indptr[i], A.indptr[i + 1]):
            for q in range(first[A.indices[k]], first[A.indices[k] + 1]):
                indices[p] = place[q]
                data[p] = A.data[k]
                p += 1
    return _classes.CSR(data, indices, indptr, (n, len(columns)))


@njit
def diagonal(A, d):
    n, m = A.shape
    out = np.zeros(max(min(n + min(d, 0), m - max(d, 0)), 0), A.data.dtype)
    first = max(-d, 0)
    for i in range(first, first + len(out)):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            if A.indices[k] == i + d:
                out[i - first] += A.data[k]
    return out


@njit
def add(A, B, way):
    """A + B, or, as `way` says, A - B or, of a dense B, B - A ("+", "-", "from")."""
    if isinstance(B, (int, float, complex, np.generic)):
        if B != 0:
            raise NotImplementedError(
                "a sparse matrix and a number that is not 0 have no sparse sum"
            )
        return -A if way == "from" else A.copy()
    elif isinstance(B, np.ndarray):
        return _with_dense(A.tocsr(), B, way)
    elif isinstance(A, _classes.CSC):
        return merged(A.T, B.tocsc().T, way).T
    else:
        return merged(A.tocsr(), B.tocsr(), way)


@njit
def _with_dense(A, B, way):
    out = np.empty(A.shape, _common((A.data, B)).dtype)
    if way == "-":
        out[:] = -B.astype(out.dtype)
    else:
        out[:] = B
    for i in range(A.shape[0]):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            if way == "from":
                out[i, A.indices[k]] -= A.data[k]
            else:
                out[i, A.indices[k]] += A.data[k]
    return out


@njit
def multiply(A, B):
    if isinstance(B, (int, float, complex, np.generic)):
        return _classes.CSR(A.data * B, A.indices, A.indptr, A.shape)
    elif isinstance(B, np.ndarray):
        return _by_dense(A, B)
    else:
        return merged(A, B.tocsr(), "*")


@njit
def _by_dense(A, B):
    wide = np.broadcast_to(B, A.shape)
    data = np.empty(A.nnz, _common((A.data, B)).dtype)
    for i in range(A.shape[0]):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            data[k] = A.data[k] * wide[i, A.indices[k]]
    return _classes.CSR(data, A.indices[: A.nnz], A.indptr, A.shape)


@njit
def quotients(data, by):
    """Elements over a number, as SciPy has them: times the reciprocal, in double precision."""
    need_number(by)
    if data.dtype.kind == "c":
        return data * (1.0 / by)
    else:
        return data.astype(np.float64) * (1.0 / by)


@njit
def conjugates(data):
    return np.conj(data) if data.dtype.kind == "c" else data.copy()
