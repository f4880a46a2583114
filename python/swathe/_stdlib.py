# SPDX-License-Identifier: BSD-3-Clause
"""What functions and classes of the standard library are in compiled code: functions in Python, by
the objects that they stand for."""

from __future__ import annotations

import bisect
import copy
import dataclasses
import functools
import heapq
import itertools
import operator
import random
import sys
import time
import types
from collections.abc import Callable

import numpy as np

from swathe import (
    _bisect,
    _copy,
    _endless,
    _functools,
    _heapq,
    _itertools,
    _methods,
    _modules,
    _numbers,
    _operator,
    _random,
    _statistics,
    _strings,
    _struct,
    _time,
)

Table = dict[object, Callable[..., object]]

_MODULES = [
    (operator, _operator),
    (heapq, _heapq),
    (bisect, _bisect),
    (copy, _copy),
    (functools, _functools),
    (itertools, _itertools),
    (itertools, _endless),
    (random, _random),
    (time, _time),
]


def _named_alike(theirs: types.ModuleType, ours: types.ModuleType) -> Table:
    return {
        getattr(theirs, name): value
        for name, value in vars(ours).items()
        if isinstance(value, types.FunctionType)
        and value.__module__ == ours.__name__
        and not name.startswith("_")
        and hasattr(theirs, name)
    }


# ---- what few programs name, whose modules take longer to import than all others ----


def _of_re() -> Table:
    import re

    from swathe import _re

    found = _named_alike(re, _re)
    found["re.compile"] = _re.compile
    for name in _re.OF_GROUPS:
        found[f"re.{name}"] = getattr(_re, name)
        found[f"pattern.{name}"] = getattr(_re, f"{name}_of")
    for name in ("split", "sub", "subn"):
        found[f"pattern.{name}"] = getattr(_re, name)
    return found


def _of_polynomials() -> Table:
    from swathe import _polynomials

    found: Table = {np.poly1d: _polynomials.poly1d}
    found[np.polynomial.Polynomial] = _polynomials.Polynomial
    for name in ("fit", "fromroots", "basis", "identity"):
        found[f"Polynomial.{name}"] = getattr(_polynomials, f"polynomial_{name}")
    return found


def _of_text_arrays() -> Table:
    from swathe import _text_methods

    modules = [np.char, np.strings] if hasattr(np, "strings") else [np.char]
    return {getattr(m, n): getattr(_text_methods, n) for m in modules for n in _text_methods.NAMES}


def _of_files() -> Table:
    from swathe import _files

    return {open: _files.open}


def _of_memoryviews() -> Table:
    from swathe import _memoryview

    return {
        memoryview: _memoryview.memoryview_of,
        "memoryview_of.class": _memoryview.View,
    }


# By the first part of a name, or the module.
_LATE: dict[str, Callable[[], Table]] = {
    "re": _of_re,
    "pattern": _of_re,
    "poly1d": _of_polynomials,
    "Polynomial": _of_polynomials,
    "open": _of_files,
    "memoryview": _of_memoryviews,
    "memoryview_of": _of_memoryviews,
}


def more(key: object) -> Table:
    """Return what there is beside the table, where `key` may be of that."""
    if isinstance(key, str):
        names = [key.partition(".")[0]]
    else:
        names = [getattr(key, "__name__", ""), getattr(key, "__module__", "")]
    found: Table = {}
    for name in names:
        part = _LATE.pop(name, None) if isinstance(name, str) else None
        found |= part() if part else {}
    # what isn't imported nobody has named
    if not _seen and ("numpy.char" in sys.modules or "numpy.strings" in sys.modules):
        _seen.append(True)
        found |= _of_text_arrays()
    return found


_seen: list[bool] = []


def table() -> Table:
    """Return our function for each that has one."""
    found: Table = {}
    for theirs, ours in _MODULES:
        found |= _named_alike(theirs, ours)
    for name, value in vars(_statistics).items():  # by name, for whoever imports the module
        if isinstance(value, types.FunctionType):
            found[f"statistics.{name}"] = value
    for name, value in vars(_struct).items():
        if name.endswith("_of"):
            found[f"struct.{name.removesuffix('_of')}"] = value
        elif isinstance(value, types.FunctionType) and not name.startswith("_"):
            found[f"_struct.{name}"] = value
    for name, value in vars(_modules).items():
        if isinstance(value, types.FunctionType) and "__" in name:
            found[name.replace("__", ".", 1)] = value
    for name, value in vars(_methods).items():
        if isinstance(value, types.FunctionType):
            found[name.removeprefix("named_").replace("_", ".", 1)] = value
    for place, value in _operator.PLACES.items():
        found[f"itemgetter.{place}"] = value
    found["json__dumps.displays"] = _modules.json__dumps  # lists are written as tuples are
    found["chain.from_iterable"] = _itertools.from_iterable
    found["dict.fromkeys"] = _numbers.fromkeys
    found[dataclasses.replace] = _functools.replaced
    found[dataclasses.asdict] = _functools.as_dict
    found[dataclasses.astuple] = _functools.as_tuple
    found["iter.first"] = _numbers.first
    found["zip.columns"] = _itertools.columns
    found["zip.tuples"] = _itertools.rows_of_columns
    found["zip.strict_columns"] = _itertools.strict_columns
    found["zip.strict_tuples"] = _itertools.strict_rows_of_columns
    found["zip_longest.columns"] = _itertools.padded_columns
    found["zip_longest.tuples"] = _itertools.padded_rows
    found["permutations.tuples"] = _itertools.permutation_tuples
    found["combinations.tuples"] = _itertools.combination_tuples
    found["combinations_with_replacement.tuples"] = _itertools.repeated_tuples
    found["product.tuples"] = _itertools.product_tuples
    found["permutations.lists"] = _itertools.permutation_lists
    found["combinations.lists"] = _itertools.combination_lists
    found["combinations_with_replacement.lists"] = _itertools.repeated_lists
    found["product.lists"] = _itertools.product_lists
    for n in (2, 3, 4):
        for by in (f"columns{n}", f"unpacked{n}", f"unpacked{n}_tuples"):
            found[f"zip.{by}"] = getattr(_itertools, by)
    found["zip.pairs"] = _itertools.column_pairs
    found["str.maketrans"] = _strings.maketrans
    found["bytes.maketrans"] = _strings.maketrans_bytes
    found["bytes.fromhex"] = _strings.fromhex
    found["bytearray.maketrans"] = _strings.maketrans_bytes
    found["bytearray.fromhex"] = _strings.bytearray_fromhex
    found["int.from_bytes"] = _strings.from_bytes
    found["bound.get"] = _strings.bound_get
    found["bound.__getitem__"] = _strings.bound_getitem
    found["bound.index"] = _strings.bound_index
    found["bound.count"] = _strings.bound_count
    found["bound.find"] = _strings.bound_find
    return found
