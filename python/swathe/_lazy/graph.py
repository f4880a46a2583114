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

from .._core import lazy_linear as linear
from . import emit, rows
from .library import CALLS
from .node import Node, line, settle
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
        where = line(node)
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


def plan_of(key: Any, wanted: list[Node], order: list[Node]) -> emit.Plan:
    """Return the compiled function of nodes."""
    codes = None
    if type(key) is tuple:  # something has axes
        for node in order:
            if node.op in REDUCTIONS:
                codes = rows.codes(order)
                key = key, codes
                break
    plan = _plans.get(key)
    if plan is None:
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
