# SPDX-License-Identifier: BSD-3-Clause
"""Types of dtypes and dtypes of types: ``numba.np.numpy_support``."""

from __future__ import annotations

from typing import Any

import numpy as _np

from .. import from_dtype, types


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


__all__ = ["as_dtype", "from_dtype", "is_nonelike"]
