# SPDX-License-Identifier: BSD-3-Clause
"""Types and constants of ``llvmlite.ir``. There is no LLVM module to build: see
``numba.extending.intrinsic``."""

from __future__ import annotations

from typing import Any


class Type:
    """A type of LLVM's, and the dtype that has its bits."""

    dtype = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dtype})"

    def __call__(self, constant: Any) -> Constant:
        """Return a constant of this type."""
        return Constant(self, constant)


class IntType(Type):
    """Integers of so many bits."""

    def __init__(self, width: int) -> None:
        if width not in (1, 8, 16, 32, 64):
            raise NotImplementedError(f"integers of {width} bits are not supported")
        self.width = width
        self.dtype = "bool" if width == 1 else f"int{width}"


class FloatType(Type):
    """Floats of 32 bits."""

    dtype = "float32"


class DoubleType(Type):
    """Floats of 64 bits."""

    dtype = "float64"


class FunctionType:
    """The type of a function."""

    def __init__(self, return_type: Any, args: Any, var_arg: bool = False) -> None:
        self.return_type, self.args, self.var_arg = return_type, tuple(args), var_arg


class Constant:
    """A value that is known."""

    def __init__(self, typ: Type, constant: Any) -> None:
        self.type, self.constant = typ, constant


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"llvmlite.ir.{name} is for building LLVM's modules, which is not done here"
    )


__all__ = ["Constant", "DoubleType", "FloatType", "FunctionType", "IntType", "Type"]
