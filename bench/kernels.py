#!/usr/bin/env python3
"""Throughput, on one thread or several: swathe beside C (gcc), Numba and NumPy.

Every implementation of a kernel works on the same memory, and they take turns, so that noise hits
all of them alike; the minimum and the median are printed. The results of all are compared before
anything is timed. Columns:

    swathe      as users get it: bounds checks on, strict floating point
    unchecked   boundscheck=False
    fast        fastmath=True
    gcc         gcc -O3 -march=native
    gcc fast    gcc -O3 -march=native -ffast-math

With `--threads N` all run on N threads: swathe and Numba with parallel=True over the same source,
C with -fopenmp; NumPy stays as it is, and more kernels are measured.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import asked

THREADS = asked.threads("OMP_NUM_THREADS")

import numpy as np  # noqa: E402
from kernels_py import KERNELS, Kernel, bind  # noqa: E402

HERE = Path(__file__).resolve().parent
COLUMNS = ("swathe", "unchecked", "fast", "gcc", "gcc fast", "numba", "numpy")
SWATHE: dict[str, dict[str, bool]] = {
    "swathe": {},
    "unchecked": {"boundscheck": False},
    "fast": {"fastmath": True},
}
Times = dict[str, list[float]]

# name: (columns over columns, target for the geometric mean, target for each kernel)
RATIOS: dict[str, tuple[str, str, float | None, float | None]] = {
    "/gcc": ("swathe", "gcc", 0.75, None),
    "/numba": ("swathe", "numba", 0.7, None),
    "/best": ("swathe", "best", None, 1.1),
    "fast/gcc fast": ("fast", "gcc fast", None, 1.1),
    "checked/un": ("swathe", "unchecked", 1.03, 1.10),
}
if "--peers" in sys.argv:
    COLUMNS += ("pythran", "jax", "taichi")
    RATIOS.update({f"/{peer}": ("swathe", peer, 1.0, None) for peer in COLUMNS[-3:]})
if THREADS > 1:
    RATIOS["/gcc"] = ("swathe", "gcc", 0.6, None)
    RATIOS["/numba"] = ("swathe", "numba", 0.5, None)


def compile_c(folder: Path) -> dict[str, ctypes.CDLL]:
    """Build the C yardsticks. (Linked without -ffast-math, which would flush denormals to zero
    in the whole process.)"""
    libraries = {}
    for name, flags in {"gcc": [], "gcc fast": ["-ffast-math"]}.items():
        stem = folder / name.replace(" ", "-")
        openmp = ["-fopenmp"] if THREADS > 1 else []
        base = ["gcc", "-O3", "-march=native", "-fPIC", "-std=gnu11", *flags, *openmp]
        subprocess.run([*base, "-c", HERE / "kernels.c", "-o", f"{stem}.o"], check=True)
        link = ["gcc", "-shared", f"{stem}.o", "-o", f"{stem}.so", "-lm", *openmp]
        subprocess.run(link, check=True)
        libraries[name] = ctypes.CDLL(f"{stem}.so")
    return libraries


def c_arguments(args: Iterable[Any]) -> list[Any]:
    """Spell arguments for C: an array is its address and its shape."""
    out: list[Any] = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            out += [ctypes.c_void_p(arg.ctypes.data), *map(ctypes.c_int64, arg.shape)]
        elif isinstance(arg, np.float32):
            out.append(ctypes.c_float(arg))
        elif isinstance(arg, int):
            out.append(ctypes.c_int64(arg))
        else:
            out.append(ctypes.c_double(arg))
    return out


def c_call(library: ctypes.CDLL, kernel: Kernel, args: tuple[Any, ...]) -> Callable[[], Any]:
    """Bind a C function to its arguments."""
    function = getattr(library, kernel.c_name)
    function.restype = ctypes.c_double if not kernel.writes else None
    spelled = c_arguments(args)
    return lambda: function(*spelled)


@functools.cache
def decorators() -> dict[str, Callable[[Any], Any]]:
    """Return the compilers that are installed, by column."""
    found: dict[str, Callable[[Any], Any]] = {}
    parallel = THREADS > 1
    try:
        import swathe

        options = {"cache": False, "parallel": parallel}
        loop = swathe.prange if parallel else range
        for column, more in SWATHE.items():
            jit = swathe.njit(**options, **more)
            found[column] = lambda f, jit=jit: jit(bind(f, loop))
        if parallel:
            swathe.set_num_threads(THREADS)
    except (ImportError, AttributeError) as error:
        print(f"swathe is not built: {error}", file=sys.stderr)
    try:
        import numba

        numba_loop = numba.prange if parallel else range
        if parallel:
            numba.set_num_threads(THREADS)
        found["numba"] = lambda f: numba.njit(parallel=parallel)(bind(f, numba_loop, numba.njit))
    except ImportError:
        pass
    return found


@functools.cache
def peers() -> dict[str, Any]:
    """Return Pythran, JAX and Taichi, where installed."""
    from peers import installed

    return installed(THREADS)


class Bench:
    """One kernel, its implementations bound to shared arguments, and what they took."""

    def __init__(self, kernel: Kernel, scale: float, libraries: dict[str, ctypes.CDLL]) -> None:
        self.kernel = kernel
        self.args = kernel.make(np.random.default_rng(1), scale)
        self.fresh = {i: self.args[i].copy() for i in kernel.writes}
        self.calls: dict[str, Callable[[], Any]] = {}
        self.failed: dict[str, str] = {}
        self.times: Times = {}
        for name, decorate in decorators().items():
            if THREADS > 1 and name in kernel.skip:
                continue
            function = decorate(kernel.function)
            self.calls[name] = lambda function=function: function(*self.args)
        for name, library in libraries.items():
            self.calls[name] = c_call(library, kernel, self.args)
        for name, peer in peers().items() if "--peers" in sys.argv else ():
            try:
                self.calls[name] = peer.bind(kernel, self.args)
            except Exception as error:
                print(f"{kernel.name}: {name} leaves it out: {str(error)[:120]}", file=sys.stderr)
        if kernel.numpy:
            self.calls["numpy"] = lambda: kernel.numpy(*self.args)

    def restore(self) -> None:
        """Put the arguments back as they were before a call changed them."""
        for i, array in self.fresh.items():
            np.copyto(self.args[i], array)

    def compare(self) -> None:
        """Run each implementation once, and drop those whose result is not that of C."""
        results: dict[str, list[Any]] = {}
        for name, call in list(self.calls.items()):
            self.restore()
            try:
                value = getattr(call, "checked", call)()
            except Exception as error:
                self.failed[name] = f"{type(error).__name__}: {error}"
                del self.calls[name]
                continue
            written = [self.args[i].copy() for i in self.kernel.writes]
            results[name] = written or [value]
        for name, result in results.items():
            if not all(map(self.agree, result, results["gcc"], [name] * len(result))):
                self.failed[name] = "result differs from C's"
                self.calls.pop(name, None)

    def agree(self, got: Any, want: Any, name: str) -> bool:
        """Tell whether a result is C's; further from it where it may be reassociated."""
        got, want = np.asarray(got), np.asarray(want)
        loose = "fast" in name or name in ("numpy", "jax", "pythran", "taichi") or THREADS > 1
        if want.dtype.kind in "iu":  # counts: a rounding moves one in many to its neighbour
            return int(np.abs(got - want).sum()) <= (1e-2 * want.sum() if loose else 0)
        rtol = self.kernel.rtol * (1000 if loose else 1)
        return np.allclose(got, want, rtol=rtol, atol=rtol * float(np.abs(want).max()))

    def settle(self, call: Callable[[], Any]) -> None:
        """Call it until the threads of the one before sleep."""
        until = time.perf_counter() + 8e-3
        while THREADS > 1 and time.perf_counter() < until:
            self.restore()
            call()

    def run(self, rounds: int, budget: float) -> None:
        """Time the implementations in turns, each round in another order.

        With several threads, the pools of the others still spin for some milliseconds on the cores
        that this one needs; a program has one pool, so its calls wait untimed until they sleep.
        """
        self.times = {name: [] for name in self.calls}
        calls, order = list(self.calls.items()), random.Random(0)
        began = time.perf_counter()
        for n in range(rounds):
            order.shuffle(calls)
            for name, call in calls:
                self.settle(call)
                self.restore()
                start = time.perf_counter()
                call()
                self.times[name].append((time.perf_counter() - start) * 1e3)
            if n >= 4 and time.perf_counter() - began > budget:
                break


def best_peer(times: dict[str, float]) -> float | None:
    """Return the better of gcc's and Numba's time."""
    peers = [times[p] for p in ("gcc", "numba") if p in times]
    return min(peers) if peers else None


def ratios(times: dict[str, float]) -> dict[str, float]:
    """Return the ratios that one kernel's times allow."""
    known: dict[str, float | None] = {**times, "best": best_peer(times)}
    return {
        label: known[over] / known[under]
        for label, (over, under, _, _) in RATIOS.items()
        if known.get(over) and known.get(under)
    }


def table(title: str, rows: dict[str, dict[str, float]]) -> dict[str, list[float]]:
    """Print the times of all kernels; return their ratios by label."""
    print(f"\n{title}, ms")
    print(f"{'':15}" + "".join(f"{c:>10}" for c in COLUMNS) + "".join(f"{r:>14}" for r in RATIOS))
    collected: dict[str, list[float]] = {label: [] for label in RATIOS}
    for name, times in rows.items():
        ratio = ratios(times)
        cells = "".join(f"{times[c]:10.2f}" if c in times else f"{'':10}" for c in COLUMNS)
        for label in RATIOS:
            cells += f"{ratio[label]:14.3f}" if label in ratio else f"{'':14}"
            if label in ratio:
                collected[label].append(ratio[label])
        print(f"{name:15}{cells}")
    return collected


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(statistics.fmean(map(math.log, values)))


def verdict(collected: dict[str, list[float]]) -> None:
    """Print the means and the extremes beside their targets."""
    print(f"\n{'ratio':16}{'mean':>8}{'target':>8}{'worst':>8}{'target':>8}")
    for label, (_, _, mean_target, each_target) in RATIOS.items():
        if not collected[label]:
            continue
        mean, worst = geometric_mean(collected[label]), max(collected[label])
        met = (mean_target is None or mean <= mean_target) and (
            each_target is None or worst <= each_target
        )
        targets = [f"{t:.2f}" if t else "" for t in (mean_target, each_target)]
        print(
            f"{label:16}{mean:8.3f}{targets[0]:>8}{worst:8.3f}{targets[1]:>8}"
            f"  {'met' if met else 'missed'}"
        )


def kernel_targets(rows: dict[str, dict[str, float]]) -> None:
    """Print the kernels that have a target of their own over gcc's OpenMP."""
    for kernel in KERNELS:
        ratio = ratios(rows.get(kernel.name, {})).get("/gcc")
        if kernel.target and ratio:
            met = "met" if ratio <= kernel.target else "missed"
            print(f"{kernel.name + ' /gcc':24}{ratio:8.3f}{kernel.target:8.2f}  {met}")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="names of kernels, with commas between")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, few rounds")
    parser.add_argument("--threads", type=int, default=1, help="threads of each (default 1)")
    parser.add_argument(
        "--peers", action="store_true", help="beside Pythran, JAX and Taichi too, where installed"
    )
    parser.add_argument("--rounds", type=int, default=0, help="calls of each (default 25)")
    parser.add_argument("--json", type=Path, help="write all the times to this file")
    return parser.parse_args()


def measure(options: argparse.Namespace) -> tuple[dict[str, Times], int]:
    """Run the chosen kernels; return their times, and how many implementations failed."""
    only = set(filter(None, options.only.split(",")))
    if unknown := only - {k.name for k in KERNELS}:
        sys.exit(f"no such kernel: {', '.join(sorted(unknown))}")
    scale, rounds = (0.1, 5) if options.quick else (1.0, 25)
    results, failures = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        libraries = compile_c(Path(folder))
        for kernel in KERNELS:
            if (only and kernel.name not in only) or (kernel.threads_only and THREADS == 1):
                continue
            bench = Bench(kernel, scale, libraries)
            bench.compare()
            bench.run(options.rounds or rounds, budget=15)
            results[kernel.name] = bench.times
            failures += len(bench.failed)
            for name, why in bench.failed.items():
                print(f"{kernel.name}: {name} failed: {why}", file=sys.stderr)
    return results, failures


def main() -> int:
    """Measure, print, and return 1 when an implementation failed or gave another result."""
    options = parse()
    results, failures = measure(options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    for title, pick in (("median", statistics.median), ("minimum", min)):
        rows = {n: {c: pick(t) for c, t in times.items()} for n, times in results.items()}
        collected = table(title, rows)
    verdict(collected)
    if THREADS > 1:
        kernel_targets(rows)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
