# SPDX-License-Identifier: BSD-3-Clause
"""scipy.sparse.csgraph, where graphs that are results are those of swathe.sparse."""

from __future__ import annotations

from typing import Any

from . import _forwarded


def __getattr__(name: str) -> Any:
    return _forwarded("csgraph", name, globals())
