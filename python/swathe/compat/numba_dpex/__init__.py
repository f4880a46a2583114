# SPDX-License-Identifier: BSD-3-Clause
"""The names of ``numba_dpex``: kernels of work items, on the CPU and any device.

>>> import numpy as np
>>> from swathe.compat import numba_dpex as dpex
>>> @dpex.kernel
... def double(a):
...     i = dpex.get_global_id(0)
...     a[i] *= 2
>>> a = np.arange(5)
>>> dpex.call_kernel(double, dpex.Range(5), a)
>>> a
array([0, 2, 4, 6, 8])
"""

from __future__ import annotations

from typing import Any

from swathe import gpu, njit, prange, types
from swathe.types import *  # noqa: F403

from . import kernel_api
from ._launch import Kernel, call_kernel, call_kernel_async
from ._ranges import (
    LocalAccessor,
    NdRange,
    Range,
    UnmatchedNumberOfRangeDimsError,
    UnsupportedGroupWorkItemSizeError,
)
from ._work_item import (
    barrier,
    get_global_id,
    get_global_size,
    get_group_id,
    get_local_id,
    get_local_size,
    get_num_groups,
    mem_fence,
    sub_group_barrier,
)

__all__ = [
    "CLK_GLOBAL_MEM_FENCE",
    "CLK_LOCAL_MEM_FENCE",
    "DEFAULT_LOCAL_SIZE",
    "GLOBAL_MEM_FENCE",
    "LOCAL_MEM_FENCE",
    "Kernel",
    "LocalAccessor",
    "NdRange",
    "Range",
    "UnmatchedNumberOfRangeDimsError",
    "UnsupportedGroupWorkItemSizeError",
    "atomic",
    "barrier",
    "call_kernel",
    "call_kernel_async",
    "device_func",
    "dpjit",
    "func",
    "get_global_id",
    "get_global_size",
    "get_group_id",
    "get_local_id",
    "get_local_size",
    "get_num_groups",
    "kernel",
    "kernel_api",
    "local",
    "mem_fence",
    "njit",
    "prange",
    "private",
    "sub_group_barrier",
    "types",
]

LOCAL_MEM_FENCE = CLK_LOCAL_MEM_FENCE = 1
GLOBAL_MEM_FENCE = CLK_GLOBAL_MEM_FENCE = 2
DEFAULT_LOCAL_SIZE: tuple[int, ...] = ()

local = gpu.shared  # an array for a group
private = gpu.local  # one for a work item
atomic = gpu.atomic

_KEPT = ("debug", "fastmath", "boundscheck", "opt_level", "contract", "cache")


def kernel(func_or_sig: Any = None, **options: Any) -> Any:
    """Make a kernel of a function that says what one work item does.

    Parameters
    ----------
    func_or_sig : function, or a signature; optional
        A signature is not needed, and chooses nothing.
    debug, fastmath, boundscheck, opt_level, contract, cache
        As for `swathe.gpu.jit`. Other options choose nothing.
    """
    kept = {k: v for k, v in options.items() if k in _KEPT}
    if callable(func_or_sig) and (
        hasattr(func_or_sig, "__code__") or hasattr(func_or_sig, "py_func")
    ):
        return Kernel(func_or_sig, **kept)
    if callable(func_or_sig):
        raise TypeError(f"a kernel is made of a Python function, not of {func_or_sig!r}")
    return lambda f: Kernel(f, **kept)


def device_func(func_or_sig: Any = None, **options: Any) -> Any:
    """Mark a function that kernels call. Plain functions need no mark.

    Numbers are cast to what a signature, or one of a list, says.
    """
    kept = {k: v for k, v in options.items() if k in _KEPT}
    if hasattr(func_or_sig, "__code__") or hasattr(func_or_sig, "py_func"):
        return gpu.jit(func_or_sig, device=True, **kept)
    return lambda f: gpu.jit(f, func_or_sig, device=True, **kept)


func = device_func


def dpjit(func_or_sig: Any = None, **options: Any) -> Any:
    """Compile a function with its array expressions and `prange` loops in parallel."""
    kept = {k: v for k, v in options.items() if k in _KEPT} | {"parallel": True}
    return njit(func_or_sig, **kept) if func_or_sig is not None else njit(**kept)
