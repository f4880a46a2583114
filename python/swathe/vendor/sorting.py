# SPDX-License-Identifier: BSD-3-Clause
"""Sorts of vectors on any device: by radix, stable, with values beside the keys, and by segments.

NVIDIA has no library for it that can be called from outside; so the kernels are ours. Keys become
unsigned integers of the same order, which are sorted by 8 bits at a time (`_radix`). NaN is last.
Arrays of the host go to NumPy's sorts, on all threads.

>>> import numpy as np
>>> from swathe.vendor import sorting
>>> sorting.sort(np.array([3.0, 1.0, 2.0]), descending=True)
array([3., 2., 1.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import gpu, prim
from . import _radix, _select
from ._work import ordered, queue_of

THREADS = 256


@gpu.jit(boundscheck=False)
def _encode(bits, to, sign, inf, flip, one_zero):
    """Integers of the same order, unsigned; `flip`: of the opposite one.

    `inf` is infinity's bits, None for integers. NaN has a sign, too, but is one number, the last;
    `one_zero`: and so is zero.
    """
    i = gpu.grid(1)
    if i < bits.size:
        b, zero = bits[i], to.dtype.type(0)
        if inf is None:
            b = b ^ sign
        elif (b & ~sign) > inf:
            b = ~zero
        elif one_zero and (b & ~sign) == zero:
            b = sign
        else:
            b = ~b if (b & sign) != zero else b ^ sign
        to[i] = ~b if flip else b


@gpu.jit(boundscheck=False)
def _decode(coded, to, sign, inf, flip):
    i = gpu.grid(1)
    if i < coded.size:
        b = ~coded[i] if flip else coded[i]
        if inf is not None and (b & sign) == to.dtype.type(0):
            to[i] = ~b
        else:
            to[i] = b ^ sign


@gpu.jit(boundscheck=False)
def _iota(out):
    i = gpu.grid(1)
    if i < out.size:
        out[i] = i


@gpu.jit(boundscheck=False)
def _segments(offsets, ids):
    """Which segment each element is of: how many of the offsets are not above its place."""
    i = gpu.grid(1)
    if i < ids.size:
        lo, hi = 0, offsets.size
        while lo < hi:
            mid = (lo + hi) // 2
            if offsets[mid] <= i:
                lo = mid + 1
            else:
                hi = mid
        ids[i] = lo


@gpu.jit(boundscheck=False)
def _take(x, at, to):
    i = gpu.grid(1)
    if i < to.size:
        to[i] = x[at[i]]


def _blocks(n: int) -> int:
    return max(1, -(-n // THREADS))


class _Coded:
    """How keys of a dtype become unsigned integers of the same order."""

    def __init__(self, dtype: Any, descending: bool) -> None:
        if dtype.kind not in "iufb" or dtype.itemsize not in (1, 2, 4, 8):
            raise TypeError(f"keys of {dtype} have no radix sort")
        self.bits = np.dtype(f"u{dtype.itemsize}")
        top = 1 << (8 * dtype.itemsize - 1)
        self.sign = self.bits.type(top if dtype.kind in "if" else 0)
        self.inf = np.array(np.inf, dtype).view(self.bits)[()] if dtype.kind == "f" else None
        self.flip = descending

    def encode(self, queue: Any, keys: Any, one_zero: bool) -> Any:
        coded = queue.empty(keys.size, self.bits)
        _encode[_blocks(keys.size), THREADS, queue](
            keys.view(self.bits), coded, self.sign, self.inf, self.flip, one_zero
        )
        return coded

    def decode(self, queue: Any, coded: Any, to: Any) -> None:
        _decode[_blocks(to.size), THREADS, queue](
            coded, to.view(self.bits), self.sign, self.inf, self.flip
        )


def _need_vector(x: Any, what: str) -> None:
    if x.ndim != 1:
        raise ValueError(f"{what} takes vectors, not arrays of {x.ndim} axes")


def _sort_there(queue: Any, keys: Any, values: Any, descending: bool) -> tuple[Any, Any]:
    """Sorted copies."""
    coded = _Coded(keys.dtype, descending)
    out = queue.empty(keys.size, keys.dtype)
    if not keys.size:
        return out, None if values is None else values.copy()
    if values is not None and coded.inf is not None:  # equal keys may differ in their bits
        at = _order_there(queue, keys, descending, np.int64)
        return take(keys, at), take(values, at)
    values = None if values is None else ordered(values)
    bits = coded.encode(queue, ordered(keys), False)
    kept = None if values is None else values.copy()  # a pass writes into both
    bits, kept = _radix.passes(queue, bits, kept, coded.bits.itemsize)
    coded.decode(queue, bits, out)
    return out, kept


def _order_there(queue: Any, keys: Any, descending: bool, dtype: Any) -> Any:
    """The stable order of keys of a device."""
    coded = _Coded(keys.dtype, descending)
    places = queue.empty(keys.size, dtype)
    if keys.size:
        _iota[_blocks(keys.size), THREADS, queue](places)
        bits = coded.encode(queue, ordered(keys), True)
        places = _radix.passes(queue, bits, places, coded.bits.itemsize)[1]
    return places


def _order(keys: np.ndarray, descending: bool) -> np.ndarray:
    """The stable order of keys of the host; from behind, NaN is first."""
    if not descending:
        return prim.argsort(keys)
    return len(keys) - 1 - prim.argsort(keys[::-1].copy())[::-1]


def sort(keys: Any, descending: bool = False) -> Any:
    """Return a sorted copy of a vector; in descending order NaN is first."""
    _need_vector(keys, "sort()")
    queue = queue_of(keys)
    if queue is None:
        found = prim.sort(np.asarray(keys))
        return found[::-1].copy() if descending else found
    return _sort_there(queue, keys, None, descending)[0]


def argsort(keys: Any, descending: bool = False, dtype: Any = np.int64) -> Any:
    """Return the places of a vector's elements in their order: of equal ones the first is first."""
    _need_vector(keys, "argsort()")
    queue = queue_of(keys)
    if queue is None:
        return _order(np.asarray(keys), descending).astype(dtype)
    return _order_there(queue, keys, descending, dtype)


def sort_by_key(keys: Any, values: Any, descending: bool = False) -> tuple[Any, Any]:
    """Return sorted keys, and the values that belong to them; stable."""
    _need_vector(keys, "sort_by_key()")
    _need_vector(values, "sort_by_key()")
    if keys.size != values.size:
        raise ValueError(f"sort_by_key(): {keys.size} keys and {values.size} values")
    queue = queue_of(keys, values)
    if queue is None:
        at = _order(np.asarray(keys), descending)
        return np.asarray(keys)[at], np.asarray(values)[at]
    return _sort_there(queue, keys, values, descending)


def select(keys: Any, k: int, descending: bool = False) -> Any:
    """Return the first k elements in order."""
    if queue_of(keys) is None:
        _check_count(keys, k)
        return np.ascontiguousarray(prim.topk(np.asarray(keys), k, descending)[0])
    return take(keys, select_places(keys, k, descending))


def _check_count(keys: Any, k: int) -> None:
    if not 0 <= k <= keys.size:
        raise ValueError(f"select(): {k} of {keys.size} elements")
    _need_vector(keys, "select()")


def select_places(keys: Any, k: int, descending: bool = False) -> Any:
    """Return the places of the first k elements in their order: of equal ones the first is first.

    They are found by radix, and then they alone are sorted.
    """
    _check_count(keys, k)
    queue = queue_of(keys)
    if queue is None:
        return prim.topk(np.asarray(keys), k, descending)[1]
    coded = _Coded(keys.dtype, descending)
    if not k:
        return queue.empty(0, np.int64)
    bits = coded.encode(queue, ordered(keys), True)
    places = _select.first(queue, bits, k)
    return _radix.passes(queue, take(bits, places), places, coded.bits.itemsize)[1]


def kth(keys: Any, k: int) -> Any:
    """Return the element that is at place k in order, from 0, as a number of the host."""
    if not 0 <= k < keys.size:
        raise IndexError(f"kth(): place {k} of {keys.size} elements")
    _need_vector(keys, "kth()")
    queue = queue_of(keys)
    if queue is None:
        return prim.kselect(np.asarray(keys), k)
    coded = _Coded(keys.dtype, False)
    found = _select.bound(queue, coded.encode(queue, ordered(keys), False), k)
    out = queue.empty(1, keys.dtype)
    coded.decode(queue, found, out)
    return out.copy_to_host()[0]


def segmented_argsort(keys: Any, offsets: Any, descending: bool = False) -> Any:
    """Return the places of a vector's elements when each segment of it is sorted on its own.

    Parameters
    ----------
    keys : vector
    offsets : vector of int
        Where segments begin but the first, in order: ``[3, 6]`` are ``keys[:3]``, ``keys[3:6]`` and
        ``keys[6:]``.
    """
    _need_vector(keys, "segmented_argsort()")
    queue = queue_of(keys)
    if queue is None:
        ids = np.searchsorted(np.asarray(offsets), np.arange(keys.size), side="right")
        at = _order(np.asarray(keys), descending)
        return at[np.argsort(ids[at], kind="stable")]
    offsets = queue.asarray(offsets)
    at = argsort(keys, descending)
    if not offsets.size or not keys.size:
        return at
    ids = queue.empty(keys.size, np.uint32)
    _segments[_blocks(keys.size), THREADS, queue](offsets, ids)
    moved = queue.empty(keys.size, np.uint32)
    _take[_blocks(keys.size), THREADS, queue](ids, at, moved)
    digits = max(1, -(-int(offsets.size).bit_length() // 8))
    return _radix.passes(queue, moved, at, digits)[1]


def take(x: Any, at: Any) -> Any:
    """Return the elements of a vector at places."""
    queue = queue_of(x, at)
    if queue is None:
        return np.asarray(x)[at]
    out = queue.empty(at.size, x.dtype)
    if at.size:
        _take[_blocks(at.size), THREADS, queue](x, at, out)
    return out


__all__ = [
    "argsort",
    "kth",
    "segmented_argsort",
    "select",
    "select_places",
    "sort",
    "sort_by_key",
    "take",
]
