# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: SIM108, SIM110
"""Methods of Python's classes as functions, and what stands for two calls."""

from swathe._objects import at
from swathe.lib.dict import _dict_first


def fromkeys(iterable, value=None):
    """dict.fromkeys"""
    return {k: value for k in iterable}  # noqa: C420 - which is this very function


def first(x):
    """next(iter(x))"""
    if isinstance(x, (dict, set)):
        if len(x) > 0:
            return at(x, 1, _dict_first(x))
    else:
        for v in x:
            return v
    raise StopIteration
