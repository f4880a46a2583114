# SPDX-License-Identifier: BSD-3-Clause
"""What ``numba.cuda`` kernels tell and do besides being launched; PTX of functions.

The methods are given to all dispatchers when ``numba.cuda``'s names are first imported.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import _core, _ufunc_text, gpu
from swathe.errors import UnsupportedError

from . import _cuda_host
from ._jit import has_containers

_TARGET_PTX = 1
_THREADS = 2048  # that a multiprocessor holds, for the CPU's part as one


def jit(func_or_sig: Any = None, signature: Any = None, **options: Any) -> Any:
    """Make a kernel, as `swathe.gpu.jit` does.

    Where a signature has records, the kernel is compiled for those that it is launched with.
    """
    options.pop("lto", None)  # how CUDA's linker works
    is_sig = isinstance(func_or_sig, (str, list, tuple)) or hasattr(func_or_sig, "result")
    if is_sig and has_containers(func_or_sig):
        func_or_sig = None
    if signature is not None and has_containers(signature):
        signature = None
    return gpu.jit(func_or_sig, signature, **options)


def configure(self: Any, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0) -> Any:
    """Return the launch on a grid, to be called with arguments: ``k[griddim, blockdim]``."""
    return self[griddim, blockdim, stream, sharedmem]


def specialize(self: Any, *args: Any) -> Any:
    """Compile for the types of arguments, and return the kernel."""
    _core.compiled_text(self, args, None, 0)
    return self


def compile_signature(self: Any, sig: Any) -> Any:
    """Compile for a signature, and return the kernel."""
    return specialize(self, *_examples(sig))


def _examples(sig: Any) -> list[Any]:
    """Arguments of the types of a signature."""
    _, args = _ufunc_text.parse(sig)
    made: list[Any] = []
    for text in args:
        try:
            dtype = _ufunc_text.dtype_of(text)
        except (TypeError, ValueError):
            raise TypeError(f"compile(): there is no example of {text}: call it") from None
        axes = text.count(":") - text.count("::1")
        if "[" not in text:
            made.append(dtype.type(1))
        elif "::1" in text:
            first = text.split("[")[1].startswith("::1") and axes > 1
            made.append(np.zeros((2,) * axes, dtype, "F" if first else "C"))
        else:
            made.append(np.zeros((4,) * axes, dtype)[(slice(None, None, 2),) * axes])
    return made


def _facts(self: Any, key: str, what: str, signature: Any) -> Any:
    seen = self.__dict__.get("_swathe_facts", {})
    if not seen:
        raise UnsupportedError(
            f"{self.__name__}: {what} are a matter of CUDA devices, and it has run on none"
        )
    if signature is not None:
        return next(iter(seen.values()))[key]
    return {name: facts[key] for name, facts in seen.items()}


def get_regs_per_thread(self: Any, signature: Any = None) -> Any:
    """Return how many registers a thread takes, by signature: of what has run on a device."""
    return _facts(self, "registers", "registers", signature)


def get_shared_mem_per_block(self: Any, signature: Any = None) -> Any:
    """Return the bytes of static shared memory of a block, by signature."""
    return _facts(self, "shared_bytes", "bytes of shared memory", signature)


def get_local_mem_per_thread(self: Any, signature: Any = None) -> Any:
    """Return the bytes of local memory of a thread, by signature."""
    return _facts(self, "local_bytes", "bytes of local memory", signature)


def get_max_threads_per_block(self: Any, signature: Any = None) -> Any:
    """Return how many threads a block of it may have; by signature once it has run on a device."""
    if not self.__dict__.get("_swathe_facts"):
        return _cuda_host.get_current_device().MAX_THREADS_PER_BLOCK
    return _facts(self, "max_threads", "threads of a block", signature)


def max_cooperative_grid_blocks(self: Any, blockdim: Any, dynsmemsize: int = 0) -> int:
    """Return how many blocks run at once, and so can wait for each other."""
    from swathe._occupancy import blocks_fit

    threads = int(np.prod(blockdim))
    if not 1 <= threads <= 1024:
        raise ValueError(f"a block has 1 to 1024 threads, not {blockdim!r}")
    device = _cuda_host.get_current_device()
    seen = self.__dict__.get("_swathe_facts")
    if seen and device._swathe_device.backend == "cuda":
        major, minor = device.compute_capability
        facts = next(iter(seen.values()))
        each = blocks_fit(10 * major + minor, facts, threads, dynsmemsize)
        return each * device.MULTIPROCESSOR_COUNT
    return _THREADS // threads * device.MULTIPROCESSOR_COUNT


def inspect_sass(self: Any, signature: Any = None) -> str:
    """Refuse: the driver makes the code of the device, and does not show it."""
    raise UnsupportedError("SASS is made by the driver: compile_ptx() shows what it is made of")


def _extensions(self: Any) -> list[Any]:
    """None: arguments are converted by the protocols of arrays."""
    return []


def give_methods() -> None:
    """Let all kernels have them."""
    kernel = _core.Dispatcher
    kernel.configure, kernel.specialize, kernel.compile = configure, specialize, compile_signature
    for f in (
        get_regs_per_thread,
        get_shared_mem_per_block,
        get_local_mem_per_thread,
        get_max_threads_per_block,
        max_cooperative_grid_blocks,
        inspect_sass,
    ):
        setattr(kernel, f.__name__, f)
    kernel.extensions = property(_extensions)


# ---- PTX without a device ----------------------------------------------------------------


def compile_ptx(
    pyfunc: Any, sig: Any, debug: bool = False, lineinfo: bool = False, device: bool = False,
    fastmath: bool = False, cc: tuple[int, int] | None = None, opt: bool = True, **options: Any
) -> tuple[str, Any]:  # fmt: skip
    """Return the PTX of a kernel for types, and what it returns: nothing. No device is needed.

    Parameters
    ----------
    pyfunc : function
    sig : signature or tuple of types
    cc : tuple of int, default (7, 5)
        The compute capability.

    Examples
    --------
    >>> import tempfile, pathlib, runpy
    >>> from swathe.compat.numba import cuda
    >>> def double(x):
    ...     x[cuda.grid(1)] *= 2
    >>> ptx, _ = cuda.compile_ptx(double, "void(float32[::1])", cc=(8, 0))
    >>> "sm_80" in ptx
    True
    """
    if device:
        raise UnsupportedError(
            "compile_ptx(): device=True: functions are compiled with their kernels"
        )
    kernel = gpu.jit(pyfunc, fastmath=fastmath)
    major, minor = cc or (7, 5)
    twin = _core.dev_twin(kernel, _TARGET_PTX, 10 * major + minor)
    made: list[bytes] = []

    def keep(function: Any, source: bytes, written: Any) -> Any:
        made.append(source)
        return None

    _core.dev_prepare(twin, tuple(_examples(sig)), keep)
    return made[0].rstrip(b"\0").decode(), None


def compile_ptx_for_current_device(pyfunc: Any, sig: Any, **options: Any) -> tuple[str, Any]:
    """Return the PTX for the current device."""
    cc = _cuda_host.get_current_device().compute_capability
    return compile_ptx(pyfunc, sig, cc=cc, **options)


def compile(  # noqa: A001
    pyfunc: Any, sig: Any, *args: Any, output: str = "ptx", **options: Any
) -> tuple[str, Any]:
    """Return the code of a kernel: ``output="ptx"``."""
    if output != "ptx":
        raise UnsupportedError(f"compile(): output={output!r}: there is 'ptx'")
    for name in ("abi", "abi_info", "launch_bounds"):
        options.pop(name, None)
    return compile_ptx(pyfunc, sig, *args, **options)


compile_for_current_device = compile_ptx_for_current_device


# ---- what there is not -------------------------------------------------------------------


def _refused(name: str, why: str) -> Any:
    def refuse(*args: Any, **options: Any) -> Any:
        raise UnsupportedError(f"cuda.{name}(): {why}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Refuse: {why}."
    return refuse


external_stream = _refused("external_stream", "streams of other libraries are not taken")
open_ipc_array = _refused("open_ipc_array", "memory is not shared between processes")
set_memory_manager = _refused("set_memory_manager", "memory comes from swathe's own allocator")


def is_float16_supported() -> bool:
    """Tell whether kernels can use float16: always; without hardware for it through float32."""
    return True


def nanosleep(ns):
    """Let a thread rest for about so many nanoseconds: not at all."""
    return None
