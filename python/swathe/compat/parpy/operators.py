# SPDX-License-Identifier: BSD-3-Clause
"""Operators of ParPy's older versions: NumPy's, but for min and max of two values."""

from typing import Any

import numpy as _np
from numpy import (  # noqa: A004
    abs,
    cos,
    exp,
    float16,
    float32,
    float64,
    inf,
    int8,
    int16,
    int32,
    int64,
    log,
    prod,
    sin,
    sqrt,
    sum,
    tanh,
    uint8,
    uint16,
    uint32,
    uint64,
)
from numpy import arctan2 as atan2

from swathe import gpu
from swathe.marks import label

__all__ = [
    "abs",
    "atan2",
    "cos",
    "exp",
    "float16",
    "float32",
    "float64",
    "gpu",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "label",
    "log",
    "max",
    "min",
    "prod",
    "sin",
    "sqrt",
    "sum",
    "tanh",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


def min(x: Any, y: Any = None, axis: Any = None) -> Any:  # noqa: A001
    """Return the least element of `x`, or the lesser of `x` and `y`."""
    if y is None:
        return _np.min(x, axis=axis)
    return _np.minimum(x, y)


def max(x: Any, y: Any = None, axis: Any = None) -> Any:  # noqa: A001
    """Return the greatest element of `x`, or the greater of `x` and `y`."""
    if y is None:
        return _np.max(x, axis=axis)
    return _np.maximum(x, y)
