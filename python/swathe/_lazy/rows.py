# SPDX-License-Identifier: BSD-3-Clause
"""Graphs that do the same for each row: a parallel loop over rows, each of which stays in cache.

A reduction that something of full size waits for, as in a softmax, would mean one pass over memory
for each. Where nothing mixes rows, all of it can be done for one row after another instead.
"""

from __future__ import annotations

from typing import Any

from . import ops
from .node import Node

# Rows are worth a loop of their own if there are some, and they are neither tiny nor beyond cache.
FEWEST, SHORTEST, LONGEST = 8, 32, 2**15

_WHOLE = ("s", 1, False, False)


def codes(order: list[Node]) -> tuple | None:
    """Return what the function must know of shapes if a graph is for rows; part of the key.

    It is, for each node, 1 if its first axis has as many elements as there are rows, 2 if besides
    there is one element in a row, else 0.
    """
    full = None
    reductions = 0
    for node in order:
        if node.op in ops.REDUCTIONS and node.par[0] is not None:
            reductions += 1
            shape = node.args[0].shape
            if full is None or len(shape) > len(full):
                full = shape
    if full is None or len(full) < 2 or full[0] < FEWEST:
        return None
    size = _size(full[1:])
    if not SHORTEST <= size <= LONGEST:
        return None
    n = full[0]
    found = []
    for node in order:
        shape = node.shape
        code = 0
        if shape and shape[0] == n:
            code = 2 if _size(shape[1:]) == 1 else 1
        elif shape and shape[0] == 1 and len(shape) == len(full):
            code = 3
        found.append(code)
    return tuple(found)


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for n in shape:
        size *= n
    return size


class Mixed(Exception):
    """Something mixes rows."""


class Rows:
    """What is written of a graph for rows."""

    def __init__(self, codes: tuple, order: list[Node], outside: dict[int, str]) -> None:
        self.code = {id(n): c for n, c in zip(order, codes, strict=True)}
        self.outside = outside  # the names of arrays, and of what does not depend on rows
        self.before: list[str] = []
        self.lines: list[str] = []
        self.row: dict[int, str] = {}
        self.count = 0
        self.reductions = 0

    def write(self, node: Node, args: list[Any], vals: list[str]) -> None:
        """Write a node, whose operands are nodes and names of numbers."""
        if not any(type(a) is Node and self._depends(a, node) for a in args):
            texts = [self.outside[id(a)] if type(a) is Node else a for a in args]
            if node.op in ops.REDUCTIONS or node.op not in ops.ELEMENTWISE:
                raise Mixed
            self._name(node, ops.text(node.op, texts, node.par, vals), self.before, self.outside)
            return
        if node.op in ops.REDUCTIONS:
            text = self._reduction(node, args[0])
        elif node.op in ops.ELEMENTWISE:
            text = self._elements(node, args, vals)
        elif node.op == "getitem" and node.par[0] == _WHOLE:
            text = self._axes(node, args[0])
        else:
            raise Mixed
        self._name(node, text, self.lines, self.row)

    def _depends(self, a: Node, node: Node) -> bool:
        """Tell whether an operand is a row's, or an array with one row for each."""
        if id(a) in self.row:
            return True
        reads = node.op in ops.REDUCTIONS and node.par[0] is not None or len(a.shape) > 1
        return reads and self.code[id(a)] in (1, 2)

    def _name(self, node: Node, text: str, lines: list[str], names: dict[int, str]) -> None:
        name = f"v{self.count}"
        self.count += 1
        lines.append(f"{name} = {text}")
        names[id(node)] = name

    def _operand(self, a: Any, rank: int) -> str:
        """The text of an operand in a row, of what has a number of axes in all."""
        if type(a) is not Node:
            return a
        code = self.code[id(a)]
        if id(a) in self.row:
            if len(a.shape) != rank:
                raise Mixed
            return self.row[id(a)]
        name = self.outside[id(a)]
        if len(a.shape) < rank:
            return name
        if code in (1, 2):
            zeros = ", 0" * (rank - 1) if code == 2 else ""
            return f"{name}[i{zeros}]"
        if code == 3:
            return f"{name}[0]"
        raise Mixed

    def _elements(self, node: Node, args: list[Any], vals: list[str]) -> str:
        code, rank = self.code[id(node)], len(node.shape)
        if code not in (1, 2):
            raise Mixed
        texts = [self._operand(a, rank) for a in args]
        if code == 2:
            # In such a row all is one number, but for arrays of one element that have no rows.
            if any(type(a) is Node and self.code[id(a)] not in (1, 2) and a.shape for a in args):
                raise Mixed
            if node.op == "astype":
                return ops.text("scalar_as", texts, node.par, vals)
        elif not any(type(a) is Node and self._fills(a, rank) for a in args):
            raise Mixed
        return ops.text(node.op, texts, node.par, vals)

    def _fills(self, a: Node, rank: int) -> bool:
        """Tell whether what is read of an operand has all axes of a row."""
        return self.code[id(a)] != 2 and len(a.shape) in (rank, rank - 1)

    def _reduction(self, node: Node, a: Node) -> str:
        axis, keepdims, rank, *more = node.par
        axes = axis if isinstance(axis, tuple) else (axis,)
        if axis is None or 0 in axes or self.code[id(a)] != 1 or rank != len(a.shape):
            raise Mixed
        self.reductions += 1
        left = tuple([k - 1 for k in axes])
        if len(left) == rank - 1:
            return ops.reduced(node.op, self._operand(a, rank), (None, False, rank - 1, *more))
        said: Any = left if len(left) > 1 else left[0]
        return ops.reduced(node.op, self._operand(a, rank), (said, keepdims, rank - 1, *more))

    def _axes(self, node: Node, a: Node) -> str:
        """A view that adds axes to a row."""
        text = self._operand(a, len(a.shape))
        if any(part not in (_WHOLE, ("n",)) for part in node.par):
            raise Mixed
        if self.code[id(a)] == 2:
            return text
        return f"{text}[{ops.slices(node.par[1:], [])}]"

    def worth(self, wanted: list[Node]) -> bool:
        """Tell whether a loop over rows saves passes over memory."""
        full = any(self.code[id(n)] == 1 for n in wanted)
        return self.reductions + full >= 2

    def source(self, wanted: list[Node], params: list[str]) -> str:
        """Return the source; results are made by sizes that come after all other arguments."""
        made, stores, names = [], [], []
        rows = ""
        for k, node in enumerate(wanted):
            if id(node) not in self.row:
                raise Mixed
            sizes = [f"d{k}_{j}" for j in range(len(node.shape))]
            params = params + sizes
            rows = rows or sizes[0]
            dtype = "bool_" if node.dtype.kind == "b" else node.dtype.name
            made.append(f"o{k} = np.empty(({', '.join(sizes)},), np.{dtype})")
            stores.append(f"    o{k}[i] = {self.row[id(node)]}")
            names.append(f"o{k}")
        body = [
            *self.before,
            *made,
            f"for i in prange({rows}):",
            *[f"    {line}" for line in self.lines],
            *stores,
            f"return {', '.join(names)}",
        ]
        return f"def graph({', '.join(params)}):\n" + "".join(f"    {line}\n" for line in body)
