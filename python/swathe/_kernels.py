# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in C, as `swathe.lib` calls them in compiled code: rows of `def/kernel.def`."""

from typing import Any


def __getattr__(name: str) -> Any:
    """What stands for a kernel in Python: nothing that can be called."""
    if name.startswith("__"):
        raise AttributeError(name)
    return f"the kernel {name}"
