# SPDX-License-Identifier: BSD-3-Clause
"""``pyculib.sorting``: sorts in place of vectors of a device or of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe.vendor import sorting as _sorting

from ._place import brought, queue_of


def _store(to: Any, values: Any) -> None:
    if isinstance(to, np.ndarray):
        to[...] = values
    else:
        to.queue.copy(to, values)


class RadixSort:
    """Sorts of vectors of a dtype, in place.

    Parameters
    ----------
    maxcount : int
        The longest vector.
    dtype : dtype
    descending : bool, default False
    stream : stream, optional
    """

    def __init__(
        self, maxcount: int, dtype: Any, descending: bool = False, stream: Any = 0
    ) -> None:
        self.maxcount, self.dtype = int(maxcount), np.dtype(dtype)
        self.descending, self.stream = bool(descending), stream
        _sorting._Coded(self.dtype, self.descending)  # raises where there is no such sort

    def _check(self, keys: Any) -> int:
        if keys.dtype != self.dtype:
            raise TypeError(f"keys of {keys.dtype}, and the sort is of {self.dtype}")
        if keys.ndim != 1:
            raise ValueError("only vectors are sorted")
        if keys.size > self.maxcount:
            raise ValueError(f"keys array too long: {keys.size}, and at most {self.maxcount}")
        return keys.size

    def sort(self, keys: Any, vals: Any = None, begin_bit: int = 0, end_bit: Any = None) -> None:
        """Sort keys in place, and move values as they are moved."""
        self._all_bits(begin_bit, end_bit)
        self._check(keys)
        writes = (keys,) if vals is None else (keys, vals)
        with brought(queue_of(self.stream, *writes), (), writes) as there:
            if vals is None:
                _store(there[0], _sorting.sort(there[0], self.descending))
            else:
                for to, found in zip(
                    there, _sorting.sort_by_key(*there, self.descending), strict=True
                ):
                    _store(to, found)

    def _all_bits(self, begin: int, end: Any) -> None:
        if begin != 0 or end not in (None, 8 * self.dtype.itemsize):
            raise NotImplementedError("keys are sorted by all of their bits")

    def argsort(self, keys: Any, begin_bit: int = 0, end_bit: Any = None) -> Any:
        """Sort keys in place; return where each has been, on the device if the keys are there."""
        self._all_bits(begin_bit, end_bit)
        self._check(keys)
        with brought(queue_of(self.stream, keys), (), (keys,)) as (there,):
            at = _sorting.argsort(there, self.descending, np.uint32)
            _store(there, _sorting.take(there, at))
        here = isinstance(keys, np.ndarray) and not isinstance(at, np.ndarray)
        return at.copy_to_host() if here else at

    def select(self, k: int, keys: Any, vals: Any = None) -> None:
        """Let the first k elements in order be the first k of the keys."""
        self._need(k, keys)
        self.sort(keys, vals)

    def argselect(self, k: int, keys: Any) -> Any:
        """`select`, and return where those elements have been."""
        self._need(k, keys)
        return self.argsort(keys)[:k]

    def _need(self, k: int, keys: Any) -> None:
        if not 0 <= k <= keys.size:
            raise ValueError(f"k={k} of {keys.size} keys")

    def init_arg(self, size: int) -> Any:
        """Return the numbers from 0, as values to go beside keys."""
        return np.arange(size, dtype=np.uint32)

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""


def segmented_sort(keys: Any, vals: Any, segments: Any, stream: Any = 0) -> None:
    """Sort each segment of a vector in place, and move values as the keys are.

    Parameters
    ----------
    keys, vals : vectors
    segments : vector of int
        Where segments begin but the first: ``[3, 6]`` are ``keys[:3]``, ``keys[3:6]`` and
        ``keys[6:]``.
    stream : stream, optional
    """
    if keys.size != vals.size:
        raise ValueError(f"{keys.size} keys and {vals.size} values")
    with brought(queue_of(stream, keys, vals), (segments,), (keys, vals)) as there:
        at = _sorting.segmented_argsort(there[1], there[0])
        for to in there[1:]:
            _store(to, _sorting.take(to, at))


__all__ = ["RadixSort", "segmented_sort"]
