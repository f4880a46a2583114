# SPDX-License-Identifier: BSD-3-Clause
"""What programs name of ``numba.np.linalg``: LAPACK's routines as Numba calls them, by pointers."""

from __future__ import annotations

from typing import Any

from ..core.errors import NumbaNotImplementedError


class _LAPACK:
    """LAPACK's routines by pointers, which compiled code has none of: each is refused by name."""

    def __getattr__(self, name: str) -> Any:
        raise NumbaNotImplementedError(f"numba.np.linalg's {name} takes pointers: call np.linalg")


class _BLAS(_LAPACK):
    """BLAS's routines, likewise."""


__all__: list[str] = []
