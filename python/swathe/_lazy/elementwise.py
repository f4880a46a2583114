# SPDX-License-Identifier: BSD-3-Clause
"""Functions and operators of elements: their nodes, and the errors of operands that don't fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import lazy_begin, lazy_known, lazy_made
from .._core import lazy_element as element
from . import dtypes, ops
from .node import Node, flush
from .placed import apart

_NUMBERS = (bool, int, float, complex)
_types: dict[Any, np.dtype] = {}  # the dtype of a result, for each operation and its operands


def shape_of(a: tuple[int, ...], b: tuple[int, ...], name: str = "") -> tuple[int, ...]:
    """Return the shape that two become together."""
    if a == b or not b:
        return a
    if not a:
        return b
    rank = max(len(a), len(b))
    out = []
    for m, n in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True):
        if m != n and m != 1 and n != 1:
            where = f"{name}(): " if name else ""
            raise ValueError(f"{where}operands could not be broadcast together with shapes {a} {b}")
        out.append(n if m == 1 else m)
    return tuple(out)


def operand(x: Any, name: str, place: str = "x") -> Any:
    """Return the node of an array, or raise a TypeError."""
    if type(x) is not LazyArray:
        kind = "a NumPy array: make it lazy by swathe.lazy(x) or xp.asarray(x)"
        if not isinstance(x, np.ndarray):
            kind = type(x).__name__
        raise TypeError(f"{name}(): {place} is an array of swathe.xp, not {kind}")
    return x._node if x._base is None else views.fresh(x)


def _result(op: str, a: np.dtype, b: np.dtype | None, said: str) -> np.dtype:
    kind, result, _ = ops.UNARY[op] if b is None else ops.BINARY[op]
    dtypes.need(said, a, kind)
    if b is None:
        out = a
    else:
        dtypes.need(said, b, kind)
        out = dtypes.promote(a, b)
    if result == "bool":
        return dtypes.bool
    if result == "quotient" and out.kind in "iu":
        return dtypes.float64
    return np.empty(0, out).real.dtype if result == "real" else out


def unary(op: str, x: Any) -> Any:
    """Return what a function of one array yields."""
    made = lazy_made(op, x)
    if made is not None:
        return made
    node = operand(x, op)
    dtype = _result(op, node.dtype, None, op)
    written = op
    if node.dtype.kind in "iub" and op in ops.WHOLE or node.dtype.kind != "c" and op in (
        "conj", "real"):  # fmt: skip
        written = "positive"
    lazy_known(op, node.dtype, None, dtype, written)
    return element(written, (node,), dtype, node.shape, node.depth)


def binary(op: str, x1: Any, x2: Any, said: str = "") -> Any:
    """Return what a function of two arrays, or of one and a number, yields."""
    made = lazy_made(op, x1, x2)
    if made is not None:
        return made
    if type(x1) is LazyArray:
        a = x1._node if x1._base is None else views.fresh(x1)
        if type(x2) is LazyArray:
            b = x2._node if x2._base is None else views.fresh(x2)
            dtype = _typed(op, a.dtype, b.dtype, said)
            shape = shape_of(a.shape, b.shape, said or op)
            return element(op, (a, b), dtype, shape, max(a.depth, b.depth))
        if isinstance(x2, np.generic):
            return binary(op, x1, strong(x2, x1), said)
        b = _number(x2, a, said or op)
        return _with_number(op, a, b, (a, b), said)
    if type(x2) is LazyArray:
        b = x2._node if x2._base is None else views.fresh(x2)
        if isinstance(x1, np.generic):
            return binary(op, strong(x1, x2), x2, said)
        a = _number(x1, b, said or op)
        return _with_number(op, b, a, (a, b), said)
    operand(x1, said or op, "x1")
    raise AssertionError


def _typed(op: str, a: np.dtype, b: np.dtype, said: str) -> np.dtype:
    """Return the dtype of a result, which is known from now on."""
    dtype = _types.get((op, a, b))
    if dtype is None:
        dtype = _types[op, a, b] = _result(op, a, b, said or op)
        lazy_known(op, a, b, dtype, None)
    return dtype


def strong(x: np.generic, beside: Any) -> Any:
    """Return a number of NumPy's, which has a dtype, as an array without axes, where another is."""
    from .array import of_numpy

    found = of_numpy(np.asarray(x))
    found._node.queue = beside._node.queue
    return found


def _with_number(op: str, array: Node, number: Any, args: tuple, said: str) -> Any:
    other = array.dtype if type(number) in (float, bool) else number.dtype
    dtype = _typed(op, array.dtype, other, said)
    if op == "pow" and args[0] is array:
        small = _exponent(number)
        if small is not None:
            return wrap(Node("power_of", (array,), (small,), (), dtype, array.shape))
    return element(op, args, dtype, array.shape, array.depth)


def _exponent(number: Any) -> int | None:
    """Return a small exponent, which the function may know, or None."""
    if type(number) is float or isinstance(number, np.floating):
        return int(number) if number in (2.0, 3.0, 4.0) else None
    if isinstance(number, bool) or number.dtype.kind not in "iu":
        return None
    value = number.item()
    if value < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return value if value <= 4 else None


def _number(x: Any, array: Node, said: str) -> Any:
    """Return a Python number as what stands beside an array."""
    if type(x) not in _NUMBERS:
        if isinstance(x, np.ndarray):
            raise TypeError(
                f"{said}(): a NumPy array beside a lazy array: swathe.lazy(x) makes it lazy"
            )
        if not isinstance(x, _NUMBERS):
            raise TypeError(f"{said}() takes arrays and Python numbers, not {type(x).__name__}")
        x = x + 0
    dtype = dtypes.weak(x, array.dtype)
    if dtype.kind == "b":
        return x
    return dtypes.number(x, dtype)


def compared(op: str, x1: Any, x2: Any) -> Any:
    """Compare; an integer that the array's dtype can't hold is just greater or less than all."""
    for x, other in ((x1, x2), (x2, x1)) if type(x1) is int or type(x2) is int else ():
        if type(x) is LazyArray and type(other) is int and x.dtype.kind in "iu":
            info = np.iinfo(x.dtype)
            if not info.min <= other <= info.max:
                less = (other > info.max) == (other is x2)  # the array is the lesser
                truth = {"equal": False, "not_equal": True}.get(op, ("less" in op) == less)
                from ..xp.creation import full

                return full(x.shape, truth, device=x.device)
    return binary(op, x1, x2)


_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


def _taken(x: Any) -> bool:
    return type(x) is LazyArray or isinstance(x, (*_NUMBERS, np.generic, np.ndarray))


def _forward(op: str, x1: Any, x2: Any) -> Any:
    if not (_taken(x1) and _taken(x2)):
        return NotImplemented
    return binary(op, x1, x2)


def _in_place(op: str, x: Any, other: Any) -> Any:
    if not _taken(other):
        return NotImplemented
    out = binary(op, x, other)
    if out.dtype != x.dtype:
        raise TypeError(f"{op}() in place would change {x.dtype} to {out.dtype}")
    if out.shape != x.shape:
        raise ValueError(f"{op}() in place would change shape {x.shape} to {out.shape}")
    views.assign(x, out._node)
    return x


def _rich(op: str, x: Any, other: Any) -> Any:
    if not _taken(other):
        return NotImplemented
    return compared(op, x, other)


def install(cls: Any) -> None:
    """Give the class its operators."""
    global LazyArray, wrap, views
    from . import views as found
    from .array import wrap as made

    LazyArray, wrap, views = cls, made, found
    lazy_begin(cls, _forward, _in_place, _rich, unary, flush, apart, views.getitem)


LazyArray: Any = None
wrap: Any = None
views: Any = None
