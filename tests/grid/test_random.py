"""Random kernels give the same results compiled and interpreted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import interpret
import numpy as np
import pytest
import random_kernels

from swathe import gpu


def kernel_of(text: str, file: Path) -> Any:
    file.write_text(text)
    names: dict[str, Any] = {"gpu": gpu, "np": np, "math": math}
    exec(compile(text, str(file), "exec"), names)
    return names["kernel"]


def arguments(maker: random_kernels.Maker, seed: int) -> tuple[Any, ...]:
    total = maker.size * math.prod(maker.grid)
    x = np.random.default_rng(seed).uniform(-4, 4, total)
    return x, np.zeros(total), np.zeros((3, total), np.int64), seed % 5


@pytest.mark.parametrize("seed", range(30))
def test_random_kernel(seed: int, tmp_path: Path) -> None:
    maker = random_kernels.Maker(seed, strict=seed % 6 == 0)
    text = maker.text()
    kernel = kernel_of(text, tmp_path / f"random_{seed}.py")
    want = arguments(maker, seed)
    interpret.launch(kernel, maker.grid, maker.shape, want)
    debug = {"debug": True} if maker.strict else {}
    for options in ({}, [debug, {"boundscheck": False}, {"opt_level": 1}][seed % 3]):
        got = arguments(maker, seed)
        gpu.jit(kernel.py_func, **options)[maker.grid, maker.shape](*got)
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-12, err_msg=f"{options}\n{text}")
