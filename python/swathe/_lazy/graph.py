# SPDX-License-Identifier: BSD-3-Clause
"""From nodes to results: a graph becomes a key, a key a compiled function, once.

The key is the graph's shape: operations, types, ranks, and which operands are the same. Values of
numbers, sizes and bounds of slices are arguments of the function, so that a loop over steps
compiles once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .._core import lazy_linear as linear
from ..schedule import Schedule
from . import calls, emit, rows
from .library import CALLS
from .node import Node, line, reach, settle
from .ops import REDUCTIONS
from .placed import settled

# Held while a graph is read and while its nodes become arrays, so that threads may share arrays;
# not while functions run.
_lock = threading.RLock()
_plans: dict[Any, emit.Plan] = {}


_apart: ContextVar[bool] = ContextVar("_apart", default=False)


@contextmanager
def no_fuse() -> Iterator[None]:
    """While it lasts, values are computed an operation at a time: each is a function of its own.

    To find out which operation yields what, or what fusion is worth. Other threads fuse as ever.

    Examples
    --------
    >>> import numpy as np
    >>> import swathe
    >>> x = swathe.lazy(np.arange(4.0))
    >>> y = x * 2.0 + 1.0
    >>> with swathe.no_fuse():
    ...     print(y)
    [1. 3. 5. 7.]
    """
    token = _apart.set(True)
    try:
        yield
    finally:
        _apart.reset(token)


def run(wanted: list[Node], schedule: Schedule | None = None) -> None:
    """Compute nodes, so that each is an array in memory."""
    if _apart.get():
        for node in reach(wanted):
            _run([node], schedule if node in wanted else None)
    else:
        _run(wanted, schedule)


def _run(wanted: list[Node], schedule: Schedule | None) -> None:
    if len(wanted) > 1 and any(n.queue is not wanted[0].queue for n in wanted):
        for queue in {id(n.queue): n.queue for n in wanted}.values():
            _run([n for n in wanted if n.queue is queue], schedule)
        return
    while True:
        with _lock:
            todo = [n for n in wanted if n.op is not None]
            if not todo:
                return
            key, leaves, order, calls = linear(todo)
            plan = None if calls else plan_of(key, todo, order, schedule)
        if plan is not None:
            _launch(plan, todo, leaves)
            return
        for call in calls:
            if call.op is not None:
                _call(call)


def _name_lines(e: Exception, what: str, nodes: list[Node]) -> None:
    """Say which lines of the program made the nodes that an exception may come from."""
    lines = list(dict.fromkeys(where for where in map(line, nodes) if where))
    if lines and hasattr(e, "add_note"):  # Python 3.11
        e.add_note(f"raised by {what} of a lazy array that was made at {', or '.join(lines)}")


def _name_raising(e: Exception, wanted: list[Node]) -> None:
    """The same of a compiled graph, of whose operations one looks at values."""
    powers = [n for n in reach(wanted) if n.op == "pow" and n.dtype.kind in "iu"]
    if isinstance(e, ValueError) and powers:
        _name_lines(e, "pow()", powers)


def _call(node: Node) -> None:
    """Run a library call on arrays in memory."""
    with _lock:
        op, args = node.op, node.args
    if op is None:
        return
    todo = [a for a in args if type(a) is Node and a.op is not None]
    if todo:
        run(todo)
    try:
        operands = [a.value if type(a) is Node else a for a in args]
        if node.queue is None:
            value = CALLS[op](operands, node.par, node.vals)
        else:
            value = calls.call(node, operands)
    except Exception as e:
        _name_lines(e, f"{node.par[0]}()", [node])
        raise
    with _lock:
        if isinstance(value, tuple):
            node.value = value  # its items are nodes of their own
            node.op = None
            node.args = ()
        else:
            settle(node, settled(node.queue, value, node.dtype))


def plan_of(
    key: Any, wanted: list[Node], order: list[Node], schedule: Schedule | None = None
) -> emit.Plan:
    """Return the compiled function of nodes."""
    codes = None
    queue = wanted[0].queue
    if queue is not None:
        key = key, schedule, "on a device"
    elif schedule is not None:
        key = key, schedule
    elif type(key) is tuple:  # something has axes
        for node in order:
            if node.op in REDUCTIONS:
                codes = rows.codes(order)
                key = key, codes
                break
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) >= emit.KEPT:
            _plans.clear()
        plan = _plans[key] = emit.plan(wanted, order, codes, schedule, queue is not None)
    return plan


def _launch(plan: emit.Plan, wanted: list[Node], leaves: list[Any]) -> None:
    if plan.sizes:
        for node in wanted:
            leaves.extend(node.shape)
    queue = wanted[0].queue
    try:
        if queue is not None:
            _launch_there(plan, wanted, leaves, queue)
            return
        values = plan(*leaves)
    except Exception as e:
        _name_raising(e, wanted)
        raise
    with _lock:
        for node, value in zip(wanted, (values,) if len(wanted) == 1 else values, strict=True):
            settle(node, value)


def _launch_there(plan: emit.Plan, wanted: list[Node], leaves: list[Any], queue: Any) -> None:
    """Launch on a device: results with axes are written to its memory, others are returned."""
    out = [queue.empty(n.shape, n.dtype) for n in wanted if n.shape]
    numbers = plan.on(queue, leaves, out)
    count = len(wanted) - len(out)
    found = iter(numbers if count > 1 else (numbers,))
    stored = iter(out)
    with _lock:
        for node in wanted:
            value = next(stored if node.shape else found)
            settle(node, settled(queue, value, node.dtype))


def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)
