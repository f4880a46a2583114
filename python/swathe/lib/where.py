# SPDX-License-Identifier: BSD-3-Clause
"""where= of reductions and of functions of elements: what stands in for elements that are left
out changes nothing in the result."""

import numpy as np

from swathe import static_fail
from swathe.lib.nans import _per
from swathe.lib.shapes import _check_same_kind, _into


def _mask(where, shape):
    """where= as bools of the array's shape."""
    m = np.asarray(where)
    if m.dtype != np.bool_:
        static_fail("where= takes bools")
    return np.broadcast_to(m, shape)


def _with(a, mask, value):
    """Elements, or a value of their dtype for those that are left out."""
    return np.where(mask, a, np.full((), value, a.dtype)[()])


def _where_sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = np.asarray(a)
    x = _with(a, _mask(where, a.shape), 0)
    return np.sum(x, axis, dtype, out, keepdims, initial)


def _where_prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = np.asarray(a)
    x = _with(a, _mask(where, a.shape), 1)
    return np.prod(x, axis, dtype, out, keepdims, initial)


def _where_nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = np.asarray(a)
    x = _with(a, _mask(where, a.shape), 0)
    return np.nansum(x, axis, dtype, out, keepdims, initial)


def _where_nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = np.asarray(a)
    x = _with(a, _mask(where, a.shape), 1)
    return np.nanprod(x, axis, dtype, out, keepdims, initial)


def _where_max(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    _check_initial(initial)
    a = np.asarray(a)
    x = _with(a, _mask(where, a.shape), initial)
    return np.max(x, axis, out, keepdims, initial)


def _where_min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    _check_initial(initial)
    a = np.asarray(a)
    x = _with(a, _mask(where, a.shape), initial)
    return np.min(x, axis, out, keepdims, initial)


def _check_initial(initial):
    if initial is None:
        static_fail("the least and greatest of some elements (where=) need initial=")


def _where_any(a, axis=None, out=None, keepdims=False, *, where=True):
    a = np.asarray(a)
    return np.any(np.logical_and(a, _mask(where, a.shape)), axis, out, keepdims)


def _where_all(a, axis=None, out=None, keepdims=False, *, where=True):
    a = np.asarray(a)
    left_out = np.logical_not(_mask(where, a.shape))
    return np.all(np.logical_or(a, left_out), axis, out, keepdims)


def _where_mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    a = np.asarray(a)
    m = _mask(where, a.shape)
    n = np.sum(m, axis=axis, keepdims=keepdims)
    x = _with(a, m, 0)
    if out is not None:
        np.sum(x, axis=axis, dtype=dtype, out=out, keepdims=keepdims)
        out[...] = np.divide(out, n)
        return out
    elif dtype is None and a.dtype.kind in ("b", "i", "u"):
        return _per(np.sum(x, axis=axis, dtype=np.float64, keepdims=keepdims), n)
    elif dtype is None and a.dtype == np.float16:
        r = _per(np.sum(x, axis=axis, dtype=np.float32, keepdims=keepdims), n)
        return np.asarray(r).astype(np.float16)[()]
    else:
        return _per(np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims), n)


def _deviation_squares(a, mean):
    """The squares of deviations; of complex elements those of their absolute values."""
    if np.asarray(a).dtype.kind in ("i", "u", "f"):
        return np.square(a - mean)  # also where a mean that was given is complex
    else:
        return np.square(np.abs(a - mean))


def _where_var(a, axis, dtype, out, ddof, keepdims, where, given=None):
    a = np.asarray(a)
    m = _mask(where, a.shape)
    if given is None:
        mean = _where_mean(a, axis, dtype, None, True, where=where)
    else:
        mean = given
    d = np.where(m, _deviation_squares(a, mean), 0)
    n = np.maximum(np.sum(m, axis=axis, keepdims=keepdims) - ddof, 0)
    if dtype is not None:
        r = _per(np.sum(d, axis=axis, dtype=dtype, keepdims=keepdims), n)
    elif d.dtype.kind == "c":
        r = _per(np.sum(d, axis=axis, keepdims=keepdims), n)
    elif a.dtype.kind in ("b", "i", "u"):
        r = _per(np.sum(d, axis=axis, dtype=np.float64, keepdims=keepdims), n)
    else:
        real = np.abs(np.zeros(1, a.dtype)).dtype
        r = _per(np.sum(d.astype(real), axis=axis, keepdims=keepdims), n)
    return _into(out, r)


# What is computed for elements that are left out stays in the expression: debug looks at what a
# variable holds, and one divided by zero is no error there.


def _where_1(op, out, where, x):
    """A function of one operand for some elements; the others are out's."""
    m = _bools(where)
    if out is None:
        return np.where(m, op(x), False)
    elif isinstance(out, tuple):
        return _where_1(op, out[0], where, x)
    else:
        _check_same_kind(op(x).dtype, out.dtype)
        out[...] = np.where(m, op(x), out)
        return out


def _where_2(op, out, where, x, y):
    """A function of two operands for some elements; the others are out's."""
    m = _bools(where)
    if out is None:
        return np.where(m, op(x, y), False)
    elif isinstance(out, tuple):
        return _where_2(op, out[0], where, x, y)
    else:
        _check_same_kind(op(x, y).dtype, out.dtype)
        out[...] = np.where(m, op(x, y), out)
        return out


def _bools(where):
    m = np.asarray(where)
    if m.dtype != np.bool_:
        static_fail("where= takes bools")
    return m
