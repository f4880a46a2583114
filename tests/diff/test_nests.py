# SPDX-License-Identifier: BSD-3-Clause
"""Nests like a matrix product, in every form that nests.py knows of: bit for bit what CPython
gets. SWATHE_FUZZ tells how many random ones there are."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import nests
import numpy as np
import pytest
from harness import define

import swathe
from swathe.errors import CompileError

sys.path.insert(0, str(Path(__file__).parent.parent))
from races.judge import copied  # noqa: E402

HEAD = "from swathe import prange  # {}\n\n\n"
MODES = {
    "parallel": ("range(n)", {"parallel": True}),
    "prange": ("prange(n)", {}),
    "both": ("prange(n)", {"parallel": True}),
}


def same(x, y):
    return x is y or np.array_equal(np.asarray(x), np.asarray(y), equal_nan=True)


def run(f, args):
    with np.errstate(all="ignore"):
        try:
            return f(*args), None
        except Exception as e:
            return None, e


def check(text, args, options):
    """Returns whether both ran, and whether the nest was tiled."""
    f = define(HEAD.format(len(options)) + text, "f")
    want, got = copied(args), copied(args)
    result, error = run(f, want)
    g = swathe.njit(cache=False, **options)(f)
    mine, raised = run(g, got)
    if isinstance(raised, (CompileError, OverflowError)):  # a race, complex numbers compared, ..
        return False, False
    assert type(raised) is type(error), text
    if error:
        return False, False
    assert same(result, mine), text
    for x, y in zip(want, got, strict=True):
        assert same(x, y), text
    return True, "[tile] tiled" in str(g.explain())


def around(start, scalar):
    step, end = ("s", ["c[i, j] = s"]) if scalar else ("c[i, j]", [])
    lines = ["n, m = c.shape", "p = b.shape[0]", "x = 0.75", "y = 1.5"]
    lines += ["for i in RANGE:", "    for j in range(m):", *nests.indent(start, 2)]
    lines += ["        for k in range(p):", f"            {step} += a[i, k] * b[k, j]"]
    lines += nests.indent(end, 2)
    return "def f(c, a, b, d, v, w, beta):\n" + "\n".join(nests.indent(lines, 1)) + "\n"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scalar", [False, True])
@pytest.mark.parametrize("start", nests.STARTS)
def test_what_a_sum_starts_from(start, scalar, mode):
    lines = nests.STARTS[start]
    if scalar:  # the same, of a scalar that becomes the element
        lines = [
            *(k.replace("c[i, j] =", "s =").replace("c[i, j] *=", "s = c[i, j] *") for k in lines)
        ]
        lines = lines if any(k.startswith("s =") for k in lines) else ["s = c[i, j]", *lines]
    ranges, options = MODES[mode]
    text = around(lines, scalar).replace("RANGE", ranges)
    gen = np.random.default_rng(3)
    shapes = (40, 40), (40, 9), (9, 40), (40, 40), (40,), (40,)
    args = tuple(np.round(gen.standard_normal(k) * 3, 3) for k in shapes)
    ran, tiled = check(text, (*args, 0.5), options)
    carried = start in ("mirror", "before")
    assert ran or (carried and mode == "both")
    kept = carried or start in ("if", "twice", "chosen", "none")
    assert tiled or kept, "it was tiled"


@pytest.mark.parametrize("seed", range(int(os.environ.get("SWATHE_FUZZ", "60"))))
def test_random_nests(seed):
    rng = random.Random(seed)
    text = nests.nest(rng)
    check(text, nests.operands(rng, text), {"parallel": True})
