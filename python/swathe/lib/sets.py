# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as sets of their elements, by sorting; and what is in which bin."""

import numpy as np
from numpy.lib._arraysetops_impl import (
    UniqueAllResult,
    UniqueCountsResult,
    UniqueInverseResult,
)

from swathe import static_fail
from swathe.lib.select import _bisect


def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """The different elements, sorted; where each is first, which of them each element is, and how
    many of each there are."""
    if axis is not None:
        return _unique_rows(np.asarray(ar), return_index, return_inverse, return_counts, axis)
    a = np.asarray(ar)
    flat = a.ravel()
    if return_index or return_inverse:
        order = np.argsort(flat, kind="stable")
        s = flat[order]
    else:
        order = np.empty(0, np.int64)
        s = np.sort(flat)
    first = _first_of_each(s, equal_nan)
    r = (s[first],)
    if return_index:
        r = (*r, order[first])
    if return_inverse:
        which = np.cumsum(first) - 1
        back = np.empty(flat.size, np.int64)
        back[order] = which
        r = (*r, back.reshape(a.shape))
    if return_counts:
        at = np.append(np.nonzero(first)[0], s.size)
        r = (*r, np.diff(at))
    if len(r) == 1:
        return r[0]
    return r


def _unique_rows(a, return_index, return_inverse, return_counts, axis):
    """The different parts along an axis, in lexical order."""
    np.size(a, axis)  # which must be there
    along = np.moveaxis(a, axis, 0)
    n = along.shape[0]
    m = 1
    for k in along.shape[1:]:
        m *= k
    rows = along.reshape((n, m))
    order = np.arange(n)
    for j in range(m - 1, -1, -1):
        order = order[np.argsort(rows[order, j], kind="stable")]
    first = np.empty(n, np.bool_)
    for i in range(n):
        first[i] = i == 0 or np.any(rows[order[i]] != rows[order[i - 1]])
    r = (np.moveaxis(along[order[first]], 0, axis),)
    if return_index:
        r = (*r, order[first])
    if return_inverse:
        back = np.empty(n, np.int64)
        back[order] = np.cumsum(first) - 1
        r = (*r, back)
    if return_counts:
        at = np.append(np.nonzero(first)[0], n)
        r = (*r, np.diff(at))
    if len(r) == 1:
        return r[0]
    return r


def _first_of_each(s, equal_nan):
    """Where a sorted vector has another element than before; all NaN may be one."""
    first = np.empty(s.size, np.bool_)
    for i in range(s.size):
        first[i] = i == 0 or s[i] != s[i - 1]
        if equal_nan and i > 0 and s[i] != s[i] and s[i - 1] != s[i - 1]:
            first[i] = False
    return first


def union1d(ar1, ar2):
    """The elements of either, sorted."""
    return unique(np.concatenate((_or_number(ar1), _or_number(ar2)), axis=None))


def _or_number(a):
    """An array; a Python number, which takes another array's dtype, as it is."""
    if isinstance(a, (int, float, complex)):
        return a
    return np.ravel(a)


def _meeting(a, b, assume_unique):
    """The elements of both, sorted, and where each is first in either."""
    x, i = unique(a, return_index=True)
    y, j = unique(b, return_index=True)
    in_both = np.isin(x, y)
    from_b = np.isin(y, x)
    of_both = np.concatenate((a[:0], b[:0]))
    return x[in_both].astype(of_both.dtype), i[in_both], j[from_b]


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The elements of both, sorted."""
    if return_indices:
        return _meeting(np.ravel(ar1), np.ravel(ar2), assume_unique)
    if assume_unique:
        s = np.sort(np.concatenate((np.ravel(ar1), np.ravel(ar2))))
    else:
        s = np.sort(np.concatenate((unique(ar1), unique(ar2))))
    return s[:-1][s[1:] == s[:-1]]


def setdiff1d(ar1, ar2, assume_unique=False):
    """The elements of the first that the second lacks."""
    if assume_unique:
        a = np.ravel(ar1)
    else:
        a = unique(ar1)
    return a[isin(a, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    """The elements of exactly one of both, sorted."""
    if assume_unique:
        s = np.sort(np.concatenate((np.ravel(ar1), np.ravel(ar2))))
    else:
        s = np.sort(np.concatenate((unique(ar1), unique(ar2))))
    if s.size == 0:
        return s
    new = np.ones(s.size + 1, np.bool_)
    new[1:-1] = s[1:] != s[:-1]
    return s[new[1:] & new[:-1]]


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is one of some others."""
    if kind is not None and kind != "sort" and kind != "table":
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    e = np.asarray(element)
    s = np.sort(np.ravel(test_elements))
    flat = e.ravel()
    r = np.empty(flat.size, np.bool_)
    if e.dtype.kind == "i" and s.dtype.kind == "i" and s.size:
        low, high = int(s[0]), int(s[s.size - 1])
        if high < 2**62 and low > -(2**62) and high - low < 16 * (s.size + flat.size):
            table = np.zeros(high - low + 1, np.bool_)
            for x in s:
                table[int(x) - low] = True
            for i in range(flat.size):
                x = int(flat[i])
                r[i] = (x >= low and x <= high and table[min(max(x, low), high) - low]) != invert
            return r.reshape(e.shape)
    for i in range(flat.size):
        r[i] = _is_in(s, flat[i]) != invert
    return r.reshape(e.shape)


def _is_in(s, x):
    """Whether a sorted vector has x."""
    at = int(_bisect(s, x, "left"))
    return at < s.size and s[at] == x


def digitize(x, bins, right=False):
    """Which bin, between places that rise or fall, each element is in."""
    b = np.asarray(bins)
    if np.asarray(x).dtype.kind == "c":
        raise TypeError("x may not be complex")
    if b.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    rising = _bins_rise(b)
    if right:
        return _digits(b, x, "left", rising)
    return _digits(b, x, "right", rising)


def _bins_rise(b):
    """Whether they do, or fall. The first two that differ decide, as NumPy does: a NaN is in order
    wherever no comparison says that it isn't."""
    first = 1
    while first < b.size and b[first] == b[0]:
        first += 1
    if first >= b.size:
        return True
    rising = b[0] < b[first]
    for i in range(first + 1, b.size):
        if b[i - 1] > b[i] if rising else b[i - 1] < b[i]:
            raise ValueError("bins must be monotonically increasing or decreasing")
    return rising


def _digits(b, x, side, rising):
    if rising:
        return np.asarray(np.searchsorted(b, x, side=side))[()]
    return np.asarray(b.size - np.searchsorted(b[::-1], x, side=side))[()]


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of bins of one width between two numbers, or least and greatest; or those given."""
    if weights is not None and np.shape(weights) != np.shape(a):
        raise ValueError("weights should have the same shape as a.")
    if isinstance(bins, str):
        return histogram_bin_edges(a, _estimated(_numbers(a), bins, range, weights), range)
    elif isinstance(bins, (int, np.integer)):
        x = np.ravel(a)
        low, high = _outer_edges(x, bins, range)
        return _even_edges(x, bins, low, high, range)
    return _given_edges(bins)


def _numbers(a):
    x = np.ravel(a)
    return x.astype(np.uint8) if x.dtype.kind == "b" else x


def _estimated(x, name, range, weights):
    """How many bins a rule of that name takes: the range by the width that it finds."""
    if weights is not None:
        raise TypeError(
            "Automated estimation of the number of bins is not supported for weighted data"
        )
    low, high = _outer_edges(x, 1, range)
    if range is not None:
        x = x[np.logical_and(x >= low, x <= high)]
    if name == "auto":
        return 1 if x.size == 0 else _automatic(x, low, high, range)
    elif name == "fd":
        return 1 if x.size == 0 else _fitting(x, low, high, range, _width_fd(x))
    elif name == "sturges":
        return 1 if x.size == 0 else _fitting(x, low, high, range, _width_sturges(x))
    elif name == "sqrt":
        return 1 if x.size == 0 else _fitting(x, low, high, range, _width_sqrt(x))
    elif name == "rice":
        return 1 if x.size == 0 else _fitting(x, low, high, range, _width_rice(x))
    elif name == "scott":
        return 1 if x.size == 0 else _fitting(x, low, high, range, _width_scott(x))
    elif name == "doane":
        return 1 if x.size == 0 else _fitting(x, low, high, range, _width_doane(x))
    elif name == "stone":
        static_fail("np.histogram: bins='stone' is not supported")
    else:
        raise ValueError(f"'{name}' is not a valid estimator for `bins`")


def _fitting(x, low, high, range, width):
    if width == 0:
        return 1
    if (x.dtype.kind == "i" or x.dtype.kind == "u") and width < 1:
        return int(np.ceil(high - low))
    if x.dtype.kind == "f" and range is None and np.min(x) != np.max(x):
        return int(np.ceil(_span(x) / width))  # in the precision of the elements
    return int(np.ceil((high - low) / width))


def _span(x):
    if x.dtype.kind == "f":
        return np.max(x) - np.min(x)
    return np.float64(np.max(x)) - np.float64(np.min(x))


def _width_fd(x):
    q = np.percentile(x, (75, 25))
    return 2.0 * (q[0] - q[1]) * x.size ** (-1.0 / 3.0)


def _width_sturges(x):
    return _span(x) / (np.log2(x.size) + 1.0)


def _width_sqrt(x):
    return _span(x) / np.sqrt(x.size)


def _width_rice(x):
    return _span(x) / (2.0 * x.size ** (1.0 / 3))


def _width_scott(x):
    return (24.0 * np.pi**0.5 / x.size) ** (1.0 / 3.0) * np.std(x)


def _width_doane(x):
    if x.size <= 2:
        return np.float64(0.0)
    skew = np.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
    spread = np.std(x)
    if not spread > 0.0:
        return np.float64(0.0)
    g = np.mean(((x - np.mean(x)) / spread) ** 3)
    return np.float64(_span(x) / (1.0 + np.log2(x.size) + np.log2(1.0 + np.absolute(g) / skew)))


def _automatic(x, low, high, range):
    """The narrower one of two rules, of which one never takes more than twice the root."""
    fd, root, sturges = _width_fd(x), _width_sqrt(x) / 2, _width_sturges(x)
    if root > fd:
        return _fitting(x, low, high, range, min(root, sturges))
    elif sturges < fd:
        return _fitting(x, low, high, range, sturges)
    else:
        return _fitting(x, low, high, range, fd)


def _given_edges(bins):
    if np.ndim(bins) != 1:
        raise TypeError("`bins` must be an integer, a string, or an array")
    return np.asarray(bins)


def _even_edges(x, bins, low, high, range):
    """They are counted off in the precision of the bounds, and kept in what holds these and the
    elements."""
    if range is None and x.size == 0:
        edges = np.linspace(0.0, 1.0, bins + 1).astype(_edge_type(x, 0.0, 1.0))
    else:
        edges = np.linspace(low, high, bins + 1).astype(_edge_type(x, low, high))
    if np.any(edges[:-1] >= edges[1:]):
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    return edges


def _edge_type(x, low, high):
    d = np.result_type(x, low, high)
    return d if d.kind == "f" else np.dtype(np.float64)


def _outer_edges(x, bins, range):
    """Where the first of equal bins begins, and the last one ends."""
    if x.dtype.kind == "c":
        raise TypeError("a histogram is of real numbers")
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if range is not None:
        low, high = _bound(range[0]), _bound(range[1])
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
    elif x.size == 0:
        low, high = 0.0, 1.0
    else:
        low, high = _bound(np.min(x)), _bound(np.max(x))
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    if low == high:
        low -= 0.5
        high += 0.5
    return low, high


def _bound(v):
    return v * 1.0


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements, or what weight, each bin has; and the edges of the bins."""
    x = _numbers(a)
    if isinstance(bins, str):
        n = _estimated(x, bins, range, weights)
        return histogram(x, n, range, density, weights)
    if isinstance(bins, (int, np.integer)):
        low, high = _outer_edges(x, bins, range)
        edges = _even_edges(x, bins, low, high, range)
    else:
        edges = _given_edges(bins)
    n = edges.size - 1
    for i in np.arange(n):
        if edges[i] > edges[i + 1]:
            raise ValueError("`bins` must increase monotonically, when an array")
    if weights is None:
        count = np.zeros(n, np.int64)
    else:
        count = _no_weight(n, np.asarray(weights).dtype, bins)
    if weights is not None and np.size(weights) != x.size:
        raise ValueError("weights should have the same shape as a.")
    w = None if weights is None else np.ravel(weights)
    if isinstance(bins, (int, np.integer)):
        ends = np.array([float(low), float(high)])
        first, width = ends[0], ends[1] - ends[0]
        if x.dtype.kind == "f":  # a bound is compared in the precision of the elements
            ends = ends.astype(np.result_type(x, low, high)).astype(np.float64)
        up = 1.0 if width > 1e-290 else 2.0**600  # no n over a denormal span is infinite
        scale = n / (width * up)
        for k in np.arange(x.size):
            v = float(x[k])
            if v >= ends[0] and v <= ends[1]:
                i = int((v - first) * up * scale)
                if i >= n:
                    i = n - 1
                if v < edges[i]:
                    i -= 1
                elif i != n - 1 and v >= edges[i + 1]:
                    i += 1
                if w is None:
                    count[i] += 1
                else:
                    count[i] += w[k]
    elif np.any(edges != edges):
        _count_below(x, edges, w, count)
    elif n > 0:
        first, low, scale = _first_bins(edges, x.size)
        top = first.size - 1
        for k in np.arange(x.size):
            v = x[k]
            if v >= edges[0] and v <= edges[n]:
                i = first[_strip(float(v), low, scale, top)]
                while v >= edges[i + 1] and i < n - 1:  # the first of which is seldom true
                    i += 1
                if w is None:
                    count[i] += 1
                else:
                    count[i] += w[k]
    if density:
        return count / np.diff(edges) / np.sum(count), edges
    if weights is not None:
        return count.astype(np.asarray(weights).dtype), edges
    return count, edges


def _strip(v, low, scale, top):
    """Which of top + 1 strips of one width a number is in, those at the ends without end. A greater
    number is in no strip before that of a smaller one, however it is rounded."""
    f = (v - low) * scale
    if f >= top:
        return top
    elif f > 0.0:
        return int(f)
    else:
        return 0


def _first_bins(edges, n_numbers):
    """For each strip the bin of which an edge is in a strip before it: the bin of a number in the
    strip is that one, or follows it."""
    n = edges.size - 1
    a = 0
    while a < n and not np.isfinite(edges[a]):
        a += 1
    b = n
    while b > a and not np.isfinite(edges[b]):
        b -= 1
    low = float(edges[a])
    width = float(edges[b]) - low
    strips = min(max(4 * n, 1024), n_numbers) + 1  # few of which have an edge
    if not (width > 1e-290 and width < 1e300):
        strips = 1
    scale = (strips - 1) / width if strips > 1 else 0.0
    first = np.empty(strips, np.int64)
    i = 0
    for c in np.arange(strips):
        while i < n - 1 and _strip(float(edges[i + 1]), low, scale, strips - 1) < c:
            i += 1
        first[c] = i
    return first, low, scale


def _count_below(x, edges, w, count):
    """The counts as differences of how many numbers are below each edge, in NumPy's order, which
    has NaN at the end: some edges are NaN."""
    n = edges.size - 1
    order = np.argsort(x)
    ordered = x[order]
    below = np.searchsorted(ordered, edges)
    below[n] = np.searchsorted(ordered, edges[n], side="right")
    total = np.zeros(x.size + 1, count.dtype)
    if w is None:
        total[1:] = np.arange(1, x.size + 1)
    else:
        total[1:] = np.cumsum(w[order])
    count[:] = total[below[1:]] - total[below[:-1]]


def _no_weight(n, dtype, bins):
    """Zeros for each bin: of narrow floats the weights in bins of one width are added up in double
    precision, as NumPy does."""
    if dtype.kind == "f" and isinstance(bins, (int, np.integer)):
        return np.zeros(n)
    return np.zeros(n, dtype)


def unique_counts(x):
    """The different elements, and how many of each there are."""
    values, counts = unique(x, return_counts=True, equal_nan=False)
    return UniqueCountsResult(values, counts)


def unique_inverse(x):
    """The different elements, and which of them each element is."""
    values, inverse = unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverseResult(values, inverse)


def unique_all(x):
    """The different elements, where each is first, which of them each element is, how many of
    each there are."""
    values, first, inverse, counts = unique(x, True, True, True, equal_nan=False)
    return UniqueAllResult(values, first, inverse, counts)


def unique_values(x):
    """The different elements."""
    return unique(x, equal_nan=False)
