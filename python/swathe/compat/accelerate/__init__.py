# SPDX-License-Identifier: BSD-3-Clause
"""The names of Accelerate: ``cuda`` with ``blas``, ``fft``, ``rand``, ``sorting``, ``sparse``."""

from . import cuda

__version__ = "2.3.1"

__all__ = ["cuda"]
