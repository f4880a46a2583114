# SPDX-License-Identifier: BSD-3-Clause
"""Numba's names for what swathe does: change the import and nothing else.

>>> from swathe.compat import numba
>>> @numba.njit
... def double(x):
...     return 2 * x
>>> double(4)
8

`cuda` has the names of ``numba.cuda``. Options that choose nothing here are accepted.
"""

from __future__ import annotations

from swathe import (
    config,
    errors,
    get_num_threads,
    get_parallel_chunksize,
    guvectorize,
    jit,
    njit,
    objmode,
    parallel_chunksize,
    prange,
    set_num_threads,
    set_parallel_chunksize,
    threading_layer,
    types,
    vectorize,
)
from swathe.types import (
    bool_,
    boolean,
    byte,
    c8,
    c16,
    complex64,
    complex128,
    double,
    f2,
    f4,
    f8,
    float16,
    float32,
    float64,
    float_,
    i1,
    i2,
    i4,
    i8,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    intp,
    none,
    u1,
    u2,
    u4,
    u8,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    void,
)

from . import cuda

b1 = bool_
char, uchar, short, ushort = int8, uint8, int16, uint16
long_ = longlong = ssize_t = int64
ulong = ulonglong = size_t = uint64

__all__ = [
    "b1",
    "bool_",
    "boolean",
    "byte",
    "c16",
    "c8",
    "char",
    "complex128",
    "complex64",
    "config",
    "cuda",
    "double",
    "errors",
    "f2",
    "f4",
    "f8",
    "float16",
    "float32",
    "float64",
    "float_",
    "get_num_threads",
    "get_parallel_chunksize",
    "guvectorize",
    "i1",
    "i2",
    "i4",
    "i8",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "intc",
    "intp",
    "jit",
    "long_",
    "longlong",
    "njit",
    "objmode",
    "none",
    "parallel_chunksize",
    "prange",
    "set_num_threads",
    "set_parallel_chunksize",
    "short",
    "size_t",
    "ssize_t",
    "threading_layer",
    "types",
    "u1",
    "u2",
    "u4",
    "u8",
    "uchar",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "ushort",
    "vectorize",
    "void",
]
