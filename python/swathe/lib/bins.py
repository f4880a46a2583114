# SPDX-License-Identifier: BSD-3-Clause
"""Histograms over several coordinates."""

import numpy as np

from swathe import static_fail
from swathe.lib.sets import _outer_edges


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points, or what weight, each cell has; and the edges of cells along x and y."""
    a, b = np.ravel(x), np.ravel(y)
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        raise TypeError("len() of unsized object")
    if np.ndim(x) > 1 or np.ndim(y) > 1:
        raise ValueError("x and y must be vectors")
    if a.size != b.size:
        raise ValueError("x and y must have the same length.")
    dtype = np.add(a[:0], b[:0]).dtype
    columns = (a.astype(dtype), b.astype(dtype))
    h, edges = _counted(columns, _both(bins), range, density, weights)
    return h, edges[0], edges[1]


def _both(bins):
    """What to do along x and along y."""
    if isinstance(bins, (int, np.integer)):
        return (bins, bins)
    elif isinstance(bins, tuple):
        if len(bins) == 2:
            return bins
        else:
            static_fail("bins= is a number, two of these, or edges")
    elif isinstance(bins, list):
        if isinstance(bins[0], int):
            if len(bins) != 2:
                raise ValueError("bins= in a list is two numbers in compiled code")
            return (bins[0], bins[1])
        else:
            e = np.asarray(bins)
            return (e, e)
    else:
        return (bins, bins)


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """How many points, or what weight, each cell has; and the edges of cells along each axis."""
    if isinstance(sample, tuple):
        return _listed(_counted(sample, _for_each(bins, len(sample)), range, density, weights))
    else:
        a = np.asarray(sample)
        if not isinstance(bins, tuple):
            static_fail(
                "np.histogramdd needs to know how many columns there are: give bins= as a tuple, "
                "or the columns as a tuple of vectors"
            )
        elif a.ndim != 2:
            static_fail("the sample of np.histogramdd is a matrix, or a tuple of vectors")
        else:
            if a.shape[1] != len(bins):
                raise ValueError(
                    "The dimension of bins must be equal to the dimension of the sample x."
                )
            return _listed(_counted(_columns(a, len(bins)), bins, range, density, weights))


def _listed(found):
    """With the edges in a list."""
    h, edges = found
    r = [edges[0]]
    _append_all(r, edges, 1)
    return h, r


def _append_all(r, edges, k):
    if k < len(edges):
        r.append(edges[k])
        _append_all(r, edges, k + 1)


def _for_each(bins, n):
    if isinstance(bins, tuple):
        return bins
    elif n == 0:
        return ()
    else:
        return (bins, *_for_each(bins, n - 1))


def _columns(a, n):
    if n == 0:
        return ()
    else:
        return (*_columns(a, n - 1), a[:, n - 1])


def _counted(columns, bins, range, density, weights):
    edges = _all_edges(columns, bins, range, 0)
    shape = _cells(edges)
    h = np.zeros(shape)
    flat = h.reshape(-1)
    n = columns[0].size
    if weights is not None:
        if np.size(weights) != n:
            raise ValueError("The weights and list don't have the same length.")
    for i in np.arange(n):
        at = _cell(columns, edges, i, 0)
        if at >= 0:
            if weights is None:
                flat[at] += 1
            else:
                flat[at] += np.asarray(weights)[i]
    if density:
        total = np.sum(h)
        _per_width(h, edges, 0)
        h /= total
    return h, edges


def _all_edges(columns, bins, range, k):
    if k == len(columns):
        return ()
    else:
        if range is None:
            e = _edges(columns[k], bins[k], None)
        else:
            e = _edges(columns[k], bins[k], range[k])
        for i in np.arange(e.size - 1):
            if e[i] > e[i + 1]:
                raise ValueError(f"`bins[{k}]` must be monotonically increasing, when an array")
        return (e, *_all_edges(columns, bins, range, k + 1))


def _edges(x, bins, range):
    if isinstance(bins, (int, np.integer)):
        low, high = _outer_edges(x, bins, range)
        return np.linspace(low, high, bins + 1)
    else:
        return np.asarray(bins)


def _cells(edges):
    if len(edges) == 0:
        return ()
    else:
        return (edges[0].size - 1, *_cells(edges[1:]))


def _cell(columns, edges, i, k):
    """The place of a point in C order; below 0 where it is in no cell."""
    if k == len(columns):
        return 0
    else:
        x = columns[k][i]
        e = edges[k]
        at = np.searchsorted(e, x, side="right") - 1
        if x == e[e.size - 1]:
            at -= 1
        rest = _cell(columns, edges, i, k + 1)
        if at < 0 or at >= e.size - 1 or rest < 0:
            return -1
        else:
            return at * _volume(edges, k + 1) + rest


def _volume(edges, k):
    if k == len(edges):
        return 1
    else:
        return (edges[k].size - 1) * _volume(edges, k + 1)


def _per_width(h, edges, k):
    if k < len(edges):
        rows = np.moveaxis(h, k, -1)
        rows /= np.diff(edges[k])
        _per_width(h, edges, k + 1)
