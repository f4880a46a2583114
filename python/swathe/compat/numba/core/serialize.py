# SPDX-License-Identifier: BSD-3-Clause
"""``numba.core.serialize``, which programs import to pickle what holds compiled functions. Compiled
functions are pickled here as functions are, by their names."""

from __future__ import annotations

from typing import Any

from .errors import NumbaNotImplementedError


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise NumbaNotImplementedError(f"numba.core.serialize.{name} is for Numba's own pickles")
