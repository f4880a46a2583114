# SPDX-License-Identifier: BSD-3-Clause
"""Which function stands for another, by the types of a call: Numba's ``overload``.

The compiler asks at each call of such a function for the types that it hasn't met yet, as a line
of text for each argument; what is asked gets type objects, as Numba gives them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from swathe._core import Dispatcher

from .. import _named
from . import types


class _Part:
    """What is left to read of the text of a type."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, start: str) -> bool:
        found = self.text.startswith(start)
        if found:
            self.text = self.text[len(start) :]
        return found

    def word(self) -> str:
        n = next((i for i, c in enumerate(self.text) if not (c.isalnum() or c in "_.")), None)
        word, self.text = self.text[:n], "" if n is None else self.text[n:]
        return word

    def axes(self) -> list[str]:
        inside, _, self.text = self.text.partition("]")
        return [a.strip() for a in inside.split(",")]


STRUCTS: dict[str, type] = {}  # classes of types of structures, by the names of their proxies
_ALIASES = {"int": "int64", "float": "float64", "complex": "complex128", "None": "none"}


def _several(p: _Part, end: str) -> Iterator[types.Type]:
    while p.text and not p.take(end):
        yield _type(p)
        p.take(", ")
        p.take(",")


_FIELD = re.compile(r"\(\w+: ")


def _fields(p: _Part) -> Iterator[tuple[str, types.Type]]:
    while p.text and not p.take(")"):
        name = p.word()
        p.take(": ")
        yield name, _type(p)
        p.take(", ")


def _shown(fields: tuple[tuple[str, types.Type], ...]) -> str:
    return ", ".join(f"{n}: {t!r}" for n, t in fields)


def _named_tuple(word: str, fields: tuple[tuple[str, types.Type], ...]) -> types.Type:
    if [n for n, _ in fields] == ["enum"]:
        return types._Holds(f"{word}(enum: {fields[0][1]!r})", "enum", fields[0][1])
    return types._WithFields(f"{word}({_shown(fields)})", fields)


def _record(fields: tuple[tuple[str, Any], ...]) -> types.Type:
    """Of one record each field is an array without axes; those of an array have its axes."""
    own = tuple((n, t.dtype if isinstance(t, types.Array) else t) for n, t in fields)
    one = types._Record(f"record({_shown(own)})", own)
    of = next((t for _, t in fields if isinstance(t, types.Array)), None)
    return types.Array(one, of.ndim, of.layout, of.readonly) if of and of.ndim else one


def _time(p: _Part, word: str, readonly: bool) -> types.Type:
    p.take("[")
    unit = p.word()
    p.take("]")
    one = types.Opaque(f"{word}[{unit}]")
    if not p.take("["):
        return one
    layout, n = _layout(p)
    return types.Array(one, n, layout, readonly)


def _layout(p: _Part) -> tuple[str, int]:
    axes = p.axes()
    if axes == ["()"]:
        return "C", 0
    return "C" if axes[-1] == "::1" else "F" if axes[0] == "::1" else "A", len(axes)


def _type(p: _Part) -> types.Type:
    readonly = p.take("readonly ")
    word = p.word()
    if word == "optional" and p.take("("):
        return types.optional(*_several(p, ")"))
    if word == "UniTuple" and p.take("("):
        of = _type(p)
        p.take(", ")
        n = int(p.word())
        p.take(")")
        return types.UniTuple(of, n)
    if word == "Tuple" and p.take("(("):
        return types.Tuple(tuple(_several(p, "))")))
    if word == "list" and p.take("["):
        return types.ListType(*_several(p, "]"))
    if word == "dict" and p.take("["):
        return types.DictType(*_several(p, "]"))
    if word == "record" and p.take("("):
        return _record(tuple(_fields(p)))
    if word == "type" and p.take(" np."):
        dtype = getattr(types, p.word(), types.none)
        return types._Holds(f"class({dtype})", "class", dtype)
    if word == "set" and p.take("["):
        of = next(_several(p, "]"))
        return types._Holds(f"set[{of!r}]", "set", of)
    if word in ("datetime64", "timedelta64"):
        return _time(p, word, readonly)
    if word != "Generator" and word.isidentifier() and _FIELD.match(p.text):
        p.take("(")
        return _named_tuple(word, tuple(_fields(p)))
    name = _ALIASES.get(word, word)
    found = getattr(types, name, None) if name else None
    if isinstance(found, types.Scalar) and p.take("["):
        layout, n = _layout(p)
        return types.Array(found, n, layout, readonly)
    if isinstance(found, types.Type) and not p.text.startswith("["):
        return found
    if word == "str":
        return types.unicode_type
    if word in STRUCTS and not p.text.startswith("("):
        return STRUCTS[word]()
    rest, p.text = word + p.text, ""
    return types.Opaque(rest)


def from_text(text: str) -> types.Type:
    """Return the type that the compiler writes so."""
    if text.startswith("omitted "):
        return types.Omitted(text[len("omitted ") :])
    return _type(_Part(text))


def signature_of(text: str) -> types.Signature:
    """Return the signature that the compiler writes so: ``int64[:](float64[::1], int)``."""
    depth, start = 0, len(text) - 1
    while start >= 0:
        depth += {")": 1, "(": -1}.get(text[start], 0)
        if depth == 0:
            break
        start -= 1
    p = _Part(text[start + 1 :])
    args = tuple(_several(p, ")"))
    return types.Signature(from_text(text[:start]), args)


def _asked(chooser: Any, func: Any, args: list[Any]) -> Any:
    """Ask with a type for each argument of a function: those of ``*args`` one by one."""
    places: list[Any] = []
    names: dict[str, Any] = {}
    params = inspect.signature(func, follow_wrapped=False).parameters.values()
    for p, t in zip(params, args, strict=True):
        if p.kind is p.KEYWORD_ONLY:
            names[p.name] = t
        elif p.kind is p.VAR_POSITIONAL:
            places += () if isinstance(t, types.Omitted) else t
        else:
            places.append(t)
    return chooser(*places, **names)


_NO_LITERALS = (
    "overload of '{}': with prefer_literal=True it asks for the values of arguments, by the "
    "classes of their types, which aren't told here: compute with them"
)
_NO_VALUES = (
    "overload of '{}': numba.literally in what an overload returns asks to be asked once more with "
    "the value, which isn't done here: compute with it, or pass it as a type of its own"
)


def _asks_for_values(func: Any) -> bool:
    code = getattr(func, "py_func", func).__code__
    return "literally" in code.co_names or "literally" in code.co_freevars


class Chooser:
    """What is asked for a function that was given overloads, the last one first."""

    def __init__(self, func: Any) -> None:
        self.func = func
        self.choosers: list[Callable[..., Any]] = []
        self.literal: list[Callable[..., Any]] = []  # those that prefer types of one value

    def __call__(self, text: str) -> Any:
        """Return the function that is called with these types, or say why there is none."""
        args = self.types(text)
        for chooser in reversed(self.choosers):
            before = types.literals_asked[0]
            try:
                found = self.ask(chooser, args)
            except Exception as e:
                return f"overload of '{self.func.__name__}': {type(e).__name__}: {e}"
            if chooser in self.literal and types.literals_asked[0] != before:
                return _NO_LITERALS.format(self.func.__name__)
            if found is None:
                continue
            if isinstance(found, Dispatcher) or inspect.isfunction(found):
                if _asks_for_values(found):
                    return _NO_VALUES.format(self.func.__name__)
                return self.called(found)
            kind = type(found).__name__
            return f"overload of '{self.func.__name__}' yields a {kind}, which is no function"
        return f"no overload of '{self.func.__name__}' is for ({self.shown(args)})"

    def types(self, text: str) -> list[Any]:
        """Return what the compiler writes, a line for each parameter."""
        return [from_text(line) for line in text.splitlines()]

    def ask(self, chooser: Any, args: list[Any]) -> Any:
        """Return what one of them says of such arguments."""
        return _asked(chooser, self.func, args)

    def called(self, found: Any) -> Any:
        """Return what is called for what one of them has said: as it is written, even where it has
        overloads itself."""
        func = getattr(found, "py_func", found)
        if "_swathe_overload" not in vars(func):
            return found
        plain = FunctionType(
            func.__code__, func.__globals__, func.__name__, func.__defaults__, func.__closure__
        )
        plain.__kwdefaults__ = func.__kwdefaults__
        return plain

    def shown(self, args: list[Any]) -> str:
        """Return the arguments of a call as text."""
        return ", ".join(map(repr, args))


_NAMED = re.compile(r"'(\w+)': ")


class FaceChooser(Chooser):
    """The same, where calls are taken as they stand: all that is said by position is one tuple,
    and what is said by name one dict. Each overload has parameters of its own, then."""

    def types(self, text: str) -> list[Any]:
        """Return the types of what a call says by position, and by name."""
        line, named = text.splitlines()
        p, names = _Part(named.removeprefix("{")), {}
        while found := _NAMED.match(p.text):
            p.take(found[0])
            names[found[1]] = _type(p)
            p.take(", ")
        return [from_text(line).types, names]

    def ask(self, chooser: Any, args: list[Any]) -> Any:
        """Ask one that has parameters for these arguments. None: it doesn't."""
        try:
            bound = inspect.signature(chooser).bind(*args[0], **args[1])
        except TypeError:
            return None
        return chooser(*bound.args, **bound.kwargs)

    def called(self, found: Any) -> Any:
        """Return what calls it with them."""
        text = "def called(args, kw):\n    return found(*args, **kw)\n"
        return _written(text, "called", {"found": found})

    def shown(self, args: list[Any]) -> str:
        """Return the arguments of a call as text."""
        return ", ".join([*map(repr, args[0]), *(f"{n}={t!r}" for n, t in args[1].items())])


def _parameters(func: Any) -> list[Any]:
    params = inspect.signature(func, follow_wrapped=False).parameters.values()
    return [(p.name, p.kind, p.default is p.empty) for p in params]


def _face(func: Any, asked: Chooser) -> Any:
    """Return a function of any arguments, of which the choosers of `asked` say what it calls."""

    def stub(args: Any, kw: Any) -> None:
        pass

    chooser = FaceChooser(func)
    chooser.choosers, chooser.literal = asked.choosers, asked.literal
    stub._swathe_overload = chooser  # type: ignore[attr-defined]
    text = "def face(*args, **kw):\n    return stub(args, kw)\n"
    return _written(text, "face", {"stub": stub})


def add(func: Any, chooser: Any, literal: bool = False) -> bool:
    """Ask `chooser` which function stands for `func`. False: it can't be given another meaning.

    The parameters of `func` say nothing, as with Numba: calls are bound to those of `chooser`.
    """
    if isinstance(func, Dispatcher):
        func = func.py_func
    if not inspect.isfunction(func):
        return False
    asked = func.__dict__.setdefault("_swathe_overload", Chooser(func))
    asked.choosers.append(chooser)
    if literal:
        asked.literal.append(chooser)
    if _parameters(func) != _parameters(chooser):
        func.__dict__.setdefault("_swathe_face", _face(func, asked))
    return True


def method(name: str, chooser: Any, literal: bool = False) -> Any:
    """Return a function of which `chooser` says what it calls, by the types of its arguments."""
    params = inspect.signature(chooser)
    names = ", ".join(params.parameters)
    stub = _written(f"def {name}({names}):\n    pass\n", name, {})
    stub._swathe_overload = Chooser(stub)
    stub._swathe_overload.choosers.append(chooser)
    stub._swathe_overload.literal += [chooser] * literal
    text = f"def {name}{params}:\n    return stub({names})\n"
    return _written(text, name, {"stub": stub})


def _written(text: str, name: str, space: dict[str, Any]) -> Any:
    exec(compile(text, _named(text), "exec"), space)
    return space[name]
