# SPDX-License-Identifier: BSD-3-Clause
"""Numba's ``cfunc``: functions that C calls by an address.

The address is that of a callback of ctypes, which holds Python's lock and calls the compiled
function. Where an argument is a pointer the function itself runs in Python, for compiled code has
no pointers; `carray` and `farray` make arrays of them there."""

from __future__ import annotations

import ctypes
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

import swathe

from . import _overloads, types
from ._jit import dtypes_of, with_locals

_C = {
    "bool": ctypes.c_bool, "int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32,
    "int64": ctypes.c_int64, "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16,
    "uint32": ctypes.c_uint32, "uint64": ctypes.c_uint64, "float32": ctypes.c_float,
    "float64": ctypes.c_double, "none": None, "void": None, "voidptr": ctypes.c_void_p,
}  # fmt: skip


class _Pointer(types.Type):
    """The type of pointers to numbers, as `types.CPointer` makes it."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: Any) -> None:
        super().__init__(f"CPointer({dtype})")
        self.dtype = dtype


def _c_type(t: Any) -> Any:
    text = str(t).strip()
    if text.startswith("CPointer(") and text.endswith(")"):
        return ctypes.POINTER(_c_type(text[len("CPointer(") : -1]))
    text = str(getattr(types, text, text)) if text.isidentifier() else text
    if text not in _C:
        raise TypeError(f"cfunc(): {text} is no type of C: numbers and CPointer(number) are")
    return _C[text]


def _parts(signature: Any) -> tuple[Any, list[Any]]:
    text = str(signature)
    result, _, rest = text.partition("(")
    if not rest.endswith(")") or not result.strip():
        raise TypeError(f"cfunc(): {text!r} is no signature: write 'float64(float64, int32)'")
    depth, word, args = 0, "", []
    for c in rest[:-1] + ",":
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            args.append(word.strip())
            word = ""
        else:
            word += c
    return _c_type(result.strip()), [_c_type(a) for a in args if a]


def _for_c(name: str, function: Any, result: Any) -> Callable[..., Any]:
    """Return what ctypes calls: where it raised, ctypes itself would return what happens to be
    in memory."""
    word = result._type_ if result else ""
    number: Any = {"": lambda _: None, "?": bool, "f": float, "d": float}.get(word, int)

    def call(*args: Any) -> Any:
        try:
            return number(function(*args))
        except BaseException:
            print(f"Exception ignored in cfunc '{name}', which returns 0:", file=sys.stderr)
            traceback.print_exc()
            return number(0)

    return call


class CFunc:
    """A function with an address.

    Attributes
    ----------
    address : int
    ctypes : what ctypes calls, and SciPy's LowLevelCallable takes
    native_name : str
    """

    def __init__(self, signature: Any, func: Any, options: dict[str, Any]) -> None:
        result, args = _parts(signature)
        self.__name__ = self.native_name = func.__name__
        self.__qualname__, self.__module__ = func.__qualname__, func.__module__
        self.__doc__, self.__wrapped__ = func.__doc__, func
        pointers = any(isinstance(a, type) and issubclass(a, ctypes._Pointer) for a in args)
        self._swathe_function = func if pointers else swathe.njit(func, **options)
        call = _for_c(self.__name__, self._swathe_function, result)
        self.ctypes = ctypes.CFUNCTYPE(result, *args)(call)
        self.address = ctypes.cast(self.ctypes, ctypes.c_void_p).value

    def __wrapper_address__(self) -> int:
        return self.address

    def __call__(self, *args: Any) -> Any:
        """Call it from Python, where nobody needs an address."""
        return self._swathe_function(*args)


def cfunc(signature: Any, **options: Any) -> Callable[[Any], CFunc]:
    """Give a function an address, by which C calls it with the types of a signature.

    What it raises there is printed, and 0 is returned.
    """
    typed = dtypes_of(options.pop("locals", None) or {})
    options.pop("nopython", None)
    if typed:
        return lambda func: CFunc(signature, with_locals(func, typed), options)
    return lambda func: CFunc(signature, func, options)


def _memory(pointer: Any, shape: Any, dtype: Any) -> np.ndarray:
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if isinstance(pointer, (int, ctypes.c_void_p)):
        if dtype is None:
            raise TypeError("explicit dtype required for void* argument")
        address = pointer if isinstance(pointer, int) else pointer.value
    else:
        own = np.dtype(pointer._type_)
        if dtype is not None and np.dtype(dtype) != own:
            raise TypeError(f"mismatching dtype '{np.dtype(dtype)}' for pointer to {own}")
        dtype, address = own, ctypes.cast(pointer, ctypes.c_void_p).value
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), kind).reshape(shape)


def carray(pointer: Any, shape: Any, dtype: Any = None) -> np.ndarray:
    """Return the array in C order that begins at a pointer of ctypes."""
    return _memory(pointer, shape, dtype)


def farray(pointer: Any, shape: Any, dtype: Any = None) -> np.ndarray:
    """Return the array in Fortran order that begins at a pointer of ctypes."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return _memory(pointer, shape[::-1], dtype).T


def _begins_at(pointer: Any, shape: Any, dtype: Any = None) -> Any:
    """Return what an array is made of in compiled code: memory that an intrinsic has allocated."""
    if not isinstance(pointer, types.Array) or pointer.ndim != 1:
        return None
    if isinstance(shape, types.Integer):

        def vector(pointer, shape, dtype=None):  # type: ignore[no-untyped-def]
            return pointer[:shape].reshape((shape,))  # which raises where there is less

        return vector

    def shaped(pointer, shape, dtype=None):  # type: ignore[no-untyped-def]
        size = 1
        for n in shape:
            size *= n
        return pointer[:size].reshape(shape)

    return shaped


_overloads.add(carray, _begins_at)

# As an argument of a compiled function it is what it calls.
swathe.register_class(CFunc, lambda f: f._swathe_function)
