# SPDX-License-Identifier: BSD-3-Clause
"""The names of NumbaPro: decorators with a target, `cuda`, and NVIDIA's libraries.

>>> import numpy as np
>>> from swathe.compat.numbapro import vectorize
>>> @vectorize(["float32(float32, float32)"], target="gpu")
... def add(a, b):
...     return a + b
>>> add(np.ones(3, np.float32), np.float32(2))
array([3., 3., 3.], dtype=float32)
"""

from __future__ import annotations

from typing import Any

from .. import numba as _numba
from ..numba import *  # noqa: F403

globals().pop("cuda", None)  # Numba's: the module of this package has that name
from . import cuda, cudalib  # noqa: E402

_GRIDS = ("gpu", "cuda")


def jit(*args: Any, target: str = "cpu", **options: Any) -> Any:
    """Compile a function: for the CPU, or, with ``target="gpu"``, as a kernel."""
    if target in _GRIDS:
        return cuda.jit(*args, **options)
    if target not in ("cpu", "parallel"):
        raise ValueError(f"jit(): target is 'cpu', 'parallel' or 'gpu', not {target!r}")
    return _numba.jit(*args, **options)


def autojit(*args: Any, target: str = "cpu", **options: Any) -> Any:
    """Compile a function for the types of its arguments, whatever they are."""
    return jit(*args, target=target, **options)


def vectorize(signatures: Any = None, *, target: str = "cpu", **options: Any) -> Any:
    """Make a ufunc: on one core, with ``parallel`` on all, with ``gpu`` by a kernel."""
    return _numba.vectorize(signatures, target=_target(target), **options)


def guvectorize(*signatures_and_layout: Any, target: str = "cpu", **options: Any) -> Any:
    """Make a generalised ufunc: on one core, with ``parallel`` on all, with ``gpu`` by a kernel."""
    return _numba.guvectorize(*signatures_and_layout, target=_target(target), **options)


def _target(target: str) -> str:
    return "parallel" if target == "stream" else target


def check_cuda() -> bool:
    """Tell whether kernels run: they always do, on the CPU where there is no GPU."""
    return True


from ..numba import prange as prange  # noqa: E402

__version__ = "0.23.0"

__all__ = [*_numba.__all__, "autojit", "check_cuda", "cuda", "cudalib"]
