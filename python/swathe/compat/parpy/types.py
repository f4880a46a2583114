# SPDX-License-Identifier: BSD-3-Clause
"""Types, under ParPy's names."""

from swathe.annotate import buffer, literal, shape_var, type_var
from swathe.types import (
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

__all__ = ["buffer", "literal", "shape_var", "type_var"]

Bool = bool_
I8, I16, I32, I64 = int8, int16, int32, int64
U8, U16, U32, U64 = uint8, uint16, uint32, uint64
F16, F32, F64 = float16, float32, float64
