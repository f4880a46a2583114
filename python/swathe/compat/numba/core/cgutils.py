# SPDX-License-Identifier: BSD-3-Clause
"""What intrinsics use of ``numba.core.cgutils``; see ``numba.extending.intrinsic``."""

from __future__ import annotations

from typing import Any


class Named:
    """A function of LLVM's, by its name."""

    def __init__(self, type_: Any, name: str) -> None:
        self.function_type, self.name = type_, name


def get_or_insert_function(module: Any, fnty: Any, name: str) -> Named:
    """Return a function by its name."""
    return Named(fnty, name)


def alloca_once(builder: Any, ty: Any, size: Any = None, name: str = "") -> Any:
    """Return memory for numbers of a type, as a vector that `carray` makes an array of."""
    return builder.allocated(ty, 1 if size is None else size)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"numba.core.cgutils.{name} is for Numba's own passes: it isn't here")


__all__ = ["alloca_once", "get_or_insert_function"]
