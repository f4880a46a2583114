# SPDX-License-Identifier: BSD-3-Clause
"""Parallel primitives: map, reduce, scan, sort and their kin over arrays.

Each is a function of Python's that runs compiled and on all threads, and the same name may be
called in compiled code, where it is one more piece of the loop around it. What an operation is, is
any function that compiled code knows: a ufunc of NumPy, one of `operator`, a lambda, a function of
your own.

>>> import numpy as np
>>> from swathe import prim
>>> prim.scan(np.add, np.array([3, 1, 2]))
array([3, 4, 6])
>>> prim.reduce(max, np.array([3.0, 7.0, 2.0]))
np.float64(7.0)
>>> prim.map(lambda a, b: a * a + b, np.array([1.0, 2.0]), np.array([0.5, 0.5]))
array([1.5, 4.5])

Reductions and scans work on pieces of the same length at any number of threads, put together from
left to right: an operation must be associative and need not commute, and a result has the same bits
at any number of threads. `check` finds one that isn't on a sample. `max` and `min` are NumPy's
`maximum` and `minimum`: Python's own, beside NaN, aren't associative.
"""

from __future__ import annotations

import operator

import numpy as np

from . import _kernels, njit, prange
from . import _prim_tuples as tuples
from ._prim_blocks import (
    block_reduce,
    block_scan,
    block_sort,
    block_sort_by_key,
    block_topk,
    warp_reduce,
    warp_scan,
    warp_sort,
    warp_topk,
)
from ._prim_check import check, check_pairs, check_vectors
from ._prim_order import PIECE, less, selected, topk_of_rows, topk_of_vector
from ._prim_random import normal, uniform
from ._prim_scan import as_kind, in_order, kind_from, kind_of, scanned, scanned_rows

__all__ = [
    "argsort",
    "block_reduce",
    "block_scan",
    "block_sort",
    "block_sort_by_key",
    "block_topk",
    "check",
    "compact",
    "gather",
    "histogram",
    "kselect",
    "map",
    "merge",
    "normal",
    "partition",
    "reduce",
    "reduce_by_key",
    "reduce_segments",
    "scan",
    "scan_by_key",
    "scatter",
    "searchsorted",
    "sort",
    "sort_by_key",
    "topk",
    "uniform",
    "unique",
    "warp_reduce",
    "warp_scan",
    "warp_sort",
    "warp_topk",
    "zipwith",
]


# ---- one to one -----------------------------------------------------------------------------


@njit(parallel=True)
def map(f, *arrays):
    """Apply a function to the elements of arrays.

    Parameters
    ----------
    f : function
        Of as many numbers as there are arrays; returns a number, or a tuple of numbers.
    *arrays : arrays
        Broadcast against each other.

    Returns
    -------
    array, or a tuple of arrays
        Of their common shape, with the dtype of what `f` returns.
    """
    if len(arrays) == 1:
        return _mapped1(f, np.asarray(arrays[0]))
    else:
        return _mapped(f, np.broadcast_arrays(*arrays))


@njit(parallel=True)
def zipwith(f, a, b):
    """Apply a function to pairs of elements: map() of two arrays."""
    return map(f, a, b)


@njit(parallel=True)
def _mapped1(f, a):
    flat = a.reshape(-1)
    out = tuples.columns([f(v) for v in flat[:0]], flat.size)
    for i in prange(flat.size):
        tuples.put(out, i, f(flat[i]))
    return tuples.shaped(out, a.shape)


@njit(parallel=True)
def _mapped(f, arrays):
    flat = _flattened(arrays)
    out = tuples.columns([f(*tuples.at(flat, i)) for i in range(0)], flat[0].size)
    for i in prange(flat[0].size):
        tuples.put(out, i, f(*tuples.at(flat, i)))
    return tuples.shaped(out, arrays[0].shape)


@njit
def _flattened(arrays):
    if len(arrays) == 0:
        return ()
    return (arrays[0].reshape(-1), *_flattened(arrays[1:]))


# ---- reductions -----------------------------------------------------------------------------


@njit(parallel=True)
def reduce(op, x, init=None, axis=None):
    """Combine elements, from left to right.

    Parameters
    ----------
    op : function
        Of two numbers; associative.
    x : array, or a tuple of vectors
        Of any shape, in C order. Vectors are one array of tuples, of which `op` takes two and
        returns one.
    init : number, or tuple, optional
        Comes before the first element, and is the result where there is none.
    axis : int, optional
        Along which; without it, all.

    Returns
    -------
    number, tuple or array
        With the dtype of what `op` returns.

    Raises
    ------
    ValueError
        If there are no elements and no `init`.
    """
    if isinstance(axis, tuple):
        raise TypeError("reduce() takes one axis, or None for all")
    elif isinstance(x, tuple):
        if axis is not None:
            raise ValueError("reduce() of tuples takes no axis")
        return tuples.reduced(op, x, init)
    elif op is max:
        return reduce(np.maximum, x, init, axis)
    elif op is min:
        return reduce(np.minimum, x, init, axis)
    if axis is not None:
        return _reduced_rows(op, np.moveaxis(np.asarray(x), axis, -1), init)
    else:
        return _reduced(op, np.asarray(x).reshape(-1), init)


@njit(parallel=True)
def _reduced(op, x, init):
    if x.size == 0 and init is None:
        raise ValueError("reduce() of no elements needs init")
    n = (x.size + PIECE - 1) // PIECE
    part = np.empty(n + 1, kind_from(op, x, init))
    for c in prange(n):
        part[c + 1] = in_order(op, x[c * PIECE : (c + 1) * PIECE])
    if init is None:
        return in_order(op, part[1:])
    else:
        part[0] = init
        return in_order(op, part)


@njit(parallel=True)
def _reduced_rows(op, a, init):
    n = a.shape[-1]
    if n == 0 and init is None:
        raise ValueError("reduce() of no elements needs init")
    rows = a.reshape(-1, n) if n else np.empty((a[..., :0].size, 0), a.dtype)
    out = np.empty(a.shape[:-1], kind_from(op, a.reshape(-1), init))
    flat = out.reshape(-1)
    for i in prange(flat.size):
        if init is None:
            flat[i] = in_order(op, rows[i])
        elif n == 0:
            flat[i] = init
        else:
            flat[i] = op(init, in_order(op, rows[i]))
    return out


@njit(parallel=True)
def reduce_segments(op, x, offsets, init=None):
    """Combine the elements of each segment of a vector.

    Parameters
    ----------
    op : function
        Of two numbers; associative.
    x : vector, or a tuple of vectors
    offsets : vector of int
        Segment k is x[offsets[k]:offsets[k + 1]]: one more than there are segments, in order.
    init : number, optional
        Comes before each first element, and is the result of an empty segment.

    Raises
    ------
    ValueError
        If a segment is empty and there is no `init`, or one ends before it begins.
    IndexError
        If a segment begins or ends out of `x`.
    """
    if isinstance(x, tuple):
        _check_offsets(offsets, tuples.size_of(x))
        return tuples.reduced_segments(op, x, offsets, init)
    elif op is max:
        return reduce_segments(np.maximum, x, offsets, init)
    elif op is min:
        return reduce_segments(np.minimum, x, offsets, init)
    _check_offsets(offsets, len(x))
    out = np.empty(len(offsets) - 1, kind_from(op, x, init))
    for k in prange(len(offsets) - 1):
        part = x[offsets[k] : offsets[k + 1]]
        if init is None:
            if len(part) == 0:
                raise ValueError("reduce_segments() of an empty segment needs init")
            out[k] = in_order(op, part)
        elif len(part) == 0:
            out[k] = init
        else:
            out[k] = op(init, in_order(op, part))
    return out


@njit(parallel=True)
def _check_offsets(offsets, n):
    if len(offsets) == 0:
        raise ValueError("reduce_segments() takes one offset more than there are segments")
    if np.any(offsets[1:] < offsets[:-1]):
        raise ValueError("reduce_segments() of a segment that ends before it begins")
    if offsets[0] < 0 or offsets[-1] > n:
        raise IndexError("reduce_segments(): an offset is out of range")


@njit(parallel=True)
def reduce_by_key(op, keys, x):
    """Combine elements that stand side by side and have equal keys.

    Returns
    -------
    keys, totals : vectors
        One of each run of equal keys.
    """
    check_vectors(keys, x)
    check_pairs(len(keys), tuples.size_of(x))
    first = _starts(keys)
    offsets = np.append(first, len(keys))
    return keys[first], reduce_segments(op, x, offsets)


@njit(parallel=True)
def _starts(keys):
    """Where runs of equal keys begin."""
    is_first = np.ones(len(keys), np.bool_)
    is_first[1:] = keys[1:] != keys[:-1]
    return np.flatnonzero(is_first)


# ---- scans ----------------------------------------------------------------------------------


@njit(parallel=True)
def scan(op, x, init=None, inclusive=True, axis=-1):
    """Combine each element with all before it.

    Parameters
    ----------
    op : function
        Of two numbers; associative.
    x : array, or a tuple of vectors
    init : number, or tuple, optional
        Comes before the first element; an exclusive scan needs one.
    inclusive : bool, default True
        Whether a result includes the element at its place.
    axis : int, default -1
        Along which; None: of all elements, as a vector.

    Returns
    -------
    array, or a tuple of vectors
        Of the shape of `x`, with the dtype of what `op` returns.

    Raises
    ------
    ValueError
        If an exclusive scan has no `init`.

    Notes
    -----
    Blocks are reduced, their totals are scanned, and each block is scanned from there while it is
    in the cache.
    G. Blelloch, Prefix sums and their applications, CMU-CS-90-190 (1990).
    """
    if not inclusive and init is None:
        raise ValueError("an exclusive scan() needs init, which is its first element")
    if isinstance(x, tuple):
        return tuples.scanned(op, x, init, inclusive)
    elif op is max:
        return scan(np.maximum, x, init, inclusive, axis)
    elif op is min:
        return scan(np.minimum, x, init, inclusive, axis)
    a = np.asarray(x)
    if axis is None or a.ndim == 0:
        return scanned(op, a.reshape(-1), init, inclusive)
    np.size(a, axis)  # which must be there
    if a.ndim == 1:
        return scanned(op, a, init, inclusive)
    else:
        return scanned_rows(op, a, init, inclusive, axis % a.ndim)


@njit(parallel=True)
def scan_by_key(op, keys, x):
    """Scan (inclusive) each run of equal keys that stand side by side on its own. Of a tuple of
    vectors, `op` takes two tuples and returns one."""
    check_vectors(keys, x)
    if isinstance(x, tuple):
        check_pairs(len(keys), tuples.size_of(x))
        return tuples.scanned_by_key(op, keys, x)
    elif op is max:
        return scan_by_key(np.maximum, keys, x)
    elif op is min:
        return scan_by_key(np.minimum, keys, x)
    check_pairs(len(keys), len(x))
    kind = kind_of(op, x)
    out = np.empty(len(x), kind)
    n = (len(x) + PIECE - 1) // PIECE
    last, whole = np.empty(n, kind), np.empty(n, np.bool_)
    for c in prange(n):  # the total of a piece's last run, and whether the run before goes through
        hi = min((c + 1) * PIECE, len(x))
        first = hi - 1
        while first > c * PIECE and keys[first - 1] == keys[first]:
            first -= 1
        last[c] = in_order(op, x[first:hi])
        whole[c] = first == c * PIECE and c > 0 and keys[first - 1] == keys[first]
    for c in range(1, n):
        if whole[c]:
            last[c] = op(last[c - 1], last[c])
    for c in prange(n):
        lo = c * PIECE
        goes_on = c > 0 and keys[lo - 1] == keys[lo]
        acc = np.full(1, op(last[c - 1], x[lo]) if goes_on else x[lo], kind)[0]
        out[lo] = acc
        for i in range(lo + 1, min(lo + PIECE, len(x))):
            acc = op(acc, x[i]) if keys[i - 1] == keys[i] else as_kind(kind, x[i])
            out[i] = acc
    return out


# ---- places ---------------------------------------------------------------------------------


@njit(parallel=True)
def gather(x, indices):
    """Return x[indices], elements along the first axis. IndexError where one isn't there."""
    return x[indices]


@njit(parallel=True)
def scatter(values, indices, out, op=None):
    """Store values at places along the first axis of an array, and return it.

    Parameters
    ----------
    values : array or number
        For each place an element, or, where `out` has more axes than one, a row.
    indices : array of int
        Where each goes; an IndexError where that isn't in `out`.
    out : array
        Changed in place.
    op : function, optional
        Combines the old element (or row) with each value in turn; without it, the last value for a
        place stays.
    """
    if op is None:
        out[indices] = values
    elif op is max:
        return scatter(values, indices, out, np.maximum)
    elif op is min:
        return scatter(values, indices, out, np.minimum)
    elif op is np.add or op is operator.add:
        np.add.at(out, indices, values)
    else:
        places = np.asarray(indices).reshape(-1)
        each = _for_each(values, indices, out)
        for k in range(len(places)):
            out[places[k]] = op(out[places[k]], each[k])
    return out


@njit
def _for_each(values, indices, out):
    """The value, or the row, for each place."""
    shape = np.shape(indices) + out.shape[1:]
    if out.ndim == 1:
        return np.broadcast_to(values, shape).reshape(-1)
    else:
        return np.broadcast_to(values, shape).reshape(np.size(indices), *out.shape[1:])


@njit(parallel=True)
def compact(x, mask):
    """Return the elements where a mask is true, or a function of an element is, in their order."""
    if isinstance(mask, np.ndarray):
        return x[mask.astype(np.bool_)]
    else:
        return x[map(mask, x).astype(np.bool_)]


@njit(parallel=True)
def partition(x, pred):
    """Return the elements for which a function is true, then the others, each in their order, and
    how many the first are."""
    yes = map(pred, x).astype(np.bool_)
    first = x[yes]
    return np.concatenate((first, x[~yes])), len(first)


# ---- order ----------------------------------------------------------------------------------


@njit(parallel=True)
def sort(x, axis=-1):
    """Return a sorted copy, NaN last."""
    a = np.asarray(x)
    if axis is None:
        return sort(a.ravel())
    elif a.dtype.kind in "mM":
        return np.sort(a, axis=axis)
    else:
        np.size(a, axis)  # which must be there
        out = np.empty(a.shape, a.dtype)
        if a.ndim == 1:
            _kernels.sort_into(a, out)
        else:
            _kernels.sort_into(np.moveaxis(a, axis, -1), np.moveaxis(out, axis, -1))
        return out


@njit(parallel=True)
def argsort(x, axis=-1):
    """Return the places of the elements in their order; of equal ones the first comes first."""
    return np.argsort(x, axis=axis, kind="stable")


@njit(parallel=True)
def sort_by_key(keys, values, axis=-1):
    """Return the keys in order, and the values, moved as the keys are; stable.

    Parameters
    ----------
    keys : array, or a tuple of vectors
        Of several axes, each row along `axis` is sorted on its own. Of a tuple, the order is
        lexical.
    values : array, or a tuple of arrays
        As many as keys; of the shape of keys that have several axes. A tuple is moved along their
        last axis only.
    axis : int, default -1

    Raises
    ------
    ValueError
        If keys and values don't fit.
    """
    if isinstance(keys, tuple):
        check_pairs(tuples.size_of(keys), tuples.size_of(values))
        order = tuples.order_of_keys(keys)
        return tuples.taken(keys, order), tuples.taken(values, order)
    elif np.ndim(keys) == 1:
        np.size(keys, axis)  # which must be there
        check_pairs(len(keys), tuples.size_of(values))
        order = tuples.order_of_keys(keys)
        return keys[order], tuples.taken(values, order)
    else:
        rows = np.argsort(keys, axis=axis, kind="stable")
        return np.take_along_axis(keys, rows, axis), _moved_along(values, rows, axis)


@njit(parallel=True)
def _moved_along(values, rows, axis):
    if not isinstance(values, tuple):
        check_pairs(values.shape, rows.shape)
        return np.take_along_axis(values, rows, axis)
    elif axis == -1 or axis == rows.ndim - 1:
        return tuples.taken_along(values, rows)
    else:
        raise ValueError("sort_by_key() of a tuple of values goes along the last axis")


@njit(parallel=True)
def kselect(x, k, axis=-1):
    """Return the element that is at place k in order, from 0, along an axis."""
    a = np.moveaxis(np.asarray(x), axis, -1)
    n = a.shape[-1]
    if k < -n or k >= n:
        raise IndexError("kselect(): k is out of range")
    if a.dtype.kind in "mM":
        return np.sort(a)[k] if a.ndim == 1 else np.sort(a, axis=-1)[..., k]
    elif a.ndim == 1:
        if a.dtype.kind == "c":
            return np.partition(a, k)[k]
        else:
            return selected(a, k % n)
    else:
        return np.partition(a, k, axis=-1)[..., k]


@njit(parallel=True)
def topk(x, k, largest=True, axis=-1):
    """Return the k greatest elements along an axis, or the least, and their places, both in order:
    of equal ones the first comes first. NaN is greater than any number."""
    a = np.asarray(x)
    np.size(a, axis)  # which must be there
    if a.ndim == 1:
        return topk_of_vector(a, k, largest)
    else:
        values, places = topk_of_rows(np.moveaxis(a, axis, -1), k, largest)
        return np.moveaxis(values, -1, axis), np.moveaxis(places, -1, axis)


@njit(parallel=True)
def merge(a, b):
    """Merge two sorted vectors, NaNs last; of equal elements those of `a` come first.

    Pieces of the result are found by binary search along a diagonal: S. Odeh et al., Merge Path,
    IPDPS Workshops (2012).
    """
    check_vectors(a, b)
    n = len(a) + len(b)
    out = np.empty(n, np.concatenate((a[:0], b[:0])).dtype)
    for c in prange((n + PIECE - 1) // PIECE):
        lo, hi = c * PIECE, min((c + 1) * PIECE, n)
        i = _crossing(a, b, lo)
        j = lo - i
        some = out[lo:hi]
        for k in range(len(some)):
            if j >= len(b) or (i < len(a) and not less(b[j], a[i])):
                some[k] = a[i]
                i += 1
            else:
                some[k] = b[j]
                j += 1
    return out


@njit(parallel=True)
def _crossing(a, b, diagonal):
    """How many elements of `a` are among the first of the merged vector."""
    lo, hi = max(0, diagonal - len(b)), min(diagonal, len(a))
    while lo < hi:
        mid = (lo + hi) // 2
        if less(b[diagonal - 1 - mid], a[mid]):
            hi = mid
        else:
            lo = mid + 1
    return lo


@njit(parallel=True)
def unique(x):
    """Return the sorted elements, each once."""
    return np.unique(x)


@njit(parallel=True)
def searchsorted(a, v, side="left"):
    """Return where elements would be put into a sorted vector: np.searchsorted."""
    return np.searchsorted(a, v, side=side)


@njit(parallel=True)
def histogram(x, bins, lo, hi):
    """Return how many elements are in each of equal bins from `lo` to `hi`, both included."""
    return np.histogram(x, bins, (lo, hi))[0]
