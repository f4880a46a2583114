# SPDX-License-Identifier: BSD-3-Clause
"""What the makers of random programs share: choices by one seed, fresh names, lines of text."""

from __future__ import annotations

import random
from typing import Any


class Draws:
    """A maker sets `r`, and `count`, `depth` and `lines` where it uses them."""

    INDENT = "    "
    r: random.Random
    count: int
    depth: int
    lines: list[str]

    def pick(self, *options: Any) -> Any:
        return self.r.choice(options)

    def chance(self, p: float) -> bool:
        return self.r.random() < p

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def add(self, line: str) -> None:
        self.lines.append(self.INDENT * self.depth + line)
