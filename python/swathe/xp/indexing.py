# SPDX-License-Identifier: BSD-3-Clause
"""Elements at places that an array names."""

from __future__ import annotations

from .._lazy.array import LazyArray, wrap
from .._lazy.elementwise import operand, shape_of
from .._lazy.node import Node
from .manipulation import axis_of


def _places(indices: LazyArray, name: str) -> Node:
    node = operand(indices, name, "indices")
    if node.dtype.kind not in "iu":
        raise TypeError(f"{name}(): indices are integers, not {node.dtype}")
    return node


def take(x: LazyArray, indices: LazyArray, /, *, axis: int | None = None) -> LazyArray:
    """Return elements at places along an axis."""
    node, at = operand(x, "take"), _places(indices, "take")
    if axis is None:
        if len(node.shape) != 1:
            raise ValueError(f"take(): axis must be given for {len(node.shape)} axes")
        axis = 0
    if len(at.shape) != 1:
        raise ValueError(f"take(): indices have one axis, not {len(at.shape)}")
    k = axis_of(axis, len(node.shape), "take")
    shape = (*node.shape[:k], *at.shape, *node.shape[k + 1 :])
    return wrap(Node("numpy", (node, at), ("take", (("axis", k),)), (), node.dtype, shape))


def take_along_axis(x: LazyArray, indices: LazyArray, /, *, axis: int = -1) -> LazyArray:
    """Return elements at places along an axis, of which each row has its own."""
    node, at = operand(x, "take_along_axis"), _places(indices, "take_along_axis")
    rank = len(node.shape)
    k = axis_of(axis, rank, "take_along_axis")
    if len(at.shape) != rank:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    rows = shape_of(node.shape[:k] + node.shape[k + 1 :], at.shape[:k] + at.shape[k + 1 :])
    shape = (*rows[:k], at.shape[k], *rows[k:])
    par = ("take_along_axis", (("axis", k),))
    return wrap(Node("numpy", (node, at), par, (), node.dtype, shape))
