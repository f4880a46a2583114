# SPDX-License-Identifier: BSD-3-Clause
"""What the namespace can do."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._lazy import dtypes
from .._lazy.placed import CPU, queue_for


class Info:
    """What `__array_namespace_info__()` returns."""

    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self) -> str:
        return CPU

    def devices(self) -> tuple[Any, ...]:
        from ..devices import devices

        return (CPU, *[d for d in devices() if not d.is_native])

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype]:
        queue_for(device)
        return {
            "real floating": dtypes.float64,
            "complex floating": dtypes.complex128,
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype]:
        queue_for(device)
        if kind is None:
            return dict(dtypes.NAMES)
        return {name: d for name, d in dtypes.NAMES.items() if dtypes.isdtype(d, kind)}
