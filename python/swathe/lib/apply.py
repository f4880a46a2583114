# SPDX-License-Identifier: BSD-3-Clause
"""What calls a function of the user's: along an axis, for pieces, for each element."""

import numpy as np

from swathe import static_fail
from swathe.lib.broadcast import _joint
from swathe.lib.shapes import _count


def apply_along_axis(func1d, axis, arr, *args):
    """A function of vectors, for each of those along an axis."""
    a = np.asarray(arr)
    np.size(a, axis)  # which must be there
    rows = np.moveaxis(a, axis, -1)
    outer = rows.shape[:-1]
    n = _count(outer)
    if n == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    lines = rows.reshape((n, rows.shape[a.ndim - 1]))
    first = np.asarray(func1d(lines[0], *args))
    r = np.empty((n, *first.shape), first.dtype)
    r[0] = first
    for i in range(1, n):
        r[i] = func1d(lines[i], *args)
    return _put_at(r.reshape(outer + first.shape), first.ndim, axis % a.ndim)


def _put_at(r, n, axis):
    """With the last n axes from `axis` on."""
    if n == 0:
        return r
    else:
        return _put_at(np.moveaxis(r, -1, axis), n - 1, axis)


def apply_over_axes(func, a, axes):
    """A function of an array and an axis, for several axes one after the other."""
    if isinstance(axes, tuple):
        return _over(func, np.asarray(a), axes)
    else:
        return _over(func, np.asarray(a), (axes,))


def _over(func, a, axes):
    if len(axes) == 0:
        return a
    else:
        r = np.asarray(func(a, axes[0]))
        if r.ndim == a.ndim:
            return _over(func, r, axes[1:])
        else:
            return _over(func, np.expand_dims(r, axes[0]), axes[1:])


def piecewise(x, condlist, funclist, *args):
    """Functions, or numbers, where conditions are true; one more for where none is."""
    a = np.asarray(x)
    r = np.zeros(a.shape, a.dtype)
    if not isinstance(condlist, (tuple, list)):
        return _pieces(a, r, (condlist,), funclist, args)
    else:
        return _pieces(a, r, condlist, funclist, args)


def _pieces(a, r, conditions, functions, args):
    n = len(conditions)
    if len(functions) == n + 1:
        rest = np.logical_not(_any_of(conditions, a.shape))
        _set_piece(a, r, rest, functions[n], args)
    elif len(functions) != n:
        static_fail("np.piecewise takes a function for each condition, and one more for the rest")
    _each_piece(a, r, conditions, functions, args, 0)
    return r


def _any_of(conditions, shape):
    if len(conditions) == 0:
        return np.zeros(shape, np.bool_)
    else:
        return np.logical_or(conditions[0], _any_of(conditions[1:], shape))


def _each_piece(a, r, conditions, functions, args, k):
    if k < len(conditions):
        _set_piece(a, r, np.asarray(conditions[k]), functions[k], args)
        _each_piece(a, r, conditions, functions, args, k + 1)


def _set_piece(a, r, where, function, args):
    if isinstance(function, (bool, int, float, complex, np.number, np.bool_)):
        r[where] = function
    else:
        x = a[where]
        if x.size > 0:
            r[where] = function(x, *args)


def fromfunction(function, shape, *, dtype=float):
    """A function of the coordinates of a grid."""
    return _called_with(function, np.indices(shape, dtype), len(shape))


def _called_with(function, grid, n):
    if n == 1:
        return function(grid[0])
    elif n == 2:
        return function(grid[0], grid[1])
    elif n == 3:
        return function(grid[0], grid[1], grid[2])
    elif n == 4:
        return function(grid[0], grid[1], grid[2], grid[3])
    else:
        static_fail("np.fromfunction takes one to four axes in compiled code")


# --- a function for each element ------------------------------------------------------------


def vectorize(pyfunc, otypes=None):
    """A function of numbers as one of arrays."""

    def call(*args):
        return _vectorized(pyfunc, otypes, args)

    return call


def _by_elements(f, args):
    shape = _joint(args)
    if len(shape) == 0:
        return f(*_numbers(args))
    else:
        x = _flattened(args, shape)
        return np.array([f(*_elements(x, i)) for i in range(_count(shape))]).reshape(shape)


def _numbers(args):
    if len(args) == 0:
        return ()
    else:
        return (_number(args[0]), *_numbers(args[1:]))


def _number(x):
    """NumPy's number of a number or of an array without axes; of a number no array is made."""
    if isinstance(x, bool):
        return np.bool_(x)
    elif isinstance(x, int):
        return np.int64(x)
    elif isinstance(x, float):
        return np.float64(x)
    elif isinstance(x, complex):
        return np.complex128(x)
    elif isinstance(x, (np.number, np.bool_)):
        return x
    else:
        return np.asarray(x).reshape(-1)[0]


def _vectorized(f, otypes, args):
    """f for each elements of the arguments, which are broadcast."""
    shape = _joint(args)
    if _count(shape) == 0 and otypes is None:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    x = _flattened(args, shape)
    if otypes is None:
        return _mapped(f, x, shape)
    else:
        r = np.empty(shape, _only_type(otypes))
        flat = r.reshape(-1)
        for i in range(flat.size):
            flat[i] = f(*_elements(x, i))
        return r


def _only_type(otypes):
    if isinstance(otypes, (tuple, list)):
        return otypes[0]
    else:
        return otypes


def _flattened(args, shape):
    if len(args) == 0:
        return ()
    else:
        a = np.broadcast_to(np.asarray(args[0]), shape)
        return (a.reshape(-1), *_flattened(args[1:], shape))


def _elements(arrays, i):
    if len(arrays) == 0:
        return ()
    else:
        return (arrays[0][i], *_elements(arrays[1:], i))


def _mapped(f, x, shape):
    first = f(*_elements(x, 0))
    if isinstance(first, tuple):
        r = _several(first, x[0].size)
        _store_all(r, first, 0)
        for i in range(1, x[0].size):
            _store_all(r, f(*_elements(x, i)), i)
        return _shaped(r, shape)
    else:
        one = np.empty(x[0].size, np.asarray(first).dtype)
        one[0] = first
        for i in range(1, one.size):
            one[i] = f(*_elements(x, i))
        return one.reshape(shape)


def _several(first, n):
    if len(first) == 0:
        return ()
    else:
        return (np.empty(n, np.asarray(first[0]).dtype), *_several(first[1:], n))


def _store_all(arrays, values, i):
    if len(arrays) > 0:
        arrays[0][i] = values[0]
        _store_all(arrays[1:], values[1:], i)


def _shaped(arrays, shape):
    if len(arrays) == 0:
        return ()
    else:
        return (arrays[0].reshape(shape), *_shaped(arrays[1:], shape))


def _fromiter_counted(iter, dtype, count=-1):
    """The first `count` values; all, where that is negative."""
    if count < 0:
        return np.array([v for v in iter], dtype)  # noqa: C416
    r = np.empty(count, dtype)
    k = 0
    if count > 0:
        for v in iter:
            r[k] = v
            k += 1
            if k == count:
                break
    if k < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {k} items.")
    return r


def fromiter(iter, dtype):
    """An array of what a generator yields: a call of it becomes np.array([...])."""
    if isinstance(iter, (bool, int, float, complex, np.generic)):
        raise TypeError("object is not iterable")
    return np.array(iter, dtype)
