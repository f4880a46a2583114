# SPDX-License-Identifier: BSD-3-Clause
"""The classes of ``numba.cuda.cudadrv`` that programs name: those of arrays and of errors."""

from . import devicearray, devices, driver, error

__all__ = ["devicearray", "devices", "driver", "error"]
