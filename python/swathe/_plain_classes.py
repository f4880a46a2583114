# SPDX-License-Identifier: BSD-3-Clause
"""Plain classes, whose objects are copied in and out (``py/object.c``): dataclasses, and classes
that annotate their attributes. What the compiler is told of one is what `_swathe_class` has of a
compiled class."""

from __future__ import annotations

import sys
import types as _pytypes
import typing
import weakref
from typing import Any

from . import _core
from ._class_data import is_written, write
from ._class_ways import not_equal
from ._classes import (
    _REFUSED,
    _compiled_side,
    _fields,
    _inner,
    _members,
    _Names,
    _np,
    _surely_set,
    _with_self,
    chosen,
)

_COMPILED = ("swathe._re", "swathe._files")  # modules of ours whose classes are such
_plain: Any = weakref.WeakKeyDictionary()
_arrays: Any = weakref.WeakKeyDictionary()  # of a class the fields that are arrays or None


def plain(cls: type) -> Any:
    """Return what the compiler is told of a dataclass, or of a class with annotations; or None."""
    try:
        found = _plain.get(cls, _plain)
        if found is _plain:
            found = _plain[cls] = _describe(cls)
    except TypeError:
        return None
    return found


def is_open(t: Any, names: _Names) -> bool:
    """Is it an array, or one or None, with nothing said of its axes, or does it hold such?"""
    if isinstance(t, str):
        try:
            t = eval(t, {"__builtins__": {}}, names)  # noqa: S307 - the class's own annotation
        except Exception:
            return False
    origin, args = typing.get_origin(t), typing.get_args(t)
    if origin is typing.Union or origin is getattr(_pytypes, "UnionType", ()):
        rest = [a for a in args if a is not type(None)]
        return len(rest) == 1 and is_open(rest[0], names)
    if origin is tuple and Ellipsis in args or t in (list, dict, tuple):
        return True
    if origin in (list, dict, tuple):
        found = any(is_open(a, names) for a in args)
        _arrays.get(names.cls, set()).discard(names.field)
        return found
    found = t is _np().ndarray or origin is _np().ndarray
    if found:
        _arrays.setdefault(names.cls, set()).add(names.field)
    return found


def unfit(o: Any) -> str | None:
    """Return which field it is whose type makes its class, or the object, none of these."""
    cls = type(o)
    try:
        if not _is_foreign(cls):
            _fields(cls, None, {}, told=False)
        if plain(cls):
            of_instance(o)
    except TypeError as e:
        return str(e).removeprefix("jitclass(): ")
    return None


def of_instance(o: Any) -> type:
    """Return the class that stands for that of an object whose fields hold arrays of any kind: one
    for each choice of their dtypes and axes."""
    cls = type(o)
    types: list[Any] = []
    for name, desc, *_ in plain(cls)[0]:
        try:
            value = getattr(o, name, None)
            if desc is None and not _is_array(cls, name, value):
                raise TypeError(f"is of type {type(value).__name__}, and is to be an array")
            types.append(_of_field(desc, value))
        except TypeError as e:
            raise TypeError(f"field '{name}' of {cls.__name__} {e}") from None
    known = [f[1] for f in plain(cls)[0]]
    return cls if types == known else chosen(cls, tuple(types))


def _is_array(cls: type, name: str, value: Any) -> bool:
    """Is it one, or None, where the class says so?"""
    said = any(name in _arrays.get(c, ()) for c in cls.__mro__)
    return not said or value is None or isinstance(value, _np().ndarray)


def _of_field(desc: Any, value: Any) -> Any:
    if (
        desc is None
        and value is not None
        or isinstance(desc, tuple)
        and value
        and _holds_open(desc)
    ):
        return _of_value(value)
    if isinstance(desc, type) and type(value) is desc and plain(desc):
        return of_instance(value)
    return desc or "none"


def _holds_open(desc: Any) -> bool:
    if isinstance(desc, tuple):
        return any(map(_holds_open, desc[1:]))
    return desc is None or isinstance(desc, type) and any(_holds_open(f[1]) for f in plain(desc)[0])


_NUMBERS = {bool: "bool", int: "int64", float: "float64", complex: "complex128", str: "str"}


def _of_value(value: Any, inside: bool = False) -> Any:
    """Return the type of what a field holds; inside: of a container, whose arrays have any
    strides."""
    t = type(value)
    if t in _NUMBERS:
        return _NUMBERS[t]
    if t is tuple and value:
        return ("tuple", *(_of_value(v, inside) for v in value))
    if t in (list, dict):
        columns = [value] if t is list else [value.keys(), value.values()]
        kinds = [{_of_value(v, True) for v in c} for c in columns]
        if not value:
            raise TypeError(f"is an empty {t.__name__}, and nothing says what it is to hold")
        if any(len(k) > 1 for k in kinds):
            raise TypeError(f"is a {t.__name__} of unlike values")
        return (t.__name__, *(k.pop() for k in kinds))
    if isinstance(value, _np().ndarray):
        c, f = value.flags.c_contiguous, value.flags.f_contiguous
        axes = [":"] * value.ndim
        if axes and (c or f) and not inside:
            axes[-1 if c else 0] = "::1"
        try:
            return _core.type_text(f"{value.dtype.name}[{','.join(axes)}]")
        except TypeError:
            raise TypeError(f"is an array of {value.dtype}, which has no type") from None
    if plain(t):
        return of_instance(value)
    raise TypeError(f"is or holds a {t.__name__}, which is no type of a field")


def chosen_plain(cls: type, types: tuple[Any, ...]) -> type:
    if "_swathe_made" not in cls.__dict__:
        cls._swathe_made = {}  # type: ignore[attr-defined]
    made = cls.__dict__["_swathe_made"]
    if types not in made:
        fields, *rest = plain(cls)
        new = made[types] = type(cls)(cls.__name__, (cls,), {"_swathe_generic": cls})
        new.__module__, new.__qualname__ = cls.__module__, cls.__qualname__
        is_ = ((f[0], _inner(t, cls, new), *f[2:]) for f, t in zip(fields, types, strict=True))
        _plain[new] = (tuple(is_), *rest)
    return made[types]


def _is_foreign(cls: type) -> bool:
    module = cls.__module__.partition(".")[0]
    return (
        issubclass(cls, (_core.Instance, BaseException, tuple, dict, list, int, float, str))
        or type(cls) is not type
        or (module in ("builtins", "swathe", "numpy") and cls.__module__ not in _COMPILED)
        or module in sys.stdlib_module_names
        and module != "__main__"
    )


def _describe(cls: type) -> Any:
    params = getattr(cls, "__dataclass_params__", None)
    if _is_foreign(cls):
        return None
    members = {k: v for k, v in _members(cls).items() if not is_written(v)}
    write(cls, members, compares=True)
    if any(k in members for k in _REFUSED):
        return None
    try:
        fields = _fields(cls, None, members, told=False)
    except TypeError:
        return None
    if not fields:
        return None
    made = params is not None and params.init and "__init__" not in members
    init = members.get("__init__")
    sure = set(fields) if made else _surely_set(init, fields, members) if init else set()
    known = []
    defaults = getattr(cls, "__dataclass_fields__", {})
    for f, d in fields.items():
        one = (f, _with_self(d, cls), f not in sure)
        own = defaults.get(f)
        if own is not None and (own.kw_only or not own.init):
            return None
        missing = own is None or isinstance(own.default, type(dataclasses_missing()))
        known.append(one if missing else (*one, own.default))
    for f in fields:
        if f in members and params is None:
            return None
        members.pop(f, None)
    not_equal(members)
    kept = {k: _compiled_side(k, v) for k, v in members.items()}
    frozen = params is not None and params.frozen
    return (tuple(known), kept, made, frozen, True, True)


def dataclasses_missing() -> Any:
    """What a field of a dataclass has for a default when it has none."""
    import dataclasses

    return dataclasses.MISSING
