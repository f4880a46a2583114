# SPDX-License-Identifier: BSD-3-Clause
"""Functions that mean something to the compiler, under ParPy's names."""

from numpy import inf, maximum, minimum, zeros

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
    "alloc_shared",
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


# An array for the threads of a block; on the CPU, one for each iteration around it.
alloc_shared = zeros
