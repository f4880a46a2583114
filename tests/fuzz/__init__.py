# SPDX-License-Identifier: BSD-3-Clause
"""Fuzzers: random programs, a judge that compares compiled code with CPython, and a reducer.

A program is the text of one module with a function `fuzzed` and a function `inputs` that yields
its arguments, so that text alone says what was run: it is generated, judged, reduced and printed
as such. ``python -m fuzz KIND`` (from tests/) runs many; see `fuzz.__main__`.
"""

import os
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
for folder in (TESTS.parent / "tools", TESTS / "grid", TESTS / "diff", TESTS):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
os.environ.setdefault("SWATHE_NUM_THREADS", "7")  # before the pool is made
