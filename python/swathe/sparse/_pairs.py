# SPDX-License-Identifier: BSD-3-Clause
"""Sums and products of two sparse matrices.

The rows of a result are made in pieces of about as much work each, in memory for as many elements
as there can be at most, and then moved together. Memory that nobody has written costs nothing.
"""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.shapes import _common
from ..lib.sparse import (
    _sparse_alike,
    _sparse_check,
    _sparse_count,
    _sparse_cuts,
    _sparse_full_products,
    _sparse_infinite,
    _sparse_merged,
    _sparse_products,
    _sparse_sorted_products,
    _sparse_terms,
)
from . import _classes
from ._order import ordered, packed
from ._rings import identity, kind_of

PIECES = 64
MOST = 1 << 26  # elements from which on those of a product are counted before there is memory
WIDEST = 1 << 30  # columns that have a number of 32 bits each


@njit(parallel=True, boundscheck=False)
def merged(A, B, way):
    """The sum of two ("+"), their difference ("-"), or the products of their elements ("*"); zeros
    are left out, as by SciPy. What is infinite or NaN has a product with what is not stored."""
    if A.shape != B.shape:
        raise ValueError("inconsistent shapes")
    kind = _common((A.data, B.data)).dtype
    P, Q = ordered(_of_kind(A, kind)), ordered(_of_kind(B, kind))
    n, nnz, at = A.shape[0], P.nnz, _common((A.indices, B.indices)).dtype
    if nnz == Q.nnz:
        indices, data, indptr = np.empty(nnz, at), np.empty(nnz, kind), np.empty(n + 1, np.int64)
        if _sparse_alike(P, Q, way, indices, data, indptr):
            return _classes.CSR(data, indices, indptr, A.shape)
    both = P.indptr.astype(np.int64) + Q.indptr
    alone = _sparse_infinite(P, P.indptr[n]) or _sparse_infinite(Q, Q.indptr[n])
    starts = both if way != "*" or alone else P.indptr.astype(np.int64)
    indices, data = np.empty(starts[n], at), np.empty(starts[n], kind)
    indptr = np.zeros(n + 1, np.int64)
    pieces = max(min(both[n] // 4096, PIECES), 1)
    cuts = np.empty(pieces + 1, np.int64)
    _sparse_cuts(both, cuts)
    for c in prange(pieces):
        _merged_rows(P, Q, way, alone, cuts[c], cuts[c + 1], starts, indices, data, indptr)
    return packed(data, indices, indptr, starts, A.shape)


@njit(parallel=True)
def _of_kind(A, kind):
    """What is twice at a place is added up in the result's dtype."""
    if A.data.dtype == kind:
        return A
    else:
        return A.astype(kind)


# What is called outside of loops is a unit: it isn't compiled with this program.


@njit(inline="never", boundscheck=False)
def _merged_rows(P, Q, way, alone, lo, hi, starts, indices, data, indptr):
    if way == "*" and alone:
        _sparse_merged(P, Q, "0*", lo, hi, starts, indices, data, indptr)
    else:
        _sparse_merged(P, Q, way, lo, hi, starts, indices, data, indptr)


@njit(parallel=True, boundscheck=False)
def product(A, B, ring):
    """Gustavson's product over a semiring: a row of the result is a sum of rows of B, of which a
    dense row says where each column is. F. Gustavson, Two fast algorithms for sparse matrices, ACM
    TOMS 4 (1978) 250.

    Each piece of rows has a dense row of its own, so that there are no more pieces than pay it.
    Where there are far more columns than terms, the terms of each row are sorted instead.
    """
    n, m = A.shape[0], B.shape[1]
    if A.shape[1] != B.shape[0]:
        raise ValueError("dimension mismatch")
    _sparse_check(A, A.shape[1])
    _sparse_check(B, m)
    work = np.empty(n + 1, np.int64)
    _sparse_terms(A, B, work)
    apart = m > 16 * work[n] + 65536 or m >= WIDEST
    pieces = max(min(work[n] // max(4 * m, 1), n // 16, PIECES), 1)
    cuts = np.empty(pieces + 1, np.int64)
    _sparse_cuts(work, cuts)
    starts = np.zeros(n + 1, np.int64)
    if work[n] > MOST and not apart:
        _sparse_count(A, B, cuts, starts, np.empty(m, np.int64))
    else:
        for i in range(n):
            terms = work[i + 1] - work[i]
            starts[i + 1] = terms if apart else min(terms, m)
    for i in range(n):
        starts[i + 1] += starts[i]
    kind = kind_of(ring, A.data, B.data)
    indices = np.empty(starts[n], _common((A.indices, B.indices)).dtype)
    data = np.empty(starts[n], kind)
    indptr = np.zeros(n + 1, np.int64)
    if apart:
        _sparse_sorted_products(A, B, ring, starts, indices, data, indptr)
        return packed(data, indices, indptr, starts, (n, m))
    for c in prange(pieces):
        _product_rows(A, B, ring, cuts[c], cuts[c + 1], work, starts, indices, data, indptr)
    return packed(data, indices, indptr, starts, (n, m))


@njit(inline="never", boundscheck=False)
def _product_rows(A, B, ring, lo, hi, work, starts, indices, data, indptr):
    m = B.shape[1]
    place = np.empty(m, np.int32)
    most = _sparse_products(A, B, ring, lo, hi, work, starts, place, indices, data, indptr)
    if most >= m:
        dense, seen = np.full(m, identity(ring, data.dtype)), np.empty(m, np.bool_)
        _sparse_full_products(A, B, ring, lo, hi, work, starts, dense, seen, indices, data, indptr)
