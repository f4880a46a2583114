# SPDX-License-Identifier: BSD-3-Clause
"""Primitives of the threads of a block or a warp, in kernels. `swathe.prim` has their names.

Each thread gives a value. What a warp combines goes by shuffles; between warps, one element each is
in shared memory. Sorts merge runs in shared memory: a thread finds by binary search how many
elements of the other run come before its own, so that any number of threads will do, and equal
elements keep their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import gpu, static_fail
from ._prim_order import less

__all__ = [
    "block_reduce",
    "block_scan",
    "block_sort",
    "block_sort_by_key",
    "block_topk",
    "warp_reduce",
    "warp_scan",
    "warp_sort",
    "warp_topk",
]

WARP = 32
WARPS = 32  # in a block, at most
THREADS = 1024


# ---- who a thread is, and what others have -----------------------------------------------------


def _threads() -> Any:
    return gpu.blockDim.x * gpu.blockDim.y * gpu.blockDim.z


def _thread() -> Any:
    """Its place in the block: warps are cut from this order."""
    return gpu.threadIdx.x + gpu.blockDim.x * (gpu.threadIdx.y + gpu.blockDim.y * gpu.threadIdx.z)


def _lanes() -> Any:
    """How many threads the warp has: the last of a block may have less than 32."""
    return min(WARP, _threads() - _thread() // WARP * WARP)


def _mask() -> Any:
    return 0xFFFFFFFF >> (WARP - _lanes())


def _from_lane(value: Any, lane: Any) -> Any:
    """The value of another thread of the warp, which each names for itself."""
    if isinstance(value, tuple):
        if len(value) == 0:
            return ()
        else:
            return (_from_lane(value[0], lane), *_from_lane(value[1:], lane))
    elif np.asarray(value).dtype.kind == "c":
        real, imag = (
            gpu.shfl_sync(_mask(), value.real, lane),
            gpu.shfl_sync(_mask(), value.imag, lane),
        )
        return np.asarray(value).dtype.type(complex(real, imag))
    else:
        return gpu.shfl_sync(_mask(), value, lane)


def _one_a_warp(value: Any) -> Any:
    """Shared memory for a value of each warp."""
    if isinstance(value, tuple):
        if len(value) == 0:
            return ()
        else:
            return (_one_a_warp(value[0]), *_one_a_warp(value[1:]))
    else:
        return gpu.shared.array(WARPS, np.asarray(value).dtype)


def _put(arrays: Any, i: Any, value: Any) -> None:
    if isinstance(arrays, tuple):
        if len(arrays) > 0:
            _put(arrays[0], i, value[0])
            _put(arrays[1:], i, value[1:])
    else:
        arrays[i] = value


def _at(arrays: Any, i: Any) -> Any:
    if isinstance(arrays, tuple):
        if len(arrays) == 0:
            return ()
        else:
            return (_at(arrays[0], i), *_at(arrays[1:], i))
    else:
        return arrays[i]


# ---- reductions and scans -----------------------------------------------------------------------


def _total_from(op: Any, value: Any, count: Any) -> Any:
    """The total of the first lanes, in lane 0."""
    v, lane, k = value, gpu.laneid, 1
    while k < WARP:
        other = _from_lane(v, min(lane + k, _lanes() - 1))
        if lane + k < count:
            v = op(v, other)
        k *= 2
    return v


def _total_up_to(op: Any, value: Any) -> Any:
    v, lane, k = value, gpu.laneid, 1
    while k < WARP:
        other = _from_lane(v, max(lane - k, 0))
        if lane >= k:
            v = op(other, v)
        k *= 2
    return v


def warp_reduce(op: Any, value: Any) -> Any:
    """Combine the values of a warp's threads, from left to right; each thread gets the result.

    Parameters
    ----------
    op : function
        Of two values; associative.
    value : number, or tuple of numbers
        The thread's. All threads of the warp must come here together.
    """
    if op is max:
        return warp_reduce(np.maximum, value)
    elif op is min:
        return warp_reduce(np.minimum, value)
    else:
        return _from_lane(_total_from(op, value, _lanes()), 0)


def warp_scan(op: Any, value: Any, init: Any = None, inclusive: bool = True) -> Any:
    """Combine each value of a warp's threads with all before it: scan() of 32 elements."""
    if not inclusive and init is None:
        raise ValueError("an exclusive warp_scan() needs init, which is its first element")
    if op is max:
        return warp_scan(np.maximum, value, init, inclusive)
    elif op is min:
        return warp_scan(np.minimum, value, init, inclusive)
    else:
        return _shifted(op, _total_up_to(op, value), init, inclusive, gpu.laneid)


def _shifted(op: Any, total: Any, init: Any, inclusive: bool, lane: Any) -> Any:
    if init is None:
        return total
    elif inclusive:
        return op(init, total)
    else:
        before = _from_lane(total, max(lane - 1, 0))
        v = op(init, before)
        if lane == 0:
            v = init
        return v


def block_reduce(op: Any, value: Any, init: Any = None) -> Any:
    """Combine the values of a block's threads, from left to right; each thread gets the result.

    Parameters
    ----------
    op : function
        Of two values; associative.
    value : number, or tuple of numbers
        The thread's. All threads of the block must come here.
    init : number, or tuple, optional
        Comes before the first.
    """
    if op is max:
        return block_reduce(np.maximum, value, init)
    elif op is min:
        return block_reduce(np.minimum, value, init)
    elif init is not None:
        return op(init, block_reduce(op, value))
    else:
        total = _total_from(op, value, _lanes())
        parts = _one_a_warp(total)
        if gpu.laneid == 0:
            _put(parts, _thread() // WARP, total)
        gpu.syncthreads()
        acc = _total_of_warps(op, _at(parts, 0), parts, (_threads() + WARP - 1) // WARP)
        gpu.syncthreads()
        return acc


def block_scan(op: Any, value: Any, init: Any = None, inclusive: bool = True) -> Any:
    """Combine each value of a block's threads with all before it: scan() of them."""
    if not inclusive and init is None:
        raise ValueError("an exclusive block_scan() needs init, which is its first element")
    if op is max:
        return block_scan(np.maximum, value, init, inclusive)
    elif op is min:
        return block_scan(np.minimum, value, init, inclusive)
    else:
        within = _total_up_to(op, value)
        parts = _one_a_warp(within)
        warp, lane = _thread() // WARP, gpu.laneid
        if lane == _lanes() - 1:
            _put(parts, warp, within)
        gpu.syncthreads()
        v = within
        if not inclusive:
            v = _from_lane(within, max(lane - 1, 0))
        if init is not None:
            acc = _total_of_warps(op, op(init, _at(parts, 0)), parts, warp)
            v = op(acc if warp > 0 else init, v)
            if not inclusive and lane == 0:
                v = acc if warp > 0 else init
        elif warp > 0:
            v = op(_total_of_warps(op, _at(parts, 0), parts, warp), v)
        gpu.syncthreads()
        return v


def _total_of_warps(op: Any, first: Any, parts: Any, n: Any) -> Any:
    acc = first
    for k in range(1, n):
        acc = op(acc, _at(parts, k))
    return acc


def _exchanged(value: Any, thread: Any) -> Any:
    """The value of another thread of the block."""
    if isinstance(value, tuple):
        if len(value) == 0:
            return ()
        else:
            return (_exchanged(value[0], thread), *_exchanged(value[1:], thread))
    else:
        values = gpu.shared.array(THREADS, np.asarray(value).dtype)
        values[_thread()] = value
        gpu.syncthreads()
        other = values[thread]
        gpu.syncthreads()
        return other


# ---- order --------------------------------------------------------------------------------------


def _before(a: Any, b: Any, largest: Any) -> Any:
    if np.asarray(a).dtype.kind == "c":
        static_fail("sorts and selections in kernels order real numbers, not complex ones")
    return less(b, a) if largest else less(a, b)


def _ranked(value: Any, largest: Any, at: Any) -> Any:
    """The value that is at a place in order, and the thread that gave it."""
    values = gpu.shared.array(THREADS, np.asarray(value).dtype)
    places = gpu.shared.array(THREADS, np.int32)
    t, n, w = _thread(), _threads(), 1
    values[t] = value
    places[t] = t
    gpu.syncthreads()
    while w < n:
        first = t // (2 * w) * (2 * w)
        mid, end = min(first + w, n), min(first + 2 * w, n)
        v, place = values[t], places[t]
        if t < mid:
            lo, hi = mid, end
        else:
            lo, hi = first, mid
        while lo < hi:
            half = (lo + hi) // 2
            if t < mid:
                comes = _before(values[half], v, largest)
            else:
                comes = not _before(v, values[half], largest)
            if comes:
                lo = half + 1
            else:
                hi = half
        to = t + lo - mid
        gpu.syncthreads()
        values[to] = v
        places[to] = place
        gpu.syncthreads()
        w *= 2
    v, place = values[at], places[at]
    gpu.syncthreads()
    return v, place


def block_sort(value: Any) -> Any:
    """Sort the values of a block's threads, NaN last: each thread gets the one at its place."""
    return _ranked(value, False, _thread())[0]


def block_sort_by_key(key: Any, value: Any) -> Any:
    """Sort the keys of a block's threads, and move the values with them; stable."""
    k, place = _ranked(key, False, _thread())
    return k, _exchanged(value, place)


def block_topk(value: Any, k: Any, largest: Any = True) -> Any:
    """Find the k greatest values of a block's threads, or the least.

    Returns
    -------
    value, thread
        Thread t gets the one at place t in order, and the place of the thread that gave it: of
        equal ones the first comes first. From k on, threads get the last of them.
    """
    if k < 1 or k > _threads():
        raise ValueError("block_topk(): k is out of range")
    return _ranked(value, largest, min(_thread(), k - 1))


def _ranked_in_warp(value: Any, largest: Any) -> Any:
    """The same in a warp: each thread counts what comes before its own."""
    lane, rank = gpu.laneid, 0
    for j in range(WARP):
        other = gpu.shfl_sync(_mask(), value, min(j, _lanes() - 1))
        comes = _before(other, value, largest)
        if j < _lanes() and (comes or (j < lane and not _before(value, other, largest))):
            rank += 1
    v, place = value, 0
    for j in range(WARP):
        other = gpu.shfl_sync(_mask(), value, min(j, _lanes() - 1))
        to = gpu.shfl_sync(_mask(), rank, min(j, _lanes() - 1))
        if j < _lanes() and to == lane:
            v, place = other, j
    return v, place


def warp_sort(value: Any) -> Any:
    """Sort the values of a warp's threads, NaN last: each thread gets the one at its place."""
    return _ranked_in_warp(value, False)[0]


def warp_topk(value: Any, k: Any, largest: Any = True) -> Any:
    """Find the k greatest values of a warp's threads, or the least: as block_topk(), with lanes."""
    if k < 1 or k > _lanes():
        raise ValueError("warp_topk(): k is out of range")
    v, place = _ranked_in_warp(value, largest)
    at = min(gpu.laneid, k - 1)
    return _from_lane(v, at), _from_lane(place, at)
