# SPDX-License-Identifier: BSD-3-Clause
"""What compiled code asks Python for by a name (``asked`` of swathe._objects): functions that only
look at what they are given, and yield an array of uint32."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from typing import IO, Any

import numpy as np

_NONE = 2**32 - 1  # the length of what is None


def _points(text: str) -> np.ndarray:
    """Return the code points of a text."""
    return np.frombuffer(bytearray(text.encode("utf-32-le", "surrogatepass")), np.uint32)


def _texts(texts: Iterable[str | None]) -> np.ndarray:
    """Return how many there are, the length of each, and their code points."""
    texts = list(texts)
    head = [len(texts), *(_NONE if t is None else len(t) for t in texts)]
    return np.concatenate([np.array(head, np.uint32), _points("".join(t or "" for t in texts))])


def _place(m: re.Match[str] | None) -> list[int]:
    """Return where a match and its groups begin and end, from 1 on; 0: that is nowhere."""
    n = m.re.groups + 1 if m else 0
    return [k + 1 for i in range(n) if m for k in m.span(i)]


def _match(how: str) -> Callable[..., np.ndarray]:
    """Return a function that yields the places of one match; none where there is no match."""
    return lambda pattern, text, flags: np.array(
        _place(getattr(re, how)(pattern, text, flags)), np.uint32
    )


def _names(pattern: str, flags: int) -> np.ndarray:
    """Return the names of the groups; "" where one has none."""
    p = re.compile(pattern, flags)
    names = {k: name for name, k in p.groupindex.items()}
    return _texts(names.get(k, "") for k in range(p.groups + 1))


def _found(pattern: str, text: str, flags: int, groups: int) -> np.ndarray:
    """Return what findall has, with the groups of a match one after the other."""
    if groups < 0 and re.compile(pattern, flags).groups > 1:
        raise NotImplementedError("re.findall of several groups: the pattern must be a literal")
    found = re.findall(pattern, text, flags)
    return _texts(t for f in found for t in (f if isinstance(f, tuple) else (f,)))


# ---- files: those that are open to be written, by numbers

_FILES: dict[int, IO[str]] = {}
_NUMBERS = itertools.count(1)


def _open(path: str, mode: str, encoding: str, errors: str) -> np.ndarray:
    """Return the number of a file that is written, or 0 and the lines of one that is read."""
    if "b" in mode or "+" in mode:
        raise NotImplementedError(f"open() in mode {mode!r} in compiled code")
    file = open(path, mode, encoding=encoding or None, errors=errors or None)  # noqa: SIM115
    if file.readable():
        with file:
            return _texts(["0", *file])
    number = next(_NUMBERS)
    _FILES[number] = file
    return _texts([str(number)])


def _write(number: int, text: str) -> np.ndarray:
    _FILES[number].write(text)
    _FILES[number].flush()
    return np.zeros(1, np.uint32)


def _close(number: int) -> np.ndarray:
    _FILES.pop(number).close()
    return np.zeros(1, np.uint32)


FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "numpy.str": lambda a: _points(str(a)),
    "numpy.repr": lambda a: _points(repr(a)),
    "re.match": _match("match"),
    "re.fullmatch": _match("fullmatch"),
    "re.search": _match("search"),
    "re.finditer": lambda pattern, text, flags: np.array(
        [k for m in re.finditer(pattern, text, flags) for k in _place(m)], np.uint32
    ),
    "re.names": _names,
    "re.findall": _found,
    "re.split": lambda p, text, most, flags: _texts(re.split(p, text, maxsplit=most, flags=flags)),
    "re.sub": lambda p, by, text, most, flags: _points(
        re.sub(p, by, text, count=most, flags=flags)
    ),
    "re.subn": lambda p, by, text, most, flags: _texts(
        map(str, re.subn(p, by, text, count=most, flags=flags))
    ),
    "file.open": _open,
    "file.write": _write,
    "file.close": _close,
    "re.escape": lambda text: _points(re.escape(text)),
}


def groups(pattern: Any, flags: int = 0) -> int:
    """Return how many groups a pattern has; -1: it is none."""
    try:
        return re.compile(pattern, flags).groups
    except (re.error, TypeError, ValueError, OverflowError, RecursionError):
        return -1
