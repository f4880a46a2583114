# SPDX-License-Identifier: BSD-3-Clause
"""Kernels over the elements of arrays on a device: other dtypes, parts, products with a number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .. import gpu

THREADS = 256


@gpu.jit
def _convert(source, to):
    i, step = gpu.grid(1), gpu.gridsize(1)
    n, m = to.shape[1], to.shape[2]
    for k in range(i, to.size, step):
        x, y, z = k // (n * m), k // m % n, k % m
        to[x, y, z] = source[x, y, z]


@gpu.jit
def _convert_scaled(source, to, factor):
    i, step = gpu.grid(1), gpu.gridsize(1)
    n, m = to.shape[1], to.shape[2]
    for k in range(i, to.size, step):
        x, y, z = k // (n * m), k // m % n, k % m
        to[x, y, z] = source[x, y, z] * factor


@gpu.jit
def _real_parts(source, to, factor):
    i, step = gpu.grid(1), gpu.gridsize(1)
    n, m = to.shape[1], to.shape[2]
    for k in range(i, to.size, step):
        x, y, z = k // (n * m), k // m % n, k % m
        to[x, y, z] = source[x, y, z].real * factor


@gpu.jit
def _conjugates(source, to):
    i, step = gpu.grid(1), gpu.gridsize(1)
    n, m = to.shape[1], to.shape[2]
    for k in range(i, to.size, step):
        x, y, z = k // (n * m), k // m % n, k % m
        to[x, y, z] = np.conj(source[x, y, z])


@gpu.jit
def _triangle(source, to, lower):
    k = gpu.grid(1)
    if k < to.size:
        i, j = k // to.shape[1], k % to.shape[1]
        if i >= j if lower else i <= j:
            to[i, j] = source[i, j]


def triangle(queue: Any, source: Any, to: Any, lower: bool) -> None:
    """Copy a triangle of a matrix; the rest stays as it is."""
    if to.size:
        _triangle[-(-to.size // THREADS), THREADS, queue](source, to, lower)


def three(x: Any) -> Any:
    """A view of three axes: those of more that lie in one piece are put together."""
    if x.ndim == 3:
        return x
    if x.ndim < 3:
        shape, strides = (1,) * (3 - x.ndim) + x.shape, (0,) * (3 - x.ndim) + x.strides
        return x._view(as_strided(x._proto, shape, strides))
    first = x.shape[:-2]
    for k in range(len(first) - 1):
        if first[k] > 1 and x.strides[k] != x.strides[k + 1] * first[k + 1]:
            raise ValueError("axes that are not in one piece")
    shape = (math.prod(first), *x.shape[-2:])
    return x._view(as_strided(x._proto, shape, (x.strides[len(first) - 1], *x.strides[-2:])))


def _pairs(source: Any, to: Any) -> Any:
    """Both as three axes, piece by piece where one can't be."""
    try:
        yield three(source), three(to)
    except ValueError:
        for k in range(to.shape[0]):
            yield from _pairs(source[k], to[k])


def _launch(kernel: Any, queue: Any, source: Any, to: Any, *more: Any) -> None:
    for one, other in _pairs(source, to):
        if other.size:
            n = min(-(-other.size // THREADS), 1 << 16)
            kernel[n, THREADS, queue](one, other, *more)


def cast(queue: Any, x: Any, dtype: Any) -> Any:
    """Return a copy of an array with another dtype."""
    new = queue.empty(x.shape, dtype)
    _launch(_convert, queue, x, new)
    return new


def conjugates(queue: Any, source: Any, to: Any) -> None:
    """Copy the conjugates of an array into a complex one, which may be the same."""
    _launch(_conjugates, queue, source, to)


def store(queue: Any, source: Any, to: Any, factor: Any = None) -> None:
    """Copy an array into another, whose dtype may differ, perhaps times a number."""
    if factor is None:
        _launch(_convert, queue, source, to)
    else:
        _launch(_convert_scaled, queue, source, to, np.empty(0, to.dtype).real.dtype.type(factor))


def real_parts(queue: Any, source: Any, to: Any, factor: float = 1) -> None:
    """Copy the real parts of a complex array, times a number."""
    _launch(_real_parts, queue, source, to, to.dtype.type(factor))
