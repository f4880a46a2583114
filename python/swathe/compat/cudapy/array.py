# SPDX-License-Identifier: BSD-3-Clause
"""`CudaArray`: an array in the memory that kernels work on."""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import gpu

from .types import Bool, CudaTypeError, Pointer, Struct, Type, Void, as_type, elemType


def _place(array: np.ndarray) -> Any:
    queue = gpu._queue()
    return array if queue is None else queue.to_device(array)


class CudaArray:
    """An array that stays where kernels run, from one launch to the next.

    Where a device context is entered, it is in the memory of that device, otherwise in the host's.
    The memory is given back with the object.

    Parameters
    ----------
    values : list, array or iterable of numbers
        What is copied. Of a list the elements are ``float`` when one is a float, else ``int`` (or
        ``bool``); of a NumPy array those of its dtype.
    type : Type, optional
        The type of the elements.

    Examples
    --------
    >>> from swathe.compat import cudapy as cp
    >>> a = cp.CudaArray([1, 2, 3])
    >>> a.elemType(), len(a), a.toList()
    (int, 3, [1, 2, 3])
    """

    __slots__ = ("__weakref__", "_array", "_data", "_type")

    def __init__(self, values: Any, type: Any = None) -> None:  # noqa: A002
        if isinstance(values, CudaArray):
            type, values = type or values._type, values.toHost()
        if not hasattr(values, "__len__"):
            values = list(values)
        kind = elemType(values) if type is None else _elem(type)
        self._set(_place(as_elements(values, kind)), kind)

    def _set(self, array: Any, kind: Type) -> None:
        self._array = array
        self._type = kind
        self._data = array  # what a kernel is given
        if isinstance(kind, Struct):
            view = array.__getitem__ if isinstance(array, np.ndarray) else _field(array)
            self._data = kind.arrays(*(view(f) for f in kind.fields))

    @staticmethod
    def allocate(size: int, type: Any) -> CudaArray:  # noqa: A002
        """Return an array of so many elements; what is in it is not said."""
        n = size.__index__() if hasattr(size, "__index__") and not isinstance(size, bool) else -1
        if n < 0:
            raise CudaTypeError(
                f"CudaArray.allocate(): the size is an int of 0 or more, not {size!r}"
            )
        kind = _elem(type)
        new = CudaArray.__new__(CudaArray)
        new._set(
            gpu.device_array(n, kind.dtype).view(np.ndarray)
            if gpu._queue() is None
            else gpu.device_array(n, kind.dtype),
            kind,
        )
        return new

    def toHost(self) -> np.ndarray:  # noqa: N802
        """Return a copy as a NumPy array."""
        array = self._live()
        return array.copy() if isinstance(array, np.ndarray) else array.copy_to_host()

    def toList(self) -> list[Any]:  # noqa: N802
        """Return a copy as a list."""
        values = self.toHost().tolist()
        return [self._type(*v) for v in values] if isinstance(self._type, Struct) else values

    def elemType(self) -> Type:  # noqa: N802
        """Return the type of an element."""
        return self._type

    def length(self) -> int:
        """Return the number of elements."""
        return len(self._live())

    def pointer(self) -> int:
        """Return the address."""
        array = self._live()
        if isinstance(array, np.ndarray):
            return array.__array_interface__["data"][0]
        return array._interface()["data"][0]

    def free(self) -> None:
        """Give the memory back now."""
        self._array = self._data = None

    def _live(self) -> Any:
        if self._array is None:
            raise CudaTypeError("the CudaArray has been freed")
        return self._array

    def __len__(self) -> int:
        return len(self._live())

    def __getitem__(self, index: Any) -> Any:
        v = self.toHost()[index]
        return v.tolist() if isinstance(v, np.generic) else v

    def __setitem__(self, index: Any, value: Any) -> None:
        self._live()[index] = value

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.toHost() if dtype is None else self.toHost().astype(dtype)

    def __repr__(self) -> str:
        n = "freed" if self._array is None else len(self._array)
        return f"<CudaArray of {self._type}, {n}>"


def _field(array: Any) -> Any:
    """Fields of an array of structs on a device."""
    return lambda f: array._view(array._proto[f])


def _elem(kind: Any) -> Type:
    found = as_type(kind)
    if isinstance(found, Pointer) or found == Void or found.dtype is None:
        raise CudaTypeError(f"an array's elements can't be {found}")
    return found


def as_elements(values: Any, kind: Type) -> np.ndarray:
    """Return a new flat array of the values; CudaTypeError for one that does not fit."""
    if isinstance(values, np.ndarray):
        if not np.can_cast(values.dtype, kind.dtype, "same_kind"):
            raise CudaTypeError(f"an array of {values.dtype} is none of {kind}")
        return np.array(values, kind.dtype, order="C").reshape(-1)
    if isinstance(kind, Struct):
        rows = [
            tuple(v) if not isinstance(v, dict) else tuple(v[f] for f in kind.fields)
            for v in values
        ]
        return np.array(rows, kind.dtype)
    try:
        array = np.array(values)
    except (ValueError, TypeError) as e:
        raise CudaTypeError(f"a list of numbers is needed: {e}") from None
    if array.size and (array.dtype.kind not in "biuf" or array.ndim != 1):
        raise CudaTypeError("a list of numbers is needed, each an int, a float or a bool")
    if array.size and array.dtype.kind == "f" and kind.dtype.kind != "f":
        raise CudaTypeError(f"a list of floats is no array of {kind}")
    if kind.dtype.kind == "i" and array.size:
        info = np.iinfo(kind.dtype)
        if array.min() < info.min or array.max() > info.max:
            raise CudaTypeError(f"a number in the list does not fit in {kind}")
    if kind == Bool and array.size and array.dtype.kind != "b":
        raise CudaTypeError("a list of numbers is no array of bool")
    return array.astype(kind.dtype)
