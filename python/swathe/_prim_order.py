# SPDX-License-Identifier: BSD-3-Clause
"""Selections: which elements come first. `swathe.prim` has what is called."""

from __future__ import annotations

import numpy as np

from . import njit, prange

SAMPLE = 8192  # elements that selected() looks at first
PIECE = 8192  # elements that one thread goes through before it takes others
STRIP = 64  # elements that are looked at before places are noted: a bit of a word for each
FEW = 32  # elements that are found by comparing each of some with all of them


@njit(parallel=True)
def less(x, y):
    """Tell whether one sorts before another; NaN is after all."""
    return x < y or (y != y and x == x)


@njit(parallel=True)
def selected(x, k):
    """Of a long vector, a sample says between which two elements the wanted one is very likely;
    what lies between them is looked through alone. R. Floyd and R. Rivest, Expected time bounds for
    selection, CACM 18 (1975) 165."""
    n = len(x)
    if n < 16 * PIECE:
        return np.partition(x, k)[k]
    sample = np.sort(x[:: n // SAMPLE])
    m = len(sample)
    at, spread = int(k * (m / n)), m // 24
    first, last = at < spread, at + spread >= m  # nothing is known beyond the sample's ends
    lo, hi = sample[max(at - spread, 0)], sample[min(at + spread, m - 1)]
    below = 0 if first else np.count_nonzero(x < lo)
    between = x[((x >= lo) | first) & ((x <= hi) | last)]
    if below <= k < below + len(between):
        return np.partition(between, k - below)[k - below]
    return np.partition(x, k)[k]


@njit(parallel=True)
def topk_of_vector(a, k, largest):
    if k < 0 or k > len(a):
        raise ValueError("topk(): k is out of range")
    if a.dtype.kind in "cmM":
        places = _first_of_all(a, largest)[:k]
        return a[places], places
    else:
        places = _top_of_pieces(a, k, largest) if k else np.empty(0, np.int64)
        return a[places], places


@njit(parallel=True)
def topk_of_rows(a, k, largest):
    n = a.shape[-1]
    if k < 0 or k > n:
        raise ValueError("topk(): k is out of range")
    if a.dtype.kind in "cmM":
        places = _first_of_all(a, largest)[..., :k]
        return np.take_along_axis(a, places, -1), places
    else:
        places = np.empty((*a.shape[:-1], k), np.int64)
        into = places.reshape(-1, k) if k else places.reshape(-1)[:, None]
        rows = a.reshape(-1, n) if k else a.reshape(-1)[:0, None]
        if len(rows) == 1:
            into[0] = _top_of_pieces(rows[0], k, largest)
        else:
            for i in prange(len(rows)):
                into[i] = _top(rows[i], k, largest)
        return np.take_along_axis(a, places, -1), places


@njit
def _first_of_all(a, largest):
    """The order of each row; of equal elements the first comes first, either way."""
    if largest:  # from behind, so that equal ones are looked for from the last on
        back = np.argsort(a[..., ::-1], axis=-1, kind="stable")[..., ::-1]
        return a.shape[-1] - 1 - back
    return np.argsort(a, axis=-1, kind="stable")


@njit(parallel=True)
def _top_of_pieces(x, k, largest):
    """Places of the first k of a vector: the first of pieces that stay in cache, and of those."""
    size = max(8 * PIECE, 8 * k)
    n = (len(x) + size - 1) // size
    if n < 2:
        return _top(x, k, largest)
    some = np.full((n, k), -1)
    for c in prange(n):
        part = x[c * size : (c + 1) * size]
        some[c, : min(k, len(part))] = c * size + _top(part, min(k, len(part)), largest)
    found = np.sort(some.reshape(-1))
    found = found[np.searchsorted(found, 0) :]
    return found[_top(x[found], k, largest)]


@njit(inline="never")  # it is long, and called thrice
def _top(x, k, largest):
    """Places of the first k elements of a vector, in their order."""
    if 0 < k <= FEW and len(x) >= 4 * _groups(k):
        found = _few_greatest(x, k) if largest else _few_greatest(_turned(x), k)
        if len(found) == k:
            return found
    return _top_by_partition(x, k, largest)


@njit
def _turned(x):
    """Elements whose order is the other way round."""
    if x.dtype.kind == "f":
        return -x
    else:
        return ~x


@njit
def _groups(k):
    """How many groups of elements tell a bound: with twice as many as are wanted, about a third
    more than these are no less than it. They are whole vectors."""
    return (2 * k + 31) // 16 * 16


@njit(inline="never")
def _few_greatest(x, k):
    """Places of the k greatest elements in their order, or none where more work finds them.

    The elements make groups, of each of which the greatest is known. The k-th of those is a bound:
    there are k elements that are no less, and few more. There is no branch that a processor often
    guesses wrong.
    """
    none = np.empty(0, np.int64)
    nan = 0
    for v in x:
        nan += v != v
    if nan:
        return none
    wide = _groups(k)
    first = x[:wide].copy()
    for lo in range(wide, len(x) - wide + 1, wide):
        some = x[lo : lo + wide]
        for j in range(wide):
            first[j] = first[j] if first[j] >= some[j] else some[j]
    bound = first[_in_order(first)[k - 1]]
    places, count = np.empty(3 * k + STRIP, np.int64), 0
    for lo in range(0, len(x), STRIP):
        at = min(lo, len(x) - STRIP)  # the last strip begins in the one before, and is cut
        found = _bits(x[at : at + STRIP], bound) >> np.uint64(lo - at)
        if found:
            if count + int(np.bitwise_count(found)) > len(places):
                return none
            while found:
                places[count] = lo + int(np.bitwise_count(~found & (found - np.uint64(1))))
                found &= found - np.uint64(1)
                count += 1
    some = places[:count]
    return some[_in_order(x[some])[:k]]


@njit
def _bits(x, bound):
    """A bit for each element of a strip: whether it is no less than a bound."""
    found = np.uint64(0)
    for j in range(STRIP):
        found |= np.uint64(x[j] >= bound) << np.uint64(j)
    return found


@njit(inline="never")
def _in_order(x):
    """Places of a few elements, the greatest first; of equal ones the first comes first."""
    places = np.empty(len(x), np.int64)
    for m in range(len(x)):
        v, at = x[m], 0
        for j in range(m):
            at += x[j] >= v
        for j in range(m + 1, len(x)):
            at += v < x[j]
        places[at] = m
    return places


@njit
def _top_by_partition(x, k, largest):
    """Places of the first k elements of a vector, in their order."""
    n = len(x)
    last = n - k if largest else k - 1
    bound = np.partition(x, last)[last]
    places = np.empty(k, np.int64)
    count = 0
    for i in range(n):
        if less(bound, x[i]) if largest else less(x[i], bound):
            places[count] = i
            count += 1
    for i in range(n):
        if count == k:
            break
        if not (less(bound, x[i]) or less(x[i], bound)):
            places[count] = i
            count += 1
    return places[_first_of_all(x[places], largest)]
