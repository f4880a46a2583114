# SPDX-License-Identifier: BSD-3-Clause
"""A library's work in a queue: its handle there, the order of what uses memory, addresses.

A library has a handle for each queue, bound to the queue's stream, for the workspace of a handle is
shared by all that is given to it; handles end with their queues. A call is made with the device's
context as the thread's, after what other queues do with the arrays.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from .. import _core
from .._device_array import DeviceArray, extent
from .._order import use, used
from .._queue import Queue
from ..errors import DeviceError, NoLibraryError, QueueError
from . import _load

MOST = 2**31 - 1  # what a C int holds


class Handles:
    """What calls of one library need: the library, its handles by queue, its names of statuses.

    Parameters
    ----------
    name : str
        Of the library.
    make, stream, end : str
        The functions that make a handle, bind it to a stream and end it.
    statuses : dict
        The library's names of what went wrong, by number.
    """

    def __init__(self, name: str, make: str, stream: str, end: str, statuses: dict[int, str]):
        self.name, self.statuses = name, statuses
        self._make, self._stream, self._end = make, stream, end
        self._of: weakref.WeakKeyDictionary[Queue, Any] = weakref.WeakKeyDictionary()
        self._lock = threading.RLock()

    def library(self, queue: Queue) -> _load.Library:
        """Return the library for a queue's device, or raise a NoLibraryError."""
        if queue.device.backend != "cuda":
            title = _load.NAMES[self.name].title
            raise NoLibraryError(f"{title} is for CUDA devices, not for {queue.device.name}", title)
        return _load.library(self.name, queue.device.driver_version)

    def there(self, queue: Queue) -> bool:
        """Tell whether a queue's device has the library."""
        try:
            self.library(queue)
        except NoLibraryError:
            return False
        return True

    def call(self, queue: Queue, function: str, takes: str, *args: Any) -> None:
        """Call a function of the library; inside `work`."""
        lib = self.library(queue)
        found = lib.function(function, takes)
        with self._lock:  # a handle is for one thread at a time
            status = found(*args)
        lib.check(status, function, self.statuses)

    def handle(self, queue: Queue) -> Any:
        """Return the handle of a queue; inside `work`."""
        with self._lock:
            handle = self._of.get(queue)
            if handle is None:
                made = ctypes.c_void_p()
                self.call(queue, self._make, "p", ctypes.byref(made))
                handle = self._of[queue] = made.value
                self.call(queue, self._stream, "pp", handle, stream_of(queue))
                lib = self.library(queue)
                ending = weakref.finalize(queue, self._drop, lib, queue.device, handle)
                ending.atexit = False  # the process's end gives everything back
        return handle

    def _drop(self, lib: _load.Library, device: Any, handle: int) -> None:
        with suppress(DeviceError), context(device):
            lib.function(self._end, "p")(handle)


def stream_of(queue: Queue) -> int:
    """The driver's handle of a queue's stream."""
    return _core.dev_stream(queue._handle)


@contextmanager
def context(device: Any) -> Iterator[None]:
    """Make a device's context this thread's during a ``with`` block."""
    handle = device._open()
    _core.dev_enter(handle)
    try:
        yield
    finally:
        _core.dev_leave(handle)


@contextmanager
def work(queue: Queue, reads: Any = (), writes: Any = ()) -> Iterator[None]:
    """Let calls of a library in a ``with`` block use arrays, in the order of the program."""
    for a in (*reads, *writes):
        queue._same(a)
        _core.dev_uses(queue._handle, a._memory)
    each = (*((a._uses, False) for a in reads), *((a._uses, True) for a in writes))
    streams = use(queue, *each)
    with context(queue.device):
        try:
            yield
        finally:
            used(queue, streams)


def address(a: Any) -> int:
    """Where the first element of an array is."""
    return _core.dev_mem_address(a._live()) + a._offset


def lowest(a: Any) -> int:
    """The lowest address that an array has: BLAS begins there where it steps backwards."""
    first = a._proto.__array_interface__["data"][0]
    return address(a) - (first - extent(a._proto)[0])


def queue_of(*arrays: Any) -> Queue | None:
    """Return the queue of the device that arrays are on; None: they are the host's.

    Raises
    ------
    QueueError
        Some are on one device and some on another, or on the host; or their queue has no order.
    """
    there = [a for a in arrays if isinstance(a, DeviceArray)]
    if not there:
        return None
    queue = in_order(there[0].queue)
    for a in arrays:
        if not isinstance(a, DeviceArray):
            raise QueueError(
                f"a {type(a).__name__} beside an array on {queue.device.name}: see Queue.to_device"
            )
        if a.device is not queue.device:
            raise QueueError(f"arrays on {queue.device.name} and on {a.device.name}")
    return queue


def in_order(queue: Queue) -> Queue:
    """Return a queue, or raise a QueueError if its work has no order: a call is several pieces."""
    if not queue.in_order and not queue.device.is_native:
        raise QueueError(
            "library calls and lazy arrays are several pieces of work, of which each needs the one "
            "before: they take no queue made with in_order=False"
        )
    return queue


def on(queue: Queue, a: Any) -> Any:
    """Return an array of a queue's device as one of the queue: the same memory."""
    queue._same(a)
    if a.queue is queue:
        return a
    return type(a)(queue, a._proto, a._live(), a._offset, a.space, a._uses)


def ordered(a: Any, order: str = "C") -> Any:
    """Return an array of a device in an order of axes: itself, where it is so."""
    if a.flags.c_contiguous if order == "C" else a.flags.f_contiguous:
        return a
    new = a.queue.empty(a.shape, a.dtype, order)
    a.queue.copy(new, a)
    return new


def size(n: int, what: str = "a size") -> int:
    """Return a number that goes to a library as an int, or raise a ValueError."""
    if not 0 <= n <= MOST:
        raise ValueError(f"{what} of {n}: the library takes at most {MOST}")
    return int(n)


_SCALARS = {
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "complex64": ctypes.c_float * 2,
    "complex128": ctypes.c_double * 2,
}


def scalar(value: Any, dtype: Any) -> Any:
    """Return a number of the host for a library to read by address."""
    kind = _SCALARS[np.dtype(dtype).name]
    if np.dtype(dtype).kind == "c":
        value = complex(value)
        return kind(value.real, value.imag)
    return kind(float(value))


def number(cell: Any, dtype: Any) -> Any:
    """Return what a library has written into a cell that `scalar` made, as a NumPy number."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return dtype.type(complex(cell[0], cell[1]))
    return dtype.type(cell.value)
