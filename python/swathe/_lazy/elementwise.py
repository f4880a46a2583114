# SPDX-License-Identifier: BSD-3-Clause
"""Functions and operators of elements: their nodes, and the errors of operands that don't fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes, ops
from .node import Node, element

_float64 = dtypes.float64
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
    return np.empty(0, out).real.dtype if result == "real" else out


def unary(op: str, x: Any) -> Any:
    """Return what a function of one array yields."""
    node = operand(x, op)
    dtype = _types.get((op, node.dtype))
    if dtype is None:
        dtype = _types[op, node.dtype] = _result(op, node.dtype, None, op)
    if node.dtype.kind in "iub" and op in ops.WHOLE or node.dtype.kind != "c" and op in (
        "conj", "real"):  # fmt: skip
        op = "positive"
    return wrap(element(op, (node,), dtype, node.shape, node.depth))


def binary(op: str, x1: Any, x2: Any, said: str = "") -> Any:
    """Return what a function of two arrays, or of one and a number, yields."""
    if type(x1) is LazyArray:
        a = x1._node if x1._base is None else views.fresh(x1)
        if type(x2) is LazyArray:
            b = x2._node if x2._base is None else views.fresh(x2)
            dtype = _types.get((op, a.dtype, b.dtype))
            if dtype is None:
                dtype = _types[op, a.dtype, b.dtype] = _result(op, a.dtype, b.dtype, said or op)
            shape = a.shape
            if shape != b.shape:
                shape = shape_of(shape, b.shape, said or op)
            depth = a.depth if a.depth > b.depth else b.depth
            return wrap(element(op, (a, b), dtype, shape, depth))
        if type(x2) is float and a.dtype is _float64:
            dtype = _types.get((op, _float64, _float64))
            if dtype is not None:
                return wrap(element(op, (a, x2), dtype, a.shape, a.depth))
            b = x2
        elif isinstance(x2, np.generic):
            return binary(op, x1, strong(x2), said)
        else:
            b = _number(x2, a, said or op)
        return _with_number(op, a, b, (a, b), said)
    if type(x2) is LazyArray:
        b = x2._node if x2._base is None else views.fresh(x2)
        if isinstance(x1, np.generic):
            return binary(op, strong(x1), x2, said)
        a = _number(x1, b, said or op)
        return _with_number(op, b, a, (a, b), said)
    operand(x1, said or op, "x1")
    raise AssertionError


def strong(x: np.generic) -> Any:
    """Return a number of NumPy's, which has a dtype, as an array without axes."""
    from .array import of_numpy

    return of_numpy(np.asarray(x))


def _with_number(op: str, array: Node, number: Any, args: tuple, said: str) -> Any:
    other = array.dtype if type(number) in (float, bool) else number.dtype
    key = (op, array.dtype, other)
    dtype = _types.get(key)
    if dtype is None:
        dtype = _types[key] = _result(op, array.dtype, other, said or op)
    if op == "pow" and args[0] is array and type(number) is not float:
        small = _exponent(number)
        if small is not None:
            return wrap(Node("power_of", (array,), (small,), (), dtype, array.shape))
    return wrap(element(op, args, dtype, array.shape, array.depth))


def _exponent(number: Any) -> int | None:
    """Return a small exponent, which the function may know, or None."""
    value = number.item()
    if number.dtype.kind in "iu" and value < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return value if number.dtype.kind in "iu" and value <= 4 else None


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

                return full(x.shape, truth)
    return binary(op, x1, x2)


_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
    "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}  # fmt: skip
_RICH = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
         "ge": "greater_equal"}  # fmt: skip
_SINGLE = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}


def _taken(x: Any) -> bool:
    return type(x) is LazyArray or isinstance(x, (*_NUMBERS, np.generic, np.ndarray))


def _forward(op: str) -> Any:
    def method(self: Any, other: Any, /) -> Any:
        if type(other) is not LazyArray and not _taken(other):
            return NotImplemented
        return binary(op, self, other)

    return method


def _reflected(op: str) -> Any:
    def method(self: Any, other: Any, /) -> Any:
        if not _taken(other):
            return NotImplemented
        return binary(op, other, self)

    return method


def _in_place(op: str) -> Any:
    def method(self: Any, other: Any, /) -> Any:
        if type(other) is not LazyArray and not _taken(other):
            return NotImplemented
        out = binary(op, self, other)
        if out.dtype != self.dtype:
            raise TypeError(f"{op}() in place would change {self.dtype} to {out.dtype}")
        if out.shape != self.shape:
            raise ValueError(f"{op}() in place would change shape {self.shape} to {out.shape}")
        views.assign(self, out._node)
        return self

    return method


def _rich(op: str) -> Any:
    def method(self: Any, other: Any, /) -> Any:
        if type(other) is not LazyArray and not _taken(other):
            return NotImplemented
        return compared(op, self, other)

    return method


def _single(op: str) -> Any:
    return lambda self, /: unary(op, self)


def install(cls: Any) -> None:
    """Give the class its operators."""
    global LazyArray, wrap, views
    from . import views as found
    from .array import wrap as made

    LazyArray, wrap, views = cls, made, found
    for name, op in _OPERATORS.items():
        for prefix, way in (("", _forward), ("r", _reflected), ("i", _in_place)):
            method = way(op)
            method.__name__ = f"__{prefix}{name}__"
            setattr(cls, method.__name__, method)
    for names, way in ((_RICH, _rich), (_SINGLE, _single)):
        for name, op in names.items():
            method = way(op)
            method.__name__ = f"__{name}__"
            setattr(cls, method.__name__, method)


LazyArray: Any = None
wrap: Any = None
views: Any = None
