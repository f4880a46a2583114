# SPDX-License-Identifier: BSD-3-Clause
"""Comparing, searching and rearranging arrays."""

import numpy as np


def flip(m, axis=None):
    """Elements in reverse order along an axis, or along all: a view."""
    if axis is None:
        if m.ndim == 1:
            return m[::-1]
        elif m.ndim == 2:
            return m[::-1, ::-1]
        elif m.ndim == 3:
            return m[::-1, ::-1, ::-1]
        else:
            return m[::-1, ::-1, ::-1, ::-1]
    else:
        return np.moveaxis(np.moveaxis(m, axis, 0)[::-1], 0, axis)


def fliplr(m):
    """Columns in reverse order: a view."""
    return m[:, ::-1]


def flipud(m):
    """Rows in reverse order: a view."""
    return m[::-1]


def diff(a, n=1, axis=-1):
    """Differences of neighbours along an axis, n times over."""
    if n == 0:
        return a
    if a.ndim == 1 or axis == 0 or axis + a.ndim == 0:
        hi, lo = a[1:], a[:-1]
    elif axis == -1 or axis == a.ndim - 1:
        hi, lo = a[..., 1:], a[..., :-1]
    else:
        b = np.moveaxis(a, axis, 0)
        hi, lo = np.moveaxis(b[1:], 0, axis), np.moveaxis(b[:-1], 0, axis)
    d = hi != lo if a.dtype == np.bool_ else hi - lo
    if n == 1:
        return d
    return diff(d, n - 1, axis)


def searchsorted(a, v, side="left"):
    """Where v belongs in the sorted vector a, by bisection; NaN comes after all numbers."""
    if isinstance(v, np.ndarray):
        if v.ndim != 1:
            return searchsorted(a, v.ravel(), side).reshape(v.shape)
        r = np.empty(len(v), dtype=np.int64)
        for k in range(len(v)):
            r[k] = searchsorted(a, v[k], side)
        return r
    else:
        lo = 0
        hi = len(a)
        while lo < hi:
            mid = (lo + hi) // 2
            x = a[mid]
            if side == "left":
                right = x < v or (v != v and x == x)
            else:
                right = not (v < x or (x != x and v == v))
            if right:
                lo = mid + 1
            else:
                hi = mid
        return np.int64(lo)


def interp(x, xp, fp):
    """Piecewise linear interpolation of (xp, fp) at x; constant beyond both ends."""
    if isinstance(x, np.ndarray):
        r = np.empty(len(x), dtype=np.float64)
        for k in range(len(x)):
            r[k] = interp(x[k], xp, fp)
        return r
    else:
        n = len(xp)
        if x <= xp[0]:
            return np.float64(fp[0])
        if x >= xp[n - 1]:
            return np.float64(fp[n - 1])
        lo = 0
        hi = n - 1
        while hi - lo > 1:
            mid = (lo + hi) // 2
            if xp[mid] <= x:
                lo = mid
            else:
                hi = mid
        slope = (np.float64(fp[lo + 1]) - fp[lo]) / (np.float64(xp[lo + 1]) - xp[lo])
        return slope * (x - xp[lo]) + fp[lo]


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """|a - b| <= atol + rtol * |b|, element by element; infinities equal themselves."""
    y = b * 1.0
    near = (np.abs(a - y) <= atol + rtol * np.abs(y)) & np.isfinite(y) | (a == y)
    if equal_nan:
        near = near | (np.isnan(a) & np.isnan(y))
    return near


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether isclose holds everywhere."""
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2):
    """Whether both have the same shape and the same elements."""
    if a1.shape != a2.shape:
        return False
    return bool(np.all(a1 == a2))


def roll(a, shift, axis=None):
    """Elements moved on by `shift` places along an axis, or in C order."""
    if axis is None:
        if a.ndim != 1:
            return roll(a.ravel(), shift).reshape(a.shape)
        r = np.empty_like(a)
        n = len(a)
        if n:
            s = shift % n
            r[s:] = a[: n - s]
            r[:s] = a[n - s :]
        return r
    else:
        r = np.empty_like(a)
        to = np.moveaxis(r, axis, 0)
        b = np.moveaxis(a, axis, 0)
        n = len(b)
        if n:
            s = shift % n
            to[s:] = b[: n - s]
            to[:s] = b[n - s :]
        return r
