# SPDX-License-Identifier: BSD-3-Clause
"""CudaPy's names: kernels that are launched with nothing but a count of threads.

>>> from swathe.compat import cudapy as cp
>>> # saxpy : void (float alpha, float* X, float* Y)
>>> def saxpy(alpha, X, Y):
...     if idx < len(X):
...         Y[idx] = alpha * X[idx] + Y[idx]
>>> call = cp.compile(saxpy, "void (float alpha, float* X, float* Y)")
>>> Y = cp.CudaArray([1.0, 1.0])
>>> call(2)(2.0, [3.0, 4.0], Y)
>>> Y.toList()
[7.0, 9.0]

A program written for CudaPy changes its import. Without a device, kernels run compiled on all
cores of the CPU.
"""

from __future__ import annotations

from .array import CudaArray
from .launch import Kernel, compile, kernel  # noqa: A004
from .source import Template, template
from .types import (
    Bool,
    CudaPyError,
    CudaTypeError,
    Double,
    Float,
    Function,
    Int,
    Long,
    Pointer,
    Struct,
    TemplateError,
    Type,
    Void,
    dim3,
    elemType,
    struct,
)

__all__ = [
    "Bool",
    "CudaArray",
    "CudaPyError",
    "CudaTypeError",
    "Double",
    "Float",
    "Function",
    "Int",
    "Kernel",
    "Long",
    "Pointer",
    "Struct",
    "Template",
    "TemplateError",
    "Type",
    "Void",
    "compile",
    "dim3",
    "elemType",
    "kernel",
    "struct",
    "template",
]
