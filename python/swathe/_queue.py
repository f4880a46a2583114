# SPDX-License-Identifier: BSD-3-Clause
"""Queues of a device, events, and launches of kernels on them.

A kernel that fails on a device leaves a record in a buffer of its queue; whatever waits for the
queue's work looks at it and raises the exception then, with kernel, line, block and thread. What
nobody has waited for is told when the queue goes, or the process ends.
"""

from __future__ import annotations

import os
import re
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _exit
from ._device_array import SPACES, DeviceArray, extent, foreign, overlap, standin
from ._faults import Faults, Launched
from ._module import build_module
from ._occupancy import best_block
from ._order import MOST_EVENTS, Scope, Uses, come_after, sees, use, used
from ._records import views, whole
from ._rows import move
from .errors import DeviceLostError, LaunchError, NotOnDeviceError, QueueError

if TYPE_CHECKING:
    from .devices import Device

_ENTRY = {"opencl": "swathe_kernel", "cuda": "swathe_entry"}
_STATES = ("waiting", "submitted", "running", "done", "failed")


class Event:
    """A piece of work that a queue was given.

    Attributes
    ----------
    queue : Queue
    dependencies : tuple of Event
        What the work was told to wait for.
    """

    def __init__(
        self,
        queue: Queue,
        handle: Any,
        launches: int,
        keep: Any = None,
        after: tuple[Event, ...] = (),
    ) -> None:
        self.queue = queue
        self.dependencies = after
        self._handle = handle
        self._launches = launches  # of the queue's that may fail, that came before its end
        self._keep = keep  # host memory that the work needs

    def __repr__(self) -> str:
        return f"<swathe.Event of {self.queue!r}: {self.status}>"

    @property
    def status(self) -> str:
        """``waiting``, ``submitted``, ``running``, ``done`` or ``failed``."""
        return _STATES[_core.dev_event_state(self._handle)]

    @property
    def done(self) -> bool:
        """Whether the work has ended."""
        return self.status in ("done", "failed")

    def wait(self) -> None:
        """Wait for the work; raise the errors of kernels that came before it, and its own.

        What the queue was given after it isn't waited for.
        """
        _core.dev_event_wait(self._handle)
        self._keep = None
        self.queue._check(self._launches)

    synchronize = wait

    @property
    def times(self) -> dict[str, int]:
        """When it was queued, submitted, started and ended: nanoseconds by the device's clock."""
        ns = _core.dev_event_times(self._handle)
        return dict(zip(("queued", "submitted", "started", "ended"), ns, strict=True))

    @property
    def elapsed(self) -> float:
        """How long it ran, in milliseconds."""
        t = self.times
        return (t["ended"] - t["started"]) / 1e6

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from the end of this event to the end of another."""
        if type(self) is Event and type(end) is Event and self.queue.device is end.queue.device:
            return _core.dev_event_between(self._handle, end._handle)
        return (end.times["ended"] - self.times["ended"]) / 1e6


def _events(after: Any) -> tuple[Event, ...]:
    if not isinstance(after, (Event, list, tuple, type(None))):
        raise TypeError(f"work waits for events, not for {after!r}")
    events = (after,) if isinstance(after, Event) else tuple(after or ())
    for e in events:
        if not isinstance(e, Event):
            raise TypeError(f"work waits for events, not for {e!r}")
    return events


def _handles(after: Any, queue: Queue) -> tuple[Any, ...]:
    """The driver's events. What another device does is waited for by the host, now."""
    handles = []
    for e in _events(after):
        if e.queue.device is queue.device:
            handles.append(e._handle)
        else:
            e.wait()
    few = len(handles) % MOST_EVENTS or MOST_EVENTS
    if len(handles) > few:
        come_after(queue, handles[few:])
    return tuple(handles[:few])


class _Code:
    """What is kept of a kernel compiled for some types: made once, by `_core.dev_prepare`."""

    def __init__(self, function: Any, source: bytes, written: list[bool]) -> None:
        self.function = function
        self.source = source
        self.written = written
        self.together = b"sw_grid_sync" in source  # threads wait for the whole grid
        self.leaves = self.together or b"sw_fail" in source  # something in its record
        self.kernels: dict[int, tuple[Any, dict[str, int], int]] = {}
        self.linked: tuple[Any, str] | None = None  # files, and options of the driver's compiler
        self.lock = threading.Lock()
        self.told = False

    def tell(self, kernel: Any, args: tuple[Any, ...], info: dict[str, int]) -> None:
        """Let a kernel know what the device's compiler made of it for arguments."""
        types = (
            f"{a.dtype}[{','.join(':' * a.ndim)}]"
            if isinstance(a, np.ndarray)
            else type(a).__name__
            for a in args
        )
        kernel.__dict__.setdefault("_swathe_facts", {})[f"({', '.join(types)})"] = info
        self.told = True

    def on(self, device: Device, name: str) -> Any:
        """The kernel and what is known of it, built for a device."""
        found = self.kernels.get(id(device))
        if found is None:
            with self.lock:
                found = self.kernels.get(id(device)) or self._build(device, name)
                self.kernels[id(device)] = found
        return found

    def _build(self, device: Device, name: str) -> Any:
        options = None
        if device.backend == "opencl":
            options = "-w -cl-std=CL1.2"
            if b"#define SW_FAST" in self.source:
                options += " -cl-fast-relaxed-math"
            elif device.props["exact_divide"]:
                options += " -cl-fp32-correctly-rounded-divide-sqrt"
        module = build_module(device, self.source, options, self.linked)
        handle, info = _core.dev_kernel(module, name)
        return handle, info, self.stack(info)

    def stack(self, info: dict[str, int]) -> int:
        """Bytes of stack that a thread may need; 0: what the driver sees for itself.

        Of functions that call themselves, the driver can't see it. They go no deeper than
        MOST_DEPTH of core/gen/llvm/error.c; each keeps its arrays and at most all registers.
        """
        if b"sw_again_" not in self.source:
            return 0
        arrays = [int(n) for n in re.findall(rb"__local_depot\d+\[(\d+)\]", self.source)]
        frame = max(arrays, default=0) + 4 * info["registers"] + 64
        return info["local_bytes"] + (128 + 8) * frame


def _check_writeable(to: Any) -> None:
    if not to.flags.writeable:
        raise ValueError("assignment destination is read-only")


class Queue:
    """A queue of work on a device.

    Parameters
    ----------
    device : str or Device, optional
        See `swathe.devices`.
    in_order : bool, default True
        Whether each piece of work waits for the one before.
    profiling : bool, default False
        Whether events tell when their work ran.

    Raises
    ------
    NoDeviceError
        There is no such device.
    QueueError
        The device has no such queues.
    """

    def __new__(cls, device: Any = None, **options: Any) -> Queue:
        """Find out whose it is: the native CPU's have nothing to wait for."""
        from .devices import Device

        if cls is Queue and Device(device).is_native:
            from ._native_queue import NativeQueue

            return object.__new__(NativeQueue)
        return object.__new__(cls)

    def __init__(
        self, device: Any = None, *, in_order: bool = True, profiling: bool = False
    ) -> None:
        from .devices import Device

        self.device = Device(device)
        self.in_order = in_order
        self.profiling = profiling
        flags = (0 if in_order else 1) | (2 if profiling else 0)
        self._lock = threading.RLock()
        self._faults = Faults(self)
        self._process = os.getpid()
        self._ref = weakref.ref(self)
        self._handle = _core.dev_queue(self.device._open(), flags)
        _exit.watch(self)

    def __repr__(self) -> str:
        return f"<swathe.Queue of {self.device.filter_string}>"

    def __del__(self) -> None:
        faults = getattr(self, "_faults", None)
        if faults is not None and (faults.pending or faults.failed):
            try:
                self._end()
            except Exception:
                _core.exit_fails(True)
                raise

    def _end(self) -> None:
        """Wait; raise errors that nobody has waited for, but that a device is lost only once."""
        if self._process != os.getpid():
            return
        told = DeviceLostError.told
        try:
            self._finish()
            self._check(whosever=True)
        except DeviceLostError:
            if not told:
                raise

    # ---- waiting ----

    def _finish(self) -> int:
        """Wait for all work; return how many launches it had that may have failed."""
        launches = self._faults.count
        _core.dev_sync(self._handle)
        return launches

    def sync(self) -> None:
        """Wait for all work; raise the first error of its kernels."""
        self._check(self._finish())

    wait = synchronize = sync

    def mark(self) -> Event:
        """Return an event that is done when all work so far is."""
        launches = self._faults.count
        return Event(self, _core.dev_mark(self._handle), launches)

    record = mark

    def wait_for(self, *events: Event) -> None:
        """Let what comes next wait for events, of this queue or another."""
        _core.dev_after(self._handle, _handles(events, self))

    def _check(self, upto: int | None = None, whosever: bool = False) -> None:
        """Raise what kernels have left: of the launches up to a number, which have ended.

        What kernels of another thread's or task's context have left stays for that context.
        """
        with self._lock:
            faults = self._faults
            if faults.pending:
                faults.collect(faults.count if upto is None else upto)
            if not faults.failed:
                return
            mine = [f for f in faults.failed if whosever or sees(f.scope)]
            faults.failed = [f for f in faults.failed if not (whosever or sees(f.scope))]
        if mine:
            self._raise(mine[0])

    def _leave(self, scope: Scope, error: BaseException) -> None:
        """Wait for what a context has sent that ends with an error of its own."""
        try:
            self.sync()
        except Exception as e:
            if hasattr(error, "add_note"):  # Python 3.11
                error.add_note(f"before it, on the device: {type(e).__name__}: {e}")

    def _raise(self, launched: Launched) -> None:
        fault = launched.fault
        assert fault is not None
        words = [int(w) for w in fault.view(np.int64)]
        try:
            _core.dev_fault(launched.code.function, fault.tobytes())
        except Exception as e:
            where = f" (in block {tuple(words[1:4])}, thread {tuple(words[4:7])})"
            first, newline, rest = str(e.args[0] if e.args else "").partition("\n")
            e.args = (first + where + newline + rest,)
            raise

    # ---- memory ----

    def empty(
        self, shape: Any, dtype: Any = np.float64, order: str = "C", space: str = "device"
    ) -> DeviceArray:
        """Return an array whose elements are not set.

        space: ``device``; ``shared`` with the host, or ``host`` memory that the device reads:
        these have an attribute `host`, the same memory as a NumPy array.
        """
        if space not in SPACES:
            raise ValueError(f"memory is of {', '.join(SPACES)}, not of {space!r}")
        proto = standin(shape, dtype, order)
        if space != "device":
            memory = _core.dev_alloc(self.device._open(), proto.nbytes, SPACES[space])
            return DeviceArray(self, proto, memory, 0, space)
        memory, after = _core.dev_alloc_on(self._handle, proto.nbytes)
        uses = Uses()
        if after:  # what it was before is still used by this queue
            uses.writer = self._ref
        return DeviceArray(self, proto, memory, 0, space, uses)

    def zeros(self, shape: Any, dtype: Any = np.float64, order: str = "C") -> DeviceArray:
        """Return an array of zeros."""
        return self.empty(shape, dtype, order).fill(0)

    def to_device(self, array: Any, space: str = "device") -> DeviceArray:
        """Return a copy of a NumPy array, of what NumPy makes an array of, or of any device's."""
        if isinstance(array, DeviceArray):
            array = array.copy_to_host()
        a = np.asarray(array)
        order = "F" if a.flags.fnc else "C"
        new = self.empty(a.shape, a.dtype, order, space)
        self._move(new, a, True)
        return new

    def asarray(self, obj: Any) -> Any:
        """Return an array of another library on this device: the same memory, not a copy.

        What shows ``__cuda_array_interface__`` or DLPack is understood. What is on the host is
        copied, as `to_device` does.
        """
        if isinstance(obj, DeviceArray) and obj.device is self.device:
            return obj
        theirs = foreign(self, obj) if not isinstance(obj, (DeviceArray, np.ndarray)) else None
        if isinstance(theirs, DeviceArray):
            return theirs
        return self.to_device(obj if theirs is None else theirs)

    def _same(self, *arrays: DeviceArray) -> None:
        for a in arrays:
            if not isinstance(a, DeviceArray):
                raise NotOnDeviceError(
                    f"a {type(a).__name__} is not an array of a device: see Queue.to_device"
                )
            if a.device is not self.device:
                raise QueueError(
                    f"the array is on {a.device.name}, the queue of {self.device.name}"
                )
            a._live()

    def _write(self, to: DeviceArray, a: np.ndarray) -> None:
        self._same(to)
        _check_writeable(to)
        self._settle()
        self._move(to, np.asarray(a), True)

    def _read(self, a: DeviceArray, out: np.ndarray) -> None:
        self._same(a)
        launches = self._faults.count
        self._settle()
        self._move(a, out, False)
        self._check(launches)

    def _settle(self) -> None:
        """Where work may run in any order, what was given before ends first."""
        if not self.in_order:
            _core.dev_sync(self._handle)

    def _move(self, d: DeviceArray, a: np.ndarray, to_device: bool) -> None:
        """Between a device and the host: in one piece when both are packed alike."""
        flags, mine = a.flags, d._proto.flags
        alike = (flags.c_contiguous and mine.c_contiguous) or (
            flags.f_contiguous and mine.f_contiguous
        )
        call = _core.dev_write if to_device else _core.dev_read
        use(self, (d._uses, to_device))
        if alike or d.size == 0:
            at = a.__array_interface__["data"][0]
            call(self._handle, d._memory, d._offset, at, d.nbytes, (), True, False)
            return
        move(self, *((d, a) if to_device else (a, d)))

    def _move_any(self, to: Any, source: Any) -> None:
        """Copy between arrays that are not both packed, and wait."""
        if isinstance(to, DeviceArray) != isinstance(source, DeviceArray):
            there = isinstance(to, DeviceArray)
            self._move(to if there else source, source if there else to, there)
            return
        if overlap(to, source):
            source = source.copy()
        use(self, (source._uses, False), (to._uses, True))
        move(self, to, source)
        _core.dev_sync(self._handle)

    def copy(self, to: Any, source: Any, after: Any = (), block: bool = True) -> Event | None:
        """Copy between two arrays, each on the host or the device, of one shape and dtype.

        Unless it is to block, an event is returned at once, and both arrays stay as they are
        until it is done; packed arrays only.
        """
        for a in (to, source):
            if not isinstance(a, (DeviceArray, np.ndarray)):
                raise NotOnDeviceError(f"a {type(a).__name__} is not an array")
        if to.shape != source.shape or to.dtype != source.dtype:
            raise ValueError(
                f"{source.shape} {source.dtype} can't be copied to {to.shape} {to.dtype}"
            )
        _check_writeable(to)
        on = [a for a in (to, source) if isinstance(a, DeviceArray)]
        self._same(*on)
        if not on:
            raise NotOnDeviceError("one of the arrays must be on the device")
        waits, launches = _handles(after, self), self._faults.count
        if block and not waits:
            self._settle()
        packed = all(a.flags.c_contiguous for a in (to, source))
        if not packed:
            if not block:
                raise QueueError("only packed arrays can be copied without waiting")
            if waits:
                _core.dev_after(self._handle, waits)
                self._settle()
            self._move_any(to, source)
            self._check(launches)
            return None
        q, n = self._handle, source.nbytes
        if len(on) == 2 and overlap(to, source):
            if waits:
                _core.dev_after(q, waits)
            source = source.copy()
        streams = use(self, *((a._uses, a is to) for a in on))
        if len(on) == 2:
            e = _core.dev_copy(
                q,
                to._memory,
                to._offset,
                source._memory,
                source._offset,
                n,
                waits,
                block,
                not block,
            )
        elif on[0] is to:
            at = source.__array_interface__["data"][0]
            e = _core.dev_write(q, to._memory, to._offset, at, n, waits, block, not block)
        else:
            at = to.__array_interface__["data"][0]
            e = _core.dev_read(q, source._memory, source._offset, at, n, waits, block, not block)
        used(self, streams)
        if block:
            self._check(launches)
        return Event(self, e, launches, (to, source), _events(after)) if e is not None else None

    def fill(
        self, a: DeviceArray, value: Any, after: Any = (), block: bool = False
    ) -> Event | None:
        """Set every element of an array."""
        self._same(a)
        _check_writeable(a)
        pattern, waits = np.full(1, value, a.dtype), _handles(after, self)
        launches = self._faults.count
        packed = a._proto.flags.c_contiguous or a._proto.flags.f_contiguous
        if not packed or a.itemsize not in (1, 2, 4, 8, 16) or a._offset % a.itemsize:
            if waits:
                _core.dev_after(self._handle, waits)
            self._write(a, np.broadcast_to(pattern[0], a.shape))
            return None
        if block and not waits:
            self._settle()
        streams = use(self, (a._uses, True))
        e = _core.dev_fill(
            self._handle,
            a._memory,
            a._offset,
            pattern.tobytes(),
            a.nbytes,
            waits,
            block,
            not block,
        )
        used(self, streams)
        return Event(self, e, launches, None, _events(after)) if e is not None else None

    # ---- kernels ----

    def launch(
        self,
        kernel: Any,
        grid: Any,
        block: Any,
        args: tuple[Any, ...],
        shared: int = 0,
        after: Any = (),
    ) -> Event | None:
        """Launch a kernel after some events; return its event, None if it was waited for."""
        sizes = kernel[grid, block, self, shared].sizes
        event = _launch(self, kernel, sizes, tuple(args), _handles(after, self), True)
        if event is not None:
            event.dependencies = _events(after)
        return event

    def _swathe_launch(self, kernel: Any, sizes: tuple[int, ...], args: tuple[Any, ...]) -> None:
        _launch(self, kernel, sizes, args, (), False)


# ---- arguments -----------------------------------------------------------------------------------


class _Staging:
    """The host arrays of a launch, and the memory that stands for them while it runs."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.groups: list[list[Any]] = []  # lo, hi, memory, what is written

    def place(self, wanted: list[np.ndarray]) -> None:
        """Copy them to the device: what overlaps on the host overlaps there."""
        for lo, hi in sorted(extent(a) for a in wanted):
            if self.groups and lo < self.groups[-1][1]:
                self.groups[-1][1] = max(self.groups[-1][1], hi)
            else:
                self.groups.append([lo, hi, None, []])
        q = self.queue
        for g in self.groups:
            g[2], _ = _core.dev_alloc_on(q._handle, g[1] - g[0])
            _core.dev_write(q._handle, g[2], 0, g[0], g[1] - g[0], (), True, False)

    def group_of(self, a: np.ndarray) -> list[Any]:
        lo, _ = extent(a)
        return next(g for g in self.groups if g[0] <= lo <= g[1] and (lo < g[1] or a.size == 0))

    def back(self) -> None:
        """Copy the elements that kernels may have written.

        What lies between them may be another thread's, which writes it at the same time.
        """
        q = self.queue._handle
        for lo, hi, memory, written in self.groups:
            packed = (a for a in written if a.flags.c_contiguous or a.flags.f_contiguous)
            if any(extent(a) == (lo, hi) for a in packed):
                _core.dev_read(q, memory, 0, lo, hi - lo, (), True, False)
            elif written:
                part = np.empty(hi - lo, np.uint8)
                at = part.__array_interface__["data"][0]
                _core.dev_read(q, memory, 0, at, hi - lo, (), True, False)
                for a in written:
                    place = a.__array_interface__["data"][0] - lo
                    a[...] = np.ndarray(a.shape, a.dtype, part, place, a.strides)


_NUMBERS = frozenset({int, float, bool, np.float32, np.float64, np.int32, np.int64})


class _Args:
    """A launch's arguments: NumPy arrays stand for those of devices; the memory of each beside."""

    def __init__(self, queue: Queue, args: tuple[Any, ...]) -> None:
        self.queue = queue
        self.arrays: list[Any] = []  # DeviceArray or ndarray, in order
        self.host: list[np.ndarray] = []
        self.protos = tuple(self.one(a) for a in args)

    def one(self, a: Any) -> Any:
        if type(a) in _NUMBERS:
            return a
        if type(a) is DeviceArray and a.queue is self.queue and a._memory is not None:
            proto = a._proto
            if proto.dtype.names is None:
                self.arrays.append(a)
                return proto
        a = getattr(a, "_swathe_base", a)  # dpctl's, around one of ours
        if isinstance(a, (DeviceArray, np.ndarray)) and a.dtype.names:
            return self.one(views(a))
        if isinstance(a, np.void) and a.dtype.names:
            return self.one(views(whole(a)))
        if isinstance(a, DeviceArray):
            if a.device is not self.queue.device:
                raise QueueError(
                    f"an argument is on {a.device.name}, the queue of {self.queue.device.name}"
                )
            a._live()
            self.arrays.append(a)
            return a._proto
        if isinstance(a, np.ndarray):
            self.arrays.append(a)
            self.host.append(a)
            return a
        if isinstance(a, tuple):
            parts = [self.one(x) for x in tuple.__iter__(a)]
            return type(a)._make(parts) if hasattr(a, "_fields") else tuple(parts)
        if type(a) is dict:
            return {k: self.one(x) for k, x in a.items()}
        if isinstance(a, (int, float, complex, str, np.generic)) or a is None:
            return a
        theirs = foreign(self.queue, a)
        return a if theirs is None else self.one(theirs)

    def memory(self, staging: _Staging | None) -> list[tuple[Any, int]]:
        out: list[tuple[Any, int]] = []
        for a in self.arrays:
            if isinstance(a, DeviceArray):
                out.append((a._memory, a._offset))
            else:
                assert staging is not None
                g = staging.group_of(a)
                out.append((g[2], a.__array_interface__["data"][0] - g[0]))
        return out


def _twin(kernel: Any, device: Device) -> Any:
    twins = kernel.__dict__.setdefault("_swathe_twins", {})
    key = (device.props["target"], device.props["arch"])
    twin = twins.get(key)
    if twin is None:
        twin = twins.setdefault(key, _core.dev_twin(kernel, *key))
    return twin


def _check_limits(device: Device, info: dict[str, int], sizes: tuple[int, ...]) -> None:
    threads = sizes[3] * sizes[4] * sizes[5]
    most = info["max_threads"] or device.props["max_threads"]
    if threads > most:
        raise LaunchError(
            f"a block of {threads} threads: the kernel takes at most {most} on {device.name}"
        )


def _cut(device: Device, info: dict[str, int], sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Cut tasks, as many as the blocks of `sizes`, into blocks that suit kernel and device."""
    threads = 256
    if device.backend == "cuda":
        threads = best_block(device.props["arch"], info, sizes[6])
    elif info["max_threads"]:
        threads = min(threads, info["max_threads"])
    return (-(-sizes[0] // threads), 1, 1, threads, 1, 1, sizes[6])


def _launch(
    queue: Queue, kernel: Any, sizes: tuple[int, ...], args: tuple[Any, ...], after: Any, want: bool
) -> Event | None:
    given = _Args(queue, args)
    twin = _twin(kernel, queue.device)
    code, bound = _core.dev_prepare(twin, given.protos, _Code)
    if code.linked is None:
        code.linked = kernel.__dict__.get("_swathe_link")
    if len(bound) > len(given.protos):  # defaults
        given = _Args(queue, (*args, *bound[len(args) :]))
    name = kernel.__name__
    handle, info, stack = code.on(queue.device, _ENTRY[queue.device.backend])
    if not code.told:
        code.tell(kernel, given.protos, info)
    if not sizes[3]:
        sizes = _cut(queue.device, info, sizes)
    _check_limits(queue.device, info, sizes)
    staging = None
    if given.host:
        staging = _Staging(queue)
        staging.place(given.host)
        for a, written in zip(given.arrays, code.written, strict=True):
            if written and isinstance(a, np.ndarray) and a.size:
                staging.group_of(a)[3].append(a)
    streams = use(
        queue,
        *(
            (a._uses, written)
            for a, written in zip(given.arrays, code.written, strict=True)
            if isinstance(a, DeviceArray)
        ),
    )
    with queue._lock:
        record, offset, launched = queue._faults.place(queue._handle, code, name)
        launches = queue._faults.count
        try:
            event = _core.dev_launch(
                queue._handle,
                handle,
                twin,
                bound,
                given.memory(staging),
                sizes,
                record,
                offset,
                after,
                want or not queue.in_order,
                code.together,
                stack,
            )
        except BaseException:
            if launched is not None:
                queue._faults.undo(launched)
            raise
        if launched is not None:
            launched.event = event
    used(queue, streams)
    if staging is not None:
        if event is not None:
            _core.dev_event_wait(event)
        staging.back()
        queue.sync()
        return None
    return Event(queue, event, launches, given.arrays) if want else None


class Timer:
    """Measures what a queue does: seconds by the host's clock, and by the device's.

    Parameters
    ----------
    queue : Queue
        One with profiling, for `device_dt`.
    """

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.host_dt = 0.0
        self.device_dt = 0.0

    def __enter__(self) -> Timer:
        self.queue.sync()
        self._began = time.perf_counter()
        self._first = self.queue.mark()
        return self

    def __exit__(self, *exc: object) -> None:
        last = self.queue.mark()
        self.queue.sync()
        self.host_dt += time.perf_counter() - self._began
        if self.queue.profiling:
            self.device_dt += self._first.elapsed_time(last) / 1e3

    @property
    def dt(self) -> tuple[float, float]:
        """Seconds by the host's clock and by the device's."""
        return self.host_dt, self.device_dt
