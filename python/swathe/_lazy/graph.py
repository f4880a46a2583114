# SPDX-License-Identifier: BSD-3-Clause
"""From nodes to results: a graph becomes a key, a key a compiled function, once.

The key is the graph's shape: operations, types, ranks, and which operands are the same. Values of
numbers, sizes and bounds of slices are arguments of the function, so that a loop over steps
compiles once.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from . import emit, rows
from .library import CALLS
from .node import Node, settle
from .ops import REDUCTIONS

# Held while a graph is read and while its nodes become arrays, so that threads may share arrays;
# not while functions run.
_lock = threading.RLock()
_plans: dict[Any, emit.Plan] = {}
KEPT = 4096  # plans


def run(wanted: list[Node]) -> None:
    """Compute nodes, so that each is an array in memory."""
    while True:
        with _lock:
            todo = [n for n in wanted if n.op is not None]
            if not todo:
                return
            key, leaves, order, calls = linear(todo)
            plan = None if calls else plan_of(key, todo, order)
        if plan is not None:
            _launch(plan, todo, leaves)
            return
        for call in calls:
            if call.op is not None:
                _call(call)


def _call(node: Node) -> None:
    """Run a library call on arrays in memory."""
    with _lock:
        op, args = node.op, node.args
    if op is None:
        return
    run([a for a in args if type(a) is Node])
    try:
        value = CALLS[op]([a.value if type(a) is Node else a for a in args], node.par, node.vals)
    except Exception as e:
        where = node.line()
        if where and hasattr(e, "add_note"):  # Python 3.11
            e.add_note(f"raised by {node.par[0]}() of a lazy array that was made at {where}")
        raise
    with _lock:
        if isinstance(value, tuple):
            node.value = value  # its items are nodes of their own
            node.op = None
            node.args = ()
        else:
            settle(node, np.asarray(value).astype(node.dtype, copy=False))


Linear = tuple[tuple, list[Any], list[Node], list[Node]]


def linear(wanted: list[Node]) -> Linear:
    """Return a graph's key, its function's arguments, its nodes with operands first, and its calls.

    A library call counts as an array in memory; it is one by the time that a function is launched.
    """
    key: list[Any] = []
    leaves: list[Any] = []
    order: list[Node] = []
    calls: list[Node] = []
    at: dict[Any, int] = {}

    for node in wanted:
        if id(node) not in at:
            _visit(node, at, key, leaves, order, calls)
    key.append(None)
    key.extend([at[id(node)] for node in wanted])
    for node in order:
        if node.op in REDUCTIONS:
            key.append(rows.codes(order))
            break
    return tuple(key), leaves, order, calls


def _visit(
    node: Node,
    at: dict[Any, int],
    key: list[Any],
    leaves: list[Any],
    order: list[Node],
    calls: list[Node],
) -> None:
    """Add a node, and before it what it needs. (A function in `linear` would be a cycle.)"""
    args = node.args  # before `op`: see `settle`
    op = node.op
    if op is None or op in CALLS:
        rank = len(node.shape)
        if op is not None:
            calls.append(node)
            leaves.append(None)
        else:
            leaves.append(node.value if rank else node.value[()])
        key.append(node.dtype.num)
        key.append(rank)
    else:
        for a in args:
            if type(a) is Node and id(a) not in at:
                _visit(a, at, key, leaves, order, calls)
        key.append(op)
        if node.par:
            key.append(node.par)
        for a in args:
            if type(a) is Node:
                key.append(at[id(a)])
                continue
            # One float in two places is one argument: what is made of it is one, too.
            place = at.get(~id(a)) if type(a) is float else None
            if place is None:
                place = at[~id(a)] = -1 - len(leaves)
                leaves.append(a)
                key.append(type(a))
            key.append(place)
        if node.vals:
            leaves.extend(node.vals)
    at[id(node)] = len(order)
    order.append(node)


def plan_of(key: tuple, wanted: list[Node], order: list[Node]) -> emit.Plan:
    """Return the compiled function of nodes."""
    plan = _plans.get(key)
    if plan is None:
        codes = key[-1] if type(key[-1]) is tuple else None
        if len(_plans) >= KEPT:
            _plans.clear()
        plan = _plans[key] = emit.plan(wanted, order, codes)
    return plan


def _launch(plan: emit.Plan, wanted: list[Node], leaves: list[Any]) -> None:
    if plan.sizes:
        for node in wanted:
            leaves.extend(node.shape)
    values = plan(*leaves)
    with _lock:
        for node, value in zip(wanted, (values,) if len(wanted) == 1 else values, strict=True):
            settle(node, value)


def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)
