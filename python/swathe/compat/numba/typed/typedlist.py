# SPDX-License-Identifier: BSD-3-Clause
"""``numba.typed.List``, by its own path."""

from __future__ import annotations

from . import List

__all__ = ["List"]
