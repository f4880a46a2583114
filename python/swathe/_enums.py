# SPDX-License-Identifier: BSD-3-Clause
"""Enums, as compiled code has them: a tuple of one number, the place of the member. One class of
such tuples stands for one enum; members of an IntEnum are ints."""

from __future__ import annotations

import enum
import types
import typing
import weakref
from typing import Any

from ._class_ways import function

_classes: Any = weakref.WeakKeyDictionary()


def is_enum(t: Any) -> bool:
    """Is it an enum whose members are no numbers?"""
    return isinstance(t, enum.EnumMeta) and not issubclass(t, int)


def class_of(of: type[enum.Enum]) -> Any:
    """Return the class of tuples that stands for an enum."""
    found = _classes.get(of)
    if found is None:
        found = _classes[of] = _make(of)
    return found


def member(m: enum.Enum) -> Any:
    """Return what stands for a member."""
    return class_of(type(m))(_places(type(m)).index(m))


def _places(of: type[enum.Enum]) -> list[Any]:
    return list(dict.fromkeys(of.__members__.values()))


def _texts(of: type, name: str, texts: list[str]) -> Any:
    """Return a method that yields one of these, by the place of the member."""
    text = f"def {name}(self):\n    return {tuple(texts)!r}[self.enum]\n"
    file = f"<swathe {of.__module__}.{of.__qualname__}.{name}>"
    return function(name, text, {"__name__": of.__module__}, file)


def _is_method(name: str, v: Any) -> bool:
    kinds = (types.FunctionType, staticmethod, classmethod, property)
    return isinstance(v, kinds) and not name.startswith("_")


def _make(of: type[enum.Enum]) -> Any:
    name = of.__name__
    values = tuple(m.value for m in _places(of))
    kinds = {type(v) for v in values}
    made: Any = typing.NamedTuple(name, [("enum", int)])
    members = _places(of)
    made._swathe_restored = staticmethod(lambda t: members[tuple.__getitem__(t, 0)])
    made.__module__ = of.__module__
    if len(kinds) == 1 and kinds <= {int, float, bool, complex}:

        def value(self):  # type: ignore[no-untyped-def]
            return values[self.enum]

        made.value = property(value)
    made.name = property(_texts(of, "name", [str(m.name) for m in members]))
    made.__str__, made.__repr__ = (
        _texts(of, f"__{how.__name__}__", [how(m) for m in members]) for how in (str, repr)
    )
    for base in reversed(of.__mro__[: of.__mro__.index(enum.Enum)]):
        for key, v in vars(base).items():
            if _is_method(key, v):
                setattr(made, key, v)
    what = f"'{name}' object is no sequence"

    def no_item(self, i):  # type: ignore[no-untyped-def]
        raise TypeError(what)

    def no_operator(self, other):  # type: ignore[no-untyped-def]
        raise TypeError(what)

    made.__getitem__ = no_item
    made.__add__ = made.__mul__ = made.__rmul__ = made.__radd__ = made.__contains__ = no_operator
    return made
