# SPDX-License-Identifier: BSD-3-Clause
"""What of sorted data is in the middle, or at a share of it; partitions and orders by keys."""

import numpy as np


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy whose kth element is where sorting would put it, smaller ones before: sorted whole."""
    _check_kth(a, kth, axis)
    return np.sort(a, axis)


def method_partition(a, kth, axis=-1, kind="introselect", order=None):
    """In place."""
    _check_kth(a, kth, axis)
    a.sort(axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """Where the elements of the partitioned array are along an axis."""
    _check_kth(a, kth, axis)
    return np.argsort(a, axis)


def _check_kth(a, kth, axis):
    a = np.asarray(a)
    n = a.size if axis is None else np.size(np.atleast_1d(a), axis)
    k = np.asarray(kth)
    if n > 0 and (np.any(k >= n) or np.any(k < -n)):
        bad = np.ravel(k)[np.nonzero(np.ravel((k >= n) | (k < -n)))[0][0]]
        raise ValueError(f"kth(={bad if bad < 0 else bad}) out of bounds ({n})")


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle of the sorted elements along an axis: the mean of two where their number is
    even; NaN where one of them is."""
    a = np.asarray(a)
    if axis is None:
        r = _middle(a.ravel())
        if keepdims:
            r = np.reshape(r, _ones(a.ndim))
    elif isinstance(axis, tuple):
        r = _middle(_last_axes(a, axis))
        if keepdims:
            r = np.expand_dims(r, axis)
    else:
        np.size(a, axis)  # which must be there
        r = _middle(np.moveaxis(a, axis, -1))
        if keepdims:
            r = np.expand_dims(r, axis)
    if out is not None:
        out[...] = r
        return out
    return r


def _ones(n):
    if n == 0:
        return ()
    return (1, *_ones(n - 1))


def _last_axes(a, axes):
    """An array with some axes as one, the last."""
    if len(axes) == 0:
        return a[..., None]
    b = a
    for k in range(len(axes)):
        np.size(a, axes[k])  # which must be there
        before = 0
        for j in range(k):
            if axes[j] % a.ndim < axes[k] % a.ndim:
                before += 1
        b = np.moveaxis(b, axes[k] % a.ndim - before, -1)
    n = 1
    for k in range(len(axes)):
        n *= a.shape[axes[k]]
    return b.reshape((*b.shape[: a.ndim - len(axes)], n))


def _middle(rows):
    """The median of each row."""
    n = rows.shape[rows.ndim - 1]
    if n == 0:
        return np.mean(rows, axis=-1)
    s = np.sort(rows, axis=-1)
    h = n // 2
    low = h if n % 2 else h - 1
    m = np.mean(s[..., low : h + 1], axis=-1)
    if s.dtype.kind == "f" or s.dtype.kind == "c":
        last = s[..., n - 1]
        return np.where(np.isnan(last), last, m)[()]
    return m


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median of what is not NaN."""
    a = np.asarray(a)
    if a.dtype.kind != "f":
        return median(a, axis, out, overwrite_input, keepdims)
    if axis is None:
        flat = a.ravel()
        r = _middle(flat[np.logical_not(np.isnan(flat))])
        if keepdims:
            r = np.reshape(r, _ones(a.ndim))
    else:
        np.size(a, axis)  # which must be there
        r = _middle_of_numbers(np.moveaxis(a, axis, -1))
        if keepdims:
            r = np.expand_dims(r, axis)
    if out is not None:
        out[...] = r
        return out
    return r


def _middle_of_numbers(rows):
    n = rows.shape[rows.ndim - 1]
    s = np.sort(rows, axis=-1).reshape((-1, max(n, 1)))
    r = np.empty(s.shape[0], s.dtype)
    for i in range(s.shape[0]):
        k = n
        while k > 0 and np.isnan(s[i, k - 1]):
            k -= 1
        r[i] = np.mean(s[i, (k - 1) // 2 : k // 2 + 1]) if k else np.nan
    return r.reshape(rows.shape[:-1])[()]


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """What a share q, from 0 to 1, of the sorted elements along an axis lies below."""
    p = np.asarray(q)
    if not np.all((p >= 0) & (p <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    return _quantiles(np.asarray(a), p, axis, out, method, keepdims)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """What q of a hundred sorted elements along an axis lie below."""
    p = np.asarray(q) / np.float64(100)
    if not np.all((p >= 0) & (p <= 1)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return _quantiles(np.asarray(a), p, axis, out, method, keepdims)


def _quantiles(a, p, axis, out, method, keepdims):
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if axis is None:
        r = _at_shares(a.ravel(), p, method)
        if keepdims:
            r = np.reshape(r, (*p.shape, *_ones(a.ndim)))
    elif isinstance(axis, tuple):
        r = _at_shares(_last_axes(a, axis), p, method)
        if keepdims:
            for k in sorted([j % a.ndim for j in axis]):
                r = np.expand_dims(r, p.ndim + k)
    else:
        np.size(a, axis)  # which must be there
        r = _at_shares(np.moveaxis(a, axis, -1), p, method)
        if keepdims:
            r = np.expand_dims(r, p.ndim + axis % a.ndim)
    if out is not None:
        out[...] = r
        return out
    return r


def _at_shares(rows, p, method):
    """Of each row, for each share: the axes of the shares stand first."""
    if p.ndim == 0:
        return _at_share(np.sort(rows, axis=-1), float(p), method)
    s = np.sort(rows, axis=-1)
    flat = np.ravel(p)
    first = _at_share(s, 0.0, method)
    r = np.empty((flat.size, *np.shape(first)), np.asarray(first).dtype)
    for k in range(flat.size):
        r[k] = _at_share(s, float(flat[k]), method)
    return r.reshape(p.shape + np.shape(first))


def _at_share(s, p, method):
    """Of sorted rows: by the place p (n - 1) between two elements."""
    n = s.shape[s.ndim - 1]
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    place = p * (n - 1)
    low = int(np.floor(place))
    high = min(low + 1, n - 1)
    t = place - low
    if method == "linear":
        a, b = s[..., low], s[..., high]
        d = np.subtract(b, a) if s.dtype != np.bool_ else np.subtract(b * 1, a * 1)
        r = a + d * t if t < 0.5 else b - d * (1 - t)
        r = np.where(d == 0, b * np.float64(1) if s.dtype.kind != "f" else b, r)[()]
    elif method == "lower":
        r = s[..., low]
    elif method == "higher":
        r = s[..., int(np.ceil(place))]
    elif method == "nearest":
        r = s[..., int(np.round(place))]
    elif method == "midpoint":
        a, b = s[..., low], s[..., int(np.ceil(place))]
        r = (a + b) / 2
    else:
        raise ValueError(f"{method!r} is not a valid method. Use one of: linear, lower, higher")
    if s.dtype.kind == "f":
        last = s[..., n - 1]
        return np.where(np.isnan(last), last, r)[()]
    return r


def lexsort(keys, axis=-1):
    """The order by several keys, the last one first."""
    order = np.argsort(keys[0], kind="stable")
    for k in range(1, len(keys)):
        order = order[np.argsort(keys[k][order], kind="stable")]
    return order
