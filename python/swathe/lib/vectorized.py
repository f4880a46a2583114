# SPDX-License-Identifier: BSD-3-Clause
"""What swathe.vectorize has made, in compiled code: calls with `out=` and `where=`, and the methods
of a ufunc."""

import numpy as np

from swathe import static_fail
from swathe.lib.apply import _by_elements, _elements, _flattened
from swathe.lib.broadcast import _joint
from swathe.lib.methods import _check_plain, _reduced_along
from swathe.lib.shapes import _count, _ones
from swathe.lib.ufunc import _at


def _ufunc(pyfunc, nin):
    """A function of numbers as one of arrays and of numbers, as NumPy's own."""

    def call(*args, out=None, where=True):
        return _ufunc_call(pyfunc, nin, args, out, where)

    return call


def _ufunc_call(f, nin, args, out, where):
    if len(args) == nin + 1:
        if out is not None:
            static_fail("cannot specify 'out' as both a positional and keyword argument")
        return _ufunc_call(f, nin, args[:nin], args[nin], where)
    elif len(args) != nin:
        static_fail("the function takes another number of arguments")
    elif isinstance(out, tuple):
        return _ufunc_call(f, nin, args, out[0], where)
    elif out is None:
        if where is True:
            return _by_elements(f, args)
        else:
            shape = np.broadcast_shapes(_joint(args), np.shape(where))
            r = np.empty(shape, _dtype_of(f, args))
            _store_where(f, args, r, where)
            return r
    else:
        if not np.can_cast(_dtype_of(f, args), out.dtype, "same_kind"):
            raise TypeError("Cannot cast ufunc output from its dtype to that of `out`")
        _store_where(f, args, out, where)
        return out


def _dtype_of(f, args):
    """Of what f yields of elements; it is not called."""
    x = _flattened(args, _joint(args))
    return np.array([f(*_elements(x, i)) for i in range(0)]).dtype


def _fits(shape, into):
    """Is an array of this shape broadcast to the other?"""
    skipped = len(into) - len(shape)
    fits = skipped >= 0
    for k in range(len(shape)):
        fits = fits and (shape[k] == into[skipped + k] or shape[k] == 1)
    return fits


def _store_where(f, args, out, where):
    """Operands may be parts of `out`: all is computed before anything is stored."""
    shape = np.broadcast_shapes(_joint(args), np.shape(where))
    if not _fits(shape, out.shape):
        raise ValueError(
            f"non-broadcastable output operand with shape {out.shape} doesn't match the "
            f"broadcast shape {shape}"
        )
    x = _flattened(args, out.shape)
    mask = np.broadcast_to(np.asarray(where), out.shape).reshape(-1)
    r = out.flatten()
    for i in range(r.size):
        if mask[i]:
            r[i] = f(*_elements(x, i))
    out[...] = r.reshape(out.shape)


# --- methods of such functions: `start` is the identity element, or None -----------------------


def _vectorized_reduce(
    name, start, ordered, f, array, axis=0, dtype=None, out=None, keepdims=False, initial=""
):
    """f between all elements along an axis, from the first on, or from what is said first: None is
    the first element, and no text the identity."""
    if not isinstance(initial, str):
        return _vectorized_reduce(name, initial, ordered, f, array, axis, dtype, out, keepdims)

    def reduced(first):
        return _joined_rows(name, start, f, _rows(first)).reshape(first.shape[1:])[()]

    _check_plain(dtype, out)
    return _reduced_along(reduced, name, ordered, np.asarray(array), axis, keepdims)


def _rows(first):
    """The first axis, and all others as one."""
    return first.reshape((first.shape[0], _count(first.shape[1:])))


def _joined_rows(name, start, f, rows):
    n = rows.shape[0]
    to = _dtype_of(f, (rows, rows))
    r = np.empty(rows.shape[1], to)
    if start is not None:
        r[...] = start
    elif n == 0:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    else:
        r[...] = rows[0]
    for i in range(0 if start is not None else 1, n):
        for j in range(r.size):
            r[j] = f(r[j], rows[i, j])
    return r


def _vectorized_accumulate(name, start, ordered, f, array, axis=0, dtype=None, out=None):
    """f between all elements so far along an axis."""
    _check_plain(dtype, out)
    a = np.asarray(array)
    if a.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    np.size(a, axis)  # which must be there
    first = np.moveaxis(a, axis, 0)
    rows = _rows(first)
    r = np.empty(rows.shape, _dtype_of(f, (rows, rows)))
    if rows.shape[0] > 0:
        r[0] = rows[0]
    for i in range(1, rows.shape[0]):
        for j in range(rows.shape[1]):
            r[i, j] = f(r[i - 1, j], rows[i, j])
    return np.moveaxis(r.reshape(first.shape), 0, axis)


def _vectorized_reduceat(name, start, ordered, f, array, indices, axis=0, dtype=None, out=None):
    """f between the elements of slices that begin at places along an axis."""
    _check_plain(dtype, out)
    a = np.asarray(array)
    if a.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    np.size(a, axis)  # which must be there
    first, at = np.moveaxis(a, axis, 0), np.asarray(indices)
    rows = _rows(first)
    n = rows.shape[0]
    for i in at:
        if i < 0 or i >= n:
            raise IndexError(f"index {i} out-of-bounds in {name}.reduceat [0, {n})")
    r = np.empty((at.size, rows.shape[1]), _dtype_of(f, (rows, rows)))
    for k in range(at.size):
        end = n if k == at.size - 1 else at[k + 1]
        r[k] = rows[at[k]]
        for i in range(at[k] + 1, end):
            for j in range(rows.shape[1]):
                r[k, j] = f(r[k, j], rows[i, j])
    return np.moveaxis(r.reshape((at.size, *first.shape[1:])), 0, axis)


def _vectorized_outer(name, start, ordered, f, A, B):
    """f between each element of A and each of B."""
    a, b = np.asarray(A), np.asarray(B)
    return _by_elements(f, (a.reshape(a.shape + _ones(b.ndim)), b))


def _vectorized_at(name, start, ordered, f, a, indices, b):
    """f between elements at places and others; as often as each is named."""

    def op(x, y):
        return np.asarray(_by_elements(f, (x, y)))

    _at(op, a, indices, b)
