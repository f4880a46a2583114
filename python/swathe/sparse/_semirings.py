# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse matrices over semirings: other operations in the places of + and *.

A semiring has a name of two, as ``min.plus``. The branches on it are decided when a function is
compiled.
"""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.shapes import _common
from . import _classes

NAMES = (
    "plus.times", "min.plus", "max.plus", "min.times", "max.times", "min.max", "max.min", "or.and",
)  # fmt: skip


@njit
def add(ring, a, b):
    """The first operation of a semiring; NaN wins."""
    if ring == "plus.times":
        return a + b
    elif ring == "or.and":
        return a | b
    elif ring == "min.plus" or ring == "min.times" or ring == "min.max":
        return np.minimum(a, b)
    else:
        return np.maximum(a, b)


@njit
def times(ring, a, b):
    """The second operation of a semiring."""
    if ring == "min.plus" or ring == "max.plus":
        return a + b
    elif ring == "or.and":
        return (a != 0) & (b != 0)
    elif ring == "min.max":
        return np.maximum(a, b)
    elif ring == "max.min":
        return np.minimum(a, b)
    else:
        return a * b


@njit
def kind_of(ring, A, B):
    """The dtype of a product's elements."""
    if ring == "or.and":
        return np.dtype(np.bool_)
    else:
        return _common((A, B)).dtype


@njit
def identity(ring, kind):
    """What the first operation leaves out: the element where there is no term."""
    if ring == "plus.times" or ring == "or.and":
        return kind.type(0)
    elif kind.kind == "f":
        least = ring == "min.plus" or ring == "min.times" or ring == "min.max"
        return kind.type(np.inf if least else -np.inf)
    elif kind.kind == "i" or kind.kind == "u":
        if ring == "min.plus" or ring == "min.times" or ring == "min.max":
            return np.full(1, np.iinfo(kind).max, kind)[0]
        else:
            return np.full(1, np.iinfo(kind).min, kind)[0]
    else:
        raise TypeError("min and max of a semiring are of integers and real numbers")


@njit
def check(ring):
    """Raise unless there is such a semiring."""
    if ring not in NAMES:
        raise ValueError(
            "semiring is one of plus.times, min.plus, max.plus, min.times, max.times, min.max, "
            "max.min, or.and"
        )


@njit(parallel=True)
def by_dense(A, x, ring):
    """Of compressed rows and a vector or the columns of a matrix."""
    n, m = A.shape
    if x.ndim != 1 and x.ndim != 2:
        raise ValueError("a sparse matrix is multiplied by vectors and matrices")
    if x.shape[0] != m:
        raise ValueError("dimension mismatch")
    kind = kind_of(ring, A.data, x)
    none = identity(ring, kind)
    if x.ndim == 1:
        y = np.empty(n, kind)
        for i in prange(n):
            total = none
            for k in range(A.indptr[i], A.indptr[i + 1]):
                term = times(ring, kind.type(A.data[k]), kind.type(x[A.indices[k]]))
                total = add(ring, total, term)
            y[i] = total
        return y
    else:
        z = np.full((n, x.shape[1]), none, kind)
        for i in prange(n):
            for k in range(A.indptr[i], A.indptr[i + 1]):
                v, j = kind.type(A.data[k]), A.indices[k]
                for c in range(x.shape[1]):
                    z[i, c] = add(ring, z[i, c], times(ring, v, kind.type(x[j, c])))
        return z


@njit(parallel=True)
def matmul(A, B, semiring="plus.times"):
    """Multiply over a semiring.

    Parameters
    ----------
    A : sparse matrix
    B : vector, matrix or sparse matrix
    semiring : str, default "plus.times"
        ``min.plus``, ``max.plus``, ``min.times``, ``max.times``, ``min.max``, ``max.min``,
        ``or.and``: the operation that combines terms, and the one that makes them.

    Returns
    -------
    vector, matrix or CSR
        What isn't stored makes no terms. An element of a dense result without any is the first
        operation's identity: inf for min, -inf for max, of integers the greatest and least. Those
        of ``or.and`` are bools.

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import sparse
    >>> roads = sparse.from_dense(np.array([[0.0, 3.0], [4.0, 0.0]]))
    >>> sparse.matmul(roads, np.array([0.0, 10.0]), "min.plus")
    array([13.,  4.])
    """
    check(semiring)
    if isinstance(B, (_classes.CSR, _classes.CSC, _classes.COO, _classes.BSR)):
        return _product(A.tocsr(), B.tocsr(), semiring)
    else:
        return by_dense(A.tocsr(), B, semiring)


@njit
def _product(A, B, ring):
    """A row of the result is a combination of rows of B, which is made in a dense row."""
    n, m = A.shape[0], B.shape[1]
    if A.shape[1] != B.shape[0]:
        raise ValueError("dimension mismatch")
    kind = kind_of(ring, A.data, B.data)
    none = identity(ring, kind)
    indptr = np.zeros(n + 1, np.int64)
    seen = np.full(m, -1, np.int64)
    for i in range(n):
        count = indptr[i]
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row = A.indices[k]
            for p in range(B.indptr[row], B.indptr[row + 1]):
                if seen[B.indices[p]] != i:
                    seen[B.indices[p]] = i
                    count += 1
        indptr[i + 1] = count
    indices = np.empty(indptr[n], np.int32)
    data = np.empty(indptr[n], kind)
    place = np.full(m, -1, np.int64)
    for i in range(n):
        end = indptr[i]
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row, v = A.indices[k], kind.type(A.data[k])
            for p in range(B.indptr[row], B.indptr[row + 1]):
                j = B.indices[p]
                if place[j] < indptr[i]:
                    place[j] = end
                    indices[end] = j
                    data[end] = none
                    end += 1
                q = place[j]
                data[q] = add(ring, data[q], times(ring, v, kind.type(B.data[p])))
    return _classes.CSR(data, indices, indptr, (n, m))
