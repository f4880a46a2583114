# SPDX-License-Identifier: BSD-3-Clause
"""Graphs as pictures, and as text."""

from __future__ import annotations

from html import escape
from typing import Any

from . import graph, library, ops
from .node import Node, line, reach

WIDE, HIGH, GAP_X, GAP_Y = 150, 38, 16, 34
BEND = 4 / 3 * (WIDE / 2 + GAP_X)  # of an edge past other rows: at its middle it is beside a box
_FILLS = {"array": "#dbe9f6", "elements": "#eef3e6", "reduction": "#fbe6c8", "call": "#f3d9dc",
          "view": "#ececec"}  # fmt: skip


def kind_of(node: Node) -> str:
    """Return what a node is: an array, or one of four kinds of operations."""
    if node.op is None:
        return "array"
    if node.op in library.CALLS:
        return "call"
    if node.op in ops.REDUCTIONS:
        return "reduction"
    return "elements" if node.op in ops.ELEMENTWISE else "view"


def title(node: Node) -> str:
    """Return the name of what a node does."""
    if node.op is None:
        return "array"
    if node.op == "numpy":
        return str(node.par[0])
    if node.op == "item":
        return f"result {node.par[0]}"
    if node.op in ops.REDUCTIONS:
        axis = node.par[0]
        return node.op if axis is None else f"{node.op}, axis {axis}"
    if node.op == "power_of":
        return f"pow {node.par[0]}"
    numbers = [f"{a:.4g}" for a in node.args if type(a) is not Node and not isinstance(a, bool)]
    return " ".join([node.op, *numbers])


class Drawing:
    """A graph as SVG: operands above, results below."""

    def __init__(self, wanted: list[Node]) -> None:
        self.nodes = reach(wanted)
        self._text = _svg(self.nodes, {id(n) for n in wanted})

    def __str__(self) -> str:
        return self._text

    def _repr_svg_(self) -> str:
        return self._text

    def save(self, path: Any) -> None:
        """Write the picture to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._text)


def _svg(order: list[Node], wanted: set[int]) -> str:
    level: dict[int, int] = {}
    rows: list[list[Node]] = []
    for node in order:
        above = [level[id(a)] for a in node.args if type(a) is Node]
        level[id(node)] = at = 1 + max(above, default=-1)
        while len(rows) <= at:
            rows.append([])
        rows[at].append(node)
    wide = max(map(len, rows)) * (WIDE + GAP_X) + GAP_X
    if any(level[id(n)] > level[id(a)] + 1 for n in order for a in n.args if type(a) is Node):
        wide += 4 * GAP_X
    high = len(rows) * (HIGH + GAP_Y) + GAP_Y
    place: dict[int, tuple[float, float]] = {}
    for k, row in enumerate(rows):
        left = (wide - len(row) * (WIDE + GAP_X) + GAP_X) / 2
        for j, node in enumerate(row):
            place[id(node)] = (left + j * (WIDE + GAP_X), GAP_Y / 2 + k * (HIGH + GAP_Y))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="11">'
    ]
    for node in order:
        parts.extend(_edges(node, place))
    for node in order:
        parts.append(_box(node, *place[id(node)], id(node) in wanted))
    return "\n".join([*parts, "</svg>"])


def _edges(node: Node, place: dict[int, tuple[float, float]]) -> list[str]:
    x, y = place[id(node)]
    lines = []
    for a in node.args:
        if type(a) is Node:
            from_x, from_y = place[id(a)]
            bend = BEND if y - from_y > HIGH + GAP_Y else 0.0
            start, end = from_x + WIDE / 2, x + WIDE / 2
            lines.append(
                f'<path d="M{start:g} {from_y + HIGH:g} '
                f"C{start + bend:g} {from_y + HIGH + GAP_Y / 2:g} "
                f'{end + bend:g} {y - GAP_Y / 2:g} {end:g} {y:g}" '
                'fill="none" stroke="#888"/>'
            )
    return lines


def _box(node: Node, x: float, y: float, wanted: bool) -> str:
    dtype = "" if node.dtype is None else f"{node.dtype.name} {node.shape}"
    middle = x + WIDE / 2
    return (
        f"<g><title>{escape(line(node) or 'in memory')}</title>"
        f'<rect x="{x:g}" y="{y:g}" width="{WIDE}" height="{HIGH}" rx="6" '
        f'fill="{_FILLS[kind_of(node)]}" stroke="#555" stroke-width="{2 if wanted else 1}"/>'
        f'<text x="{middle:g}" y="{y + 16:g}" text-anchor="middle">{escape(title(node))}</text>'
        f'<text x="{middle:g}" y="{y + 30:g}" text-anchor="middle" fill="#555">{escape(dtype)}'
        "</text></g>"
    )


def explain(wanted: list[Node]) -> str:
    """Return what computing nodes does: pieces between library calls, and their sources."""
    order = reach(wanted)
    calls = [n for n in order if n.op in library.CALLS and n.op != "item"]
    pieces = [*[[a for a in n.args if type(a) is Node and a.op is not None] for n in calls], wanted]
    lines = [_counts(order)]
    for k, piece in enumerate(pieces):
        todo = [n for n in piece if n.op is not None and n.op not in library.CALLS]
        if todo:
            key, _, nodes, _ = graph.linear(todo)
            plan = graph.plan_of(key, todo, nodes)
            state = f"launched {plan.launches} times" if plan.launches else "not compiled yet"
            if plan.refused:
                state = "by NumPy, since it can't be compiled: " + plan.refused.splitlines()[0]
            lines += [f"one function ({state}):", plan.text.rstrip()]
        if k < len(calls):
            lines.append(f"library call: {title(calls[k])} ({line(calls[k])})")
    return "\n".join(lines) + "\n"


def _counts(order: list[Node]) -> str:
    kinds = [kind_of(n) for n in order]
    said = ", ".join(
        f"{kinds.count(k)} {k if kinds.count(k) == 1 else plural}"
        for k, plural in (
            ("array", "arrays"), ("elements", "functions of elements"), ("reduction", "reductions"),
            ("view", "views"), ("call", "calls"),
        )
        if k in kinds
    )  # fmt: skip
    return f"a graph of {len(order)} nodes: {said}"
