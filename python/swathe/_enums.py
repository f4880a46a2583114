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
    places = _places(type(m))
    if m not in places:  # of a Flag
        raise TypeError(f"{m!r} is no single member of its class: pass its value, as in x.value")
    return class_of(type(m))(places.index(m))


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
    if kinds == {str}:
        made.value = property(_texts(of, "value", [str(v) for v in values]))
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


_KEYS = (bool, int, float, complex, str)
_functions: Any = weakref.WeakKeyDictionary()


def _function_of(of: type[enum.Enum], kind: str, argument: str, keys: Any, otherwise: str) -> Any:
    """Return a function of a key that yields a member; the same one each time."""
    known = _functions.setdefault(of, {})
    if kind not in known:
        ns: dict[str, Any] = {"__name__": of.__module__, "members": class_of(of)}
        text = f"def {of.__name__}({argument}):\n"
        if kind == "by value" and is_enum(of):
            text += f"    if isinstance({argument}, members):\n        return {argument}\n"
        for i, (key, found) in enumerate(keys):
            ns[f"member_{i}"] = found
            text += f"    if {argument} == {key!r}:\n        return member_{i}\n"
        file = f"<swathe {of.__module__}.{of.__qualname__} {kind}>"
        known[kind] = function(of.__name__, f"{text}    {otherwise}\n", ns, file)
    return known[kind]


def by_value(of: type[enum.Enum]) -> Any:
    """Return what `of(value)` calls; None: it is for Python to say, what that is."""
    values = [(m.value, m) for m in of.__members__.values()]
    own = "_missing_" in {k for c in of.__mro__ if c.__module__ != "enum" for k in vars(c)}
    if own or issubclass(of, enum.Flag) or not values:
        return None
    kinds = {type(v) for v, _ in values}
    if not kinds <= set(_KEYS) or len(kinds) > 1:
        return None
    text = f"raise ValueError(f'{{value!r}} is not a valid {of.__qualname__}')"
    return _function_of(of, "by value", "value", dict.fromkeys(values), text)


def by_name(of: type[enum.Enum]) -> Any:
    """Return what `of[name]` calls."""
    members = list(of.__members__.items())
    return _function_of(of, "by name", "name", members, "raise KeyError(name)") if members else None
