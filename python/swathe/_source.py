# SPDX-License-Identifier: BSD-3-Clause
"""Whether a text is the one that a function was made of.

A function is compiled from its file's text, and CPython runs the code that it made of that text
when the module was imported. A file that has been written since this process began is compiled once
more, to be compared with that code: an edit that CPython has not seen is an error, not another
result. What is in no file is found in the same way: of the texts that were heard of (see
py/unfiled.c), the one that gives the same code.
"""

from __future__ import annotations
import __future__

import contextlib
import functools
import re
import threading
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
NAMES = ("co_name", "co_varnames", "co_names", "co_freevars", "co_cellvars")
_last: tuple[list[str], int, CodeType | None] | None = None


def codes_of(code: CodeType) -> Any:
    for c in code.co_consts:
        if isinstance(c, CodeType):
            yield c
            yield from codes_of(c)


def same_value(a: Any, b: Any) -> bool:
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return same_code(a, b)
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return sorted(map(repr, a)) == sorted(map(repr, b))
    return type(a) is type(b) and repr(a) == repr(b)  # 1, 1.0, True; 0.0 and -0.0


def same_code(a: CodeType, b: CodeType) -> bool:
    return (
        a.co_code == b.co_code
        and all(getattr(a, name) == getattr(b, name) for name in NAMES)
        and len(a.co_consts) == len(b.co_consts)
        and all(map(same_value, a.co_consts, b.co_consts))
    )


STACK = 64 << 20  # bytes: CPython compiles by recursion, which no limit of its own ends
_stack_lock = threading.Lock()


def code_of(text: str, file: str, flags: int) -> CodeType | None:
    """What CPython makes of a text, in a thread with room; None where it is no Python."""
    found: list[CodeType] = []

    def run() -> None:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            found.append(compile(text, file, "exec", flags, dont_inherit=True))

    if threading.current_thread() is threading.main_thread():
        run()
    else:
        with _stack_lock:
            size = threading.stack_size(STACK)
            try:
                thread = threading.Thread(target=run)
                thread.start()
            finally:
                threading.stack_size(size)
            thread.join()
    return found[0] if found else None


def compiled(lines: list[str], file: str, flags: int) -> CodeType | None:
    """The code of a whole file, for it says what is a closure and what is private to a class."""
    global _last
    if _last is None or _last[0] is not lines or _last[1] != flags:
        _last = (lines, flags, code_of("".join(lines), file, flags))
    return _last[2]


def unchanged(code: CodeType, lines: list[str], names: dict[str, Any]) -> bool:
    loader = names.get("__loader__")
    if loader is not None and type(loader) is not SourceFileLoader:
        return True  # one that makes other code of the text, as pytest does
    now = compiled(lines, code.co_filename, code.co_flags & FUTURE)
    return now is not None and any(
        c.co_firstlineno == code.co_firstlineno and same_code(c, code) for c in codes_of(now)
    )


def may_be_of(code: CodeType, lines: list[str], names: dict[str, Any]) -> bool:
    """Of a text that is no file's. What made the code of it may have changed its tree, or have run
    it in a mode of its own: only another function in the same place says that it is another text.
    """
    loader = names.get("__loader__")
    if loader is not None and type(loader) is not SourceFileLoader and hasattr(loader, "get_code"):
        return True
    now = compiled(lines, code.co_filename, code.co_flags & FUTURE)
    there = [
        c
        for c in (codes_of(now) if now is not None else ())
        if c.co_firstlineno == code.co_firstlineno and c.co_name == code.co_name
    ]
    return not there or any(same_code(c, code) for c in there)


MOST_TRIED = 100  # texts for one function: lambdas are in many
TRIED = "/tried"  # a file's name, for what is compiled to be compared is not heard of


def made_by(lines: list[str], code: CodeType) -> bool:
    """Whether Python makes this very code, in the same place, of a text."""
    made = code_of("".join(lines), TRIED, code.co_flags & FUTURE)
    return made is not None and any(
        c.co_firstlineno == code.co_firstlineno and same_code(c, code) for c in codes_of(made)
    )


@functools.lru_cache(maxsize=16)
def lines_of(text: bytes) -> list[str]:
    return text.decode("utf-8", "replace").splitlines(keepends=True)


def before_error(lines: list[str]) -> list[str]:
    """Without what follows a script in the buffer that it was read from."""
    for _ in range(8):
        try:
            compile("".join(lines), TRIED, "exec", dont_inherit=True)
            break
        except SyntaxError as e:
            lines = lines[: max((e.lineno or 1) - 1, 0)]
        except (ValueError, RecursionError, MemoryError):
            return []
    return lines


def blocks(lines: list[str], code: CodeType) -> Iterator[list[str]]:
    """Each function of that name in the end of a script whose beginning is lost, in its place."""
    head = re.compile(rf"([ \t]*)def {re.escape(code.co_name)}\b")
    for i, line in enumerate(lines):
        if not (found := head.match(line)):
            continue
        indent, start, end = found[1], i, i + 1
        while start > 0 and lines[start - 1].startswith(indent + "@"):
            start -= 1
        inner = (indent + " ", indent + "\t", indent + ")")
        while end < len(lines) and (lines[end].isspace() or lines[end].startswith(inner)):
            end += 1
        above = ["\n"] * (code.co_firstlineno - 1)
        if indent and above:
            above[-1] = "if 1:\n"
        yield above + lines[start:end]


def of_script(script: bytes, code: CodeType) -> Iterator[list[str]]:
    lines = lines_of(script.split(b"\0", 1)[0])
    yield before_error(lines)
    yield from blocks(lines, code)


def unfiled(code: CodeType, given: list[bytes], typed: bytes, script: bytes) -> list[str] | None:
    """Return the lines of the text of which Python made a code; None where none of these is.

    Parameters
    ----------
    given
        What exec() and its like were given, the newest first.
    typed
        The statements of a prompt, with a NUL between them.
    script
        What the buffer of standard input has, or all of a file that it is.
    """
    name = code.co_name
    word = b"lambda" if name == "<lambda>" else b"def " + name.encode()
    texts = dict.fromkeys(t for t in [*given, *reversed(typed.split(b"\0"))] if word in t)
    for lines in map(lines_of, list(texts)[:MOST_TRIED]):
        if made_by(lines, code):
            return lines
    return next((ls for ls in of_script(script, code) if made_by(ls, code)), None)
