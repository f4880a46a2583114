"""Kernels give the same results on an OpenCL device as interpreted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import interpret
import kernels
import numpy as np
import pytest
import random_kernels
from test_kernels import NAMES, compare
from test_random import arguments, kernel_of

import swathe
from swathe import gpu

# A wait for the whole grid, and recursion: OpenCL has neither.
UNSUPPORTED = ("barrier over a whole grid", "calls itself")


# The device's compiler takes its time, so each is compiled once, every third without checks.
@pytest.mark.parametrize("n", range(len(NAMES)), ids=NAMES)
def test_same_as_interpreted(queue: Any, n: int) -> None:
    case = kernels.CASES[n]
    kernel = gpu.jit(case.kernel.py_func, boundscheck=n % 3 != 0)
    args, want = case.args(), case.args()
    interpret.launch(case.kernel, case.grid, case.block, want, case.shared)
    try:
        kernel[case.grid, case.block, queue, case.shared](*args)
    except swathe.errors.UnsupportedError as e:
        if any(s in str(e) for s in UNSUPPORTED):
            pytest.skip(str(e).splitlines()[0])
        raise
    compare(args, want, case.rtol)


# PoCL takes ten seconds and more for each.
@pytest.mark.parametrize("seed", range(2))
def test_random_kernel(queue: Any, seed: int, tmp_path: Path) -> None:
    maker = random_kernels.Maker(seed)
    kernel = kernel_of(maker.text(), tmp_path / f"random_{seed}.py")
    got, want = arguments(maker, seed), arguments(maker, seed)
    interpret.launch(kernel, maker.grid, maker.shape, want)
    kernel[maker.grid, maker.shape, queue](*got)
    compare(got, want, 1e-9)


def made(x: Any, i: Any) -> Any:
    a = np.zeros(3)
    a[1] = x[i]
    return a


@gpu.jit
def keep_made(x: Any, out: Any) -> None:
    out[gpu.grid(1)] = made(x, 1)[1]


def test_array_made_in_a_function(queue: Any) -> None:
    with pytest.raises(swathe.errors.UnsupportedError, match="returns an array"):
        keep_made[1, 4, queue](np.arange(4.0), np.zeros(4))


@gpu.jit
def say(x: Any) -> None:
    t = gpu.threadIdx.x
    print("100%", t, x[t], x[t] > 0, '"a\tb"')
    print(f"{x[t]:8.3f}|{t:04d}|{x[t]:<6.1e}|{np.uint32(t):x}")


def test_print(queue: Any, capfd: Any) -> None:
    say[1, 1, queue](np.array([1.5]))
    queue.wait()
    assert capfd.readouterr().out == '100% 0 1.5 True "a\tb"\n   1.500|0000|1.5e+00|0\n'


@gpu.jit
def say_in_groups(x: Any) -> None:
    print(f"{x[0]:,.1f}")


def test_formats_that_printf_has_not(queue: Any) -> None:
    with pytest.raises(swathe.errors.UnsupportedError, match="prints numbers and constant"):
        say_in_groups[1, 1, queue](np.array([1.5]))
