# SPDX-License-Identifier: BSD-3-Clause
"""Statistics over axes, written with array expressions; compiled like a user's function."""

import numpy as np

from swathe.lib.pick import _whole
from swathe.lib.shapes import _UNLIKE_WEIGHTS, _beside, _degrees
from swathe.lib.where import _deviation_squares, _where_var


def var(
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
    """Variance by two passes: the mean, then the mean of the squared deviations."""
    if correction is not None:
        ddof = _degrees(ddof, correction)
        return var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    if not (isinstance(where, bool) and where):
        return _where_var(a, axis, dtype, out, ddof, keepdims, where, mean)
    if isinstance(a, (tuple, list)):
        return var(np.asarray(a), axis, dtype, out, ddof, keepdims, mean=mean)
    if mean is not None:
        m = mean
        n = np.size(a) // max(np.size(np.sum(a, axis=axis)), 1)
    else:
        if axis is None or isinstance(axis, (int, np.integer)) and np.ndim(a) < 2:
            np.size(a, axis)  # which must be there
            m = np.mean(a, dtype=dtype)
        else:
            m = np.mean(a, axis=axis, dtype=dtype, keepdims=True)
        n = np.size(a) // max(np.size(m), 1)
    if out is not None:
        np.sum(_deviation_squares(a, m), axis=axis, dtype=dtype, out=out, keepdims=keepdims)
        out[...] = out / max(n - ddof, 0)
        return out
    # One expression, so that the squares are in no array.
    squares = np.sum(_deviation_squares(a, m), axis=axis, dtype=dtype, keepdims=keepdims)
    return squares / max(n - ddof, 0)


def std(
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
    """Standard deviation: the square root of the variance."""
    if correction is not None:
        ddof = _degrees(ddof, correction)
        return std(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    if out is not None:
        var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
        return np.sqrt(out, out=out)
    return np.sqrt(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean))


def ptp(a, axis=None, out=None, keepdims=False):
    """Maximum minus minimum."""
    if out is not None:
        np.max(a, axis=axis, out=out, keepdims=keepdims)
        return np.subtract(out, np.min(a, axis=axis, keepdims=keepdims), out=out)
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """Mean, or the weighted mean: weights have a's shape, or the length of the axis; with
    returned=True also the sums of the weights."""
    a = np.asarray(a)
    if a.ndim == 0 and axis is not None:
        np.mean(a, axis=axis)  # an error, unlike for sums
    if weights is None:
        m = np.mean(a, axis=axis, keepdims=keepdims)
        if np.size(m) == 0:
            raise ZeroDivisionError("division by zero")
        if returned:
            each = np.asarray(m)
            n = np.asarray(np.true_divide(a.size, each.size)).astype(each.dtype)
            return m, np.broadcast_to(n, each.shape).copy()[()]
        return m
    m, total = _weighted(a, axis, np.asarray(weights), keepdims)
    if returned:
        return m, np.broadcast_to(
            np.asarray(total).astype(np.asarray(m).dtype), np.shape(m)
        ).copy()[()]
    return m


def _weighted(a, axis, weights, keepdims):
    """The weighted mean of arrays, and the sums of weights, which are real numbers of a's shape,
    or a vector."""
    if isinstance(axis, (int, np.integer)):
        np.size(a, axis)  # which must be there
    one = np.ones((), a.dtype)[()] * 1.0  # products are of the dtype of both, float64 of integers
    if weights.ndim == a.ndim or isinstance(axis, tuple):
        if axis is None:
            if a.shape != weights.shape:
                raise TypeError("Axis must be specified when shapes of a and weights differ.")
        elif isinstance(axis, tuple):
            if weights.ndim != a.ndim or a.shape != weights.shape:
                weights = _beside(a, axis, weights)
        elif a.shape != weights.shape:
            raise ValueError(_UNLIKE_WEIGHTS)
        total = np.sum(weights * one, axis=axis, keepdims=keepdims)
        if np.any(total == 0):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        return np.sum(a * one * weights, axis=axis, keepdims=keepdims) / total, total
    else:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.ndim != 1 or len(weights) != np.size(a, axis):
            raise ValueError(_UNLIKE_WEIGHTS)
        scale = np.sum(weights * one)
        if scale == 0:
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        m = np.sum(np.moveaxis(a, axis, -1) * one * weights, axis=-1) / scale
        return np.expand_dims(m, axis) if keepdims else m, scale


def bincount(x, weights=None, minlength=0):
    """Number of occurrences of each value (or the sum of its weights); x must not be negative."""
    if np.ndim(x) < 1:
        raise ValueError("object of too small depth for desired array")
    if np.ndim(x) > 1:
        raise ValueError("object too deep for desired array")
    x = _whole(x)
    if x.dtype.kind == "b":
        return bincount(x.astype(np.int64), weights, minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    least, most = 0, minlength - 1
    for i in range(len(x)):
        v = int(x[i])
        least = min(least, v)
        most = max(most, v)
    if least < 0:
        raise ValueError("'list' argument must have no negative elements")
    n = most + 1
    if weights is None:
        r = np.zeros(n, dtype=np.int64)
        for i in range(len(x)):
            r[x[i]] += 1
        return r
    weights = np.asarray(weights)
    if weights.dtype.kind == "c":
        raise TypeError("Cannot cast array data to dtype('float64') according to the rule 'safe'")
    if len(weights) != len(x):
        raise ValueError("The weights and list don't have the same length.")
    w = np.zeros(n, dtype=np.float64)
    for i in range(len(x)):
        w[x[i]] += weights[i]
    return w
