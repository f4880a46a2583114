# SPDX-License-Identifier: BSD-3-Clause
"""Numba's names for the devices that there are."""

from ..._cuda_host import current_context as get_context
from ..._cuda_host import gpus

__all__ = ["get_context", "gpus"]
