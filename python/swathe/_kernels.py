# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in C, as functions in `swathe.lib` call them: names for compiled code only."""

# ruff: noqa: D103


def sort(a): ...
def argsort(a, places): ...
