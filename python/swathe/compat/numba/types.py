# SPDX-License-Identifier: BSD-3-Clause
"""Numba's type objects: those of `swathe.types` by all of their names, and the classes of types,
to ask with isinstance.

>>> from swathe.compat.numba import types
>>> types.Array(types.float64, 2, "C")
Array(float64, 2, 'C')
>>> isinstance(types.int32, types.Integer), isinstance(types.int32, types.Float)
(True, False)
"""

from __future__ import annotations

from typing import Any

from swathe.types import *  # noqa: F403
from swathe.types import (
    Scalar,
    Signature,
    Tuple,
    Type,
    bool_,
    int8,
    int16,
    int64,
    uint8,
    uint16,
    uint64,
)

b1 = bool_
char, uchar, short, ushort = int8, uint8, int16, uint16
long_ = longlong = ssize_t = int64
ulong = ulonglong = size_t = uint64
unicode_type = string = Type("str")
pyobject = Type("pyobject")
NoneType = type(None)
Record = NamedTuple = NamedUniTuple = StructRef = Type


class _Kind(type):
    """A class of types: what is told by the text of one."""

    _words: tuple[str, ...] = ()

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, Type) and x.text.startswith(cls._words)


class Number(metaclass=_Kind):
    """Types of numbers."""

    _words = ("int", "uint", "float", "complex", "bool")

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, Scalar)


class Integer(metaclass=_Kind):
    """Types of integers."""

    _words = ("int", "uint")


class Float(metaclass=_Kind):
    """Types of floats."""

    _words = ("float",)


class Complex(metaclass=_Kind):
    """Types of complex numbers."""

    _words = ("complex",)


class Boolean(metaclass=_Kind):
    """The type of bools."""

    _words = ("bool",)


def FunctionType(signature: Any) -> Any:  # noqa: N802
    """Return the type of functions of a signature, which it keeps in `signature`."""
    return _FunctionType(signature)


class _FunctionType(Type):
    __slots__ = ("signature",)

    def __init__(self, signature: Signature) -> None:
        super().__init__(f"FunctionType({signature})")
        self.signature = signature


class WrapperAddressProtocol:
    """What tells the address of a C function and its types, so that compiled code calls it."""

    def __wrapper_address__(self) -> int:
        raise NotImplementedError

    def signature(self) -> Any:
        """Return the types of its arguments and its result."""
        raise NotImplementedError


BaseTuple = Tuple
__all__ = [n for n in dir() if not n.startswith("_") and n not in ("annotations", "Any")]
