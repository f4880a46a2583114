"""Kernels give the same results on an OpenCL device as interpreted."""

from __future__ import annotations

from typing import Any

import interpret
import kernels
import pytest
from test_kernels import NAMES, compare

import swathe
from swathe import gpu

# A wait for the whole grid: OpenCL has none.
UNSUPPORTED = ("barrier over a whole grid",)


@pytest.fixture(scope="module")
def queue() -> Any:
    try:
        return swathe.Queue("opencl")
    except swathe.errors.NoDeviceError as e:
        pytest.skip(str(e))


@pytest.mark.parametrize("mode", ["plain", "unchecked"])
@pytest.mark.parametrize(("name", "case"), list(zip(NAMES, kernels.CASES, strict=True)), ids=NAMES)
def test_same_as_interpreted(queue: Any, name: str, case: kernels.Case, mode: str) -> None:
    options = {"boundscheck": False} if mode == "unchecked" else {}
    kernel = gpu.jit(case.kernel.py_func, **options)
    args, want = case.args(), case.args()
    interpret.launch(case.kernel, case.grid, case.block, want, case.shared)
    try:
        kernel[case.grid, case.block, queue, case.shared](*args)
    except swathe.errors.UnsupportedError as e:
        if any(s in str(e) for s in UNSUPPORTED):
            pytest.skip(str(e).splitlines()[0])
        raise
    compare(args, want, case.rtol)
