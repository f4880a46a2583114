# SPDX-License-Identifier: BSD-3-Clause
"""``numba.core.caching``, which programs import to change how Numba keeps its files. What is
compiled here is kept by what it is made of, and needs nothing of it."""

from __future__ import annotations

from typing import Any

from .errors import NumbaNotImplementedError


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise NumbaNotImplementedError(f"numba.core.caching.{name} is for Numba's own files")
