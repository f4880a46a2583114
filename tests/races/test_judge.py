# SPDX-License-Identifier: BSD-3-Clause
"""The judge of the random loops, judged by loops whose answer is known."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

sys.path.insert(0, str(Path(__file__).parent.parent))
from races.judge import judge  # noqa: E402

ONES = np.ones(8)
GRID = np.arange(12.0).reshape(4, 3)
HELPERS = "def put(r, x):\n    r[:] = x\n\n\ndef top(r):\n    return r[0]\n\n\n"
CASES = {  # independent, dependent (neither: it may be a reduction)
    "copied": ("a[i] = b[i]", (ONES, ONES), True, False),
    "shared": ("a[i] = b[i]", (np.arange(9.0)[1:], None), False, True),
    "before": ("a[i] = a[i - 1] + 1", (ONES,), False, True),
    "blocks": ("put(a[2 * i:2 * i + 3], i)", (np.ones(20),), False, True),
    "apart": ("put(a[2 * i:2 * i + 2], i)", (np.ones(16),), True, False),
    "rows": ("r = a[i]\n        r += r.sum()", (GRID,), True, False),
    "columns": ("a[:, 0] = i", (GRID,), False, True),
    "flipped": ("np.flip(a)[i] = i", (ONES,), True, False),
    "mirror": ("a[i] = np.flip(a)[i] * 2 + i", (ONES,), False, True),
    "helper": ("a[i] = top(a) * 2 + i", (ONES,), False, True),
    "histogram": ("a[i % 3] += 1", (ONES,), False, False),
    "carried": ("s = s * 2 + i", (ONES,), True, True),
    "summed": ("s += i", (ONES,), True, False),
    "fresh": ("t = np.zeros(2)\n        t[0] = i\n        a[i] = t[0]", (ONES,), True, False),
    "repeated": ("a[i] = i", (as_strided(np.ones(1), (8,), (0,)),), False, True),
}


@pytest.mark.parametrize("name", CASES)
def test_verdict(name):
    body, args, independent, dependent = CASES[name]
    if args[-1] is None:
        args = (args[0], args[0].base[:-1])
    names = "ab"[: len(args)]
    text = f"{HELPERS}def f({', '.join(names)}):\n    s = 0\n    for i in prange(len(a)):\n"
    text += f"        {body}\n    return s\n"
    before = [k.copy() for k in args]
    v = judge(text, "f", args)
    assert v.error is None
    assert v.loops == 1
    assert bool(v.conflicts) != independent or name == "carried"
    assert v.dependent == dependent
    for k, was in zip(args, before, strict=True):
        assert np.array_equal(k, was)
