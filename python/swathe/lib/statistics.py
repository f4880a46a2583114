# SPDX-License-Identifier: BSD-3-Clause
"""Statistics over axes, written with array expressions; compiled like a user's function."""

import numpy as np


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """Variance by two passes: the mean, then the mean of the squared deviations."""
    m = np.mean(a, axis=axis, dtype=dtype, keepdims=True)
    d = np.abs(a - m)
    if axis is None:
        n = a.size
    elif isinstance(axis, tuple):
        n = 1
        for k in axis:
            n *= a.shape[k]
    else:
        n = a.shape[axis]
    s = np.sum(d * d, axis=axis, keepdims=keepdims)
    r = s / max(n - ddof, 0)
    if out is not None:
        out[...] = r
        return out
    return r


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """Standard deviation: the square root of the variance."""
    r = np.sqrt(var(a, axis, dtype, None, ddof, keepdims))
    if out is not None:
        out[...] = r
        return out
    return r


def ptp(a, axis=None, out=None, keepdims=False):
    """Maximum minus minimum."""
    r = np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)
    if out is not None:
        out[...] = r
        return out
    return r


def average(a, axis=None, weights=None):
    """Mean, or the weighted mean where weights of the same shape are given."""
    if weights is None:
        return np.mean(a, axis=axis)
    return np.sum(a * weights, axis=axis) / np.sum(weights, axis=axis)


def bincount(x, weights=None, minlength=0):
    """Number of occurrences of each value (or the sum of its weights); x must not be negative."""
    n = minlength
    for i in range(len(x)):
        if x[i] < 0:
            raise ValueError("'list' argument must have no negative elements")
        if x[i] + 1 > n:
            n = int(x[i]) + 1
    if weights is None:
        r = np.zeros(n, dtype=np.int64)
        for i in range(len(x)):
            r[x[i]] += 1
        return r
    w = np.zeros(n, dtype=np.float64)
    for i in range(len(x)):
        w[x[i]] += weights[i]
    return w
