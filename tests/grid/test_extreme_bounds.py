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


def kernel_of(test: str) -> Any:
    source, file = KERNEL.format(test=test), f"<bounds {test}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {"gpu": gpu, "np": np}
    exec(compile(source, file, "exec"), names)
    return gpu.jit(names["kernel"])


def wrapped(n: int) -> int:
    return (n + 2**63) % 2**64 - 2**63


@pytest.mark.parametrize("test", TESTS)
def test_bounds(test: str) -> None:
    kernel = kernel_of(test)
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
