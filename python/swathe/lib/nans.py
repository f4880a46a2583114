# SPDX-License-Identifier: BSD-3-Clause
"""Reductions and scans of what is not NaN."""

import numpy as np

from swathe import static_fail
from swathe.lib.quantile import _kept, _last_axes
from swathe.lib.shapes import _degrees, _into, _ones


def _check_some(a, axis, name):
    """Raise ValueError where nothing is to be compared along the axes."""
    n = np.prod(np.asarray(np.shape(np.sum(a, axis=axis))), dtype=np.int64)
    if a.size == 0 and (n > 0 or axis is None):
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")


def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The least number; NaN where there is none."""
    a = np.asarray(a)
    if initial is None and isinstance(where, bool) and where:
        return _extreme(np.min, np.inf, "fmin", a, axis, out, keepdims)
    elif a.dtype.kind != "f" and a.dtype.kind != "c":
        return np.min(a, axis, out, keepdims, initial, where)
    else:
        first = _behind_all(a, initial, "fmin")
        return _extreme_of(np.fmin, np.min, np.inf, a, axis, out, keepdims, first, where)


def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The greatest number; NaN where there is none."""
    a = np.asarray(a)
    if initial is None and isinstance(where, bool) and where:
        return _extreme(np.max, -np.inf, "fmax", a, axis, out, keepdims)
    elif a.dtype.kind != "f" and a.dtype.kind != "c":
        return np.max(a, axis, out, keepdims, initial, where)
    else:
        first = _behind_all(a, initial, "fmax")
        return _extreme_of(np.fmax, np.max, -np.inf, a, axis, out, keepdims, first, where)


def _behind_all(a, initial, name):
    """initial= as a number of the array's dtype."""
    if initial is None:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, so to use a where mask one "
            "has to specify 'initial'"
        )
    return np.full((), initial, a.dtype)[()]


def _extreme_of(two, op, last, a, axis, out, keepdims, first, where):
    """That of some elements and a first one; `last` comes after all numbers."""
    left_out = np.logical_or(np.isnan(a), np.logical_not(where))
    if a.dtype.kind == "c":
        x = np.where(left_out, np.nan, a).astype(a.dtype)
        return _into(out, two(first, _folded(two, x, axis, keepdims)))
    x = np.where(left_out, last, a).astype(a.dtype)
    r = op(x, axis=axis, keepdims=keepdims, initial=last)
    none = np.all(left_out, axis=axis, keepdims=keepdims)
    return _into(out, np.where(none, first, two(first, r))[()])


def _extreme(op, last, name, a, axis, out, keepdims):
    """That of numbers; `last` comes after all of them."""
    _check_some(a, axis, name)
    if a.dtype.kind == "c":
        return _into(out, _folded(np.fmin if name == "fmin" else np.fmax, a, axis, keepdims))
    if a.dtype.kind != "f":
        return op(a, axis=axis, out=out, keepdims=keepdims)
    limit = np.full((), last, a.dtype)[()]
    r = op(np.where(np.isnan(a), limit, a), axis=axis, keepdims=keepdims)
    if np.any(r == last):  # only there may all have been NaN
        none = np.all(np.isnan(a), axis=axis, keepdims=keepdims)
        r = np.where(none, np.nan, r).astype(a.dtype)[()]
    return _into(out, r)


def _folded(op, a, axis, keepdims):
    """A function of two applied along some axes, from the first element to the last."""
    if axis is None:
        r = _fold(op, a.ravel())
        return np.reshape(r, _ones(a.ndim)) if keepdims else r
    elif isinstance(axis, tuple):
        r = _fold(op, _last_axes(a, axis))
        return np.reshape(r, _kept(a.shape, axis, 0)) if keepdims else r
    else:
        np.size(a, axis)  # which must be there
        r = _fold(op, np.moveaxis(a, axis, -1))
        return np.expand_dims(r, axis) if keepdims else r


def _fold(op, rows):
    r = np.empty(rows.shape[:-1], rows.dtype)
    if rows.size:
        r[...] = rows[..., 0]
        for k in range(1, rows.shape[rows.ndim - 1]):
            r[...] = op(r, rows[..., k])
    return r[()]


def nanargmin(a, axis=None, *, keepdims=False):
    """Where the least number is."""
    return _place(np.argmin, np.inf, "argmin", np.asarray(a), axis, keepdims)


def nanargmax(a, axis=None, *, keepdims=False):
    """Where the greatest number is."""
    return _place(np.argmax, -np.inf, "argmax", np.asarray(a), axis, keepdims)


def _place(op, last, name, a, axis, keepdims):
    """Where that of numbers is; `last` comes after all of them."""
    if a.ndim == 0 and (axis == 0 or axis == -1):
        return _place(op, last, name, a[None], axis, keepdims)
    if a.dtype.kind == "f" or a.dtype.kind == "c":
        none = np.isnan(a)
        if (np.size(a, axis) if axis is not None else a.size) == 0:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        if np.any(np.all(none, axis=axis)):
            raise ValueError("All-NaN slice encountered")
        return op(np.where(none, last, a), axis=axis, keepdims=keepdims)
    return op(a, axis=axis, keepdims=keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Mean of the numbers."""
    a = np.asarray(a)
    if a.dtype.kind != "f" and a.dtype.kind != "c":
        return np.mean(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, where=where)
    elif not (isinstance(where, bool) and where):
        a = _among_some(a, where)
    n = np.sum(np.logical_not(np.isnan(a)), axis=axis, keepdims=keepdims)
    if out is not None:
        np.nansum(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims)
        np.divide(out, n, out=out)
        return out
    return _per(np.nansum(a, axis=axis, dtype=dtype, keepdims=keepdims), n)


def _per(total, n):
    """total / n in the precision of the total."""
    t = np.asarray(total)
    return np.asarray(np.divide(t, np.asarray(n), dtype=t.dtype))[()]


def _among_some(a, where):
    """NaN in place of what where= leaves out."""
    m = np.asarray(where)
    if m.dtype != np.bool_:
        static_fail("where= takes bools")
    return np.where(m, a, np.nan).astype(a.dtype)


def nanvar(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=False,
    *,
    where=True,
    mean=None,
    correction=None,
):
    """Variance of the numbers; NaN where there are not more than ddof."""
    a = np.asarray(a)
    if correction is not None:
        ddof = _degrees(ddof, correction)
        return nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    elif a.dtype.kind != "f" and a.dtype.kind != "c":
        return np.var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    elif not (isinstance(where, bool) and where):
        a = _among_some(a, where)
    some = np.logical_not(np.isnan(a))
    n = np.sum(some, axis=axis, keepdims=keepdims)
    if mean is None:
        total = np.nansum(a, axis=axis, dtype=dtype, keepdims=True)
        m = _per(total, np.sum(some, axis=axis, keepdims=True))
    else:
        m = mean if a.dtype.kind == "c" else np.real(mean)  # it is subtracted in a's dtype
    d = np.where(some, a - m, 0)
    degrees = np.asarray(n) - ddof
    if out is not None:
        np.sum(np.square(np.abs(d)), axis=axis, dtype=dtype, out=out, keepdims=keepdims)
        out[...] = np.where(degrees <= 0, np.nan, np.divide(out, degrees, dtype=out.dtype))
        return out
    squares = np.sum(np.square(np.abs(d)), axis=axis, dtype=dtype, keepdims=keepdims)
    r = np.asarray(_per(squares, degrees))
    return np.where(degrees <= 0, np.nan, r).astype(r.dtype)[()]


def nanstd(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=False,
    *,
    where=True,
    mean=None,
    correction=None,
):
    """Standard deviation of the numbers."""
    if correction is not None:
        ddof = _degrees(ddof, correction)
        return nanstd(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    if out is not None:
        nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
        return np.sqrt(out, out=out)
    return np.sqrt(nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean))


def nancumsum(a, axis=None, dtype=None, out=None):
    """Cumulative sums in which NaN is zero."""
    a = np.asarray(a)
    if a.dtype.kind != "f" and a.dtype.kind != "c":
        return np.cumsum(a, axis=axis, dtype=dtype, out=out)
    return np.cumsum(np.where(np.isnan(a), 0, a).astype(a.dtype), axis=axis, dtype=dtype, out=out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Cumulative products in which NaN is one."""
    a = np.asarray(a)
    if a.dtype.kind != "f" and a.dtype.kind != "c":
        return np.cumprod(a, axis=axis, dtype=dtype, out=out)
    return np.cumprod(np.where(np.isnan(a), 1, a).astype(a.dtype), axis=axis, dtype=dtype, out=out)
