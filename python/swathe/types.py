# SPDX-License-Identifier: BSD-3-Clause
"""Types, to write signatures with.

>>> from swathe.types import float64, int64
>>> float64[:, ::1]
float64[:,::1]
>>> float64(float64[:], int64)
float64(float64[:], int64)

They only carry text: `swathe.jit` reads a signature's text whichever way it was written. A NumPy
type (`float64`) accepts Python numbers too; ``float``, ``int``, ``bool`` and ``complex`` as text
mean Python's own.
"""

from __future__ import annotations

from typing import Any


class Type:
    """A type, by its text."""

    __slots__ = ("text",)

    def __init__(self, text: str = "", name: str = "") -> None:
        if not text:  # as Numba's extensions derive from it
            from .errors import UnsupportedError

            raise UnsupportedError(
                f"{type(self).__name__} '{name}': types of one's own, with a data model, box and "
                "unbox, are not supported: plain classes, dataclasses, named tuples and classes "
                "under swathe.jitclass are compiled as they are"
            )
        self.text = text

    def __repr__(self) -> str:
        return self.text

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __call__(self, *args: Any) -> Any:
        """Make a signature: ``float64(int64, float64[:])``."""
        return Signature(self, args)


class Scalar(Type):
    """A NumPy scalar type. Subscripted with slices, it is an array type."""

    __slots__ = ("_swathe_dtype",)

    def __init__(self, text: str, dtype: str | None = None) -> None:
        super().__init__(text)
        self._swathe_dtype = dtype or text

    @property
    def bitwidth(self) -> int:
        """The number of its bits."""
        return 8 if self.text == "bool" else int(self.text.lstrip("abcdefghijklmnopqrstuvwxyz"))

    @property
    def signed(self) -> bool:
        """Whether it has negative values."""
        return not self.text.startswith(("uint", "bool"))

    @property
    def maxval(self) -> int:
        """The greatest value of an integer."""
        return 2 ** (self._whole() - self.signed) - 1

    @property
    def minval(self) -> int:
        """The least value of an integer."""
        return -(2 ** (self._whole() - 1)) if self.signed else 0

    def _whole(self) -> int:
        if not self.text.startswith(("int", "uint")):
            raise AttributeError(f"{self.text} has no least and greatest value")
        return self.bitwidth

    def __getitem__(self, index: slice | tuple[slice, ...]) -> Array:
        axes = [_axis(p) for p in (index if isinstance(index, tuple) else (index,))]
        layout = "C" if axes[-1] == "::1" else "F" if axes[0] == "::1" else "A"
        return Array(self, len(axes), layout, text=f"{self.text}[{','.join(axes)}]")

    def __call__(self, *args: Any) -> Any:
        """Make a signature, or convert a number as NumPy does.

        >>> float32(float64)
        float32(float64)
        """
        if len(args) == 1 and isinstance(args[0], (int, float, complex)):
            import numpy as np

            return np.dtype(self._swathe_dtype).type(args[0])
        return Signature(self, args)


class Array(Type):
    """The type of arrays.

    Attributes
    ----------
    dtype : Type
    ndim : int
    layout : "C", "F" or "A"
    readonly : bool

    >>> Array(float64, 2, "C", readonly=True)
    Array(float64, 2, 'C', True)
    """

    __slots__ = ("dtype", "layout", "ndim", "readonly")

    def __init__(
        self, dtype: Any, ndim: int, layout: str, readonly: bool = False, *, text: str = ""
    ) -> None:
        super().__init__(text or f"Array({dtype}, {ndim}, '{layout}'{', True' * readonly})")
        self.dtype, self.ndim, self.layout, self.readonly = dtype, ndim, layout, readonly

    def __str__(self) -> str:
        shown = "readonly array" if self.readonly else "array"
        return f"{shown}({self.dtype}, {self.ndim}d, {self.layout})"

    def _key(self) -> tuple[Any, ...]:
        return repr(self.dtype), self.ndim, self.layout, self.readonly

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class Signature:
    """A result type and the types of the arguments.

    Attributes
    ----------
    result : Type
    args : tuple of Type
    """

    __slots__ = ("args", "result")

    def __init__(self, result: Type, args: tuple[Any, ...]) -> None:
        self.result = result
        self.args = args

    @property
    def return_type(self) -> Type:
        """The result, by Numba's name."""
        return self.result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.result, self.args

    def __repr__(self) -> str:
        return f"{_text(self.result)}({', '.join(_text(a) for a in self.args)})"


def _axis(part: slice) -> str:
    if not isinstance(part, slice) or part.start is not None or part.stop is not None:
        raise TypeError(f"an array type is written with ':' and '::1', not {part!r}")
    if part.step not in (None, 1):
        raise TypeError("only '::1' says something of an axis: that its elements are adjacent")
    return "::1" if part.step == 1 else ":"


_PLAIN = {float: "float", int: "int", bool: "bool", complex: "complex", None: "none"}


def _text(obj: Any) -> str:
    """The text of anything that may stand in a signature."""
    if isinstance(obj, str):
        return obj
    if isinstance(obj, (Type, Signature)):
        return repr(obj)
    if obj is None or (isinstance(obj, type) and obj in _PLAIN):
        return _PLAIN[obj]
    name = getattr(obj, "__name__", None) or getattr(obj, "name", None)
    if isinstance(name, str):  # np.float64, np.dtype("f4")
        return name
    raise TypeError(f"{obj!r} is no type")


def _is_tuple(text: str) -> bool:
    """Whether a text is a tuple without its parentheses, as in "float64[:], float64"."""
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            return True
    return False


def signature_text(obj: Any) -> str:
    """Return a signature as text, from text, a `Signature` or a tuple of argument types."""
    if isinstance(obj, str):
        return f"({obj.strip().rstrip(',')})" if _is_tuple(obj) else obj
    if isinstance(obj, Signature):
        return str(obj)
    if isinstance(obj, tuple):
        return f"({', '.join(_text(a) for a in obj)})"
    raise TypeError(f"{obj!r} is no signature: write 'float64(float64[:])', or (float64[:],)")


class TupleOf(Type):
    """The type of tuples, with those of the elements in `types`."""

    __slots__ = ("types",)

    def __init__(self, text: str, types: tuple[Any, ...]) -> None:
        super().__init__(text)
        self.types = types


def Tuple(types: tuple[Any, ...]) -> Type:  # noqa: N802
    """Return the type of tuples with these elements."""
    return TupleOf(f"Tuple(({', '.join(_text(t) for t in types)}))", tuple(types))


def UniTuple(type: Any, n: int) -> Type:  # noqa: A002, N802
    """Return the type of tuples of `n` elements of one type."""
    return TupleOf(f"UniTuple({_text(type)}, {n})", (type,) * n)


void = none = Type("none")
boolean = bool_ = Scalar("bool", "bool")
int8 = i1 = Scalar("int8")
int16 = i2 = Scalar("int16")
int32 = i4 = intc = Scalar("int32")
int64 = i8 = intp = int_ = Scalar("int64")
uint8 = u1 = byte = Scalar("uint8")
uint16 = u2 = Scalar("uint16")
uint32 = u4 = uintc = Scalar("uint32")
uint64 = u8 = uintp = uint = Scalar("uint64")
float16 = f2 = Scalar("float16")
float32 = f4 = single = Scalar("float32")
float64 = f8 = double = float_ = Scalar("float64")
complex64 = c8 = Scalar("complex64")
complex128 = c16 = Scalar("complex128")


class Of(Type):
    """A type of fields of a class, made of others."""

    __slots__ = ("parts", "word")

    def __init__(self, word: str, *parts: Any) -> None:
        shown = {"optional": "optional({})", "list": "list[{}]", "dict": "dict[{}]"}
        text = ", ".join(getattr(p, "__name__", None) or repr(p) for p in parts)
        super().__init__(shown.get(word, word + "({})").format(text))
        self.word, self.parts = word, parts

    @property
    def dtype(self) -> Any:
        """Of a list: what it holds; of what may be None: what it may be."""
        return self.parts[0]

    type = item_type = key_type = dtype

    @property
    def value_type(self) -> Any:
        """Of a dict: what it holds."""
        return self.parts[-1]


class Deferred(Type):
    """A type that is defined later, for classes that are made of themselves."""

    __slots__ = ("is_",)

    def __init__(self) -> None:
        super().__init__("deferred")
        self.is_: Any = None

    def define(self, is_: Any) -> None:
        """Say which type it is."""
        self.is_ = is_


def optional(type: Any) -> Type:  # noqa: A002
    """Return the type of what may be None."""
    return Of("optional", type)


def deferred_type() -> Deferred:
    """Return a type to be defined later, by its `define`."""
    return Deferred()


def ListType(item: Any) -> Type:  # noqa: N802
    """Return the type of lists, as a field of a class."""
    return Of("list", item)


def DictType(key: Any, value: Any) -> Type:  # noqa: N802
    """Return the type of dicts, as a field of a class."""
    return Of("dict", key, value)
