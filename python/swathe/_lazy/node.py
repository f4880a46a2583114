# SPDX-License-Identifier: BSD-3-Clause
"""A node of a graph: an operation on other nodes, or an array that is in memory.

`Node(op, args, par, vals, dtype, shape)` makes one of an operation, and notes which line of the
program made it:

- `op`: its name; None for an array in memory
- `args`: nodes, and numbers
- `par`: what the compiled function knows: axes, steps of slices
- `vals`: what it is told when it is called: sizes, bounds of slices
- `value`: the array, or None
- `queue`: of the device that it is on, which is that of its operands; None on the CPU
- `depth`: how far it is from arrays in memory. A node that is a hundred away has its operands
  computed when it is made, so that a loop that never asks for a value can't grow a graph without
  end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import Node
from .._core import lazy_settle as settle
from . import placed

__all__ = ["Node", "flush", "leaf", "line", "reach", "settle"]


def line(node: Node) -> str:
    """Return the file and line of Python that made a node."""
    code = node.code
    if code is None:
        return ""
    found = code.co_firstlineno
    for start, end, at in code.co_lines():
        if start <= node.at < end and at is not None:
            found = at
    return f"{code.co_filename}:{found}"


def leaf(value: Any, queue: Any = None) -> Node:
    """Return the node of an array in memory, which is read-only from now on.

    Of a queue's device it is a DeviceArray, if it has axes.
    """
    if value.flags.writeable:
        if isinstance(value, np.ndarray):
            value = value.view()
            value.flags.writeable = False
        else:
            value = placed.locked(value)
    node = Node()
    node.queue = queue
    node.args = node.par = node.vals = ()
    node.dtype = value.dtype
    node.shape = value.shape
    node.value = value
    return node


def reach(wanted: list[Node]) -> list[Node]:
    """Return all nodes that some need, operands first."""
    order: list[Node] = []
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(n, False) for n in wanted[::-1]]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((a, False) for a in node.args if type(a) is Node)
    return order


def flush(node: Node) -> None:
    """Compute the operands of a node."""
    from .graph import run

    run([a for a in node.args if type(a) is Node])
    node.depth = 1
