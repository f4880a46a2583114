# SPDX-License-Identifier: BSD-3-Clause
"""Semirings: two operations in the places of + and *.

One has a name of two, as ``min.plus``. The branches on it are decided when a function is compiled.
"""

from __future__ import annotations

import numpy as np

from .. import njit
from ..lib.shapes import _common

NAMES = (
    "plus.times", "min.plus", "max.plus", "min.times", "max.times", "min.max", "max.min", "or.and",
)  # fmt: skip


@njit
def kind_of(ring, A, B):
    """The dtype of a product's elements."""
    if ring == "or.and":
        return np.dtype(np.bool_)
    else:
        return _common((A, B)).dtype


@njit
def identity(ring, kind):
    """What the first operation leaves out: the element where there is no term."""
    if ring == "plus.times" or ring == "or.and":
        return kind.type(0)
    elif kind.kind == "f":
        least = ring == "min.plus" or ring == "min.times" or ring == "min.max"
        return kind.type(np.inf if least else -np.inf)
    elif kind.kind == "i" or kind.kind == "u":
        if ring == "min.plus" or ring == "min.times" or ring == "min.max":
            return np.full(1, np.iinfo(kind).max, kind)[0]
        else:
            return np.full(1, np.iinfo(kind).min, kind)[0]
    else:
        raise TypeError("min and max of a semiring are of integers and real numbers")


@njit
def check(ring):
    """Raise unless there is such a semiring."""
    if ring not in NAMES:
        raise ValueError(
            "semiring is one of plus.times, min.plus, max.plus, min.times, max.times, min.max, "
            "max.min, or.and"
        )
