# SPDX-License-Identifier: BSD-3-Clause
"""What of sorted data is in the middle, or at a share of it; partitions and orders by keys."""

import numpy as np

from swathe import _kernels
from swathe.lib.shapes import _UNLIKE_WEIGHTS, _beside, _count, _into, _ones

# The methods that yield elements, and nothing between them.
_ELEMENTS = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy whose kth element is where sorting would put it, smaller ones before."""
    _check_kth(a, kth, axis, kind, order)
    a = np.asarray(a)
    if axis is None:
        r = a.flatten()
        _part(r, kth)
        return r
    r = a.copy("K")
    _part(np.moveaxis(r, axis, -1), kth)
    return r


def method_partition(a, kth, axis=-1, kind="introselect", order=None):
    """In place."""
    _check_kth(a, kth, axis, kind, order)
    _part(np.moveaxis(a, axis, -1), kth)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """Where the elements of the partitioned array are along an axis."""
    _check_kth(a, kth, axis, kind, order)
    a = np.asarray(a)
    if a.ndim == 0:
        return np.zeros(1, np.int64)
    if a.dtype.kind == "c":
        return np.argsort(a, axis)
    if axis is None:
        flat = a.ravel()
        r = np.empty(flat.size, np.int64)
        _kernels.argpartition(flat, r, _places(flat, kth))
        return r
    r = np.empty(a.shape, np.int64)
    rows = np.moveaxis(a, axis, -1)
    _kernels.argpartition(rows, np.moveaxis(r, axis, -1), _places(rows, kth))
    return r


def _part(rows, kth):
    """In place, along the last axis. Elements of one byte are sorted as fast."""
    size = rows.dtype.itemsize
    if rows.dtype.kind == "c" or size == 1 or (size == 2 and rows.dtype.kind == "f"):
        _kernels.sort(rows)
    else:
        _kernels.partition(rows, _places(rows, kth))


def _places(rows, kth):
    """Places along the last axis, from its start, in order: for each row."""
    k = np.ravel(np.asarray(kth)).astype(np.int64)
    k = np.sort(np.where(k < 0, k + rows.shape[-1], k))
    return np.broadcast_to(k, (*rows.shape[:-1], k.size))


def _check_kth(a, kth, axis, kind, order):
    """Raise unless these are places along the axis, and the rest is what NumPy takes."""
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got '{kind}')")
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    k = np.asarray(kth)
    if k.dtype == np.bool_:
        raise ValueError("Booleans unacceptable as partition index")
    if k.dtype.kind != "i" and k.dtype.kind != "u":
        raise TypeError("Partition index must be integer")
    if k.ndim > 1:
        raise ValueError("object too deep for desired array")
    a = np.asarray(a)
    n = a.size if axis is None else np.size(np.atleast_1d(a), axis)
    if n > 0 and (np.any(k >= n) or np.any(k < -n)):
        bad = np.ravel(k)[np.nonzero(np.ravel((k >= n) | (k < -n)))[0][0]]
        raise ValueError(f"kth(={bad}) out of bounds ({n})")


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
            r = np.reshape(r, _kept(a.shape, axis, 0))
    else:
        np.size(a, axis)  # which must be there
        r = _middle(np.moveaxis(a, axis, -1))
        if keepdims:
            r = np.expand_dims(r, axis)
    return _into(out, r)


def _last_axes(a, axes):
    """An array with some axes as one, the last."""
    _check_axes(a, axes)
    if len(axes) == 0:
        return a[..., None]
    elif len(axes) == 1:
        return np.moveaxis(a, axes[0], -1)
    elif len(axes) == 2:
        return _as_one(np.moveaxis(a, axes, (-2, -1)), 2)
    elif len(axes) == 3:
        return _as_one(np.moveaxis(a, axes, (-3, -2, -1)), 3)
    else:
        return _as_one(np.moveaxis(a, axes, (-4, -3, -2, -1)), 4)


def _check_axes(a, axes):
    if len(axes) > 0:
        np.size(a, axes[0])
        _check_axes(a, axes[1:])


def _kept(shape, axes, k):
    """A shape with some axes of size 1."""
    if k == len(shape):
        return ()
    return (1 if _among(axes, k, len(shape)) else shape[k], *_kept(shape, axes, k + 1))


def _among(axes, k, ndim):
    if len(axes) == 0:
        return False
    return axes[0] % ndim == k or _among(axes[1:], k, ndim)


def _as_one(a, n):
    """The last n axes as one."""
    if n == 1:
        return a
    size = a.shape[a.ndim - 2] * a.shape[a.ndim - 1]
    return _as_one(a.reshape((*a.shape[:-2], size)), n - 1)


def _middle(rows):
    """The median of each row."""
    n = rows.shape[rows.ndim - 1]
    if n == 0:
        return np.mean(rows, axis=-1)
    s = rows.copy()
    h = n // 2
    low = h if n % 2 else h - 1
    _part(s, np.array([low, h]))
    m = np.mean(s[..., low : h + 1], axis=-1)
    if s.dtype.kind == "f" or s.dtype.kind == "c":
        last = s[..., n - 1]
        return np.where(np.isnan(last), last, m)[()]
    return m


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median of what is not NaN."""
    a = np.asarray(a)
    if a.dtype.kind != "f" and a.dtype.kind != "c":
        return median(a, axis, out, overwrite_input, keepdims)
    if axis is None:
        flat = a.ravel()
        r = _middle(flat[np.logical_not(np.isnan(flat))])
        if keepdims:
            r = np.reshape(r, _ones(a.ndim))
    elif isinstance(axis, tuple):
        r = _middle_of_numbers(_last_axes(a, axis))
        if keepdims:
            r = np.reshape(r, _kept(a.shape, axis, 0))
    else:
        np.size(a, axis)  # which must be there
        r = _middle_of_numbers(np.moveaxis(a, axis, -1))
        if keepdims:
            r = np.expand_dims(r, axis)
    return _into(out, r)


def _middle_of_numbers(rows):
    n = rows.shape[rows.ndim - 1]
    s = np.sort(rows, axis=-1).reshape((rows.size // max(n, 1), n))
    r = np.full(np.size(rows[..., :1]) if n else _count(rows.shape[:-1]), np.nan, s.dtype)
    for i in range(s.shape[0]):
        k = n
        while k > 0 and np.isnan(s[i, k - 1]):
            k -= 1
        r[i] = np.mean(s[i, (k - 1) // 2 : k // 2 + 1]) if k else np.nan
    return r.reshape(rows.shape[:-1])[()]


def _sorted_below(a, p, axis, out, method, keepdims, weights, numbers):
    """numbers: NaN is left out."""
    if p.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if weights is not None:
        w = np.asarray(weights)
        return _weighted_quantiles(a, p, axis, out, method, keepdims, w, numbers)
    if numbers:
        return _nan_quantiles(a, p, axis, out, method, keepdims)
    return _quantiles(a, p, axis, out, method, keepdims)


def _of_share(a, q, p, axis, out, method, keepdims, weights, numbers):
    """A share that is one of NumPy's numbers promotes as an array of it does."""
    if p.ndim > 0 or p.dtype.kind != "f" or weights is not None:
        return _sorted_below(a, p, axis, out, method, keepdims, weights, numbers)
    if isinstance(q, (int, float)) and not isinstance(q, np.generic):
        return _sorted_below(a, p, axis, out, method, keepdims, weights, numbers)
    r = _sorted_below(a, np.reshape(p, (1,)), axis, None, method, keepdims, weights, numbers)
    return _into(out, r[0])


def quantile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    """What a share q, from 0 to 1, of the sorted elements along an axis lies below."""
    p = np.asarray(q)
    if not _are_shares(a, p):
        raise ValueError("Quantiles must be in the range [0, 1]")
    if method == "linear" and weights is None and p.dtype.kind != "f":  # 0 and 1: elements
        return _sorted_below(np.asarray(a), p, axis, out, "lower", keepdims, weights, False)
    return _of_share(np.asarray(a), q, p, axis, out, method, keepdims, weights, False)


def percentile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    """What q of a hundred sorted elements along an axis lie below."""
    p = np.asarray(q) / 100
    if not _are_shares(a, p):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return _of_share(np.asarray(a), q, p, axis, out, method, keepdims, weights, False)


def _are_shares(a, p):
    if np.asarray(a).dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if p.ndim > 1 and p.size == 0:
        np.min(p)  # as NumPy does of all but a short vector
    return np.all((p >= 0) & (p <= 1))


def nanquantile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    """What a share q of the numbers along an axis lies below; NaN where there is none."""
    p = np.asarray(q)
    if not _are_shares(a, p):
        raise ValueError("Quantiles must be in the range [0, 1]")
    if weights is None and p.ndim > 0 and np.size(a) == 0:
        raise ValueError("several shares of no elements are not supported in compiled code")
    if method == "linear" and weights is None and p.dtype.kind != "f":
        return _sorted_below(np.asarray(a), p, axis, out, "lower", keepdims, weights, True)
    return _of_share(np.asarray(a), q, p, axis, out, method, keepdims, weights, True)


def nanpercentile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
):
    """What q of a hundred numbers along an axis lie below; NaN where there is none."""
    p = np.asarray(q) / 100
    if not _are_shares(a, p):
        raise ValueError("Percentiles must be in the range [0, 100]")
    if weights is None and p.ndim > 0 and np.size(a) == 0:
        raise ValueError("several shares of no elements are not supported in compiled code")
    return _of_share(np.asarray(a), q, p, axis, out, method, keepdims, weights, True)


def _nan_quantiles(a, p, axis, out, method, keepdims):
    if p.dtype.kind == "c":
        raise TypeError("a share of the elements is a real number")
    if a.dtype.kind != "f":
        return _quantiles(a, p, axis, out, method, keepdims)
    elif axis is None:
        r = _of_lines(a.reshape((1, a.size)), p, method).reshape(p.shape)
        if keepdims:
            return _into(out, np.reshape(r, (*p.shape, *_ones(a.ndim))))
        else:
            return _into(out, r[()])
    elif isinstance(axis, tuple):
        return _over_last(a, _last_axes(a, axis), p, axis, out, method, keepdims)
    else:
        np.size(a, axis)  # which must be there
        return _over_last(a, np.moveaxis(a, axis, -1), p, (axis,), out, method, keepdims)


def _over_last(a, rows, p, axes, out, method, keepdims):
    n = rows.shape[rows.ndim - 1]
    r = _of_lines(rows.reshape((_count(rows.shape[:-1]), n)), p, method)
    if keepdims:
        return _into(out, np.reshape(r, p.shape + _kept(a.shape, axes, 0)))
    else:
        return _into(out, r.reshape(p.shape + rows.shape[:-1])[()])


def _of_lines(lines, p, method):
    """Of the numbers of each line, for each share."""
    flat = np.ravel(p)
    share = np.zeros(1, flat.dtype)[0] if p.ndim > 0 else 0.0
    kind = np.asarray(_at_share(np.zeros((1, 1), lines.dtype), share, method)).dtype
    r = np.empty((flat.size, lines.shape[0]), kind)
    if p.ndim > 0:
        return _put_lines(r, lines, flat, method)
    return _put_line(r, lines, float(p), method)


def _put_line(r, lines, share, method):
    for i in range(lines.shape[0]):
        line = lines[i]
        x = np.sort(line[np.logical_not(np.isnan(line))])
        r[0, i] = _at_share(x, share, method) if x.size > 0 else np.nan
    return r


def _put_lines(r, lines, shares, method):
    for i in range(lines.shape[0]):
        line = lines[i]
        x = np.sort(line[np.logical_not(np.isnan(line))])
        for k in range(shares.size):
            r[k, i] = _at_share(x, shares[k], method) if x.size > 0 else np.nan
    return r


def _quantiles(a, p, axis, out, method, keepdims):
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if p.dtype.kind == "c":
        raise TypeError("a share of the elements is a real number")
    if a.dtype == np.bool_ and method not in _ELEMENTS:
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the "
            "`^` operator, or the logical_xor function instead."
        )
    if axis is None:
        r = _at_shares(a.ravel(), p, method)
        if keepdims:
            r = np.reshape(r, (*p.shape, *_ones(a.ndim)))
    elif isinstance(axis, tuple):
        r = _at_shares(_last_axes(a, axis), p, method)
        if keepdims:
            r = np.reshape(r, p.shape + _kept(a.shape, axis, 0))
    else:
        np.size(a, axis)  # which must be there
        r = _at_shares(np.moveaxis(a, axis, -1), p, method)
        if keepdims:
            r = np.reshape(r, p.shape + _kept(a.shape, (axis,), 0))
    return _into(out, r)


def _at_shares(rows, p, method):
    """Of each row, for each share: the axes of the shares stand first."""
    if p.ndim == 0:
        share = np.float32(p) if p.dtype == np.float32 else float(p)  # in the precision of a share
        return _at_share(_sorted_at(rows, np.array([share]), method), share, method)
    flat = np.ravel(p) if p.dtype.kind == "f" else np.ravel(p) * 1.0
    s = _sorted_at(rows, flat, method)
    first = np.asarray(_at_share(s, np.zeros(1, flat.dtype)[0], method))
    r = np.empty((flat.size, *first.shape), first.dtype)
    for k in range(flat.size):
        r[k] = _at_share(s, flat[k], method)  # in the precision of both
    return r.reshape(p.shape + first.shape)


def _sorted_at(rows, shares, method):
    """Rows that are sorted as far as these shares of them have to be, NaN last."""
    s = rows.copy()
    n = s.shape[s.ndim - 1]
    if shares.size > 8 or method not in ("linear", "lower", "higher", "nearest", "midpoint"):
        _kernels.sort(s)
    elif n > 0:
        low = np.floor(shares * (n - 1)).astype(np.int64)
        _part(s, np.concatenate((low, np.minimum(low + 1, n - 1))))
    return s


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
        d = b - a
        if place >= n - 1:  # to NumPy the one before is number -1
            t = place + 1
        r = a + d * t if t < 0.5 else b - d * (1 - t)
    elif method == "lower":
        r = s[..., low]
    elif method == "higher":
        r = s[..., int(np.ceil(place))]
    elif method == "nearest":
        r = s[..., int(np.round(place))]
    elif method == "midpoint":
        a, b = s[..., low], s[..., int(np.ceil(place))]
        d = b - a
        half = t * 0.0 + 0.5  # of the share's precision
        r = b - d * half if t > 0 else a + d * (t * 0.0)
    elif method == "inverted_cdf":
        r = s[..., _place_above(n * p - 1, True)]
    elif method == "closest_observation":
        place = n * p - 1 - 0.5
        r = s[..., _place_above(place, np.floor(place) % 2 == 1)]
    elif method == "averaged_inverted_cdf":
        place = n * p - 1
        whole = place == np.floor(place)
        r = _between_two(s, place, place * 0.0 + (0.5 if whole else 1.0))
    elif method == "interpolated_inverted_cdf":
        place = n * p + (0 + p * 0) - 1
        r = _between_two(s, place, place - int(np.floor(place)))
    elif method == "hazen":
        place = n * p + (0.5 + p * 0.0) - 1
        r = _between_two(s, place, place - int(np.floor(place)))
    elif method == "weibull":
        place = n * p + (0 + p * 1) - 1
        r = _between_two(s, place, place - int(np.floor(place)))
    elif method == "median_unbiased":
        place = n * p + (1 / 3.0 + p * (1 - 1 / 3.0 - 1 / 3.0)) - 1
        r = _between_two(s, place, place - int(np.floor(place)))
    elif method == "normal_unbiased":
        place = n * p + (3 / 8.0 + p * (1 - 3 / 8.0 - 3 / 8.0)) - 1
        r = _between_two(s, place, place - int(np.floor(place)))
    else:
        raise ValueError(f"'{method}' is not a valid method")
    if s.dtype.kind == "f":
        last = s[..., n - 1]
        return np.where(np.isnan(last), last, r)[()]
    return np.asarray(r)[()]


def _place_above(place, keeps):
    """The next place behind one between two; that itself where it is whole, and `keeps`."""
    low = np.floor(place)
    return max(int(low if place == low and keeps else low + 1), 0)


def _between_two(s, place, t):
    """The element at a share t of the way from the place before to the one behind."""
    n = s.shape[s.ndim - 1]
    low = int(np.floor(place))
    if place >= n - 1:
        low = n - 1
    a = s[..., max(low, 0)]
    b = s[..., min(low + 1, n - 1) if place >= 0 else 0]
    d = b - a
    return a + d * t if t < 0.5 else b - d * (1 - t)


def _weighted_quantiles(a, p, axis, out, method, keepdims, weights, numbers):
    """Shares of weights in place of shares of elements; numbers: NaN are none."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if a.ndim != weights.ndim or a.shape != weights.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if isinstance(axis, tuple):
            weights = np.broadcast_to(_beside(a, axis, weights), a.shape).copy()
        elif weights.ndim != 1 or weights.size != np.size(a, axis):
            raise ValueError(_UNLIKE_WEIGHTS)
    if np.any(weights < 0):
        raise ValueError("Weights must be non-negative.")
    if axis is None:
        r = _by_weight(a.reshape((1, a.size)), np.ravel(weights), p, numbers)
        if keepdims:
            return _into(out, np.reshape(r, (*p.shape, *_ones(a.ndim))))
        else:
            return _into(out, np.reshape(r, p.shape))
    elif isinstance(axis, tuple):
        rows = _last_axes(a, axis)
        return _by_weight_over(a, rows, _last_axes(weights, axis), p, axis, out, keepdims, numbers)
    else:
        np.size(a, axis)  # which must be there
        rows = np.moveaxis(a, axis, -1)
        w = weights if weights.ndim < a.ndim else np.moveaxis(weights, axis, -1)
        return _by_weight_over(a, rows, w, p, (axis,), out, keepdims, numbers)


def _by_weight_over(a, rows, weights, p, axes, out, keepdims, numbers):
    n = rows.shape[rows.ndim - 1]
    lines = rows.reshape((_count(rows.shape[:-1]), n))
    r = _by_weight(lines, np.broadcast_to(weights, rows.shape).ravel(), p, numbers)
    if keepdims:
        return _into(out, np.reshape(r, p.shape + _kept(a.shape, axes, 0)))
    else:
        return _into(out, r.reshape(p.shape + rows.shape[:-1]))


def _by_weight(lines, weights, p, numbers):
    """Of each line: the first element up to which the share of all weights is reached."""
    r = np.empty(p.shape + (lines.shape[0],), lines.dtype)
    found = r.reshape((p.size, lines.shape[0]))
    shares = np.ravel(p)
    n = lines.shape[1]
    for i in range(lines.shape[0]):
        line, w = lines[i], weights[i * n : (i + 1) * n]
        order = np.argsort(line, kind="stable")
        m = n
        if numbers and line.dtype.kind == "f":
            while m > 0 and np.isnan(line[order[m - 1]]):
                m -= 1
        _share_of(found[:, i], line, w, order[:m], shares)
    return r


def _share_of(found, line, w, order, shares):
    n = order.size
    if n == 0 or (line.dtype.kind == "f" and np.isnan(line[order[n - 1]])):
        found[...] = np.nan if n == 0 and line.dtype.kind == "f" else line[order[n - 1]]
        return
    cdf = np.cumsum(w[order], dtype=np.float64)
    cdf /= cdf[n - 1]
    if np.isnan(cdf[n - 1]):
        raise ValueError("Weights included NaN, inf or were all zero.")
    c = cdf.astype(shares.dtype) if shares.dtype.kind == "f" else cdf
    if c[0] == 0:
        c[c == 0] = -1
    for k in range(shares.size):
        found[k] = line[order[min(int(np.searchsorted(c, shares[k])), n - 1)]]


def lexsort(keys, axis=-1):
    """The order by several keys, the last one first."""
    if isinstance(keys, np.ndarray):  # of which each is one
        return _by_rows(keys, axis)
    if np.ndim(keys[0]) == 0:
        for k in keys:
            if np.ndim(k) != 0:
                raise ValueError("all keys need to be the same shape")
        return _no_order(axis)
    return _by_more_keys(keys[1:], np.argsort(keys[0], axis, kind="stable"), axis)


def _no_order(axis):
    """That of numbers, of which the first and the last axis are as if they were there."""
    if axis != 0 and axis != -1:
        np.size(np.zeros(()), axis)
    return np.int64(0)


def _by_rows(keys, axis):
    if keys.ndim == 0 or keys.shape[0] == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if keys.ndim == 1:
        return _no_order(axis)
    order = np.argsort(keys[0], axis, kind="stable")
    for k in range(1, keys.shape[0]):
        there = np.take_along_axis(keys[k], order, axis)
        order = np.take_along_axis(order, np.argsort(there, axis, kind="stable"), axis)
    return order


def _by_more_keys(keys, order, axis):
    if len(keys) == 0:
        return order
    key = np.asarray(keys[0])
    if key.shape != order.shape:
        raise ValueError("all keys need to be the same shape")
    if order.ndim == 1:
        now = order[np.argsort(key[order], kind="stable")]
    else:
        there = np.take_along_axis(key, order, axis)
        now = np.take_along_axis(order, np.argsort(there, axis, kind="stable"), axis)
    return _by_more_keys(keys[1:], now, axis)
