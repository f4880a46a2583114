# SPDX-License-Identifier: BSD-3-Clause
"""Methods of Python's classes as functions, and what stands for two calls."""

from swathe.lib.dict import _dict_first
from swathe._objects import at


def fromkeys(iterable, value=None):
    """dict.fromkeys"""
    return {k: value for k in iterable}


def first(x):
    """next(iter(x))"""
    if isinstance(x, (dict, set)):
        if len(x) > 0:
            return at(x, 1, _dict_first(x))
    else:
        for v in x:
            return v
    raise StopIteration
