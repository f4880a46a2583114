# SPDX-License-Identifier: BSD-3-Clause
"""Pickle compiled functions: by name where a module has them, else what they are made of.

A function that stands inside of another has no name by which a module is asked for it. It is its
code, the globals that this mentions and what it closes over, as Numba's functions are."""

from __future__ import annotations

import builtins
import dis
import importlib
import marshal
import sys
import types as _pytypes
from collections.abc import Iterator
from typing import Any

_MISSING = object()


def is_named(module: str | None, qualname: str, made: Any) -> bool:
    """Does a look-up of that name find it?"""
    found: Any = sys.modules.get(module or "", None)
    for part in qualname.split("."):
        found = getattr(found, part, _MISSING)
    return found is made


def reduce(made: Any) -> Any:
    """What pickle makes a dispatcher of."""
    func = made.py_func
    if is_named(func.__module__, func.__qualname__, made):
        return func.__qualname__
    how = getattr(made, "_swathe_made", None)
    if how is None:
        return func.__qualname__  # which pickle refuses by that name
    return _remake, (held(func), *how)


def _remake(func: Function, texts: list[str] | None, options: dict[str, Any]) -> Any:
    from . import _make

    return _make(func.it, texts, options)


def reduce_ufunc(made: Any, *how: Any) -> Any:
    """What pickle makes a ufunc of, which its class makes of a function and more."""
    func = made._func
    if is_named(func.__module__, func.__qualname__, made):
        return func.__qualname__
    return _remake_ufunc, (type(made), held(func), *how)


def _remake_ufunc(cls: type, func: Function, *how: Any) -> Any:
    return cls(func.it, *how)


class Function:
    """A function on its way through pickle: what holds it needs no name for it."""

    def __init__(self, func: Any) -> None:
        self.it = func

    def __reduce_ex__(self, protocol: Any) -> Any:
        func = self.it
        if is_named(func.__module__, func.__qualname__, func):
            return held, (func,)
        code = marshal.dumps(func.__code__)
        about = func.__name__, func.__qualname__, func.__module__
        return _blank, (code, about, len(func.__closure__ or ())), _state(func), None, None, _fill


def held(func: Any) -> Function:
    """The one wrapper that a function has, so that pickle sees where one comes again."""
    return vars(func).setdefault("_swathe_function", Function(func))


def _blank(code: bytes, about: tuple[str, str, str], cells: int) -> Function:
    free = tuple(_pytypes.CellType() for _ in range(cells))
    space = {"__builtins__": builtins, "__name__": about[2]}
    func = _pytypes.FunctionType(marshal.loads(code), space, about[0], None, free or None)  # noqa: S302
    func.__qualname__, func.__module__ = about[1], about[2]
    return held(func)


def _names(code: _pytypes.CodeType) -> Iterator[str]:
    for i in dis.get_instructions(code):
        if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield i.argval
    for c in code.co_consts:
        if isinstance(c, _pytypes.CodeType):
            yield from _names(c)


def _state(func: Any) -> tuple[Any, ...]:
    space = func.__globals__
    seen = {n: _held(space[n]) for n in sorted(set(_names(func.__code__))) if n in space}
    cells = []
    for c in func.__closure__ or ():
        try:
            cells.append((_held(c.cell_contents),))
        except ValueError:  # not bound yet
            cells.append(())
    kept = {k: v for k, v in vars(func).items() if k == "_swathe_locals"}
    return seen, cells, func.__defaults__, func.__kwdefaults__, kept


def _fill(function: Function, state: tuple[Any, ...]) -> None:
    seen, cells, defaults, kwdefaults, kept = state
    func = function.it
    func.__globals__.update({n: _released(v) for n, v in seen.items()})
    for cell, value in zip(func.__closure__ or (), cells, strict=True):
        if value:
            cell.cell_contents = _released(value[0])
    func.__defaults__, func.__kwdefaults__ = defaults, kwdefaults
    vars(func).update(kept)


def _held(v: Any) -> Any:
    if isinstance(v, _pytypes.ModuleType):
        return Module(v.__name__)
    return held(v) if isinstance(v, _pytypes.FunctionType) else v


def _released(v: Any) -> Any:
    if isinstance(v, Module):
        return importlib.import_module(v.name)
    return v.it if isinstance(v, Function) else v


class Module:
    """A module, by its name."""

    def __init__(self, name: str) -> None:
        self.name = name
