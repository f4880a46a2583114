# SPDX-License-Identifier: BSD-3-Clause
"""``numba.np.unsafe.ndarray``."""

from __future__ import annotations

from typing import Any


def to_fixed_tuple(np_array: Any, length: int) -> Any:
    """Return a tuple of the elements of a vector, of a length that is known."""
    return tuple([np_array[i] for i in range(length)])


__all__ = ["to_fixed_tuple"]
