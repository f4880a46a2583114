# SPDX-License-Identifier: BSD-3-Clause
"""``llvmlite``, as far as intrinsics of Numba's programs name it: types of LLVM."""

from __future__ import annotations

from . import ir

__all__ = ["ir"]
