# SPDX-License-Identifier: BSD-3-Clause
"""What compiled code asks Python for by a name (``asked`` of swathe._objects): functions that only
look at what they are given, and yield an array of uint32."""

from __future__ import annotations

import codecs
import importlib
import itertools
import os
import re
import struct
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
    """Return where a match and its groups begin and end, from 1 on; 0: that is nowhere. Behind
    these is the last group that has matched."""
    if not m:
        return []
    return [*(k + 1 for i in range(m.re.groups + 1) for k in m.span(i)), m.lastindex or 0]


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
    """Return the number of a file that is written, or 0 and what stands in one that is read."""
    file = open(path, mode, encoding=encoding or None, errors=errors or None)  # noqa: SIM115
    if file.readable():
        with file:
            return _texts(["0", file.read()])
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


def _struct_fails(code: str, value: int) -> np.ndarray:
    """Return what is said of an int that has no place."""
    try:
        struct.pack(code, value)
    except (struct.error, OverflowError) as e:
        return _points(str(e))
    return _points("")


def _points_of(module: str, name: str) -> Callable[..., np.ndarray]:
    """Return a function that yields what one of a module yields: a text, bytes or a number."""

    def function(*args: object) -> np.ndarray:
        r = getattr(importlib.import_module(module), name)(*args)
        if isinstance(r, str):
            return _points(r)
        return np.array(list(r) if isinstance(r, bytes) else [r], np.uint32)

    return function


def _texts_of(module: str, name: str) -> Callable[..., np.ndarray]:
    """Return a function that yields what one of a module yields: a text, or a list of them."""

    def function(*args: object) -> np.ndarray:
        r = getattr(importlib.import_module(module), name)(*args)
        return _texts([r] if isinstance(r, str) else r)

    return function


def _digest(name: str, given: str) -> np.ndarray:
    import hashlib

    return np.array(list(hashlib.new(name, bytes.fromhex(given)).digest()), np.uint32)


def _shorten(text: str, width: int, placeholder: str) -> np.ndarray:
    import textwrap

    return _texts([textwrap.shorten(text, width, placeholder=placeholder)])


FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "numpy.str": lambda a: _points(str(a)),
    "numpy.repr": lambda a: _points(repr(a)),
    "numpy.array_str": lambda *given: _points(np.array_str(*given)),
    "numpy.array_repr": lambda *given: _points(np.array_repr(*given)),
    "numpy.array2string": lambda *given: _points(np.array2string(*given)),
    "numpy.positional": lambda *given: _points(np.format_float_positional(*given)),
    "numpy.scientific": lambda *given: _points(np.format_float_scientific(*given)),
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
    "textwrap.wrap": _texts_of("textwrap", "wrap"),
    "textwrap.dedent": _texts_of("textwrap", "dedent"),
    "textwrap.shorten": _shorten,
    "html.unescape": _points_of("html", "unescape"),
    "unicodedata.normalize": _points_of("unicodedata", "normalize"),
    "unicodedata.category": _points_of("unicodedata", "category"),
    "unicodedata.east_asian_width": _points_of("unicodedata", "east_asian_width"),
    "unicodedata.combining": _points_of("unicodedata", "combining"),
    "zlib.crc32": _points_of("zlib", "crc32"),
    "zlib.adler32": _points_of("zlib", "adler32"),
    "binascii.unhexlify": _points_of("binascii", "unhexlify"),
    "base64.b64encode": _points_of("base64", "b64encode"),
    "base64.b64decode": _points_of("base64", "b64decode"),
    "base64.b32encode": _points_of("base64", "b32encode"),
    "hashlib.digest": _digest,
    "str.encode": lambda text, encoding, errors: np.frombuffer(
        bytearray(text.encode(encoding, errors or "strict")), np.uint8
    ).astype(np.uint32),
    "bytes.decode": lambda data, encoding, errors: _points(
        data.decode(encoding, errors or "strict")
    ),
    "codecs.rot13": lambda text: _points(codecs.encode(text, "rot13")),
    "path.normpath": lambda path: _points(os.path.normpath(path)),
    "path.exists": lambda path: np.array([os.path.exists(path)], np.uint32),
    "path.isfile": lambda path: np.array([os.path.isfile(path)], np.uint32),
    "path.isdir": lambda path: np.array([os.path.isdir(path)], np.uint32),
    "struct.fails": _struct_fails,
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
