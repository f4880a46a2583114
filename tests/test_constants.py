# SPDX-License-Identifier: BSD-3-Clause
"""Constant ints beyond int64: exact on the way, and an error where they would have to be kept."""

from __future__ import annotations

import random

import numpy as np
import pytest
from diff.harness import expression

import swathe

BIG = ["10**100000", "1 << 100000", "1 << 63", "2**64 - 1", "9223372036854775807 + 1", "~(2**63)",
       "18446744073709551615", "-9223372036854775809", "abs(-9223372036854775808)",
       "pow(10, 30)",
       "x + 9223372036854775808", "x * 2**64", "max(10**30, x)", "(-9223372036854775807 - 1) // -1",
       "np.arange(3)[0] + 10**30", "np.int64(2**63)", "x < 10**400"]  # fmt: skip
FINE = ["2**63 - 1", "2**100 % 7", "(1 << 70) >> 68", "-9223372036854775808", "10**30 == 10**30",
        "float(10**30)", "1.5 * 10**30", "x / 1e3 + 10**30", "10**50 / 10**49", "1 / 10**30",
        "np.uint64(2**64 - 1)", "np.float64(2**70)", "np.float32(3) * 10**30", "2.5 < 10**30", "1e30 < 10**30", "1e30 <= 10**30", "10**30 < 1e30",
        "10**30 >= 1e30", "x * 1e30 <= 10**30", "x * 1e30 > 10**30", "10**23 >= x * 1e23",
        "10**23 > x * 1e23", "x * 1e22 == 10**22",
        "np.uint64(3) * 0xFFFFFFFFFFFFFFFF", "(2**64 - 1) & 0xFFFFFFFF", "-(2**64) >> 3 & 255",
        "np.arange(3.0) * 10**20", "int(2**70 - 2**70 + 4)", "2**70 > 2**69", "bool(2**70)"]  # fmt: skip


@pytest.mark.parametrize("text", BIG)
def test_too_big(text: str) -> None:
    with pytest.raises(OverflowError, match=r"\^"):
        swathe.njit(expression(text, "x"))(1)


@pytest.mark.parametrize("text", FINE)
def test_exact(text: str) -> None:
    f = expression(text, "x")
    want, got = f(1), swathe.njit(f)(1)
    assert type(got) is type(want)
    np.testing.assert_array_equal(got, want)


def test_local_and_global_names() -> None:
    with pytest.raises(OverflowError):
        swathe.njit(expression("a = 2**62\na *= 4\nreturn a", "x"))(1)
    with pytest.raises(OverflowError):
        swathe.njit(expression("a = 2**62\na = a * 4\nreturn a", "x"))(1)
    assert swathe.njit(expression("if False:\n    return 10**30\nreturn x", "x"))(1) == 1
    f = expression("m = 2.0\nm *= 10**25\nreturn m", "x")
    assert swathe.njit(f)(1) == f(1)


def random_text(r: random.Random, depth: int) -> str:
    if depth == 0 or r.random() < 0.15:
        n = r.choice([r.randrange(20), r.getrandbits(r.randrange(1, 130))])
        return f"({n})" if r.random() < 0.7 else f"(-{n})"
    op = r.choice(["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "**", "/", "~", "-u"])
    a = random_text(r, depth - 1)
    if op in ("~", "-u"):
        return f"({op[0]}{a})"
    small = str(r.randrange(9)) if op == "**" else str(r.randrange(150))
    b = small if op in ("<<", ">>", "**") else random_text(r, depth - 1)
    return f"({a} {op} {b})"


def test_random_constants() -> None:
    r = random.Random(7)
    texts = []
    while len(texts) < 150:
        text = random_text(r, 3)
        try:
            value = eval(text)
        except (ZeroDivisionError, TypeError, OverflowError):
            continue
        if isinstance(value, int) and abs(value) >= 2**2040:
            continue
        texts.append((text, value))
    fits = [(t, v) for t, v in texts if isinstance(v, float) or -(2**63) <= v < 2**63]
    exact = [t for t, v in fits if isinstance(v, int)]
    assert len(exact) > 20
    for k in range(0, len(fits), 50):
        part = fits[k : k + 50]
        f = expression("(" + ", ".join(t for t, _ in part) + ",)", "x")
        assert [repr(v) for v in swathe.njit(f)(1)] == [repr(v) for _, v in part]
    for text, _ in [p for p in texts if p not in fits][:15]:
        with pytest.raises(OverflowError):
            swathe.njit(expression(text, "x"))(1)
