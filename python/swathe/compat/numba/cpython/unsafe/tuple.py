# SPDX-License-Identifier: BSD-3-Clause
"""``numba.cpython.unsafe.tuple``."""

from __future__ import annotations

from typing import Any


def tuple_setitem(tup: Any, idx: int, val: Any) -> Any:
    """Return a tuple with another value at a place."""
    return tup[:idx] + (val,) + tup[idx + 1 :]


__all__ = ["tuple_setitem"]
