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

from collections.abc import Callable
from typing import Any

import swathe.types
from swathe.types import *  # noqa: F403
from swathe.types import (
    DictType,
    ListType,
    Of,
    Scalar,
    Signature,
    Type,
    bool_,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    optional,
    uint8,
    uint16,
    uint32,
    uint64,
)

b1 = bool_
char, uchar, short, ushort = int8, uint8, int16, uint16
long_ = longlong = ssize_t = int64
ulong = ulonglong = size_t = uint64


class _Unicode(Type):
    __slots__ = ()

    def __str__(self) -> str:
        return "unicode_type"


unicode_type = string = _Unicode("str")
_tuple_text = swathe.types.Tuple
pyobject = Type("pyobject")


class Omitted(Type):
    """Of an argument that a call leaves out: the type of the default."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        super().__init__(f"omitted({value})")
        self.value = value


class StructRef(Type):
    """Of structures: a class that `experimental.structref.register` takes is derived from it."""

    def __init__(self, fields: Any = ()) -> None:
        self.fields = self.preprocess_fields(tuple((str(n), t) for n, t in fields))
        self.field_dict = dict(self.fields)
        shown = ", ".join(f"{n}: {t!r}" for n, t in self.fields)
        super().__init__(f"{type(self).__name__}({shown})")

    @property
    def name(self) -> str:
        """What it is called; set for fields of its own type, before there are any."""
        return str(self)

    @name.setter
    def name(self, name: str) -> None:
        self.text = name

    def preprocess_fields(self, fields: Any) -> Any:
        """Return the fields with other types."""
        return fields


def unliteral(type: Any) -> Any:  # noqa: A002
    """Return a type without the value that it may be known to have: there are none of these."""
    return type


class Opaque(Type):
    """What compiled code knows and has no name here: a function, an instance, known text."""

    __slots__ = ()


class _TupleOf(swathe.types.TupleOf):
    __slots__ = ("count", "dtype")

    def __init__(self, text: str, types: tuple[Any, ...]) -> None:
        super().__init__(text, types)
        self.count = len(types)
        self.dtype = types[0] if types and all(t == types[0] for t in types) else None

    def __eq__(self, other: object) -> Any:
        return type(self) is type(other) and self.types == other.types  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.types)

    def __str__(self) -> str:
        if self.dtype is not None:
            return f"UniTuple({self.dtype} x {self.count})"
        return f"Tuple({', '.join(map(str, self.types))})"

    def __iter__(self) -> Any:
        return iter(self.types)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: Any) -> Any:
        return self.types[i]


class _WithFields(_TupleOf):
    """A named tuple, or a record."""

    __slots__ = ("fields",)

    def __init__(self, text: str, fields: tuple[tuple[str, Any], ...]) -> None:
        super().__init__(text, tuple(t for _, t in fields))
        self.fields = tuple(n for n, _ in fields)

    def __eq__(self, other: object) -> Any:
        return isinstance(other, _WithFields) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text


class _Record(Type):
    __slots__ = ("members",)

    def __init__(self, text: str, members: tuple[tuple[str, Any], ...]) -> None:
        super().__init__(text)
        self.members = members

    @property
    def fields(self) -> dict[str, Any]:
        """The types of its fields, by name."""
        return dict(self.members)

    def __getitem__(self, index: Any) -> Any:
        axes = index if isinstance(index, tuple) else (index,)
        return Opaque(f"Array({self.text}, {len(axes)})")


def record(members: Any) -> Any:
    """Return the type of records of fields, given by names and types."""
    own = tuple(members)
    return _Record(f"Record({', '.join(f'{n}: {t}' for n, t in own)})", own)


class _Holds(Type):
    """A set, or an enum's member, by what it holds; the class of numbers, by these."""

    __slots__ = ("dtype", "word")

    def __init__(self, text: str, word: str, dtype: Any) -> None:
        super().__init__(text)
        self.word, self.dtype = word, dtype


class _Kind(type):
    """A class of types: a test that tells which belong to it, and perhaps what makes one."""

    _has: Callable[[Any], bool]
    _make: Callable[..., Any]

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, Type) and cls._has(x)

    def __call__(cls, *args: Any, **names: Any) -> Any:
        return cls._make(*args, **names)


def _kind(name: str, doc: str, has: Callable[[Any], bool], make: Any = None) -> Any:
    def none(*_: Any, **__: Any) -> Any:
        from .core.errors import NumbaNotImplementedError

        text = f"types.{name} makes no types here: ask isinstance(t, {name})"
        raise NumbaNotImplementedError(text)

    space = {"__doc__": doc, "_has": staticmethod(has), "_make": staticmethod(make or none)}
    return _Kind(name, (), space)


def _scalar(*words: str) -> Callable[[Any], bool]:
    return lambda t: isinstance(t, Scalar) and t.text.startswith(words)


def _of(word: str) -> Callable[[Any], bool]:
    return lambda t: isinstance(t, Of) and t.word == word


def _word(word: str) -> Callable[[Any], bool]:
    return lambda t: isinstance(t, _Holds) and t.word == word


def _opaque(*words: str) -> Callable[[Any], bool]:
    return lambda t: isinstance(t, Opaque) and t.text.partition("(")[0] in words


def _timed(word: str) -> Callable[[Any], bool]:
    return lambda t: isinstance(t, Type) and t.text.startswith(word) and t.text.count("[") == 1


def _time(word: str) -> Callable[[Any], Any]:
    return lambda unit: Opaque(f"{word}[{unit}]")


def _tuple(types: Any) -> Any:
    types = tuple(types)
    if types and all(t == types[0] for t in types):
        return _TupleOf(f"UniTuple({types[0]!r}, {len(types)})", types)
    return _TupleOf(_tuple_text(types).text, types)


def _uni_tuple(dtype: Any, count: int) -> Any:
    return _TupleOf(f"UniTuple({dtype!r}, {count})", (dtype,) * count)


def _named_tuple(types: Any, cls: Any) -> Any:
    fields = tuple(zip(cls._fields, types, strict=True))
    return _WithFields(f"{cls.__name__}({', '.join(f'{n}: {t!r}' for n, t in fields)})", fields)


def _buffer(word: str) -> Callable[..., Any]:
    def made(dtype: Any, ndim: int, layout: str, readonly: bool = False, **_: Any) -> Any:
        if dtype != uint8 or ndim != 1:
            text = f"{word} of {dtype} in {ndim} dimensions: there are vectors of uint8"
            raise ValueError(text)
        return Opaque(word)

    return made


def _is_number(t: Any) -> bool:
    return isinstance(t, Scalar) and not t.text.startswith("bool")


Number = _kind("Number", "Types of numbers.", _is_number)
Integer = _kind("Integer", "Types of integers.", _scalar("int", "uint"))
Float = _kind("Float", "Types of floats.", _scalar("float"))
Complex = _kind("Complex", "Types of complex numbers.", _scalar("complex"))
Boolean = _kind("Boolean", "The type of bools.", _scalar("bool"))
NoneType = _kind("NoneType", "The type of None.", lambda t: t.text == "none")
UnicodeType = _kind("UnicodeType", "The type of strings.", lambda t: t.text == "str")
Optional = _kind("Optional", "Types of what may be None.", _of("optional"), optional)
ListType = List = _kind("ListType", "Types of lists.", _of("list"), ListType)
DictType = _kind("DictType", "Types of dicts.", _of("dict"), DictType)
BaseTuple = Tuple = _kind("Tuple", "Types of tuples.", lambda t: isinstance(t, _TupleOf), _tuple)
UniTuple = _kind(
    "UniTuple",
    "Types of tuples of one type.",
    lambda t: isinstance(t, _TupleOf) and t.dtype is not None,
    _uni_tuple,
)
BaseNamedTuple = NamedTuple = _kind(
    "NamedTuple", "Types of named tuples.", lambda t: isinstance(t, _WithFields), _named_tuple
)
NamedUniTuple = _kind(
    "NamedUniTuple",
    "Types of named tuples of one type.",
    lambda t: isinstance(t, _WithFields) and t.dtype is not None,
    lambda dtype, count, cls: _named_tuple((dtype,) * count, cls),
)
Record = _kind("Record", "Types of records.", lambda t: isinstance(t, _Record))
Set = _kind("Set", "Types of sets.", _word("set"))
EnumMember = _kind("EnumMember", "Types of members of enums.", _word("enum"))
NPDatetime = _kind("NPDatetime", "Types of dates.", _timed("datetime64"), _time("datetime64"))
NPTimedelta = _kind(
    "NPTimedelta", "Types of time spans.", _timed("timedelta64"), _time("timedelta64")
)
NumberClass = _kind("NumberClass", "Classes of numbers.", _word("class"))
SliceType = _kind("SliceType", "Types of slices.", _opaque("slice"))
RangeType = _kind("RangeType", "Types of ranges.", _opaque("range"))
Bytes = _kind("Bytes", "Types of bytes.", _opaque("bytes"), _buffer("bytes"))
ByteArray = _kind("ByteArray", "Types of bytearrays.", _opaque("bytearray"), _buffer("bytearray"))
MemoryView = _kind(
    "MemoryView", "Types of memory views.", _opaque("memoryview"), _buffer("memoryview")
)
UnicodeCharSeq = _kind(
    "UnicodeCharSeq",
    "Types of strings of fixed width in arrays.",
    lambda t: t.text.startswith("[unichr x "),
    lambda count: Opaque(f"[unichr x {count}]"),
)
CharSeq = _kind(
    "CharSeq",
    "Types of bytes of fixed width in arrays.",
    lambda t: t.text.startswith("[char x "),
    lambda count: Opaque(f"[char x {count}]"),
)
Sequence = _kind(
    "Sequence", "Types of lists and tuples.", lambda t: isinstance(t, (List, BaseTuple))
)
Buffer = ArrayCompatible = swathe.types.Array
# Values that are known are given by their types alone.
literals_asked = [0]  # how often somebody has asked whether a type is one of these


def _is_literal(t: Any) -> bool:
    literals_asked[0] += 1
    return False


Literal = _kind("Literal", "Types of one value, of which there are none.", _is_literal)
IntegerLiteral = StringLiteral = BooleanLiteral = SliceLiteral = Literal
# Of what compiled code has no values.
ClassType = DeferredType = Generator = PyObject = _kind(
    "PyObject", "Types of which no values reach compiled code.", lambda t: False
)
signed_domain = frozenset((int8, int16, int32, int64))
unsigned_domain = frozenset((uint8, uint16, uint32, uint64))
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset((float32, float64))
complex_domain = frozenset((complex64, complex128))
number_domain = real_domain | integer_domain | complex_domain
Callable_ = Function = Dispatcher = _kind(
    "Function", "Types of functions.", lambda t: isinstance(t, (Opaque, _FunctionType))
)


def FunctionType(signature: Any) -> Any:  # noqa: N802
    """Return the type of functions of a signature, which it keeps in `signature`."""
    return _FunctionType(signature)


class _FunctionType(Type):
    __slots__ = ("signature",)

    def __init__(self, signature: Signature) -> None:
        super().__init__(f"FunctionType({signature})")
        self.signature = signature


def CPointer(dtype: Any) -> Any:  # noqa: N802
    """Return the type of pointers to numbers, for `cfunc`."""
    from ._cfunc import _Pointer

    return _Pointer(dtype)


voidptr = Type("voidptr")


class WrapperAddressProtocol:
    """What tells the address of a C function and its types, so that compiled code calls it."""

    def __wrapper_address__(self) -> int:
        raise NotImplementedError

    def signature(self) -> Any:
        """Return the types of its arguments and its result."""
        raise NotImplementedError


np_bool_ = py_bool = bool_
globals()["bool"] = bool_  # by Numba's name; nothing here calls Python's
__all__ = [n for n in dir() if not n.startswith("_") and n not in ("annotations", "Any", "swathe")]
