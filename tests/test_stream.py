# SPDX-License-Identifier: BSD-3-Clause
"""How wide the vectors are of loops that wait for memory, on a processor for which it matters.

The code is compiled, for a processor that need not be here, and not run."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np, swathe
def triad(a, b, c):
    for i in range(a.size):
        a[i] = b[i] + 3.0 * c[i]
def stencil(a, b, c):
    for i in range(1, a.size - 1):
        a[i] = b[i - 1] + b[i] + b[i + 1]
def narrow(a, b, c):
    for i in range(a.size):
        a[i] = b[i] ^ c[i]
def root(a, b, c):
    for i in range(a.size):
        a[i] = np.sqrt(b[i]) + c[i]
def total(a, b, c):
    t = 0.0
    for i in range(b.size):
        t += b[i] * c[i]
    a[0] = t
x = np.zeros(4, {dtype!r})
swathe.print_compiled(swathe.njit(cache=False, fastmath=True)({name}), [x, x, x])
"""


@pytest.mark.parametrize(
    ("name", "dtype", "cpu", "narrow"),
    [
        ("triad", "f8", "znver4", True),
        ("triad", "f4", "znver4", True),
        ("triad", "f8", "sapphirerapids", False),
        ("stencil", "f8", "znver4", False),
        ("narrow", "u1", "znver4", False),
        ("root", "f8", "znver4", False),
        ("total", "f8", "znver4", False),
    ],
)
def test_width(name: str, dtype: str, cpu: str, narrow: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(name=name, dtype=dtype)],
        env={**os.environ, "SWATHE_CPU": cpu, "SWATHE_DUMP": "llvm", "SWATHE_CACHE_SIZE": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "define i32 @swathe_entry" in done.stderr
    assert ('"prefer-vector-width"="256"' in done.stderr) == narrow
