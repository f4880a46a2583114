# SPDX-License-Identifier: BSD-3-Clause
"""A number that is a bool on one path and an int on another: what has one dtype for both is
computed, what NumPy would make of the dtype is refused, and never guessed."""

from __future__ import annotations

import re

import numpy as np
import pytest
from harness import ORACLE, check, define

import swathe
from swathe.errors import TypingError

MAKES = ("min(n > 0, 3)", "n > 0 or 3", "(n > 0) if n else 3")
REFUSED = """
np.full(3, v); np.array([v]); np.array([v, True]); np.array([(v, v)]); np.array(v); np.asarray(v)
np.sin(v); np.add(b, v); np.add(v, v); np.multiply(v, True); np.maximum(v, False); np.minimum(b, v)
np.abs(v); np.sqrt(v); np.where(b, v, True); np.clip(b, v, v); np.round(v); np.dot(b, v)
np.stack((v, v)); np.concatenate((b, np.array([v]))); np.zeros(v); np.sign(v)
b + v; v - b; b * v; b & v; v | b; b ** v; b // v
np.bool_(True) + v; np.bool_(True) ^ v; v & True; v | v; True ^ v
"""
ONE = """
a + v; v * a; a ** v; a & v; np.ones(2, np.int8) * v; np.uint8(3) + v
v + 1; -v; v + v; v / 2; v & 3; v * 2.5; b / v
b == v; v < b; np.add(a, v); np.add(v, 2.5); np.equal(b, v); np.isnan(v); np.array([v], np.float32)
np.array([v, 2.5]); np.full(2, v, np.int8); np.full_like(b, v); np.full_like(a, v); np.int64(v)
np.bool_(v); np.float32(v); np.zeros(2) + v; np.arange(v); np.linspace(0, v, 3); a.sum(initial=v)
np.roll(a, v); a[:v]; a[v:] * v
"""


def forms(text: str) -> list[str]:
    return [t.strip() for t in re.split("[;\n]", text) if t.strip()]


def made(form: str, of: str) -> object:
    return define(f"def f(a, b, n):\n    v = {of}\n    return {form}\n")


ARRAYS = np.array([3, 4]), np.array([True, False])


@pytest.mark.skipif(ORACLE, reason="compiles")
@pytest.mark.parametrize("form", forms(REFUSED))
def test_two_dtypes_are_refused(form: str) -> None:
    for of in MAKES[: 3 if "np.full" in form or "b + v" in form else 1]:
        with pytest.raises(TypingError, match="an int on some paths, and a bool on others") as e:
            swathe.njit(made(form, of))(*ARRAYS, 4)
        assert "bool(...) or int(...)" in str(e.value)


@pytest.mark.parametrize("form", forms(ONE))
def test_one_dtype(form: str) -> None:
    for n in (4, 0, -1):
        check(made(form, MAKES[0]), *ARRAYS, n)


def test_in_place() -> None:
    def stored(a, b, n):
        v = min(n > 0, 3)
        a += v
        a[0] = v
        b[1] = v
        b.fill(v)
        return a, b

    check(stored, *ARRAYS, 4)
