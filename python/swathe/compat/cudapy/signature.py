# SPDX-License-Identifier: BSD-3-Clause
"""Signatures: ``saxpy : void (float alpha, float* X, float* Y)``.

Takes text and yields a `Signature`. Where the text is wrong, the error shows the line that it
stands in, with a caret below the word that is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .types import NAMED, CudaTypeError, FunctionType, Pointer, Type, Void, as_type

_TOKEN = re.compile(r"\s*(?:([A-Za-z_]\w*)|(.))", re.DOTALL)
_QUALIFIERS = ("const", "restrict", "__restrict__", "struct")


@dataclass
class Signature:
    """A function's types: what it returns, and its parameters; names where they were given."""

    result: Type
    params: list[Type]
    names: list[str | None] = field(default_factory=list)
    text: Text | None = None

    def __str__(self) -> str:
        return f"{self.result} ({', '.join(map(str, self.params))})"


@dataclass
class Text:
    """Where a text stands, so that errors can show it. `starts`: of the text's lines, where each
    begins in the text, its number in the file, and in which column the text begins in it."""

    text: str
    file: str | None = None
    func: str | None = None
    lines: list[tuple[int, int, int, str]] = field(default_factory=list)

    def error(self, message: str, at: int, length: int = 1) -> CudaTypeError:
        """Return an error that points at `length` characters of the text, from `at` on."""
        rows = [r for r in self.lines if r[0] <= at] or [(0, 0, 0, self.text)]
        start, number, column, line = rows[-1]
        place = f'\n  File "{self.file}", line {number}' if self.file else "\n  In the signature"
        if self.func:
            place += f", in {self.func}" if self.file else f" of {self.func}"
        indent = len(line) - len(line.lstrip())
        caret = " " * (column + at - start - indent) + "^" * max(length, 1)
        return CudaTypeError(f"{message}{place}\n    {line.strip()}\n    {caret}")


class _Reader:
    def __init__(self, text: Text, names: Any) -> None:
        self.text = text
        self.names = names or {}
        self.tokens: list[tuple[str, int]] = []
        for m in _TOKEN.finditer(text.text):
            k = 1 if m.group(1) else 2
            if m.group(k) and m.group(k).strip():
                self.tokens.append((m.group(k), m.start(k)))
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def place(self) -> int:
        return (
            self.tokens[self.at][1] if self.at < len(self.tokens) else len(self.text.text.rstrip())
        )

    def fail(self, message: str, token: int | None = None) -> CudaTypeError:
        if token is not None and token < len(self.tokens):
            word, at = self.tokens[token]
            return self.text.error(message, at, len(word))
        return self.text.error(message, self.place(), len(self.peek()))

    def expect(self, word: str, what: str) -> None:
        if self.peek() != word:
            found = f"'{self.peek()}'" if self.peek() else "the end"
            raise self.fail(f"expected '{word}' {what}, found {found}")
        self.at += 1

    def type(self) -> Type:
        while self.peek() in _QUALIFIERS:
            self.at += 1
        start, word = self.at, self.peek()
        if not word.isidentifier():
            raise self.fail(
                f"expected a type, found {word!r}" if word else "expected a type, found the end"
            )
        self.at += 1
        if (word, self.peek()) in (("long", "long"), ("long", "int")):
            self.at += 1
        known: Any = NAMED.get(word, self.names.get(word))
        try:
            known = as_type(known, self.names) if known is not None else None
        except CudaTypeError:
            known = None
        if known is None:
            raise self.fail(
                f"unknown type '{word}': there are {', '.join(NAMED)}, structs, and T*", start
            )
        while self.peek() == "*" or self.peek() in _QUALIFIERS:
            if self.peek() == "*":
                try:
                    known = Pointer(known)
                except CudaTypeError as e:
                    raise self.fail(str(e)) from None
            self.at += 1
        return known

    def param(self) -> tuple[Type, str | None]:
        start = self.at
        kind, name = self.type(), None
        if self.peek() == "(":  # float (float, float) f; float (*f)(float)
            return self.function()
        if self.peek().isidentifier():
            name = self.peek()
            self.at += 1
        if self.peek() == "[":
            self.at += 1
            self.expect("]", "after '['")
            kind = Pointer(kind)
        if kind == Void:
            raise self.fail("a parameter can't be void", start)
        return kind, name

    def function(self) -> tuple[Type, str | None]:
        name, depth = None, 0
        while True:
            word = self.peek()
            if not word:
                raise self.fail("expected ')', found the end")
            depth += (word == "(") - (word == ")")
            if word == "*" and self.tokens[self.at - 1][0] == "(":
                self.at += 1
                name = self.peek()
            self.at += 1
            if depth == 0 and self.peek() != "(":
                break
        if name is None and self.peek().isidentifier():
            name = self.peek()
            self.at += 1
        return NAMED["function"], name

    def params(self) -> tuple[list[Type], list[str | None]]:
        types: list[Type] = []
        names: list[str | None] = []
        self.expect("(", "before the parameters")
        if (
            self.peek() == "void"
            and self.tokens[self.at + 1 :][:1]
            and self.tokens[self.at + 1][0] == ")"
        ):
            self.at += 1
        while self.peek() != ")":
            if types:
                self.expect(",", "between parameters")
            kind, name = self.param()
            types.append(kind)
            names.append(name)
        self.at += 1
        return types, names

    def end(self) -> None:
        if self.peek():
            raise self.fail(f"'{self.peek()}' after the end")


def parse_type(text: str, names: Any = None) -> Type:
    """Return the type that a text such as ``"float*"`` means."""
    reader = _Reader(Text(text), names)
    known = reader.type()
    reader.end()
    return known


def parse(text: Text, names: Any = None, more: bool = False) -> Signature:
    """Return what ``name : result (parameters)`` says, with a name or without, and with `more`."""
    reader = _Reader(text, names)
    if len(reader.tokens) > 1 and reader.tokens[1][0] == ":":
        if text.func and reader.peek() != text.func:
            raise reader.fail(f"the signature is of '{reader.peek()}', not of '{text.func}'")
        reader.at = 2
    result = reader.type()
    if isinstance(result, (Pointer, FunctionType)):
        raise reader.fail(f"a function can't return {result}", reader.at - 1)
    types, params = reader.params()
    if reader.peek() == ";":
        reader.at += 1
    if not more:
        reader.end()
    return Signature(result, types, params, text)


def parse_sig(sig: str, name: str) -> list[Type] | None:
    """Return [result, parameters...] of a signature's text; None when it is of another function."""
    try:
        found = parse(Text(sig.lstrip("# "), func=name))
    except CudaTypeError:
        return None
    return [found.result, *found.params]


def of_types(types: Any, name: str, names: Any = None) -> Signature:
    """Return the signature that a list of types is: the result first."""
    if not isinstance(types, (list, tuple)):
        raise CudaTypeError(f"the signature of {name} is text or a list of types, not {types!r}")
    if not types:
        raise CudaTypeError(
            f"the signature of {name} is an empty list: its first element is the result's type"
        )
    result, *params = (as_type(t, names) for t in types)
    for t in params:
        if t == Void:
            raise CudaTypeError(f"a parameter of {name} can't be void")
    return Signature(result, params, [None] * len(params))


# ---- comments ----------------------------------------------------------------------------


def in_comments(
    comments: list[tuple[int, str]], file: str, name: str, names: Any
) -> Signature | None:
    """Find a function's signature in the comments above it, each with the number of its line."""
    start = re.compile(rf"\s*#+[\s!:]*({re.escape(name)}\s*:(?!:))")
    failed = None
    for k, (_, line) in enumerate(comments):
        m = start.match(line)
        if not m or not re.match(r"\s*[\w\s*]+\(", line[m.end() :]):
            continue
        text = Text("", file, name)
        for number, more in comments[k:]:
            column = m.start(1) if not text.lines else len(more) - len(more.lstrip("# \t"))
            text.lines.append((len(text.text), number, column, more.rstrip("\n")))
            text.text += more.rstrip("\n")[column:] + " "
            if text.text.count("(") <= text.text.count(")"):
                break
        try:
            return parse(text, names, more=True)
        except CudaTypeError as e:
            failed = failed or e
    if failed:
        raise failed
    return None
