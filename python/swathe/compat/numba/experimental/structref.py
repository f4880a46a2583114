# SPDX-License-Identifier: BSD-3-Clause
"""``numba.experimental.structref``: refused by name, for its types are Numba's own."""

from __future__ import annotations

from typing import Any


class StructRefProxy:
    """What classes of structures derive from in Numba."""


def register(*_: Any, **__: Any) -> Any:
    """Raise: fields of any type are Numba's own."""
    raise NotImplementedError(
        "numba.experimental.structref is for Numba's own passes: write a dataclass with the types "
        "of its fields, or a jitclass"
    )


define_proxy = define_boxing = define_attributes = define_constructor = register
__all__ = ["StructRefProxy", "define_proxy", "register"]
