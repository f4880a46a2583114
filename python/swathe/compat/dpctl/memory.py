# SPDX-License-Identifier: BSD-3-Clause
"""The names of ``dpctl.memory``: untyped memory of a device, of the host, or shared by both.

>>> from swathe.compat.dpctl import memory
>>> m = memory.MemoryUSMShared(4)
>>> m.copy_from_host(b"abcd")
>>> bytes(m)
b'abcd'
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import _core
from swathe._device_array import DeviceArray
from swathe.errors import DeviceMemoryError

from ._device import SyclContext, SyclDevice
from ._queue import SyclQueue, _bytes_of, get_current_queue

__all__ = [
    "MemoryUSMDevice",
    "MemoryUSMHost",
    "MemoryUSMShared",
    "USMAllocationError",
    "as_usm_memory",
]


class USMAllocationError(DeviceMemoryError):
    """There is no memory left, or never was as much."""


class _Memory(_core.Shared):
    """Bytes."""

    _space = "device"

    def __init__(
        self, other: Any, alignment: int = 0, queue: Any = None, copy: bool = False
    ) -> None:
        if isinstance(other, _Memory):
            if type(other) is not type(self) and not copy:
                raise TypeError(f"memory of another type, {type(other).__name__}: say copy=True")
            queue, source = queue or other.sycl_queue, other
            other = other.nbytes
            self._allocate(other, queue)
            self.copy_from_device(source) if copy else self._share(source)
            return
        if isinstance(other, bool) or not hasattr(other, "__index__"):
            raise TypeError(f"memory has a number of bytes, not {other!r}")
        self._allocate(int(other), queue)

    def _allocate(self, nbytes: int, queue: Any) -> None:
        if nbytes <= 0:
            raise ValueError(f"memory has a positive number of bytes, not {nbytes}")
        if queue is not None and not isinstance(queue, SyclQueue):
            raise TypeError(f"memory is of a SyclQueue, not of {queue!r}")
        self.sycl_queue = queue or get_current_queue()
        try:
            raw = self.sycl_queue._swathe_queue
            self._swathe_base: Any = raw.empty(nbytes, np.uint8, space=self._space)
        except MemoryError as e:
            raise USMAllocationError(*e.args) from None

    def _share(self, other: _Memory) -> None:
        self._swathe_base = other._swathe_base

    @classmethod
    def _over(cls, base: Any, queue: SyclQueue) -> Any:
        self = cls.__new__(cls)
        self._swathe_base, self.sycl_queue = base, queue
        return self

    # ---- what it is ----

    @property
    def host(self) -> np.ndarray:
        """The bytes as a NumPy array, for the buffer protocol."""
        if self._space == "device":
            raise TypeError("memory of a device is not readable by the host: use copy_to_host()")
        return self._swathe_base.host

    @property
    def nbytes(self) -> int:
        """How many bytes it has."""
        return self._swathe_base.nbytes

    size = nbytes

    def __len__(self) -> int:
        return self.nbytes

    @property
    def sycl_device(self) -> SyclDevice:
        """Its device."""
        return self.sycl_queue.sycl_device

    @property
    def sycl_context(self) -> SyclContext:
        """Its context."""
        return self.sycl_queue.sycl_context

    @property
    def reference_obj(self) -> Any:
        """What holds the memory."""
        return self._swathe_base

    def get_usm_type(self, syclobj: Any = None) -> str:
        """Return ``device``, ``host`` or ``shared``."""
        return self._space

    @property
    def _pointer(self) -> int:
        base = self._swathe_base
        if isinstance(base, DeviceArray):
            return _core.dev_mem_address(base._live()) + base._offset
        return base.__array_interface__["data"][0]

    @property
    def __sycl_usm_array_interface__(self) -> dict[str, Any]:
        return {
            "data": (self._pointer, False),
            "shape": (self.nbytes,),
            "strides": None,
            "typestr": "|u1",
            "version": 1,
            "syclobj": self.sycl_queue,
        }

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.nbytes} bytes on {self.sycl_device!r}>"

    # ---- copies ----

    def copy_to_host(self, obj: Any = None) -> Any:
        """Copy to a new NumPy array of bytes, or into an object that shows a buffer."""
        if obj is None:
            obj = np.empty(self.nbytes, np.uint8)
        out = _bytes_of(obj, self.nbytes, True)
        self.sycl_queue._swathe_queue.copy(out, self._swathe_base)
        return obj

    def copy_from_host(self, obj: Any) -> None:
        """Copy from an object that shows a buffer."""
        source = _bytes_of(obj, memoryview(obj).nbytes, False)
        if source.nbytes > self.nbytes:
            raise ValueError(f"{source.nbytes} bytes don't fit into {self.nbytes}")
        self.sycl_queue._swathe_queue.copy(self._swathe_base[: source.nbytes], source)

    def copy_from_device(self, sycl_usm_ary: Any) -> None:
        """Copy from memory of this device or another."""
        if not isinstance(sycl_usm_ary, _Memory):
            raise TypeError(f"not memory of a device: {sycl_usm_ary!r}")
        if sycl_usm_ary.nbytes > self.nbytes:
            raise ValueError(f"{sycl_usm_ary.nbytes} bytes don't fit into {self.nbytes}")
        if sycl_usm_ary.sycl_device == self.sycl_device:
            sycl_usm_ary.sycl_queue.wait()
            to = self._swathe_base[: sycl_usm_ary.nbytes]
            self.sycl_queue._swathe_queue.copy(to, sycl_usm_ary._swathe_base)
        else:
            self.copy_from_host(sycl_usm_ary.copy_to_host())

    def memset(self, val: int = 0) -> None:
        """Set every byte."""
        self.sycl_queue._swathe_queue.fill(self._swathe_base, val, block=True)

    def tobytes(self) -> bytes:
        """Return a copy of the bytes."""
        return self.copy_to_host().tobytes()


class MemoryUSMDevice(_Memory):
    """Memory of a device, which the host does not see."""

    _space = "device"


class MemoryUSMHost(_Memory):
    """Memory of the host, which the device reads."""

    _space = "host"


class MemoryUSMShared(_Memory):
    """Memory that host and device both see."""

    _space = "shared"


CLASSES = {"device": MemoryUSMDevice, "host": MemoryUSMHost, "shared": MemoryUSMShared}


def as_usm_memory(obj: Any) -> Any:
    """Return the memory that an array has."""
    memory = getattr(obj, "usm_data", obj)
    if not isinstance(memory, _Memory):
        raise TypeError(f"not memory of a device: {obj!r}")
    return memory
