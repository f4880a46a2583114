# SPDX-License-Identifier: BSD-3-Clause
"""Functions whose text no one has: their code has been changed since it was made."""

from __future__ import annotations

from typing import Any


def without_text(text: str, name: str) -> Any:
    """The function `name` that a text defines, under another code than Python makes of it."""
    space: dict[str, Any] = {}
    exec(text.replace(f"def {name}", "def other"), space)
    func = space["other"]
    func.__code__ = func.__code__.replace(co_name=name)
    func.__name__ = func.__qualname__ = name
    return func
