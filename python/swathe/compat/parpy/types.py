# SPDX-License-Identifier: BSD-3-Clause
"""Types, under ParPy's names."""

from swathe.annotate import buffer, literal, shape_var, type_var
from swathe.types import Scalar

__all__ = ["Bool", "F16", "F32", "F64", "I16", "I32", "I64", "I8", "U16", "U32", "U64", "U8"]
__all__ += ["buffer", "literal", "shape_var", "type_var"]


class Element(Scalar):
    """A type of elements. A parameter that is annotated with it takes numbers of its kind."""

    __slots__ = ()
    _swathe_annotation = True


Bool = Element("bool")
I8, I16, I32, I64 = Element("int8"), Element("int16"), Element("int32"), Element("int64")
U8, U16, U32, U64 = Element("uint8"), Element("uint16"), Element("uint32"), Element("uint64")
F16, F32, F64 = Element("float16"), Element("float32"), Element("float64")
