"""Threads that take numbers from an atomic counter, side by side in vector lanes on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from swathe import gpu

N = 256


@gpu.jit
def compact(x, out, sizes):
    part = gpu.shared.array(N, np.float32)
    count = gpu.shared.array(2, np.int32)
    t = gpu.threadIdx.x
    if t < 2:
        count[t] = 0
    gpu.syncthreads()
    v = x[gpu.grid(1)]
    if v < 0:
        part[gpu.atomic.add(count, 0, 1)] = v
    elif v > 0:
        part[N - 1 - gpu.atomic.add(count, 1, 1)] = v
    gpu.syncthreads()
    out[gpu.grid(1)] = part[t]
    if t < 2:
        sizes[gpu.blockIdx.x, t] = count[t]


@gpu.jit
def compact_global(x, out, count):
    i = gpu.grid(1)
    if i < x.size and x[i] > 0:
        out[gpu.atomic.add(count, 0, 1)] = x[i]


@gpu.jit
def two_each(x, out, count):
    i = gpu.grid(1)
    if i < x.size and x[i] > 0:
        k = gpu.atomic.add(count, 0, 2)
        out[k] = x[i]
        out[k + 1] = i


@gpu.jit
def wraps(x, out):
    part = gpu.shared.array(N, np.int64)
    count = gpu.shared.array(1, np.int64)
    t = gpu.threadIdx.x
    part[t] = 0
    if t == 0:
        count[0] = 0
    gpu.syncthreads()
    if x[t] > 0:
        part[gpu.atomic.add(count, 0, 1) - 7] = x[t]
    gpu.syncthreads()
    out[t] = part[t]


@gpu.jit
def narrow(x, out):
    part = gpu.shared.array(N, np.float64)
    count = gpu.shared.array(1, np.uint32)
    t = gpu.threadIdx.x
    part[t] = 0
    if t == 0:
        count[0] = 250
    gpu.syncthreads()
    if x[t] > 0:
        part[np.uint8(gpu.atomic.add(count, 0, 1))] = x[t]
    gpu.syncthreads()
    out[t] = part[t]


@gpu.jit
def overflows(x, seen):
    part = gpu.shared.array(100, np.float32)
    count = gpu.shared.array(1, np.int32)
    t = gpu.threadIdx.x
    if t == 0:
        count[0] = 0
    gpu.syncthreads()
    if x[t] > 0:
        part[gpu.atomic.add(count, 0, 1)] = x[t]
    gpu.syncthreads()
    seen[t] = part[t % 100]


@gpu.jit
def strays(x, seen):
    part = gpu.shared.array(64, np.float32)
    count = gpu.shared.array(1, np.int32)
    t = gpu.threadIdx.x
    if t == 0:
        count[0] = -70
    gpu.syncthreads()
    if x[t] > 0:
        part[gpu.atomic.add(count, 0, 1)] = x[t]
    gpu.syncthreads()
    seen[t] = part[t % 64]


def sample(n: int, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=n).astype(np.float32)
    x[::7] = 0
    return x


def lanes(kernel: Any) -> str:
    return "\n".join(line for line in kernel.explain().splitlines() if "[vectorize]" in line)


@pytest.mark.parametrize("threads", [N, 100, 33, 2])
def test_both_ends(threads: int) -> None:
    x, out, sizes = sample(4 * N), np.zeros(4 * N, np.float32), np.zeros((4, 2), np.int32)
    compact[4, threads](x, out, sizes)
    for b in range(4):
        mine = x[b * threads : (b + 1) * threads]
        assert list(sizes[b]) == [(mine < 0).sum(), (mine > 0).sum()]
        if threads == N:
            row = out[b * N : (b + 1) * N]
            less, more = sizes[b]
            assert np.array_equal(np.sort(row[:less]), np.sort(mine[mine < 0]))
            assert np.array_equal(np.sort(row[N - more :]), np.sort(mine[mine > 0]))
    if threads == N and "SWATHE_LANES" not in os.environ:
        assert "they take numbers from an atomic counter" in lanes(compact)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("counter", [np.int32, np.uint32, np.int64])
def test_global(dtype: Any, counter: Any) -> None:
    x = np.abs(sample(1000) * 50).astype(dtype)
    out, count = np.zeros(1000, dtype), np.zeros(1, counter)
    compact_global[8, 128](x, out, count)
    assert count[0] == (x > 0).sum()
    assert np.array_equal(np.sort(out[: count[0]]), np.sort(x[x > 0]))
    assert not out[count[0] :].any()


def test_two_each() -> None:
    x, out, count = sample(500), np.zeros(1000), np.zeros(1, np.int32)
    two_each[4, 128](x, out, count)
    pairs = out[: count[0]].reshape(-1, 2)
    assert len(pairs) == (x > 0).sum()
    assert np.array_equal(x[pairs[:, 1].astype(int)], pairs[:, 0].astype(np.float32))


def test_index_wraps_within_a_group() -> None:
    x, out = np.arange(N) % 3, np.zeros(N, np.int64)
    wraps[1, N](x, out)
    n = int((x > 0).sum())
    want = sorted(x[x > 0])
    assert sorted(np.concatenate([out[-7:], out[: n - 7]])) == want
    assert not out[n - 7 : -7].any()


def test_index_is_cut_within_a_group() -> None:
    x, out = np.ones(N), np.zeros(N)
    x[100:] = 0
    narrow[1, N](x, out)
    assert out[:94].all() and out[250:].all() and not out[94:250].any()


@pytest.mark.parametrize("kernel", [overflows, strays])
def test_errors_name_the_first(kernel: Any) -> None:
    x, seen = np.ones(N, np.float32), np.zeros(N, np.float32)
    x[::2] = 0
    said = {
        overflows: r"index 100 .*size 100 .*thread \(201, 0, 0\)",
        strays: r"index -70 .*size 64 .*thread \(1, 0, 0\)",
    }[kernel]
    with pytest.raises(IndexError, match=said):
        kernel[1, N](x, seen)


def test_other_processors() -> None:
    """The same tests without AVX-512, without AVX, and with other numbers of lanes."""
    if os.environ.get("SWATHE_TEST_APPEND"):
        pytest.skip("is one of them")
    for name, value in (("CPU", "haswell"), ("CPU", "x86-64-v2"), ("LANES", "8"), ("LANES", "32")):
        env = {**os.environ, "SWATHE_TEST_APPEND": "1", "SWATHE_CACHE_SIZE": "0"}
        env[f"SWATHE_{name}"] = value
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", Path(__file__)],
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:]
