# SPDX-License-Identifier: BSD-3-Clause
"""A node of a graph: an operation on other nodes, or an array that is in memory."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

# A node that is this far from arrays in memory has its operands computed when it is made, so that
# a loop that never asks for a value can't grow a graph without end.
DEEPEST = 100

_frame = sys._getframe


class Node:
    """An operation.

    Attributes
    ----------
    op : str or None
        None for an array in memory.
    args : tuple
        Nodes, and numbers.
    par : tuple
        What the compiled function knows: axes, steps of slices.
    vals : tuple
        What it is told when it is called: sizes, bounds of slices.
    value : ndarray or None
    """

    __slots__ = ("op", "args", "par", "vals", "dtype", "shape", "value", "depth", "code", "at")

    def __init__(
        self,
        op: str | None,
        args: tuple,
        par: tuple,
        vals: tuple,
        dtype: np.dtype,
        shape: tuple[int, ...],
    ) -> None:
        self.op = op
        self.args = args
        self.par = par
        self.vals = vals
        self.dtype = dtype
        self.shape = shape
        self.value = None
        depth = 0
        for a in args:
            if type(a) is Node and a.depth > depth:
                depth = a.depth
        self.depth = depth + 1
        if depth >= DEEPEST:
            _flush(self)
        _place(self, _frame(1))

    def line(self) -> str:
        """Return the file and line of Python that made the node."""
        code = getattr(self, "code", None)
        if code is None:
            return ""
        found = code.co_firstlineno
        for start, end, line in code.co_lines():
            if start <= self.at < end and line is not None:
                found = line
        return f"{code.co_filename}:{found}"


def _place(node: Node, frame: Any) -> None:
    """Note which line of the user's program makes a node."""
    while frame is not None and frame.f_globals.get("__package__") in _OURS:
        frame = frame.f_back
    if frame is not None:
        node.code = frame.f_code
        node.at = frame.f_lasti


def element(op: str, args: tuple, dtype: np.dtype, shape: tuple[int, ...], depth: int) -> Node:
    """Return a function of elements: what `Node` makes, in less time; depth is the operands'."""
    node = _new(Node)
    node.op = op
    node.args = args
    node.par = node.vals = ()
    node.dtype = dtype
    node.shape = shape
    node.value = None
    node.depth = depth + 1
    if depth >= DEEPEST:
        _flush(node)
    frame = _frame(3)  # an operator or function of the namespace, what it calls, and this
    if frame.f_globals.get("__package__") in _OURS:
        _place(node, frame)
    else:
        node.code = frame.f_code
        node.at = frame.f_lasti
    return node


_new = object.__new__
_OURS = ("swathe._lazy", "swathe.xp")


def leaf(value: np.ndarray) -> Node:
    """Return the node of an array in memory, which is read-only from now on."""
    if value.flags.writeable:
        value = value.view()
        value.flags.writeable = False
    node = Node.__new__(Node)
    node.op = None
    node.args = node.par = node.vals = ()
    node.dtype = value.dtype
    node.shape = value.shape
    node.value = value
    node.depth = 0
    return node


def settle(node: Node, value: Any) -> None:
    """Make a node the array that it stands for, and let go of what it was made of.

    Another thread may be making a node of this one: the value is there before `op` says so.
    """
    value = np.asarray(value)
    value.flags.writeable = False
    node.value = value
    node.op = None
    node.args = ()
    node.depth = 0


def _flush(node: Node) -> None:
    from .graph import run

    run([a for a in node.args if type(a) is Node])
    node.depth = 1
