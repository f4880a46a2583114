# SPDX-License-Identifier: BSD-3-Clause
"""Arrays joined along an axis that depends on what they are, repeated, and cut into parts."""

import numpy as np

from swathe import static_fail
from swathe.lib.pick import _check_whole, _indices
from swathe.lib.shapes import _between, _interleaved, _multiplied, _part, _resized


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays one below the other: vectors are rows."""
    if isinstance(tup, list):
        return _joined([np.atleast_2d(t) for t in tup], 0, dtype, casting)
    return _joined(_each(np.atleast_2d, tup), 0, dtype, casting)


def _joined(parts, axis, dtype, casting):
    if dtype is None:
        return np.concatenate(parts, axis)
    else:
        return np.concatenate(parts, axis, dtype=dtype, casting=casting)


def _each(form, tup):
    """Each element of a tuple in a form."""
    if len(tup) == 0:
        return ()
    return (form(tup[0]), *_each(form, tup[1:]))


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays side by side: vectors one after the other."""
    if isinstance(tup, list):
        if len(tup) == 0 or tup[0].ndim < 2:
            return _joined([np.atleast_1d(t) for t in tup], 0, dtype, casting)
        return _joined(tup, 1, dtype, casting)
    parts = _each(np.atleast_1d, tup)
    if len(parts) > 0 and parts[0].ndim == 1:
        return _joined(parts, 0, dtype, casting)
    return _joined(parts, 1, dtype, casting)


def dstack(tup):
    """Arrays one behind the other, along a third axis."""
    if isinstance(tup, list):
        return np.concatenate([np.atleast_3d(t) for t in tup], axis=2)
    return np.concatenate(_each(np.atleast_3d, tup), axis=2)


def column_stack(tup):
    """Arrays side by side: vectors are columns."""
    if isinstance(tup, list):
        return np.concatenate([_column(t) for t in tup], axis=1)
    return np.concatenate(_each(_column, tup), axis=1)


def _column(x):
    a = np.asarray(x)
    if a.ndim < 2:
        return np.atleast_1d(a)[:, None]
    return a


def append(arr, values, axis=None):
    """Values behind an array along an axis; without one behind its elements in C order."""
    if axis is None:
        return np.concatenate((np.ravel(arr), np.ravel(values)))
    return np.concatenate((np.asarray(arr), np.asarray(values)), axis=axis)


def repeat(a, repeats, axis=None):
    """Each element, or row along an axis, some times over."""
    a = np.asarray(a)
    if isinstance(repeats, (float, np.floating)):  # what is no array, NumPy cuts off to ints
        return repeat(a, int(repeats), axis)
    elif isinstance(repeats, np.complexfloating):
        return repeat(a, int(repeats.real), axis)
    elif isinstance(repeats, (list, tuple)) and np.asarray(repeats).dtype.kind in "fc":
        return repeat(a, np.asarray(repeats).real.astype(np.int64), axis)
    elif axis is None:
        return _repeated(a.ravel(), repeats)
    elif a.ndim == 0:
        return repeat(a.ravel(), repeats, axis)
    elif a.ndim == 1:
        np.size(a, axis)  # which must be there
        return _repeated(a, repeats)
    else:
        n = np.size(a, axis)
        if np.ndim(repeats) == 0:
            return _each_repeated(a, repeats, axis % a.ndim, n)
        return np.moveaxis(_repeated(np.moveaxis(a, axis, 0), repeats), 0, axis)


def _each_repeated(a, k, axis, n):
    """Each part along an axis k times."""
    _check_whole(np.asarray(k))
    if k < 0:
        raise ValueError("repeats may not contain negative values.")
    r = np.empty((*a.shape[: axis + 1], int(k), *a.shape[axis + 1 :]), a.dtype)
    r[...] = np.expand_dims(a, axis + 1)
    return r.reshape((*a.shape[:axis], n * int(k), *a.shape[axis + 1 :]))


def _repeated(rows, repeats):
    """Each of the rows some times over; one count, or one for each."""
    n = rows.shape[0]
    if np.ndim(repeats) > 1:
        raise ValueError("object too deep for desired array")
    if isinstance(repeats, tuple) and len(repeats) == 0:
        return _repeated(rows, np.zeros(0, np.int64))
    counts = np.ravel(repeats)
    _check_whole(counts)
    if np.any(counts < 0):
        raise ValueError("repeats may not contain negative values.")
    if counts.size == 1:
        k = int(counts[0])
        r = np.empty((n, k, *rows.shape[1:]), rows.dtype)
        r[...] = rows[:, None]
        return r.reshape((n * k, *rows.shape[1:]))
    if counts.size != n:
        raise ValueError(
            f"operands could not be broadcast together with shape ({n},) ({counts.size},)"
        )
    r = np.empty((int(np.sum(counts)), *rows.shape[1:]), rows.dtype)
    at = 0
    for i in range(n):
        for _ in range(int(counts[i])):
            r[at] = rows[i]
            at += 1
    return r


def tile(A, reps):
    """An array again and again along each axis."""
    a = np.asarray(A)
    if not isinstance(reps, tuple):
        return _tiled(np.atleast_1d(a), (reps,))
    if len(reps) == 0:
        return a.copy()
    return _tiled(np.atleast_1d(a) if a.ndim == 0 else a, reps)


def _tiled(a, reps):
    if len(reps) < a.ndim:
        return _tiled(a, (1, *reps))
    elif len(reps) > a.ndim:
        return _tiled(a[None], reps)
    else:
        r = np.empty(_pairs(reps, a.shape), a.dtype)
        r[...] = _interleaved(a, a.ndim, 0)
        return r.reshape(_multiplied(reps, a.shape))


def _pairs(reps, shape):
    """How often, and how many, for each axis."""
    if len(reps) == 0:
        return ()
    return (reps[0], shape[0], *_pairs(reps[1:], shape[1:]))


def array_split(ary, indices_or_sections, axis=0):
    """A list of views of parts along an axis: as many, of about one length, or between places."""
    n = np.size(ary, axis)
    rows = np.moveaxis(ary, axis, 0)
    if np.ndim(indices_or_sections) == 0:
        parts = int(indices_or_sections)
        if parts <= 0:
            raise ValueError("number sections must be larger than 0.")
        small = n // parts
        more = n % parts
        return [
            np.moveaxis(
                rows[k * small + min(k, more) : (k + 1) * small + min(k + 1, more)], 0, axis
            )
            for k in range(parts)
        ]
    else:
        at = np.asarray(indices_or_sections)
        if at.size and at.dtype.kind != "i" and at.dtype.kind != "u":
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        return [
            np.moveaxis(
                rows[(int(at[k - 1]) if k else 0) : (int(at[k]) if k < at.size else n)], 0, axis
            )
            for k in range(at.size + 1)
        ]


def split(ary, indices_or_sections, axis=0):
    """A list of views of parts along an axis, which are of one length where only their number is
    given."""
    if np.ndim(indices_or_sections) == 0:
        if np.size(ary, axis) % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def unstack(x, *, axis=0):
    """A tuple of what an axis has, views without it."""
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    rows = np.moveaxis(x, axis, 0)
    return tuple([rows[k] for k in range(rows.shape[0])])


def hsplit(ary, indices_or_sections):
    """Parts side by side."""
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary, indices_or_sections):
    """Parts one below the other."""
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """Parts one behind the other, along the third axis."""
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def meshgrid(*xi, indexing="xy", sparse=False, copy=True):
    """Vectors as the coordinates of a grid: an array of its shape for each of them."""
    if indexing != "xy" and indexing != "ij":
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    return _coordinates(xi, _sizes(xi), 0, indexing == "xy" and len(xi) > 1, sparse, copy)


def _sizes(xi):
    if len(xi) == 0:
        return ()
    return (np.size(xi[0]), *_sizes(xi[1:]))


def _coordinates(xi, sizes, k, swapped, sparse, copy):
    """Those of the k-th vector and its followers."""
    if k == len(sizes):
        return ()
    x = _between(np.ravel(xi[k]), k, len(sizes) - 1 - k)
    if sparse:
        whole = x
    else:
        whole = np.broadcast_to(x, sizes)
    turned = np.swapaxes(whole, 0, 1) if swapped else whole
    made = turned.copy() if copy else turned
    return (made, *_coordinates(xi, sizes, k + 1, swapped, sparse, copy))


def indices(dimensions, dtype=int, sparse=False):
    """The indices of all elements of an array of some shape: one grid for each axis."""
    if sparse:
        return _ranges(dimensions, dtype, 0)
    r = np.empty((len(dimensions), *dimensions), dtype)
    _fill_indices(r, dimensions, 0)
    return r


def _ranges(dimensions, dtype, k):
    if k == len(dimensions):
        return ()
    i = np.arange(dimensions[k], dtype=dtype)
    return (_between(i, k, len(dimensions) - 1 - k), *_ranges(dimensions, dtype, k + 1))


def _fill_indices(r, dimensions, k):
    if k == len(dimensions):
        return
    r[k] = _between(np.arange(dimensions[k]), 0, len(dimensions) - 1 - k)
    _fill_indices(r, dimensions, k + 1)


def delete(arr, obj, axis=None):
    """An array without the elements, or rows along an axis, at some places."""
    a = np.asarray(arr)
    if axis is None:
        return delete(a.ravel(), obj, 0)
    n = np.size(a, axis)
    if isinstance(obj, (bool, np.bool_)):
        _check_mask(np.asarray(obj), n)
    elif isinstance(obj, (int, np.integer)):
        _check_place(obj, n, axis % a.ndim)
        i = int(obj) % n
        return _without_part(a, i, i + 1, axis % a.ndim)
    rows = np.moveaxis(a, axis, 0)
    if isinstance(obj, slice):
        low, high, step = obj.indices(n)
        if step == 1:
            return _without_part(a, low, max(low, high), axis % a.ndim)
        left = np.moveaxis(_without(rows, np.arange(n)[obj], axis % a.ndim), 0, axis)
        r = _resized(a, left.shape[axis], axis, a.dtype, "A")
        r[...] = left
        return r
    return np.moveaxis(_without(rows, obj, axis % a.ndim), 0, axis)


def _check_mask(obj, n):
    if obj.shape != (n,):
        raise ValueError(
            "boolean array argument obj to delete must be one dimensional and match "
            f"the axis length of {n}"
        )


def _check_place(i, n, axis):
    if i < -n or i >= n:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")


def _without_part(a, low, high, axis):
    """An array without some places along an axis: what is before them, and behind them."""
    n = a.shape[axis]
    r = _resized(a, n - (high - low), axis, a.dtype, "A")
    _part(r, axis, 0, low)[...] = _part(a, axis, 0, low)
    _part(r, axis, low, n - (high - low))[...] = _part(a, axis, high, n)
    return r


def _without(rows, obj, axis):
    n = rows.shape[0]
    keep = np.ones(n, np.bool_)
    i = _indices(obj)
    if i.dtype == np.bool_:
        _check_mask(i, n)
        keep[:] = np.logical_not(i.ravel())
    else:
        keep[i.ravel()] = False
    return rows[keep]


def insert(arr, obj, values, axis=None):
    """An array with values before a place, or before several, along an axis or in C order."""
    a = np.asarray(arr)
    v = np.asarray(values, dtype=a.dtype)
    if axis is None:
        return _inserted(a.ravel(), obj, v, 0)
    np.size(a, axis)  # which must be there
    return _inserted(a, obj, v, axis % a.ndim)


def _inserted(a, obj, values, axis):
    if isinstance(obj, slice):
        return _inserted(a, np.arange(np.size(a, axis))[obj], values, axis)
    elif isinstance(obj, bool):  # what NumPy asks for, and does not find
        raise AttributeError("'bool' object has no attribute 'ndim'")
    elif isinstance(obj, (int, np.integer)):
        rows = np.moveaxis(np.moveaxis(_padded(values, a.ndim), 0, axis), axis, 0)
        return _with(a, int(obj), rows, axis)
    else:
        if np.ndim(obj) > 1:
            raise ValueError("index array argument obj to insert must be one dimensional or scalar")
        rows = np.moveaxis(_padded(values, a.ndim), axis, 0)
        at = _indices(obj)
        if at.dtype == np.bool_ and at.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        if at.dtype == np.bool_:
            at = np.flatnonzero(at)
        if at.size == 1:  # then any number of rows goes there
            return _with(a, int(at[0]), rows, axis)
        return _with_some(a, at, rows, axis)


def _padded(v, n):
    """With new axes in front until there are n."""
    if v.ndim < n:
        return _padded(v[None], n)
    return v


def _with(a, at, values, axis):
    n = a.shape[axis]
    if at < -n or at > n:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {n}")
    if at < 0:
        at += n
    k = values.shape[0]
    whole = _resized(a, n + k, axis, a.dtype, "A")
    _part(whole, axis, 0, at)[...] = _part(a, axis, 0, at)
    _part(whole, axis, at, at + k)[...] = np.moveaxis(values, 0, axis)
    _part(whole, axis, at + k, n + k)[...] = _part(a, axis, at, n)
    return whole


def _with_some(a, places, values, axis):
    rows = np.moveaxis(a, axis, 0)
    n = rows.shape[0]
    at = np.where(places < 0, places + n, places)
    order = np.argsort(at, kind="stable")
    at[order] += np.arange(at.size)
    whole = _resized(a, n + at.size, axis, a.dtype, "A")
    r = np.moveaxis(whole, axis, 0)
    old = np.ones(n + at.size, np.bool_)
    old[at] = False
    r[at] = values
    r[old] = rows
    return whole


def block(arrays):
    """Arrays beside each other, and rows of these below each other."""
    if not isinstance(arrays, tuple):
        return np.array(arrays)
    elif isinstance(arrays[0], (tuple, list)):
        return np.concatenate(_rows_of(arrays), 0)
    else:
        return np.concatenate(_at_least(arrays, 1), -1)


def _rows_of(arrays):
    if len(arrays) == 0:
        return ()
    elif isinstance(arrays[0], list):  # a row of numbers
        row = np.array(arrays[0])
        if row.ndim > 1:
            static_fail("np.block takes lists of numbers, and displays, in compiled code")
        return (row.reshape(1, -1), *_rows_of(arrays[1:]))
    elif not isinstance(arrays[0], tuple):
        static_fail("the parts of np.block are lists at one depth only")
    elif isinstance(arrays[0][0], (tuple, list)):
        static_fail("np.block takes two levels of lists in compiled code")
    else:
        return (np.concatenate(_at_least(arrays[0], 2), -1), *_rows_of(arrays[1:]))


def _at_least(arrays, n):
    if len(arrays) == 0:
        return ()
    elif isinstance(arrays[0], (tuple, list)):
        static_fail("the parts of np.block are lists at one depth only")
    else:
        return (_padded(np.asarray(arrays[0]), n), *_at_least(arrays[1:], n))
