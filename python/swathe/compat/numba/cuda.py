# SPDX-License-Identifier: BSD-3-Clause
"""The names of ``numba.cuda``: kernels, which run on the CPU where no other device is chosen.

>>> import numpy as np
>>> from swathe.compat.numba import cuda
>>> @cuda.jit
... def add_one(x):
...     i = cuda.grid(1)
...     if i < x.size:
...         x[i] += 1
>>> x = cuda.to_device(np.zeros(3))
>>> add_one.forall(3)(x)
>>> x.copy_to_host()
array([1., 1., 1.])
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from swathe.gpu import (
    activemask,
    all_sync,
    any_sync,
    atomic,
    ballot_sync,
    blockDim,
    blockIdx,
    brev,
    cbrt,
    cg,
    clz,
    const,
    device_array,
    device_array_like,
    eq_sync,
    ffs,
    fma,
    grid,
    gridDim,
    gridsize,
    jit,
    laneid,
    lanemask_lt,
    local,
    match_all_sync,
    match_any_sync,
    popc,
    rsqrt,
    selp,
    shared,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    synchronize,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
    syncwarp,
    threadfence,
    threadfence_block,
    threadfence_system,
    threadIdx,
    to_device,
    warpsize,
)

__all__ = [
    "Event",
    "Stream",
    "activemask",
    "all_sync",
    "any_sync",
    "as_cuda_array",
    "atomic",
    "ballot_sync",
    "blockDim",
    "blockIdx",
    "brev",
    "cbrt",
    "cg",
    "close",
    "clz",
    "const",
    "default_stream",
    "defer_cleanup",
    "device_array",
    "device_array_like",
    "eq_sync",
    "event",
    "event_elapsed_time",
    "ffs",
    "fma",
    "grid",
    "gridDim",
    "gridsize",
    "is_available",
    "jit",
    "laneid",
    "lanemask_lt",
    "local",
    "managed_array",
    "mapped_array",
    "match_all_sync",
    "match_any_sync",
    "pinned",
    "pinned_array",
    "popc",
    "rsqrt",
    "selp",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "stream",
    "synchronize",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "threadfence_block",
    "threadfence_system",
    "to_device",
    "warpsize",
]


class Stream:
    """An order of work. On the CPU each launch has ended when it returns."""

    def synchronize(self) -> None:
        """Wait for all that was launched on it."""

    @contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Wait at the end of a ``with`` block."""
        yield self

    def _swathe_launch(self, kernel: Any, sizes: Any, args: Any) -> Any:
        return NotImplemented  # run it on the CPU, now


class Event:
    """A moment."""

    def __init__(self) -> None:
        self._at: float | None = None

    def record(self, stream: Any = 0) -> None:
        """Note the moment."""
        self._at = time.perf_counter()

    def query(self) -> bool:
        """Tell whether all before it has ended."""
        return True

    def synchronize(self) -> None:
        """Wait until all before it has ended."""

    def wait(self, stream: Any = 0) -> None:
        """Let a stream wait for it."""

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds from this to `end`."""
        if self._at is None or end._at is None:
            raise RuntimeError("elapsed_time(): both events must have been recorded")
        return (end._at - self._at) * 1e3


def stream() -> Stream:
    """Return a new stream."""
    return Stream()


def default_stream() -> Stream:
    """Return the stream of launches that name none."""
    return Stream()


def event(timing: bool = True) -> Event:
    """Return a new event."""
    return Event()


def event_elapsed_time(start: Event, end: Event) -> float:
    """Return the milliseconds from one event to another."""
    return start.elapsed_time(end)


def is_available() -> bool:
    """Tell whether kernels can run: always, since the CPU is a device."""
    return True


def pinned_array(shape: Any, dtype: Any = float, strides: Any = None, order: str = "C") -> Any:
    """Return an array of the host that devices can copy fast."""
    import numpy as np

    return np.zeros(shape, getattr(dtype, "_swathe_dtype", dtype), order)


def mapped_array(
    shape: Any, dtype: Any = float, strides: Any = None, order: str = "C", **options: Any
) -> Any:
    """Return an array that host and device both see."""
    return device_array(shape, dtype, order=order)


managed_array = mapped_array


@contextmanager
def pinned(*arrays: Any) -> Iterator[None]:
    """Keep arrays of the host in place during a ``with`` block."""
    yield


@contextmanager
def defer_cleanup() -> Iterator[None]:
    """Put off the freeing of memory during a ``with`` block."""
    yield


def as_cuda_array(obj: Any, sync: bool = True) -> Any:
    """Return an array that shares the memory of `obj`."""
    import numpy as np

    from swathe._host_array import HostArray

    return np.asarray(obj).view(HostArray)


def close() -> None:
    """Let go of the device."""
