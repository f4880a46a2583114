# SPDX-License-Identifier: BSD-3-Clause
"""``numbapro.cuda`` and ``accelerate.cuda``: `numba.cuda`'s names, and NVIDIA's libraries beside
them."""

from __future__ import annotations

import sys
from typing import Any

from ..numba import cuda as _cuda
from ..numba.cuda import *  # noqa: F403
from ..numba.cuda import jit as _jit
from ..pyculib import blas, fft, rand, sorting, sparse
from ._arrays import DeviceNDArray, device_array, device_array_like, to_device


def jit(*args: Any, target: Any = None, inline: Any = None, **options: Any) -> Any:
    """Make a kernel, or with ``device=True`` a function for kernels; of old options, some have no
    meaning any more."""
    names = {"argtypes": None, "restype": None} | options
    argtypes, restype = names.pop("argtypes"), names.pop("restype")
    if argtypes is not None:
        args = (restype(*argtypes) if restype is not None else tuple(argtypes), *args)
    return _jit(*args, **names)


def autojit(*args: Any, **options: Any) -> Any:
    """Make a kernel that is compiled for the types of its arguments."""
    return jit(*args, **options)


def __getattr__(name: str) -> Any:
    """What is looked up later in `numba.cuda`, too."""
    return getattr(_cuda, name)


for _part in (blas, fft, rand, sorting, sparse):
    sys.modules[f"{__name__}.{_part.__name__.rpartition('.')[2]}"] = _part

__all__ = [*_cuda.__all__, "DeviceNDArray", "autojit", "blas", "device_array", "device_array_like",
           "fft", "jit", "rand", "sorting", "sparse", "to_device"]  # fmt: skip
