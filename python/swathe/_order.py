# SPDX-License-Identifier: BSD-3-Clause
"""What a piece of work comes after, and whose errors it may raise.

Two queues of a device run side by side. Where one uses memory that the other has written, or writes
what the other still reads, it waits for it: the order of the program holds for memory, whatever
queues its work goes to. Memory that another library uses, too, is ordered with its streams in both
directions, by `use` before a piece of work and `used` after it. An error of a kernel belongs to the
`device_context` that launched it, so that another thread's or task's wait, on the same queue,
doesn't raise it.
"""

from __future__ import annotations

import weakref
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from ._queue import Queue
    from ._streams import Streams

MOST_EVENTS = 64  # that one command of a driver waits for


class Uses:
    """The queues that have used a piece of memory: the last that wrote it, and who reads since."""

    __slots__ = ("readers", "theirs", "writer")

    def __init__(self, theirs: Streams | None = None) -> None:
        self.theirs = theirs  # streams of other libraries that use the memory, too
        self.writer: weakref.ref[Queue] | None = None
        self.readers: tuple[weakref.ref[Queue], ...] = ()


def use(queue: Queue, *each: tuple[Uses, bool]) -> tuple[int, ...]:
    """Let what comes next in a queue use pieces of memory, and perhaps write them.

    It comes after what other queues and libraries do with them. Returns what `used` is to be
    called with when the work is in the queue.
    """
    streams: tuple[int, ...] = ()
    for uses, writes in each:
        _after_queues(queue, uses, writes)
        if uses.theirs is not None:
            streams = tuple({*streams, *uses.theirs()})
    for stream in streams:
        _core.dev_after_stream(queue._handle, stream)
    return streams


def used(queue: Queue, streams: tuple[int, ...]) -> None:
    """Let what other libraries do next come after what a queue does."""
    for stream in streams:
        _core.dev_before_stream(queue._handle, stream)


def _after_queues(queue: Queue, uses: Uses, writes: bool) -> None:
    """A queue that is gone has done its work: the last reference to it waits."""
    me, writer, readers = queue._ref, uses.writer, uses.readers
    if writer is me and not readers:
        return
    if writes:
        others = {*readers, writer}
        uses.writer, uses.readers = me, ()
    elif writer is me or me in readers:
        return
    else:
        others = {writer}
        uses.readers = (*readers, me)
    there = [q for q in (r() for r in others if r is not None) if q is not None and q is not queue]
    if there:
        marks = [_core.dev_mark(q._handle) for q in there]
        come_after(queue, marks)


def come_after(queue: Queue, handles: list[Any]) -> None:
    """Let what comes next wait for events of the driver."""
    for i in range(0, len(handles), MOST_EVENTS):
        _core.dev_after(queue._handle, tuple(handles[i : i + MOST_EVENTS]))


class Scope:
    """A `device_context` that has been entered."""

    __slots__ = ("ended", "outer")

    def __init__(self, outer: Scope | None) -> None:
        self.outer = outer
        self.ended = False


current_scope: ContextVar[Scope | None] = ContextVar("swathe_scope", default=None)


def sees(scope: Scope | None) -> bool:
    """Whether an error of that context's work is to be raised here."""
    if scope is None or scope.ended:
        return True
    here = current_scope.get()
    while here is not None:
        if here is scope:
            return True
        here = here.outer
    return False
