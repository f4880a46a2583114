# SPDX-License-Identifier: BSD-3-Clause
"""What ``numba.cuda`` offers to the host: devices, streams, events, memory, reductions.

Work goes to the queue of the innermost `swathe.device_context`, or of the device that
`select_device` has chosen; else to the CPU, which then stands for the only device that there is.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from swathe import _core, gpu
from swathe._device_array import DeviceArray, foreign
from swathe._host_array import HostArray
from swathe._queue import Queue
from swathe.errors import NoDeviceError


def _queue(stream: Any = 0) -> Any:
    """The queue of a stream, or the one that there is; None: the CPU."""
    inner = getattr(stream, "_swathe_queue", stream)
    if isinstance(inner, Queue):
        return None if inner.device.is_native else inner
    return gpu._queue(0)


# ---- streams and events ------------------------------------------------------------------------


class Stream:
    """An order of work. On the CPU each launch has ended when it returns."""

    def __init__(self, queue: Any = None) -> None:
        self._swathe_queue = queue

    def _swathe_launch(self, kernel: Any, sizes: Any, args: Any) -> Any:
        if self._swathe_queue is None:
            return NotImplemented  # run it on the CPU, now
        return self._swathe_queue._swathe_launch(kernel, sizes, args)

    def synchronize(self) -> None:
        """Wait for all that was launched on it; raise the errors of its kernels."""
        if self._swathe_queue is not None:
            self._swathe_queue.sync()

    @contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Wait at the end of a ``with`` block."""
        yield self
        self.synchronize()

    def add_callback(self, callback: Callable[..., None], arg: Any = None) -> None:
        """Wait for all before it; call ``callback(stream, status, arg)``."""
        status = 0
        try:
            self.synchronize()
        except Exception:  # the callback is told, and the next wait has nothing to raise
            status = 1
        callback(self, status, arg)

    async def async_done(self) -> Stream:
        """Wait for all before it without holding up other tasks."""
        await asyncio.to_thread(self.synchronize)
        return self

    def __repr__(self) -> str:
        where = self._swathe_queue.device.filter_string if self._swathe_queue else "the CPU"
        return f"<cuda.Stream of {where}>"


class Event:
    """A moment in the work of a stream."""

    def __init__(self, timing: bool = True) -> None:
        self.timing = timing
        self._at: float | None = None
        self._mark: Any = None

    def record(self, stream: Any = 0) -> None:
        """Note the moment when all that was launched on the stream so far has ended."""
        queue = _queue(stream)
        self._mark = None if queue is None else queue.mark()
        if queue is not None and not queue.profiling and self.timing:
            queue.sync()  # the device takes no times: the host does
        self._at = time.perf_counter()

    def query(self) -> bool:
        """Tell whether all before it has ended."""
        return self._mark is None or self._mark.done

    def synchronize(self) -> None:
        """Wait until all before it has ended."""
        if self._mark is not None:
            self._mark.wait()

    def wait(self, stream: Any = 0) -> None:
        """Let a stream wait for it."""
        queue = _queue(stream)
        if self._mark is not None:
            self._mark.wait() if queue is None else queue.wait_for(self._mark)

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds from this to `end`."""
        if self._at is None or end._at is None:
            raise RuntimeError("elapsed_time(): both events must have been recorded")
        if not (self.timing and end.timing):
            raise RuntimeError("elapsed_time(): the events were made with timing=False")
        marks = (self._mark, end._mark)
        if all(m is not None and m.queue.profiling for m in marks):
            end.synchronize()
            return self._mark.elapsed_time(end._mark)
        return (end._at - self._at) * 1e3


def stream() -> Stream:
    """Return a new stream of the current device."""
    queue = _queue()
    return Stream(queue and Queue(queue.device, profiling=queue.device.props["profiling"]))


def default_stream() -> Stream:
    """Return the stream of launches that name none."""
    return Stream(_queue())


legacy_default_stream = per_thread_default_stream = default_stream


def event(timing: bool = True) -> Event:
    """Return a new event."""
    return Event(timing)


def event_elapsed_time(start: Event, end: Event) -> float:
    """Return the milliseconds from one event to another."""
    return start.elapsed_time(end)


# ---- devices -----------------------------------------------------------------------------------


class MemoryInfo(NamedTuple):
    """Bytes that are free, and all."""

    free: int
    total: int


class CudaDevice:
    """A device, by its number, with the attributes of Numba's."""

    def __init__(self, number: int, device: Any) -> None:
        self.id = number
        self._swathe_device = device
        p = device.props
        self.name = device.name
        # The CPU does all that kernels can ask for.
        self.compute_capability = (p["arch"] // 10, p["arch"] % 10) if p.get("arch") else (9, 0)
        self.MAX_THREADS_PER_BLOCK = p["max_threads"]
        self.MAX_BLOCK_DIM_X, self.MAX_BLOCK_DIM_Y, self.MAX_BLOCK_DIM_Z = p["max_block"]
        self.MAX_GRID_DIM_X, self.MAX_GRID_DIM_Y, self.MAX_GRID_DIM_Z = p["max_grid"]
        self.MAX_SHARED_MEMORY_PER_BLOCK = p["shared_bytes"]
        self.MULTIPROCESSOR_COUNT = p["compute_units"]
        self.WARP_SIZE = p["warp"]
        self.CLOCK_RATE = 1000 * p.get("clock_mhz", 0)
        self.TOTAL_CONSTANT_MEMORY = p.get("const_bytes") or 64 << 10
        self.TOTAL_MEMORY = p["global_bytes"]
        self.UNIFIED_ADDRESSING = int(p["unified"])
        self.COMPUTE_CAPABILITY_MAJOR, self.COMPUTE_CAPABILITY_MINOR = self.compute_capability
        self.supports_float16 = bool(p["fp16"])
        self.supports_bfloat16 = False

    def get_primary_context(self) -> Context:
        """Return its context."""
        return Context(self)

    def reset(self) -> None:
        """Wait for its work; arrays keep their memory until they go."""
        self._swathe_device.sync()

    def __enter__(self) -> Context:
        from swathe import device_context

        self._entered = device_context(self._swathe_device)
        self._entered.__enter__()
        return Context(self)

    def __exit__(self, *exc: Any) -> Any:
        return self._entered.__exit__(*exc)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CudaDevice):
            return NotImplemented
        return self._swathe_device is other._swathe_device

    def __hash__(self) -> int:
        return hash(id(self._swathe_device))

    def __repr__(self) -> str:
        return f"<CUDA device {self.id} '{self.name}'>"


class Deallocations:
    """Memory that waits to be freed: there is none, for arrays go as soon as nobody has them."""

    is_disabled = False

    def clear(self) -> None:
        """Free it."""

    def __len__(self) -> int:
        return 0

    def disable(self) -> Any:
        """Return what ``defer_cleanup()`` returns."""
        return defer_cleanup()


class Context:
    """What a device has."""

    def __init__(self, device: CudaDevice) -> None:
        self.device = device

    @property
    def deallocations(self) -> Deallocations:
        """What is to be freed."""
        return Deallocations()

    def get_memory_info(self) -> MemoryInfo:
        """Return the bytes that are free, and all."""
        return MemoryInfo(*self.device._swathe_device.memory_info())

    def synchronize(self) -> None:
        """Wait for all that was launched."""
        gpu.synchronize()

    def create_stream(self) -> Stream:
        """Return a new stream."""
        with self.device:
            return stream()

    def create_event(self, timing: bool = True) -> Event:
        """Return a new event."""
        return Event(timing)

    def reset(self) -> None:
        """Wait for its work."""
        self.device.reset()


class _Devices:
    """The GPUs, or the CPU where there is none."""

    @property
    def lst(self) -> list[CudaDevice]:
        """All of them."""
        from swathe import devices

        found = devices.devices()
        some = [d for d in found if d.backend == "cuda"]
        some = some or [d for d in found if d.is_native] or found
        return [CudaDevice(i, d) for i, d in enumerate(some)]

    def __getitem__(self, number: int) -> CudaDevice:
        found = self.lst
        if not isinstance(number, int) or not 0 <= number < len(found):
            listed = "".join(f"\n  {d.id}  {d.name}" for d in found)
            raise NoDeviceError(f"there is no device number {number!r}; there are{listed}")
        return found[number]

    def __len__(self) -> int:
        return len(self.lst)

    def __iter__(self) -> Iterator[CudaDevice]:
        return iter(self.lst)

    def __str__(self) -> str:
        return ", ".join(map(str, self.lst))

    @property
    def current(self) -> CudaDevice:
        """The one that work goes to."""
        return get_current_device()


gpus = _Devices()
_selected = False


def list_devices() -> _Devices:
    """Return the devices that there are."""
    return gpus


def select_device(device_id: int) -> Context:
    """Let the work of this thread, or task, go to a device from now on, until `close`."""
    global _selected
    from swathe import devices

    chosen = gpus[device_id]
    device = chosen._swathe_device
    devices._current.set(None if device.is_native else device.queue)
    if not _selected:
        _core.dev_contexts(1)  # never taken back: launches ask for the current queue
        _selected = True
    return Context(chosen)


def get_current_device() -> CudaDevice:
    """Return the device that work goes to."""
    queue = _queue()
    if queue is None:
        from swathe import Device

        return CudaDevice(0, Device("native"))
    same = [d for d in gpus if d._swathe_device is queue.device]
    return same[0] if same else CudaDevice(queue.device.index, queue.device)


def current_context(devnum: int | None = None) -> Context:
    """Return the context of the device that work goes to, or of another."""
    return Context(get_current_device() if devnum is None else gpus[devnum])


def require_context(func: Any) -> Any:
    """Mark a function that needs a device: there always is one."""
    return func


def close() -> None:
    """Wait for the device that `select_device` has chosen, and choose none."""
    from swathe import devices

    gpu.synchronize()
    devices._current.set(None)


def is_available() -> bool:
    """Tell whether kernels can run: always, since the CPU is a device."""
    return True


def detect() -> bool:
    """Print the devices that there are; return whether there is a CUDA device."""
    from swathe import devices

    print(f"Found {len(gpus)} devices")
    for d in gpus:
        major, minor = d.compute_capability
        print(f"id {d.id}    {d.name}    compute capability {major}.{minor}")
    real = [d for d in devices.devices() if d.backend == "cuda"]
    if not real:
        print("No CUDA device: kernels run on the CPU")
    return bool(real)


# ---- memory ------------------------------------------------------------------------------------


def _plain(dtype: Any) -> Any:
    return getattr(dtype, "_swathe_dtype", dtype)


def _shared(space: str, shape: Any, dtype: Any, order: str, stream: Any) -> Any:
    queue = _queue(stream)
    if queue is None:
        return gpu.device_array(shape, dtype, order=order)
    return queue.empty(shape, _plain(dtype), order, space)


def pinned_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C"
) -> np.ndarray:
    """Return an array of the host that devices can copy fast."""
    queue = _queue()
    if queue is None:
        return np.zeros(shape, _plain(dtype), order)
    return queue.empty(shape, _plain(dtype), order, "host").host


def mapped_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    portable: bool = False,
    wc: bool = False,
) -> Any:
    """Return an array of the host that the device sees: `np.asarray` of it is the same memory."""
    return _shared("host", shape, dtype, order, stream)


def managed_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    attach_global: bool = True,
) -> Any:
    """Return an array that host and device both see: `np.asarray` of it is the same memory."""
    return _shared("shared", shape, dtype, order, stream)


def mapped_array_like(ary: Any, **options: Any) -> Any:
    """Return a `mapped_array` of the shape, dtype and order of another."""
    return mapped_array(ary.shape, ary.dtype, order="F" if ary.flags.fnc else "C", **options)


def pinned_array_like(ary: Any) -> np.ndarray:
    """Return a `pinned_array` of the shape, dtype and order of another."""
    return pinned_array(ary.shape, ary.dtype, order="F" if ary.flags.fnc else "C")


@contextmanager
def pinned(*arrays: Any) -> Iterator[None]:
    """Keep arrays of the host in place during a ``with`` block."""
    yield


@contextmanager
def mapped(*arrays: Any, stream: Any = 0) -> Iterator[Any]:
    """Let the device work on arrays of the host during a ``with`` block."""
    queue = _queue(stream)
    there = [a.view(HostArray) if queue is None else queue.to_device(a) for a in arrays]
    yield there[0] if len(there) == 1 else there
    for a, d in zip(arrays, there, strict=True):
        if isinstance(d, DeviceArray):
            d.copy_to_host(a)


@contextmanager
def defer_cleanup() -> Iterator[None]:
    """Put off the freeing of memory during a ``with`` block: it is never in the way here."""
    yield


def is_cuda_array(obj: Any) -> bool:
    """Tell whether `obj` is an array of a device, ours or another library's."""
    return isinstance(obj, (DeviceArray, HostArray)) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj: Any, sync: bool = True) -> Any:
    """Return an array that shares the memory of `obj`."""
    if isinstance(obj, (DeviceArray, HostArray)):
        return obj
    queue = _queue()
    if queue is not None:
        theirs = foreign(queue, obj)
        if not isinstance(theirs, DeviceArray):
            raise TypeError(f"a {type(obj).__name__} is not in the memory of a device")
        return theirs
    if hasattr(obj, "__cuda_array_interface__"):
        raise TypeError("an array on a CUDA device, and the current device is the CPU")
    if not (isinstance(obj, np.ndarray) or hasattr(obj, "__array_interface__")):
        raise TypeError(f"a {type(obj).__name__} shows no memory")
    return np.asarray(obj).view(HostArray)


def from_cuda_array_interface(desc: Any, owner: Any = None, sync: bool = True) -> Any:
    """Return an array of what ``__cuda_array_interface__`` says."""
    holder = type("Array", (), {"__cuda_array_interface__": desc, "owner": owner})()
    return as_cuda_array(holder)


def In(ary: Any) -> Any:  # noqa: N802
    """An argument that is copied to the device, and not back."""
    return gpu.to_device(ary)


def Out(ary: Any) -> Any:  # noqa: N802
    """An argument that is copied back."""
    return ary


InOut = Out


# ---- reductions --------------------------------------------------------------------------------

_BLOCKS, _THREADS = 64, 128


def _reduce_kernel(op: Any, dtype: Any) -> Any:
    """Each thread takes some elements that lie together; each block leaves what they come to."""
    item = np.dtype(dtype).type

    @gpu.jit
    def reduce_part(x: Any, each: int, out: Any) -> None:
        s = gpu.shared.array(_THREADS, item)
        t = gpu.threadIdx.x
        first = gpu.grid(1) * each
        if first < x.size:
            total = x[first]
            for i in range(first + 1, min(first + each, x.size)):
                total = op(total, x[i])
            s[t] = total
        gpu.syncthreads()
        step = 1
        while step < _THREADS:
            if t % (2 * step) == 0 and first + step * each < x.size:
                s[t] = op(s[t], s[t + step])
            gpu.syncthreads()
            step *= 2
        if t == 0 and first < x.size:
            out[gpu.blockIdx.x] = s[0]

    return reduce_part


class Reduce:
    """A reduction by a function of two values, which has to be associative.

    >>> from swathe.compat.numba import cuda
    >>> @cuda.reduce
    ... def total(a, b):
    ...     return a + b
    >>> import numpy as np
    >>> total(np.arange(5.0))
    np.float64(10.0)
    """

    def __init__(self, functor: Any) -> None:
        self._op = getattr(functor, "py_func", functor)
        self._kernels: dict[Any, Any] = {}
        functools.update_wrapper(self, self._op)

    def __call__(
        self, arr: Any, size: int | None = None, res: Any = None, init: Any = 0, stream: Any = 0
    ) -> Any:
        """Reduce the first `size` elements, all if none is said, after `init`.

        Returns the value; with `res`, an array, stores it into its first element.
        """
        if arr.ndim != 1:
            raise TypeError("only support 1D array")
        n = len(arr) if size is None else size
        if not 0 <= n <= len(arr):
            raise ValueError(f"{size} elements of an array that has {len(arr)}")
        value = arr.dtype.type(init)
        if n:
            value = arr.dtype.type(self._op(value, self._run(arr, n, stream)))
        if res is None:
            return value
        res[:1] = value
        return None

    def _run(self, arr: Any, n: int, stream: Any) -> Any:
        kernel = self._kernels.get(arr.dtype)
        if kernel is None:
            kernel = self._kernels[arr.dtype] = _reduce_kernel(self._op, arr.dtype)
        queue = arr.queue if isinstance(arr, DeviceArray) else _queue(stream)
        x = arr[:n]
        if queue is not None and not isinstance(arr, DeviceArray):
            x = queue.to_device(x)
        make = np.empty if queue is None else queue.empty
        while True:
            blocks = min(_BLOCKS, -(-n // _THREADS))
            each = -(-n // (blocks * _THREADS))
            blocks = -(-n // (each * _THREADS))
            out = make(blocks, arr.dtype)
            kernel[blocks, _THREADS, queue](x, each, out)
            if blocks == 1:
                return (out if queue is None else out.copy_to_host())[0]
            x, n = out, blocks


reduce = Reduce


# ---- profiling: there is nothing to tell -------------------------------------------------------


def profile_start() -> None:
    """Do nothing."""


def profile_stop() -> None:
    """Do nothing."""


@contextmanager
def profiling() -> Iterator[None]:
    """Do nothing around a ``with`` block."""
    yield
