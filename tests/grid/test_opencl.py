"""Kernels give the same results on an OpenCL device as interpreted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import interpret
import kernels
import pytest
import random_kernels
from test_kernels import NAMES, compare
from test_random import arguments, kernel_of

import swathe
from swathe import gpu

# A wait for the whole grid, and recursion: OpenCL has neither.
UNSUPPORTED = ("barrier over a whole grid", "calls itself")
# Threads part at a barrier, and later ones of some meet it: what then is up to the device.
UNDEFINED = set()
# A known defect: a `while True` that holds barriers and is left by `return` does not end on PoCL.
ENDLESS = set()


@pytest.fixture(scope="module")
def queue() -> Any:
    try:
        return swathe.Queue("opencl")
    except swathe.errors.NoDeviceError as e:
        pytest.skip(str(e))


# The device's compiler takes its time, so each is compiled once, every third without checks.
@pytest.mark.parametrize("n", range(len(NAMES)), ids=NAMES)
def test_same_as_interpreted(queue: Any, n: int) -> None:
    case = kernels.CASES[n]
    if case.kernel.__name__ in UNDEFINED:
        pytest.skip("undefined on devices")
    if case.kernel.__name__ in ENDLESS:
        pytest.xfail("does not end on PoCL")
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
