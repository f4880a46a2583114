# SPDX-License-Identifier: BSD-3-Clause
"""The class of ufuncs, to ask with isinstance."""

from __future__ import annotations

from swathe._vectorize import Ufunc as DUFunc

__all__ = ["DUFunc"]
