# SPDX-License-Identifier: BSD-3-Clause
"""Numba's ufuncs: their decorators, their classes to ask with isinstance, and their identities."""

from __future__ import annotations

from swathe import (
    get_num_threads,
    get_parallel_chunksize,
    get_thread_id,
    set_num_threads,
    set_parallel_chunksize,
    threading_layer,
)

from ..._jit import guvectorize, vectorize

PyUFunc_Zero, PyUFunc_One, PyUFunc_None, PyUFunc_ReorderableNone = 0, 1, -1, -2

__all__ = [
    "PyUFunc_None",
    "PyUFunc_One",
    "PyUFunc_ReorderableNone",
    "PyUFunc_Zero",
    "get_num_threads",
    "get_parallel_chunksize",
    "get_thread_id",
    "guvectorize",
    "set_num_threads",
    "set_parallel_chunksize",
    "threading_layer",
    "vectorize",
]
