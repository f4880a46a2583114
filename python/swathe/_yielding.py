# SPDX-License-Identifier: BSD-3-Clause
"""Compiled generators that Python goes through.

In compiled code a generator that is a value is an object with a state (core/ast/resume.c), of a
type which only the program knows that makes it. So one function makes the object, goes on to the
next yield and closes it; between its calls the object is in a slot, which Python has.
"""

from __future__ import annotations

import ast
import collections.abc
import functools
import inspect
import numbers
import typing
from types import ModuleType
from typing import Any

import numpy as np

from . import _core
from ._class_ways import function, tree_of
from ._objects import keep, kept
from ._slot import Slot
from .errors import UnsupportedError

# Floats, as code is made for all of these: ints may be compiled in (py/known.c).
_BEGIN, _NEXT, _CLOSE, _SEND = 0.0, 1.0, 2.0, 3.0


# What takes a slot, what is to be done, and all that the generator is called with. {call} makes
# its object. A name in braces is a name of its own.
_TEXT = """\
def {name}({slot}, {how}, {params}):
    if {how} == 0:
        {keep}({slot}, {call})
        raise StopIteration
    {generator} = {kept}({slot}, {call})
"""
_CLOSES = """\
    if {how} == 2:
        {generator}.close()
        raise StopIteration
"""
_SENDS = """\
    if {how} == 3:
        return {generator}.send({sent})
"""
_GOES_ON = """\
    return next({generator})
"""


_NAMES = ("slot", "how", "generator", "sent", "gen", "keep", "kept")


def written(
    func: Any, made: Any, text: str, names: Any, space: Any, fill: Any = lambda own: ([], "")
) -> Any:
    """Return a function with such a text, which is called with all that `func` is called with.

    `names` are those that it has beside these parameters (`gen` is that of `made`), `space` is
    what some of them are. Of what they are called in the text, `fill` makes further parameters,
    and what stands for ``{path}``.
    """
    code = func.__code__
    n, n_kw = code.co_argcount, code.co_kwonlyargcount
    own_names = code.co_varnames
    if code.co_flags & inspect.CO_VARKEYWORDS:
        what = "is a generator with" if code.co_flags & inspect.CO_GENERATOR else "has"
        last = own_names[n + n_kw + bool(code.co_flags & inspect.CO_VARARGS)]
        raise UnsupportedError(f"'{func.__name__}' {what} **{last}, from Python")
    own = {w: w for w in names}
    for w in own:
        while own[w] in (*own_names, func.__name__):
            own[w] += "_"
    rest = own_names[n + n_kw : n + n_kw + bool(code.co_flags & inspect.CO_VARARGS)]
    params = [*own_names[:n], *rest, *own_names[n : n + n_kw]]
    given = [*own_names[:n], *(f"*{r}" for r in rest)]
    given += [f"{k}={k}" for k in own_names[n : n + n_kw]]
    more, path = fill(own)
    own["call"] = f"{own['gen']}({', '.join(given)})"
    name = func.__name__ if func.__name__.isidentifier() else "generator"
    text = text.format(name=name, params=", ".join([*params, *more]), path=path, **own)
    in_text = {own[w]: v for w, v in space.items()}
    in_text |= {"__name__": __name__, own["gen"]: made}
    file = f"<swathe {func.__module__}.{func.__qualname__}{path}>"  # a text is read when it is used
    drive = function(name, text, in_text, file)
    drive.__qualname__ = func.__qualname__
    drive._swathe_keeps = True  # what it has met, from one call to the next: see py/spec.c
    return drive


# ---- what a generator's source says ----


# They are no generators, and make none that has something to do at its end.
_PLAIN = {"range", "len", "abs", "min", "max", "sum", "int", "float", "bool", "str", "print"}
_PLAIN |= {"enumerate", "zip", "reversed", "sorted", "list", "tuple", "dict", "set", "round"}


class _Facts(ast.NodeVisitor):
    """Does it receive what is sent, catch what is thrown, have something to do at its end?"""

    def __init__(self, func: Any, tree: Any) -> None:
        code = func.__code__
        own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        self.names = dict(func.__globals__, **dict.fromkeys(own))
        self.receives = self.catches = self.closes = False
        for s in tree.body:
            self.visit(s)

    def visit_FunctionDef(self, node: Any) -> None:  # noqa: N802
        pass

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef  # noqa: N815

    def visit_Expr(self, node: Any) -> None:  # noqa: N802
        if isinstance(node.value, ast.Yield):  # nobody uses what it is
            self.generic_visit(node.value)
        else:
            self.generic_visit(node)

    def visit_Yield(self, node: Any) -> None:  # noqa: N802
        self.receives = True
        self.generic_visit(node)

    def visit_YieldFrom(self, node: Any) -> None:  # noqa: N802
        self.receives = self.catches = self.closes = True

    def visit_Try(self, node: Any) -> None:  # noqa: N802
        self.catches = self.closes = True
        self.generic_visit(node)

    visit_With = visit_TryStar = visit_Try  # noqa: N815

    def visit_Call(self, node: Any) -> None:  # noqa: N802
        f = node.func
        of = f.value if isinstance(f, ast.Attribute) else None
        module = isinstance(of, ast.Name) and isinstance(self.names.get(of.id), ModuleType)
        plain = isinstance(f, ast.Name) and f.id in _PLAIN and f.id not in self.names
        self.closes |= not module and not plain  # it may call a generator that has
        self.generic_visit(node)


_SENT = {int: 0, float: 0.0, bool: False, complex: 0j, str: ""}


def _sent_type(func: Any) -> Any:
    """What the annotation ``-> Generator[yielded, sent, returned]`` says."""
    try:
        said = typing.get_type_hints(func).get("return")
    except (NameError, TypeError):
        said = None
    args = typing.get_args(said)
    of = typing.get_origin(said) is collections.abc.Generator and len(args) > 1
    return args[1] if of and args[1] in _SENT else None


class _Driver:
    """The function that does it all for one compiled generator."""

    def __init__(self, made: Any) -> None:
        from . import _make

        func = made.py_func
        tree = tree_of(func)
        self.facts = _Facts(func, tree) if tree is not None else None
        self.sent = _sent_type(func) if self.facts is None or self.facts.receives else None
        closes = self.facts is None or self.facts.closes
        sends = self.sent is not None
        text = _TEXT + _CLOSES * (closes or sends) + _SENDS * sends + _GOES_ON
        space = {"keep": keep, "kept": kept}
        sent = (lambda own: ([own["sent"]], "")) if sends else (lambda own: ([], ""))
        drive = written(func, made, text, _NAMES, space, sent)
        self.closes = closes or sends
        self.run = _make(drive, None, made._swathe_made[1])
        self.last = (_SENT[self.sent],) if sends else ()


# ---- arguments ----

_STAYS = (numbers.Number, str, bytes, np.ndarray, np.generic, _core.Instance, type(None))
_STAYS += (np.random.Generator, range)


def refused_argument(v: Any) -> Any:
    """What of an argument Python and compiled code would both change, or None."""
    if isinstance(v, tuple):
        return next((r for r in map(refused_argument, v) if r is not None), None)
    lives = isinstance(v, _core.Typed) and v._slot is not None
    known = isinstance(v, _STAYS) or callable(v) or hasattr(v, "__cuda_array_interface__")
    return None if lives or known else v


class Generator(collections.abc.Generator):
    """What calling a compiled generator function yields in Python."""

    __slots__ = ("__name__", "__qualname__", "__weakref__", "_args", "_driver", "_slot", "_step")

    def __init__(self, driver: _Driver, func: Any, args: tuple[Any, ...]) -> None:
        self.__name__, self.__qualname__ = func.__name__, func.__qualname__
        self._driver, self._args = driver, (*args, *driver.last)
        self._slot = Slot()  # None: it has ended
        self._step: Any = None  # None: it is running, or has ended
        try:
            driver.run(self._slot, _BEGIN, *self._args)
        except StopIteration:
            self._step = functools.partial(driver.run, self._slot, _NEXT, *self._args)
        except BaseException:
            self._slot = None
            raise

    def __next__(self) -> Any:
        step = self._step
        if step is None:
            self._check_waits()
            raise StopIteration
        self._step = None
        try:
            value = step()
        except BaseException:
            self._slot = None
            raise
        self._step = step
        return value

    def _check_waits(self) -> None:
        if self._slot is not None and self._step is None:
            raise ValueError("generator already executing")

    def _go(self, how: int, *sent: Any) -> Any:
        self._check_waits()
        step, self._step = self._step, None
        args = (*self._args[: len(self._args) - len(sent)], *sent)
        try:
            value = self._driver.run(self._slot, how, *args)
        except BaseException:
            self._slot = None
            raise
        self._step = step
        return value

    def send(self, value: Any) -> Any:
        """Go on, with `value` for what the yield is where it waits."""
        facts, sent = self._driver.facts, self._driver.sent
        if value is None or self._slot is None or (facts is not None and not facts.receives):
            return self.__next__()
        if sent is None:
            raise UnsupportedError(
                f"what '{self.__name__}' is sent has no type: annotate it, as in "
                f"-> Generator[float, float, None]"
            )
        wider = sent in (float, complex) and isinstance(value, (int, float))
        if type(value) is not sent and not wider:
            raise TypeError(
                f"'{self.__name__}' is sent a {type(value).__name__}, and its annotation says "
                f"{sent.__name__}"
            )
        return self._go(_SEND, sent(value))

    def throw(self, typ: Any, val: Any = None, tb: Any = None) -> Any:
        """Raise an exception where it waits, which ends it."""
        facts = self._driver.facts
        self._check_waits()
        if self._slot is not None and (facts is None or facts.catches):
            raise UnsupportedError(
                f"throw() into '{self.__name__}', which may catch exceptions: call close()"
            )
        self._slot = self._step = None
        return super().throw(typ, val, tb)

    def close(self) -> None:
        """End it; `finally` and `with` around the yield where it waits do what they do."""
        if self._slot is None:
            return
        try:
            if self._driver.closes:
                self._go(_CLOSE)
        except StopIteration:
            pass
        finally:
            self._slot = self._step = None

    @property
    def gi_running(self) -> bool:
        return self._slot is not None and self._step is None

    def __del__(self) -> None:
        if getattr(self, "_step", None) is not None and self._driver.closes:
            self.close()

    def __repr__(self) -> str:
        return f"<compiled generator {self.__qualname__} at {id(self):#x}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle the generator '{self.__name__}'")


def begin(made: Any, args: tuple[Any, ...]) -> Generator:
    """Make the object of a compiled generator function, with all that it is called with.

    Raises
    ------
    TypeError
        An argument is a list, a dict, or another object whose contents Python may change while
        the generator waits.
    """
    bad = refused_argument(args)
    if bad is not None:
        raise TypeError(
            f"{made.__name__}(): a generator can't keep an argument of type "
            f"{type(bad).__name__}: pass an array or a tuple"
        )
    driver = vars(made).get("_swathe_driver")
    if driver is None:
        driver = made._swathe_driver = _Driver(made)
    return Generator(driver, made, args)
