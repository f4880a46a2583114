# SPDX-License-Identifier: BSD-3-Clause
"""Reductions, scans and compactions of vectors on a device, by kernels.

Each block combines a tile of elements, what is left of the tiles is combined or scanned in the same
way, and for a scan each block scans its tile behind that: memory is read twice and written once.
Elements are combined from left to right, by pieces of a size that doesn't depend on the device, so
that the bits don't either. M. Billeter et al., Efficient stream compaction on wide SIMD many-core
architectures, HPG (2009).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import gpu, prim
from ._prim_scan import as_kind

THREADS = 256
EACH = 8  # elements that one thread has, side by side
TILE = THREADS * EACH


def _tiles(n: int) -> int:
    return -(-n // TILE)


@gpu.jit(device=True)
def _either(op):
    """Combine values that may be missing: (whether there is one, it)."""
    return lambda a, b: (a[0] or b[0], op(a[1], b[1]) if a[0] and b[0] else a[1] if a[0] else b[1])


@gpu.jit(device=True)
def _own(op, x, kind):
    """What a thread's elements yield; where it has none, any element."""
    first = gpu.grid(1) * EACH
    total = as_kind(kind, x[min(first, x.size - 1)])
    if first + EACH <= x.size:
        for r in range(1, EACH):
            total = op(total, as_kind(kind, x[first + r]))
    else:
        for i in range(first + 1, x.size):
            total = op(total, as_kind(kind, x[i]))
    return total


@gpu.jit(boundscheck=False)
def _totals(op, x, totals):
    """Combine each tile; the last one may be a part of one."""
    total = _own(op, x, totals.dtype)
    if (gpu.blockIdx.x + 1) * TILE <= x.size:
        total = prim.block_reduce(op, total)
    else:
        total = prim.block_reduce(_either(op), (gpu.grid(1) * EACH < x.size, total))[1]
    if gpu.threadIdx.x == 0:
        totals[gpu.blockIdx.x] = total


@gpu.jit(boundscheck=False)
def _scan_tiles(op, x, before, out, init, inclusive):
    """Scan each tile behind what is before it; the first one is behind `init`, or nothing."""
    ends = gpu.shared.array(THREADS, out.dtype)
    t, b, kind = gpu.threadIdx.x, gpu.blockIdx.x, out.dtype
    first = (b * THREADS + t) * EACH
    some = min(max(x.size - first, 0), EACH)
    acc = _own(op, x, kind)
    if (b + 1) * TILE <= x.size:
        ends[t] = prim.block_scan(op, acc)
    else:
        ends[t] = prim.block_scan(_either(op), (some > 0, acc))[1]
    gpu.syncthreads()
    known = b > 0 or init is not None
    if b > 0:
        acc = before[b - 1]
    elif init is not None:
        acc = as_kind(kind, init)
    if t > 0:
        acc = op(acc, ends[t - 1]) if known else ends[t - 1]
        known = True
    for r in range(some):
        v = as_kind(kind, x[first + r])
        if not inclusive:
            out[first + r] = acc
        acc = op(acc, v) if known else v
        known = True
        if inclusive:
            out[first + r] = acc


@functools.lru_cache(256)
def _kind(op: Any, dtype: np.dtype, init: Any) -> np.dtype:
    """The dtype of a scan: that which the host's has."""
    init = None if init is None else init(0)
    return prim.scan(op, np.empty(0, dtype), init).dtype


def _kind_from(op: Any, x: Any, init: Any) -> np.dtype:
    return _kind(op, x.dtype, None if init is None else type(init))


def reduced(op: Any, x: Any, init: Any) -> Any:
    """Return what a vector of a device is combined to, as a number of the host.

    It has one element at least.
    """
    kind, q = _kind_from(op, x, init), x.queue
    while True:
        totals = q.empty(_tiles(x.size), kind)
        _totals[totals.size, THREADS, q](op, x, totals)
        if totals.size == 1:
            break
        x = totals
    total = totals.copy_to_host()
    return prim.reduce(op, total, None if init is None else kind.type(init))


def scan(op: Any, x: Any, init: Any, inclusive: bool) -> Any:
    """Return the scan of a vector of a device, on its queue."""
    out = x.queue.empty(x.size, _kind_from(op, x, init))
    if x.size:
        scan_into(x.queue, op, x, out, init, inclusive)
    return out


def scan_into(q: Any, op: Any, x: Any, out: Any, init: Any, inclusive: bool) -> None:
    """Scan a vector that has elements into another or itself; an exclusive scan has an `init`."""
    n = _tiles(x.size)
    totals = q.empty(n, out.dtype)
    if n > 1:
        _totals[n, THREADS, q](op, x, totals)
        scan_into(q, op, totals, totals, init, True)
    _scan_tiles[n, THREADS, q](op, x, totals, out, init, inclusive)


# ---- elements that a mask chooses ---------------------------------------------------------------


@gpu.jit(device=True)
def _chosen(mask, wanted):
    """How many of a thread's elements are."""
    first, n = gpu.grid(1) * EACH, 0
    for i in range(first, min(first + EACH, mask.size)):
        n += int(mask[i] == wanted)
    return n


@gpu.jit(boundscheck=False)
def _count(mask, wanted, counts):
    n = prim.block_reduce(np.add, _chosen(mask, wanted))
    if gpu.threadIdx.x == 0:
        counts[gpu.blockIdx.x] = n


@gpu.jit(boundscheck=False)
def _put(x, mask, wanted, ends, out, behind):
    """Move elements where `mask` is what is wanted, in their order; `ends`: of tiles, together."""
    at = behind + prim.block_scan(np.add, _chosen(mask, wanted), 0, False)
    if gpu.blockIdx.x > 0:
        at += ends[gpu.blockIdx.x - 1]
    first = gpu.grid(1) * EACH
    for i in range(first, min(first + EACH, mask.size)):
        if mask[i] == wanted:
            out[at] = x[i]
            at += 1


def _ends(mask: Any, wanted: bool) -> Any:
    """How many elements there are up to the end of each tile."""
    q = mask.queue
    counts = q.empty(_tiles(mask.size), np.int64)
    _count[counts.size, THREADS, q](mask, wanted, counts)
    scan_into(q, np.add, counts, counts, None, True)
    return counts


def compacted(x: Any, mask: Any) -> Any:
    """Return the elements of a vector of a device where a mask of it is true; one at least."""
    ends = _ends(mask, True)
    n = int(ends[-1:].copy_to_host()[0])
    out = x.queue.empty(n, x.dtype)
    if n:
        _put[ends.size, THREADS, x.queue](x, mask, True, ends, out, 0)
    return out


def partitioned(x: Any, mask: Any) -> tuple[Any, int]:
    """Return the elements where a mask is true, then the others, and how many the first are."""
    ends, others = _ends(mask, True), _ends(mask, False)
    n = int(ends[-1:].copy_to_host()[0])
    out = x.queue.empty(x.size, x.dtype)
    _put[ends.size, THREADS, x.queue](x, mask, True, ends, out, 0)
    _put[ends.size, THREADS, x.queue](x, mask, False, others, out, n)
    return out, n
