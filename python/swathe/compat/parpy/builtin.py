# SPDX-License-Identifier: BSD-3-Clause
"""Functions that mean something to the compiler, under ParPy's names."""

from numpy import inf, maximum, minimum

from swathe import gpu
from swathe.marks import (
    convert,
    inline,
    label,
    ranges,
    static_backend_eq,
    static_fail,
    static_types_eq,
)

__all__ = [
    "convert",
    "gpu",
    "inf",
    "inline",
    "label",
    "maximum",
    "minimum",
    "ranges",
    "static_backend_eq",
    "static_fail",
    "static_types_eq",
]
