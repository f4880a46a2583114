# SPDX-License-Identifier: BSD-3-Clause
"""Methods of NumPy's functions of elements: np.add.reduce and its kin."""

import numpy as np

from swathe._objects import is_object
from swathe.lib.pick import _check_whole
from swathe.lib.shapes import _apart, _between, _into
from swathe.lib.tuples import _tuple_parts


def add_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The sum along an axis."""
    return np.sum(array, axis, dtype, out, keepdims, initial, where)


def multiply_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The product along an axis."""
    return np.prod(array, axis, dtype, out, keepdims, initial, where)


def maximum_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The greatest along an axis."""
    _check_no_dtype(dtype)
    return np.max(array, axis, out, keepdims, initial, where)


def minimum_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The least along an axis."""
    _check_no_dtype(dtype)
    return np.min(array, axis, out, keepdims, initial, where)


def _check_no_dtype(dtype):
    if dtype is not None:
        raise TypeError("dtype of this reduction is not supported in compiled code")


def logical_and_reduce(
    array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    """Whether all along an axis are true."""
    _check_no_dtype(dtype)
    r = np.all(array, axis, out, keepdims, where=where)
    return r if initial is None else np.logical_and(r, initial, out=out)


def logical_or_reduce(
    array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True
):
    """Whether any along an axis is true."""
    _check_no_dtype(dtype)
    r = np.any(array, axis, out, keepdims, where=where)
    return r if initial is None else np.logical_or(r, initial, out=out)


def add_accumulate(array, axis=0, dtype=None, out=None):
    """Cumulative sums along an axis."""
    _check_axes(array)
    return np.cumsum(np.asarray(array), axis, dtype, out)


def multiply_accumulate(array, axis=0, dtype=None, out=None):
    """Cumulative products along an axis."""
    _check_axes(array)
    return np.cumprod(np.asarray(array), axis, dtype, out)


def _check_axes(a):
    if np.ndim(a) == 0:
        raise TypeError("cannot accumulate on a scalar")


def maximum_accumulate(array, axis=0, dtype=None, out=None):
    """The greatest so far along an axis."""
    _check_no_dtype(dtype)
    return _into(out, _accumulated(np.maximum, np.asarray(array), axis))


def minimum_accumulate(array, axis=0, dtype=None, out=None):
    """The least so far along an axis."""
    _check_no_dtype(dtype)
    return _into(out, _accumulated(np.minimum, np.asarray(array), axis))


def _accumulated(op, a, axis):
    _check_axes(a)
    np.size(a, axis)  # which must be there
    r = a.copy("K")
    rows = np.moveaxis(r, axis, 0)
    for i in range(1, rows.shape[0]):
        rows[i] = op(rows[i - 1], rows[i])
    return r


def add_reduceat(array, indices, axis=0, dtype=None, out=None):
    """Sums of the stretches between places along an axis."""
    return _into(out, _stretches("add", np.asarray(array), np.asarray(indices), axis, dtype))


def multiply_reduceat(array, indices, axis=0, dtype=None, out=None):
    """Products of the stretches between places along an axis."""
    return _into(out, _stretches("multiply", np.asarray(array), np.asarray(indices), axis, dtype))


def maximum_reduceat(array, indices, axis=0, dtype=None, out=None):
    """The greatest of the stretches between places along an axis."""
    _check_no_dtype(dtype)
    return _into(out, _stretches("maximum", np.asarray(array), np.asarray(indices), axis, None))


def minimum_reduceat(array, indices, axis=0, dtype=None, out=None):
    """The least of the stretches between places along an axis."""
    _check_no_dtype(dtype)
    return _into(out, _stretches("minimum", np.asarray(array), np.asarray(indices), axis, None))


def _stretches(op, a, places, axis, dtype):
    """Each place up to the next one, the last up to the end; where the next is not behind it, the
    element alone."""
    if places.ndim == 0:
        raise ValueError("object of too small depth for desired array")
    if places.ndim > 1:
        raise ValueError("object too deep for desired array")
    if a.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    _check_whole(places)
    n = np.size(a, axis)
    for k in range(places.size):
        if places[k] < 0 or places[k] >= n:
            raise IndexError(f"index {places[k]} out-of-bounds in {op}.reduceat [0, {n})")
    rows = np.moveaxis(a, axis, 0)
    d = _stretch(op, rows[:0], dtype).dtype if op == "add" or op == "multiply" else a.dtype
    at = axis % a.ndim
    whole = np.empty((*a.shape[:at], places.size, *a.shape[at + 1 :]), d)
    r = np.moveaxis(whole, axis, 0)
    for k in range(places.size):
        first = int(places[k])
        end = int(places[k + 1]) if k + 1 < places.size else n
        if first + 1 < end:
            r[k] = _stretch(op, rows[first:end], dtype)
        else:
            r[k] = rows[first]
    return whole


def _stretch(op, rows, dtype):
    if op == "add":
        return np.sum(rows, 0, dtype)
    if op == "multiply":
        return np.prod(rows, 0, dtype)
    if op == "maximum":
        return np.max(rows, 0)
    return np.min(rows, 0)


def add_outer(A, B):
    """Sums of each element of A and each of B."""
    return _outer(np.add, A, B)


def subtract_outer(A, B):
    """Differences of each element of A and each of B."""
    return _outer(np.subtract, A, B)


def multiply_outer(A, B):
    """Products of each element of A and each of B."""
    return _outer(np.multiply, A, B)


def divide_outer(A, B):
    """Quotients of each element of A and each of B."""
    return _outer(np.divide, A, B)


def maximum_outer(A, B):
    """The greater of each element of A and each of B."""
    return _outer(np.maximum, A, B)


def minimum_outer(A, B):
    """The lesser of each element of A and each of B."""
    return _outer(np.minimum, A, B)


def power_outer(A, B):
    """Powers of each element of A by each of B."""
    return _outer(np.power, A, B)


def _outer(op, x, y):
    """The new axes stand where they are used: so it is known that they have one element."""
    a, b = np.asarray(x), np.asarray(y)
    if b.ndim == 0:
        return op(a, b)
    elif b.ndim == 1:
        return op(a[..., None], b)
    elif b.ndim == 2:
        return op(a[..., None, None], b)
    else:
        return op(_between(a, 0, b.ndim), b)


def add_at(a, ind, v):
    """Add to elements, or rows, at places; as often as each is named."""
    _at(np.add, a, ind, v)


def subtract_at(a, ind, v):
    """Subtract from elements at places; as often as each is named."""
    _at(np.subtract, a, ind, v)


def multiply_at(a, ind, v):
    """Multiply elements at places; as often as each is named."""
    _at(np.multiply, a, ind, v)


def maximum_at(a, ind, v):
    """The greater of elements at places and others; as often as each is named."""
    _at(np.maximum, a, ind, v)


def minimum_at(a, ind, v):
    """The lesser of elements at places and others; as often as each is named."""
    _at(np.minimum, a, ind, v)


def _at(op, a, ind, v):
    if isinstance(ind, tuple) and is_object(ind):  # only the run tells how long it is
        _at(op, a, _tuple_parts(ind, a.ndim), v)
    elif isinstance(ind, tuple):
        parts = _index_arrays(ind)
        _at_parts(op, a, parts, parts, v)
    elif ind is None:
        _at_any(op, a, ind, v)
    elif ind is Ellipsis:
        _at_any(op, a, ind, v)
    elif isinstance(ind, slice):
        _at_any(op, a, ind, v)
    elif np.asarray(ind).dtype == np.bool_:
        _at_each(op, a, np.nonzero(np.asarray(ind)), v)
    else:
        _at_places(op, a, np.asarray(ind), v)


def _at_places(op, a, i, v):
    """At places along the first axis. They, and the values, are copied where `a` may be either."""
    n = a.shape[0]
    places = _apart(i.ravel(), a)
    if np.any((places >= n) | (places < -n)):
        for k in range(places.size):
            if places[k] >= n or places[k] < -n:
                raise IndexError(f"index {places[k]} is out of bounds for axis 0 with size {n}")
    if np.ndim(v) == 0:
        value = np.asarray(v).copy()[()]
        for k in range(places.size):
            a[places[k]] = op(a[places[k]], value).astype(a.dtype)
    else:
        values = np.broadcast_to(np.asarray(v), i.shape + a.shape[1:])
        flat = _apart(values.reshape((i.size, *a.shape[1:])), a)
        for k in range(places.size):
            a[places[k]] = op(a[places[k]], flat[k]).astype(a.dtype)


def _index_arrays(ind):
    """The parts of an index, with arrays in place of lists."""
    if len(ind) == 0:
        return ()
    elif isinstance(ind[0], (list, tuple, range)):
        return (np.asarray(ind[0]), *_index_arrays(ind[1:]))
    else:
        return (ind[0], *_index_arrays(ind[1:]))


def _at_parts(op, a, ind, rest, v):
    """At what an index names; `rest` is what of it has not been looked at."""
    if len(rest) == 0:
        _at_each(op, a, ind, v)
    elif rest[0] is None:
        _at_any(op, a, ind, v)
    elif rest[0] is Ellipsis:
        _at_any(op, a, ind, v)
    elif isinstance(rest[0], slice):
        _at_any(op, a, ind, v)
    elif np.asarray(rest[0]).dtype == np.bool_:
        _at_any(op, a, ind, v)
    else:
        _at_parts(op, a, ind, rest[1:], v)


def _at_any(op, a, ind, v):
    """At what an index of any parts names: by the numbers of all elements, in order."""
    flat = a.copy().reshape(-1)
    places = np.asarray(np.arange(a.size).reshape(a.shape)[ind])
    values = np.broadcast_to(np.asarray(v), places.shape).flatten()
    named = places.ravel()
    for k in range(named.size):
        flat[named[k]] = op(flat[named[k]], values[k]).astype(a.dtype)
    a[...] = flat.reshape(a.shape)


def _at_each(op, a, ind, v):
    """At places that numbers and arrays of them name, along the first axes."""
    if len(ind) == 0:
        _at_any(op, a, ind, v)
    elif len(ind) > 3:
        _at_any(op, a, ind, v)
    elif len(ind) == 1:
        _at_places(op, a, np.asarray(ind[0]), v)
    elif len(ind) == 2:
        i, j = np.asarray(ind[0]), np.asarray(ind[1])
        shape = np.shape(np.add(i, j))
        p, q = np.broadcast_to(i, shape).flatten(), np.broadcast_to(j, shape).flatten()
        values = np.broadcast_to(np.asarray(v), np.shape(a[i, j])).copy()
        flat = values.reshape((p.size, *a.shape[2:]))
        for k in range(p.size):
            a[p[k], q[k]] = op(a[p[k], q[k]], flat[k]).astype(a.dtype)
    else:
        i, j, m = np.asarray(ind[0]), np.asarray(ind[1]), np.asarray(ind[2])
        shape = np.shape(np.add(np.add(i, j), m))
        p, q = np.broadcast_to(i, shape).flatten(), np.broadcast_to(j, shape).flatten()
        s = np.broadcast_to(m, shape).flatten()
        values = np.broadcast_to(np.asarray(v), np.shape(a[i, j, m])).copy()
        flat = values.reshape((p.size, *a.shape[3:]))
        for k in range(p.size):
            a[p[k], q[k], s[k]] = op(a[p[k], q[k], s[k]], flat[k]).astype(a.dtype)
