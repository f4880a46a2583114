# SPDX-License-Identifier: BSD-3-Clause
"""From nodes to results: a graph becomes a key, a key a compiled function, once.

The key is the graph's shape: operations, types, ranks, and which operands are the same. Values of
numbers, sizes and bounds of slices are arguments of the function, so that a loop over steps
compiles once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import emit, library
from .node import Node, settle

_plans: dict[Any, emit.Plan] = {}
KEPT = 4096  # plans


def run(wanted: list[Node]) -> None:
    """Compute nodes, so that each is an array in memory."""
    todo = [n for n in wanted if n.op is not None]
    if not todo:
        return
    calls = _calls(todo)
    for call in calls:
        if call.op is not None:
            _call(call)
    todo = [n for n in todo if n.op is not None]
    if todo:
        _launch(todo)


def _calls(wanted: list[Node]) -> list[Node]:
    """Return the library calls that nodes need, those first that others need."""
    found: list[Node] = []
    seen: set[int] = set()
    stack: list[Any] = [*wanted]
    while stack:
        node = stack.pop()
        if type(node) is tuple:
            found.append(node[0])
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.op in library.CALLS:
            stack.append((node,))
        for a in node.args:
            if type(a) is Node and a.op is not None:
                stack.append(a)
    return found


def _call(node: Node) -> None:
    """Run a library call on arrays in memory."""
    nodes = [a for a in node.args if type(a) is Node]
    run(nodes)
    args = [a.value if type(a) is Node else a for a in node.args]
    try:
        value = library.CALLS[node.op](args, node.par, node.vals)
    except Exception as e:
        where = node.line()
        if where:
            e.add_note(f"raised by {node.par[0]}() of a lazy array that was made at {where}")
        raise
    if isinstance(value, tuple):
        node.value = value  # its items are nodes of their own
        node.op = None
        node.args = ()
        node.depth = 0
        return
    settle(node, np.asarray(value).astype(node.dtype, copy=False))


def linear(wanted: list[Node]) -> tuple[tuple, list[Any], list[Node]]:
    """Return a graph's key, the arguments of its function, and its nodes, operands first.

    A library call counts as an array in memory; it is one by the time that a function is launched.
    """
    key: list[Any] = []
    leaves: list[Any] = []
    order: list[Node] = []
    at: dict[Any, int] = {}
    stack = wanted[::-1]
    while stack:
        node = stack[-1]
        here = id(node)
        if here in at:
            stack.pop()
            continue
        if node.op is None or node.op in library.CALLS:
            stack.pop()
            at[here] = len(order)
            order.append(node)
            leaves.append(node.value if node.shape or node.op is not None else node.value[()])
            key.append(node.dtype.num)
            key.append(len(node.shape))
            continue
        waits = False
        for a in node.args:
            if type(a) is Node and id(a) not in at:
                stack.append(a)
                waits = True
        if waits:
            continue
        stack.pop()
        key.append(node.op)
        key.append(node.par)
        for a in node.args:
            if type(a) is Node:
                key.append(at[id(a)])
                continue
            # One float in two places is one argument: then what is made of it is one, too.
            place = at.get(("number", id(a))) if type(a) is float else None
            if place is None:
                place = -1 - len(leaves)
                leaves.append(a)
                key.append(type(a))
                at["number", id(a)] = place
            key.append(place)
        leaves.extend(node.vals)
        at[here] = len(order)
        order.append(node)
    key.append(None)
    for node in wanted:
        key.append(at[id(node)])
    return tuple(key), leaves, order


def plan_of(wanted: list[Node]) -> tuple[emit.Plan, list[Any]]:
    """Return the compiled function of nodes, and what to call it with."""
    key, leaves, order = linear(wanted)
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) >= KEPT:
            _plans.clear()
        plan = _plans[key] = emit.plan(wanted, order)
    return plan, leaves


def _launch(wanted: list[Node]) -> None:
    plan, leaves = plan_of(wanted)
    values = plan(*leaves)
    if len(wanted) == 1:
        values = (values,)
    for node, value in zip(wanted, values, strict=True):
        settle(node, value)
