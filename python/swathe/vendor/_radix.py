# SPDX-License-Identifier: BSD-3-Clause
"""Passes of a radix sort on a device, by 8 bits each, stable: N. Satish et al., Designing efficient
sorting algorithms for manycore GPUs, IPDPS (2009).

Each block counts the digits of its keys, a scan makes places of the counts, and each block moves
its keys there in their order: first within its shared memory, so that keys that go side by side are
written side by side. A warp ranks its keys without waiting for the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import gpu, prim
from .._prim_device_scan import scan_into

THREADS = 256
WARPS = THREADS // 32
ROUNDS = 16  # keys that one thread moves
OF_WARP = 32 * ROUNDS
DIGITS = 256
TILE = THREADS * ROUNDS
ALL = 0xFFFFFFFF


@gpu.jit(boundscheck=False)
def _count(keys, shift, counts, n_blocks):
    """How many keys of each digit a block has: counts[digit * n_blocks + block]."""
    mine = gpu.shared.array(DIGITS, np.int32)
    t, b = gpu.threadIdx.x, gpu.blockIdx.x
    mine[t] = 0
    gpu.syncthreads()
    for r in range(ROUNDS):
        i = b * TILE + r * THREADS + t
        if i < keys.size:
            gpu.atomic.add(mine, int((keys[i] >> shift) & keys.dtype.type(255)), 1)
    gpu.syncthreads()
    counts[t * n_blocks + b] = mine[t]


@gpu.jit(boundscheck=False)
def _move(keys, values, shift, places, n_blocks, to_keys, to_values):
    """Move the keys of a block, in their order, behind those of the same digit that come before."""
    before = gpu.shared.array((WARPS, DIGITS), np.int32)  # keys of a digit in warps before
    start = gpu.shared.array(DIGITS, np.int32)  # of a digit in the block
    behind = gpu.shared.array(DIGITS, np.int64)  # from a place in the block to one in all
    moved = gpu.shared.array(TILE, keys.dtype)
    rank = gpu.local.array(ROUNDS, np.int32)
    low = keys.dtype.type(255)
    t, b = gpu.threadIdx.x, gpu.blockIdx.x
    warp = t // 32
    first = b * TILE + warp * OF_WARP + t % 32
    for w in range(WARPS):
        before[w, t] = 0
    gpu.syncthreads()
    for r in range(ROUNDS):
        i = first + 32 * r
        inside = i < keys.size
        digit = int((keys[i] >> shift) & low) if inside else DIGITS
        same = gpu.match_any_sync(ALL, digit)
        mine = int(gpu.popc(same & gpu.lanemask_lt()))
        if inside:
            rank[r] = before[warp, digit] + mine
        gpu.syncwarp()
        if inside and mine == 0:
            before[warp, digit] += gpu.popc(same)
        gpu.syncwarp()
    gpu.syncthreads()
    total = 0
    for w in range(WARPS):
        n = int(before[w, t])
        before[w, t] = total
        total += n
    at = prim.block_scan(np.add, total, 0, False)
    start[t] = at
    behind[t] = places[t * n_blocks + b] - at
    gpu.syncthreads()
    for r in range(ROUNDS):
        i = first + 32 * r
        if i < keys.size:
            key = keys[i]
            digit = int((key >> shift) & low)
            place = start[digit] + before[warp, digit] + rank[r]
            moved[place] = key
            if values is not None:
                to_values[behind[digit] + place] = values[i]
    gpu.syncthreads()
    for r in range(ROUNDS):
        place = r * THREADS + t
        if b * TILE + place < keys.size:
            key = moved[place]
            to_keys[behind[int((key >> shift) & low)] + place] = key


def passes(queue: Any, keys: Any, values: Any, digits: int) -> tuple[Any, Any]:
    """Sort unsigned keys by their lowest bytes; what is returned may be what was given."""
    n_blocks = max(1, -(-keys.size // TILE))
    other_keys = queue.empty(keys.shape, keys.dtype)
    other_values = None if values is None else queue.empty(values.shape, values.dtype)
    kind = np.int32 if keys.size < 1 << 31 else np.int64
    counts = queue.empty(DIGITS * n_blocks, kind)
    for digit in range(digits):
        shift = keys.dtype.type(8 * digit)
        _count[n_blocks, THREADS, queue](keys, shift, counts, n_blocks)
        scan_into(queue, np.add, counts, counts, 0, False)
        _move[n_blocks, THREADS, queue](
            keys, values, shift, counts, n_blocks, other_keys, other_values
        )
        keys, other_keys = other_keys, keys
        values, other_values = other_values, values
    return keys, values
