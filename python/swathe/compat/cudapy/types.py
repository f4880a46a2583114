# SPDX-License-Identifier: BSD-3-Clause
"""C's types as kernels' signatures name them, structs, and the errors of this interface."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections import namedtuple
from typing import Any

import numpy as np

from swathe.errors import Error


class CudaPyError(Error):
    """A function can't be compiled or launched in this interface."""


class CudaTypeError(CudaPyError, TypeError):
    """A signature makes no sense, or an argument does not have the type that it says."""


class TemplateError(CudaPyError):
    """What is given as a template is none, or a substitution replaces nothing."""


class Type:
    """A type of C: ``Int``, ``Float``, ... Equal when it is the same type."""

    def __init__(self, name: str, dtype: str | None) -> None:
        self.name = name
        self._swathe_dtype = dtype

    @property
    def dtype(self) -> np.dtype:
        """The same as NumPy says it."""
        return np.dtype(self._swathe_dtype)

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash(repr(self))


class Pointer(Type):
    """An array with elements of a type: ``float*`` is ``Pointer(Float)``."""

    def __init__(self, elem: Type) -> None:
        elem = as_type(elem)
        if isinstance(elem, (Pointer, FunctionType)) or elem == Void:
            raise CudaTypeError(
                f"a pointer to {elem} is not supported: elements are numbers or structs"
            )
        super().__init__(f"{elem}*", None)
        self._elem = elem

    def elemType(self) -> Type:  # noqa: N802
        """Return the type of an element."""
        return self._elem


class FunctionType(Type):
    """A function, given to a kernel or to one of its helpers."""


Void = Type("void", None)
Bool = Type("bool", "bool")
Int = Type("int", "int32")
Long = Type("long", "int64")
Float = Type("float", "float32")
Double = Type("double", "float64")
Function = FunctionType("function", None)

NAMED = {t.name: t for t in (Void, Bool, Int, Long, Float, Double, Function)}


class Struct(Type):
    """A struct: fields with names and types, laid out as C does.

    >>> from swathe.compat import cudapy as cp
    >>> Point = cp.Struct("Point", x=cp.Float, y=cp.Float)
    >>> Point(1.0, 2.0).y
    2.0

    Its name stands in signatures where the function's module knows it, as ``Point`` (by value: a
    kernel's change of it is not seen outside) and ``Point*``.
    """

    def __init__(self, name: str, **fields: Any) -> None:
        if not fields:
            raise CudaTypeError(f"the struct {name} has no fields")
        self.fields = {k: as_type(t) for k, t in fields.items()}
        for k, t in self.fields.items():
            if t not in (Bool, Int, Long, Float, Double):
                raise CudaTypeError(f"the field '{k}' of the struct {name} is no number but {t}")
        super().__init__(name, None)
        self.value = namedtuple(name, fields)  # type: ignore[misc]
        self.arrays = namedtuple(name + "s", fields)  # type: ignore[misc]

    @property
    def dtype(self) -> np.dtype:
        """The same as a structured dtype, with C's padding."""
        return np.dtype([(k, t._swathe_dtype) for k, t in self.fields.items()], align=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Struct) and (self.name, self.fields) == (other.name, other.fields)

    def __hash__(self) -> int:
        return hash(self.name)


def struct(cls: type) -> Struct:
    """Make a struct of a class with annotations.

    >>> from swathe.compat import cudapy as cp
    >>> @cp.struct
    ... class Point:
    ...     x: cp.Float
    ...     n: "int"
    >>> Point
    Point
    """
    space = vars(sys.modules.get(cls.__module__, sys))
    notes = getattr(cls, "__annotations__", {})
    return Struct(cls.__name__, **{k: of_note(t, space) for k, t in notes.items()})


_PYTHON = {bool: Bool, int: Int, float: Float, None: Void, type(None): Void}
_NUMPY = {"bool": Bool, "int32": Int, "int64": Long, "float32": Float, "float64": Double}


def of_note(note: Any, space: Any, names: Any = None) -> Type:
    """Return the type that an annotation is, which may be text that `space` gives a meaning."""
    if isinstance(note, str):
        with contextlib.suppress(Exception):  # "float*" is not Python's
            note = eval(note, dict(space))
    return Function if inspect.isfunction(note) else as_type(note, names)


def as_type(obj: Any, names: Any = None) -> Type:
    """Return the type that an object stands for: a type, its text, Python's or NumPy's."""
    if isinstance(obj, Type):
        return obj
    if isinstance(obj, str):
        from .signature import parse_type

        return parse_type(obj, names)
    try:
        if obj in _PYTHON:
            return _PYTHON[obj]
        return _NUMPY[np.dtype(getattr(obj, "_swathe_dtype", obj)).name]
    except (TypeError, KeyError):
        raise CudaTypeError(f"{obj!r} is no type: there are {', '.join(NAMED)}, T*") from None


def elemType(values: Any) -> Type:  # noqa: N802
    """Return the type of the elements of a CudaArray, an array or a list."""
    if hasattr(values, "elemType"):
        return values.elemType()
    if hasattr(values, "dtype"):
        if values.dtype.names:
            raise CudaTypeError("say which struct an array's elements are: CudaArray(a, Point)")
        known = _NUMPY.get(values.dtype.name)
        if known is None:
            raise CudaTypeError(
                f"an array of {values.dtype} has no type here: there are {', '.join(_NUMPY)}"
            )
        return known
    found = {type(v) for v in values}
    if not found <= {bool, int, float} and not all(
        isinstance(v, (int, float, np.number, np.bool_)) for v in values
    ):
        other = next(t for t in found if t not in (bool, int, float))
        raise CudaTypeError(f"a list of {other.__name__} is no array: its elements are numbers")
    if not found:
        return Int
    kinds = {np.dtype(t).kind if t not in (bool, int, float) else np.dtype(t).kind for t in found}
    return Float if "f" in kinds else Bool if kinds == {"b"} else Int


class dim3:  # noqa: N801
    """How many threads along x, y and z."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x: int, y: int = 1, z: int = 1) -> None:
        self.x, self.y, self.z = x, y, z

    def __repr__(self) -> str:
        return f"dim3({self.x}, {self.y}, {self.z})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dim3) and (self.x, self.y, self.z) == (other.x, other.y, other.z)

    def __hash__(self) -> int:
        return hash((self.x, self.y, self.z))
