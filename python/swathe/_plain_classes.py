# SPDX-License-Identifier: BSD-3-Clause
"""Plain classes, whose objects are copied in and out (``py/object.c``): dataclasses, and classes
that annotate their attributes. What the compiler is told of one is what `_swathe_class` has of a
compiled class."""

from __future__ import annotations

import ast
import collections
import collections.abc
import sys
import types as _pytypes
import typing
import weakref
from typing import Any

from . import _cached, _class_data, _core, _enums, _views
from ._class_data import is_written
from ._class_ways import (
    add_copies,
    add_iterated,
    begin_with,
    nodes_of,
    not_equal,
    refuse_abstract,
    tree_of,
)
from ._classes import (
    _PLAIN,
    _REFUSED,
    _SELF,
    BASES,
    METACLASSES,
    _add_stored,
    _compiled_side,
    _defaults,
    _fields,
    _inner,
    _members,
    _methods,
    _Names,
    _np,
    _surely_set,
    _with_self,
    chosen,
)

_COMPILED = (
    "swathe._re",
    "swathe._files",
    "swathe._modules",
    "swathe._memoryview",
    "swathe._functools",
    "swathe._polynomials",
    "swathe._text_arrays",
)  # modules of ours whose classes are such
_plain: Any = weakref.WeakKeyDictionary()
_arrays: Any = weakref.WeakKeyDictionary()  # of a class the fields that are arrays or None
_members_of: Any = weakref.WeakKeyDictionary()  # what a class had when it was described
_untold: Any = weakref.WeakSet()  # classes that don't declare all that they store


def plain(cls: type) -> Any:
    """Return what the compiler is told of a dataclass, or of a class with annotations; or None."""
    try:
        found = _plain.get(cls, _plain)
        if found is _plain:
            found = _plain[cls] = _describe(cls)
            if found:
                _members_of[cls] = _all_members(cls)
    except TypeError:
        return None
    return found


def renew(cls: type) -> None:
    """Describe a class anew that has got other members since, and those that stand for it."""
    cls = getattr(cls, "_swathe_generic", cls)
    was = _members_of.get(cls)
    if was is None or _are_same(was, _all_members(cls)):
        return
    del _plain[cls]
    _untold.discard(cls)
    for c in list(_plain):  # one may have been made with this one
        vars(c).get("_swathe_graphs", {}).clear()
    found = plain(cls)
    for new in vars(cls).get("_swathe_made", {}).values():
        fields = _plain[new][0]
        if found and [f[0] for f in fields] == [f[0] for f in found[0]]:
            _plain[new] = (fields, *found[1:])


def _are_same(was: list[Any], now: list[Any]) -> bool:
    pairs = zip(was, now, strict=False)
    return len(was) == len(now) and all(x[0] is y[0] and x[1] is y[1] for x, y in pairs)


def forget(cls: type) -> None:
    """Take objects of a class, and of those derived from it, for plain ones no more."""
    for found in [c for c in _plain if issubclass(c, cls)]:
        _plain[found] = None
    _core.objects_forget()


def _all_members(cls: type) -> list[tuple[str, Any]]:
    bases = (b for b in cls.__mro__ if b is not object)
    return [(k, v) for b in bases for k, v in vars(b).items() if not k.startswith("_swathe")]


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
    if origin is tuple and Ellipsis in args or t in (list, dict, tuple, bytearray):
        return True
    if origin in (list, dict, tuple):
        found = any(is_open(a, names) for a in args)
        _arrays.get(names.cls, set()).discard(names.field)
        return found
    found = t is _np().ndarray or origin is _np().ndarray
    if found:
        _arrays.setdefault(names.cls, set()).add(names.field)
    return found


def is_any(t: Any, names: _Names) -> bool:
    """Does it leave open which class a value is of, or what a container holds: a base class,
    several ones, `Any`, `list`? What is held tells the type, as where nothing is declared."""
    found = _is_any(t, names)
    if found:
        _untold.add(names.cls)
    return found


# What a field may hold, and no declaration says fully.
_HELD = (frozenset, collections.deque, collections.defaultdict, collections.OrderedDict,
         collections.Counter)  # fmt: skip


def _is_any(t: Any, names: _Names) -> bool:
    if isinstance(t, typing.ForwardRef):
        t = t.__forward_arg__
    if isinstance(t, str):
        try:
            t = eval(t, {"__builtins__": {}}, names)  # noqa: S307 - the class's own annotation
        except Exception:
            return False
        if isinstance(t, str):
            return False
    if t in (typing.Any, object, list, dict, set, callable) or isinstance(t, typing.TypeVar):
        return True
    t = names.cls if t is _SELF else t
    origin, args = typing.get_origin(t), typing.get_args(t)
    if t is set or t in _HELD or origin in _HELD or (origin or t) is collections.abc.Callable:
        return True
    if origin is typing.Union or origin is getattr(_pytypes, "UnionType", ()):
        several = sum(a is not type(None) for a in args) > 1
        return (
            several and not any(a in _PLAIN for a in args) or any(_is_any(a, names) for a in args)
        )
    if origin in (list, dict, set, tuple):
        return any(_is_any(a, names) for a in args)
    return isinstance(t, type) and _is_base(t)


def _is_base(cls: type) -> bool:
    """May an instance be of a class derived from it?"""
    if _is_foreign(cls) or issubclass(cls, (tuple, BaseException)) or _enums.is_enum(cls):
        return False
    derived = (c for c in cls.__subclasses__() if "_swathe_generic" not in c.__dict__)
    return any(derived) or getattr(cls, "_is_protocol", False)


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
    if is_untold(cls):
        from ._plain_graphs import class_of

        return class_of(o)
    types: list[Any] = []
    for name, desc, *_ in plain(cls)[0]:
        try:
            value = _cached.own(o, name)
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
    if desc is None and value is not None or isinstance(desc, tuple) and value and holds_open(desc):
        return _of_value(value)
    if isinstance(desc, type) and type(value) is desc and plain(desc):
        return of_instance(value)
    return desc or "none"


def holds_open(desc: Any, seen: tuple[Any, ...] = ()) -> bool:
    if isinstance(desc, tuple):
        return any(holds_open(d, seen) for d in desc[2 if desc[0] in ("named", "family") else 1 :])
    if not isinstance(desc, type) or desc in seen:
        return desc is None
    return any(holds_open(f[1], (*seen, desc)) for f in plain(desc)[0])


def is_untold(cls: type, depth: int = 8) -> bool:
    """Is it a class that doesn't declare all that it stores, or one with instances of such?"""
    found = plain(cls)
    if not found or cls in _untold:
        return bool(found)
    fields = (f[1] for f in found[0])
    return depth > 0 and any(_names_untold(t, cls, depth - 1) for t in fields)


def is_told(cls: type) -> bool:
    """Does it declare all, and does what it holds?"""
    return not is_untold(cls) and not holds_open(cls)


def _names_untold(desc: Any, cls: type, depth: int) -> bool:
    if isinstance(desc, tuple):
        return any(_names_untold(d, cls, depth) for d in desc[1:])
    return isinstance(desc, type) and desc is not cls and is_untold(desc, depth)


_KNOWN = {**_PLAIN, str: "str", bytes: "bytes", bytearray: "bytearray"}


def _of_value(value: Any, inside: bool = False) -> Any:
    """Return the type of what a field holds; inside: of a container, whose arrays have any
    strides."""
    t = type(value)
    if t in _KNOWN:
        return _KNOWN[t]
    if isinstance(value, _np().generic):
        return _core.type_text(value.dtype.name)
    if t is tuple and value:
        return ("tuple", *(_of_value(v, inside) for v in value))
    if _enums.is_enum(t):
        return ("named", _enums.class_of(t), "int")
    if isinstance(value, tuple) and getattr(t, "_fields", ()):
        return ("named", t, *(_of_value(v, inside) for v in value))
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
            kept = "" if value.flags.writeable else "readonly "
            return _core.type_text(f"{kept}{value.dtype.name}[{','.join(axes)}]")
        except TypeError:
            raise TypeError(f"is an array of {value.dtype}, which has no type") from None
    if plain(t):
        return of_instance(value)
    if isinstance(value, (_np().random.Generator, _np().random.RandomState)):
        from ._generators import stand_in

        return _of_value(stand_in(value), inside)
    raise TypeError(f"is or holds a {t.__name__}, which is no type of a field")


def chosen_plain(cls: type, types: tuple[Any, ...]) -> type:
    if "_swathe_made" not in cls.__dict__:
        cls._swathe_made = {}  # type: ignore[attr-defined]
    made = cls.__dict__["_swathe_made"]
    if types not in made:
        new = graph_class(cls, types)
        graph_fields(new, cls, tuple(_inner(t, cls, new) for t in types))
    return made[types]


def graph_class(cls: type, key: Any) -> type:
    """Return the class that stands for this one by that key, whose fields may be told yet."""
    if "_swathe_made" not in cls.__dict__:
        cls._swathe_made = {}  # type: ignore[attr-defined]
    made = cls.__dict__["_swathe_made"]
    if key not in made:
        new = made[key] = type(cls)(cls.__name__, (cls,), {"_swathe_generic": cls})
        new.__module__, new.__qualname__ = cls.__module__, cls.__qualname__
    return made[key]


def graphs(cls: type) -> Any:
    """Return what has been made of classes that are told of together, of which this is the first:
    by what is told."""
    if "_swathe_graphs" not in cls.__dict__:
        cls._swathe_graphs = {}  # type: ignore[attr-defined]
    return cls.__dict__["_swathe_graphs"]


def graph_fields(new: type, cls: type, types: tuple[Any, ...]) -> None:
    """Say of what types the fields are of a class that stands for another."""
    fields, *rest = plain(cls)
    learns = (f[1] is None and cls in _untold for f in fields)
    found = zip(fields, types, learns, strict=True)
    is_ = ((f[0], ("learns", t) if more else t, *f[2:]) for f, t, more in found)
    _plain[new] = (tuple(is_), *rest)
    _core.objects_forget()


# Objects that stand for arrays: their memory is taken, not their attributes.
_SHARES = ("__array__", "__array_interface__", "__cuda_array_interface__", "__dlpack__")


def _is_foreign(cls: type) -> bool:
    return (
        type(cls) not in METACLASSES
        or any(map(_is_others, cls.__mro__))
        or any(hasattr(cls, name) for name in _SHARES)
        or _views.is_known(cls)
    )


def _is_others(base: type) -> bool:
    module = base.__module__.partition(".")[0]
    return base not in BASES and (
        issubclass(base, _core.Instance)
        or (module in ("builtins", "swathe", "numpy") and base.__module__ not in _COMPILED)
        or module in sys.stdlib_module_names
        and module != "__main__"
    )


def _describe(cls: type) -> Any:
    if _is_foreign(cls):
        return None
    members = _members(cls)
    made = False
    try:
        _class_data.write(cls, members)
    except TypeError:  # compiled code makes none but of all its fields
        made = True
        members = {k: v for k, v in _members(cls).items() if not is_written(v)}
        _class_data.write(cls, members, compares=True)
    members = {k: v for k, v in members.items() if not is_written(v)}
    _cached.write(cls, members)
    if any(k in members for k in _REFUSED):
        return None
    try:
        fields = _fields(cls, None, members, told=False)
        told = len(fields)
        names = _Names(cls, members)
        names.told = False
        _add_stored(cls.__name__, members, fields, names)
        defaults = _defaults(cls, fields, members)
        init = members.get("__init__")
        sure = set(fields) if made else _surely_set(init, fields, members) if init else set()
        if defaults:
            begin_with(cls, defaults, members)
            sure |= set(defaults)
    except TypeError:
        return None
    if not fields and not members:
        return None
    known = []
    of_data = getattr(cls, "__dataclass_fields__", {})
    for f, d in fields.items():
        one = (f, _with_self(d, cls), f not in sure)
        own = of_data.get(f) if made else None
        if own is not None and (own.kw_only or not own.init):
            return None
        missing = own is None or isinstance(own.default, type(dataclasses_missing()))
        known.append(one if missing else (*one, own.default))
    refuse_abstract(cls, members)
    hashed = next((d["__hash__"] for d in map(vars, cls.__mro__) if "__hash__" in d), None)
    if isinstance(hashed, _pytypes.FunctionType) and not is_written(hashed):
        members["__hash__"] = hashed
    unhashable = cls.__hash__ is None and "__eq__" not in members
    add_iterated(cls.__name__, members)
    not_equal(members)
    add_copies(cls, known, members)
    if len(fields) > told:
        _untold.add(cls)
    kept = {k: _compiled_side(k, v) for k, v in members.items()} | defaults
    if issubclass(cls, typing.Generic):  # type: ignore[arg-type]
        kept["__class_getitem__"] = None
    for name in [*_counted(cls, members), *(["__hash__"] if unhashable else [])]:
        kept[name] = None
    return (tuple(known), kept, made, _class_data.frozen(cls), True, True)


def _is_function(f: Any) -> bool:
    return isinstance(f, _pytypes.FunctionType)


def has_one(cls: type, method: Any, holder: type, name: str, store: bool) -> bool:
    """Is what a method of `cls` asks its first argument for, by this name, what `holder` has in all
    classes that have the method? A store must find no derived class."""
    cls = getattr(cls, "_swathe_generic", cls)
    owner = next((c for c in cls.__mro__ if _has_method(c, method)), None)
    code = getattr(method, "__code__", None)
    if owner is None or not code or not issubclass(owner, holder):
        return False
    tree = tree_of(method)
    me = code.co_varnames[0] if code.co_argcount else ""
    for n in ast.walk(tree) if tree else ():
        if isinstance(n, ast.Name) and n.id == me and not isinstance(n.ctx, ast.Load):
            return False
    classes = _derived(owner)
    if not tree or (store and (len(classes) > 1 or owner is not holder)):
        return False
    return all(_holds(c, holder, name) for c in classes)


def _has_method(cls: type, method: Any) -> bool:
    for v in vars(cls).values():
        both = (v.fget, v.fset) if isinstance(v, property) else (getattr(v, "__func__", v),)
        if method in both:
            return True
    return False


def _derived(cls: type) -> list[type]:
    found = [cls]
    for c in cls.__subclasses__():
        found += [] if "_swathe_generic" in vars(c) else _derived(c)
    return found


def _holds(cls: type, holder: type, name: str) -> bool:
    """Is it the holder's in this class, and no instance's?"""
    has = next(c for c in cls.__mro__ if name in vars(c))
    found = plain(cls)
    return has is holder and bool(found) and all(f[0] != name for f in found[0])


def _counted(cls: type, members: dict[str, Any]) -> set[str]:
    """Names of what methods store in the class: no constants."""
    found = set()
    of_class = [f.__func__ for f in members.values() if isinstance(f, classmethod)]
    for f in [*_methods(members), *filter(_is_function, of_class)]:
        me = f.__code__.co_varnames[0] if f.__code__.co_argcount and f not in of_class else ""
        tree = tree_of(f)
        for n in nodes_of(tree) if tree else ():
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store):
                own = isinstance(n.value, ast.Name) and n.value.id == me
                found |= set() if own else {n.attr}
    return {k for k in found if k in members and not hasattr(members[k], "__get__")}


def dataclasses_missing() -> Any:
    """What a field of a dataclass has for a default when it has none."""
    import dataclasses

    return dataclasses.MISSING
