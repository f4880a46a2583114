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

from builtins import bool as _bool
from inspect import isbuiltin, isfunction
from typing import Any

import numpy as _np

from swathe import (
    get_num_threads,
    get_parallel_chunksize,
    get_thread_id,
    jitclass,
    objmode,
    parallel_chunksize,
    prange,
    set_num_threads,
    set_parallel_chunksize,
    stencil,
    threading_layer,
)
from swathe.types import (
    bool_,
    boolean,
    byte,
    c8,
    c16,
    complex64,
    complex128,
    deferred_type,
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
    optional,
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

from . import _dispatcher, _paths, config, core, cuda, experimental, extending, typed, types
from ._cfunc import carray, cfunc, farray
from ._jit import generated_jit, guvectorize, jit, jit_module, njit, vectorize
from .core import errors
from .core.errors import *  # noqa: F403
from .core.errors import NumbaError, NumbaWarning, TypingError, UnsupportedError
from .extending import is_jitted, register_jitable
from .types import (
    b1,
    char,
    long_,
    longlong,
    short,
    size_t,
    ssize_t,
    uchar,
    ulong,
    ulonglong,
    ushort,
)

_dispatcher.give_methods()
_paths.give()
pndindex = _np.ndindex
bool = bool_  # noqa: A001
version_info = (0, 62, 0)  # whose names these are
__version__ = "0.62.0"


def literal_unroll(container: Any) -> Any:
    """Return a tuple: loops over tuples of unlike types are unrolled anyway."""
    return container


def literally(value: Any) -> Any:
    """Return a value: constants of a call are known to functions that are inlined."""
    return value


def from_dtype(dtype: Any) -> types.Type:
    """Return the type of the elements of a dtype: numbers, times, strings, or records.

    Raises
    ------
    NumbaNotImplementedError
        For other dtypes.
    """
    dtype = _np.dtype(dtype)
    if dtype.names and dtype.subdtype is None:
        fields = dtype.fields or {}
        return types.record((n, from_dtype(fields[n][0].base)) for n in dtype.names)
    if dtype.kind in "SU":
        seq = types.UnicodeCharSeq if dtype.kind == "U" else types.CharSeq
        return seq(dtype.itemsize // (4 if dtype.kind == "U" else 1))
    found = types.Opaque(dtype.name) if dtype.kind in "mM" else getattr(types, dtype.name, None)
    if not isinstance(found, types.Type):
        raise errors.NumbaNotImplementedError(f"{dtype} cannot be represented as a Numba type")
    return found


def typeof(value: Any) -> types.Type:
    """Return the type of a value: a number, an array, text, a function, a structure, or of these.

    Raises
    ------
    ValueError
        For anything else.
    """
    if isinstance(value, _np.ndarray):
        f = value.flags
        layout = "C" if f.c_contiguous else "F" if f.f_contiguous else "A"
        dtype = from_dtype(value.dtype)
        return types.Array(dtype, value.ndim, layout, readonly=not f.writeable)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return types.NamedTuple(tuple(typeof(v) for v in value), type(value))
    if isinstance(value, tuple):
        return types.Tuple(tuple(typeof(v) for v in value))
    if value is None:
        return types.none
    if isinstance(value, str):
        return types.unicode_type
    if isinstance(value, (bytes, bytearray)):
        return types.Opaque(type(value).__name__)
    if isinstance(value, (list, typed.List)) and len(value):
        return types.ListType(typeof(value[0]))
    if isinstance(value, (dict, typed.Dict)) and len(value):
        return types.DictType(*map(typeof, next(iter(value.items()))))
    if is_jitted(value) or isfunction(value) or isbuiltin(value):
        return types.Opaque(f"function<{value.__name__}>")
    struct = experimental.structref.typeof(value)
    if struct is not None:
        return struct
    if isinstance(value, (_bool, int, float, complex, _np.generic)):
        return from_dtype(_np.asarray(value).dtype)
    raise ValueError(f"Cannot determine Numba type of {type(value)}")


# found by their attributes, too, once all of the above is there
from . import misc, np  # noqa: E402, F401
from .core import typing as _typing  # noqa: E402, F401
from .misc import llvm_pass_timings as _timings  # noqa: E402, F401
from .misc import special as _special  # noqa: E402, F401
from .np import linalg as _linalg  # noqa: E402, F401
from .np import numpy_support as _numpy_support  # noqa: E402, F401

__all__ = [
    "NumbaError",
    "NumbaWarning",
    "TypingError",
    "UnsupportedError",
    "b1",
    "bool_",
    "boolean",
    "byte",
    "c16",
    "c8",
    "carray",
    "char",
    "cfunc",
    "complex128",
    "complex64",
    "config",
    "core",
    "cuda",
    "deferred_type",
    "double",
    "errors",
    "experimental",
    "extending",
    "f2",
    "f4",
    "f8",
    "farray",
    "float16",
    "float32",
    "float64",
    "float_",
    "from_dtype",
    "generated_jit",
    "get_num_threads",
    "get_parallel_chunksize",
    "get_thread_id",
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
    "jitclass",
    "literally",
    "literal_unroll",
    "jit_module",
    "long_",
    "longlong",
    "njit",
    "none",
    "objmode",
    "optional",
    "parallel_chunksize",
    "pndindex",
    "prange",
    "register_jitable",
    "set_num_threads",
    "set_parallel_chunksize",
    "short",
    "size_t",
    "stencil",
    "ssize_t",
    "threading_layer",
    "typed",
    "typeof",
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
    "version_info",
    "void",
]
