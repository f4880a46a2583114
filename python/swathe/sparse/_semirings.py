# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse matrices over semirings."""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.sparse import _ring_add, _ring_times
from . import _classes
from ._pairs import product
from ._rings import check, identity, kind_of


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
                term = _ring_times(ring, kind.type(A.data[k]), kind.type(x[A.indices[k]]))
                total = _ring_add(ring, total, term)
            y[i] = total
        return y
    else:
        z = np.full((n, x.shape[1]), none, kind)
        for i in prange(n):
            for k in range(A.indptr[i], A.indptr[i + 1]):
                v, j = kind.type(A.data[k]), A.indices[k]
                for c in range(x.shape[1]):
                    z[i, c] = _ring_add(ring, z[i, c], _ring_times(ring, v, kind.type(x[j, c])))
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
        return product(A.tocsr(), B.tocsr(), semiring)
    else:
        return by_dense(A.tocsr(), B, semiring)
