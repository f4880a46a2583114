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
import re
import time
import types
from collections.abc import Callable

import numpy as np

from swathe import (
    _bisect,
    _copy,
    _endless,
    _files,
    _functools,
    _heapq,
    _itertools,
    _memoryview,
    _methods,
    _modules,
    _numbers,
    _operator,
    _polynomials,
    _random,
    _re,
    _statistics,
    _strings,
    _struct,
    _text_methods,
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
    (re, _re),
]


def table() -> Table:
    """Return our function for each that has one."""
    found: Table = {}
    for theirs, ours in _MODULES:
        for name, value in vars(ours).items():
            own = isinstance(value, types.FunctionType) and value.__module__ == ours.__name__
            if own and not name.startswith("_") and hasattr(theirs, name):
                found[getattr(theirs, name)] = value
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
    found["re.compile"] = _re.compile
    for name in _re.OF_GROUPS:
        found[f"re.{name}"] = getattr(_re, name)
        found[f"pattern.{name}"] = getattr(_re, f"{name}_of")
    for name in ("split", "sub", "subn"):
        found[f"pattern.{name}"] = getattr(_re, name)
    found[open] = _files.open
    found[np.poly1d] = _polynomials.poly1d
    found[np.polynomial.Polynomial] = _polynomials.Polynomial
    for name in ("fit", "fromroots", "basis", "identity"):
        found[f"Polynomial.{name}"] = getattr(_polynomials, f"polynomial_{name}")
    for name in _text_methods.NAMES:
        found[getattr(np.char, name)] = getattr(_text_methods, name)
        if hasattr(np, "strings"):
            found[getattr(np.strings, name)] = getattr(_text_methods, name)
    found[memoryview] = _memoryview.memoryview_of
    found["memoryview_of.class"] = _memoryview.View
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
