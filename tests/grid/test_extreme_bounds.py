# SPDX-License-Identifier: BSD-3-Clause
"""A thread's place against numbers at the ends of int64: the bound that such a test becomes is no
sum that wraps."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

import numpy as np
import pytest

from swathe import gpu

TESTS = (
    "t > n", "t >= n", "t < n", "t <= n", "t == n", "n > t", "n >= t", "n < t", "n <= t", "n == t",
    "t - 3 < n", "t - 3 >= n", "t + 1 > n", "t + 1 <= n", "5 - t > n", "5 - t <= n", "n < 3 - t",
    "i > n", "i < n", "i - 70 == n", "t > 2 and t < n", "t <= n and i > 9",
    "t >= m + 5", "t < m - 5", "t + m < n", "t + m >= n", "i - m > n",
    "i < d - 1", "i <= d - d", "i + 1 < d", "i < d - n", "i >= d + n", "d - 1 > i + n",
    "t < d - m - n",
)  # fmt: skip
KERNEL = """
def kernel(out, n, m):
    t = gpu.threadIdx.x
    i = gpu.grid(1)
    d = out.shape[0]
    s = gpu.shared.array(64, np.float64)
    s[t] = t
    gpu.syncthreads()
    if {test}:
        out[i] = s[63 - t] + 1.0
"""
ENDS = (2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1, 0, 3, 62, 63, 64, -1)


def kernel_of(source: str) -> Any:
    file = f"<bounds {source}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {"gpu": gpu, "np": np}
    exec(compile(source, file, "exec"), names)
    return gpu.jit(names["kernel"])


def wrapped(n: int) -> int:
    return (n + 2**63) % 2**64 - 2**63


@pytest.mark.parametrize("test", TESTS)
def test_bounds(test: str) -> None:
    kernel = kernel_of(KERNEL.format(test=test))
    names = {"wrapped": wrapped, "d": 128}
    sums = test
    for part in ("t + m", "i - m", "m + 5", "m - 5", "d - n", "d + n", "i + n", "d - m - n"):
        sums = sums.replace(part, f"wrapped({part})")
    for n, m in itertools.product(ENDS, ENDS if "m" in test else (0,)):
        out = np.zeros(128)
        kernel[2, 64](out, n, m)
        want = [
            64.0 - t if eval(sums, names, {"t": t, "i": i, "n": n, "m": m}) else 0.0
            for i, t in ((i, i % 64) for i in range(128))
        ]
        assert out.tolist() == want, (n, m)


STEPS = """
def kernel(out, lo, hi):
    t = gpu.threadIdx.x
    n = 0
    for i in range(lo + {sign}t, hi, {step}):
        {first}
        n += 1
        {last}
    out[t] = n
"""
WAIT, LEAVE = "gpu.syncthreads()", "if t == 5 and i > 100: break"


@pytest.mark.parametrize("step", (2**58, 2**62 - 1, -(2**61)))
@pytest.mark.parametrize("first, last", (("", ""), (WAIT, ""), (WAIT, LEAVE)))
def test_long_steps(step: int, first: str, last: str) -> None:
    """The steps of a loop that end near the ends of int64, with and without a barrier."""
    text = STEPS.format(sign="-" if step < 0 else "", step=step, first=first, last=last)
    kernel = kernel_of(text)
    for lo, hi in ((0, 2**63 - 1), (0, 2**62 + 5), (0, 100), (-(2**63), 100), (-(2**62), 2**62)):
        lo, hi = (-lo - 1, -hi - 1) if step < 0 else (lo, hi)
        out = np.zeros(64, np.int64)
        kernel[1, 64](out, lo, hi)
        ranges = [range(lo + (-t if step < 0 else t), hi, step) for t in range(64)]
        want = [len(r) for r in ranges]
        if last:
            past = [k for k, i in enumerate(ranges[5]) if i > 100]
            want[5] = past[0] + 1 if past else want[5]
        assert out.tolist() == want, (lo, hi)
