# SPDX-License-Identifier: BSD-3-Clause
"""The names of ``dpctl.utils``: where a computation runs whose arrays are given."""

from __future__ import annotations

from typing import Any

from swathe.errors import ExecutionPlacementError

from ._queue import SyclQueue

__all__ = [
    "ExecutionPlacementError",
    "get_coerced_usm_type",
    "get_execution_queue",
    "validate_usm_type",
]

_ORDER = ("device", "shared", "host")


def get_execution_queue(queues: Any, /) -> SyclQueue | None:
    """Return the queue that all are, or None."""
    queues = list(queues)
    for q in queues:
        if not isinstance(q, SyclQueue):
            raise TypeError(f"not a SyclQueue: {q!r}")
    return queues[0] if queues and all(q == queues[0] for q in queues) else None


def get_coerced_usm_type(usm_types: Any, /) -> str | None:
    """Return the type of memory of a result: device before shared before host."""
    types = list(usm_types)
    for t in types:
        validate_usm_type(t)
    return min(types, key=_ORDER.index) if types else None


def validate_usm_type(usm_type: Any, /, *, allow_none: bool = True) -> None:
    """Raise an error for what is no type of memory."""
    if usm_type is None and allow_none:
        return
    if not isinstance(usm_type, str):
        raise TypeError(f"a type of memory is a str, not {usm_type!r}")
    if usm_type not in _ORDER:
        raise ValueError(f"a type of memory is device, shared or host, not {usm_type!r}")
