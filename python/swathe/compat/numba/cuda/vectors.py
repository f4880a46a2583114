# SPDX-License-Identifier: BSD-3-Clause
"""CUDA's short vectors: ``float32x4``, also ``float4``, with elements x, y, z, w.

>>> from swathe.compat.numba import cuda
>>> cuda.float4(1, 2, 3, 4).z
np.float32(3.0)
>>> cuda.float4(cuda.float2(1, 2), 3, 4).x
np.float32(1.0)

A vector is made of numbers and of other vectors, and is a tuple: it can be kept in a
variable, given to functions, returned and indexed.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np


def _parts(p):
    return tuple(p) if isinstance(p, tuple) else (p,)


def _vectors(dtype: str) -> list[Any]:
    """The constructors of vectors of 1 to 4 elements of a type."""
    item = getattr(np, dtype)
    _One, _Two, _Three, _Four = (  # noqa: N806
        namedtuple(f"{dtype}x{n}", list("xyzw"[:n])) for n in range(1, 5)
    )

    def one(x):
        (a,) = _parts(x)
        return _One(item(a))

    def two(*parts):
        a, b = _joined(parts)
        return _Two(item(a), item(b))

    def three(*parts):
        a, b, c = _joined(parts)
        return _Three(item(a), item(b), item(c))

    def four(*parts):
        a, b, c, d = _joined(parts)
        return _Four(item(a), item(b), item(c), item(d))

    return [one, two, three, four]


def _joined(parts):
    if len(parts) == 1:
        return _parts(parts[0])
    if len(parts) == 2:
        return _parts(parts[0]) + _parts(parts[1])
    if len(parts) == 3:
        return _parts(parts[0]) + _parts(parts[1]) + _parts(parts[2])
    return parts


_ALIASES = {
    "int8": "char",
    "int16": "short",
    "int32": "int",
    "int64": "long longlong",
    "uint8": "uchar",
    "uint16": "ushort",
    "uint32": "uint",
    "uint64": "ulong ulonglong",
    "float32": "float",
    "float64": "double",
}


def _all() -> dict[str, Any]:
    names: dict[str, Any] = {}
    for dtype, aliases in _ALIASES.items():
        for n, f in enumerate(_vectors(dtype), 1):
            f.__name__ = f.__qualname__ = f"{dtype}x{n}"
            names[f"{dtype}x{n}"] = f
            names |= {f"{alias}{n}": f for alias in aliases.split()}
    return names


NAMES = _all()
