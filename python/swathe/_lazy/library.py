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


def _complex(f: Any) -> Any:
    """Return a function that yields complex numbers where NumPy's does if it needs them only."""

    def called(x: Any) -> Any:
        found, kind = f(x), np.result_type(x, np.complex64)
        if isinstance(found, tuple):
            return tuple([part.astype(kind, copy=False) for part in found])
        return found.astype(kind, copy=False)

    return called


_OURS = {f"linalg.{name}": _complex(getattr(np.linalg, name)) for name in ("eig", "eigvals")}


def _numpy(name: str) -> Any:
    if name in _OURS:
        return _OURS[name]
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part)
    return found
