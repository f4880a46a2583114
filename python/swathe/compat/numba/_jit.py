# SPDX-License-Identifier: BSD-3-Clause
"""Numba's decorators, with the options that its programs give."""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import re
import sys
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

import swathe

from . import config
from .core.errors import NumbaNotImplementedError

_CONTAINERS = (
    "str",
    "unicode_type",
    "bytes",
    "bytearray",
    "memoryview",
    "list[",
    "dict[",
    "List(",
    "ListType(",
    "DictType(",
    "Set(",
    "FunctionType(",
    "Record(",
    "[unichr x ",
    "[char x ",
)
_FIELDS = re.compile(r"\w\(\w+: ")  # of a named tuple
_GENERATOR = 0x20  # of co_flags
# Options that say how Numba makes code, and nothing of what it computes.
_IGNORED = (
    "nogil",
    "looplift",
    "no_cpython_wrapper",
    "no_cfunc_wrapper",
    "no_rewrites",
    "release_gil",
    "writable_args",
    "target_backend",
    "forceinline",
    "noalias",
    "_nrt",
    "_dbg_optnone",
    "_dbg_extend_lifetimes",
)


def _kept(options: dict[str, Any]) -> dict[str, Any]:
    kept = {k: v for k, v in options.items() if k not in _IGNORED}
    if isinstance(kept.get("parallel"), dict):  # which of Numba's passes run
        kept["parallel"] = bool(kept["parallel"].get("prange", True))
    if kept.pop("pipeline_class", None) is not None:
        raise TypeError("jit(): pipeline_class is for the passes of Numba, which aren't here")
    return kept


def _plain(func: Any = None) -> Any:
    """Leave a function to Python."""
    return (lambda f: f) if func is None or isinstance(func, (str, list, tuple)) else func


def jit(signature_or_function: Any = None, **options: Any) -> Any:
    """Compile a function, as `swathe.jit` does, with any option of Numba's.

    ``forceobj=True`` leaves it to Python. Options that only choose how code is made are accepted.

    Raises
    ------
    TypeError
        For an option that neither has.
    """
    if options.pop("forceobj", False) or config.DISABLE_JIT:
        return _plain(signature_or_function)
    if options.pop("signature", None) is not None:
        raise TypeError("jit(): the signature is the first argument")
    options.pop("target", None)
    typed = dtypes_of(options.pop("locals", None) or {})
    if typed:
        return _with_locals(signature_or_function, typed, options)
    kept = {**_kept(options), "numba_casts": True}
    made = swathe.jit(None, **kept)
    if callable(signature_or_function) and not isinstance(signature_or_function, swathe.types.Type):
        return _compiled(made, signature_or_function)
    if signature_or_function is not None and not has_containers(signature_or_function):
        eager = swathe.jit(signature_or_function, **kept)
        return lambda func: _compiled(eager, _frozen(func))
    return lambda func: _compiled(made, func)


def dtypes_of(types: Any) -> dict[str, str]:
    """Return the dtypes of variables that ``locals=`` says are numbers; others are as assigned."""
    scalars = {n: t for n, t in types.items() if isinstance(t, swathe.types.Scalar)}
    return {n: t._swathe_dtype for n, t in scalars.items() if t.text != "void"}


def with_locals(func: Any, typed: dict[str, str]) -> Any:
    """Return a function like this one whose variables keep these types."""
    func = getattr(func, "py_func", func)
    made = FunctionType(
        func.__code__, func.__globals__, func.__name__, func.__defaults__, func.__closure__
    )
    made.__kwdefaults__ = func.__kwdefaults__
    functools.update_wrapper(made, func)
    del made.__wrapped__
    made._swathe_live = getattr(func, "_swathe_live", func)  # what `py_func` is
    made._swathe_locals = typed
    return made


def _with_locals(signature_or_function: Any, typed: dict[str, str], options: Any) -> Any:
    def decorate(func: Any) -> Any:
        func = with_locals(func, typed)
        return made(func) if made is not None else jit(func, **options)

    func = signature_or_function
    if callable(func) and not isinstance(func, swathe.types.Type):
        made = None
        return decorate(func)
    made = None if func is None else jit(func, **options)
    return decorate


def _names(code: CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    own = {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    return own.union(*map(_names, inner))


def _frozen(func: Any) -> Any:
    """Return a function that sees its globals as they are now, as Numba's with signatures do."""
    if type(func) is not FunctionType:
        return func
    space = func.__globals__
    names = [*_names(func.__code__), "__builtins__", "__name__"]
    if func.__name__ in names or any(n not in space and not hasattr(builtins, n) for n in names):
        return func  # recursive, or of what is defined below it
    kept = {n: space[n] for n in names if n in space}
    try:
        cells = tuple(CellType(c.cell_contents) for c in func.__closure__ or ())
    except ValueError:  # of a name that is bound later
        return func
    made = FunctionType(func.__code__, kept, func.__name__, func.__defaults__, cells or None)
    made.__kwdefaults__ = func.__kwdefaults__
    functools.update_wrapper(made, func)
    del made.__wrapped__
    made._swathe_live = getattr(func, "_swathe_live", func)  # what `py_func` is
    return made


def has_containers(signature: Any) -> bool:
    """Whether it has lists, named tuples or the like: the call tells what these hold."""
    text = str(signature)
    return any(word in text for word in _CONTAINERS) or _FIELDS.search(text) is not None


def _compiled(made: Any, func: Any) -> Any:
    """Compile; a generator is left to whoever goes through it: compiled code, or Python."""
    code = getattr(func, "__code__", None)
    if code is not None and code.co_flags & _GENERATOR:
        func.py_func = func
        return func
    return made(func)


def njit(signature_or_function: Any = None, **options: Any) -> Any:
    """Do what `jit` does."""
    return jit(signature_or_function, **options)


def vectorize(signatures_or_function: Any = None, **options: Any) -> Any:
    """Make a ufunc of a function of numbers, as `swathe.vectorize` does."""
    made = swathe.vectorize(signatures_or_function, **_kept(options))
    if isinstance(signatures_or_function, (str, list, tuple, swathe.types.Signature)):
        return lambda func: made(_frozen(func))
    return made


def guvectorize(*signatures_and_layout: Any, **options: Any) -> Any:
    """Make a generalised ufunc, as `swathe.guvectorize` does."""
    writable = options.get("writable_args")
    return swathe.guvectorize(*signatures_and_layout, writable_args=writable, **_kept(options))


def generated_jit(*_: Any, **__: Any) -> Callable[..., Any]:
    """Raise: it has left Numba."""
    raise NumbaNotImplementedError("generated_jit is no part of Numba any more: write overload")


def jit_module(**options: Any) -> None:
    """Compile all functions that the calling module has defined so far, as `jit` would."""
    space = sys._getframe(1).f_globals
    for name, value in list(space.items()):
        if inspect.isfunction(value) and value.__module__ == space["__name__"]:
            space[name] = jit(value, **options)


for _decorator in (jit, njit, vectorize, guvectorize):
    _decorator._swathe_is = None  # type: ignore[attr-defined]  # refused by its name inside
