# SPDX-License-Identifier: BSD-3-Clause
"""Device arrays as NumbaPro has them: `reshape` of one in Fortran's order reads its memory as it
lies, where NumPy would copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import gpu
from swathe._device_array import DeviceArray
from swathe._host_array import HostArray


def _as_it_lies(a: Any) -> Any:
    """The array, or its transpose, whichever is in C's order."""
    flags = a.flags
    return a.T if flags.f_contiguous and not flags.c_contiguous else a


def _sizes(shape: tuple[Any, ...]) -> Any:
    return shape[0] if len(shape) == 1 else shape


class _Returning:
    """An array that knows which of the host it was made of."""

    _host: Any = None

    def to_host(self, stream: Any = None) -> None:
        """Copy back to the array that `to_device` was given."""
        if self._host is None:
            raise ValueError("to_host() is of arrays that to_device() has made of NumPy's")
        self.copy_to_host(self._host, stream=stream)  # type: ignore[attr-defined]


class DeviceNDArray(_Returning, DeviceArray):
    """An array in the memory of a device."""

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """Return the same memory with another shape."""
        first = _as_it_lies(self)
        if order == "F" or (order == "A" and first is not self):
            sizes = _sizes(shape)
            sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
            return DeviceArray.reshape(first, sizes[::-1]).T
        return DeviceArray.reshape(first, *shape)

    def ravel(self, order: str = "C", stream: Any = None) -> Any:
        """Return the same memory with one axis."""
        return self.reshape(self.size)


class HostNDArray(_Returning, HostArray):
    """An array of the CPU as a device."""

    _swathe_array = True

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """Return the same memory with another shape."""
        first = _as_it_lies(self)
        if order == "F" or (order == "A" and first is not self):
            sizes = _sizes(shape)
            sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
            return np.ndarray.reshape(first, sizes[::-1]).T
        return np.ndarray.reshape(first, *shape)

    def ravel(self, order: str = "C", stream: Any = None) -> Any:
        """Return the same memory with one axis."""
        return self.reshape(self.size)


def _named(a: Any) -> Any:
    """An array under the class of its kind here."""
    if isinstance(a, DeviceArray):
        return DeviceNDArray(a.queue, a._proto, a._live(), a._offset, a.space, a._uses)
    return a.view(HostNDArray)


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    """Copy an array to the device, or into an array that is there."""
    if to is not None:
        to.copy_from_host(obj)
        return to
    if not copy:
        obj = np.asarray(obj)
        return device_array(
            obj.shape, obj.dtype, order="F" if obj.flags.fnc else "C", stream=stream
        )
    made = _named(gpu.to_device(obj, stream))
    made._host = obj if isinstance(obj, np.ndarray) and obj.flags.writeable else None
    return made


def device_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", stream: Any = 0
) -> Any:
    """Return an array on the device; what is in it at first is not said."""
    return _named(gpu.device_array(shape, dtype, strides, order, stream))


def device_array_like(ary: Any, stream: Any = 0) -> Any:
    """Return an array on the device, with the shape, dtype and order of another."""
    return _named(gpu.device_array_like(ary, stream))
