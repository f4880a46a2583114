# SPDX-License-Identifier: BSD-3-Clause
"""The dtypes of the array API standard: kinds, promotion, and what Python's numbers become."""

from __future__ import annotations

from typing import Any

import numpy as np

_PYTHON = (bool, int, float, complex)
_BOOL = bool

bool = np.dtype("bool")  # noqa: A001
int8, int16, int32, int64 = (np.dtype(f"int{n}") for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (np.dtype(f"uint{n}") for n in (8, 16, 32, 64))
float32, float64 = np.dtype("float32"), np.dtype("float64")
complex64, complex128 = np.dtype("complex64"), np.dtype("complex128")

SIGNED = (int8, int16, int32, int64)
UNSIGNED = (uint8, uint16, uint32, uint64)
INTEGERS = SIGNED + UNSIGNED
REAL = (float32, float64)
COMPLEX = (complex64, complex128)
ALL = (bool, *INTEGERS, *REAL, *COMPLEX)
NAMES = {d.name: d for d in ALL}

# The kinds of operands that functions take, in the standard's words.
KINDS = {
    "any": ALL,
    "boolean": (bool,),
    "integer": INTEGERS,
    "integer or boolean": (bool, *INTEGERS),
    "real numeric": INTEGERS + REAL,
    "numeric": INTEGERS + REAL + COMPLEX,
    "floating-point": REAL + COMPLEX,
    "real floating-point": REAL,
    "complex floating-point": COMPLEX,
}

# What `isdtype` calls them.
_SAID = {
    "bool": (bool,),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGERS,
    "real floating": REAL,
    "complex floating": COMPLEX,
    "numeric": INTEGERS + REAL + COMPLEX,
}


def checked(dtype: Any) -> np.dtype:
    """Return a dtype of the standard's."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{dtype!r} is no dtype") from None
    if found not in ALL or dtype is None:
        raise TypeError(f"{found} is no dtype of the array API standard: {', '.join(NAMES)}")
    return found.newbyteorder("=") if not found.isnative else found


def _category(dtype: np.dtype) -> str:
    kind = dtype.kind
    return "i" if kind in "iu" else "f" if kind in "fc" else "b"


def promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """Return what two dtypes become together, by the standard's table."""
    if a is b or a == b:
        return a
    if _category(a) != _category(b):
        raise TypeError(
            f"{a} and {b} are of different kinds, and the array API standard does not say what "
            f"they become: convert one with astype"
        )
    found = np.promote_types(a, b)
    if found.kind not in a.kind + b.kind and "u" in (a.kind, b.kind):
        raise TypeError(f"{a} and {b} have no common integer: convert one with astype")
    return found


def weak(value: Any, dtype: np.dtype) -> np.dtype:
    """Return the dtype of what a Python number becomes beside an array of a dtype."""
    kind = type(value)
    if kind is _BOOL and dtype.kind == "b":
        return dtype
    if kind is int and dtype.kind in "iufc" or kind is float and dtype.kind in "fc":
        return dtype
    if kind is complex and dtype.kind in "fc":
        return np.result_type(dtype, complex64)
    if not isinstance(value, _PYTHON):
        raise TypeError(f"{kind.__name__} is neither an array nor a Python number")
    hint = "a number of its kind" if dtype.kind != "b" else "True or False"
    raise TypeError(
        f"a Python {kind.__name__} beside an array of {dtype}: the array API standard wants {hint},"
        " or astype"
    )


def number(value: Any, dtype: np.dtype) -> Any:
    """Return a Python number as a number of a dtype that `weak` has returned."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if not info.min <= value <= info.max:
            raise OverflowError(f"Python integer {value} out of bounds for {dtype}")
    return float(value) if dtype == float64 else dtype.type(value)


def of(x: Any) -> np.dtype | None:
    """Return the dtype of an array or the dtype itself; None for a Python number."""
    found = getattr(x, "dtype", None)
    if isinstance(found, np.dtype):
        return found
    if isinstance(x, _PYTHON):
        return None
    return checked(x)


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    """Return the dtype that arrays, dtypes and Python numbers become together."""
    if not arrays_and_dtypes:
        raise ValueError("result_type() needs an array or a dtype")
    found: np.dtype | None = None
    numbers = []
    for x in arrays_and_dtypes:
        dtype = of(x)
        if dtype is None:
            numbers.append(x)
        else:
            found = dtype if found is None else promote(found, dtype)
    if found is None:
        raise ValueError("result_type() needs an array or a dtype beside Python numbers")
    for x in numbers:
        found = weak(x, found)
    return found


def can_cast(from_: Any, to: Any, /) -> Any:
    """Tell whether values of a dtype, or of an array's, are kept by another."""
    return np.can_cast(of(from_), checked(to))


def isdtype(dtype: Any, kind: Any) -> Any:
    """Tell whether a dtype is of a kind, or of one of several."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    found = np.dtype(dtype)
    if isinstance(kind, str):
        if kind not in _SAID:
            raise ValueError(f"isdtype(): kind is one of {', '.join(_SAID)}, not {kind!r}")
        return found in _SAID[kind]
    return found == checked(kind)


class finfo:  # noqa: N801
    """What a dtype of floats can hold."""

    def __init__(self, type: Any, /) -> None:  # noqa: A002
        dtype = of(type)
        if dtype is None or dtype.kind not in "fc":
            raise TypeError(f"finfo() takes floating-point dtypes and arrays, not {type!r}")
        info = np.finfo(dtype)
        self.bits = int(info.bits)
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.smallest_normal = float(info.smallest_normal)
        self.dtype = np.dtype(info.dtype)

    def __repr__(self) -> str:
        return f"finfo({self.dtype.name}: eps={self.eps}, max={self.max})"


class iinfo:  # noqa: N801
    """What a dtype of integers can hold."""

    def __init__(self, type: Any, /) -> None:  # noqa: A002
        dtype = of(type)
        if dtype is None or dtype.kind not in "iu":
            raise TypeError(f"iinfo() takes integer dtypes and arrays, not {type!r}")
        info = np.iinfo(dtype)
        self.bits, self.max, self.min = int(info.bits), int(info.max), int(info.min)
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"iinfo({self.dtype.name}: min={self.min}, max={self.max})"


def need(name: str, dtype: np.dtype, kind: str) -> None:
    """Raise a TypeError if a function does not take a dtype."""
    if dtype not in KINDS[kind]:
        raise TypeError(f"{name}() takes {kind} arrays, not {dtype}{_hint(dtype, kind)}")


def _hint(dtype: np.dtype, kind: str) -> str:
    if "floating" in kind and dtype.kind in "iub":
        return ": convert it with astype(x, xp.float64)"
    return ""
