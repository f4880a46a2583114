# SPDX-License-Identifier: BSD-3-Clause
"""Numba's names for errors of kernels."""

from swathe.errors import DeviceError as KernelRuntimeError
from swathe.errors import LaunchError

CudaLoweringError = KernelRuntimeError

__all__ = ["CudaLoweringError", "KernelRuntimeError", "LaunchError"]
