# SPDX-License-Identifier: BSD-3-Clause
"""Numba's settings. ``DISABLE_JIT`` can be set; what `jit` decorates after that is left to Python.
The rest say what is so here."""

from __future__ import annotations

import os

import swathe


def _number_of_threads() -> None:
    """What Numba is told by the environment; how many there are is asked when it is needed."""
    said = os.environ.get("NUMBA_NUM_THREADS", "")
    if said.isdecimal() and int(said) > 0 and "SWATHE_NUM_THREADS" not in os.environ:
        os.environ["SWATHE_NUM_THREADS"] = said
    if said.isdecimal() and 0 < int(said) < swathe.get_num_threads():
        swathe.set_num_threads(int(said))


_number_of_threads()
DISABLE_JIT = int(
    swathe.config.DISABLE_JIT or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
)
NUMBA_NUM_THREADS = NUMBA_DEFAULT_NUM_THREADS = swathe.get_num_threads()
THREADING_LAYER = "default"
THREADING_LAYER_PRIORITY = ["swathe"]
CACHE_DIR = swathe.config.CACHE_DIR
BOUNDSCHECK: int | None = None
OPT = 3
DEBUG = DEBUGINFO_DEFAULT = DEVELOPER_MODE = FULL_TRACEBACKS = 0
ENABLE_CUDASIM = DISABLE_CUDA = DISABLE_PERFORMANCE_WARNINGS = 0
CAPTURED_ERRORS = "new_style"
IS_WIN32 = IS_OSX = IS_32BITS = MACHINE_BITS_32 = False
MACHINE_BITS = 64


def reload_config() -> None:
    """Read the environment once more."""
    global DISABLE_JIT
    DISABLE_JIT = int(os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"))
