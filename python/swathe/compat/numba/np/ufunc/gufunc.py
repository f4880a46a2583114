# SPDX-License-Identifier: BSD-3-Clause
"""The class of generalised ufuncs, to ask with isinstance."""

from __future__ import annotations

from swathe._guvectorize import GUfunc as GUFunc

__all__ = ["GUFunc"]
