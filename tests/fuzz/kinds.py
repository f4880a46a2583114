# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of random programs: how each is made and judged."""

from __future__ import annotations

import importlib
from typing import Protocol

from .judge import Verdict


class Kind(Protocol):
    """What a module of a kind has."""

    def text(self, seed: int) -> str: ...
    def verdict(self, text: str, seed: int, mode: str = "") -> Verdict: ...


NAMES = ("functions", "loops", "mutants", "texts", "machine", "kernels", "nests", "scalars", "rows",
         "containers", "forms", "effects", "flows", "indices", "classes", "lazy",
         "prims", "views", "callables", "inplace", "objects", "tables", "places",
         "contexts", "histories")  # fmt: skip


def kind(name: str) -> Kind:
    return importlib.import_module(f".{name}", __package__)
