# SPDX-License-Identifier: BSD-3-Clause
"""The source of the function that computes a graph.

Each operation stands in the expression that uses it; one that is used twice, or whose expression
would get too long, is given a name. The compiler fuses the expressions, and keeps no array for a
name that it can do without.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np

from .. import _offload, _ufunc_text, njit, prange
from ..marks import label
from ..schedule import Schedule
from . import library, ops, placed, rows
from .node import Node

LONGEST = 12  # operations inside each other in one expression
KEPT = 4096  # functions of graphs, and of library calls on devices

_lock = threading.Lock()


class Plan:
    """The function of graphs of one shape.

    Attributes
    ----------
    text : str
        Its source.
    refused : str
        Why it is not compiled, if it is not: NumPy runs the same source then.
    """

    def __init__(self, text: str, sizes: bool = False, schedule: Schedule | None = None) -> None:
        self.text = text
        self.sizes = sizes  # whether the sizes of results are arguments, after all others
        self.refused = ""
        self.launches = 0
        self.scheduled = schedule is not None
        self._function = _ufunc_text.function(
            text, {"np": np, "prange": prange, "label": label}, "graph", "graph"
        )
        self._compiled = njit(self._function, parallel=True, error_model="numpy")
        self._dispatcher = self._compiled
        self._names = None if schedule is None else {"opts": schedule}
        if schedule is not None:
            self._compiled = functools.partial(self._compiled, opts=schedule)

    def __call__(self, *args: Any) -> Any:
        self.launches += 1
        try:
            return self._compiled(*args)
        except _compile_errors() as e:
            if self.scheduled:
                raise
            with _lock:
                self.refused = str(e)
                self._compiled = self._run
        return self._run(*args)

    def on(self, queue: Any, args: list[Any], out: list[Any]) -> Any:
        """Run on a device; arrays go to `out`, numbers are returned."""
        self.launches += 1
        if not self.refused:
            try:
                return _offload.call(self._dispatcher, (*args, *out), self._names, queue)
            except _compile_errors() as e:
                if self.scheduled:
                    raise
                self.refused = str(e)
        made = [np.empty(a.shape, a.dtype) for a in out]
        found = self._run(*[placed.here(a) for a in args], *made)
        for a, values in zip(out, made, strict=True):
            a.copy_from_host(values)
        return found

    def _run(self, *args: Any) -> Any:
        """Do by NumPy what was refused."""
        with np.errstate(all="ignore"):
            return self._function(*args)


def _compile_errors() -> tuple[type, ...]:
    from ..errors import CompileError

    return (CompileError,)


class _Writer:
    """What is written of a graph so far."""

    def __init__(self) -> None:
        self.params: list[str] = []
        self.lines: list[str] = []
        self.name: dict[int, str] = {}  # of nodes: the text that stands for it
        self.inside: dict[int, int] = {}  # of nodes: operations in the text
        self.labels = False  # whether axes have names, for a schedule

    def param(self, letter: str) -> str:
        name = f"{letter}{len(self.params)}"
        self.params.append(name)
        return name


def _in_memory(node: Node) -> bool:
    """Tell whether a node is an argument: an array, or what a library call yields."""
    return node.op is None or node.op in library.CALLS


def plan(
    wanted: list[Node],
    order: list[Node],
    codes: tuple | None,
    schedule: Schedule | None,
    device: bool = False,
) -> Plan:
    """Return the compiled function of nodes, of all that they need with operands first.

    On a device it writes results that have axes to arrays that come after all other arguments.
    """
    w = _Writer()
    w.labels = schedule is not None
    operands, values = _parameters(w, order)
    same = _common(order, operands, values)
    if codes is not None:
        by_rows = _by_rows(wanted, order, codes, w, operands, values, same)
        if by_rows:
            return Plan(by_rows, True)
    uses = _uses(wanted, order, same)
    for node in order:
        if same[id(node)] is node and not _in_memory(node):
            _write(w, node, [_of(w, same, a) for a in operands[id(node)]], values[id(node)], uses)
    out = [w.name[id(same[id(n)])] for n in wanted]
    if device:
        out = _numbers_of(w, wanted, out)
    elif schedule is not None:
        out = [_stored(w, n, text) for n, text in zip(wanted, out, strict=True)]
    head = f"def graph({', '.join(w.params)}):\n"
    body = "".join(f"    {line}\n" for line in w.lines)
    text = f"{head}{body}    return {', '.join(out) or None}\n"
    return Plan(text, schedule is not None and not device, schedule)


def _label(w: _Writer, rank: int) -> None:
    """Name the axes of the statement that comes next."""
    if w.labels:
        w.lines.extend([f'label("axis{k}")' for k in range(rank)])


def _numbers_of(w: _Writer, wanted: list[Node], texts: list[str]) -> list[str]:
    """Store results that have axes; return the texts of the others."""
    for node, text in zip(wanted, texts, strict=True):
        if node.shape:
            name = w.param("o")
            _label(w, 0 if node.op in ops.REDUCTIONS else len(node.shape))
            w.lines.append(f"{name}[{', '.join([':'] * len(node.shape))}] = {text}")
    return [text for node, text in zip(wanted, texts, strict=True) if not node.shape]


_of_calls: dict[Any, Plan] = {}


def of_call(node: Node) -> Any:
    """Return the compiled function of a library call on a device."""
    key = node.par, tuple([type(a) for a in node.args]), len(node.vals), len(node.shape)
    plan = _of_calls.get(key)
    if plan is None:
        w = _Writer()
        given = [w.param("a") for _ in node.args] + [w.param("n") for _ in node.vals]
        given += [f"{name}={value!r}" for name, value in node.par[1]]
        text = f"np.{node.par[0]}({', '.join(given)})"
        if node.shape:
            w.lines.append(f"{w.param('o')}[{', '.join([':'] * len(node.shape))}] = {text}")
        body = "".join(f"    {line}\n" for line in w.lines)
        end = "None" if node.shape else text
        if len(_of_calls) >= KEPT:
            _of_calls.clear()
        plan = Plan(f"def graph({', '.join(w.params)}):\n{body}    return {end}\n")
        _of_calls[key] = plan
    return plan


def _stored(w: _Writer, node: Node, text: str) -> str:
    """Return the name of a result that is written by a loop over axes with names."""
    sizes = [w.param("m") for _ in node.shape]
    if not sizes or node.op in ops.REDUCTIONS:
        return text
    name = f"o{len(w.lines)}"
    w.lines.append(f"{name} = np.empty(({', '.join(sizes)},), np.{ops.type_name(node.dtype.name)})")
    _label(w, len(sizes))
    w.lines.append(f"{name}[{', '.join([':'] * len(sizes))}] = {text}")
    return name


def _by_rows(
    wanted: list[Node],
    order: list[Node],
    codes: tuple,
    w: _Writer,
    operands: dict[int, list],
    values: dict[int, list[str]],
    same: dict[int, Node],
) -> str | None:
    """Return the source of a loop over rows, or None if rows mix or it would not pay."""
    loop = rows.Rows(codes, order, dict(w.name))
    try:
        for node in order:
            if same[id(node)] is node and not _in_memory(node):
                args = [same[id(a)] if type(a) is Node else a for a in operands[id(node)]]
                loop.write(node, args, values[id(node)])
        results = [same[id(n)] for n in wanted]
        return loop.source(results, w.params) if loop.worth(results) else None
    except rows.Mixed:
        return None


def _of(w: _Writer, same: dict[int, Node], a: Any) -> tuple[str, int, Any]:
    """The text of an operand, how many operations it has inside, and its node."""
    if type(a) is str:
        return a, 0, None
    node = same[id(a)]
    return w.name[id(node)], w.inside.get(id(node), 0), node


def _parameters(w: _Writer, order: list[Node]) -> tuple[dict[int, list], dict[int, list[str]]]:
    """Name arguments in the order in which `graph.linear` gives them."""
    operands: dict[int, list] = {}
    values: dict[int, list[str]] = {}
    numbers: dict[int, str] = {}
    for node in order:
        if _in_memory(node):
            w.name[id(node)] = w.param("a")
            continue
        row: list[Any] = []
        for a in node.args:
            if type(a) is Node:
                row.append(a)
                continue
            name = numbers.get(id(a)) if type(a) is float else None
            if name is None:
                name = numbers[id(a)] = w.param("s")
            row.append(name)
        operands[id(node)] = row
        values[id(node)] = [w.param("n") for _ in node.vals]
    return operands, values


def _common(
    order: list[Node], operands: dict[int, list], values: dict[int, list[str]]
) -> dict[int, Node]:
    """Return, for each node, the one that is computed in its place."""
    same: dict[int, Node] = {}
    first: dict[Any, Node] = {}
    for node in order:
        if _in_memory(node):
            same[id(node)] = node
            continue
        key = (
            node.op,
            node.par,
            tuple(a if type(a) is str else id(same[id(a)]) for a in operands[id(node)]),
            tuple(values[id(node)]),
        )
        same[id(node)] = first.setdefault(key, node)
    return same


def _uses(wanted: list[Node], order: list[Node], same: dict[int, Node]) -> dict[int, int]:
    uses: dict[int, int] = {}
    for node in order:
        if same[id(node)] is node and not _in_memory(node):
            for a in node.args:
                if type(a) is Node:
                    uses[id(same[id(a)])] = uses.get(id(same[id(a)]), 0) + 1
    for node in wanted:
        uses[id(same[id(node)])] = uses.get(id(same[id(node)]), 0) + 1
    return uses


def _write(
    w: _Writer,
    node: Node,
    args: list[tuple[str, int, Any]],
    vals: list[str],
    uses: dict[int, int],
) -> None:
    texts = [a[0] for a in args]
    if node.op == "put":
        base = args[0][2]
        name = texts[0]
        if base.op != "put" or uses[id(base)] > 1:  # else nobody else sees it, and it may change
            name = f"v{len(w.lines)}"
            w.lines.append(f"{name} = ({texts[0]}).copy()")
        w.lines.append(f"{ops.place(name, node.par, vals)} = {texts[1]}")
        w.name[id(node)] = name
        return
    op, par = node.op, node.par
    if op in ops.VIEWS and args[0][2].shape == ():
        op, vals = "full", _sizes_of_one(node, vals)
    text = ops.text(op, texts, par, vals)
    inside = 1 + max([a[1] for a in args], default=0)
    if uses[id(node)] > 1 or inside > LONGEST or op in ops.REDUCTIONS:
        name = f"v{len(w.lines)}"
        kept = ""
        if op in ops.REDUCTIONS and w.labels:
            _label(w, len(node.args[0].shape))
            if text.endswith("]"):  # axes are put back by a statement of its own
                text, _, kept = text.rpartition("[")
        w.lines.append(f"{name} = {text}")
        if kept:
            w.lines.append(f"{name} = {name}[{kept}")
        w.name[id(node)] = name
        return
    w.name[id(node)] = text
    w.inside[id(node)] = inside


def _sizes_of_one(node: Node, vals: list[str]) -> list[str]:
    """The sizes of a view of an array without axes, each of which is 1 but what was broadcast."""
    return vals if node.op == "broadcast" else ["1"] * len(node.shape)
