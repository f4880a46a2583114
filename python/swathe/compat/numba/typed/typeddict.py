# SPDX-License-Identifier: BSD-3-Clause
"""``numba.typed.Dict``, by its own path."""

from __future__ import annotations

from . import Dict

__all__ = ["Dict"]
