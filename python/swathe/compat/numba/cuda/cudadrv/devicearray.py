# SPDX-License-Identifier: BSD-3-Clause
"""Classes of arrays on devices, to ask with ``isinstance``."""

from __future__ import annotations

import abc
from typing import Any

from swathe._device_array import DeviceArray
from swathe._host_array import HostArray


class DeviceNDArray(abc.ABC):  # noqa: B024
    """An array on a device, whichever it is."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """Refuse: arrays are made by `device_array` and `to_device`."""
        raise TypeError("make arrays with cuda.device_array() or cuda.to_device()")


DeviceNDArray.register(DeviceArray)
DeviceNDArray.register(HostArray)
DeviceNDArrayBase = MappedNDArray = ManagedNDArray = DeviceNDArray


def is_cuda_ndarray(obj: Any) -> bool:
    """Tell whether `obj` is an array of a device, ours or another library's."""
    from ... import cuda

    return cuda.is_cuda_array(obj)
