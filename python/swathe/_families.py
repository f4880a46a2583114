# SPDX-License-Identifier: BSD-3-Clause
"""Instances of unlike classes, where compiled code has one or another.

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
from ._plain_classes import plain

_made: Any = weakref.WeakValueDictionary()

# What Python calls by itself, and what else is asked with how many arguments.
_SPECIAL = {
    "__call__": None, "__len__": 0, "__bool__": 0, "__abs__": 0, "__neg__": 0, "__pos__": 0,
    "__hash__": 0, "__round__": None, "__next__": 0,
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
# What one of two operands may leave to the other.
_OPERATORS = {
    "__add__": "+", "__sub__": "-", "__mul__": "*", "__truediv__": "/", "__floordiv__": "//",
    "__mod__": "%", "__pow__": "**", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=",
    "__eq__": "==", "__ne__": "!=",
}  # fmt: skip
_MOST = 60  # classes: each is a bit
_IS, _IS_NOT = "return {} is other", "return {} is not other"
# As tuples have them, and instances without such a method have not.
_NOT_OF_TUPLES = ("__getitem__", "__contains__", "__add__", "__mul__", "__rmul__")
_NO_ORDER = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")


def family(
    a: type, b: type, classes: list[type | None], pairs: list[tuple[type, type]]
) -> tuple[type, tuple[int, ...]] | None:
    """Return the class of tuples for these two and all that a value of them may be besides, and
    which of the classes of a program these are. Classes with a common base belong together, and so
    do others that the program has met as one value, which are pairs. None: there is not one class
    for each of them, or there are too many."""
    group = _group(a, b, [c for c in classes if c is not None], pairs)
    members = [i for i, c in enumerate(classes) if c is not None and c in group]
    key = tuple(classes[i] for i in members)
    if len({*map(_generic, key)}) < len(key) or len(key) > _MOST:
        return None
    found = _made.get(key)
    if found is None:
        found = _made[key] = _make(_base(a, b), [_generic(c) for c in key])
    return found, tuple(members)


def of_classes(classes: tuple[type, ...]) -> type:
    """Return the class of tuples for instances of these, which is what Python's objects tell."""
    first: Any = classes[0]
    if "_swathe_families" not in first.__dict__:
        first._swathe_families = {}
    known = first.__dict__["_swathe_families"]
    if classes not in known:
        base = _base(first, classes[1])
        for c in classes[2:]:
            base = base if issubclass(c, base) else _base(base, c)
        found = _made.get(classes) or _make(base, [_generic(c) for c in classes])
        found._swathe_family = classes
        known[classes] = _made[classes] = found
    return known[classes]


def _group(a: type, b: type, classes: list[type], pairs: list[tuple[type, type]]) -> set[type]:
    group = _with_base(a, b, classes)
    n = 0
    while len(group) > n:
        n = len(group)
        for x, y in pairs:
            if x in group or y in group:
                group |= _with_base(x, y, classes)
    return group


def _with_base(a: type, b: type, classes: list[type]) -> set[type]:
    """These two, or all that have what is a base of both."""
    base = _base(a, b)
    return {a, b} if base is object else {c for c in classes if issubclass(c, base)}


def _base(a: type, b: type) -> type:
    return next((c for c in _generic(a).__mro__ if _is_base(c) and issubclass(b, c)), object)


def _generic(cls: type) -> type:
    return cls.__dict__.get("_swathe_generic", cls)


def _told(cls: type) -> Any:
    """What the compiler is told of a class of instances, or of objects."""
    return cls.__dict__.get("_swathe_class") or plain(cls)


def _is_base(cls: type) -> bool:
    return cls is not object and _generic(cls) is cls and bool(_told(cls))


def _has(cls: type) -> dict[str, Any]:
    fields, members = _told(cls)[:2]
    found = {k: v for k, v in members.items() if k.isidentifier() and v is not None}
    return {**found, **{f[0]: None for f in fields}}


def _make(base: type, classes: list[type]) -> Any:
    fields = [(_place(i), object) for i in range(len(classes))]
    known = base if base is not object else classes[0]
    made: Any = typing.NamedTuple(known.__name__, fields)  # type: ignore[misc]
    made.__module__ = known.__module__
    if base is object:
        made.__name__ = made.__qualname__ = " or ".join(c.__name__ for c in classes)
    made._swathe_restored = staticmethod(lambda t: next(x for x in tuple(t) if x is not None))
    of = [_has(c) for c in classes]
    writer = _Writer(base, classes, of)
    of = [of[i] for i in writer.there]
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
    for name, asks in (("__str__", ("__str__", "__repr__")), ("__repr__", ("__repr__",))):
        if all(any(_is_method(names.get(k)) for k in asks) for names in of):
            setattr(made, name, writer.same(name, f"return {name.strip('_')}({{}})"))
    for name, (mirrored, op) in _MIRRORED.items():
        if name in made.__dict__ and not any(mirrored in names for names in of):
            setattr(made, mirrored, writer.same(mirrored, f"return other {op} {{}}"))
    own = any("__eq__" in names or "__ne__" in names for names in of)
    for name, one in (("__eq__", _IS), ("__ne__", _IS_NOT)):
        # without such a method, it is the other one that is asked, and then whether both are one
        if not all(name in names for names in of):
            do = f"return {{}} {_OPERATORS[name]} other" if own else one
            setattr(made, name, writer.same(name, do))
    made.instance_is_ = writer.same("instance_is_", _IS)
    made.instance_is_not_ = writer.same("instance_is_not_", _IS_NOT)
    for name in (*_NOT_OF_TUPLES, *_NO_ORDER, "index", "count", "_replace", "_asdict"):
        if name not in made.__dict__:
            setattr(made, name, writer.nothing(name))
    made.instance_in_, made.class_name_ = writer.is_one_of(), writer.class_name()
    made.instance_like_ = writer.likeness("instance_like_", "")
    made.instance_unlike_ = writer.likeness("instance_unlike_", "not ")
    return made


def _place(i: int) -> str:
    return f"instance_{i}_"


def _is_method(v: Any) -> bool:
    kinds = (_pytypes.FunctionType, staticmethod, classmethod)
    return isinstance(v, kinds) and not is_generator(v)


class _Writer:
    """Writes functions that look which instance is there."""

    def __init__(self, base: type, classes: list[type], of: list[dict[str, Any]]) -> None:
        self.base = base if base is not object else classes[0]
        self.classes, self.of = classes, of
        # no instance is one of an abstract class itself
        made = [i for i, c in enumerate(classes) if not getattr(c, "__abstractmethods__", None)]
        self.there = made or list(range(len(classes)))

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
        for i in self.there:
            cls, names = self.classes[i], self.of[i]
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
        return [self.of[i] for i in self.there if name in self.of[i]]

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
        op = _OPERATORS.get(name)
        do = f"return {{}} {op} other" if op else f"return {{}}.{name}({args})"
        each = self._each(name, do)
        return self._function(name, f"def {name}(self, {args}):\n" + each)

    def nothing(self, name: str) -> Any:
        what = f"'{self.base.__name__}' object has no {name}"
        text = f"def {name}(self, *args):\n    raise AttributeError({what!r})\n"
        if name.startswith("__"):
            text = f"def {name}(self, other):\n    raise TypeError({what!r})\n"
        return self._function(name, text)

    def is_one_of(self) -> Any:
        """Is the instance of one of these classes, which are bits? `none`: what to say of None."""
        text = "def instance_in_(self, members, none):\n    if self is None:\n        return none\n"
        for i in self.there:
            text += (
                f"    if self.{_place(i)} is not None:\n        return members >> {i} & 1 != 0\n"
            )
        return self._function("instance_in_", text + "    return False\n")

    def likeness(self, name: str, word: str) -> Any:
        """Is the other one, of the same family, of the same class? `word`: what says so."""
        text = f"def {name}(self, other):\n    if self is None or other is None:\n"
        text += f"        return {word}(self is None and other is None)\n"
        for i in range(len(self.classes)):
            text += f"    if self.{_place(i)} is not None:\n"
            text += f"        return {word}(other.{_place(i)} is not None)\n"
        return self._function(name, text + "    return False\n")

    def class_name(self) -> Any:
        text = "def class_name_(self):\n"
        for i in self.there:
            name = self.classes[i].__name__
            text += f"    if self.{_place(i)} is not None:\n        return {name!r}\n"
        return self._function("class_name_", text + "    raise TypeError('no instance')\n")

    def same(self, name: str, do: str) -> Any:
        """What is done with any instance in the same way, perhaps with another value."""
        text = f"def {name}(self{', other' if 'other' in do else ''}):\n"
        for i in self.there:
            text += f"    a{i} = self.{_place(i)}\n    if a{i} is not None:\n"
            text += f"        {do.format(f'a{i}')}\n"
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
