# SPDX-License-Identifier: BSD-3-Clause
"""The records that launches leave on a device: whether a thread failed, where and why.

Each launch that may fail has a record of its own, in chunks of a queue. Records are read by a queue
beside it, so that nobody waits for launches that come later; a chunk is used again when all of its
launches have ended, which the driver is asked for and not waited for.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._order import Scope, current_scope

if TYPE_CHECKING:
    from ._queue import Queue
    from .devices import Device

BYTES = 128  # of a record: DevFault of dev.h
IN_CHUNK = 64
MOST_CHUNKS = 256  # full ones; then the oldest is waited for
MOST_SPARE = 4
DONE = 3  # and above: states of events that have ended

_sides: weakref.WeakValueDictionary[int, Side] = weakref.WeakValueDictionary()
_lock = threading.Lock()


class Side:
    """The driver's queue by which records are read and cleared: one for all queues of a device."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.handle = _core.dev_queue(device._open(), 0)


def side_of(device: Device) -> Side:
    """Return it; who uses it keeps it."""
    with _lock:
        side = _sides.get(id(device))
        if side is None:
            side = _sides[id(device)] = Side(device)
        return side


class Chunk:
    """Records that lie together; the last one is for launches that can't fail."""

    __slots__ = ("dirty", "end", "last", "left", "memory", "used")

    def __init__(self, side: Side) -> None:
        self.memory = _core.dev_alloc(side.device._open(), BYTES * (IN_CHUNK + 1), 0)
        self.used = self.left = self.last = 0
        self.end: Any = None  # an event behind all of its launches
        self.clear(side)

    def clear(self, side: Side) -> None:
        """Set all records to zero, now: no launch uses them."""
        n = BYTES * (IN_CHUNK + 1)
        _core.dev_fill(side.handle, self.memory, 0, b"\0\0\0\0", n, (), True, False)
        self.dirty = False


class Launched:
    """A launch that may have failed."""

    __slots__ = ("chunk", "code", "event", "fault", "index", "name", "scope", "serial")

    def __init__(self, code: Any, name: str, chunk: Chunk, index: int, serial: int) -> None:
        self.code = code
        self.name = name
        self.scope: Scope | None = current_scope.get()
        self.chunk = chunk
        self.index = index
        self.serial = serial
        self.event: Any = None  # where the queue has no order
        self.fault: np.ndarray | None = None


class Faults:
    """The records of a queue. Its methods are called with the queue's lock held."""

    def __init__(self, queue: Queue) -> None:
        self.device = queue.device
        self.in_order = queue.in_order
        self.count = 0  # of launches that may fail: an event knows how many came before it
        self.pending: deque[Launched] = deque()
        self.side: Side = None  # type: ignore[assignment]  # from the first launch on
        self.chunk: Chunk | None = None
        self.full: deque[Chunk] = deque()
        self.spare: list[Chunk] = []
        self.failed: list[Launched] = []

    def place(self, handle: Any, code: Any, name: str) -> tuple[Any, int, Launched | None]:
        """The memory of a launch's record, where in it, and what to call `undo` with."""
        if self.chunk is None:
            self.side = side_of(self.device)
            self.chunk = Chunk(self.side)
        if not code.leaves:
            return self.chunk.memory, BYTES * IN_CHUNK, None
        if self.chunk.used == IN_CHUNK:
            self.turn_over(handle)
        chunk = self.chunk
        self.count += 1
        launched = Launched(code, name, chunk, chunk.used, self.count)
        chunk.used += 1
        chunk.left += 1
        self.pending.append(launched)
        return chunk.memory, BYTES * launched.index, launched

    def forget(self) -> None:
        """Nobody will ask any more."""
        self.pending.clear()
        self.failed.clear()

    def undo(self, launched: Launched) -> None:
        """It was not launched, and is the last one."""
        self.pending.pop()
        launched.chunk.used -= 1
        launched.chunk.left -= 1

    def turn_over(self, handle: Any) -> None:
        """Take another chunk: one whose launches have ended, or a new one."""
        chunk = self.chunk
        assert chunk is not None
        end = _core.dev_mark(handle)
        chunk.last, chunk.end = self.count, end
        self.full.append(chunk)
        self.chunk = None
        oldest = self.full[0]
        if len(self.full) > MOST_CHUNKS:
            _core.dev_event_wait(oldest.end)
        if _core.dev_event_state(oldest.end) >= DONE:
            self.collect(oldest.last)
        self.chunk = self.spare.pop() if self.spare else Chunk(self.side)

    def collect(self, upto: int) -> None:
        """Note what failed of the launches up to a number, which have ended.

        Where the queue has no order, an event tells of each whether it has.
        """
        ended: dict[int, list[Launched]] = {}
        if self.in_order:
            while self.pending and self.pending[0].serial <= upto:
                one = self.pending.popleft()
                ended.setdefault(id(one.chunk), []).append(one)
        else:
            rest: deque[Launched] = deque()
            for one in self.pending:
                if one.serial <= upto and _core.dev_event_state(one.event) >= DONE:
                    ended.setdefault(id(one.chunk), []).append(one)
                else:
                    rest.append(one)
            self.pending = rest
        for launches in ended.values():
            self.read(launches)

    def read(self, launches: list[Launched]) -> None:
        """Read the records of launches of one chunk, the first of them first."""
        chunk, first = launches[0].chunk, launches[0].index
        room = np.zeros((launches[-1].index + 1 - first, BYTES), np.uint8)
        at, where = BYTES * first, room.ctypes.data
        _core.dev_read(self.side.handle, chunk.memory, at, where, room.size, (), True, False)
        for one in launches:
            fault = room[one.index - first]
            if fault.view(np.int64)[0]:
                one.fault = fault.copy()
                self.failed.append(one)
        chunk.dirty |= bool(room.any())
        chunk.left -= len(launches)
        if chunk.left == 0:
            self.empty(chunk)

    def empty(self, chunk: Chunk) -> None:
        """Let a chunk be used again: all that was launched with it has ended."""
        if chunk.dirty:
            chunk.clear(self.side)
        chunk.used, chunk.end = 0, None
        if chunk is not self.chunk:
            self.full.remove(chunk)
            if len(self.spare) < MOST_SPARE:
                self.spare.append(chunk)
