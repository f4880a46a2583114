# SPDX-License-Identifier: BSD-3-Clause
"""Library calls: nodes that are no expression, at which a graph is cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Functions of the operands, of what the node knows, and of its values.
CALLS: dict[str | None, Callable[[list[Any], tuple, tuple], Any]] = {
    "item": lambda x, par, vals: x[0][par[0]],
    "numpy": lambda x, par, vals: _quiet(_numpy(par[0]), x, par, vals),
}


def _quiet(f: Any, x: list[Any], par: tuple, vals: tuple) -> Any:
    with np.errstate(all="ignore"):
        return f(*x, *vals, **dict(par[1]))


def _numpy(name: str) -> Any:
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part)
    return found
