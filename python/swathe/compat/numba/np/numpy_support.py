# SPDX-License-Identifier: BSD-3-Clause
"""Types of dtypes and dtypes of types: ``numba.np.numpy_support``."""

from __future__ import annotations

from typing import Any

import numpy as _np

from .. import carray, farray, from_dtype, types

numpy_version = tuple(map(int, _np.__version__.split(".")[:2]))


def as_dtype(type: Any) -> _np.dtype:  # noqa: A002
    """Return the dtype of numbers of a type, or of arrays of them.

    Raises
    ------
    NumbaNotImplementedError
        NumPy has none.
    """
    from ..core.errors import NumbaNotImplementedError

    of = type.dtype if isinstance(type, types.Array) else type
    if not isinstance(of, types.Scalar):
        raise NumbaNotImplementedError(f"{type} cannot be represented as a NumPy dtype")
    return _np.dtype(of._swathe_dtype)


def is_nonelike(type: Any) -> bool:  # noqa: A002
    """Return whether it is the type of None."""
    return type is None or type == types.none or isinstance(type, types.Omitted)


def map_arrayscalar_type(val: Any) -> Any:
    """Return the type of a number of NumPy's.

    Raises
    ------
    NotImplementedError
        It is none.
    """
    if not isinstance(val, _np.generic):
        raise NotImplementedError(f"no corresponding numpy dtype for {type(val)}")
    return from_dtype(val.dtype)


def type_can_asarray(arr: Any) -> bool:
    """Return whether np.asarray takes values of a type."""
    kinds = (types.Array, types.Sequence, types.Tuple, types.Number, types.Boolean)
    return isinstance(arr, kinds)


def type_is_scalar(typ: Any) -> bool:
    """Return whether it is a type of numbers, dates or text."""
    kinds = (types.Boolean, types.Number, types.UnicodeType, types.NPDatetime, types.NPTimedelta)
    return isinstance(typ, kinds)


__all__ = [
    "as_dtype",
    "carray",
    "farray",
    "from_dtype",
    "is_nonelike",
    "map_arrayscalar_type",
    "numpy_version",
    "type_can_asarray",
    "type_is_scalar",
]
