# SPDX-License-Identifier: BSD-3-Clause
"""``numba.np.extensions``."""

from __future__ import annotations

from typing import Any

import numpy as np


def cross2d(a: Any, b: Any) -> Any:
    """Return the cross product of vectors of two elements, along the last axis."""
    a_, b_ = np.asarray(a), np.asarray(b)
    if a_.shape[-1] != 2 or b_.shape[-1] != 2:
        raise ValueError("Incompatible dimensions for 2D cross product")
    return a_[..., 0] * b_[..., 1] - a_[..., 1] * b_[..., 0]


__all__ = ["cross2d"]
