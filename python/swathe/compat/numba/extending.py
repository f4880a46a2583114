# SPDX-License-Identifier: BSD-3-Clause
"""What programs use of ``numba.extending``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from swathe._core import Dispatcher

from . import _overloads, types
from .core.errors import NumbaNotImplementedError


def register_jitable(func: Any = None, **_: Any) -> Any:
    """Leave a function as it is: compiled code may call any function in Python."""
    return (lambda f: f) if func is None else func


def overload(
    func: Any, jit_options: Any = None, prefer_literal: bool = False, **_: Any
) -> Callable[[Any], Any]:
    """Say what compiled code calls in place of a function: what the decorated one returns.

    It is asked for the types of each call, with objects of `types`, and returns a function, or None
    where another overload is to be asked. `jit_options` and the like choose nothing here. Functions
    of NumPy's and Python's own have the meaning that they have in Python: nobody is asked then.
    What asks for types of one value under `prefer_literal` is refused when it is called.

    Raises
    ------
    TypeError
        `func` is no function.
    """

    def register(chooser: Any) -> Any:
        if not _overloads.add(func, chooser, prefer_literal) and not callable(func):
            raise TypeError(f"overload(): {func!r} can't be given another meaning")
        return chooser

    return register


def is_jitted(func: Any) -> bool:
    """Return whether it is a compiled function."""
    return isinstance(func, Dispatcher)


def as_numba_type(t: Any) -> Any:
    """Return the type of the values that an annotation says: of a class, `list[T]`, `Optional[T]`.

    Raises
    ------
    TypingError
        For anything else.
    """
    import typing

    from .core.errors import TypingError

    known = {int: types.intp, float: types.float64, complex: types.complex128, bool: types.bool_}
    known.update({str: types.unicode_type, type(None): types.none})
    if isinstance(t, types.Type):
        return t
    origin, args = typing.get_origin(t), typing.get_args(t)
    if origin in (list, dict) and args:
        return (types.ListType if origin is list else types.DictType)(*map(as_numba_type, args))
    if origin is tuple and args and Ellipsis not in args:
        return types.Tuple(tuple(map(as_numba_type, args)))
    rest = [a for a in args if a is not type(None)]
    if args and len(rest) == 1 and len(args) == 2 and origin is not tuple:
        return types.optional(as_numba_type(rest[0]))
    if t not in known:
        raise TypingError(f"Cannot infer Numba type of Python type {t}")
    return known[t]


def get_cython_function_address(module_name: str, function_name: str) -> int:
    """Return the address of a C function that a Cython module exports.

    Raises
    ------
    ValueError
        There is no such function.
    """
    import ctypes
    import importlib

    exported = getattr(importlib.import_module(module_name), "__pyx_capi__", {})
    if function_name not in exported:
        raise ValueError(f"No function '{function_name}' found in __pyx_capi__ of '{module_name}'")
    capsule = exported[function_name]
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name(capsule)) or 0


def _refused(name: str, instead: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        text = f"numba.extending.{name} is for Numba's own passes: {instead}"
        raise NumbaNotImplementedError(text)

    refuse.__name__ = name
    refuse.__doc__ = "Raise: it is for Numba's own passes."
    return refuse


def intrinsic(func: Any = None, **_: Any) -> Any:
    """Take what makes instructions of LLVM; a few of them are made again of NumPy's functions.

    Compiled code that calls one with others is refused by its name: there, write a function in
    Python.
    """
    from . import _intrinsics

    return _intrinsics.made if func is None else _intrinsics.made(func)


_WRITE = "write a function in Python, which compiled code calls as it is"
_overload_method = _refused("overload_method", _WRITE)
_overload_attribute = _refused("overload_attribute", _WRITE)


def _is_struct(t: Any) -> bool:
    return isinstance(t, type) and issubclass(t, types.StructRef)


def overload_method(
    typ: Any, attr: str = "", prefer_literal: bool = False, **_: Any
) -> Callable[[Any], Any]:
    """Give structures of a class of types a method, which `overload` tells of.

    Raises
    ------
    NumbaNotImplementedError
        The type is no class of `types.StructRef`: other types have the methods that they have.
    """
    if not _is_struct(typ):
        return _overload_method(typ, attr)
    from .experimental import structref

    def register(chooser: Any) -> Any:
        structref.add_member(typ, attr, _overloads.method(attr, chooser, prefer_literal))
        return chooser

    return register


def overload_attribute(typ: Any, attr: str = "", **_: Any) -> Callable[[Any], Any]:
    """Give structures of a class of types a property, as `overload_method` gives methods."""
    if not _is_struct(typ):
        return _overload_attribute(typ, attr)
    from .experimental import structref

    def register(chooser: Any) -> Any:
        structref.add_member(typ, attr, property(_overloads.method(attr, chooser)))
        return chooser

    return register


overload_classmethod = _refused("overload_classmethod", _WRITE)
lower_builtin = _refused("lower_builtin", _WRITE)
type_callable = _refused("type_callable", _WRITE)
typeof_impl = models = register_model = make_attribute_wrapper = _refused("models", _WRITE)
box = unbox = NativeValue = _refused("box", _WRITE)
