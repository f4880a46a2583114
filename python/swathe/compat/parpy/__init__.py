# SPDX-License-Identifier: BSD-3-Clause
"""ParPy's names: ``import swathe.compat.parpy as parpy``.

>>> import numpy as np
>>> import swathe.compat.parpy as parpy
>>> @parpy.jit
... def axpy(a, x, y, N):
...     parpy.label('N')
...     for i in range(N):
...         y[i] = a * x[i] + y[i]
>>> y = np.zeros(3)
>>> axpy(2.5, np.ones(3), y, 3, opts=parpy.par({'N': parpy.threads(128)}))
>>> y
array([2.5, 2.5, 2.5])
"""

from typing import Any

import swathe
from swathe import gpu, label, threads
from swathe.schedule import LoopPar

from . import backend, buffer, builtin, math, operators, reduce, types
from . import backends as CompileBackend  # noqa: N812
from .backend import default_backend
from .buffer import sync
from .builtin import alloc_shared
from .foreign import callback, external
from .options import CompileOptions, par, seq

__all__ = [
    "CompileBackend",
    "CompileOptions",
    "LoopPar",
    "alloc_shared",
    "backend",
    "buffer",
    "builtin",
    "callback",
    "clear_cache",
    "compile_string",
    "default_backend",
    "external",
    "gpu",
    "jit",
    "label",
    "math",
    "operators",
    "par",
    "print_compiled",
    "reduce",
    "seq",
    "sync",
    "threads",
    "types",
]


def jit(fun: Any) -> Any:
    """Compile a function when it is called; ``opts=`` at the call is its schedule."""
    return swathe.jit(fun)


def print_compiled(fun: Any, args: Any, opts: Any = None) -> str:
    """Return the code that a call would run, as text that `compile_string` takes."""
    return swathe.print_compiled(fun, args, opts)


def compile_string(fun_name: str, code: str, opts: Any = None) -> Any:
    """Return a callable from such text."""
    return swathe.compile_string(code, fun_name)


def clear_cache() -> None:
    """Empty the disk cache."""
    swathe._core.cache_clear()
