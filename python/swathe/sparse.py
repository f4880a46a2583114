# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices in compiled code, and over SciPy's.

A matrix of SciPy (``csr``, ``csc``, ``coo``, ``bsr``, as matrix or array) is an argument of
compiled functions as it is: there it is one of the classes below, over the same memory. The classes
have SciPy's attributes and methods, as far as they are here, so that a function over a sparse
matrix reads the same with and without the decorator. Made from Python, as by ``sparse.csr(A)``,
they are values like any named tuple, whose methods run compiled.

>>> import numpy as np, swathe
>>> from swathe import sparse
>>> A = sparse.from_dense(np.array([[1.0, 0.0], [2.0, 3.0]]))
>>> A @ np.array([1.0, 1.0])
array([1., 5.])
>>> @swathe.njit
... def largest_of_row(A, i):
...     m = -np.inf
...     for k in range(A.indptr[i], A.indptr[i + 1]):
...         m = max(m, A.data[k])
...     return m
>>> largest_of_row(A, 1)
3.0
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import njit, prange
from .lib.shapes import _common


class _Compressed(NamedTuple):
    """What the classes with `indptr` share."""

    data: Any
    indices: Any
    indptr: Any
    shape: tuple[int, int]

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def ndim(self) -> int:
        return 2

    def transpose(self) -> Any:
        return self.T  # type: ignore[attr-defined]

    def dot(self, other: Any) -> Any:
        return self @ other  # type: ignore[operator]

    def __rmul__(self, by: Any) -> Any:
        return self * by

    def to_scipy(self) -> Any:
        """Return SciPy's array of this format over the same memory; not in compiled code."""
        return _scipy(self, (self.data, self.indices, self.indptr))


class CSR(_Compressed):
    """Compressed rows: row i has the elements data[indptr[i]:indptr[i+1]] in the columns
    indices[indptr[i]:indptr[i+1]]."""

    __slots__ = ()

    @property
    def nnz(self) -> Any:
        return int(self.indptr[self.shape[0]])

    @property
    def T(self) -> Any:
        return CSC(self.data, self.indices, self.indptr, (self.shape[1], self.shape[0]))

    def row(self, i: int) -> Any:
        """Return the columns of the elements of a row, and the elements: views, no copies."""
        return _row(self, i)

    def __matmul__(self, other: Any) -> Any:
        return _matmul_csr(self, other)

    def __add__(self, other: Any) -> Any:
        return _union(self, other, None)

    def __sub__(self, other: Any) -> Any:
        return _union(self, other, True)

    def __mul__(self, by: Any) -> Any:
        return _scaled(self, by)

    def multiply(self, other: Any) -> Any:
        """Return the product element by element with a sparse matrix of the same shape."""
        return _intersection(self, other)

    def sum(self, axis: Any = None) -> Any:
        """Return the sum of all, or of each column (axis 0) or row (axis 1) as a vector."""
        return _sum_csr(self, axis)

    def __getitem__(self, at: Any) -> Any:  # type: ignore[override]
        """Return the element at (i, j)."""
        return _element(self, at[0], at[1])

    def diagonal(self) -> Any:
        return _diagonal(self)

    def toarray(self) -> Any:
        return _dense_csr(self)

    def tocsr(self) -> Any:
        return self

    def tocsc(self) -> Any:
        return _turned(self).T

    def tocoo(self) -> Any:
        return COO(self.data, _rows_of(self), self.indices, self.shape)

    def sorted(self) -> Any:
        """Return a matrix whose rows are in order of their columns, doubles added up."""
        return _turned(_turned(self))


class CSC(_Compressed):
    """Compressed columns: the transpose of a CSR of the transpose."""

    __slots__ = ()

    @property
    def nnz(self) -> Any:
        return int(self.indptr[self.shape[1]])

    @property
    def T(self) -> Any:
        return CSR(self.data, self.indices, self.indptr, (self.shape[1], self.shape[0]))

    def column(self, j: int) -> Any:
        """Return the rows of the elements of a column, and the elements: views, no copies."""
        return _row(self.T, j)

    def __matmul__(self, other: Any) -> Any:
        return _matmul_csc(self, other)

    def __add__(self, other: Any) -> Any:
        return (self.T + other.T).T

    def __sub__(self, other: Any) -> Any:
        return (self.T - other.T).T

    def __mul__(self, by: Any) -> Any:
        return (self.T * by).T

    def multiply(self, other: Any) -> Any:
        return self.T.multiply(other.T).T

    def sum(self, axis: Any = None) -> Any:
        if axis is not None and (axis < -2 or axis > 1):
            raise ValueError("axis out of range")
        return self.T.sum(None if axis is None else 1 - axis % 2)

    def __getitem__(self, at: Any) -> Any:  # type: ignore[override]
        return _element(self.T, at[1], at[0])

    def diagonal(self) -> Any:
        return self.T.diagonal()

    def toarray(self) -> Any:
        return self.T.toarray().T

    def tocsr(self) -> Any:
        return _turned(self.T)

    def tocsc(self) -> Any:
        return self


class BSR(_Compressed):
    """Compressed rows of blocks: data has the shape (blocks, height, width)."""

    __slots__ = ()

    @property
    def nnz(self) -> Any:
        return self.data.size

    @property
    def blocksize(self) -> Any:
        return self.data.shape[1], self.data.shape[2]

    def __matmul__(self, other: Any) -> Any:
        return _matmul_bsr(self, other)

    def __add__(self, other: Any) -> Any:  # not a tuple's
        raise TypeError("a sum of matrices of blocks is not supported: convert them with tocsr()")

    def __mul__(self, by: Any) -> Any:
        return BSR(self.data * by, self.indices, self.indptr, self.shape)

    def toarray(self) -> Any:
        return _dense_bsr(self)


class COO(NamedTuple):
    """Triples: data[k] is at (row[k], col[k]); what is at one place is added up."""

    data: Any
    row: Any
    col: Any
    shape: tuple[int, int]

    @property
    def nnz(self) -> Any:
        return len(self.data)

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def ndim(self) -> int:
        return 2

    @property
    def T(self) -> Any:
        return COO(self.data, self.col, self.row, (self.shape[1], self.shape[0]))

    def transpose(self) -> Any:
        return self.T

    def __matmul__(self, other: Any) -> Any:
        return _matmul_csr(_csr_of_coo(self), other)

    def __add__(self, other: Any) -> Any:
        return self.tocsr() + other.tocsr()

    def __sub__(self, other: Any) -> Any:
        return self.tocsr() - other.tocsr()

    def __mul__(self, by: Any) -> Any:
        return COO(self.data * by, self.row, self.col, self.shape)

    def __rmul__(self, by: Any) -> Any:
        return self * by

    def toarray(self) -> Any:
        return _dense_csr(_csr_of_coo(self))

    def tocsr(self) -> Any:
        """Return compressed rows, each in order of its columns, with doubles added up."""
        return _csr_of_coo(self).sorted()

    def tocsc(self) -> Any:
        return _turned(_csr_of_coo(self)).T

    def tocoo(self) -> Any:
        return self

    def to_scipy(self) -> Any:
        return _scipy(self, (self.data, (self.row, self.col)))


# ---- from and to others ---------------------------------------------------------------------


def _of_csr(a: Any) -> CSR:
    return CSR(a.data, a.indices, a.indptr, _shape(a))


def _of_csc(a: Any) -> CSC:
    return CSC(a.data, a.indices, a.indptr, _shape(a))


def _of_coo(a: Any) -> COO:
    _shape(a)
    return COO(a.data, a.row, a.col, a.shape)


def _of_bsr(a: Any) -> BSR:
    return BSR(a.data, a.indices, a.indptr, _shape(a))


def _shape(a: Any) -> tuple[int, int]:
    if len(a.shape) != 2:
        raise TypeError(f"a sparse array of {len(a.shape)} axes is not supported: of two it is")
    return (int(a.shape[0]), int(a.shape[1]))


def _scipy(a: Any, parts: tuple[Any, ...]) -> Any:
    import scipy.sparse

    return getattr(scipy.sparse, type(a).__name__.lower() + "_array")(
        parts, shape=a.shape, copy=False
    )


def csr(a: Any) -> CSR:
    """Return a matrix of SciPy, one of the classes here, or a dense array as compressed rows.

    Parameters
    ----------
    a : matrix
        Where it has compressed rows already, the memory is shared.

    Raises
    ------
    TypeError
        If it is none of these.
    """
    if isinstance(a, CSR):
        return a
    if isinstance(a, (CSC, COO)):
        return a.tocsr()
    if isinstance(a, np.ndarray):
        return from_dense(a)
    if isinstance(a, BSR) or not hasattr(a, "tocsr"):
        raise TypeError(f"csr() takes a sparse matrix or a dense array, not {type(a).__name__}")
    return _of_csr(a.tocsr())


@njit
def from_dense(a):
    """Return the elements of a dense matrix that aren't 0, as compressed rows."""
    indptr = np.zeros(a.shape[0] + 1, np.int64)
    for i in range(a.shape[0]):
        n = 0
        for j in range(a.shape[1]):
            if a[i, j] != 0:
                n += 1
        indptr[i + 1] = indptr[i] + n
    indices = np.empty(indptr[-1], np.int32)
    data = np.empty(indptr[-1], a.dtype)
    k = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] != 0:
                indices[k] = j
                data[k] = a[i, j]
                k += 1
    return CSR(data, indices, indptr, a.shape)


# ---- products -------------------------------------------------------------------------------


@njit(parallel=True)
def _matmul_csr(A, B):
    if isinstance(B, CSR):
        return _product(A, B)
    elif isinstance(B, (CSC, COO)):
        return _product(A, B.tocsr())
    else:
        return _by_dense(A, B)


@njit(parallel=True)
def _matmul_csc(A, B):
    if isinstance(B, (CSR, CSC, COO)):
        return _product(A.tocsr(), B.tocsr())
    else:
        return _by_dense(A.tocsr(), B)


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


@njit(parallel=True)
def _matmul_bsr(A, x):
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


@njit
def _product(A, B):
    """Gustavson's product: a row of the result is a sum of rows of B, which is added up in a dense
    row. F. Gustavson, Two fast algorithms for sparse matrices, ACM TOMS 4 (1978) 250."""
    n, m = A.shape[0], B.shape[1]
    if A.shape[1] != B.shape[0]:
        raise ValueError("dimension mismatch")
    indptr = np.zeros(n + 1, np.int64)
    seen = np.full(m, -1, np.int64)
    for i in range(n):
        count = 0
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row = A.indices[k]
            for p in range(B.indptr[row], B.indptr[row + 1]):
                j = B.indices[p]
                if seen[j] != i:
                    seen[j] = i
                    count += 1
        indptr[i + 1] = indptr[i] + count
    kind = _common((A.data, B.data)).dtype
    indices = np.empty(indptr[n], np.int32)
    data = np.empty(indptr[n], kind)
    place = np.full(m, -1, np.int64)
    for i in range(n):
        start = end = indptr[i]
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row, v = A.indices[k], A.data[k]
            for p in range(B.indptr[row], B.indptr[row + 1]):
                j = B.indices[p]
                if place[j] < start:
                    place[j] = end
                    indices[end] = j
                    data[end] = v * B.data[p]
                    end += 1
                else:
                    data[place[j]] += v * B.data[p]
    return CSR(data, indices, indptr, (n, m))


# ---- forms ----------------------------------------------------------------------------------


@njit
def _row(A, i):
    if i < -A.shape[0] or i >= A.shape[0]:
        raise IndexError("row index out of range")
    if i < 0:
        i += A.shape[0]
    lo, hi = A.indptr[i], A.indptr[i + 1]
    return A.indices[lo:hi], A.data[lo:hi]


@njit
def _rows_of(A):
    row = np.empty(A.nnz, A.indices.dtype)
    for i in range(A.shape[0]):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row[k] = i
    return row


@njit
def _turned(A):
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
    return CSR(data, indices, count, (m, n))


@njit
def _csr_of_coo(A):
    n, m = A.shape
    if len(A.row) != len(A.data) or len(A.col) != len(A.data):
        raise ValueError("row, column, and data arrays must have the same length")
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
    return CSR(data, indices, indptr, (n, m))


@njit
def _dense_csr(A):
    out = np.zeros(A.shape, A.data.dtype)
    for i in range(A.shape[0]):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            out[i, A.indices[k]] += A.data[k]
    return out


@njit
def _dense_bsr(A):
    _, height, width = A.data.shape
    out = np.zeros(A.shape, A.data.dtype)
    for i in range(len(A.indptr) - 1):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            j = A.indices[k] * width
            for r in range(height):
                for c in range(width):
                    out[i * height + r, j + c] += A.data[k, r, c]
    return out


# ---- sums and elements ----------------------------------------------------------------------


@njit(parallel=True)
def _sum_csr(A, axis):
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
def _element(A, i, j):
    n, m = A.shape
    if i < -n or i >= n or j < -m or j >= m:
        raise IndexError("index out of range")
    total = A.data.dtype.type(0)
    for k in range(A.indptr[i % n], A.indptr[i % n + 1]):
        if A.indices[k] == j % m:
            total += A.data[k]
    return total


@njit
def _diagonal(A):
    n = min(A.shape[0], A.shape[1])
    out = np.zeros(n, A.data.dtype)
    for i in range(n):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            if A.indices[k] == i:
                out[i] += A.data[k]
    return out


@njit
def _scaled(A, by):
    return CSR(A.data * by, A.indices, A.indptr, A.shape)


@njit
def _union(A, B, minus):
    """The sum of two, or, where `minus` is not None, their difference: rows of both, in order."""
    if A.shape != B.shape:
        raise ValueError("inconsistent shapes")
    n, m = A.shape
    kind = _common((A.data, B.data)).dtype
    most = A.nnz + B.nnz
    indptr = np.zeros(n + 1, np.int64)
    indices = np.empty(most, np.int32)
    data = np.empty(most, kind)
    place = np.full(m, -1, np.int64)
    end = 0
    for i in range(n):
        start = end
        for k in range(A.indptr[i], A.indptr[i + 1]):
            j = A.indices[k]
            if place[j] < start:
                place[j] = end
                indices[end] = j
                data[end] = A.data[k]
                end += 1
            else:
                data[place[j]] += A.data[k]
        for k in range(B.indptr[i], B.indptr[i + 1]):
            j = B.indices[k]
            v = B.data[k] if minus is None else -B.data[k]
            if place[j] < start:
                place[j] = end
                indices[end] = j
                data[end] = v
                end += 1
            else:
                data[place[j]] += v
        indptr[i + 1] = end
    return _turned(_turned(CSR(data[:end], indices[:end], indptr, (n, m))))


@njit
def _intersection(A, B):
    if A.shape != B.shape:
        raise ValueError("inconsistent shapes")
    n, m = A.shape
    A, B = _turned(_turned(A)), _turned(_turned(B))
    kind = _common((A.data, B.data)).dtype
    indptr = np.zeros(n + 1, np.int64)
    most = min(A.nnz, B.nnz)
    indices = np.empty(most, np.int32)
    data = np.empty(most, kind)
    end = 0
    for i in range(n):
        p, q = A.indptr[i], B.indptr[i]
        while p < A.indptr[i + 1] and q < B.indptr[i + 1]:
            if A.indices[p] < B.indices[q]:
                p += 1
            elif A.indices[p] > B.indices[q]:
                q += 1
            else:
                indices[end] = A.indices[p]
                data[end] = A.data[p] * B.data[q]
                end += 1
                p += 1
                q += 1
        indptr[i + 1] = end
    return CSR(data[:end], indices[:end], indptr, (n, m))
