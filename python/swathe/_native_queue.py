# SPDX-License-Identifier: BSD-3-Clause
"""The queue of the native CPU: each piece of work has ended when the call that gives it returns.

So programs that are written for queues run where there is no driver of any device. Arrays are
NumPy's, in memory that all see; what fails is raised by the launch itself.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _core
from ._device_array import SPACES, DeviceArray
from ._host_array import HostArray
from ._queue import Event, Queue
from .errors import DeviceMemoryError, NotOnDeviceError, QueueError


class NativeEvent(Event):
    """Work that has ended."""

    def __init__(self, queue: Any, began: int | None = None, after: tuple[Event, ...] = ()) -> None:
        self.queue = queue
        self.dependencies = after
        now = time.perf_counter_ns()
        self._times = (began or now, began or now, began or now, now)

    @property
    def status(self) -> str:
        """Always ``done``."""
        return "done"

    def wait(self) -> None:
        """Return at once."""

    synchronize = wait

    @property
    def times(self) -> dict[str, int]:
        """When it was queued, submitted, started and ended: nanoseconds by the host's clock."""
        if not self.queue.profiling:
            raise QueueError("the event has no times: its queue was made without profiling=True")
        return dict(zip(("queued", "submitted", "started", "ended"), self._times, strict=True))


class NativeQueue(Queue):
    """What `Queue` is for the native CPU, or for a part of its cores."""

    def __init__(
        self, device: Any = None, *, in_order: bool = True, profiling: bool = False
    ) -> None:
        from .devices import Device

        self.device = Device(device)
        self.in_order = in_order
        self.profiling = profiling

    # ---- waiting ----

    def sync(self) -> None:
        """Return at once: all has ended."""

    wait = synchronize = sync

    def mark(self) -> Event:
        """Return an event that is done."""
        return NativeEvent(self)

    record = mark

    def wait_for(self, *events: Event) -> None:
        """Wait for events, of whatever queue."""
        for e in events:
            if not isinstance(e, Event):
                raise TypeError(f"work waits for events, not for {e!r}")
            e.wait()

    def _await(self, after: Any) -> tuple[Event, ...]:
        events = (after,) if isinstance(after, Event) else tuple(after)
        self.wait_for(*events)
        return events

    # ---- memory ----

    def empty(
        self, shape: Any, dtype: Any = np.float64, order: str = "C", space: str = "device"
    ) -> Any:
        """Return a NumPy array under the names of a device array; zeros, in fact."""
        if space not in SPACES:
            raise ValueError(f"memory is of {', '.join(SPACES)}, not of {space!r}")
        dtype = np.dtype(getattr(dtype, "_swathe_dtype", dtype))
        if dtype.hasobject:
            raise TypeError(f"an array on a device can't hold {dtype}")
        try:
            return np.zeros(shape, dtype, order).view(HostArray)
        except MemoryError as e:
            raise DeviceMemoryError(*e.args) from None

    def zeros(self, shape: Any, dtype: Any = np.float64, order: str = "C") -> Any:
        """Return an array of zeros."""
        return self.empty(shape, dtype, order)

    def to_device(self, array: Any, space: str = "device") -> Any:
        """Return a copy of an array."""
        if isinstance(array, DeviceArray):
            array = array.copy_to_host()
        return np.array(array, copy=True, subok=False, order="K").view(HostArray)

    def copy(self, to: Any, source: Any, after: Any = (), block: bool = True) -> Event | None:
        """Copy between two arrays of one shape and dtype."""
        self._arrays(to, source)
        if to.shape != source.shape or to.dtype != source.dtype:
            raise ValueError(
                f"{source.shape} {source.dtype} can't be copied to {to.shape} {to.dtype}"
            )
        events, began = self._await(after), time.perf_counter_ns()
        to[...] = source
        return None if block else NativeEvent(self, began, events)

    def fill(self, a: Any, value: Any, after: Any = (), block: bool = False) -> Event | None:
        """Set every element of an array."""
        self._arrays(a)
        events, began = self._await(after), time.perf_counter_ns()
        a[...] = value
        return None if block else NativeEvent(self, began, events)

    def _arrays(self, *args: Any) -> None:
        self._host_only(*args)
        for a in args:
            if not isinstance(a, np.ndarray):
                raise NotOnDeviceError(f"a {type(a).__name__} is not an array")

    def _host_only(self, *args: Any) -> None:
        for a in args:
            if isinstance(a, DeviceArray):
                raise QueueError(
                    f"an argument is on {a.device.name}, the queue of {self.device.name}"
                )

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
        """Run a kernel after some events; raise what its threads raise."""
        launch = kernel[grid, block, self, shared]
        events, began = self._await(after), time.perf_counter_ns()
        launch(*args)
        return NativeEvent(self, began, events)

    def _swathe_launch(self, kernel: Any, sizes: tuple[int, ...], args: tuple[Any, ...]) -> Any:
        self._host_only(*args)
        if self.device.parent is None:
            return NotImplemented  # run it here
        if not sizes[3]:  # it is left to the queue
            sizes = (-(-sizes[0] // 256), 1, 1, 256, *sizes[4:])
        with self._cores():
            kernel[sizes[:3], sizes[3:6], None, sizes[6]](*args)
        return None

    def _call(self, function: Any, args: tuple[Any, ...], names: dict[str, Any] | None) -> Any:
        """Call a function whose parallel loops run on the cores of the device."""
        self._host_only(*args, *(names or {}).values())
        with self._cores():
            return function(*args, **(names or {}))

    @contextlib.contextmanager
    def _cores(self) -> Iterator[None]:
        """In it, this thread's parallel work is done by as many cores as the device has."""
        from . import devices

        token, before = devices._current.set(None), _core.get_num_threads()
        if self.device.parent is not None:
            _core.set_num_threads(min(self.device.compute_units, before))
        try:
            yield
        finally:
            _core.set_num_threads(before)
            devices._current.reset(token)

    def _leave(self, scope: Any, error: BaseException) -> None:
        pass  # all has ended
