# SPDX-License-Identifier: BSD-3-Clause
"""Finds the NumPy functions that are written in Python, in `swathe.lib`."""

from __future__ import annotations

import os
import types
from importlib import import_module


def functions() -> dict[str, types.FunctionType]:
    """Return every function defined in a module of `swathe.lib`, by name."""
    found: dict[str, types.FunctionType] = {}
    folder = os.path.join(os.path.dirname(__file__), "lib")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py") and name != "__init__.py":
            module = import_module("swathe.lib." + name[:-3])
            for key, value in vars(module).items():
                if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
                    found[key] = value
    return found
