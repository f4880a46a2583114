# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in a device's memory.

Shape and strides are those of a NumPy array whose memory nobody reads, so that slices,
transposes and checks are NumPy's own; its address only counts where a view begins.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import _core
from ._order import Uses
from ._streams import DEFAULT, library_of, of_interface, of_lent, of_library
from .errors import DeviceMemoryError, FreedMemoryError, QueueError

if TYPE_CHECKING:
    from ._queue import Queue

SPACES = {"device": 0, "host": 1, "shared": 2}
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}  # DLPack's
_KINDS = {code: kind for kind, code in _CODES.items()}


def extent(a: np.ndarray) -> tuple[int, int]:
    """The addresses of the first byte of an array and of the one after its last."""
    lo = hi = a.__array_interface__["data"][0]
    if a.size == 0:
        return lo, lo
    for n, s in zip(a.shape, a.strides, strict=True):
        lo, hi = (lo + (n - 1) * s, hi) if s < 0 else (lo, hi + (n - 1) * s)
    return lo, hi + a.itemsize


def standin(shape: Any, dtype: Any, order: str = "C") -> np.ndarray:
    """An array of this shape that has no memory behind it."""
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    dtype = np.dtype(getattr(dtype, "_swathe_dtype", dtype))
    if dtype.hasobject or dtype.kind in "USmM":
        raise TypeError(f"an array on a device can't hold {dtype}")
    if any(n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    if order not in ("C", "F"):
        raise ValueError(f"the order of an array is 'C' or 'F', not {order!r}")
    if math.prod(shape) * dtype.itemsize >= 1 << 62:
        raise DeviceMemoryError(f"an array {shape} of {dtype} is more than any device has")
    axes = range(len(shape)) if order == "F" else range(len(shape) - 1, -1, -1)
    strides, step = [0] * len(shape), dtype.itemsize
    for k in axes:
        strides[k] = step
        step *= max(shape[k], 1)
    return as_strided(np.empty(1, dtype), shape, strides)


def _lock(proto: np.ndarray, readonly: bool) -> None:
    if readonly:
        proto.flags.writeable = False


class DeviceArray(_core.Shared):
    """An array in the memory of a device. Queues and `swathe.gpu.to_device` make them.

    Slices, `reshape` and `T` are views. `copy_to_host` gives a NumPy array; NumPy itself can't
    look at it, unless it is in host or shared memory: these show the buffer protocol. The memory is
    given back when the last view of it goes.
    """

    _swathe_device_array = True

    def __init__(
        self,
        queue: Queue,
        proto: np.ndarray,
        memory: Any,
        offset: int,
        space: str,
        uses: Uses | None = None,
    ) -> None:
        self.queue = queue
        self.space = space
        self._proto = proto
        self._memory = memory
        self._offset = offset
        self._uses = uses or Uses()  # of the memory, by whichever of its views

    # ---- what it is ----

    @property
    def device(self) -> Any:
        """The device whose memory it is in."""
        return self.queue.device

    @property
    def shape(self) -> tuple[int, ...]:
        """As of a NumPy array."""
        return self._proto.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """As of a NumPy array, in bytes."""
        return self._proto.strides

    @property
    def dtype(self) -> np.dtype:
        """As of a NumPy array."""
        return self._proto.dtype

    @property
    def ndim(self) -> int:
        """As of a NumPy array."""
        return self._proto.ndim

    @property
    def size(self) -> int:
        """As of a NumPy array."""
        return self._proto.size

    @property
    def itemsize(self) -> int:
        """As of a NumPy array."""
        return self._proto.itemsize

    @property
    def nbytes(self) -> int:
        """As of a NumPy array."""
        return self._proto.nbytes

    @property
    def flags(self) -> Any:
        """As of a NumPy array."""
        return self._proto.flags

    def __len__(self) -> int:
        return len(self._proto)

    def __repr__(self) -> str:
        freed = "" if self._memory is not None else ", freed"
        return f"<DeviceArray {self.shape} {self.dtype} on {self.device.filter_string}{freed}>"

    def _live(self) -> Any:
        if self._memory is None:
            raise FreedMemoryError("the array's memory has been freed")
        return self._memory

    def _one(self) -> Any:
        if self.size != 1:
            raise ValueError(
                f"an array of {self.size} elements is no number, neither true nor false"
            )
        return self.copy_to_host().reshape(())[()]

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        if isinstance(other, (DeviceArray, np.ndarray, np.generic, int, float, complex)):
            raise TypeError("arrays on a device are compared in kernels, or as copy_to_host()")
        return NotImplemented

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return bool(self._one())

    def __int__(self) -> int:
        return int(self._one())

    def __float__(self) -> float:
        return float(self._one())

    def __complex__(self) -> complex:
        return complex(self._one())

    def __reduce__(self) -> Any:
        raise TypeError("an array on a device can't be pickled: copy_to_host() gives one that can")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        if self.space == "device":
            raise TypeError("an array on a device can't be read by NumPy: use copy_to_host()")
        return np.array(self.host, *args, **kwargs)

    @property
    def host(self) -> np.ndarray:
        """The same memory as a NumPy array: of arrays in host or shared memory."""
        base = _core.dev_mem_host(self._live())
        if not base:
            raise TypeError("memory of a device can't be read by the host: use copy_to_host()")
        return _at(base + self._offset, self, False, self._memory)

    def __getattr__(self, name: str) -> Any:
        if name == "__cuda_array_interface__" and self.device.backend == "cuda":
            self._lend()
            return self._interface(version=3, stream=_core.dev_stream(self.queue._handle))
        if name == "__sycl_usm_array_interface__" and _core.dev_mem_address(self._live()):
            return self._interface(version=1, offset=0, syclobj=self.device.filter_string)
        raise AttributeError(f"'DeviceArray' object has no attribute '{name}'")

    def _lend(self) -> None:
        """Count on others that use the memory from now on, whoever they are."""
        if self._uses.theirs is None:
            self._uses.theirs = of_lent(self.device.index)

    def _interface(self, **more: Any) -> dict[str, Any]:
        address = _core.dev_mem_address(self._live()) + self._offset
        strides = None if self._proto.flags.c_contiguous else self.strides
        return {
            "shape": self.shape,
            "strides": strides,
            "typestr": self.dtype.str,
            "data": (address, not self._proto.flags.writeable),
            **more,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's number of the kind of memory, and of the device."""
        if self.device.backend == "cuda":
            return {"device": 2, "host": 3, "shared": 13}[self.space], self.device.index
        if _core.dev_mem_host(self._live()):
            return 1, 0
        raise BufferError(f"memory of {self.device.name} has no address for others to use")

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any:
        """Show the memory to another library, after what has been given to the queue.

        Work that the other library puts in `stream` comes after that, and what the queue is given
        later after its work in there. Memory that the host sees is waited for.
        """
        kind = self.__dlpack_device__()
        if copy or (dl_device is not None and tuple(dl_device) != kind):
            raise BufferError("an array on a device is shown where it is: copy_to_host() copies it")
        on_device = kind[0] == 2 or (kind[0] == 13 and stream is not None)
        if on_device and stream != -1:
            if stream is not None and (not isinstance(stream, int) or stream <= 0):
                raise ValueError(f"CUDA has no stream {stream!r}: its default streams are 1 and 2")
            _core.dev_before_stream(self.queue._handle, stream or DEFAULT)
        elif stream != -1:
            self.queue.sync()
        if kind[0] in (2, 13):
            self._lend()
        code = _CODES[self.dtype.kind]
        address = _core.dev_mem_address(self._live()) or _core.dev_mem_host(self._memory)
        strides = tuple(s // self.itemsize for s in self.strides)
        at, bits = address + self._offset, 8 * self.itemsize
        return _core.dlpack_give(at, kind, code, bits, self.shape, strides, self._memory)

    # ---- views ----

    def _moved(self, proto: np.ndarray, offset: int) -> DeviceArray:
        """An array of this one's memory, shaped as `proto`, that begins at `offset`."""
        like = as_strided(np.empty(1, proto.dtype), proto.shape, proto.strides)
        _lock(like, not self._proto.flags.writeable)
        return type(self)(self.queue, like, self._live(), offset, self.space, self._uses)

    def _view(self, proto: np.ndarray) -> DeviceArray:
        moved = proto.__array_interface__["data"][0] - self._proto.__array_interface__["data"][0]
        at = self._offset + moved
        return type(self)(self.queue, proto, self._live(), at, self.space, self._uses)

    def __getitem__(self, key: Any) -> Any:
        """Return a view; of one element, named by ints alone, its value, which is copied."""
        if isinstance(key, str):  # a field of records
            return self._view(self._proto[key])
        parts = key if isinstance(key, tuple) else (key,)
        for k in parts:
            basic = k is None or k is Ellipsis or isinstance(k, (slice, int, np.integer))
            if not basic or isinstance(k, (bool, np.bool_)):
                raise TypeError(f"an array on a device is indexed by ints and slices, not {k!r}")
        whole = any(k is Ellipsis for k in parts)
        view = self._view(self._proto[parts if whole else (*parts, Ellipsis)])
        number = view.ndim == 0 and self.ndim > 0 and not whole
        return view.copy_to_host()[()] if number else view

    def _part(self, key: Any) -> DeviceArray:
        if isinstance(key, str):
            return self[key]
        parts = key if isinstance(key, tuple) else (key,)
        return self[parts if any(k is Ellipsis for k in parts) else (*parts, Ellipsis)]

    def __setitem__(self, key: Any, value: Any) -> None:
        part = self._part(key)
        if isinstance(value, DeviceArray):
            part.queue.copy(part, value)
        elif np.ndim(value) == 0:
            part.fill(value)
        else:
            part.copy_from_host(np.broadcast_to(value, part.shape))

    def reshape(self, *shape: Any) -> DeviceArray:
        """Return the same memory with another shape; ValueError where that needs a copy."""
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
        if sizes.count(-1) == 1:
            known = math.prod(n for n in sizes if n != -1)
            sizes = tuple(self.size // known if n == -1 and known else n for n in sizes)
        if math.prod(sizes) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {sizes}")
        if self._proto.flags.c_contiguous:
            proto = as_strided(self._proto, sizes, standin(sizes, self.dtype).strides)
        elif self._proto.flags.f_contiguous and len(sizes) == 1 and self.ndim <= 1:
            proto = as_strided(self._proto, sizes, (self.itemsize,))
        else:
            raise ValueError("reshaping this array needs a copy: it isn't contiguous")
        return self._view(proto)

    def ravel(self, order: str = "C", stream: Any = None) -> DeviceArray:
        """Return the same memory with one axis; ValueError where that needs a copy."""
        if order == "F" or (order in "AK" and self._proto.flags.fnc):
            return self.T.reshape(self.size)
        return self.reshape(self.size)

    def view(self, dtype: Any) -> DeviceArray:
        """Return the same memory with another dtype."""
        dtype = np.dtype(getattr(dtype, "_swathe_dtype", dtype))
        if dtype.hasobject:
            raise TypeError(f"an array on a device can't hold {dtype}")
        shape = list(self.shape)
        if dtype.itemsize != self.itemsize:
            row = shape[-1] * self.itemsize if shape else self.itemsize
            if not self._proto.flags.c_contiguous or not shape or row % dtype.itemsize:
                raise ValueError(f"{self.shape} {self.dtype} can't be looked at as {dtype}")
            shape[-1] = row // dtype.itemsize
            proto = standin(shape, dtype)
        else:
            proto = as_strided(standin(shape, dtype), shape, self.strides)
        _lock(proto, not self._proto.flags.writeable)
        return DeviceArray(self.queue, proto, self._live(), self._offset, self.space, self._uses)

    def squeeze(self, axis: Any = None, stream: Any = None) -> DeviceArray:
        """Return the axes that are not of size one."""
        return self._view(self._proto.squeeze(axis))

    def split(self, section: int, stream: Any = None) -> Any:
        """Yield pieces of a one-dimensional array, of so many elements each."""
        if self.ndim != 1:
            raise ValueError("only support 1d array")
        for at in range(0, self.size, section):
            yield self[at : at + section]

    def getitem(self, item: Any, stream: Any = None) -> Any:
        """Return ``self[item]``."""
        return self[item]

    def setitem(self, key: Any, value: Any, stream: Any = None) -> None:
        """Do ``self[key] = value``."""
        self[key] = value

    def bind(self, stream: Any = None) -> DeviceArray:
        """Return the array: its queue orders what is done to it."""
        return self

    @property
    def alloc_size(self) -> int:
        """The bytes of its elements."""
        return self.nbytes

    def is_c_contiguous(self) -> bool:
        """Tell whether the elements lie in C order without gaps."""
        return self.flags.c_contiguous

    def is_f_contiguous(self) -> bool:
        """Tell whether the elements lie in Fortran order without gaps."""
        return self.flags.f_contiguous

    @property
    def T(self) -> DeviceArray:  # noqa: N802
        """The axes in reverse order."""
        return self._view(self._proto.T)

    def transpose(self, *axes: Any) -> DeviceArray:
        """Return the axes in another order."""
        return self._view(self._proto.transpose(*axes))

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, DeviceArray):
            return NotImplemented
        from .vendor.blas import matmul

        return matmul(self, other)

    # ---- copies ----

    def copy_to_host(self, ary: Any = None, stream: Any = None) -> np.ndarray:
        """Copy to a new NumPy array, or into `ary`; raise the errors of kernels before."""
        if ary is None:
            order = "F" if self._proto.flags.fnc else "C"
            ary = np.empty(self.shape, self.dtype, order)
        elif not isinstance(ary, np.ndarray):
            raise TypeError(f"an array is copied to a NumPy array, not to a {type(ary).__name__}")
        elif ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(
                f"an array {self.shape} {self.dtype} can't be copied to {ary.shape} {ary.dtype}"
            )
        elif not ary.flags.writeable:
            raise ValueError("output array is read-only")
        self.queue._read(self, ary)
        return ary

    numpy = copy_to_host

    def copy_from_host(self, array: Any) -> DeviceArray:
        """Copy a NumPy array of the same shape into this one."""
        array = np.asarray(array, self.dtype)
        if array.shape != self.shape:
            raise ValueError(f"an array {array.shape} can't be copied to one of {self.shape}")
        self.queue._write(self, array)
        return self

    def copy_to_device(self, other: Any, stream: Any = None) -> None:
        """Copy another array, of the host or the device, into this one."""
        if isinstance(other, DeviceArray):
            self.queue.copy(self, other)
        else:
            self.copy_from_host(other)

    def copy(self) -> DeviceArray:
        """Return a new array with the same elements."""
        new = self.queue.empty(self.shape, self.dtype, space=self.space)
        self.queue.copy(new, self)
        return new

    def __copy__(self) -> DeviceArray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> DeviceArray:
        return self.copy()

    def fill(self, value: Any) -> DeviceArray:
        """Set every element."""
        self.queue.fill(self, value, block=not self.queue.in_order)
        return self

    def free(self) -> None:
        """Let go of the memory now; views of it keep it."""
        self._memory = None


# ---- arrays of other libraries -----------------------------------------------------------------


def foreign(queue: Queue, obj: Any) -> Any:
    """The array that another library has: a DeviceArray, a NumPy array, or None.

    It is the same memory, and stays the other library's. Arrays of CUDA devices show
    ``__cuda_array_interface__`` or DLPack, those of the host DLPack.
    """
    interface = getattr(obj, "__cuda_array_interface__", None)
    if interface is not None:
        if queue.device.backend != "cuda":
            raise QueueError(
                f"a {type(obj).__name__} on a CUDA device, the queue of {queue.device.name}"
            )
        return _from_interface(queue, obj, interface)
    if not hasattr(obj, "__dlpack__") or isinstance(obj, np.ndarray):
        return None
    kind, index = obj.__dlpack_device__()
    if kind in (1, 3):
        return _at(*_taken(obj.__dlpack__()))
    if kind not in (2, 13) or queue.device.backend != "cuda" or index != queue.device.index:
        raise QueueError(
            f"a {type(obj).__name__} on DLPack's device ({kind}, {index}), "
            f"the queue of {queue.device.name}"
        )
    stream = _core.dev_stream(queue._handle)  # where the other library is to wait
    address, proto, readonly, capsule = _taken(obj.__dlpack__(stream=stream))
    _lock(proto, readonly)
    return _wrapped(queue, address, proto, capsule, of_library(library_of(obj), index))


def _wrapped(queue: Queue, address: int, proto: np.ndarray, owner: Any, theirs: Any) -> DeviceArray:
    lo, hi = extent(proto)
    first = proto.__array_interface__["data"][0] - lo  # bytes before the first element
    memory = _core.dev_wrap(queue.device._open(), address - first, hi - lo, owner)
    return DeviceArray(queue, proto, memory, first, "device", Uses(theirs))


def _from_interface(queue: Queue, obj: Any, interface: dict[str, Any]) -> DeviceArray:
    if interface.get("mask") is not None:
        raise TypeError(f"a {type(obj).__name__} with a mask can't be an argument")
    theirs = of_interface(obj, interface, queue.device.index)
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    proto = standin(shape, dtype)
    if interface.get("strides") is not None:
        proto = as_strided(proto, shape, tuple(interface["strides"]))
    address, readonly = interface["data"]
    _lock(proto, readonly)
    return _wrapped(queue, address or 0, proto, obj, theirs)


def _taken(capsule: Any) -> tuple[int, np.ndarray, bool, Any]:
    """What is in a capsule: an address, what stands for the array, whether it is read-only."""
    address, _, code, bits, lanes, shape, strides, readonly = _core.dlpack_take(capsule)
    if code not in _KINDS or lanes != 1 or bits % 8:
        raise TypeError(f"an array of DLPack's type ({code}, {bits}, {lanes}) is not supported")
    dtype = np.dtype(f"{_KINDS[code]}{bits // 8}")
    proto = standin(shape, dtype)
    if strides is not None:
        proto = as_strided(proto, shape, tuple(s * dtype.itemsize for s in strides))
    return address, proto, readonly, capsule


def _at(address: int, like: Any, readonly: bool, keep: Any) -> np.ndarray:
    """The host's memory at an address as a NumPy array, which keeps an object alive."""
    interface = {
        "shape": like.shape,
        "strides": like.strides,
        "typestr": like.dtype.str,
        "data": (address, readonly),
        "version": 3,
    }
    holder = type("Shared", (), {"__array_interface__": interface, "keep": keep})()
    return np.asarray(holder)


def overlap(a: DeviceArray, b: DeviceArray) -> bool:
    """Whether they may share bytes; also by two names for memory of another library."""
    spans = []
    for x in (a, b):
        base = 0 if a._memory is b._memory else _core.dev_mem_address(x._memory)
        lo, hi = extent(x._proto)
        at = base + x._offset - x._proto.__array_interface__["data"][0]
        spans.append((at + lo, at + hi))
    if a._memory is not b._memory and not _core.dev_mem_address(a._memory):
        return False
    return spans[0][0] < spans[1][1] and spans[1][0] < spans[0][1]


def meets_apart(a: DeviceArray, b: DeviceArray) -> bool:
    """Whether they may share bytes but not element by element."""
    alike = a._memory is b._memory and a._offset == b._offset
    alike = alike and (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
    return not alike and overlap(a, b)
