# SPDX-License-Identifier: BSD-3-Clause
"""Queues, events and timers under dpctl's names: thin objects around `swathe.Queue`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from enum import Enum
from typing import Any

import numpy as np

import swathe
from swathe._queue import Event, Queue
from swathe.errors import LaunchError, NoDeviceError, QueueError

from ._device import SyclContext, SyclDevice, SyclDeviceCreationError, backend_type


class SyclQueueCreationError(QueueError):
    """A queue can't be made of these."""


class SyclKernelSubmitError(LaunchError):
    """A kernel can't be launched so."""


class SyclKernelInvalidRangeError(LaunchError):
    """A range that no kernel runs over."""


class event_status_type(Enum):  # noqa: N801
    """How far work has come."""

    unknown_status = 1
    submitted = 2
    running = 3
    complete = 4


_STATUS = {"waiting": "submitted", "failed": "complete", "done": "complete"}


class SyclEvent:
    """A piece of work that a queue was given; without arguments, one that is done."""

    def __init__(self, arg: Any = None) -> None:
        self._swathe_event: Event | None = getattr(arg, "_swathe_event", arg)

    @property
    def execution_status(self) -> event_status_type:
        """How far it has come."""
        status = self._swathe_event.status if self._swathe_event else "done"
        return event_status_type[_STATUS.get(status, status)]

    def wait(self) -> None:
        """Wait for it; raise the errors of its kernels."""
        if self._swathe_event is not None:
            self._swathe_event.wait()

    @staticmethod
    def wait_for(events: Any) -> None:
        """Wait for one event, or several."""
        for e in [events] if isinstance(events, (SyclEvent, Event)) else events:
            if not isinstance(e, (SyclEvent, Event)):
                raise TypeError(f"one waits for events, not for {e!r}")
            e.wait()

    def get_wait_list(self) -> list[SyclEvent]:
        """Return what it was told to wait for."""
        return [SyclEvent(e) for e in self._swathe_event.dependencies] if self._swathe_event else []

    @property
    def backend(self) -> backend_type:
        """What reaches its device."""
        e = self._swathe_event
        return backend_type[e.queue.device.backend] if e else SyclDevice().backend

    def _time(self, which: str) -> int:
        return self._swathe_event.times[which] if self._swathe_event else 0

    @property
    def profiling_info_submit(self) -> int:
        """When it was given to the device: nanoseconds by the device's clock."""
        return self._time("submitted")

    @property
    def profiling_info_start(self) -> int:
        """When it began."""
        return self._time("started")

    @property
    def profiling_info_end(self) -> int:
        """When it ended."""
        return self._time("ended")


_PROPERTIES = ("in_order", "enable_profiling", "default", 0)


class SyclQueue:
    """A queue: of a device, or of a context and a device.

    Parameters
    ----------
    *args
        Nothing, a selector, a SyclDevice, a SyclContext, or a SyclContext and a SyclDevice.
    property : str or sequence of str, optional
        ``"in_order"``, ``"enable_profiling"``.

    Raises
    ------
    SyclQueueCreationError

    Examples
    --------
    >>> from swathe.compat import dpctl
    >>> q = dpctl.SyclQueue("native", property="in_order")
    >>> q.is_in_order, q.sycl_device.is_cpu
    (True, True)
    """

    def __init__(self, *args: Any, property: Any = None) -> None:  # noqa: A002
        words = [property] if isinstance(property, (str, int)) else list(property or ())
        for w in words:
            if w not in _PROPERTIES:
                raise ValueError(
                    f"a property of a queue is in_order or enable_profiling, not {w!r}"
                )
        if len(args) == 1 and isinstance(args[0], Queue):
            self._swathe_queue = args[0]
            return
        if len(args) == 1 and isinstance(args[0], SyclQueue):
            self._swathe_queue = args[0]._swathe_queue
            return
        device = _device_of(args)._swathe_device
        loose = "in_order" not in words and device.props.get("out_of_order", True)
        timed = "enable_profiling" in words
        try:
            self._swathe_queue = Queue(device, in_order=not loose, profiling=timed)
        except (QueueError, NoDeviceError) as e:
            raise SyclQueueCreationError(*e.args) from None

    # ---- what it is ----

    @property
    def sycl_device(self) -> SyclDevice:
        """Its device."""
        return SyclDevice(self._swathe_queue.device)

    @property
    def sycl_context(self) -> SyclContext:
        """Its context."""
        return SyclContext(self.sycl_device)

    def get_sycl_device(self) -> SyclDevice:
        """Return its device."""
        return self.sycl_device

    def get_sycl_context(self) -> SyclContext:
        """Return its context."""
        return self.sycl_context

    @property
    def backend(self) -> backend_type:
        """What reaches its device."""
        return self.sycl_device.backend

    def get_sycl_backend(self) -> backend_type:
        """Return what reaches its device."""
        return self.backend

    @property
    def is_in_order(self) -> bool:
        """Whether each piece of work waits for the one before."""
        return self._swathe_queue.in_order

    @property
    def has_enable_profiling(self) -> bool:
        """Whether events tell when their work ran."""
        return self._swathe_queue.profiling

    @property
    def name(self) -> str:
        """The device's name."""
        return self.sycl_device.name

    @property
    def driver_version(self) -> str:
        """The device's driver."""
        return self.sycl_device.driver_version

    def print_device_info(self) -> None:
        """Print what is known of its device."""
        self.sycl_device.print_device_info()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SyclQueue):
            return NotImplemented
        return self._swathe_queue is other._swathe_queue

    def __hash__(self) -> int:
        return hash(id(self._swathe_queue))

    def __repr__(self) -> str:
        word = ", property='in_order'" if self.is_in_order else ""
        return f"<dpctl.SyclQueue of {self.sycl_device!r}{word}>"

    # ---- work ----

    def wait(self) -> None:
        """Wait for all work; raise the errors of its kernels."""
        self._swathe_queue.sync()

    def submit_barrier(self, dependent_events: Any = None) -> SyclEvent:
        """Return an event that is done when some are, or all work so far."""
        if dependent_events:
            self._swathe_queue.wait_for(*(_raw(e) for e in dependent_events))
        return SyclEvent(self._swathe_queue.mark())

    def memcpy(self, dest: Any, src: Any, count: int) -> None:
        """Copy bytes between memory of devices and of the host, and wait."""
        self.memcpy_async(dest, src, count).wait()

    def memcpy_async(self, dest: Any, src: Any, count: int, dEvents: Any = ()) -> SyclEvent:  # noqa: N803
        """Copy bytes between memory of devices and of the host."""
        to, source = _bytes_of(dest, count, True), _bytes_of(src, count, False)
        if isinstance(to, np.ndarray) and isinstance(source, np.ndarray):
            SyclEvent.wait_for(dEvents)
            to[...] = source
            return SyclEvent(self._swathe_queue.mark())
        after = [_raw(e) for e in dEvents]
        return SyclEvent(self._swathe_queue.copy(to, source, after=after, block=False))

    def prefetch(self, mem: Any, count: int = 0) -> None:
        """Say that memory will be used soon; chooses nothing."""

    def mem_advise(self, mem: Any, count: int, advice: int) -> None:
        """Say how memory will be used; chooses nothing."""

    def submit(
        self, kernel: Any, args: Any, gS: Any, lS: Any = None, dEvents: Any = ()
    ) -> SyclEvent:  # noqa: N803, E501
        """Launch a kernel of `numba_dpex.kernel` over a range of work items, in groups or not.

        Host arrays are copied back before it returns; else the event tells when it has ended.
        """
        return self.submit_async(kernel, args, gS, lS, dEvents)

    def submit_async(
        self,
        kernel: Any,
        args: Any,
        gS: Any,  # noqa: N803
        lS: Any = None,  # noqa: N803
        dEvents: Any = (),  # noqa: N803
    ) -> SyclEvent:
        """Launch a kernel of `numba_dpex.kernel` over a range of work items, in groups or not."""
        from ..numba_dpex._launch import Kernel, run
        from ..numba_dpex._ranges import NdRange, Range

        if not isinstance(kernel, Kernel):
            raise SyclKernelSubmitError(f"a kernel is made by numba_dpex.kernel, not {kernel!r}")
        try:
            over = Range(*gS) if lS is None else NdRange(tuple(gS), tuple(lS))
        except (TypeError, ValueError) as e:
            raise SyclKernelInvalidRangeError(*e.args) from None
        after = [_raw(e) for e in dEvents or ()]
        return SyclEvent(run(kernel, over, tuple(args), after, self._swathe_queue))


def _raw(e: Any) -> Any:
    if not isinstance(e, (SyclEvent, Event)):
        raise TypeError(f"work waits for events, not for {e!r}")
    if isinstance(e, SyclEvent):
        return e._swathe_event if e._swathe_event is not None else Queue("native").mark()
    return e


def _device_of(args: tuple[Any, ...]) -> SyclDevice:
    if len(args) > 2 or (len(args) == 2 and not isinstance(args[0], SyclContext)):
        raise TypeError("a queue is made of a device, or of a context and a device")
    try:
        if len(args) == 2:
            device = SyclDevice(args[1])
            if device not in args[0].get_devices():
                raise SyclQueueCreationError("the device is not one of the context")
            return device
        if args and isinstance(args[0], SyclContext):
            if args[0].device_count != 1:
                raise SyclQueueCreationError("the context has several devices: name one")
            return args[0].get_devices()[0]
        return SyclDevice(*args)
    except SyclDeviceCreationError as e:
        raise SyclQueueCreationError(*e.args) from None


def _bytes_of(obj: Any, count: int, writes: bool) -> Any:
    """The first bytes of memory: of a device, or a NumPy array."""
    base = getattr(obj, "_swathe_base", None)
    if base is None:
        view = memoryview(obj)
        if not view.contiguous or (writes and view.readonly):
            raise TypeError("memory of the host that is copied is contiguous, and writable")
        base = np.frombuffer(view.cast("B"), np.uint8)
    if not isinstance(count, int) or not 0 <= count <= base.nbytes:
        raise ValueError(f"{count!r} bytes of memory that has {base.nbytes}")
    if base.dtype != np.uint8:
        raise TypeError("memory is copied by its bytes: pass usm_data")
    return base[:count]


# ---- timers --------------------------------------------------------------------------------------


class HostDeviceDuration(tuple):
    """Seconds by the host's clock and by the device's."""

    host_dt = property(lambda self: self[0])
    device_dt = property(lambda self: self[1])

    def __repr__(self) -> str:
        return f"(host_dt={self[0]}, device_dt={self[1]})"


class SyclTimer:
    """Measures what a queue does, in a block ``with timer(queue):``.

    Parameters
    ----------
    host_timer : callable
    device_timer : str, optional
        Chooses nothing.
    time_scale : float
        How many units a second has.
    """

    def __init__(
        self,
        host_timer: Callable[[], float] = time.perf_counter,
        device_timer: Any = None,
        time_scale: float = 1,
    ) -> None:
        self._clock, self._scale = host_timer, time_scale
        self._host = self._device = 0.0
        self._queue: Queue | None = None

    def __call__(self, queue: Any) -> SyclTimer:
        """Say whose work is measured."""
        if not isinstance(queue, SyclQueue):
            raise TypeError(f"a timer is called with a SyclQueue, not with {queue!r}")
        if not queue.has_enable_profiling:
            raise ValueError("the queue must be made with property='enable_profiling'")
        self._queue = queue._swathe_queue
        return self

    def __enter__(self) -> SyclTimer:
        if self._queue is None:
            raise RuntimeError("say whose work is measured: `with timer(queue):`")
        self._queue.sync()
        self._first, self._began = self._queue.mark(), self._clock()
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._queue is not None
        last = self._queue.mark()
        self._queue.sync()
        self._host += (self._clock() - self._began) * self._scale
        self._device += self._first.elapsed_time(last) / 1e3 * self._scale

    @property
    def dt(self) -> HostDeviceDuration:
        """What has been measured so far."""
        return HostDeviceDuration((self._host, self._device))


# ---- contexts ------------------------------------------------------------------------------------

_entered: ContextVar[tuple[SyclQueue, ...]] = ContextVar("swathe_dpctl", default=())


@contextlib.contextmanager
def device_context(arg: Any) -> Iterator[SyclQueue]:
    """Send what is launched inside to a device, where its arrays don't say another.

    It belongs to the thread, and to the asyncio task, that enters it.
    """
    queue = arg if isinstance(arg, SyclQueue) else get_device_cached_queue(arg)
    token = _entered.set((*_entered.get(), queue))
    try:
        with swathe.device_context(queue._swathe_queue):
            yield queue
    finally:
        _entered.reset(token)


def get_current_queue() -> SyclQueue:
    """Return the queue of the innermost `device_context`; outside, one of the default device."""
    inside = _entered.get()
    if inside:
        return inside[-1]
    return get_device_cached_queue(None)


def is_in_device_context() -> bool:
    """Whether there is a `device_context` around."""
    return bool(_entered.get())


def get_current_backend() -> backend_type:
    """Return what reaches the current queue's device."""
    return get_current_queue().backend


def get_current_device_type() -> Any:
    """Return the kind of the current queue's device."""
    return get_current_queue().sycl_device.device_type


def get_device_cached_queue(key: Any) -> SyclQueue:
    """Return the queue that a device has by itself."""
    device = _device_of(() if key is None else (key[1] if isinstance(key, tuple) else key,))
    return SyclQueue(device._swathe_device.queue)
