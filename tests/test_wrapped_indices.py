"""Integers that wrap round as a loop goes on: the loop vectoriser takes no element for another."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import gpu

# what comes before the loop, its body, and what ends the body
BODIES = {
    "load": ("", "out[i] = s[i * 3 % 32]", ""),
    "bits": ("", "out[i] = s[(i * 5) & 255]", ""),
    "shift": ("", "out[i] = s[(i << 1) % 32]", ""),
    "store": ("", "s[i * 3 % 32] = out[i]", ""),
    "value": ("", "out[i] += i * 3 % 32", ""),
    "begins above 0": ("", "out[i] = s[(i * 3 + 1) % 32]", ""),
    "backwards": ("", "out[i] = s[-i * 3 % 32]", ""),
    "two": ("", "out[i] = s[i * 2 % 32] + s[(i * 2 + 1) % 32]", ""),
    "scaled": ("", "out[i] = s[((i * 3) & 31) * 2 + 1]", ""),
    "halved": ("", "out[i] = s[i * 3 % 32 // 2]", ""),
    "carried": ("k = 0", "out[i] = s[k]", "k = (k + 3) % 32"),
    "carried byte": ("k = np.uint8(0)", "out[i] = s[k]", "k = k + np.uint8(3)"),
    "byte": ("", "out[i] = s[np.uint8(3) * np.uint8(i & 255)]", ""),
}
TIMES = "len(out)", "30", "32", "256"


def made(name: str, times: str) -> Any:
    before, body, after = BODIES[name]
    text = f"def f(s, out):\n    {before or 'pass'}\n    for i in range({times}):\n        {body}\n"
    text += f"        {after}\n" if after else ""
    file = f"<{name}, {times}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"np": np}
    exec(compile(text, file, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("name", BODIES)
def test_as_in_python(name: str, times: str) -> None:
    f = made(name, times)
    compiled = swathe.njit(f)
    for dtype in np.int64, np.float32:
        for n in (31, 32, 33, 96, 256, 300) if times == "len(out)" else (int(times),):
            s, out = np.arange(512).astype(dtype), np.ones(n, dtype)
            want = s.copy(), out.copy()
            with np.errstate(over="ignore"):
                f(*want)
            compiled(s, out)
            np.testing.assert_array_equal(s, want[0])
            np.testing.assert_array_equal(out, want[1])


@gpu.jit
def spread(x: Any, out: Any) -> None:
    t = gpu.threadIdx.x
    s = gpu.shared.array(32, np.float64)
    s[t] = x[t]
    gpu.syncthreads()
    out[t] = s[t * 3 % 32]


def test_threads_of_a_block() -> None:
    x, out = np.arange(32.0), np.zeros(32)
    spread[1, 32](x, out)
    np.testing.assert_array_equal(out, x[np.arange(32) * 3 % 32])


@gpu.jit
def exchange(x: Any, out: Any, same: Any) -> None:
    t = gpu.threadIdx.x
    s = gpu.shared.array(32, np.float64)
    s[(t * 3 + 1) % 32] = x[t]
    out[t] = s[(t * 3 + same) % 32] * 2


def test_what_a_thread_stores_it_reads() -> None:
    x, out = np.arange(32.0), np.zeros(32)
    exchange[1, 32](x, out, 1)
    np.testing.assert_array_equal(out, x * 2)
