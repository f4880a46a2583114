# SPDX-License-Identifier: BSD-3-Clause
"""Signatures of ufuncs as dtypes, and functions made of text."""

from __future__ import annotations

import itertools
import linecache
import re
from typing import Any

import numpy as np

from . import types
from .types import signature_text

_PYTHON = {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}
_ARRAY = re.compile(r"^(\w+(?:\[\d*[A-Za-z]+\])?)(?:\[[:,1 ]*\])?$")
_count = itertools.count()


def _split(text: str) -> list[str]:
    parts, depth, at = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[at:k])
            at = k + 1
    last = text[at:].strip()
    return [p.strip() for p in parts] + ([last] if last else [])


def dtype_of(text: str) -> np.dtype:
    """Return the dtype of a number's or an array's type, as text."""
    found = _ARRAY.match(text.strip())
    name = found[1] if found else text
    known = getattr(types, name, None)
    try:
        return np.dtype(_PYTHON.get(name) or getattr(known, "_swathe_dtype", name))
    except TypeError:
        raise TypeError(f"{text!r} is no type of numbers or of arrays of them") from None


def parse(signature: Any) -> tuple[str, list[str]]:
    """Return the result's type and the arguments', as text; no result is ''."""
    text = signature_text(signature).strip()
    head, _, rest = text.partition("(")
    if not rest.endswith(")"):
        raise TypeError(f"{text!r} is no signature: write 'float64(float64, float64)'")
    return head.strip(), _split(rest[:-1])


def listed(signatures: Any) -> list[Any]:
    """Return signatures as a list: one, or several, or none."""
    if signatures is None:
        return []
    return list(signatures) if isinstance(signatures, (list, tuple)) else [signatures]


def function(text: str, names: dict[str, Any], wanted: str = "", kind: str = "ufunc") -> Any:
    """Return the only function that a text defines, or the one wanted; compilers find the text."""
    file = f"<swathe {kind} {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = dict(names)
    before = set(space)
    exec(compile(text, file, "exec"), space)
    if wanted:
        return space[wanted]
    (name,) = set(space) - before - {"__builtins__"}
    return space[name]
