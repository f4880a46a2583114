# SPDX-License-Identifier: BSD-3-Clause
"""Selection on a device by radix, for keys as `sorting` codes them: unsigned, in their order.

The key at a place in order is found by 8 bits at a time, from the greatest: keys that agree with
what is known of it are counted by their next digit, and the digit is that whose keys reach its
place. Keys are read once for each digit, and not moved. S. Alabi et al., Fast k-selection
algorithms for graphics processing units, JEA 17 (2012).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import gpu, prim
from .._prim_device_scan import scan_into

THREADS = 256
ROUNDS = 8  # keys that one thread looks at
DIGITS = 256
TILE = THREADS * ROUNDS
LOW = 0xFFFFFFFF


@gpu.jit(boundscheck=False)
def _count(keys, found, shift, counts):
    """Count the keys that agree with `found[0]` above a digit, by that digit."""
    mine = gpu.shared.array(DIGITS, np.int32)
    t = gpu.threadIdx.x
    mine[t] = 0
    gpu.syncthreads()
    for r in range(ROUNDS):
        i = gpu.blockIdx.x * TILE + r * THREADS + t
        if i < keys.size:
            above = ((keys[i] ^ found[0]) >> shift) >> keys.dtype.type(7)
            if above >> keys.dtype.type(1) == keys.dtype.type(0):
                gpu.atomic.add(mine, int((keys[i] >> shift) & keys.dtype.type(255)), 1)
    gpu.syncthreads()
    gpu.atomic.add(counts, t, mine[t])


@gpu.jit(boundscheck=False)
def _narrow(counts, shift, found, left):
    """Note the digit whose keys reach a place, and the place among them; by one block."""
    t = gpu.threadIdx.x
    n, k = int(counts[t]), left[0]
    before = prim.block_scan(np.add, n, 0, False)
    if before <= k < before + n:
        found[0] |= found.dtype.type(t) << shift
        left[0] = k - before
    counts[t] = 0


def bound(queue: Any, keys: Any, k: int) -> Any:
    """Return the key at place k in order, as a vector of one."""
    found, left = queue.zeros(1, keys.dtype), queue.to_device(np.array([k]))
    counts = queue.zeros(DIGITS, np.int32)
    for digit in range(keys.dtype.itemsize - 1, -1, -1):
        shift = keys.dtype.type(8 * digit)
        _count[-(-keys.size // TILE), THREADS, queue](keys, found, shift, counts)
        _narrow[1, DIGITS, queue](counts, shift, found, left)
    return found


@gpu.jit(boundscheck=False)
def _count_first(keys, found, counts, n_blocks):
    """How many keys of a block are before a bound, and how many are equal to it."""
    mine = prim.block_reduce(np.add, _told(keys, found[0]))
    if gpu.threadIdx.x == 0:
        counts[gpu.blockIdx.x] = mine & LOW
        counts[n_blocks + gpu.blockIdx.x] = mine >> 32


@gpu.jit(device=True)
def _told(keys, bound):
    """The same of a thread, whose keys are side by side: two counts in one number."""
    mine = 0
    for r in range(ROUNDS):
        i = gpu.grid(1) * ROUNDS + r
        if i < keys.size:
            mine += int(keys[i] < bound) + (int(keys[i] == bound) << 32)
    return mine


@gpu.jit(boundscheck=False)
def _note_first(keys, found, starts, n_blocks, places):
    """Note where keys before a bound are, and behind these the first that are equal to it."""
    at = prim.block_scan(np.add, _told(keys, found[0]), 0, False)
    before = starts[gpu.blockIdx.x] + (at & LOW)
    equal = starts[n_blocks + gpu.blockIdx.x] + (at >> 32)
    for r in range(ROUNDS):
        i = gpu.grid(1) * ROUNDS + r
        if i < keys.size:
            if keys[i] < found[0]:
                places[before] = i
                before += 1
            elif keys[i] == found[0] and equal < places.size:
                places[equal] = i
                equal += 1


def first(queue: Any, keys: Any, k: int) -> Any:
    """Return the places of the first k keys: those before the last of them, then its equals.

    Parameters
    ----------
    keys : vector, of the device
    k : int
        From 1 to the number of keys.
    """
    found, n_blocks = bound(queue, keys, k - 1), -(-keys.size // TILE)
    counts, places = queue.empty(2 * n_blocks, np.int64), queue.empty(k, np.int64)
    _count_first[n_blocks, THREADS, queue](keys, found, counts, n_blocks)
    scan_into(queue, np.add, counts, counts, 0, False)
    _note_first[n_blocks, THREADS, queue](keys, found, counts, n_blocks, places)
    return places
