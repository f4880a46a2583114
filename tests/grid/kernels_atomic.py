"""Atomic operations of each kind on each dtype, in global, shared and local memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from kernels import launch

from swathe import gpu

CELLS = 12


def operands(dtype: Any, n: int = 64) -> tuple[Any, ...]:
    """Cells, a value for each thread, room for the old values, shared cells."""
    v = np.random.default_rng(3).integers(1, 100, n).astype(dtype)
    cells = np.full(CELLS, 50, dtype)
    return cells, v, np.zeros((3, n), dtype), np.zeros((4, CELLS), dtype)


def all_kinds(function: Any) -> Any:
    """Launch for the integers that every device has."""
    for dtype in (np.int32, np.int64, np.uint32, np.uint64):
        function = launch(2, 32, lambda dtype=dtype: operands(dtype))(function)
    return function


@all_kinds
@gpu.jit
def atomic_ints(a, v, own, seen):
    s = gpu.shared.array(CELLS, a.dtype)
    mine = gpu.local.array(2, a.dtype)
    t = gpu.threadIdx.x
    i = gpu.grid(1)
    if t < CELLS:
        s[t] = 50
    gpu.syncthreads()
    gpu.atomic.add(a, 0, v[i])
    gpu.atomic.sub(a, 1, v[i])
    gpu.atomic.min(a, 2, v[i])
    gpu.atomic.max(a, 3, v[i])
    gpu.atomic.nanmin(a, 4, v[i])
    gpu.atomic.nanmax(a, 5, v[i])
    gpu.atomic.and_(a, 6, v[i])
    gpu.atomic.or_(a, 7, v[i])
    gpu.atomic.xor(a, 8, v[i])
    gpu.atomic.inc(a, 9, v[0])
    gpu.atomic.dec(a, 10, v[0])
    gpu.atomic.cas(a, 11, 7, v[i])
    gpu.atomic.add(s, 0, v[i])
    gpu.atomic.sub(s, 1, v[i])
    gpu.atomic.min(s, 2, v[i])
    gpu.atomic.max(s, 3, v[i])
    gpu.atomic.nanmin(s, 4, v[i])
    gpu.atomic.nanmax(s, 5, v[i])
    gpu.atomic.and_(s, 6, v[i])
    gpu.atomic.or_(s, 7, v[i])
    gpu.atomic.xor(s, 8, v[i])
    gpu.atomic.inc(s, 9, v[0])
    gpu.atomic.dec(s, 10, v[0])
    gpu.atomic.cas(s, 11, 7, v[i])
    own[0, i] = 3
    own[1, i] = gpu.atomic.exch(own, (0, i), v[i])
    own[2, i] = gpu.atomic.cas(own, (0, i), v[i], 5)
    mine[0] = v[i]
    own[2, i] += gpu.atomic.add(mine, 0, 2) + gpu.atomic.max(mine, 0, 50) + mine[0]
    gpu.syncthreads()
    if t < CELLS:
        seen[gpu.blockIdx.x, t] = s[t]


def all_floats(function: Any) -> Any:
    """Launch for both floats that every device has."""
    for dtype in (np.float32, np.float64):
        function = launch(2, 32, lambda dtype=dtype: with_nan(dtype))(function)
    return function


def with_nan(dtype: Any) -> tuple[Any, ...]:
    """Some values are NaN; they go where it counts."""
    a, v, own, seen = operands(dtype)
    w = v.copy()
    w[5::7] = np.nan
    return a, v, w, own, seen


@all_floats
@gpu.jit
def atomic_floats(a, v, w, own, seen):
    s = gpu.shared.array(CELLS, a.dtype)
    mine = gpu.local.array(2, a.dtype)
    t = gpu.threadIdx.x
    i = gpu.grid(1)
    if t < CELLS:
        s[t] = 50
    gpu.syncthreads()
    gpu.atomic.add(a, 0, v[i])
    gpu.atomic.sub(a, 1, v[i])
    gpu.atomic.min(a, 2, v[i])
    gpu.atomic.max(a, 3, v[i])
    gpu.atomic.nanmin(a, 4, w[i])
    gpu.atomic.nanmax(a, 5, w[i])
    gpu.atomic.min(a, 6, -v[i])
    gpu.atomic.cas(a, 7, 7, v[i])
    gpu.atomic.add(s, 0, v[i])
    gpu.atomic.sub(s, 1, v[i])
    gpu.atomic.min(s, 2, v[i])
    gpu.atomic.max(s, 3, v[i])
    gpu.atomic.nanmin(s, 4, w[i])
    gpu.atomic.nanmax(s, 5, w[i])
    gpu.atomic.min(s, 6, -v[i])
    gpu.atomic.cas(s, 7, 7, v[i])
    own[0, i] = 3
    own[1, i] = gpu.atomic.exch(own, (0, i), v[i])
    own[2, i] = gpu.atomic.cas(own, (0, i), v[i], 5)
    mine[0] = v[i]
    own[2, i] += gpu.atomic.add(mine, 0, 2) + gpu.atomic.max(mine, 0, 50) + mine[0]
    gpu.syncthreads()
    if t < CELLS:
        seen[gpu.blockIdx.x, t] = s[t]


@launch(1, 8, lambda: (np.array([1.0, 2.0]), np.array([1.0, np.nan] * 4)))
@launch(1, 8, lambda: (np.array([1, 2], np.float32), np.array([1, np.nan] * 4, np.float32)))
@gpu.jit
def atomic_nan(a, v):
    gpu.atomic.min(a, 0, v[gpu.threadIdx.x])
    gpu.atomic.max(a, 1, v[gpu.threadIdx.x])
