# SPDX-License-Identifier: BSD-3-Clause
"""Functions of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._lazy import dtypes, ops
from .._lazy.array import LazyArray, wrap
from .._lazy.elementwise import _COMPARISONS, binary, compared, operand, shape_of, unary
from .._lazy.node import Node
from .creation import astype

_NUMBERS = (bool, int, float, complex)


def _one(name: str) -> Any:
    def function(x: LazyArray, /) -> LazyArray:
        return unary(name, x)

    kind = ops.UNARY[name][0]
    function.__doc__ = f"Return {name} of each element, of {kind} arrays."
    return function


def _two(name: str) -> Any:
    way = compared if name in _COMPARISONS else binary

    def function(x1: Any, x2: Any, /) -> LazyArray:
        return way(name, x1, x2)

    kind = ops.BINARY[name][0]
    function.__doc__ = f"Return {name} of elements side by side, of {kind} arrays."
    return function


def _install() -> list[str]:
    for table, make in ((ops.UNARY, _one), (ops.BINARY, _two)):
        for name in table:
            f = make(name)
            f.__name__ = f.__qualname__ = name
            f.__module__ = "swathe.xp"
            globals()[name] = f
    return [*ops.UNARY, *ops.BINARY]


NAMES = _install()
__all__ = [*NAMES, "clip", "where"]


def _number(x: Any, dtype: np.dtype, name: str) -> Any:
    """Return a Python number as one of a dtype."""
    if not isinstance(x, _NUMBERS):
        raise TypeError(f"{name}() takes arrays and Python numbers, not {type(x).__name__}")
    if dtypes.weak(x, dtype) != dtype:
        raise TypeError(f"{name}(): a Python {type(x).__name__} beside an array of {dtype}")
    return dtypes.number(x, dtype)


def where(condition: LazyArray, x1: Any, x2: Any, /) -> LazyArray:
    """Return elements of one array where a condition holds, and of another where not."""
    test = operand(condition, "where", "condition")
    if test.dtype != dtypes.bool:
        raise TypeError(f"where(): the condition is of bools, not of {test.dtype}")
    arrays = [operand(x, "where") for x in (x1, x2) if not isinstance(x, _NUMBERS)]
    if not arrays:
        raise TypeError("where() needs an array beside the condition")
    numbers = [x for x in (x1, x2) if isinstance(x, _NUMBERS)]
    dtype = dtypes.result_type(*[n.dtype for n in arrays], *numbers)
    shape = test.shape
    args: list[Any] = [test]
    for x in (x1, x2):
        if isinstance(x, _NUMBERS):
            args.append(dtypes.number(x, dtype))
            continue
        node = operand(astype(x, dtype, copy=False), "where")
        shape = shape_of(shape, node.shape, "where")
        args.append(node)
    return wrap(Node("where", tuple(args), (), (), dtype, shape))


def clip(x: LazyArray, /, min: Any = None, max: Any = None) -> LazyArray:  # noqa: A002
    """Return elements that are no less than one bound and no more than another."""
    node = operand(x, "clip")
    dtypes.need("clip", node.dtype, "real numeric")
    for op, bound in (("maximum", min), ("minimum", max)):
        if bound is None:
            continue
        if type(bound) is not LazyArray:
            x = _bounded(op, x, bound)
            continue
        if dtypes.promote(bound.dtype, node.dtype) != node.dtype:
            x = astype(binary(op, x, bound, "clip"), node.dtype)
        else:
            x = binary(op, x, bound, "clip")
    return unary("positive", x) if min is None and max is None else x


def _bounded(op: str, x: LazyArray, bound: Any) -> LazyArray:
    if x.dtype.kind in "iu" and type(bound) is int:
        info = np.iinfo(x.dtype)
        if op == "maximum" and bound < info.min or op == "minimum" and bound > info.max:
            return x
    return binary(op, x, _plain(bound), "clip")


def _plain(x: Any) -> Any:
    return x.item() if isinstance(x, np.generic) else x
