# SPDX-License-Identifier: BSD-3-Clause
"""Tuples as values: several arrays are one array of tuples, as of zip(). `swathe.prim` has what is
called."""

from __future__ import annotations

import numpy as np

from . import njit, prange
from ._prim_order import PIECE


@njit
def _mark(e):
    """Tell what elements of an empty list are, by a dtype, which is known when it is compiled."""
    if isinstance(e, tuple):
        return True
    else:
        return 0.0


@njit
def columns(results, n):
    """An array of so many elements for each part of the tuples that an empty list holds."""
    if np.array([_mark(e) for e in results]).dtype.kind == "b":
        return _columns_from(results, n, ())
    else:
        return np.empty(n, np.array(results).dtype)


@njit
def _columns_from(results, n, done):
    if np.array([_mark_more(e, done) for e in results]).dtype.kind == "b":
        column = columns([e[len(done)] for e in results], n)
        return _columns_from(results, n, (*done, column))
    else:
        return done


@njit
def _mark_more(e, done):
    if len(e) > len(done):
        return True
    else:
        return 0.0


@njit(parallel=True)
def put(arrays, i, value):
    """Store the parts of a tuple."""
    if isinstance(arrays, tuple):
        if len(arrays) != len(value):
            raise TypeError("an operation on tuples must return a tuple of the same length")
        if len(arrays) > 0:
            put(arrays[0], i, value[0])
            put(arrays[1:], i, value[1:])
    else:
        arrays[i] = value


@njit(parallel=True)
def at(arrays, i):
    """Load the parts of a tuple."""
    if isinstance(arrays, tuple):
        if len(arrays) == 0:
            return ()
        else:
            return (at(arrays[0], i), *at(arrays[1:], i))
    else:
        return arrays[i]


@njit
def shaped(arrays, shape):
    """Arrays of one axis in another shape."""
    if isinstance(arrays, tuple):
        if len(arrays) == 0:
            return ()
        else:
            return (shaped(arrays[0], shape), *shaped(arrays[1:], shape))
    else:
        return arrays.reshape(shape)


@njit
def size_of(arrays):
    """How many elements, or tuples, there are."""
    if isinstance(arrays, tuple):
        return _size_of_all(arrays)
    else:
        return len(arrays)


@njit
def _size_of_all(arrays):
    n = _size_of_one(arrays[0])
    if len(arrays) > 1 and _size_of_all(arrays[1:]) != n:
        raise ValueError("arrays that are one array of tuples must have the same length")
    return n


@njit
def _size_of_one(a):
    if isinstance(a, tuple):
        return _size_of_all(a)
    else:
        if np.ndim(a) != 1:
            raise ValueError("arrays that are one array of tuples must be vectors")
        return len(a)


@njit
def _made(op, x, init, n):
    """Memory for so many results of an operation, which isn't called."""
    if init is None:
        return columns([op(at(x, i), at(x, i)) for i in range(0)], n)
    else:
        return columns([op(op(init, at(x, i)), at(x, i)) for i in range(0)], n)


@njit
def _total(op, x, lo, hi, into, c):
    """Combine elements, of which there is one at least, into into[c]."""
    put(into, c, at(x, lo))
    acc = at(into, c)
    for i in range(lo + 1, hi):
        acc = op(acc, at(x, i))
    put(into, c, acc)


@njit(parallel=True)
def reduced(op, x, init):
    n = size_of(x)
    if n == 0 and init is None:
        raise ValueError("reduce() of no elements needs init")
    pieces = (n + PIECE - 1) // PIECE
    part = _made(op, x, init, pieces + 1)
    for c in prange(pieces):
        _total(op, x, c * PIECE, min((c + 1) * PIECE, n), part, c + 1)
    first = 1
    if init is not None:
        put(part, 0, init)
        first = 0
    acc = at(part, first)
    for c in range(first + 1, pieces + 1):
        acc = op(acc, at(part, c))
    return acc


@njit(parallel=True)
def reduced_segments(op, x, offsets, init):
    out = _made(op, x, init, len(offsets) - 1)
    for k in prange(len(offsets) - 1):
        lo, hi = offsets[k], offsets[k + 1]
        if init is None:
            if lo == hi:
                raise ValueError("reduce_segments() of an empty segment needs init")
            _total(op, x, lo, hi, out, k)
        else:
            put(out, k, init)
            acc = at(out, k)
            for i in range(lo, hi):
                acc = op(acc, at(x, i))
            put(out, k, acc)
    return out


@njit(parallel=True)
def scanned(op, x, init, inclusive):
    n = size_of(x)
    pieces = (n + PIECE - 1) // PIECE
    out, part = _made(op, x, init, n), _made(op, x, init, pieces + 1)
    for c in prange(pieces):
        _total(op, x, c * PIECE, min((c + 1) * PIECE, n), part, c + 1)
    first = 1
    if init is not None:
        put(part, 0, init)
        first = 0
    for c in range(first + 1, pieces):  # what comes before each piece
        put(part, c, op(at(part, c - 1), at(part, c)))
    for c in prange(pieces):
        lo, hi = c * PIECE, min((c + 1) * PIECE, n)
        if c < first:
            put(out, lo, at(x, lo))
        elif inclusive:
            put(out, lo, op(at(part, c), at(x, lo)))
        else:
            put(out, lo, at(part, c))
        acc = at(out, lo)
        for i in range(lo + 1, hi):
            acc = op(acc, at(x, i if inclusive else i - 1))
            put(out, i, acc)
    return out


@njit(parallel=True)
def scanned_by_key(op, keys, x):
    """Beside each element stands whether a run begins there: what comes before that is left out."""
    begins = np.ones(len(keys), np.bool_)
    begins[1:] = keys[1:] != keys[:-1]

    def within(a, b):
        if b[0]:
            return b
        else:
            return a[0], op(a[1], b[1])

    return scanned(within, (begins, x), None, True)[1]


@njit(parallel=True)
def taken(arrays, places):
    """The elements at places of each array."""
    if isinstance(arrays, tuple):
        if len(arrays) == 0:
            return ()
        else:
            return (taken(arrays[0], places), *taken(arrays[1:], places))
    else:
        return arrays[places]


@njit(parallel=True)
def order_of_keys(keys):
    """Places in lexical order; stable."""
    if isinstance(keys, tuple):
        if len(keys) == 1:
            return np.argsort(keys[0], kind="stable")
        else:
            rest = order_of_keys(keys[1:])
            return rest[np.argsort(keys[0][rest], kind="stable")]
    else:
        return np.argsort(keys, kind="stable")


@njit(parallel=True)
def taken_along(arrays, places):
    """The elements at places of each row of each array."""
    if isinstance(arrays, tuple):
        if len(arrays) == 0:
            return ()
        else:
            return (taken_along(arrays[0], places), *taken_along(arrays[1:], places))
    elif arrays.shape != places.shape:
        raise ValueError("as many keys as values are needed")
    else:
        return np.take_along_axis(arrays, places, -1)
