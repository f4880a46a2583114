# SPDX-License-Identifier: BSD-3-Clause
"""Where the arrays of a call are: on the device that does it, or brought there for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from swathe import gpu
from swathe._device_array import DeviceArray
from swathe._queue import Queue
from swathe.vendor import _work


def queue_of(stream: Any, *arrays: Any) -> Any:
    """Return the queue of a stream, else of arrays on a device, else the current one; None: the
    CPU."""
    inner = getattr(stream, "_swathe_queue", stream)
    if not isinstance(inner, Queue):
        inner = next((a.queue for a in arrays if isinstance(a, DeviceArray)), None)
        inner = gpu._queue(0) if inner is None else inner
    return None if inner is None or inner.device.is_native else inner


def plain(a: Any) -> Any:
    """An array of the CPU as NumPy's."""
    return a if isinstance(a, DeviceArray) else np.asarray(a)


@contextmanager
def brought(queue: Any, reads: Any, writes: Any = (), order: str = "K") -> Iterator[list[Any]]:
    """Yield arrays, the read ones first, where a queue can use them; copy back what was written."""
    if queue is None:
        yield [plain(a) for a in (*reads, *writes)]
        return
    there = []
    for a in (*reads, *writes):
        if isinstance(a, DeviceArray):
            there.append(_work.on(queue, a))
        else:
            there.append(queue.to_device(np.array(a, order=order) if order != "K" else a))
    yield there
    for a, d in zip(writes, there[len(reads) :], strict=True):
        if not isinstance(a, DeviceArray):
            a[...] = d.copy_to_host()
