# SPDX-License-Identifier: BSD-3-Clause
"""Reductions: ``parpy.reduce.sum(x[:])``; and ``parpy.reduce()``, for a schedule."""

import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any

from numpy import max, min, prod, sum  # noqa: A004

from swathe.schedule import reduce as _reduce

__all__ = ["max", "min", "prod", "sum"]


class _Module(_ModuleType):
    """A module that can be called, since ParPy has had both under this name."""

    def __call__(self) -> Any:
        """Allow a loop's sums to be combined in another order."""
        return _reduce()


_sys.modules[__name__].__class__ = _Module
