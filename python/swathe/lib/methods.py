# SPDX-License-Identifier: BSD-3-Clause
"""Methods of functions of two elements that have no row of their own: np.gcd.reduce and its kin.
`name` is the function's."""

import numpy as np

from swathe import static_fail
from swathe.lib.shapes import _ones
from swathe.lib.ufunc import _at, _outer

_IN_ORDER = (
    "subtract", "divide", "floor_divide", "remainder", "fmod", "power", "float_power", "arctan2",
    "left_shift", "right_shift", "copysign", "nextafter", "heaviside", "ldexp",
)  # fmt: skip

# From where even one element goes through the function: np.gcd.reduce([-3]) is 3.
_WITH_IDENTITY = (
    "bitwise_or", "bitwise_xor", "bitwise_and", "logical_xor", "gcd", "hypot", "logaddexp",
    "logaddexp2",
)  # fmt: skip


def _check_plain(dtype, out):
    if dtype is not None or out is not None:
        static_fail("dtype= and out= of this method are not supported in compiled code")


def _ufunc_reduce(name, op, array, axis=0, dtype=None, out=None, keepdims=False):
    """op between all elements along an axis, from the first on."""

    def reduced(rows):
        return _reduced(name, op, rows)

    _check_plain(dtype, out)
    return _reduced_along(reduced, name, name in _IN_ORDER, np.asarray(array), axis, keepdims)


def _reduced_along(reduced, name, ordered, a, axis, keepdims):
    """Along an axis, or all of them; `reduced` does it along the first. Ordered: each element has
    its place."""
    if a.ndim == 0:
        raise TypeError("cannot reduce on a scalar")
    elif axis is None:
        if a.ndim > 1 and ordered:
            raise ValueError(
                f"reduction operation '{name}' is not reorderable, so at most one axis may be "
                "specified"
            )
        r = reduced(a.ravel())
        if keepdims:
            return np.reshape(r, _ones(a.ndim))
        else:
            return r
    elif isinstance(axis, tuple):
        if len(axis) == 1:
            return _reduced_along(reduced, name, ordered, a, axis[0], keepdims)
        else:
            static_fail("several axes of this reduction are not supported in compiled code")
    else:
        np.size(a, axis)  # which must be there
        r = reduced(np.moveaxis(a, axis, 0))
        if keepdims:
            return np.expand_dims(r, axis)
        else:
            return r


def _reduced(name, op, rows):
    n = rows.shape[0]
    first = 0 if name in _WITH_IDENTITY else 1
    if rows.ndim == 1:
        none = np.zeros(1, rows.dtype)
        x = op(none, none)
        if n == 0 or first == 0:
            _set_identity(name, x)
        else:
            x[0] = rows[0]
        for i in range(first, n):
            x[0] = op(x[0], rows[i])
        return x[0]
    else:
        zeros = np.zeros(rows.shape[1:], rows.dtype)
        r = op(zeros, zeros)
        if n == 0 or first == 0:
            _set_identity(name, r)
        else:
            r[...] = rows[0]
        for i in range(first, n):
            r[...] = op(r, rows[i])
        return r


def _set_identity(name, r):
    if name in ("bitwise_or", "bitwise_xor", "logical_xor", "gcd", "hypot"):
        r[...] = 0
    elif name == "bitwise_and":
        r[...] = np.invert(np.zeros_like(r))
    elif name == "logaddexp" or name == "logaddexp2":
        r[...] = -np.inf
    else:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")


def _ufunc_accumulate(name, op, array, axis=0, dtype=None, out=None):
    """op between all elements so far along an axis."""
    _check_plain(dtype, out)
    a = np.asarray(array)
    if a.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    np.size(a, axis)  # which must be there
    r = op(a, a)
    rows = np.moveaxis(r, axis, 0)
    given = np.moveaxis(a, axis, 0)
    if rows.shape[0] > 0:
        rows[0] = given[0]
    for i in range(1, rows.shape[0]):
        rows[i] = op(rows[i - 1], given[i])
    return r


def _ufunc_reduceat(name, op, array, indices, axis=0, dtype=None, out=None):
    """op between the elements of slices that begin at places along an axis."""
    _check_plain(dtype, out)
    a = np.asarray(array)
    given = np.moveaxis(a, axis, 0)
    at = np.asarray(indices)
    n = given.shape[0]
    for i in at:
        if i < 0 or i >= n:
            raise IndexError(f"index {i} out-of-bounds in {name}.reduceat [0, {n})")
    if name in ("add", "multiply"):  # whose small integers become wide ones
        return np.moveaxis(_slices(op, np.sum(given[:0]).dtype, given, at), 0, axis)
    else:
        return np.moveaxis(_slices(op, op(given[:0], given[:0]).dtype, given, at), 0, axis)


def _slices(op, dtype, given, at):
    n = given.shape[0]
    r = np.empty((at.size, *given.shape[1:]), dtype)
    for k in range(at.size):
        end = n if k == at.size - 1 else at[k + 1]
        r[k] = given[at[k]]
        for i in range(at[k] + 1, end):
            r[k] = op(r[k], given[i])
    return r


def _ufunc_outer(name, op, A, B):
    """op between each element of A and each of B."""
    return _outer(op, A, B)


def _ufunc_at(name, op, a, indices, b):
    """op between elements at places and others; as often as each is named."""
    _at(op, a, indices, b)


# --- x.__getitem__(i): what has no such method of a class of its own -----------------------------


def _special_getitem(x, i):
    return x[i]


def _special_contains(x, v):
    return v in x


def _special_len(x):
    return len(x)


def _special_setitem(x, i, v):
    x[i] = v


def _special_delitem(x, i):
    del x[i]
