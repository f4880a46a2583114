# SPDX-License-Identifier: BSD-3-Clause
"""Numba's names for what a driver can say."""

from swathe.errors import DeviceError as CudaDriverError
from swathe.errors import DeviceError as CudaRuntimeError
from swathe.errors import LinkError as LinkerError
from swathe.errors import NoDeviceError as CudaSupportError

__all__ = ["CudaDriverError", "CudaRuntimeError", "CudaSupportError", "LinkerError"]
