# SPDX-License-Identifier: BSD-3-Clause
"""What ufuncs are called with: outputs, axes and options, checked as NumPy checks them."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from ._device_array import DeviceArray
from ._host_array import HostArray

CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


# ---- options -----------------------------------------------------------------------------


def check_casting(casting: Any) -> str:
    """Return the name of a rule of NumPy's for casts."""
    if casting not in CASTINGS:
        said = ", ".join(map(repr, CASTINGS))
        raise ValueError(f"casting must be one of {said} (got {casting!r})")
    return casting


def check_order(order: Any) -> str:
    """Return how a result is to lie, as one letter."""
    said = "K" if order is None else order
    if not isinstance(said, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if said.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return said.upper()


def check_subok(subok: Any) -> bool:
    """Return whether subclasses of arrays are kept."""
    if not isinstance(subok, (bool, np.bool_)):
        raise TypeError("'subok' must be a boolean")
    return bool(subok)


def mask_of(where: Any) -> np.ndarray | None:
    """Return which elements are computed, None for all."""
    if where is True:
        return None
    mask = where if isinstance(where, np.ndarray) else np.asarray(where, bool)
    if not np.can_cast(mask.dtype, np.bool_):
        raise TypeError(
            f"Cannot cast array data from {mask.dtype!r} to {np.dtype(bool)!r} according to the "
            "rule 'safe'"
        )
    return mask.astype(bool, copy=False)


# ---- casts -------------------------------------------------------------------------------


def _exceptions() -> Any:
    try:
        from numpy._core import _exceptions
    except ImportError:
        from numpy.core import _exceptions
    return _exceptions


def check_input_cast(f: Any, k: int, a: np.dtype, to: np.dtype, casting: str) -> None:
    """Raise NumPy's error if argument k may not be converted."""
    if not np.can_cast(a, to, casting):
        raise _exceptions()._UFuncInputCastingError(f, casting, a, to, k)


def check_output_cast(f: Any, k: int, made: np.dtype, to: np.dtype, casting: str) -> None:
    """Raise NumPy's error if result k may not be converted to what an output holds."""
    if not np.can_cast(made, to, casting):
        raise _exceptions()._UFuncOutputCastingError(f, casting, made, to, k)


# ---- outputs -----------------------------------------------------------------------------


def outputs(f: Any, out: Any) -> list[Any]:
    """Return an array or None for each result."""
    if out is None:
        return [None] * f.nout
    if isinstance(out, tuple):
        if len(out) != f.nout:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
    elif f.nout > 1:
        raise TypeError("'out' must be a tuple of arrays")
    outs = list(out) if isinstance(out, tuple) else [out]
    for o in outs:
        if o is None:
            continue
        if not isinstance(o, (np.ndarray, DeviceArray)):
            raise TypeError("return arrays must be of ArrayType")
        if isinstance(o, np.ndarray) and not o.flags.writeable:
            raise ValueError("output array is read-only")
    return outs


def give(result: np.ndarray, out: Any) -> Any:
    """Put a result into an output of its shape, and return that."""
    if isinstance(out, DeviceArray):
        whole = np.broadcast_to(result, out.shape)
        out.copy_to_device(np.ascontiguousarray(whole.astype(out.dtype)))
    else:
        out[...] = result
    return out


# ---- axes --------------------------------------------------------------------------------


def axis_of(axis: Any, ndim: int) -> int:
    """Return an axis counted from the first."""
    k = operator.index(axis)
    if not -ndim <= k < ndim:
        raise np.exceptions.AxisError(k, ndim)
    return k % ndim


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes that `reduce` goes along."""
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, tuple):
        one = operator.index(axis)
        return () if ndim == 0 and one in (0, -1) else (axis_of(one, ndim),)
    axes = tuple(axis_of(k, ndim) for k in axis)
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


# ---- layouts -----------------------------------------------------------------------------


def _forward(a: np.ndarray) -> np.ndarray:
    """The same memory with no axis that runs backwards."""
    return a[tuple(slice(None, None, -1 if s < 0 else 1) for s in a.strides)]


def empty(shape: tuple[int, ...], dtype: np.dtype, order: str, arrays: list[Any]) -> np.ndarray:
    """Return an array for a result, that lies as NumPy's would, for arguments that do so."""
    arrays = [a for a in arrays if getattr(a, "ndim", 0)]
    if order == "A":
        order = "F" if arrays and all(a.flags.fnc for a in arrays) else "C"
    if order != "K" or all(a.flags.c_contiguous for a in arrays):
        return np.empty(shape, dtype, order="F" if order == "F" else "C")
    made = np.nditer(
        [*map(_forward, arrays), None],
        flags=["zerosize_ok", "refs_ok"],
        op_flags=[["readonly"]] * len(arrays) + [["writeonly", "allocate", "no_subtype"]],  # type: ignore[list-item]
        op_dtypes=[None] * len(arrays) + [dtype],
        order="K",
    ).operands[-1]
    return made if made.shape == shape else np.empty(shape, dtype)


def outer_first(a: np.ndarray) -> tuple[int, ...]:
    """Return the axes in the order in which they lie in memory."""
    return tuple(sorted(range(a.ndim), key=lambda k: -abs(a.strides[k])))


# ---- subclasses --------------------------------------------------------------------------


def plain(a: Any) -> Any:
    """An argument as the compiled loop takes it: no subclass of arrays of somebody else's."""
    if isinstance(a, np.ndarray) and type(a) not in (np.ndarray, HostArray):
        return a.view(HostArray if isinstance(a, HostArray) else np.ndarray)
    return a


def wrapped(f: Any, args: tuple[Any, ...], result: np.ndarray) -> Any:
    """A result as the subclass that the arguments have, as they say it themselves."""
    kinds = [
        a for a in args if isinstance(a, np.ndarray) and type(a) not in (np.ndarray, HostArray)
    ]
    if not kinds:
        return result
    by = max(kinds, key=lambda a: a.__array_priority__)
    context = (f, args, 0)
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        return by.__array_wrap__(result, context)
    return by.__array_wrap__(result, context, result.ndim == 0)


# ---- operands that do it themselves --------------------------------------------------------------


def _own_ways(operands: list[Any]) -> list[Any]:
    """Return the operands whose classes say what a ufunc is to them, in the order to ask them."""
    found: list[Any] = []
    for a in operands:
        kind = type(a)
        way = getattr(kind, "__array_ufunc__", None)
        if way is None or way is np.ndarray.__array_ufunc__ or kind in map(type, found):
            continue
        before = (k for k, b in enumerate(found) if issubclass(kind, type(b)))
        found.insert(next(before, len(found)), a)
    return found


def asks_first(method: Any) -> Any:
    """Let a method of a ufunc be done by operands with an `__array_ufunc__` of their own."""

    @functools.wraps(method)
    def ask(self: Any, *args: Any, **options: Any) -> Any:
        out = options.get("out")
        outs = out if isinstance(out, tuple) else () if out is None else (out,)
        asked = _own_ways([*args, *outs])
        if not asked:
            return method(self, *args, **options)
        name = "__call__" if method.__name__ == "_call" else method.__name__
        if name == "__call__":
            args, outs = args[: self.nin], args[self.nin :] or outs
        if outs:
            options["out"] = outs
        for a in asked:
            found = a.__array_ufunc__(self, name, *args, **options)
            if found is not NotImplemented:
                return found
        kinds = ", ".join(repr(type(a).__name__) for a in asked)
        raise TypeError(
            f"operand type(s) all returned NotImplemented from __array_ufunc__({self!r}, "
            f"{name!r}, ...): {kinds}"
        )

    return ask
