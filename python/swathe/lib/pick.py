# SPDX-License-Identifier: BSD-3-Clause
"""Choosing elements by place or by condition, and storing to what is chosen."""

import numpy as np

from swathe._objects import index_of
from swathe.lib.shapes import (
    _apart,
    _between,
    _check_cast,
    _common,
    _count,
    _elements,
    _into,
    _may_cast,
)


def _check_whole(i):
    """Raise TypeError unless these are integers, or bools, which count as such."""
    if i.dtype.kind != "i" and i.dtype.kind != "u" and i.dtype.kind != "b":
        raise TypeError("Cannot cast array data to dtype('int64') according to the rule 'safe'")


def _indices(x):
    """An array of places; () holds integers, of which NumPy would make floats."""
    if isinstance(x, tuple) and len(x) == 0:
        return np.empty(0, np.int64)
    return np.asarray(x)


def _whole(x):
    """Places: of floats, NumPy's complex numbers and lists of floats integers are made, as int()
    makes them (of the real part), but not of arrays."""
    if isinstance(x, (float, np.floating)):
        return np.asarray(int(x))
    if isinstance(x, np.complexfloating):
        return np.asarray(int(x.real))
    i = _indices(x)
    if isinstance(x, (tuple, list)) and i.dtype.kind == "f":
        return np.array(x, np.int64)
    _check_whole(i)
    return i


def flatnonzero(a):
    """Where the elements, in C order, are not zero."""
    return np.nonzero(np.ravel(a))[0]


def argwhere(a):
    """Where the elements are not zero: one row of indices for each."""
    a = np.asarray(a)
    if a.ndim == 0:
        return np.zeros((int(a != 0), 0), np.int64)
    if a.ndim == 1:
        return np.nonzero(a)[0][:, np.newaxis]
    return np.stack(np.nonzero(a), axis=-1)


def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements, or rows along an axis, at places; out of bounds is an error, counts round, or
    is the last."""
    if axis is not None and np.ndim(a) == 0:
        return take(np.asarray(a).ravel(), indices, axis, out, mode)
    a = np.asarray(a)
    i = _whole(indices)
    if i.dtype == np.bool_ or (mode != "raise" and i.dtype.itemsize < 8):
        i = i.astype(np.int64)  # of which a size is one
    if mode != "raise" and mode != "wrap" and mode != "clip":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    n = np.size(a, axis)
    if n == 0 and i.size > 0:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if axis is None:
        r = _taken(a.ravel(), i, mode)
    else:
        if mode == "raise" and axis % a.ndim > 0 and _count(a.shape[: axis % a.ndim]) == 0:
            i = np.zeros_like(i)  # nothing is taken, and NumPy looks at no place
        r = _taken_along(a, i, axis % a.ndim, mode)
    if out is not None:
        if np.shape(out) != np.shape(r):
            raise ValueError("output array does not match result of ndarray.take")
        _check_cast(out, a, "safe")  # NumPy computes in a copy of `out` in a's dtype
    return _into(out, r)


def _taken_along(a, i, axis, mode):
    if i.ndim == 0 or axis == 0 or axis > 2:
        r = _moved(_taken(np.moveaxis(a, axis, 0), i, mode), i.ndim, axis)
        if i.ndim == 0 and a.ndim > 1:  # which is a view
            return r.copy()
        else:
            return r
    n = a.shape[axis]
    if mode == "wrap":
        i = _wrapped(i, n)
    elif mode == "clip":
        i = np.clip(i, 0, max(n - 1, 0))
    if axis == 1:
        return a[:, i]
    else:
        return a[:, :, i]


def _moved(r, n, to):
    """The first n axes, in their order, behind the next `to` ones."""
    if n == 0 or to == 0:
        return r
    return _turned(r, n, to, 0)


def _turned(r, n, to, k):
    if k == to:
        return r
    return _turned(np.moveaxis(r, n + k, k), n, to, k + 1)


def _wrapped(i, n):
    """Places that count round, from 0 to n - 1: most often they do already, or nearly."""
    if i.ndim == 0 or i.size == 0:
        return np.mod(i, max(n, 1))
    low, high = np.min(i), np.max(i)
    if low >= 0 and high < n:
        return i
    if low >= -n and high < n:
        return np.where(i < 0, i + n, i)
    return np.mod(i, max(n, 1))


def _taken(rows, i, mode):
    """The rows at places, which stand first."""
    n = rows.shape[0]
    if mode == "wrap":
        return rows[_wrapped(i, n),]
    if mode == "clip":
        return rows[np.clip(i, 0, max(n - 1, 0)),]
    return rows[i,]


def compress(condition, a, axis=None, out=None):
    """The elements, or rows along an axis, for which a vector of conditions is true."""
    if axis is not None and np.ndim(a) == 0:
        return compress(condition, np.asarray(a).ravel(), axis, out)
    if out is not None:
        r = compress(condition, a, axis)
        if r.shape != out.shape:
            raise ValueError("output array does not match result of ndarray.take")
        return _into(out, r)
    a = np.asarray(a)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if axis is None:
        return _picked(condition, a)
    n = np.size(a, axis)  # which must be there
    if condition.size == n and axis % a.ndim == 0:
        return a[_true(condition)]
    elif condition.size == n and axis % a.ndim == 1:
        return a[:, _true(condition)]
    else:
        return np.take(a, np.nonzero(condition)[0], axis)


def _true(condition):
    if condition.dtype == np.bool_:
        return condition
    else:
        return condition != 0


def _picked(condition, a):
    """The elements in C order for which a vector of conditions, which may be shorter, is true."""
    v = a if a.ndim == 1 else a.ravel()
    if condition.size <= v.size:
        return v[: condition.size][_true(condition)]
    return v[np.nonzero(condition)[0]]


def method_compress(a, condition, axis=None, out=None):
    """The elements, or rows along an axis, for which a vector of conditions is true."""
    return compress(np.asarray(condition), a, axis, out)


def extract(condition, a):
    """The elements of a, in C order, for which a condition is true."""
    return _picked(np.ravel(condition), np.asarray(a))


def place(a, mask, vals):
    """Store values, again and again, where a mask is true."""
    v = _elements(vals, a)
    m = np.ravel(mask)
    if m.size != a.size:
        raise ValueError("place: mask and data must be the same size")
    n = np.count_nonzero(m)
    _check_kind(a, vals)
    if n and v.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    if n:
        if n > v.size:
            v = v[np.arange(n) % v.size]
        a[np.reshape(m != 0, a.shape)] = v[:n]


def _check_kind(a, v):
    """Raise TypeError of an array whose dtype another doesn't hold, and of complex numbers for
    real ones."""
    if isinstance(v, np.ndarray) and a.dtype.kind != "m" and a.dtype.kind != "M":
        _check_cast(v, a, "safe")
    elif np.asarray(v).dtype.kind == "c" and a.dtype.kind != "c":
        raise TypeError("float() argument must be a string or a real number, not 'complex'")


def putmask(a, mask, values):
    """Store values at the same place, counted round, where a mask is true."""
    v = _elements(values, a)
    m = np.ravel(mask)
    if m.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    _check_kind(a, values)
    chosen = np.reshape(m != 0, a.shape)
    if isinstance(values, (int, float, complex)):
        a[chosen] = v[0]
    elif v.size == a.size:
        np.copyto(a, v.reshape(a.shape), where=chosen)
    elif v.size:
        a[chosen] = v[np.nonzero(m)[0] % v.size]


def put(a, ind, v, mode="raise"):
    """Store values, again and again, at places in C order."""
    i = _apart(_indices(ind).ravel(), a)
    _check_whole(i)
    if mode != "raise" and mode != "wrap" and mode != "clip":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    values = _elements(v, a)
    n = a.size
    if values.size == 0 or i.size == 0:
        return
    if n == 0:
        raise IndexError("cannot replace elements of an empty array")
    enough = values.size >= i.size
    for k in range(i.size):
        at = int(i[k])
        if mode == "wrap":
            at = at % n
        elif mode == "clip":
            at = min(max(at, 0), n - 1)
        elif at < -n or at >= n:
            raise IndexError(f"index {at} is out of bounds for axis 0 with size {n}")
        if at < 0:
            at += n
        _set_flat(a, at, values[k] if enough else values[k % values.size])


def _set_flat(a, at, value):
    """Store to an element by its place in C order."""
    if a.ndim == 0:
        a[...] = value
    elif a.ndim == 1:
        a[at] = value
    else:
        n = a[0].size
        _set_flat(a[at // n], at % n, value)


def take_along_axis(arr, indices, axis=-1):
    """Elements at places along an axis, one for each element of `indices`."""
    i = np.asarray(indices)
    if axis is None:
        if i.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return np.ravel(arr)[i]
    if i.dtype.kind != "i" and i.dtype.kind != "u":
        raise IndexError("`indices` must be an integer array")
    if i.ndim != arr.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    np.size(arr, axis)  # which must be there
    return arr[_along(arr, i, axis % arr.ndim, 0)]


def _along(arr, i, axis, k):
    """The indices that name each element, but for one axis: there they are those given."""
    if k == arr.ndim:
        return ()
    elif k == axis:
        return (i, *_along(arr, i, axis, k + 1))
    else:
        own = _between(np.arange(arr.shape[k]), 0, arr.ndim - 1 - k)
        return (own, *_along(arr, i, axis, k + 1))


def put_along_axis(arr, indices, values, axis):
    """Store to places along an axis, one for each element of `indices`."""
    i = np.asarray(indices)
    if i.dtype.kind != "i" and i.dtype.kind != "u":
        raise IndexError("`indices` must be an integer array")
    if i.ndim != arr.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    np.size(arr, axis)  # which must be there
    if isinstance(values, (list, tuple)):
        arr[_along(arr, i, axis % arr.ndim, 0)] = np.array(values, dtype=arr.dtype)
    else:
        arr[_along(arr, i, axis % arr.ndim, 0)] = values


def diag_indices(n, ndim=2):
    """The indices of the diagonal of an array of n elements along each axis."""
    return _times(np.arange(n), ndim)


def diag_indices_from(arr):
    """The indices of the diagonal of an array whose axes are of one length."""
    a = np.asarray(arr)
    if a.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    for n in a.shape:
        if n != a.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(a.shape[0], a.ndim)


def _times(x, n):
    """A tuple that has x n times."""
    if n == 0:
        return ()
    return (x, *_times(x, n - 1))


def tril_indices(n, k=0, m=None):
    """The indices of the lower triangle of an (n, m) matrix."""
    return np.nonzero(np.tri(n, m, k=k, dtype=np.bool_))


def triu_indices(n, k=0, m=None):
    """The indices of the upper triangle of an (n, m) matrix."""
    at = index_of(k)
    if at == -9223372036854775808:
        raise OverflowError("Python int too large to convert to C long")
    return np.nonzero(np.logical_not(np.tri(n, m, k=at - 1, dtype=np.bool_)))


def tril_indices_from(arr, k=0):
    """The indices of the lower triangle of a matrix."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[0], k, arr.shape[1])


def triu_indices_from(arr, k=0):
    """The indices of the upper triangle of a matrix."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[0], k, arr.shape[1])


def fill_diagonal(a, val, wrap=False):
    """Store a number, or values again and again, on the diagonal; of tall matrices with wrap=True
    on all of them."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    v = _elements(val, a)
    if a.ndim == 2:
        rows, columns = a.shape
        i, j, t = 0, 0, 0
        while i < (rows if wrap and columns else min(rows, columns)) and v.size:
            a[i, j] = v[t]
            t = t + 1 if t + 1 < v.size else 0
            i += 1
            j += 1
            if j == columns:  # a row is left free
                j = 0
                i += 1
    else:
        for k in range(1, a.ndim):
            if a.shape[k] != a.shape[0]:
                raise ValueError("All dimensions of input must be of equal length")
        for k in range(a.shape[0] if v.size else 0):
            a[_times(k, a.ndim)] = v[k % v.size]


def unravel_index(indices, shape, order="C"):
    """The index of an element of an array of some shape, from its place in C or Fortran order."""
    if isinstance(shape, (int, np.integer)):
        return unravel_index(indices, (shape,), order)
    if order != "C" and order != "F":
        raise ValueError("only 'C' or 'F' order is permitted")
    i = np.asarray(indices)
    if i.dtype.kind != "i" and i.dtype.kind != "u":
        raise TypeError("only int indices permitted")
    n = _count(shape)
    if np.any(i < 0) or np.any(i >= n):
        bad = np.ravel(i)[np.nonzero(np.ravel((i < 0) | (i >= n)))[0][0]]
        raise ValueError(f"index {bad} is out of bounds for array with size {n}")
    if order == "F":
        return _unravelled_first(i.astype(np.int64)[()], shape)
    return _unravelled(i.astype(np.int64)[()], shape)


def _unravelled_first(i, shape):
    """The first axis goes fastest."""
    if len(shape) == 0:
        return ()
    n = max(shape[0], 1)
    return (i % n, *_unravelled_first(i // n, shape[1:]))


def _unravelled(i, shape):
    """One index for each axis."""
    if len(shape) == 0:
        return ()
    n = _count(shape[1:])
    return (i // max(n, 1), *_unravelled(i % max(n, 1), shape[1:]))


def select(condlist, choicelist, default=0):
    """Of each element, the choice whose condition is the first to be true."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if isinstance(condlist, list) and isinstance(choicelist, list):
        return _selected_of_lists(condlist, choicelist, default)
    elif isinstance(choicelist, list):
        return _selected(
            condlist, choicelist, len(condlist), default, _common_of(choicelist, default)
        )
    kind = _common((*choicelist, default))
    return _selected(condlist, choicelist, len(choicelist), default, kind)


def _common_of(choices, default):
    """_common of a list's elements, which are of one type, and a number."""
    if len(choices) == 0:
        raise ValueError("select with an empty condition list is not possible")
    return _common((choices[0], default))


def _selected_of_lists(conditions, choices, default):
    kind = _common_of(choices, default)
    k = len(choices) - 1
    r = _chosen(conditions[k], choices[k], np.asarray(default).astype(kind.dtype), kind)
    for i in range(k - 1, -1, -1):
        r = _chosen(conditions[i], choices[i], r, kind)
    return r


def _selected(conditions, choices, left, default, kind):
    """The last `left` cases; one of both is a tuple, by whose length this ends."""
    if left == 0:
        return np.asarray(default).astype(kind.dtype)
    k = len(conditions) - left if isinstance(conditions, tuple) else len(choices) - left
    return _chosen(
        conditions[k],
        choices[k],
        _selected(conditions, choices, left - 1, default, kind),
        kind,
    )


def _chosen(condition, choice, rest, kind):
    if not _may_cast(np.asarray(choice), kind, "same_kind"):
        raise TypeError(
            "Cannot cast array data from dtype('int64') to "
            f"dtype('{kind.dtype.name}') according to the rule 'same_kind'"
        )
    return np.where(condition, np.asarray(choice).astype(kind.dtype), rest)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Numbers for NaN and the infinities: zero and the greatest that there are, or those given."""
    a = np.asarray(x)
    if a.dtype.kind == "c":
        re = nan_to_num(np.real(a), True, nan, posinf, neginf)
        im = nan_to_num(np.imag(a), True, nan, posinf, neginf)
        r = np.empty(a.shape, a.dtype)
        r.real[...] = re
        r.imag[...] = im
        return _in_place(x, r, copy)
    elif a.dtype.kind != "f":
        if not copy and isinstance(x, np.ndarray):
            return x
        return a.copy()[()]
    else:
        if a.dtype == np.float64:
            top = 1.7976931348623157e308
        elif a.dtype == np.float32:
            top = 3.4028234663852886e38
        else:
            top = 65504.0
        high = top if posinf is None else posinf
        low = -top if neginf is None else neginf
        _check_stored(nan, a)
        _check_stored(high, a)
        _check_stored(low, a)
        r = np.where(np.isposinf(a), high, np.where(np.isneginf(a), low, a))
        return _in_place(x, np.where(np.isnan(a), nan, r).astype(a.dtype), copy)


def _check_stored(v, a):
    """Raise ValueError where v, an array, could not be stored in one like a."""
    if np.ndim(v) > 0:
        np.empty(a.shape, a.dtype)[...] = v


def _in_place(x, r, copy):
    """A result, or the argument with it where it is an array and not to be copied."""
    if not copy and isinstance(x, np.ndarray):
        x[...] = r
        return x
    return r[()]
