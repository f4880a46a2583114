# SPDX-License-Identifier: BSD-3-Clause
"""Numba's names for errors of the driver, and for what a device is."""

from swathe.errors import DeviceError as CudaAPIError
from swathe.errors import LinkError as LinkerError

from ..._cuda_host import Context, CudaDevice, Event, Stream
from ..._cuda_host import CudaDevice as Device

__all__ = ["Context", "CudaAPIError", "CudaDevice", "Device", "Event", "LinkerError", "Stream"]
