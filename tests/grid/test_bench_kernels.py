"""The kernels of bench/kernels_grid.py give what the interpreter and NumPy give."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import interpret
import numpy as np
import pytest

from swathe import gpu

BENCH = str(Path(__file__).resolve().parents[2] / "bench")
sys.path.insert(0, BENCH)
try:
    bench = importlib.import_module("kernels_grid_py")
finally:
    sys.path.remove(BENCH)

# ragged sizes: blocks at the edge have threads that find nothing to do
SIZES = {"saxpy": 700, "reduce_strided": 3000, "transpose": 40, "stencil": 37, "histogram": 3000}


def agree(case: Any, got: np.ndarray, want: np.ndarray) -> None:
    scale = float(np.abs(want).max())
    np.testing.assert_allclose(got, want, rtol=case.rtol, atol=case.rtol * scale)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("case", bench.CASES, ids=lambda c: c.name)
def test_same_as_interpreted(case: Any, checks: bool, threads: int) -> None:
    import swathe

    args = case.make(np.random.default_rng(3), SIZES.get(case.name, case.tiny))
    want = np.asarray(case.numpy(*args))
    slow = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
    kernel = bench.bind(case.kernel, gpu)
    before = swathe.get_num_threads()
    swathe.set_num_threads(threads)
    try:
        gpu.jit(boundscheck=checks)(kernel)[case.launch(args)](*args)
    finally:
        swathe.set_num_threads(before)
    at = case.writes[0]
    if not case.strays:
        agree(case, args[at], want)
    if checks and threads == 1:
        interpret.launch(gpu.jit(kernel), *case.launch(slow), slow)
        agree(case, args[at], slow[at])
