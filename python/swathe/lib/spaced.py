# SPDX-License-Identifier: BSD-3-Clause
"""Numbers from one to another, evenly or in a geometric row, also between arrays."""

import numpy as np

from swathe.lib.shapes import _between


def _rest_linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """np.linspace between arrays: along a new axis."""
    first, last = _floats(start), _floats(stop)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    delta = last - first
    r, step = _steps(first, last, np.asarray(delta), num, endpoint)
    if dtype is None:
        made = np.moveaxis(r, 0, axis)
    elif np.empty(0, dtype).dtype.kind == "i" or np.empty(0, dtype).dtype.kind == "u":
        made = np.moveaxis(np.floor(r).astype(dtype), 0, axis)
    else:
        made = np.moveaxis(r.astype(dtype), 0, axis)
    if retstep:
        return made, step
    else:
        return made


def _floats(x):
    """As floats or complex numbers; Python's stay what adapts to the other end."""
    if isinstance(x, (tuple, list)):
        return np.asarray(x) * 1.0
    else:
        return x * 1.0


def _steps(first, last, delta, num, endpoint):
    div = num - 1 if endpoint else num
    r = np.empty((num, *delta.shape), delta.dtype)
    k = _between(np.arange(num), 0, delta.ndim).astype(delta.real.dtype)
    if div > 0:
        step = delta / div
        if np.any(step == 0):  # of numbers that are too small to be divided
            r[...] = k / div * delta
        else:
            r[...] = k * step
    else:
        step = np.full(delta.shape, np.nan, delta.dtype)
        r[...] = k * delta
    r += first
    if endpoint and num > 1:
        r[num - 1] = last
    return r, step


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers of a base, with exponents from start to stop."""
    if np.ndim(base) > 0:
        r = _powers(np.asarray(base), start, stop, num, endpoint, axis)
    else:
        r = np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))
    if dtype is None:
        return r
    else:
        return r.astype(dtype)


def _powers(base, start, stop, num, endpoint, axis):
    """Powers of the elements of an array, which are broadcast with the ends."""
    ends = np.zeros(np.broadcast_shapes(base.shape, np.shape(start), np.shape(stop)))
    at = np.linspace(start + ends, stop + ends, num, endpoint, axis=axis)
    return np.power(np.expand_dims(base, axis) if base.ndim == ends.ndim else base, at)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers from start to stop with one ratio between neighbours."""
    first, last = np.asarray(start), np.asarray(stop)
    if np.any(first == 0) or np.any(last == 0):
        raise ValueError("Geometric sequence cannot include zero")
    kind = (first * 1.0 + last * 1.0 + np.zeros((), dtype)).dtype
    r = _geometric(first, last, kind, num, endpoint, axis)
    return r if dtype is None else r.astype(dtype)


def _geometric(first, last, kind, num, endpoint, axis):
    """The logarithms are spaced evenly; the ends are as they were given."""
    low, high = first.astype(kind), last.astype(kind)
    sign = np.sign(low)
    low, high = low / sign, high / sign
    r = np.power(10.0, np.linspace(np.log10(low), np.log10(high), num, endpoint)).astype(kind)
    if num > 0:
        r[0] = low
        if num > 1 and endpoint:
            r[num - 1] = high
    return np.moveaxis(r * sign, 0, axis)
