# SPDX-License-Identifier: BSD-3-Clause
"""The names of ``numba.cuda``: kernels, which run on the CPU where no other device is chosen.

>>> import numpy as np
>>> from swathe.compat.numba import cuda
>>> @cuda.jit
... def add_one(x):
...     i = cuda.grid(1)
...     if i < x.size:
...         x[i] += 1
>>> x = cuda.to_device(np.zeros(3))
>>> add_one.forall(3)(x)
>>> x.copy_to_host()
array([1., 1., 1.])
"""

from __future__ import annotations

import importlib
from typing import Any

from swathe.errors import DeviceError as KernelRuntimeError
from swathe.errors import NoDeviceError as CudaSupportError
from swathe.gpu import (
    activemask,
    all_sync,
    any_sync,
    ballot_sync,
    blockDim,
    blockIdx,
    brev,
    cbrt,
    cg,
    clz,
    const,
    declare_device,
    device_array,
    device_array_like,
    eq_sync,
    ffs,
    fma,
    grid,
    gridDim,
    gridsize,
    laneid,
    lanemask_lt,
    local,
    match_all_sync,
    match_any_sync,
    popc,
    rsqrt,
    selp,
    shared,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    synchronize,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
    syncwarp,
    threadfence,
    threadfence_block,
    threadfence_system,
    threadIdx,
    to_device,
    warpsize,
)

from .._cuda_host import (
    Context,
    CudaDevice,
    Event,
    In,
    InOut,
    MemoryInfo,
    Out,
    Reduce,
    Stream,
    as_cuda_array,
    close,
    current_context,
    default_stream,
    defer_cleanup,
    detect,
    event,
    event_elapsed_time,
    from_cuda_array_interface,
    get_current_device,
    gpus,
    is_available,
    is_cuda_array,
    legacy_default_stream,
    list_devices,
    managed_array,
    mapped,
    mapped_array,
    mapped_array_like,
    per_thread_default_stream,
    pinned,
    pinned_array,
    pinned_array_like,
    profile_start,
    profile_stop,
    profiling,
    reduce,
    require_context,
    select_device,
    stream,
)
from .._cuda_kernels import (
    compile,
    compile_for_current_device,
    compile_ptx,
    compile_ptx_for_current_device,
    external_stream,
    give_methods,
    is_float16_supported,
    jit,
    nanosleep,
    open_ipc_array,
    set_memory_manager,
)
from .._jit import guvectorize, vectorize
from . import _atomics as atomic
from . import fp16, types, vectors

give_methods()
globals().update(vectors.NAMES)  # float32x4, float4, ...

_LATER = ("cudadrv", "driver", "errors", "libdevice", "random")


def __getattr__(name: str) -> Any:
    """Import what few programs need when it is asked for."""
    if name == "driver":
        return importlib.import_module(__name__ + ".cudadrv.driver")
    if name in _LATER:
        return importlib.import_module(f"{__name__}.{name}")
    if name in types.__all__:  # float32, void, ...
        return getattr(types, name)
    raise AttributeError(f"swathe.compat.numba.cuda has no '{name}'")


__all__ = [
    "Context",
    "CudaDevice",
    "CudaSupportError",
    "Event",
    "In",
    "InOut",
    "KernelRuntimeError",
    "MemoryInfo",
    "Out",
    "Reduce",
    "Stream",
    "activemask",
    "all_sync",
    "any_sync",
    "as_cuda_array",
    "atomic",
    "ballot_sync",
    "blockDim",
    "blockIdx",
    "brev",
    "cbrt",
    "cg",
    "close",
    "clz",
    "compile",
    "compile_for_current_device",
    "compile_ptx",
    "compile_ptx_for_current_device",
    "const",
    "current_context",
    "declare_device",
    "default_stream",
    "defer_cleanup",
    "detect",
    "device_array",
    "device_array_like",
    "eq_sync",
    "event",
    "event_elapsed_time",
    "external_stream",
    "ffs",
    "fma",
    "fp16",
    "from_cuda_array_interface",
    "get_current_device",
    "gpus",
    "grid",
    "gridDim",
    "gridsize",
    "guvectorize",
    "is_available",
    "is_cuda_array",
    "is_float16_supported",
    "jit",
    "laneid",
    "lanemask_lt",
    "legacy_default_stream",
    "list_devices",
    "local",
    "managed_array",
    "mapped",
    "mapped_array",
    "mapped_array_like",
    "match_all_sync",
    "match_any_sync",
    "nanosleep",
    "open_ipc_array",
    "per_thread_default_stream",
    "pinned",
    "pinned_array",
    "pinned_array_like",
    "popc",
    "profile_start",
    "profile_stop",
    "profiling",
    "reduce",
    "require_context",
    "rsqrt",
    "select_device",
    "selp",
    "set_memory_manager",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "stream",
    "synchronize",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "threadfence_block",
    "threadfence_system",
    "to_device",
    "types",
    "vectorize",
    "warpsize",
    *vectors.NAMES,
]
