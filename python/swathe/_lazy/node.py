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
- `depth`: how far it is from arrays in memory. A node that is DEEPEST away has its operands
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


DEEPEST = 64  # as py/node.c has it
HALF, LOW = DEEPEST // 2, DEEPEST // 4
SHALLOW = 2  # what is made in so few steps is made again, rather than kept


def flush(node: Node) -> None:
    """Let a node be less deep: compute what halves the graph that it stands on.

    Of the levels about the middle, the one is cut that the fewest nodes reach beyond: in a loop,
    that is where a step ends, so that later cuts are at the same place of the program and find the
    functions of this one.
    """
    operands = [a for a in node.args if type(a) is Node]
    order = reach(operands)
    _level(order)
    if max(a.depth for a in operands) >= DEEPEST:
        from .graph import run

        run(_cut(order))
        _level(order)
    node.depth = 1 + max(a.depth for a in operands)


def _level(order: list[Node]) -> None:
    """Find out how deep nodes are; some of what they stand on may have been computed."""
    for n in order:
        above = [a.depth for a in n.args if type(a) is Node]
        n.depth = 1 + max(above, default=0) if n.op is not None else 0


def _cut(order: list[Node]) -> list[Node]:
    """Return the nodes of a level and below it that are used above it, but the shallowest."""
    highest: dict[int, int] = {}  # of the nodes that use a node
    for n in order:
        for a in n.args:
            if type(a) is Node and highest.get(id(a), 0) < n.depth:
                highest[id(a)] = n.depth
    reaching = [0] * (HALF + 1)
    for n in order:
        for level in range(max(n.depth, LOW + 1), min(highest.get(id(n), 0), HALF + 1)):
            reaching[level] += n.depth > SHALLOW
    level = min(range(LOW + 1, HALF + 1), key=lambda k: (reaching[k], -k))
    return [n for n in order if SHALLOW < n.depth <= level < highest.get(id(n), 0)]
