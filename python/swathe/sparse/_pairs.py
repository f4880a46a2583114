# SPDX-License-Identifier: BSD-3-Clause
"""Sums and products of two sparse matrices.

The rows of a result are made in pieces of about as much work each, in memory for as many elements
as there can be at most, and then moved together. Memory that nobody has written costs nothing.
"""

from __future__ import annotations

import numpy as np

from .. import njit, prange
from ..lib.shapes import _common
from ._order import check_rows, ordered, packed, sort_row
from ._rings import add, identity, kind_of, times

PIECES = 64
MOST = 1 << 26  # elements from which on those of a product are counted before there is memory
NUMBERS = 1 << 30  # places of a piece that are told apart at a time


@njit(inline="never")
def _cuts(weights, pieces):
    """The rows at which pieces of about the same weight begin; of each row, `weights` has the sum
    of all before it."""
    n = len(weights) - 1
    cuts = np.empty(pieces + 1, np.int64)
    for c in range(pieces):
        cuts[c] = np.searchsorted(weights, weights[n] // pieces * c)
    cuts[0], cuts[pieces] = 0, n
    return cuts


@njit(parallel=True)
def union(A, B, way):
    """The sum of two, or, of "-", their difference; zeros are left out, as by SciPy."""
    if A.shape != B.shape:
        raise ValueError("inconsistent shapes")
    P, Q = ordered(A), ordered(B)
    n = A.shape[0]
    kind = _common((A.data, B.data)).dtype
    starts = P.indptr.astype(np.int64) + Q.indptr
    indices = np.empty(starts[n], _common((A.indices, B.indices)).dtype)
    data = np.empty(starts[n], kind)
    indptr = np.zeros(n + 1, np.int64)
    pieces = max(min(starts[n] // 4096, PIECES), 1)
    cuts = _cuts(starts, pieces)
    for c in prange(pieces):
        _union_of_rows(P, Q, way, cuts[c], cuts[c + 1], starts, indices, data, indptr)
    return packed(data, indices, indptr, starts, A.shape)


@njit(inline="never")
def _union_of_rows(P, Q, way, lo, hi, starts, indices, data, indptr):
    kind = data.dtype
    none = kind.type(0)
    for i in range(lo, hi):
        end = starts[i]
        p, q = P.indptr[i], Q.indptr[i]
        p_end, q_end = P.indptr[i + 1], Q.indptr[i + 1]
        while p < p_end and q < q_end:
            a, b = P.indices[p], Q.indices[q]
            v = kind.type(P.data[p]) if a <= b else none
            w = kind.type(Q.data[q]) if b <= a else none
            total = v - w if way == "-" else v + w
            indices[end] = min(a, b)
            data[end] = total
            end += int(total != none)
            p += int(a <= b)
            q += int(b <= a)
        for k in range(p, p_end):
            indices[end] = P.indices[k]
            data[end] = P.data[k]
            end += int(P.data[k] != 0)
        for k in range(q, q_end):
            v = kind.type(Q.data[k])
            indices[end] = Q.indices[k]
            data[end] = -v if way == "-" else v
            end += int(v != none)
        indptr[i + 1] = end - starts[i]


@njit(parallel=True)
def intersection(A, B):
    """The products of elements of two matrices; zeros are left out."""
    if A.shape != B.shape:
        raise ValueError("inconsistent shapes")
    P, Q = ordered(A), ordered(B)
    n = A.shape[0]
    kind = _common((A.data, B.data)).dtype
    starts = P.indptr.astype(np.int64)
    indices = np.empty(starts[n], _common((A.indices, B.indices)).dtype)
    data = np.empty(starts[n], kind)
    indptr = np.zeros(n + 1, np.int64)
    pieces = max(min((P.nnz + Q.nnz) // 4096, PIECES), 1)
    cuts = _cuts(starts + Q.indptr, pieces)
    for c in prange(pieces):
        _intersection_of_rows(P, Q, cuts[c], cuts[c + 1], starts, indices, data, indptr)
    return packed(data, indices, indptr, starts, A.shape)


@njit(inline="never")
def _intersection_of_rows(P, Q, lo, hi, starts, indices, data, indptr):
    kind = data.dtype
    for i in range(lo, hi):
        end = starts[i]
        p, q = P.indptr[i], Q.indptr[i]
        p_end, q_end = P.indptr[i + 1], Q.indptr[i + 1]
        while p < p_end and q < q_end:
            a, b = P.indices[p], Q.indices[q]
            v = kind.type(P.data[p]) * kind.type(Q.data[q])
            indices[end] = a
            data[end] = v
            end += int(a == b) & int(v != 0)
            p += int(a <= b)
            q += int(b <= a)
        indptr[i + 1] = end - starts[i]


# ---- products of matrices ---------------------------------------------------------------------


@njit(parallel=True)
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
    work = np.zeros(n + 1, np.int64)
    _count_terms(A, B, work)
    if m > 16 * work[n] + 65536:
        return _product_by_sorting(A, B, ring, work)
    pieces = max(min(work[n] // max(4 * m, 1), n // 16, PIECES), 1)
    cuts = _cuts(work, pieces)
    starts = np.zeros(n + 1, np.int64)
    if work[n] > MOST:
        _count_elements(A, B, cuts, starts)
    else:
        for i in range(n):
            starts[i + 1] = min(work[i + 1] - work[i], m)
    for i in range(n):
        starts[i + 1] += starts[i]
    indices = np.empty(starts[n], _common((A.indices, B.indices)).dtype)
    data = np.empty(starts[n], kind_of(ring, A.data, B.data))
    indptr = np.zeros(n + 1, np.int64)
    for c in prange(pieces):
        _product_of_rows(A, B, ring, cuts[c], cuts[c + 1], work, starts, indices, data, indptr)
    return packed(data, indices, indptr, starts, (n, m))


@njit(inline="never")
def _count_terms(A, B, work):
    """How many terms there are in all rows before each."""
    n = A.shape[0]
    check_rows(A)
    check_rows(B)
    least = 0
    for k in range(B.nnz):
        least = min(least, int(B.indices[k]))
    if least < 0:
        raise IndexError("a column of a sparse matrix is out of range")
    for i in range(n):
        count = 0
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row = A.indices[k]
            if row < 0:
                raise IndexError("a column of a sparse matrix is out of range")
            count += max(B.indptr[row + 1] - B.indptr[row], 0)
        work[i + 1] = count
    for i in range(n):
        work[i + 1] += work[i]


@njit(inline="never")
def _count_elements(A, B, cuts, starts):
    m = B.shape[1]
    for c in range(len(cuts) - 1):
        seen = np.full(m, -1, np.int64)
        for i in range(cuts[c], cuts[c + 1]):
            count = 0
            for k in range(A.indptr[i], A.indptr[i + 1]):
                row = A.indices[k]
                for p in range(B.indptr[row], B.indptr[row + 1]):
                    j = B.indices[p]
                    if seen[j] != i:
                        seen[j] = i
                        count += 1
            starts[i + 1] = count


@njit(inline="never")
def _product_of_rows(A, B, ring, lo, hi, work, starts, indices, data, indptr):
    m, kind = B.shape[1], data.dtype
    place = np.full(m, -1, np.int32)  # of each column, its number; lesser ones are of other rows
    number, most = 0, 0
    for i in range(lo, hi):
        most = max(most, work[i + 1] - work[i])
        if work[i + 1] - work[i] >= m:
            continue
        if number > NUMBERS:
            place[:] = -1
            number = 0
        at, sums = indices[starts[i] : starts[i + 1]], data[starts[i] : starts[i + 1]]
        end = 0
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row, v = A.indices[k], kind.type(A.data[k])
            for p in range(B.indptr[row], B.indptr[row + 1]):
                j = B.indices[p]
                term = times(ring, v, kind.type(B.data[p]))
                q = place[j] - number
                if q < 0:
                    place[j] = number + end
                    at[end] = j
                    sums[end] = term
                    end += 1
                else:
                    sums[q] = add(ring, sums[q], term)
        number += end
        indptr[i + 1] = _without_zeros(ring, at, sums, end)
    if most >= m:
        _product_of_full_rows(A, B, ring, lo, hi, work, starts, indices, data, indptr)


@njit(inline="never")
def _product_of_full_rows(A, B, ring, lo, hi, work, starts, indices, data, indptr):
    """Of rows with more terms than there are columns: no sum's place is looked for."""
    m, kind = B.shape[1], data.dtype
    none = identity(ring, kind)
    dense, seen = np.full(m, none), np.zeros(m, np.bool_)
    for i in range(lo, hi):
        if work[i + 1] - work[i] < m:
            continue
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row, v = A.indices[k], kind.type(A.data[k])
            for p in range(B.indptr[row], B.indptr[row + 1]):
                j = B.indices[p]
                dense[j] = add(ring, dense[j], times(ring, v, kind.type(B.data[p])))
                seen[j] = True
        at, sums = indices[starts[i] : starts[i + 1]], data[starts[i] : starts[i + 1]]
        end = 0
        for j in range(m):
            if seen[j]:
                at[end] = j
                sums[end] = dense[j]
                end += 1
        dense[:] = none
        seen[:] = False
        indptr[i + 1] = _without_zeros(ring, at, sums, end)


@njit(inline="never")
def _without_zeros(ring, at, sums, end):
    """Leave out zeros of the usual product, as SciPy does: how many elements stay."""
    if ring != "plus.times" or np.all(sums[:end]):
        return end
    left = 0
    for q in range(end):
        at[left] = at[q]
        sums[left] = sums[q]
        left += int(sums[q] != 0)
    return left


@njit(inline="never")
def _product_by_sorting(A, B, ring, starts):
    n, m = A.shape[0], B.shape[1]
    kind = kind_of(ring, A.data, B.data)
    indices = np.empty(starts[n], _common((A.indices, B.indices)).dtype)
    data = np.empty(starts[n], kind)
    indptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        end = starts[i]
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row, v = A.indices[k], kind.type(A.data[k])
            for p in range(B.indptr[row], B.indptr[row + 1]):
                indices[end] = B.indices[p]
                data[end] = times(ring, v, kind.type(B.data[p]))
                end += 1
        lo = starts[i]
        count = sort_row(indices, data, lo, end, m, ring)
        indptr[i + 1] = _without_zeros(ring, indices[lo:end], data[lo:end], count)
    return packed(data, indices, indptr, starts, (n, m))
