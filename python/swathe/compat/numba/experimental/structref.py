# SPDX-License-Identifier: BSD-3-Clause
"""``numba.experimental.structref``: structures with fields of any type.

A proxy becomes a class that `swathe.jitclass` compiles, without a spec: what a program stores in a
field tells its type. What Numba leaves to boxing and to attributes is there with it."""

from __future__ import annotations

from typing import Any

from swathe import jitclass

from ... import _named
from .. import _overloads, types
from ..core.errors import NumbaNotImplementedError

_MEMBERS: dict[type, dict[str, Any]] = {}  # of a class of types, what overload_method gives it
_MADE: dict[type, list[type]] = {}  # the compiled classes of a class of types


class _Proxy(type):
    def __instancecheck__(cls, x: object) -> bool:
        made = cls.__dict__.get("_swathe_is")
        return made is not None and isinstance(x, made) or type.__instancecheck__(cls, x)


class StructRefProxy(metaclass=_Proxy):
    """What classes of structures derive from; an instance is one of the compiled class."""

    def __new__(cls, *args: Any) -> Any:
        """Return a new structure.

        Raises
        ------
        TypeError
            `define_proxy` was not called for the class.
        """
        made = cls.__dict__.get("_swathe_is")
        if made is None:
            raise TypeError(f"{cls.__name__} has no fields: structref.define_proxy gives it some")
        return made(*args)


def register(struct_type: Any) -> Any:
    """Take a class of types that is derived from `types.StructRef`.

    Raises
    ------
    TypeError
        It is `types.StructRef` itself, or not derived from it.
    """
    is_derived = isinstance(struct_type, type) and issubclass(struct_type, types.StructRef)
    if not is_derived or struct_type is types.StructRef:
        raise TypeError(f"cannot register {struct_type!r}: derive a class from types.StructRef")
    _MEMBERS.setdefault(struct_type, {})
    return struct_type


def _asks_for_types(struct_type: Any, fields: list[str]) -> None:
    """Refuse a class of types that would change the types of fields."""
    some = tuple((name, types.Opaque(f"any {name}")) for name in fields)
    asked = types.StructRef.__new__(struct_type)
    if tuple(struct_type.preprocess_fields(asked, some)) != some:
        raise NumbaNotImplementedError(
            f"{struct_type.__name__}.preprocess_fields changes the types of fields: here what a "
            "program stores tells them"
        )


def _own(proxy: type, fields: list[str]) -> dict[str, Any]:
    """Return what a proxy's class defines for Python."""
    space = {k: v for base in reversed(proxy.__mro__[:-2]) for k, v in vars(base).items()}
    left = {"__new__", "__module__", "__qualname__", "__dict__", "__weakref__", "__doc__"}
    return {k: v for k, v in space.items() if k not in left and not k.startswith("_swathe")}


def define_constructor(proxy: Any, struct_type: Any, fields: Any) -> None:
    """Let compiled code make structures by calling the proxy's class."""
    names = list(fields)
    _asks_for_types(struct_type, names)
    body = "".join(f"        self.{name} = {name}\n" for name in names) or "        pass\n"
    text = f"class made:\n    def __init__({', '.join(['self', *names])}):\n{body}"
    space: dict[str, Any] = {"__name__": proxy.__module__}
    exec(compile(text, _named(text), "exec"), space)
    made = space["made"]
    made.__name__, made.__qualname__ = proxy.__name__, proxy.__qualname__
    made.__doc__ = proxy.__doc__
    made = jitclass(made)
    made._swathe_python = _own(proxy, names)
    for name, value in made._swathe_python.items():
        setattr(made, name, value)
    made._swathe_struct = struct_type
    _MADE.setdefault(struct_type, []).append(made)
    for name, member in _MEMBERS.setdefault(struct_type, {}).items():
        _give(made, name, member)
    proxy._swathe_is = made
    _overloads.STRUCTS[proxy.__name__] = struct_type


def define_attributes(struct_type: Any) -> None:
    """Let compiled code read and store fields, as it does anyway."""


def define_boxing(struct_type: Any, proxy: Any) -> None:
    """Let structures come from Python and return to it, as they do anyway.

    Raises
    ------
    TypeError
        The class is no proxy.
    """
    if not isinstance(proxy, _Proxy):
        raise TypeError("obj_class must be a subclass of StructRefProxy")


def define_proxy(proxy: Any, struct_type: Any, fields: Any) -> None:
    """Give a proxy's class its fields, by their names."""
    define_boxing(struct_type, proxy)
    define_constructor(proxy, struct_type, fields)


def new(*_: Any) -> Any:
    """Raise: it is for the bodies of intrinsics."""
    raise NumbaNotImplementedError(
        "numba.experimental.structref.new is for intrinsics: call the proxy's class"
    )


def _give(made: Any, name: str, member: Any) -> None:
    made._swathe_class[1][name] = member


def add_member(struct_type: type, name: str, member: Any) -> None:
    """Give all structures of a class of types a method, or a property, in compiled code."""
    _MEMBERS.setdefault(struct_type, {})[name] = member
    for made in _MADE.get(struct_type, ()):
        _give(made, name, member)


def typeof(value: Any) -> Any:
    """Return the type of a structure, with those of its fields; None: it is none."""
    struct_type = getattr(type(value), "_swathe_struct", None)
    if struct_type is None:
        return None
    said = [(f[0], f[1]) for f in type(value)._swathe_class[0]]
    text = [(n, t) for n, t in said if isinstance(t, str)]
    found = {n: _overloads.from_text(t) for n, t in text}
    return struct_type([(n, found.get(n) or types.Opaque(str(t))) for n, t in said])


__all__ = [
    "StructRefProxy",
    "define_attributes",
    "define_boxing",
    "define_constructor",
    "define_proxy",
    "new",
    "register",
]
