# SPDX-License-Identifier: BSD-3-Clause
"""Calls whose parallel loops run on a device.

A function has a twin for each kind of device, whose compiled code launches kernels where the
function has parallel loops. Arrays of the device among the arguments are stood for by a range of
the host's addresses, which compiled code copies to only when its own part wants the elements.
"""

from __future__ import annotations

import functools
import threading
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import _core, _prim_device
from ._device_array import DeviceArray, extent, foreign
from ._module import build_module
from ._order import use, used
from .errors import ExecutionPlacementError

if TYPE_CHECKING:
    from ._queue import Queue
    from .devices import Device

_lock = threading.Lock()


def options_of(device: Device, source: bytes) -> str | None:
    """What the device's compiler is told."""
    if device.backend != "opencl":
        return None
    options = "-w -cl-std=CL1.2"
    if b"#define SW_FAST" in source:
        options += " -cl-fast-relaxed-math"
    elif device.props["exact_divide"]:
        options += " -cl-fp32-correctly-rounded-divide-sqrt"
    return options


class _Twin:
    """A function's twin for a device, and its kernels that have been built there."""

    def __init__(self, function: Any, device: Device) -> None:
        self.device = device
        self.call = _core.dev_twin(function, device.props["target"], device.props["arch"])
        self.built: dict[int, Any] = {}

    def build(self, source: bytes, n: int) -> tuple[Any, ...]:
        """Return the kernels of a compiled function."""
        d = self.device
        options = options_of(d, source)
        module = build_module(d, source, options)
        return tuple(_core.dev_kernel(module, f"swathe_k{k}")[0] for k in range(n))


_twins: weakref.WeakKeyDictionary[Any, dict[int, _Twin]] = weakref.WeakKeyDictionary()


def twin_of(function: Any, device: Device) -> _Twin:
    """Return a function's twin for a device."""
    twin = _twins.get(function, {}).get(id(device))
    if twin is None:
        with _lock:
            twin = _twins.setdefault(function, {}).setdefault(id(device), _Twin(function, device))
    return twin


def twins_of(function: Any) -> list[_Twin]:
    """Return the twins that calls have made so far."""
    return list(_twins.get(function, {}).values())


class _Lent:
    """Memory of the device that arguments look at, and the addresses that stand for it."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.lo, self.hi = 1 << 62, 0
        self.room: np.ndarray | None = None

    def covers(self, a: DeviceArray) -> None:
        lo, hi = self.span(a)
        self.lo, self.hi = min(self.lo, lo), max(self.hi, hi)

    @staticmethod
    def span(a: DeviceArray) -> tuple[int, int]:
        lo, hi = extent(a._proto)
        base = a._proto.__array_interface__["data"][0]
        return a._offset + lo - base, a._offset + hi - base

    def place(self) -> tuple[int, int, Any, int]:
        self.room = np.empty(self.hi - self.lo + 64, np.uint8)
        self.skip = -self.room.ctypes.data % 64
        self.start = self.room.ctypes.data + self.skip
        return self.start, self.start + self.hi - self.lo, self.memory, self.lo

    def standin(self, a: DeviceArray) -> np.ndarray:
        assert self.room is not None
        at = self.skip + a._offset - self.lo
        new = np.ndarray(a.shape, a.dtype, self.room, at, a.strides)
        new.flags.writeable = a._proto.flags.writeable
        return new


class _Arguments:
    """A call's arguments, as the twin takes them."""

    def __init__(self, queue: Queue | None) -> None:
        self.queue = queue
        self.lent: dict[int, _Lent] = {}
        self.arrays: list[DeviceArray] = []
        self.kept: list[tuple[int, int, Any, int]] = []  # of results: addresses, memory, offset
        self.foreign: dict[int, DeviceArray] = {}  # by the object of another library

    def find(self, a: Any) -> None:
        """Note the arrays of devices in it."""
        a = getattr(a, "_swathe_base", a)
        if isinstance(a, tuple):
            for x in tuple.__iter__(a):  # a class may refuse loops
                self.find(x)
        elif isinstance(a, DeviceArray):
            a._live()
            if self.queue is None:
                self.queue = a.queue
            elif a.device is not self.queue.device:
                here = self.queue.device.name
                raise ExecutionPlacementError(
                    f"an argument is on {a.device.name}, the call's queue of {here}"
                )
            self.arrays.append(a)
            self.lent.setdefault(id(a._memory), _Lent(a._memory)).covers(a)
        elif self.queue is not None and hasattr(a, "__cuda_array_interface__"):
            theirs = foreign(self.queue, a)
            self.foreign[id(a)] = theirs
            self.find(theirs)

    def check_one_queue(self, name: str) -> None:
        """Compute follows data: arrays of two queues don't say where."""
        if any(a.queue is not self.queue for a in self.arrays):
            raise ExecutionPlacementError(
                f"{name}(): arguments are on two queues of {self.queue.device.filter_string}: "
                "y.queue.to_device(x) copies one to the other, device_context(queue) says "
                "where it runs"
            )

    def put(self, a: Any) -> Any:
        """Return what stands for it."""
        a = self.foreign.get(id(a), getattr(a, "_swathe_base", a))
        if isinstance(a, DeviceArray):
            return self.lent[id(a._memory)].standin(a)
        if isinstance(a, tuple) and self.lent:
            parts = [self.put(x) for x in tuple.__iter__(a)]
            return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
        return a

    def made(self, r: np.ndarray, memory: Any, offset: int) -> DeviceArray:
        """Return the array of the device that a result stands for."""
        proto = as_strided(np.empty(1, r.dtype), r.shape, r.strides)
        if not r.flags.writeable:
            proto.flags.writeable = False
        new = DeviceArray(self.queue, proto, memory, offset, "device")
        use(self.queue, (new._uses, True))
        return new

    def back(self, r: Any) -> Any:
        """Return a result, in which views of a device's memory are its arrays again."""
        if isinstance(r, np.ndarray):
            at = r.__array_interface__["data"][0]
            for m in self.lent.values():
                if m.start <= at < m.start + (m.hi - m.lo) and np.may_share_memory(r, m.room):
                    like = next(a for a in self.arrays if a._memory is m.memory)
                    return like._moved(r, m.lo + at - m.start)
            for lo, hi, memory, offset in self.kept:
                if lo <= at < hi:
                    return self.made(r, memory, offset + at - lo)
        if type(r) is list:
            r[:] = [self.back(x) for x in r]
        elif type(r) is dict:
            r.update({k: self.back(x) for k, x in r.items()})
        elif isinstance(r, tuple):
            parts = [self.back(x) for x in r]
            return type(r)(*parts) if hasattr(r, "_fields") else tuple(parts)
        return r


def call(function: Any, args: tuple[Any, ...], names: dict[str, Any] | None, queue: Any) -> Any:
    """Call a function on a queue, that of the context, or that of its arguments."""
    from .devices import current_queue

    if queue is None:
        queue = current_queue()
    if queue is not None and queue.device.is_native:
        return queue._call(function, args, names)
    given = _Arguments(queue)
    for a in args:
        given.find(a)
    for a in (names or {}).values():
        given.find(a)
    if given.queue is None:
        return NotImplemented
    if given.arrays and function.__module__ == "swathe.prim":
        if queue is None:
            given.check_one_queue(function.__name__)
        plain = functools.partial(_run, function, args, names, given, keep=True)
        return _prim_device.call(function, args, names or {}, given.queue, plain)
    return _run(function, args, names, given)


def _run(
    function: Any,
    args: tuple[Any, ...],
    names: dict[str, Any] | None,
    given: _Arguments,
    keep: bool = False,
) -> Any:
    """Call the twin of a function for the queue that has been found.

    keep: arrays that it makes and returns are arrays of the device, where they were made there.
    """
    q = given.queue
    twin = twin_of(function, q.device)
    streams = use(q, *((a._uses, True) for a in given.arrays))
    lent = [m.place() for m in given.lent.values()]
    if lent:
        args = tuple(given.put(a) for a in args)
        names = {k: given.put(v) for k, v in (names or {}).items()}
    where = (q.device._open(), q._handle, q.in_order)
    try:
        kept = given.kept if keep else None
        r = _core.dev_call(twin.call, *where, lent, twin.built, twin.build, args, names, kept)
    finally:
        used(q, streams)
    return given.back(r) if lent or given.kept else r
