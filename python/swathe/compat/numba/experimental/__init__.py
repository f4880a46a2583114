# SPDX-License-Identifier: BSD-3-Clause
"""Names of ``numba.experimental``."""

from __future__ import annotations

from swathe import jitclass

from . import structref

__all__ = ["jitclass", "structref"]
