"""Random kernels give the same results compiled and interpreted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import interpret
import numpy as np
import pytest
import random_kernels
import random_rich

import swathe
from swathe import gpu


def kernel_of(text: str, file: Path) -> Any:
    file.write_text(text)
    names: dict[str, Any] = {"gpu": gpu, "np": np, "math": math, "swathe": swathe}
    exec(compile(text, str(file), "exec"), names)
    return names["kernel"]


def arguments(maker: random_kernels.Maker, seed: int) -> tuple[Any, ...]:
    total = maker.size * math.prod(maker.grid)
    x = np.random.default_rng(seed).uniform(-4, 4, total)
    return x, np.zeros(total), np.zeros((3, total), np.int64), seed % 5


@pytest.mark.parametrize("seed", range(30))
def test_random_kernel(seed: int, tmp_path: Path) -> None:
    maker = random_kernels.Maker(seed, strict=seed % 6 == 0)
    check(maker, seed, tmp_path, arguments(maker, seed), 1e-12)


@pytest.mark.parametrize("seed", range(16))
def test_random_rich_kernel(seed: int, tmp_path: Path) -> None:
    maker = random_rich.Rich(seed, strict=seed % 4 == 0, grids=seed % 3 == 0)
    args = arguments(maker, seed)
    more = (np.arange(12.0).reshape(3, 4) * 0.25, np.zeros(args[0].size))
    check(maker, seed, tmp_path, args + more, 1e-9)


def check(maker: Any, seed: int, folder: Path, args: tuple[Any, ...], tolerance: float) -> None:
    text = maker.text()
    kernel = kernel_of(text, folder / f"random_{seed}.py")
    want = tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in args)
    interpret.launch(kernel, maker.grid, maker.shape, want)
    debug = {"debug": True} if maker.strict else {}
    for options in ({}, [debug, {"boundscheck": False}, {"opt_level": 1}][seed % 3]):
        got = tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in args)
        gpu.jit(kernel.py_func, **options)[maker.grid, maker.shape](*got)
        for g, w in zip(got, want, strict=True):
            note = f"{options}\n{text}"
            np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance, err_msg=note)
