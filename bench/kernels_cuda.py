#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kernels and primitives on a CUDA device: swathe beside CUDA C, numba-cuda, CuPy and PyTorch.

    python3 bench/kernels_cuda.py [--only NAME,NAME] [--rounds N] [--json FILE]

The kernels are those of kernels_grid_py.py, at sizes that fill a GPU. Columns:

    swathe      as users get it: bounds checks on
    unchecked   boundscheck=False
    cuda-c      kernels_grid.cl, made CUDA C by a few macros, through CuPy (NVRTC)
    numba       numba-cuda, the same source

Arrays lie on the device. A time is that of several launches and one wait, divided by their number;
implementations take turns, and each number is the least of the rounds. What is missing on the
machine leaves its column empty. Results are compared with CUDA C's, or with NumPy's by the tests.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from kernels_grid_py import CASES, LAUNCH, Case, bind

import swathe
from swathe import prim

try:
    import cupy
except ImportError:
    cupy = None
try:
    import numba.cuda as numba_cuda
except ImportError:
    numba_cuda = None
try:
    import torch
except ImportError:
    torch = None

HERE = Path(__file__).resolve().parent
Call = Callable[[], Any]
SIZES = {
    "saxpy": 1 << 26,
    "matmul": 4096,
    "reduce": 1 << 26,
    "reduce_strided": 1 << 26,
    "transpose": 8192,
    "stencil": 8192,
    "histogram": 1 << 26,
    "nbody": 1 << 16,
    "mandelbrot": 8192,
    "quickselect": 1 << 24,
    "nothing": 1,
}
# What OpenCL C calls by other names than CUDA C does.
PRELUDE = """
typedef unsigned char uchar;
#define kernel extern "C" __global__
#define local __shared__
#define CLK_LOCAL_MEM_FENCE 0
#define barrier(x) __syncthreads()
#define AXIS(v, d) ((d) == 0 ? v.x : (d) == 1 ? v.y : v.z)
#define get_global_id(d) (size_t)(AXIS(blockIdx, d) * (size_t)AXIS(blockDim, d) + AXIS(threadIdx, d))
#define get_local_id(d) AXIS(threadIdx, d)
#define get_group_id(d) (size_t)AXIS(blockIdx, d)
#define get_global_size(d) ((size_t)AXIS(gridDim, d) * AXIS(blockDim, d))
#define atomic_inc(p) atomicAdd(p, 1)
#define atomic_add(p, v) atomicAdd(p, v)
#define add_float(p, v) atomicAdd(p, v)
"""  # noqa: E501  (a macro is one line)


def source_in_cuda_c() -> str:
    """Return the kernels written by hand, as CUDA C."""
    text = (HERE / "kernels_grid.cl").read_text()
    before, rest = text.split("void\nadd_float(", 1)  # CUDA has an atomic addition of floats
    text = before + rest.split("\n}\n", 1)[1]
    # No macro: __global__ is one that has the word in it.
    return PRELUDE + text.replace("global ", "")


def copies(case: Case, size: int) -> tuple[Any, ...]:
    """Make the arguments on the host."""
    return case.make(np.random.default_rng(1), size)


def with_swathe(case: Case, args: tuple[Any, ...], **options: Any) -> tuple[Call, Call, Call]:
    """Compile for the device: a launch, a wait, and what fetches the result."""
    from swathe.compat.numba import cuda

    queue = swathe.Queue("cuda")
    there = [queue.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
    kernel = cuda.jit(cache=False, **options)(bind(case.kernel, cuda))
    launch = kernel[(*case.launch(args), queue)]
    return (
        lambda: launch(*there),
        queue.sync,
        lambda: [there[i].copy_to_host() for i in case.writes],
    )


def with_cuda_c(case: Case, args: tuple[Any, ...]) -> tuple[Call, Call, Call]:
    """Compile the kernel written by hand."""
    module = cupy.RawModule(code=source_in_cuda_c(), options=("--std=c++17",))
    function = module.get_function(case.name)
    spelled: list[Any] = []
    there: dict[int, Any] = {}
    for i, a in enumerate(args):
        if isinstance(a, np.ndarray):
            there[i] = cupy.asarray(a)
            spelled += [there[i], *map(np.int64, a.shape)]
        else:
            spelled.append(np.int64(a) if isinstance(a, int) else a)
    grid, block = ((v,) if isinstance(v, int) else tuple(v) for v in case.launch(args))
    given = tuple(spelled)
    return (
        lambda: function(grid, block, given),
        cupy.cuda.runtime.deviceSynchronize,
        lambda: [cupy.asnumpy(there[i]) for i in case.writes],
    )


def with_numba(case: Case, args: tuple[Any, ...]) -> tuple[Call, Call, Call]:
    """Compile the same source with numba-cuda."""
    there = [numba_cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
    launch = numba_cuda.jit(bind(case.kernel, numba_cuda))[case.launch(args)]
    return (
        lambda: launch(*there),
        numba_cuda.synchronize,
        lambda: [there[i].copy_to_host() for i in case.writes],
    )


def repeated(call: Call, wait: Call, seconds: float = 0.01) -> tuple[float, int]:
    """Return the time of one of as many calls as take about so long, and how many."""
    n = 1
    while True:
        began = time.perf_counter()
        for _ in range(n):
            call()
        wait()
        took = time.perf_counter() - began
        if took >= seconds or n >= 1 << 14:
            return took / n, n
        n *= 2


def rounds_of(made: dict[str, tuple[Call, Call]], rounds: int) -> dict[str, list[float]]:
    """Time each in turns, in seconds."""
    many = {name: repeated(*calls)[1] for name, calls in made.items()}
    times: dict[str, list[float]] = {name: [] for name in made}
    for _ in range(rounds):
        for name, (call, wait) in made.items():
            began = time.perf_counter()
            for _ in range(many[name]):
                call()
            wait()
            times[name].append((time.perf_counter() - began) / many[name])
    return times


def kernel_row(case: Case, rounds: int) -> dict[str, Any]:
    """Compile, compare and time one kernel."""
    args = copies(case, SIZES[case.name])
    makers: dict[str, Callable[[], tuple[Call, Call, Call]]] = {
        "swathe": lambda: with_swathe(case, args),
        "unchecked": lambda: with_swathe(case, args, boundscheck=False),
    }
    if cupy is not None:
        makers["cuda-c"] = lambda: with_cuda_c(case, args)
    if numba_cuda is not None:
        makers["numba"] = lambda: with_numba(case, args)
    row: dict[str, Any] = {"first": {}, "failed": {}, "times": {}}
    made, results = {}, {}
    for name, make in makers.items():
        try:
            began = time.perf_counter()
            call, wait, fetch = make()
            call()
            wait()
            row["first"][name] = time.perf_counter() - began
            results[name] = fetch()
            made[name] = call, wait
        except Exception as e:
            row["failed"][name] = f"{type(e).__name__}: {e}"[:300]
    reference = results.get("cuda-c") or results.get("numba")
    for name, got in results.items():
        if reference and not all(
            np.allclose(g, w, rtol=max(case.rtol, 1e-6) * 10, atol=case.rtol * np.abs(w).max())
            or (g != w).mean() <= max(case.strays, 0)
            for g, w in zip(got, reference, strict=True)
        ):
            row["failed"][name] = "another result than that of CUDA C"
    row["times"] = rounds_of(made, rounds)
    return row


def primitive_rows() -> Iterator[tuple[str, dict[str, tuple[Call, Call]]]]:
    """Yield primitives and array chains beside CuPy's and PyTorch's, over 2^26 float32."""
    from swathe import xp

    n = 1 << 26
    queue = swathe.Queue("cuda")
    host = np.random.default_rng(1).random(n, np.float32)
    keys = np.random.default_rng(2).integers(0, 1 << 31, n).astype(np.int32)
    s, k = queue.to_device(host), queue.to_device(keys)
    lazy = swathe.lazy(s)
    ours: dict[str, Call] = {
        "reduce add": lambda: prim.reduce(np.add, s),
        "reduce max": lambda: prim.reduce(max, s),
        "scan add": lambda: prim.scan(np.add, s),
        "map": lambda: prim.map(lambda v: v * v + np.float32(1), s),
        "sort float32": lambda: prim.sort(s),
        "sort int32": lambda: prim.sort(k),
        "sort_by_key": lambda: prim.sort_by_key(k, s),
        "kselect": lambda: prim.kselect(s, n // 2),
        "topk 100": lambda: prim.topk(s, 100),
        "compact": lambda: prim.compact(s, lambda v: v > np.float32(0.5)),
        "chain of 6": lambda: (xp.sqrt(lazy * 2 + 1) * xp.exp(-lazy) + 3).compute(),
        "chain, sum": lambda: float(xp.sum(xp.sqrt(lazy * 2 + 1) * xp.exp(-lazy))),
    }
    theirs: dict[str, dict[str, Call]] = {"cupy": {}, "torch": {}}
    waits: dict[str, Call] = {"swathe": queue.sync}
    if cupy is not None:
        c, ck = cupy.asarray(host), cupy.asarray(keys)
        waits["cupy"] = cupy.cuda.runtime.deviceSynchronize
        theirs["cupy"] = {
            "reduce add": lambda: float(c.sum()),
            "reduce max": lambda: float(c.max()),
            "scan add": lambda: cupy.cumsum(c),
            "map": lambda: c * c + np.float32(1),
            "sort float32": lambda: cupy.sort(c),
            "sort int32": lambda: cupy.sort(ck),
            "kselect": lambda: cupy.partition(c, n // 2),
            "compact": lambda: c[c > np.float32(0.5)],
            "chain of 6": lambda: cupy.sqrt(c * 2 + 1) * cupy.exp(-c) + 3,
            "chain, sum": lambda: float((cupy.sqrt(c * 2 + 1) * cupy.exp(-c)).sum()),
        }
    if torch is not None:
        t, tk = torch.from_numpy(host).cuda(), torch.from_numpy(keys).cuda()
        waits["torch"] = torch.cuda.synchronize
        theirs["torch"] = {
            "reduce add": lambda: float(t.sum()),
            "reduce max": lambda: float(t.max()),
            "scan add": lambda: torch.cumsum(t, 0),
            "map": lambda: t * t + 1,
            "sort float32": lambda: torch.sort(t),
            "sort int32": lambda: torch.sort(tk),
            "sort_by_key": lambda: torch.gather(t, 0, torch.argsort(tk)),
            "kselect": lambda: torch.kthvalue(t, n // 2),
            "topk 100": lambda: torch.topk(t, 100),
            "compact": lambda: t[t > 0.5],
            "chain of 6": lambda: torch.sqrt(t * 2 + 1) * torch.exp(-t) + 3,
            "chain, sum": lambda: float((torch.sqrt(t * 2 + 1) * torch.exp(-t)).sum()),
        }
    for name, call in ours.items():
        calls = {"swathe": (call, waits["swathe"])}
        for who, rows in theirs.items():
            if name in rows:
                calls[who] = rows[name], waits[who]
        yield name, calls


def printed(title: str, rows: dict[str, dict[str, list[float]]], columns: list[str]) -> None:
    """Print the least and the median times, and ratios of the least."""
    print(f"\n{title}, us: least (median), and swathe's over each")
    heads = [f"{c:>20}" for c in columns] + [f"{c:>10}" for c in columns[1:]]
    print(f"{'':16}" + "".join(heads))
    for name, times in rows.items():
        cells = ""
        for c in columns:
            t = times.get(c)
            median = f"({statistics.median(t) * 1e6:.1f})" if t else ""
            cells += f"{min(t) * 1e6:10.1f}{median:>10}" if t else " " * 20
        for c in columns[1:]:
            ok = times.get(c) and times.get("swathe")
            cells += f"{min(times['swathe']) / min(times[c]):10.2f}" if ok else " " * 10
        print(f"{name:16}{cells}", flush=True)


def main() -> int:
    """Measure, print; return 1 when anything failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="names of rows, with commas between")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, help="write all the times to this file")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    kernels: dict[str, Any] = {}
    failed = 0
    for case in [*CASES, LAUNCH]:
        if only and case.name not in only:
            continue
        kernels[case.name] = kernel_row(case, options.rounds)
        for who, why in kernels[case.name]["failed"].items():
            print(f"{case.name}: {who}: {why}", flush=True)
            failed += 1
    names = ["swathe", "unchecked", "cuda-c", "numba"]
    printed("kernels", {n: r["times"] for n, r in kernels.items()}, names)
    firsts = {n: {c: [t] for c, t in r["first"].items()} for n, r in kernels.items()}
    printed("first run", firsts, names)
    primitives: dict[str, dict[str, list[float]]] = {}
    for name, calls in primitive_rows():
        if only and name not in only:
            continue
        good = {}
        for who, (call, wait) in calls.items():
            try:
                call()
                wait()
                good[who] = call, wait
            except Exception:
                print(f"{name}: {who} failed\n{traceback.format_exc(limit=-3)}", flush=True)
                failed += who == "swathe"
        primitives[name] = rounds_of(good, options.rounds)
    printed("primitives", primitives, ["swathe", "cupy", "torch"])
    if options.json:
        options.json.write_text(json.dumps({"kernels": kernels, "primitives": primitives}) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
