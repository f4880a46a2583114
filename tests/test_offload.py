# SPDX-License-Identifier: BSD-3-Clause
"""Parallel loops and array expressions on a device: the same results as on the CPU."""

from __future__ import annotations

import copy
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import _offload, errors, njit, prange

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
import kernels_py as bench  # noqa: E402

try:
    OPENCL = swathe.Device("opencl")
except errors.NoDeviceError as e:
    pytest.skip(str(e), allow_module_level=True)

rng = np.random.default_rng(3)


def remarks(f: Any) -> str:
    """What became of the loops on the device."""
    return "\n".join(r[2] for r in _offload.twin_of(f, OPENCL).call._remarks().values())


def on_device(f: Any, *args: Any, **names: Any) -> Any:
    with swathe.device_context(OPENCL):
        return f(*args, **names)


def same(f: Any, *args: Any, rtol: float = 1e-12, **names: Any) -> Any:
    """Call it here and there, and compare results and what was written."""
    here, there = copy.deepcopy(args), copy.deepcopy(args)
    want, got = f(*here, **names), on_device(f, *there, **names)
    parts = zip((*here, want), (*there, got), strict=True)
    for a, b in parts:
        if isinstance(a, tuple):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_allclose(y, x, rtol=rtol)
        elif a is not None and not callable(a):
            assert type(a) is type(b)
            np.testing.assert_allclose(b, a, rtol=rtol)
    return got


@pytest.mark.parametrize("kernel", bench.KERNELS, ids=lambda k: k.name)
def test_kernels_of_the_benchmark(kernel: Any) -> None:
    f = njit(parallel=True)(bench.bind(kernel.function, prange))
    args = kernel.make(np.random.default_rng(1), 0.002)
    same(f, *args, rtol=max(kernel.rtol, 1e-6))
    text = remarks(f)
    if kernel.name not in ("prefix_sum", "histogram"):
        assert "runs on the device" in text
