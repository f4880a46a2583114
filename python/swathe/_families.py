# SPDX-License-Identifier: BSD-3-Clause
"""Instances of unlike classes with a common compiled base, where compiled code has one or another.

Such a value is a named tuple with a place for an instance of each class, of which one is there.
What is asked of it is a method, or a property, of the class of these tuples: it looks which
instance is there, and asks that. So there is no table of functions: each call is one of a method
that is known, behind a test."""

from __future__ import annotations

import inspect
import linecache
import types as _pytypes
import typing
import weakref
from typing import Any

from ._class_ways import function, is_generator

_made: Any = weakref.WeakValueDictionary()

# What Python calls by itself, and what else is asked with how many arguments.
_SPECIAL = {
    "__call__": None, "__len__": 0, "__bool__": 0, "__abs__": 0, "__neg__": 0, "__pos__": 0,
    "__int__": 0, "__float__": 0, "__getitem__": 1, "__contains__": 1, "__add__": 1, "__sub__": 1,
    "__mul__": 1, "__truediv__": 1, "__floordiv__": 1, "__mod__": 1, "__pow__": 1, "__lt__": 1,
    "__le__": 1, "__gt__": 1, "__ge__": 1, "__eq__": 1, "__ne__": 1,
}  # fmt: skip
# What Python asks the right operand, where the left one has no such method.
_MIRRORED = {
    "__lt__": ("__gt__", "<"),
    "__gt__": ("__lt__", ">"),
    "__le__": ("__ge__", "<="),
    "__ge__": ("__le__", ">="),
}
# As tuples have them, and instances without such a method have not.
_NOT_OF_TUPLES = ("__getitem__", "__contains__", "__add__", "__mul__", "__rmul__")
_NO_ORDER = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")


def family(
    a: type, b: type, classes: list[type | None]
) -> tuple[type, tuple[int, ...], tuple[type, ...]] | None:
    """Return the class of tuples for the classes of a program that share a base with these two,
    which of them these are, and of which classes `isinstance` can ask; None: there is no such base,
    or not one class for each of them."""
    base = next((c for c in _generic(a).__mro__ if _is_base(c) and issubclass(b, c)), None)
    if base is None:
        return None
    members = [i for i, c in enumerate(classes) if c is not None and issubclass(c, base)]
    key = tuple(c for c in classes if c is not None and issubclass(c, base))
    if len({*map(_generic, key)}) < len(key):
        return None
    found = _made.get(key)
    if found is None:
        found = _made[key] = _make(base, [_generic(c) for c in key])
    return found, tuple(members), tuple(_classes_above([*key]))


def _generic(cls: type) -> type:
    return cls.__dict__.get("_swathe_generic", cls)


def _is_base(cls: type) -> bool:
    return "_swathe_class" in cls.__dict__ and _generic(cls) is cls


def _has(cls: type) -> dict[str, Any]:
    fields, members = cls._swathe_class[:2]  # type: ignore[attr-defined]
    found = {k: v for k, v in members.items() if k.isidentifier() and v is not None}
    return {**found, **{f[0]: None for f in fields}}


def _make(base: type, classes: list[type]) -> Any:
    fields = [(_place(i), object) for i in range(len(classes))]
    made: Any = typing.NamedTuple(base.__name__, fields)  # type: ignore[misc]
    made.__module__ = base.__module__
    made._swathe_restored = staticmethod(lambda t: next(x for x in tuple(t) if x is not None))
    of = [_has(c) for c in classes]
    writer = _Writer(base, classes, of)
    for name in dict.fromkeys(n for names in of for n in names):
        if name.startswith("__"):
            continue
        if any(_is_method(names.get(name)) for names in of):
            setattr(made, name, writer.method(name))
        else:
            setattr(made, name, writer.attribute(name))
    for name, n in _SPECIAL.items():
        if all(_is_method(names.get(name)) for names in of):
            setattr(made, name, writer.special(name, n))
    for name, (mirrored, op) in _MIRRORED.items():
        if name in made.__dict__ and not any(mirrored in names for names in of):
            setattr(made, mirrored, writer.mirrored(mirrored, op))
    if not any("__eq__" in names for names in of):
        made.__eq__, made.__ne__ = writer.same("__eq__", "is"), writer.same("__ne__", "is not")
    made.instance_is_ = writer.same("instance_is_", "is")
    made.instance_is_not_ = writer.same("instance_is_not_", "is not")
    for name in (*_NOT_OF_TUPLES, *_NO_ORDER, "index", "count", "_replace", "_asdict"):
        if name not in made.__dict__:
            setattr(made, name, writer.nothing(name))
    above = _classes_above(classes)
    setattr(made, f"instance_of_{len(above)}_", writer.is_instance(len(above), _Nothing))
    for i, c in enumerate(above):
        setattr(made, f"instance_of_{i}_", writer.is_instance(i, c))
    return made


def _place(i: int) -> str:
    return f"instance_{i}_"


def _classes_above(classes: list[type]) -> list[type]:
    return list(dict.fromkeys(b for c in classes for b in c.__mro__ if _is_base(b)))


def _is_method(v: Any) -> bool:
    return isinstance(v, (_pytypes.FunctionType, staticmethod)) and not is_generator(v)


class _Nothing:
    """What no instance is one of."""


class _Writer:
    """Writes functions that look which instance is there."""

    def __init__(self, base: type, classes: list[type], of: list[dict[str, Any]]) -> None:
        self.base, self.classes, self.of = base, classes, of

    def _function(self, name: str, text: str, what: str = "") -> Any:
        of = f"swathe {self.base.__module__}.{self.base.__qualname__}.{name}{what}"
        file, n = f"<{of}>", 1
        while file in linecache.cache and "".join(linecache.getlines(file)) != text:
            file, n = f"<{of} {n + 1}>", n + 1  # of another family of this name
        made = function(name, text, {"__name__": self.base.__module__}, file)
        made.__qualname__ = f"{self.base.__qualname__}.{name}"
        return made

    def _each(self, name: str, do: str) -> str:
        """For each class what is done with its instance, or the error that Python raises."""
        text = ""
        for i, (cls, names) in enumerate(zip(self.classes, self.of, strict=True)):
            text += f"    a{i} = self.{_place(i)}\n    if a{i} is not None:\n        "
            if name in names:
                text += do.format(f"a{i}") + "\n"
                text += "" if do.startswith("return") else "        return\n"
            else:
                what = f"'{cls.__name__}' object has no attribute '{name}'"
                text += f"raise AttributeError({what!r})\n"
        return text + "    raise AttributeError('no instance')\n"

    def attribute(self, name: str) -> property:
        get = self._function(name, f"def {name}(self):\n" + self._each(name, f"return {{}}.{name}"))
        found = [names[name] for names in self._with(name)]
        if all(isinstance(v, property) and v.fset is None for v in found):
            return property(get)
        text = f"def {name}(self, value):\n" + self._each(name, f"{{}}.{name} = value")
        return property(get, self._function(name, text, " ="))

    def _with(self, name: str) -> list[dict[str, Any]]:
        return [names for names in self.of if name in names]

    def method(self, name: str) -> Any:
        found = [names[name] for names in self._with(name)]
        head, call, defaults = "*args", "*args", None
        shapes = [_parameters(f) for f in found]
        if shapes[0] is not None and all(s == shapes[0] for s in shapes):
            head = call = ", ".join(shapes[0][0])
            defaults = shapes[0][1]
        text = f"def {name}(self, {head}):\n" + self._each(name, f"return {{}}.{name}({call})")
        made = self._function(name, text)
        made.__defaults__ = defaults
        return made

    def special(self, name: str, n: int | None) -> Any:
        args = "*args" if n is None else ", ".join(["other"][:n])
        each = self._each(name, f"return {{}}.{name}({args})")
        return self._function(name, f"def {name}(self, {args}):\n" + each)

    def mirrored(self, name: str, op: str) -> Any:
        text = f"def {name}(self, other):\n"
        for i in range(len(self.classes)):
            text += f"    a{i} = self.{_place(i)}\n    if a{i} is not None:\n"
            text += f"        return other {op} a{i}\n"
        return self._function(name, text + "    raise TypeError('no instance')\n")

    def nothing(self, name: str) -> Any:
        what = f"'{self.base.__name__}' object has no {name}"
        text = f"def {name}(self, *args):\n    raise AttributeError({what!r})\n"
        if name.startswith("__"):
            text = f"def {name}(self, other):\n    raise TypeError({what!r})\n"
        return self._function(name, text)

    def is_instance(self, i: int, cls: type) -> Any:
        are = [
            f"self.{_place(k)} is not None"
            for k, c in enumerate(self.classes)
            if issubclass(c, cls)
        ]
        name = f"instance_of_{i}_"
        text = f"def {name}(self, cls):\n    return {' or '.join(are) or 'False'}\n"
        return self._function(name, text)

    def same(self, name: str, op: str) -> Any:
        """Is the instance another value, which may be one of the family?"""
        text = f"def {name}(self, other):\n"
        for i in range(len(self.classes)):
            text += f"    a{i} = self.{_place(i)}\n    if a{i} is not None:\n"
            text += f"        return a{i} {op} other\n"
        return self._function(name, text + "    raise TypeError('no instance')\n")


def _parameters(f: Any) -> tuple[list[str], Any] | None:
    """Names and defaults of what a method takes, where these are all that there is to tell."""
    first = 0 if isinstance(f, staticmethod) else 1
    f = getattr(f, "__func__", f)
    params = list(inspect.signature(f).parameters.values())[first:]
    plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in params)
    defaults = f.__defaults__
    simple = defaults is None or all(
        type(d) in (int, float, bool, str, type(None)) for d in defaults
    )
    return ([p.name for p in params], defaults) if plain and simple else None
