# SPDX-License-Identifier: BSD-3-Clause
"""Compiled classes that are dataclasses: what the decorator `dataclass` has written has no text, so
the same is written here, and compiled like any other method."""

from __future__ import annotations

import dataclasses
import types as _pytypes
from typing import Any

from . import _functools
from ._class_ways import function

# What it writes for Python alone; a frozen class refuses stores by itself.
_FOR_PYTHON = ("__setattr__", "__delattr__", "__replace__", "__getstate__", "__setstate__")
_COMPARES = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_EMPTY = {list: "[]", dict: "{}", set: "set()", float: "0.0", int: "0", bool: "False", str: "''"}


def is_written(v: Any) -> bool:
    """Has the dataclass decorator written it?"""
    f = getattr(v, "__wrapped__", v)
    return (
        isinstance(f, _pytypes.FunctionType)
        and f.__code__.co_filename == "<string>"
        or getattr(f, "__module__", None) in ("dataclasses", "reprlib")
    )


def frozen(cls: type) -> bool:
    """Is it a dataclass whose fields stay as they are, or derived from one?"""
    params = getattr(cls, "__dataclass_params__", None)
    return params is not None and params.frozen


def write(cls: type, members: dict[str, Any], compares: bool = False) -> None:
    """Put what can be compiled in the place of what the decorator has written: all, or comparisons
    alone."""
    if "__dataclass_params__" not in cls.__dict__:
        return
    for name in _FOR_PYTHON:
        if is_written(members.get(name)):
            del members[name]
    fields = list(dataclasses.fields(cls))  # type: ignore[arg-type]
    ns: dict[str, Any] = {"__name__": cls.__module__}
    texts = {"__init__": lambda: _init(cls, members, ns)}
    compared = [f.name for f in fields if f.compare]
    texts["__eq__"] = lambda: _compare("__eq__", _equal(compared), "return False")
    for name, op in _COMPARES.items():
        mine, other = (_tuple(who, compared) for who in ("self", "other"))
        what = f"'{op}' not supported between instances of another class and '{cls.__name__}'"
        texts[name] = lambda name=name, body=f"{mine} {op} {other}", what=what: _compare(
            name, body, f'raise TypeError("{what}")'
        )
    shown = ", ".join(f"{f.name}={{self.{f.name}!r}}" for f in fields if f.repr)
    of = cls.__qualname__
    texts["__repr__"] = lambda: f"def __repr__(self):\n    return f{f'{of}({shown})'!r}\n"
    hashed = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
    texts["__hash__"] = lambda: f"def __hash__(self):\n    return hash({_tuple('self', hashed)})\n"
    texts_of = {"replaced": _replaced(cls), "dict": _parts(fields, "dict")}
    for how, made in {**texts_of, "tuple": _parts(fields, "tuple")}.items():
        name = f"dataclass_{how}_"
        space = {**ns, "part": getattr(_functools, f"{how}_part", None)}
        members[name] = function(name, made, space, f"<swathe {cls.__module__}.{of}.{name}>")
        members[name].__qualname__ = f"{of}.{name}"
    for name, text in texts.items():
        own = cls.__dict__.get(name)
        if is_written(own) and not (compares and name in ("__init__", "__hash__")):
            file = f"<swathe {cls.__module__}.{cls.__qualname__}.{name}>"
            made = function(name, text(), ns, file)
            made.__qualname__ = f"{cls.__qualname__}.{name}"
            members[name] = made


def for_python(cls: type, ns: dict[str, Any]) -> None:
    """Add what `dataclasses.fields`, `replace` and `pickle` ask for."""
    for name in ("__dataclass_fields__", "__dataclass_params__", "__match_args__"):
        if name in cls.__dict__:
            ns[name] = cls.__dict__[name]
    if frozen(cls):
        ns["__setattr__"], ns["__delattr__"] = _refuse_store, _refuse_delete
        ns.setdefault("__setstate__", _setstate_frozen)


def _refuse_store(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _setstate_frozen(self: Any, state: Any) -> None:
    for name, v in state.items():
        getattr(type(self), name).__set__(self, v)


def is_no_field(t: Any) -> bool:
    """Is it the annotation of what only __init__ is given, or of a mark?"""
    if isinstance(t, str):
        return t.removeprefix("dataclasses.").startswith(("InitVar", "KW_ONLY"))
    only = t is dataclasses.InitVar or t is dataclasses.KW_ONLY
    return only or isinstance(t, dataclasses.InitVar)


def _tuple(who: str, names: list[str]) -> str:
    return f"({''.join(f'{who}.{n}, ' for n in names)})"


def _equal(names: list[str]) -> str:
    return " and ".join(f"self.{n} == other.{n}" for n in names) or "True"


def _compare(name: str, body: str, otherwise: str) -> str:
    there = "other is not None and " if name == "__eq__" else ""
    return (
        f"def {name}(self, other):\n"
        f"    if {there}type(other) is type(self):\n"
        f"        return {body}\n"
        f"    {otherwise}\n"
    )


def _parts(fields: list[Any], how: str) -> str:
    """The text of what dataclasses.asdict and astuple call."""
    named = how == "dict"
    text = "".join(f"{f'{f.name!r}: ' if named else ''}part(self.{f.name}), " for f in fields)
    made = f"{{{text}}}" if named else f"({text})"
    return f"def dataclass_{how}_(self):\n    return {made}\n"


def _replaced(cls: type) -> str:
    """The text of what dataclasses.replace calls, of the changes by name."""
    args, known, text = [], [], "def dataclass_replaced_(self, **changes):\n"
    for f in dataclasses.fields(cls):  # type: ignore[arg-type]
        there = f"{f.name!r} in changes"
        if f.init:
            args.append(f"{f.name}=changes[{f.name!r}] if {there} else self.{f.name}")
            known.append(f"({there})")
        else:
            what = f"field {f.name} is declared with init=False, it cannot be specified with"
            text += f"    if {there}:\n        raise ValueError({what + ' replace()'!r})\n"
    what = f"{cls.__name__}.__init__() got an unexpected keyword argument"
    text += (
        f"    if len(changes) > {' + '.join(known) or '0'}:\n        raise TypeError({what!r})\n"
    )
    return text + f"    return type(self)({', '.join(args)})\n"


def _init(cls: type, members: dict[str, Any], ns: dict[str, Any]) -> str:
    """The text of an __init__: a parameter for each field, and what makes those that have none."""
    head, by_name, body, more = ["self"], [], [], []
    for f in cls.__dataclass_fields__.values():  # type: ignore[attr-defined]
        kind = getattr(f._field_type, "name", "")
        if kind == "_FIELD_CLASSVAR":
            continue
        only_init = kind == "_FIELD_INITVAR"
        if only_init:
            more.append(f.name)
        text = f.name
        if f.default is not dataclasses.MISSING:
            ns[f"default_{f.name}"] = f.default
            text += f"=default_{f.name}"
            value = f.name if f.init else f"default_{f.name}"
        elif f.default_factory is not dataclasses.MISSING:
            fresh = _EMPTY.get(f.default_factory, f"make_{f.name}()")
            ns[f"make_{f.name}"] = f.default_factory
            text += "=None"
            if f.init and ("None" in str(f.type) or "Optional" in str(f.type)):
                raise TypeError(
                    f"jitclass(): field '{f.name}' of {cls.__name__}: a default_factory of what "
                    "may be None is not compiled: write an __init__"
                )
            value = f"{fresh} if {f.name} is None else {f.name}" if f.init else fresh
        else:
            value = f.name
            if not f.init:
                continue
        if f.init:
            (by_name if f.kw_only else head).append(text)
        if not only_init:
            body.append(f"    self.{f.name} = {value}\n")
    if by_name:
        head += ["*", *by_name]
    if "__post_init__" in members:
        body.append(f"    self.__post_init__({', '.join(more)})\n")
    return f"def __init__({', '.join(head)}):\n{''.join(body) or '    pass'}\n"
