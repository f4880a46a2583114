# SPDX-License-Identifier: BSD-3-Clause
"""A float that doesn't fit in an integer gives the same integer, NumPy's for one number on x86-64,
whether the compiler computes it, a loop of vector lanes, the interpreter of the IR, or a device.

Of arrays, NumPy's own vector loops give other numbers to uint32, by the processor.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import gpu

FLOATS = ("f2", "f4", "f8")
INTS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
VALUES = [float("nan"), float("inf"), float("-inf"), -1.0, -1.5, 255.0, 256.0, 300.0, -300.0]
VALUES += [
    s * 2.0**k + d for s in (1, -1) for k in (7, 15, 31, 32, 53, 63) for d in (-1, 0, 0.5, 1)
]
VALUES += [2.0**32 + 5, 2.0**63 + 4096, -(2.0**63) - 4096, 2.0**64, 2.0**64 + 8192, 1e30, -1e30]


def numbers(dtype: str) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.array(VALUES).astype(dtype)


def wanted(a: np.ndarray, to: str) -> np.ndarray:
    """NumPy's cast of one number at a time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([x.astype(to) for x in a], to)


def one(x, like):  # type: ignore[no-untyped-def]
    return x.astype(like.dtype)


def many(a, like):  # type: ignore[no-untyped-def]
    return a.astype(like.dtype)


def each(a, out):  # type: ignore[no-untyped-def]
    for i in range(len(a)):
        out[i] = a[i]


@pytest.mark.parametrize("to", INTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_at_run_time(dtype: str, to: str) -> None:
    a, like = numbers(dtype), np.zeros(1, to)
    want = wanted(a, to)
    for parallel in (False, True):
        got = swathe.njit(many, parallel=parallel)(a, like)
        np.testing.assert_array_equal(got, want)
    compiled = swathe.njit(one)
    np.testing.assert_array_equal([compiled(x, like) for x in a], want)


@pytest.mark.parametrize("to", INTS)
def test_constants(to: str, tmp_path: Any) -> None:
    """By our folding (one expression), and by LLVM's (what it finds out of a loop)."""
    lines = ["import numpy as np", "def folded():", "    return ("]
    lines += [f"        np.float64({float(v)!r}).astype(np.dtype('{to}'))," for v in VALUES]
    lines += ["    )", "def found(a):", f"    out = np.zeros({len(VALUES)}, np.dtype('{to}'))"]
    for i, v in enumerate(VALUES):
        lines += [f"    x = {float(v)!r}", "    for k in range(3):", "        x = x * 1.0"]
        lines += [f"    out[{i}] = np.float64(x).astype(np.dtype('{to}'))"]
    text = "\n".join([*lines, "    return out", ""])
    for name in ("nan", "inf"):
        text = text.replace(f"({name})", f"(np.{name})").replace(f"-{name}", f"-np.{name}")
        text = text.replace(f"= {name}\n", f"= np.{name}\n")
    path = tmp_path / f"casts_{to}.py"
    path.write_text(text)
    space: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), space)
    want = wanted(numbers("f8"), to)
    np.testing.assert_array_equal(swathe.njit(space["folded"])(), want)
    np.testing.assert_array_equal(swathe.njit(space["found"])(1.0), want)


@gpu.jit
def cast_all(a, b, i1, u1, i2, u2, i4, u4, i8, u8):  # type: ignore[no-untyped-def]
    i = gpu.grid(1)
    if i < a.size:
        i1[0, i] = np.int8(a[i])
        u1[0, i] = np.uint8(a[i])
        i2[0, i] = np.int16(a[i])
        u2[0, i] = np.uint16(a[i])
        i4[0, i] = np.int32(a[i])
        u4[0, i] = np.uint32(a[i])
        i8[0, i] = np.int64(a[i])
        u8[0, i] = np.uint64(a[i])
        i1[1, i] = np.int8(b[i])
        u1[1, i] = np.uint8(b[i])
        i2[1, i] = np.int16(b[i])
        u2[1, i] = np.uint16(b[i])
        i4[1, i] = np.int32(b[i])
        u4[1, i] = np.uint32(b[i])
        i8[1, i] = np.int64(b[i])
        u8[1, i] = np.uint64(b[i])


def test_on_a_device(queue: Any) -> None:
    a, b = numbers("f4"), numbers("f8")
    got = [np.zeros((2, len(a)), d) for d in INTS]
    cast_all[2, 64, queue](a, b, *got)
    for x in got:
        np.testing.assert_array_equal(x, [wanted(a, x.dtype), wanted(b, x.dtype)], str(x.dtype))


@gpu.jit
def gather(a, at, out):  # type: ignore[no-untyped-def]
    i = gpu.grid(1)
    if i < at.size:
        k = at[i]
        out[i] = a[k] + a[k % np.uint64(3)] * (k > np.uint64(2)) + a[np.uint64(i)]


@gpu.jit
def reach(a, at):  # type: ignore[no-untyped-def]
    a[at[gpu.grid(1)]] += 1


def test_uint64_indices_on_a_device(queue: Any) -> None:
    a, at = np.arange(10.0, 20.0), np.array([0, 9, 3, 2, 7], np.uint64)
    out, want = np.zeros(5), np.zeros(5)
    gather[1, 8, queue](a, at, out)
    gather[1, 8](a, at, want)
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(out, a[at] + a[at % 3] * (at > 2) + a[:5])


@pytest.mark.parametrize("wrong", [10, 2**63, 2**64 - 1])
def test_a_uint64_index_beyond_the_end(queue: Any, wrong: int) -> None:
    """Above int64 it is no negative index that counts from the end."""
    a, at = np.zeros(10), np.array([wrong], np.uint64)
    for where in ((1, 1), (1, 1, queue)):
        with pytest.raises((IndexError, OverflowError)):
            reach[where](a, at)
            queue.wait()
    np.testing.assert_array_equal(a, np.zeros(10))


@swathe.njit(parallel=True)
def one_place(a, n, x):  # type: ignore[no-untyped-def]
    if n > 0:
        for i in swathe.prange(-n, 0):
            a[i] = int(0.0 - x)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_a_conversion_before_a_loop(n: int) -> None:
    """LLVM moves half of it to another block, where its quick selector doesn't look."""
    a = np.zeros(3, np.int64)
    if n > 3:
        with pytest.raises(IndexError):
            one_place(a, n, 7)
        return
    one_place(a, n, 7)
    np.testing.assert_array_equal(a, np.where(np.arange(3) >= 3 - n, -7, 0))
