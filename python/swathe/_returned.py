# SPDX-License-Identifier: BSD-3-Clause
"""Functions that compiled functions return to Python.

What such a function has captured is in compiled code, of a type which only the program knows that
makes it. So Python has a slot, in which all that the call has returned is kept (a list of that one
value), and for each function of it an object that runs a program of its own: it takes the slot
and the arguments of the call that has made the function, which tell types only, and calls what is
kept. What is returned beside functions is fetched in the same way.
"""

from __future__ import annotations

from typing import Any

from ._objects import is_function, keep, kept
from ._slot import Slot
from ._yielding import refused_argument, written
from .errors import UnsupportedError


def _one(value):  # type: ignore[no-untyped-def]
    held = []
    held.append(value)
    return held


_NONE, _FUNCTION, _VALUE = range(3)


def _kind(v):  # type: ignore[no-untyped-def]
    if v is None:
        return 0
    if is_function(v):
        return 1
    return 2


def _shape(v):  # type: ignore[no-untyped-def]
    if isinstance(v, tuple):
        return tuple(_kind(x) for x in v)
    if isinstance(v, list):
        return [_kind(x) for x in v]
    if isinstance(v, dict):
        return {k: _kind(x) for k, x in v.items()}
    return _kind(v)


_BEGIN = """\
def {name}({slot}, {params}):
    {keep}({slot}, {one}({call}))
    return {shape}({kept}({slot}, {one}({call}))[0])
"""
_PART = """\
def {name}({slot}, {params}):
    return {kept}({slot}, {one}({call}))[0]{path}
"""
_NAMES = ("slot", "gen", "keep", "kept", "one", "shape", "given", "key")
_SPACE = {"keep": keep, "kept": kept, "one": _one, "shape": _shape}


class _Maker:
    """The programs of one compiled function that returns functions."""

    def __init__(self, made: Any) -> None:
        self.made = made
        self.programs: dict[Any, Any] = {}

    def program(self, text: str, path: str, keyed: bool, names: tuple[str, ...] | None) -> Any:
        """What does with the value what `text` says; a call with these names if not None."""
        got = self.programs.get((text, path, keyed, names))
        if got is None:
            got = self.programs[text, path, keyed, names] = self._made(text, path, keyed, names)
        return got

    def _made(self, text: str, path: str, keyed: bool, names: tuple[str, ...] | None) -> Any:
        from . import _make

        def fill(own: dict[str, str]) -> tuple[list[str], str]:
            more = [own["key"]] * keyed
            rest = path + f"[{own['key']}]" * keyed
            if names is not None:
                by_name = [f"{n}_by_name" for n in names]
                more += [*by_name, f"*{own['given']}"]
                given = [
                    f"*{own['given']}",
                    *(f"{n}={b}" for n, b in zip(names, by_name, strict=True)),
                ]
                rest += f"({', '.join(given)})"
            return more, rest

        func = self.made.py_func
        run = written(func, self.made, text, _NAMES, _SPACE, fill)
        program = _make(run, None, self.made._swathe_made[1])
        program._swathe_value = names is None
        return program

    def part(self, slot: Slot, args: tuple[Any, ...], kind: int, path: str, key: Any) -> Any:
        """What is at that place of all that the call has returned."""
        where = (slot, *args, *key)
        if kind == _NONE:
            return None
        if kind == _FUNCTION:
            return Function(self, path, where, bool(key))
        return self.program(_PART, path, bool(key), None)(*where)


class Function:
    """A function that a compiled function has returned: compiled code, when it is called."""

    __slots__ = ("__weakref__", "_keyed", "_maker", "_name", "_path", "_runs", "_where")

    def __init__(self, maker: _Maker, path: str, where: tuple[Any, ...], keyed: bool) -> None:
        self._maker, self._path, self._where, self._keyed = maker, path, where, keyed
        self._runs = maker.program(_PART, path, keyed, ())
        self._name: str | None = None

    def __call__(self, *args: Any, **named: Any) -> Any:
        if not named:
            return self._runs(*self._where, *args)
        run = self._maker.program(_PART, self._path, self._keyed, tuple(named))
        return run(*self._where, *named.values(), *args)

    @property
    def __name__(self) -> str:
        if self._name is None:
            run = self._maker.program(_PART, self._path + ".__name__", self._keyed, None)
            self._name = str(run(*self._where))
        return self._name

    def __repr__(self) -> str:
        return f"<compiled function of {self._maker.made.__qualname__} at {id(self):#x}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle a function that '{self._maker.made.__name__}' has returned")


def begin(made: Any, args: tuple[Any, ...]) -> Any:
    """Call a compiled function that returns functions.

    Returns
    -------
    A `Function`, or a tuple, list or dict of these and of other values.

    Raises
    ------
    TypeError
        An argument is a list, a dict, or another object whose contents Python may change while
        the function has it.
    """
    if vars(made).get("_swathe_value"):
        raise UnsupportedError(
            f"'{made.__name__}' returns functions in fields, or in containers that are in a "
            f"container: return them in one tuple, list or dict"
        )
    bad = refused_argument(args)
    if bad is not None:
        raise TypeError(
            f"{made.__name__}(): a compiled function that is returned can't keep an argument of "
            f"type {type(bad).__name__}: pass an array or a tuple"
        )
    maker = vars(made).get("_swathe_maker")
    if maker is None:
        maker = made._swathe_maker = _Maker(made)
    slot = Slot()
    shape = maker.program(_BEGIN, "", False, None)(slot, *args)
    if isinstance(shape, tuple):
        return tuple(maker.part(slot, args, k, f"[{i}]", ()) for i, k in enumerate(shape))
    if isinstance(shape, list):
        return [maker.part(slot, args, k, "", (i,)) for i, k in enumerate(shape)]
    if isinstance(shape, dict):
        return {key: maker.part(slot, args, k, "", (key,)) for key, k in shape.items()}
    return maker.part(slot, args, shape, "", ())
