# SPDX-License-Identifier: BSD-3-Clause
"""A name that a statement in a loop reads and sets, and nothing has set before: CPython's result or
UnboundLocalError, whatever is done with it afterwards."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import swathe

sys.path.insert(0, str(Path(__file__).resolve().parent / "diff"))
from harness import define  # noqa: E402

READS = (
    "y + 1",
    "h(y)",
    "np.sin(y)",
    "h(1) + y",
    "np.divide(np.where(n, n, 0), 0.0, out=y)",
    "np.where(n, y, 0)",
    "(h(2), y)[1]",
    "x[0] if n > 9 else y",
)
USES = (
    "h(y)",
    "if h(y):\n            n = 1",
    "z = y * 2",
    "x[0] = h(y)",
    "for _ in y:\n            pass",
)
LOOPS = ("for i in range(n):", "for i in x:", "while n > 0:")


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("n", [0, 2])
def test_read_before_it_is_set(loop: str, read: str, n: int) -> None:
    for use in USES:
        body = f"    {loop}\n        y = {read}\n        {use}\n        n -= 1\n    return n\n"
        f = define(f"def h(v):\n    return v\n\n\ndef f(n, x):\n{body}", "f")
        args = n, np.zeros(n)
        try:
            want = f(*args)
        except UnboundLocalError:
            want = UnboundLocalError
        try:
            got = swathe.njit(f)(*args)
        except UnboundLocalError:
            continue  # when it is compiled, or when it runs
        assert got == want, body
