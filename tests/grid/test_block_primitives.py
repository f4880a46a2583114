# SPDX-License-Identifier: BSD-3-Clause
"""swathe.prim inside kernels: what the threads of a block or a warp combine, scan and sort."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import errors, gpu, prim

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import ptx  # noqa: E402

RNG = np.random.default_rng(5)
ROWS = 12


def fold(x: Any, out: Any, first: Any) -> None:
    i = gpu.grid(1)
    v = x[i]
    out[0, i] = prim.block_reduce(np.add, v)
    out[1, i] = prim.block_reduce(max, v, first)
    out[2, i] = prim.block_scan(lambda a, b: b, v)
    out[3, i] = prim.block_scan(np.add, v, first)
    out[4, i] = prim.block_scan(np.add, v, first, False)
    out[5, i] = prim.warp_reduce(min, v)
    out[6, i] = prim.warp_scan(np.add, v)
    out[7, i] = prim.warp_scan(np.add, v, first, inclusive=False)
    best, at = prim.block_reduce(lambda a, b: a if a[0] >= b[0] else b, (v, i))
    out[8, i], out[9, i] = best, at
    up_to, last = prim.block_scan(lambda a, b: (a[0] + b[0], b[1]), (v, i))
    out[10, i], out[11, i] = up_to, last


def order(x: Any, out: Any, k: Any) -> None:
    i = gpu.grid(1)
    v = x[i]
    out[0, i] = prim.block_sort(v)
    out[1, i], out[2, i] = prim.block_sort_by_key(v, i)
    out[3, i], out[4, i] = prim.block_topk(v, k)
    out[5, i] = prim.warp_sort(v)
    out[6, i], out[7, i] = prim.warp_topk(v, 1, False)


def by_warps(x: Any, f: Any) -> Any:
    return np.concatenate([f(x[:, at : at + 32]) for at in range(0, x.shape[1], 32)], 1)


def like(x: Any, column: Any) -> Any:
    return np.broadcast_to(column, x.shape)


def check_fold(x: Any, out: Any, first: Any) -> None:
    i = np.arange(x.size).reshape(x.shape)
    sums = x.cumsum(1)
    want = [
        like(x, x.sum(1)[:, None]),
        like(x, np.maximum(x.max(1), first)[:, None]),
        x,
        sums + first,
        sums - x + first,
        by_warps(x, lambda w: like(w, w.min(1)[:, None])),
        by_warps(x, lambda w: w.cumsum(1)),
        by_warps(x, lambda w: w.cumsum(1) - w + first),
        like(x, x.max(1)[:, None]),
        like(x, (x.argmax(1) + i[:, 0])[:, None]),
        sums,
        i,
    ]
    for row in range(ROWS):
        assert np.array_equal(out[row], want[row]), (row, out[row], want[row])


def check_order(x: Any, out: Any, k: int) -> None:
    n = x.shape[1]
    at = np.argsort(x, 1, kind="stable")
    down = (n - 1 - np.argsort(x[:, ::-1], 1, kind="stable"))[:, ::-1][:, :k]
    firsts = (np.arange(len(x)) * n)[:, None]
    top = np.take_along_axis(x, down, 1)
    want = [
        np.sort(x, 1),
        np.sort(x, 1),
        at + firsts,
        top,
        down,
        by_warps(x, lambda w: np.sort(w, 1)),
    ]
    for row, rows in enumerate(want):
        got = out[row][:, :k] if row in (3, 4) else out[row]
        assert np.array_equal(got, rows, equal_nan=True), (row, got, rows)
    least = by_warps(x, lambda w: like(w, np.sort(w, 1)[:, :1]))
    lanes = by_warps(x, lambda w: like(w, np.argsort(w, 1, kind="stable")[:, :1]))
    assert np.array_equal(out[6], least, equal_nan=True) and np.array_equal(out[7], lanes)


def launched(kernel: Any, x: Any, last: Any, rows: int, *where: Any) -> Any:
    out = np.full((rows, x.size), -7.0)
    kernel[(len(x), x.shape[1], *where)](x.reshape(-1), out, last)
    return out.reshape(rows, *x.shape)


@pytest.mark.parametrize(
    ("n", "dtype", "debug"),
    [(1, "int64", False), (33, "int32", True), (70, "float32", False),
     (256, "int8", False), (1000, "float64", False)],
)  # fmt: skip
def test_folds_and_orders(n: int, dtype: str, debug: bool) -> None:
    x = RNG.integers(0, 2 if dtype == "int8" else 40, (3, n)).astype(dtype)
    if dtype == "int8":
        x[:, ::3] = 0  # so that sums fit
    first = x.dtype.type(3)
    out = launched(gpu.jit(debug=debug)(fold), x, first, ROWS)
    check_fold(x, out, first)
    if x.dtype.kind == "f":
        x[:, n // 2 :: 7] = np.nan
    out = launched(gpu.jit(debug=debug)(order), x, min(3, n), 8)
    check_order(x, out, min(3, n))


@gpu.jit
def of_planes(x: Any, out: Any) -> None:
    """Complex numbers, a block of two axes, the same call again in a loop, and in a function."""
    t = gpu.threadIdx.x + gpu.blockDim.x * gpu.threadIdx.y
    for k in range(3):
        total = prim.block_reduce(np.add, x[t] * k)
        out[k, t] = prim.block_scan(lambda a, b: a + b, x[t] + total)


def test_of_planes() -> None:
    x = (np.arange(70) + 2j * np.arange(70)[::-1]).astype(np.complex64)
    out = np.zeros((3, 70), np.complex64)
    of_planes[1, (7, 10)](x, out)
    for k in range(3):
        assert np.array_equal(out[k], (x + (x * k).sum()).cumsum())


@gpu.jit
def sort_only(x: Any, out: Any) -> None:
    i = gpu.grid(1)
    v = prim.block_sort(x[i])
    out[i] = prim.block_scan(max, v)


def test_on_a_device(queue: Any) -> None:
    x = RNG.integers(0, 50, (2, 70)).astype(np.float64)
    out = np.zeros(x.size)
    sort_only[2, 70, queue](x.reshape(-1), out)
    queue.wait()
    assert np.array_equal(out.reshape(x.shape), np.sort(x, 1))


ON_CUDA = """
import sys
import numpy as np, swathe
import test_block_primitives as tests
from swathe import _core, gpu
made, build = [], _core.dev_module
_core.dev_module = lambda device, source, *rest: made.append(source) or build(device, source, *rest)
queue = swathe.Queue("cuda")
for kernel in (tests.fold, tests.order):
    gpu.jit(kernel)[2, 70, queue](np.ones(140, np.float32), np.zeros((12, 140)), 3)
    queue.sync()
for k, source in enumerate(made):
    open(f"{sys.argv[1]}/{k}.ptx", "wb").write(source.rstrip(b"\\0"))
"""


@pytest.mark.skipif(ptx.CC is None, reason="needs a C compiler")
def test_assembles(tmp_path: Path) -> None:
    ptx.build_fake(tmp_path / "libfakecuda.so")
    env = {"SWATHE_CUDA_LIB": str(tmp_path / "libfakecuda.so"), "FAKE_CUDA_ARCH": "75"}
    env["PYTHONPATH"] = f"{HERE}{os.pathsep}{HERE.parent}"
    command = [sys.executable, "-c", ON_CUDA, tmp_path]
    r = subprocess.run(command, env=os.environ | env, capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stderr
    sources = sorted(tmp_path.glob("*.ptx"))
    assert len(sources) == 2
    for source in sources:
        ptx.assemble(source.read_text(), 75, tmp_path)


@gpu.jit
def wrong_k(x: Any, out: Any, k: Any) -> None:
    out[gpu.grid(1)] = prim.block_topk(x[gpu.grid(1)], k)[0]


@gpu.jit
def without_init(x: Any, out: Any) -> None:
    out[gpu.grid(1)] = prim.block_scan(np.add, x[gpu.grid(1)], inclusive=False)


def test_errors() -> None:
    x, out = np.zeros(8), np.zeros(8)
    for k in (0, 9):
        with pytest.raises(ValueError, match="k is out of range"):
            wrong_k[1, 8](x, out, k)
    with pytest.raises(ValueError, match="needs init"):
        without_init[1, 8](x, out)
    with pytest.raises(RuntimeError, match="only in a kernel"):
        prim.block_reduce(np.add, 1.0)
    with pytest.raises(errors.CompileError, match="not complex"):
        sort_only[1, 8](x.astype(complex), out)
    with pytest.raises(errors.CompileError):
        swathe.njit(lambda v: prim.block_reduce(np.add, v))(1.0)
