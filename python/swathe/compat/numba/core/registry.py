# SPDX-License-Identifier: BSD-3-Clause
"""The class of compiled functions, to ask with isinstance."""

from __future__ import annotations

from swathe._core import Dispatcher as CPUDispatcher

__all__ = ["CPUDispatcher"]
