"""Kernels of which one thread fails: the same error, block, thread and line as interpreted."""

from __future__ import annotations

import math
import re
import traceback
from typing import Any

import interpret
import numpy as np
import pytest

import swathe
from swathe import gpu

CASES: list[tuple[Any, Any, Any]] = []


def one_fails(grid: Any, block: Any) -> Any:
    def note(kernel: Any) -> Any:
        CASES.append((kernel, grid, block))
        return kernel

    return note


@one_fails(3, 8)
@gpu.jit
def index(x, n):
    i = gpu.grid(1)
    if i != 17:
        x[i] = n[i]
    else:
        x[i] = n[i + 7]


@one_fails((2, 2), (4, 3))
@gpu.jit
def index_of_row(x, n):
    i, j = gpu.grid(2)
    m = x.reshape(3, 8)
    if i == 6 and j == 4:
        m[3, i] = 1.0
    if i < 8 and j < 3:
        m[j, i] += i


@one_fails((1, 2, 2), (2, 1, 3))
@gpu.jit
def index_of_shared(x, n):
    s = gpu.shared.array(6, np.float64)
    t, b = gpu.threadIdx, gpu.blockIdx
    k = t.x + 2 * t.z
    s[k] = k
    gpu.syncthreads()
    if b.y == 1 and b.z == 0 and k == 5:
        k += 1
    x[k % 6] = s[k]


@one_fails(2, 8)
@gpu.jit
def index_of_local(x, n):
    a = gpu.local.array(4, np.int64)
    i = gpu.grid(1)
    for k in range(4):
        a[k] = k
    x[i] = a[n[i] - 8] if i == 12 else a[n[i] % 4]


@one_fails(2, 8)
@gpu.jit
def division(x, n):
    i = gpu.grid(1)
    x[i] = 12 // (int(n[i]) - 11)


@one_fails(1, 24)
@gpu.jit
def own_error(x, n):
    i = gpu.grid(1)
    if n[i] * 2 == 38:
        raise ValueError("not this one")
    x[i] = 1


def checked(v):
    if v > 22:
        raise OverflowError("too much")
    return v


def indirect(v):
    return checked(v) + 1


@one_fails(3, 8)
@gpu.jit
def in_functions(x, n):
    i = gpu.grid(1)
    gpu.syncthreads()
    x[i] = indirect(n[i])


@one_fails(3, 8)
@gpu.jit
def domain(x, n):
    i = gpu.grid(1)
    x[i] = math.sqrt(float(n[i] - 1)) if i > 0 else math.sqrt(-1.0)


@one_fails(3, 8)
@gpu.jit
def in_a_loop(x, n):
    s = gpu.shared.array(8, np.int64)
    t = gpu.threadIdx.x
    for k in range(4):
        s[t] = t + k
        gpu.syncthreads()
        v = s[7 - t]
        gpu.syncthreads()
        assert v + gpu.blockIdx.x != 12, "twelve"
    x[gpu.grid(1)] = v


@one_fails(3, 8)
@gpu.jit
def early(x, n):
    i = gpu.grid(1)
    if i % 2:
        return
    while n[i] < 100:
        if i == 10:
            x[n[i] * 3] = 0
        n[i] += n[i] + 1
    x[i] = n[i]


def arguments() -> tuple[Any, ...]:
    return np.zeros(24), np.arange(24)


def expected(kernel: Any, grid: Any, block: Any) -> tuple[type, str, int]:
    """The class, the place, and the line of the innermost call."""
    with pytest.raises(Exception) as caught:
        interpret.launch(kernel, grid, block, arguments())
    e = caught.value
    frames = [f for f in traceback.extract_tb(e.__traceback__) if f.filename == __file__]
    return type(e), e.__notes__[0], frames[-1].lineno or 0


def check(kernel: Any, grid: Any, block: Any, queue: Any, **options: Any) -> None:
    cls, place, line = expected(kernel, grid, block)
    jit = gpu.jit(kernel.py_func, **options) if options else kernel
    with pytest.raises(cls) as caught:
        jit[grid, block, queue](*arguments())
        if queue:
            queue.sync()
    text = str(caught.value)
    assert place in text
    assert f", line {line}, in" in text or caught.traceback[-1].lineno + 1 == line, text


NAMES = [c[0].__name__ for c in CASES]


@pytest.mark.parametrize("case", CASES, ids=NAMES)
@pytest.mark.parametrize("options", [{}, {"debug": True}, {"opt_level": 0}], ids=str)
def test_on_the_cpu(case: Any, options: Any) -> None:
    check(*case, 0, **options)


@pytest.fixture(scope="module")
def queue() -> Any:
    try:
        return swathe.Queue("opencl")
    except swathe.errors.NoDeviceError as e:
        pytest.skip(str(e))


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_on_opencl(queue: Any, case: Any) -> None:
    check(*case, queue)


def test_only_one_fails() -> None:
    assert len(NAMES) == 10 and all(re.match(r"\(in block", expected(*c)[1]) for c in CASES)


@gpu.jit
def cold_loops(x, out):
    w = gpu.local.array(3, np.float64)
    k, v = 0, 0.0
    for _ in range(3):
        k += 1
        w[1] = w[k % 3]
    for _ in range(k):
        v = x[1]  # noqa: F841
    out[1] = w[k % 3]


def test_cold_loops() -> None:
    """What is left of a kernel whose loops that run went into chunks: LLVM crashed on it."""
    with pytest.raises(IndexError, match="index 1 is out of bounds for axis 0 of 'x' with size 1"):
        cold_loops[1, 1](np.ones(1), np.zeros(0))
