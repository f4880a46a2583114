"""explain() of kernels: what became of barriers, branches, loops and values of threads."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

from swathe import gpu

TILE, BLOCK = 16, 256


@gpu.jit(cache=False)
def total(x, out):
    s = gpu.shared.array(BLOCK, np.float32)
    t = gpu.threadIdx.x
    i = gpu.grid(1)
    s[t] = x[i] if i < x.size else np.float32(0)
    gpu.syncthreads()
    k = BLOCK // 2
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        gpu.syncthreads()
        k //= 2
    if t == 0:
        out[gpu.blockIdx.x] = s[0]


@gpu.jit(cache=False)
def matmul(a, b, c):
    sa = gpu.shared.array((TILE, TILE), np.float32)
    sb = gpu.shared.array((TILE, TILE), np.float32)
    x, y = gpu.grid(2)
    tx, ty = gpu.threadIdx.x, gpu.threadIdx.y
    result = np.float32(0)
    for t in range(a.shape[1] // TILE):
        sa[ty, tx] = a[y, t * TILE + tx]
        sb[ty, tx] = b[t * TILE + ty, x]
        gpu.syncthreads()
        for k in range(TILE):
            result += sa[ty, k] * sb[k, tx]
        gpu.syncthreads()
    c[y, x] = result


@gpu.jit(cache=False)
def histogram(x, bins):
    s = gpu.shared.array(BLOCK, np.int32)
    t = gpu.threadIdx.x
    s[t] = 0
    gpu.syncthreads()
    for i in range(gpu.grid(1), x.size, gpu.gridsize(1)):
        gpu.atomic.add(s, x[i], 1)
    gpu.syncthreads()
    gpu.atomic.add(bins, t, s[t])


@gpu.jit(cache=False)
def votes(x, out):
    t = gpu.threadIdx.x
    out[t] = gpu.syncthreads_count(x[t] > 0)
    gpu.syncwarp()


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    x = np.ones(1000, np.float32)
    total[4, BLOCK](x, np.zeros(4, np.float32))
    a = np.ones((32, 32), np.float32)
    matmul[(2, 2), (TILE, TILE)](a, a, a.copy())
    histogram[2, BLOCK](np.ones(1000, np.uint8), np.zeros(BLOCK, np.int32))
    votes[1, 64](x, np.zeros(64, np.int32))
    return {k.__name__: str(k.explain()) for k in (total, matmul, histogram, votes)}


def at(kernel: Any, text: str, nth: int = 0) -> int:
    lines, first = inspect.getsourcelines(kernel.py_func)
    return [first + k for k, line in enumerate(lines) if text in line][nth]


def has(text: str, what: str, line: int, why: str = "") -> bool:
    found = re.findall(rf"^ *{line}: \[\w+\] {what}: (.*)$", text, re.M)
    return any(why in reason for reason in found)


def test_barriers(said: dict[str, str]) -> None:
    for k in (total, matmul, histogram):
        for n in (0, 1):
            assert has(said[k.__name__], "barrier split", at(k, "syncthreads()", n), "of the block")
    assert has(said["votes"], "barrier split", at(votes, "syncthreads_count"), "of the block")
    assert has(said["votes"], "barrier split", at(votes, "syncwarp"), "of a warp")


def test_threads_in_vectors(said: dict[str, str]) -> None:
    assert has(said["total"], "vectorised", at(total, "if t < k"))  # though LLVM unrolls it all
    line = at(matmul, "for k in")
    assert has(said["matmul"], "vectorised across iterations", line, "carries values along")


def test_branches(said: dict[str, str]) -> None:
    assert has(said["total"], "branch removed", at(total, "if t < k"), "threads that take it")
    assert has(said["total"], "branch removed", at(total, "if i < x.size"), "all of whose threads")
    assert has(said["total"], "branch removed", at(total, "if t == 0"))


def test_loops(said: dict[str, str]) -> None:
    assert has(said["total"], "unrolled", at(total, "while k > 0"), "8 steps")
    line = at(histogram, "for i in range")
    assert has(said["histogram"], "steps taken together", line, "side by side")


def test_slots(said: dict[str, str]) -> None:
    what = "kept for each thread"
    assert has(said["matmul"], what, at(matmul, "result = "), "'result' lives across a barrier")
    assert what not in said["total"] + said["histogram"]


def test_margin() -> None:
    text = str(total.explain())
    for mark in ("barrier split", "unrolled ×8", "no branch", "vector ×"):
        assert mark in text
    assert "an array is made in it" not in str(matmul.explain())
