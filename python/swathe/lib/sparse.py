# SPDX-License-Identifier: BSD-3-Clause
"""Rows of sparse matrices: what sums and products of two of them do with some rows.

All loops are plain ones over numbers, so that each function is a unit, compiled once for all
programs. An index that is unsigned, or a maximum with 0, is known not to count from the end.
Nothing here is checked: who calls has looked at the rows and columns of both matrices.
"""

import numpy as np

_NUMBERS = 1 << 30  # numbers of 32 bits end not much later


def _ring_add(ring, a, b):
    """The first operation of a semiring; NaN wins."""
    if ring == "plus.times":
        return a + b
    elif ring == "or.and":
        return a | b
    elif ring == "min.plus" or ring == "min.times" or ring == "min.max":
        return np.minimum(a, b)
    else:
        return np.maximum(a, b)


def _ring_times(ring, a, b):
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


def _sparse_place(j):
    """A row or column as an index that is known not to be negative."""
    return np.uint64(j) if j.dtype == np.int64 else np.uint32(j)


def _sparse_less(v, w):
    """The difference of two elements; of bools, whether one is there alone."""
    if v.dtype == np.bool_:
        return v ^ w
    else:
        return v - w


def _sparse_infinite(A, n):
    """Whether one of the first n elements makes, times 0, another number than 0."""
    count = 0
    if A.data.dtype.kind == "f" or A.data.dtype.kind == "c":
        for k in range(n):
            count += int(A.data[k] - A.data[k] != 0)
    return count > 0


def _sparse_alike(P, Q, way, indices, data, indptr):
    """The same of whole matrices whose elements are at the same places, as those of one mesh or
    graph are. Returns whether they are so, and no element is 0."""
    n, nnz = P.shape[0], len(indices)
    for i in range(n + 1):
        if P.indptr[i] != Q.indptr[i]:
            return False
        indptr[i] = P.indptr[i]
    for lo in range(0, nnz, 1024):
        others = 0
        for k in range(lo, min(lo + 1024, nnz)):
            others += int(P.indices[k] != Q.indices[k])
            indices[k] = P.indices[k]
        if others:
            return False
    zeros = 0
    for k in range(nnz):
        v, w = P.data[k], Q.data[k]
        total = v + w if way == "+" else _sparse_less(v, w) if way == "-" else v * w
        data[k] = total
        zeros += int(total == data.dtype.type(0))
    return zeros == 0


def _sparse_merged(P, Q, way, lo, hi, starts, indices, data, indptr):
    """Sums ("+"), differences ("-") or products ("*") of rows in order, or products in which
    elements beside none count, too ("0*")."""
    kind = data.dtype
    none = kind.type(0)
    for i in range(max(lo, 0), hi):
        base = min(max(starts[i], 0), len(indices))
        p_base, p_end, p = _sparse_row(P, i)
        q_base, q_end, q = _sparse_row(Q, i)
        end = np.uint32(0)
        while p < p_end and q < q_end:
            a, b = P.indices[p_base + p], Q.indices[q_base + q]
            v, w = kind.type(P.data[p_base + p]), kind.type(Q.data[q_base + q])
            if way == "*":
                total = v * w
                stays = (a == b) & (total != none)
            else:  # both have been read: a read in a branch is one that is often guessed wrong
                v, w = v if a <= b else none, w if b <= a else none
                total = v + w if way == "+" else _sparse_less(v, w) if way == "-" else v * w
                stays = total != none
            indices[base + end] = min(a, b)
            data[base + end] = total
            end += np.uint32(stays)
            p += np.uint32(a <= b)
            q += np.uint32(b <= a)
        if way != "*":
            for k in range(p_base + p, p_base + p_end):
                v = kind.type(P.data[k])
                if way == "0*":
                    v = v * none
                indices[base + end] = P.indices[k]
                data[base + end] = v
                end += np.uint32(v != none)
            for k in range(q_base + q, q_base + q_end):
                v = kind.type(Q.data[k])
                if way == "0*":
                    v = none * v
                indices[base + end] = Q.indices[k]
                data[base + end] = _sparse_less(none, v) if way == "-" else v
                end += np.uint32(v != none)
        indptr[i + 1] = end


def _sparse_row(A, i):
    """Where a row begins, how many elements it has, and the number of its first one. Unsigned
    numbers are known not to count from the end."""
    base = min(max(int(A.indptr[i]), 0), len(A.indices))
    count = int(A.indptr[i + 1]) - base
    if count > _NUMBERS:
        raise OverflowError("a row of a sparse matrix has more than 2**30 elements")
    return base, np.uint32(count), np.uint32(0)


def _sparse_products(A, B, ring, lo, hi, work, starts, place, indices, data, indptr):
    """Rows of a product with fewer terms than columns; `place` tells of each column its number,
    and lesser ones are of other rows. Returns the most terms that a row has."""
    m, kind = len(place), data.dtype
    for j in range(m):
        place[j] = -1
    number, most = np.int32(0), 0
    for i in range(max(lo, 0), hi):
        terms = work[i + 1] - work[i]
        most = max(most, terms)
        if terms >= m:
            continue
        if number > _NUMBERS:
            for j in range(m):
                place[j] = -1
            number = np.int32(0)
        base = min(max(starts[i], 0), len(indices))
        end = np.uint32(0)
        for k in range(max(int(A.indptr[i]), 0), A.indptr[i + 1]):
            row, v = _sparse_place(A.indices[k]), kind.type(A.data[k])
            for p in range(max(int(B.indptr[row]), 0), B.indptr[row + 1]):
                j = _sparse_place(B.indices[p])
                term = _ring_times(ring, v, kind.type(B.data[p]))
                q = place[j] - number
                if q < 0:
                    place[j] = number + np.int32(end)
                    indices[base + end] = B.indices[p]
                    data[base + end] = term
                    end += np.uint32(1)
                else:
                    q = np.uint32(q)
                    data[base + q] = _ring_add(ring, data[base + q], term)
        number += np.int32(end)
        indptr[i + 1] = _sparse_left(ring, indices, data, base, base + end)
    return most


def _sparse_full_products(A, B, ring, lo, hi, work, starts, dense, seen, indices, data, indptr):
    """Rows with more terms than there are columns: no sum's place is looked for. `dense` has what
    the first operation leaves out."""
    m, kind = len(dense), data.dtype
    none = dense[0]
    for i in range(max(lo, 0), hi):
        if work[i + 1] - work[i] < m:
            continue
        for j in range(m):
            dense[j] = none
            seen[j] = False
        for k in range(max(int(A.indptr[i]), 0), A.indptr[i + 1]):
            row, v = _sparse_place(A.indices[k]), kind.type(A.data[k])
            for p in range(max(int(B.indptr[row]), 0), B.indptr[row + 1]):
                j = _sparse_place(B.indices[p])
                dense[j] = _ring_add(ring, dense[j], _ring_times(ring, v, kind.type(B.data[p])))
                seen[j] = True
        end = starts[i]
        for j in range(m):
            if seen[j]:
                indices[end] = j
                data[end] = dense[j]
                end += 1
        indptr[i + 1] = _sparse_left(ring, indices, data, starts[i], end)


def _sparse_sorted_products(A, B, ring, starts, indices, data, indptr):
    """Rows of a product whose terms are put in order."""
    kind = data.dtype
    for i in range(len(indptr) - 1):
        base = starts[i]
        end = base
        for k in range(A.indptr[i], A.indptr[i + 1]):
            row, v = A.indices[k], kind.type(A.data[k])
            for p in range(B.indptr[row], B.indptr[row + 1]):
                indices[end] = B.indices[p]
                data[end] = _ring_times(ring, v, kind.type(B.data[p]))
                end += 1
        count = _sparse_sort_row(indices, data, base, end, ring)
        indptr[i + 1] = _sparse_left(ring, indices, data, base, base + count)


def _sparse_left(ring, indices, data, lo, hi):
    """Leave out zeros of the usual product, as SciPy does: how many elements stay."""
    if ring != "plus.times":
        return hi - lo
    end = lo
    while end < hi and data[end] != 0:
        end += 1
    for q in range(end, hi):
        indices[end] = indices[q]
        data[end] = data[q]
        end += int(data[q] != 0)
    return end - lo


def _sparse_sort_row(indices, data, lo, hi, ring):
    """Put a row in order and add up, as a semiring does it, what is in one column; returns how many
    elements are left. D. Shell, A high-speed sorting procedure, CACM 2 (1959) 30: most rows are
    short, and this is little code."""
    gap = 1
    while gap < (hi - lo) // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(lo + gap, hi):
            j, v = indices[k], data[k]
            p = k
            while p >= lo + gap and indices[p - gap] > j:
                indices[p] = indices[p - gap]
                data[p] = data[p - gap]
                p -= gap
            indices[p] = j
            data[p] = v
        gap //= 3
    end = lo
    for k in range(lo, hi):
        if end > lo and indices[k] == indices[end - 1]:
            data[end - 1] = _ring_add(ring, data[end - 1], data[k])
        else:
            indices[end] = indices[k]
            data[end] = data[k]
            end += 1
    return end - lo


def _sparse_count(A, B, cuts, starts, seen):
    """How many elements the rows of a product have; `seen` has an element for each column."""
    for c in range(len(cuts) - 1):
        for j in range(len(seen)):
            seen[j] = -1
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


def _sparse_check_rows(indptr, n):
    """Raise unless n rows lie one after another."""
    if n < 0 or len(indptr) <= n:
        raise ValueError(f"index pointer size {len(indptr)} should be {n + 1}")
    if indptr[0] != 0:
        raise ValueError("index pointer should start with 0")
    falls = 0
    for i in range(n):
        falls += int(indptr[i + 1] < indptr[i])
    if falls:
        raise ValueError("index pointer values must form a non-decreasing sequence")


def _sparse_check(A, columns):
    """Raise unless the rows of a matrix lie one after another, and its columns are there."""
    n = A.shape[0]
    indptr, indices = A.indptr, A.indices
    _sparse_check_rows(indptr, n)
    nnz = int(indptr[n])
    if nnz > len(indices) or nnz > len(A.data):
        raise ValueError("Last value of index pointer should be less than the size of index")
    least, most = 0, -1
    for k in range(nnz):
        least = min(least, int(indices[k]))
        most = max(most, int(indices[k]))
    if least < 0 or most >= columns:
        raise IndexError("a column of a sparse matrix is out of range")


def _sparse_terms(A, B, work):
    """How many terms there are in all rows of a product before each."""
    total = 0
    work[0] = 0
    for i in range(len(work) - 1):
        for k in range(max(int(A.indptr[i]), 0), A.indptr[i + 1]):
            row = _sparse_place(A.indices[k])
            total += int(B.indptr[row + 1]) - int(B.indptr[row])
        work[i + 1] = total


def _sparse_cuts(weights, cuts):
    """The rows at which pieces of about the same weight begin; of each row, `weights` has the sum
    of all before it."""
    n, pieces = len(weights) - 1, len(cuts) - 1
    i = 0
    for c in range(pieces):
        while weights[i] < weights[n] // pieces * c:
            i += 1
        cuts[c] = i
    cuts[0], cuts[pieces] = 0, n
