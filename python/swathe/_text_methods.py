# SPDX-License-Identifier: BSD-3-Clause
"""np.char and np.strings in compiled code: the methods of str, element by element."""

import numpy as np

from swathe import static_fail
from swathe._text_arrays import TextArray, _length, _of_width, _rows, _texts, of_texts

# ruff: noqa: D103

# Are old and new cut to the elements' width, as some releases of NumPy do?
_CUTS = bool(np.char.replace(np.array(["a"]), "a", "bc")[0] == "b")


def _given(a):
    if isinstance(a, TextArray):
        return a
    elif isinstance(a, list) and isinstance(a[0], str):
        return of_texts(a, np.uint32)
    else:
        static_fail("np.char and np.strings take arrays of strings in compiled code", True)


def upper(a):
    a = _given(a)
    return _of_width([s.upper() for s in _texts(a)], a._of.shape[-1], a)


def lower(a):
    a = _given(a)
    return _of_width([s.lower() for s in _texts(a)], a._of.shape[-1], a)


def title(a):
    a = _given(a)
    return _of_width([s.title() for s in _texts(a)], a._of.shape[-1], a)


def capitalize(a):
    a = _given(a)
    return _of_width([s.capitalize() for s in _texts(a)], a._of.shape[-1], a)


def swapcase(a):
    a = _given(a)
    return _of_width([s.swapcase() for s in _texts(a)], a._of.shape[-1], a)


def strip(a, chars=None):
    a = _given(a)
    return _of_width([s.strip(chars) for s in _texts(a)], a._of.shape[-1], a)


def lstrip(a, chars=None):
    a = _given(a)
    return _of_width([s.lstrip(chars) for s in _texts(a)], a._of.shape[-1], a)


def rstrip(a, chars=None):
    a = _given(a)
    return _of_width([s.rstrip(chars) for s in _texts(a)], a._of.shape[-1], a)


def _widest(values, least):
    if len(values) == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    width = least
    for v in values:
        width = max(width, len(v))
    return width


def replace(a, old, new, count=-1):
    a = _given(a)
    if _CUTS:
        n = a._of.shape[-1]
        values = [s.replace(old[:n], new[:n], count) for s in _texts(a)]
    else:
        values = [s.replace(old, new, count) for s in _texts(a)]
    return _of_width(values, _widest(values, 1), a)


def zfill(a, width):
    a = _given(a)
    values = [s.zfill(width) for s in _texts(a)]
    return _of_width(values, _widest(values, 1), a)


def center(a, width, fillchar=" "):
    a = _given(a)
    values = [s.center(width, fillchar) for s in _texts(a)]
    return _of_width(values, _widest(values, 1), a)


def ljust(a, width, fillchar=" "):
    a = _given(a)
    values = [s.ljust(width, fillchar) for s in _texts(a)]
    return _of_width(values, _widest(values, 1), a)


def rjust(a, width, fillchar=" "):
    a = _given(a)
    values = [s.rjust(width, fillchar) for s in _texts(a)]
    return _of_width(values, _widest(values, 1), a)


def multiply(a, i):
    a = _given(a)
    values = [s * i for s in _texts(a)]
    return _of_width(values, _widest(values, 1), a)


def str_len(a):
    a = _given(a)
    return np.array([_length(p) for p in _rows(a._of)]).astype(np.int64).reshape(a.shape)


def startswith(a, prefix, start=0, end=None):
    a = _given(a)
    return _bools(a, [s.startswith(prefix, start, end) for s in _texts(a)])


def endswith(a, suffix, start=0, end=None):
    a = _given(a)
    return _bools(a, [s.endswith(suffix, start, end) for s in _texts(a)])


def find(a, sub, start=0, end=None):
    a = _given(a)
    return _ints(a, [s.find(sub, start, end) for s in _texts(a)])


def rfind(a, sub, start=0, end=None):
    a = _given(a)
    return _ints(a, [s.rfind(sub, start, end) for s in _texts(a)])


def count(a, sub, start=0, end=None):
    a = _given(a)
    return _ints(a, [s.count(sub, start, end) for s in _texts(a)])


def isalpha(x):
    x = _given(x)
    return _bools(x, [s.isalpha() for s in _texts(x)])


def isdigit(x):
    x = _given(x)
    return _bools(x, [s.isdigit() for s in _texts(x)])


def isalnum(x):
    x = _given(x)
    return _bools(x, [s.isalnum() for s in _texts(x)])


def isspace(x):
    x = _given(x)
    return _bools(x, [s.isspace() for s in _texts(x)])


def islower(x):
    x = _given(x)
    return _bools(x, [s.islower() for s in _texts(x)])


def isupper(x):
    x = _given(x)
    return _bools(x, [s.isupper() for s in _texts(x)])


def istitle(x):
    x = _given(x)
    return _bools(x, [s.istitle() for s in _texts(x)])


def isnumeric(x):
    x = _given(x)
    return _bools(x, [s.isnumeric() for s in _texts(x)])


def isdecimal(x):
    x = _given(x)
    return _bools(x, [s.isdecimal() for s in _texts(x)])


def _bools(a, values):
    return np.array(values, np.bool_).reshape(a.shape)


def _ints(a, values):
    return np.array(values, np.int64).reshape(a.shape)


NAMES = (
    *("upper", "lower", "title", "capitalize", "swapcase", "strip", "lstrip", "rstrip", "replace"),
    *("zfill", "center", "ljust", "rjust", "multiply", "str_len", "startswith", "endswith", "find"),
    *("rfind", "count", "isalpha", "isdigit", "isalnum", "isspace", "islower", "isupper"),
    *("istitle", "isnumeric", "isdecimal"),
)
