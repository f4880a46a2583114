# SPDX-License-Identifier: BSD-3-Clause
"""Sorting: shapes and errors here, the work in kernels. All kinds are stable."""

import numpy as np

from swathe import _kernels


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """A sorted copy of an array along an axis; with axis=None of all elements in C order."""
    _check_kind(kind, order, stable)
    a = np.asarray(a)
    if axis is None:
        r = a.flatten()
        if a.dtype.kind in "mM":
            _sort_times(r)
        else:
            _kernels.sort(r)
        return r
    r = a.copy("K")
    np.size(a, axis)  # which must be there
    if a.dtype.kind in "mM":
        _sort_times(np.moveaxis(r, axis, -1))
    else:
        _kernels.sort(np.moveaxis(r, axis, -1))
    return r


def _sort_times(rows):
    """Sort along the last axis, in place. NaT, the least int64, comes last: all but it less one."""
    x = rows.view(np.int64)
    x -= 1
    _kernels.sort(x)
    x += 1


def method_sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Sort an array in place along an axis."""
    _check_kind(kind, order, stable)
    np.size(a, axis)  # which must be there
    if a.dtype.kind in "mM":
        _sort_times(np.moveaxis(a, axis, -1))
    else:
        _kernels.sort(np.moveaxis(a, axis, -1))


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Where the elements of the sorted array are along an axis."""
    _check_kind(kind, order, stable)
    a = np.asarray(a)
    if a.dtype.kind in "mM":  # NaT, the least int64, comes last
        return argsort(a.view(np.int64) - 1, axis, kind, order, stable=stable)
    if axis is None:
        flat = a.ravel()
        r = np.empty(len(flat), np.int64)
        _kernels.argsort(flat, r)
        return r
    if a.ndim == 0:
        return argsort(a.reshape(1), axis)
    np.size(a, axis)  # which must be there
    r = np.empty(a.shape, np.int64)
    _kernels.argsort(np.moveaxis(a, axis, -1), np.moveaxis(r, axis, -1))
    return r


def _check_kind(kind, order, stable):
    """Raise ValueError unless the ways of sorting are known and agree."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is not None and stable is not None:
        raise ValueError(
            "`kind` and keyword parameters can't be provided at the same time. "
            "Use only one of them."
        )
    if kind is not None and kind not in ("quicksort", "heapsort", "mergesort", "stable"):
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got '{kind}')")
