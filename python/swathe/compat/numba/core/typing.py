# SPDX-License-Identifier: BSD-3-Clause
"""``numba.core.typing.signature``."""

from __future__ import annotations

from typing import Any

from ..types import Signature


def signature(return_type: Any, *args: Any, **_: Any) -> Signature:
    """Return a signature."""
    return Signature(return_type, args)


__all__ = ["signature"]
