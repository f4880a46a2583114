# SPDX-License-Identifier: BSD-3-Clause
"""The names of ``dpctl.tensor`` that make, view and copy arrays.

>>> from swathe.compat.dpctl import tensor as dpt
>>> x = dpt.asarray([1.0, 2.0, 3.0])
>>> dpt.asnumpy(x[1:])
array([2., 3.])

Arithmetic is for kernels: see `swathe.compat.numba_dpex`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import _core
from swathe._device_array import DeviceArray, standin
from swathe.errors import ExecutionPlacementError

from ._device import SyclContext, SyclDevice
from ._queue import SyclQueue, get_current_queue
from .memory import CLASSES, _Memory

__all__ = [
    "Device",
    "arange",
    "asarray",
    "asnumpy",
    "copy",
    "empty",
    "empty_like",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "reshape",
    "to_numpy",
    "usm_ndarray",
    "zeros",
    "zeros_like",
]

for _name in ("float16", "float32", "float64", "complex64", "complex128", "int8", "int16"):
    globals()[_name] = getattr(np, _name)
for _name in ("int32", "int64", "uint8", "uint16", "uint32", "uint64", "newaxis", "inf", "nan"):
    globals()[_name] = getattr(np, _name)
bool = np.bool_  # noqa: A001
pi, e = np.pi, np.e


class Device:
    """Where an array is: a queue."""

    def __init__(self, queue: SyclQueue) -> None:
        self.sycl_queue = queue

    @classmethod
    def create_device(cls, device: Any = None) -> Device:
        """Make one of a queue, a device, a selector, or nothing."""
        return cls(_queue(device, None))

    @property
    def sycl_device(self) -> SyclDevice:
        """The queue's device."""
        return self.sycl_queue.sycl_device

    @property
    def sycl_context(self) -> SyclContext:
        """The queue's context."""
        return self.sycl_queue.sycl_context

    def wait(self) -> None:
        """Wait for all work."""
        self.sycl_queue.wait()

    def print_device_info(self) -> None:
        """Print what is known of it."""
        self.sycl_device.print_device_info()

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Device) and self.sycl_queue == other.sycl_queue

    def __hash__(self) -> int:
        return hash(self.sycl_queue)

    def __repr__(self) -> str:
        return f"Device({self.sycl_device._swathe_device.filter_string})"


def _queue(device: Any, sycl_queue: Any) -> SyclQueue:
    if sycl_queue is not None:
        if not isinstance(sycl_queue, SyclQueue):
            raise TypeError(f"sycl_queue is a SyclQueue, not {sycl_queue!r}")
        if device is not None and _queue(device, None).sycl_device != sycl_queue.sycl_device:
            raise ExecutionPlacementError("device and sycl_queue say different devices")
        return sycl_queue
    if device is None:
        return get_current_queue()
    if isinstance(device, (SyclQueue, Device)):
        return device if isinstance(device, SyclQueue) else device.sycl_queue
    if isinstance(device, usm_ndarray):
        return device.sycl_queue
    return SyclQueue(SyclDevice(device)._swathe_device.queue)


def _over(memory: Any, shape: Any, dtype: Any, order: str) -> tuple[Any, SyclQueue]:
    """The array that the first bytes of some memory are."""
    like = standin(shape, np.float64 if dtype is None else dtype, order)
    if like.nbytes > memory.nbytes:
        raise ValueError(f"an array of {like.nbytes} bytes doesn't fit into {memory.nbytes}")
    base = memory._swathe_base[: like.nbytes].view(like.dtype)
    if order == "F":
        return base.reshape(like.shape[::-1]).T, memory.sycl_queue
    return base.reshape(like.shape), memory.sycl_queue


class usm_ndarray:  # noqa: N801
    """An array in memory of a device, of the host, or shared.

    Parameters
    ----------
    shape, dtype
    buffer : {"device", "shared", "host"}, or memory of `dpctl.memory`
        Which memory, the array's `usm_type`; or the very bytes, from the first.
    order : {"C", "F"}
    buffer_ctor_kwargs : dict
        ``{"queue": SyclQueue}``.
    """

    _swathe_device_array = True

    def __init__(
        self,
        shape: Any,
        dtype: Any = None,
        buffer: Any = "device",
        order: str = "C",
        buffer_ctor_kwargs: Any = None,
    ) -> None:
        if isinstance(buffer, _Memory):
            self._set(*_over(buffer, shape, dtype, order), buffer.get_usm_type())
            return
        if buffer not in CLASSES:
            raise ValueError(f"an array is in memory of type {', '.join(CLASSES)}, not {buffer!r}")
        queue = (buffer_ctor_kwargs or {}).get("queue") or get_current_queue()
        dtype = np.float64 if dtype is None else dtype
        base = queue._swathe_queue.empty(shape, dtype, order, space=buffer)
        self._set(base, queue, buffer)

    def _set(self, base: Any, queue: SyclQueue, usm_type: str) -> None:
        self._swathe_base, self.sycl_queue, self.usm_type = base, queue, usm_type

    def _view(self, base: Any) -> usm_ndarray:
        new = usm_ndarray.__new__(usm_ndarray)
        new._set(base, self.sycl_queue, self.usm_type)
        return new

    # ---- what it is ----

    shape = property(lambda self: self._swathe_base.shape)
    dtype = property(lambda self: self._swathe_base.dtype)
    ndim = property(lambda self: self._swathe_base.ndim)
    size = property(lambda self: self._swathe_base.size)
    itemsize = property(lambda self: self._swathe_base.itemsize)
    nbytes = property(lambda self: self._swathe_base.nbytes)
    flags = property(lambda self: self._swathe_base.flags)

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements."""
        return tuple(s // self.itemsize for s in self._swathe_base.strides)

    @property
    def device(self) -> Device:
        """Where it is."""
        return Device(self.sycl_queue)

    @property
    def sycl_device(self) -> SyclDevice:
        """Its queue's device."""
        return self.sycl_queue.sycl_device

    @property
    def sycl_context(self) -> SyclContext:
        """Its queue's context."""
        return self.sycl_queue.sycl_context

    @property
    def usm_data(self) -> Any:
        """Its bytes, when they are contiguous."""
        base = self._swathe_base
        if not (base.flags.c_contiguous or base.flags.f_contiguous):
            raise ValueError("the array is not contiguous: copy it")
        if isinstance(base, DeviceArray):
            proto = standin(base.nbytes, np.uint8)
            memory, at = base._live(), base._offset
            raw: Any = DeviceArray(base.queue, proto, memory, at, base.space, base._uses)
        else:
            raw = base.reshape(-1, order="A").view(np.uint8)
        return CLASSES[self.usm_type]._over(raw, self.sycl_queue)

    @property
    def __sycl_usm_array_interface__(self) -> dict[str, Any]:
        base = self._swathe_base
        if isinstance(base, DeviceArray):
            address = _core.dev_mem_address(base._live()) + base._offset
        else:
            address = base.__array_interface__["data"][0]
        return {
            "data": (address, not self.flags.writeable),
            "shape": self.shape,
            "strides": None if self.flags.c_contiguous else self.strides,
            "typestr": self.dtype.str,
            "version": 1,
            "syclobj": self.sycl_queue,
        }

    def __dlpack__(self, **options: Any) -> Any:
        return self._swathe_base.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._swathe_base.__dlpack_device__()

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("an array of a device can't be read by NumPy: use dpctl.tensor.asnumpy()")

    def __len__(self) -> int:
        return len(self._swathe_base)

    # ---- comparisons: by the host, element by element ----

    def _compare(self, other: Any, how: Any) -> usm_ndarray:
        if isinstance(other, usm_ndarray):
            if other.sycl_device != self.sycl_device:
                raise ExecutionPlacementError("the arrays are on two devices: copy one of them")
            other = asnumpy(other)
        elif not isinstance(other, (int, float, complex, np.generic)):
            raise TypeError(
                f"an array of a device is compared with one, or with a number, not with {other!r}"
            )
        found = np.asarray(how(asnumpy(self), other))
        return asarray(found, usm_type=self.usm_type, sycl_queue=self.sycl_queue)

    def __eq__(self, other: object) -> Any:
        return self._compare(other, np.equal)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, np.not_equal)

    def __lt__(self, other: object) -> Any:
        return self._compare(other, np.less)

    def __le__(self, other: object) -> Any:
        return self._compare(other, np.less_equal)

    def __gt__(self, other: object) -> Any:
        return self._compare(other, np.greater)

    def __ge__(self, other: object) -> Any:
        return self._compare(other, np.greater_equal)

    __hash__ = None  # type: ignore[assignment]

    def _one(self) -> Any:
        if self.size != 1:
            raise ValueError("only an array of one element is a number")
        return asnumpy(self).reshape(())[()]

    def __bool__(self) -> Any:
        return (self._one() != 0).item()

    def __int__(self) -> int:
        return int(self._one())

    def __float__(self) -> float:
        return float(self._one())

    def __complex__(self) -> complex:
        return complex(self._one())

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise IndexError("only an array of integers is an index")
        return int(self._one())

    def __repr__(self) -> str:
        return (
            f"usm_ndarray({np.array2string(asnumpy(self), separator=', ', prefix='usm_ndarray(')})"
        )

    # ---- views and copies ----

    def __getitem__(self, key: Any) -> usm_ndarray:
        base = self._swathe_base
        if isinstance(base, np.ndarray):
            parts = key if isinstance(key, tuple) else (key,)
            base = base[parts if Ellipsis in parts else (*parts, Ellipsis)]
        else:
            base = base._part(key)
        return self._view(base)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, usm_ndarray):
            if value.sycl_device != self.sycl_device:
                raise ExecutionPlacementError("the arrays are on two devices: copy one of them")
            value = value._swathe_base
        self._swathe_base[key] = value

    @property
    def T(self) -> usm_ndarray:  # noqa: N802
        """Two axes, the other way round."""
        if self.ndim > 2:
            raise ValueError("T is of at most two axes: use permute_dims()")
        return self._view(self._swathe_base.T)

    @property
    def mT(self) -> usm_ndarray:  # noqa: N802
        """The last two axes, the other way round."""
        if self.ndim < 2:
            raise ValueError("mT is of at least two axes")
        axes = (*range(self.ndim - 2), self.ndim - 1, self.ndim - 2)
        return self._view(self._swathe_base.transpose(axes))

    def to_device(self, target_device: Any, stream: Any = None) -> usm_ndarray:
        """Return it on another device; itself where it is there."""
        queue = _queue(target_device, None)
        if queue.sycl_device == self.sycl_device:
            new = self._view(self._swathe_base)
            new.sycl_queue = queue
            return new
        return asarray(asnumpy(self), usm_type=self.usm_type, sycl_queue=queue)


# ---- making them ---------------------------------------------------------------------------------


def empty(
    shape: Any,
    *,
    dtype: Any = None,
    order: str = "C",
    device: Any = None,
    usm_type: str = "device",
    sycl_queue: Any = None,
) -> usm_ndarray:
    """Return an array whose elements are not set."""
    queue = _queue(device, sycl_queue)
    if dtype is None:
        dtype = np.float64 if queue._swathe_queue.device.has_fp64 else np.float32
    return usm_ndarray(shape, dtype, usm_type, order, {"queue": queue})


def full(shape: Any, fill_value: Any, *, dtype: Any = None, **options: Any) -> usm_ndarray:
    """Return an array of one value."""
    if isinstance(fill_value, usm_ndarray):
        fill_value = fill_value._one()
    dtype = np.asarray(fill_value).dtype if dtype is None else dtype
    a = empty(shape, dtype=dtype, **options)
    a.sycl_queue._swathe_queue.fill(a._swathe_base, fill_value, block=True)
    return a


def zeros(shape: Any, *, dtype: Any = None, **options: Any) -> usm_ndarray:
    """Return an array of zeros."""
    a = empty(shape, dtype=dtype, **options)
    a.sycl_queue._swathe_queue.fill(a._swathe_base, 0, block=True)
    return a


def ones(shape: Any, *, dtype: Any = None, **options: Any) -> usm_ndarray:
    """Return an array of ones."""
    a = empty(shape, dtype=dtype, **options)
    a.sycl_queue._swathe_queue.fill(a._swathe_base, 1, block=True)
    return a


def _like(x: usm_ndarray, options: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(x, usm_ndarray):
        raise TypeError(f"not a usm_ndarray: {x!r}")
    if options.get("device") is None and options.get("sycl_queue") is None:
        options["sycl_queue"] = x.sycl_queue
    if options.get("dtype") is None:
        options["dtype"] = x.dtype
    options.setdefault("usm_type", x.usm_type)
    return options


def empty_like(x: usm_ndarray, **options: Any) -> usm_ndarray:
    """Return an array of the same shape, dtype and place."""
    return empty(x.shape, **_like(x, options))


def zeros_like(x: usm_ndarray, **options: Any) -> usm_ndarray:
    """Return zeros of the same shape, dtype and place."""
    return zeros(x.shape, **_like(x, options))


def ones_like(x: usm_ndarray, **options: Any) -> usm_ndarray:
    """Return ones of the same shape, dtype and place."""
    return ones(x.shape, **_like(x, options))


def full_like(x: usm_ndarray, fill_value: Any, **options: Any) -> usm_ndarray:
    """Return one value in the same shape, dtype and place."""
    return full(x.shape, fill_value, **_like(x, options))


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, **options: Any
) -> usm_ndarray:
    """Return numbers at equal distances."""
    start, stop = (0, start) if stop is None else (start, stop)
    return asarray(np.arange(start, stop, step, dtype), **options)


def asarray(
    obj: Any,
    dtype: Any = None,
    *,
    copy: Any = None,
    order: str = "K",
    device: Any = None,
    usm_type: Any = None,
    sycl_queue: Any = None,
) -> usm_ndarray:
    """Return an array with the elements of what NumPy makes an array of, or of another."""
    if isinstance(obj, usm_ndarray):
        same = device is None and sycl_queue is None
        queue = obj.sycl_queue if same else _queue(device, sycl_queue)
        kept = (dtype is None or np.dtype(dtype) == obj.dtype) and not copy
        if kept and queue == obj.sycl_queue and usm_type in (None, obj.usm_type):
            return obj
        usm_type, host = usm_type or obj.usm_type, asnumpy(obj)
    else:
        queue, host = _queue(device, sycl_queue), np.asarray(obj)
    if copy is False:
        raise ValueError("elements of the host have to be copied")
    host = np.asarray(host, dtype)
    form = "F" if host.flags.fnc and order != "C" else "F" if order == "F" else "C"
    new = usm_ndarray(host.shape, host.dtype, usm_type or "device", form, {"queue": queue})
    new._swathe_base.copy_from_host(host)
    return new


def from_numpy(
    np_ary: Any, /, *, device: Any = None, usm_type: str = "device", sycl_queue: Any = None
) -> usm_ndarray:  # noqa: E501
    """Return a copy of a NumPy array."""
    return asarray(np_ary, device=device, usm_type=usm_type, sycl_queue=sycl_queue)


def from_dlpack(x: Any, /) -> usm_ndarray:
    """Return an array of another library, copied to the current queue's device."""
    if isinstance(x, usm_ndarray):
        return x
    return asarray(np.from_dlpack(x))


def asnumpy(usm_ary: usm_ndarray) -> np.ndarray:
    """Return a copy as a NumPy array."""
    if not isinstance(usm_ary, usm_ndarray):
        raise TypeError(f"not a usm_ndarray: {usm_ary!r}")
    return usm_ary._swathe_base.copy_to_host()


to_numpy = asnumpy


def copy(usm_ary: usm_ndarray, order: str = "K") -> usm_ndarray:
    """Return a new array with the same elements."""
    return asarray(usm_ary, copy=True, order=order)


def reshape(x: usm_ndarray, /, shape: Any, *, order: str = "C", copy: Any = None) -> usm_ndarray:
    """Return the elements in another shape: the same memory where that can be."""
    base = x._swathe_base
    if order != "C" or copy:
        return asarray(asnumpy(x).reshape(shape, order=order), usm_type=x.usm_type, device=x.device)
    try:
        new = base.reshape(shape)
        if isinstance(base, np.ndarray) and copy is False and not np.shares_memory(new, base):
            raise ValueError("reshaping this array needs a copy")
        return x._view(new)
    except ValueError:
        if copy is False or np.prod(shape) != x.size:
            raise
        return asarray(asnumpy(x).reshape(shape), usm_type=x.usm_type, device=x.device)


def permute_dims(x: usm_ndarray, /, axes: Any) -> usm_ndarray:
    """Return the axes in another order."""
    return x._view(x._swathe_base.transpose(axes))
