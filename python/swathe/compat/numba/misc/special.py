# SPDX-License-Identifier: BSD-3-Clause
"""Names of ``numba.misc.special``, by their old path."""

from __future__ import annotations

from .. import literal_unroll, literally, pndindex, prange, typeof

__all__ = ["literal_unroll", "literally", "pndindex", "prange", "typeof"]
