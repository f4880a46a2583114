# SPDX-License-Identifier: BSD-3-Clause
"""What a reduction has come to, under another name: in a chunk of the loop it is not what the
whole loop has come to. So it may not be kept, stored or asked: refused, or run in order."""

from __future__ import annotations

import itertools
import types

import numpy as np
import pytest
from harness import ORACLE, define

import swathe
from swathe import errors

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")

N = 100_000
OPS = {
    "s + x[i]": 0,
    "x[i] + s": 1.5,
    "s - x[i]": 1.5,
    "max(s, x[i])": 1.5,
    "s | (int(x[i]) << i % 40)": 0,
    "s and x[i] < 9": True,
    "s or x[i] > 9": False,
    "s + x[i] if x[i] > 1 else s": 0.5,
    "x[i] if x[i] > s else s": 0.5,
}
FORMS = [
    "t = {e}; s = t",
    "t = {e}; u = t; s = u",
    "t = s; s = {e}",
    "s = {e}; t = s",
    "s, t = {e}, s",
    "for j in range(2):\n  t = {e}; s = t",
    "if x[i] > 2:\n  t = {e}; s = t",
    "t = s\nif x[i] > 2:\n  t = {e}\ns = t",
]
SHORT = [
    "t = s\nif t:\n  t = x[i] < 9\ns = t",
    "t = s\nif not t:\n  t = x[i] > 9\ns = t",
]
KEPT = ["pass", "b[i] = t", "c += t > 3"]


def made(form, start, kept, loop, returned):
    body = "\n".join(f"    {line}" for line in f"{form}\n{kept}".split("\n"))
    text = f"""
from swathe import prange

def f(x, b):
  s = {start}
  t = {start}
  u = {start}
  c = 0
  for i in {loop}(len(x)):
{body}
  return s, {returned}, c
"""
    f = define(text, "f")
    return f, types.FunctionType(f.__code__, {**f.__globals__, "prange": range})


def programs():
    for (e, start), form, kept in itertools.product(OPS.items(), FORMS, KEPT):
        yield form.format(e=e), start, kept
    for form, kept in itertools.product(SHORT, KEPT):
        yield form, form.startswith("t = s\nif t"), kept


@pytest.mark.parametrize("returned", ["t", "0"])
@pytest.mark.parametrize("loop", ["prange", "range"])
def test_partial(loop, returned):
    """Some are reductions all the same, and must come out right; the others are refused."""
    x = np.arange(N) % 7 * 1.0
    x[N // 3] = 9.5
    few = x[:70]  # what Python can run quickly
    ran = 0
    for form, start, kept in programs():
        f, plain = made(form, start, kept, loop, returned)
        compiled = swathe.njit(f, parallel=True)
        for a in (few, x) if "pass" not in kept or ran % 5 == 0 else (x,):
            got_b, want_b = np.zeros(len(a)), np.zeros(len(a))
            try:
                got = compiled(a, got_b)
            except errors.CompileError:
                assert loop == "prange"
                break
            ran += 1
            want = plain(a, want_b)
            np.testing.assert_allclose(got, want, rtol=1e-12, err_msg=f"{form}\n{kept}")
            np.testing.assert_array_equal(got_b, want_b, err_msg=f"{form}\n{kept}")
    assert ran > 200 if loop == "range" else (ran > 40) == (returned == "0")
