#!/usr/bin/env python3
"""Kernels over a grid of threads, on the processor: swathe beside PoCL, plain C and a simulator.

The same source, kernels_grid_py.py, runs in the first, second and last column; every result is
compared with NumPy's before anything is timed, and implementations take turns. Columns:

    swathe      the CPU as a device, as users get it: bounds checks on
    unchecked   boundscheck=False
    pocl        the same kernel through swathe's OpenCL target, on PoCL
    cuda        the same kernel on a CUDA device, where there is one
    opencl      the kernel written by hand in OpenCL C, on PoCL
    c           loops without a grid: gcc -O3 -march=native -fopenmp
    simulator   Numba's CUDA simulator, in a process of its own, at a tiny size, and from there
                scaled by the work

Arrays lie on the device before the clock starts. `--threads N` is for all but the simulator.
Then: what it takes until a kernel has run for the first time, and what a launch of a kernel that
does nothing takes. Nothing comes from a cache on disk there; the simulator compiles nothing.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SIMULATE = "--simulate" in sys.argv
if SIMULATE:
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
from kernels import THREADS, c_arguments, geometric_mean  # noqa: E402  (first: it sets OpenMP up)

os.environ["POCL_MAX_PTHREAD_COUNT"] = str(THREADS)
os.environ["POCL_KERNEL_CACHE"] = "0"

import numpy as np  # noqa: E402
from kernels_grid_py import CASES, LAUNCH, Case, bind  # noqa: E402

HERE = Path(__file__).resolve().parent
COLUMNS = ("swathe", "unchecked", "pocl", "cuda", "opencl", "c", "simulator")

# name: (columns over columns, target for the geometric mean)
RATIOS: dict[str, tuple[str, str, float | None]] = {
    "/opencl": ("swathe", "opencl", 1.0),
    "/pocl": ("swathe", "pocl", 1.0),
    "/c": ("swathe", "c", 1.5),
    "checked/un": ("swathe", "unchecked", None),
    "/simulator": ("swathe", "simulator", 0.001),
    "/cuda": ("swathe", "cuda", None),
}
Call = Callable[[], Any]


def compile_c(folder: Path) -> ctypes.CDLL:
    """Build the C yardstick."""
    flags = ["-O3", "-march=native", "-fno-math-errno", "-fPIC", "-std=gnu11", "-fopenmp"]
    made = folder / "kernels_grid.so"
    subprocess.run(
        ["gcc", *flags, "-shared", HERE / "kernels_grid.c", "-o", made, "-lm"], check=True
    )
    return ctypes.CDLL(str(made))


def simulate(only: set[str]) -> int:
    """Print, as JSON, what the simulator would take by kernel, in seconds."""
    import numba.cuda

    found = {}
    for case in CASES:
        if only and case.name not in only:
            continue
        args = case.make(np.random.default_rng(1), case.tiny)
        want = expected(case, args)
        kernel = numba.cuda.jit(bind(case.kernel, numba.cuda))
        start = time.perf_counter()
        with np.errstate(all="ignore"):
            kernel[case.launch(args)](*args)
        took = time.perf_counter() - start
        found[case.name] = took * (case.size / case.tiny) ** case.power
        if why := differs(case, args, want):
            print(f"{case.name}: simulator: {why}", file=sys.stderr)
    print(json.dumps(found))
    return 0


def simulated(only: str) -> dict[str, float]:
    """Run the simulator in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--simulate", "--only", only]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    sys.stderr.write(run.stderr)
    return json.loads(run.stdout) if run.returncode == 0 else {}


def expected(case: Case, args: tuple[Any, ...]) -> np.ndarray:
    """Return what NumPy makes of the array that is written."""
    return np.asarray(case.numpy(*args))


def differs(case: Case, args: tuple[Any, ...], want: np.ndarray) -> str:
    """Say how a result differs from NumPy's, if it does."""
    got = args[case.writes[0]]
    scale = float(np.abs(want).max()) if want.size else 1.0
    if np.allclose(got, want, rtol=case.rtol, atol=case.rtol * scale):
        return ""
    bad = np.argwhere(~np.isclose(got, want, rtol=case.rtol, atol=case.rtol * scale))
    if len(bad) <= case.strays * want.size:
        return ""
    at = tuple(int(i) for i in bad[0])
    return f"{len(bad)} of {want.size} differ, at {at}: {got[at]} for {want[at]}"


def only_kernel(source: str, name: str) -> str:
    """Return the source without other kernels, so that they are not compiled."""
    kernels = re.findall(r"^kernel void\n(\w+)\(.*?^}\n", source, re.M | re.S)
    for other in set(kernels) - {name}:
        source = re.sub(rf"^kernel void\n{other}\(.*?^}}\n", "", source, flags=re.M | re.S)
    return source


class Bench:
    """One kernel, its implementations bound to shared arguments, and what they took.

    `first` has the milliseconds of each one's compilation and first run.
    """

    def __init__(self, case: Case, size: int, library: ctypes.CDLL, leave: set[str]) -> None:
        self.case = case
        self.args = case.make(np.random.default_rng(1), size)
        self.want = expected(case, self.args)
        self.fresh = {i: self.args[i].copy() for i in case.writes}
        self.calls: dict[str, Call] = {}
        self.fetch: dict[str, Call] = {}  # brings the result into args
        self.reset: dict[str, Call] = {}  # puts args as they were
        self.failed: dict[str, str] = {}
        self.times: dict[str, list[float]] = {}
        self.first: dict[str, float] = {}
        for name, make in {
            "swathe": lambda: self.bind_swathe({}),
            "unchecked": lambda: self.bind_swathe({"boundscheck": False}),
            "pocl": lambda: self.bind_device("pocl", "opencl"),
            "cuda": lambda: self.bind_device("cuda", "cuda"),
            "opencl": self.bind_opencl,
            "c": lambda: self.bind_c(library),
        }.items():
            if name in leave:
                continue
            self.reset[name], self.fetch[name] = self.restore, lambda: None
            start = time.perf_counter()
            try:
                self.calls[name] = make()
                self.calls[name]()
                self.first[name] = (time.perf_counter() - start) * 1e3
            except Exception as error:
                self.failed[name] = f"{type(error).__name__}: {error}"

    def bind_swathe(self, options: dict[str, bool]) -> Call:
        """Compile for the CPU."""
        from swathe.compat.numba import cuda

        kernel = cuda.jit(cache=False, **options)(bind(self.case.kernel, cuda))
        launch = kernel[self.case.launch(self.args)]
        return lambda: launch(*self.args)

    def bind_device(self, column: str, selector: str) -> Call:
        """Compile the same for a device; arrays stay there."""
        import swathe
        from swathe.compat.numba import cuda

        queue = swathe.Queue(selector)
        args = [queue.to_device(a) if isinstance(a, np.ndarray) else a for a in self.args]
        kernel = cuda.jit(bind(self.case.kernel, cuda))
        launch = kernel[(*self.case.launch(self.args), queue)]

        def call() -> None:
            launch(*args)
            queue.sync()

        def reset() -> None:
            for i, array in self.fresh.items():
                args[i].copy_from_host(array)

        def fetch() -> None:
            for i in self.fresh:
                np.copyto(self.args[i], args[i].copy_to_host())

        self.reset[column], self.fetch[column] = reset, fetch
        return call

    def bind_opencl(self) -> Call:
        """Build the kernel written in OpenCL C."""
        from opencl_host import OpenCL

        cl = OpenCL()
        buffers = {i: cl.buffer(a) for i, a in enumerate(self.args) if isinstance(a, np.ndarray)}
        spelled: list[Any] = []
        for i, arg in enumerate(self.args):
            one = c_arguments([arg])
            spelled += [buffers[i], *one[1:]] if i in buffers else one
        program = cl.build(only_kernel((HERE / "kernels_grid.cl").read_text(), self.case.name))

        def move(arrays: dict[int, np.ndarray], write: bool) -> None:
            for i, array in arrays.items():
                cl.move(buffers[i], array, write)

        self.reset["opencl"] = lambda: move(self.fresh, True)
        self.fetch["opencl"] = lambda: move({i: self.args[i] for i in self.fresh}, False)
        return cl.kernel(program, self.case.name, spelled, *self.case.launch(self.args))

    def bind_c(self, library: ctypes.CDLL) -> Call:
        """Bind the C function."""
        function = getattr(library, self.case.name)
        function.restype = None
        spelled = c_arguments(self.args)
        return lambda: function(*spelled)

    def restore(self) -> None:
        """Put the arguments back as they were before a call changed them."""
        for i, array in self.fresh.items():
            np.copyto(self.args[i], array)

    def compare(self) -> None:
        """Run each implementation once, and drop those whose result is not NumPy's."""
        for name, call in list(self.calls.items()):
            try:
                self.reset[name]()
                call()
                for i in self.fresh:  # what is looked at comes from the device
                    if self.fetch[name].__closure__:
                        self.args[i].fill(0)
                self.fetch[name]()
                why = differs(self.case, self.args, self.want)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
            if why:
                self.failed[name] = why
                del self.calls[name]

    def settle(self, call: Call) -> None:
        """Call it until the threads of the one before sleep."""
        until = time.perf_counter() + 8e-3
        while THREADS > 1 and time.perf_counter() < until:
            call()

    def run(self, rounds: int, budget: float) -> None:
        """Time the implementations in turns, each round in another order."""
        self.times = {name: [] for name in self.calls}
        calls, order = list(self.calls.items()), random.Random(0)
        began = time.perf_counter()
        for n in range(rounds):
            order.shuffle(calls)
            for name, call in calls:
                self.settle(call)
                self.reset[name]()
                start = time.perf_counter()
                call()
                self.times[name].append((time.perf_counter() - start) * 1e3)
            if n >= 4 and time.perf_counter() - began > budget:
                break


def ratios(times: dict[str, float]) -> dict[str, float]:
    """Return the ratios that one kernel's times allow."""
    return {
        label: times[over] / times[under]
        for label, (over, under, _) in RATIOS.items()
        if times.get(over) and times.get(under)
    }


def table(title: str, rows: dict[str, dict[str, float]]) -> dict[str, list[float]]:
    """Print the times of all kernels; return their ratios by label."""
    print(f"\n{title}, ms, {THREADS} thread{'s' * (THREADS > 1)}")
    print(f"{'':15}" + "".join(f"{c:>11}" for c in COLUMNS) + "".join(f"{r:>12}" for r in RATIOS))
    collected: dict[str, list[float]] = {label: [] for label in RATIOS}
    for name, times in rows.items():
        ratio = ratios(times)
        cells = "".join(f"{times[c]:11.3f}" if c in times else f"{'':11}" for c in COLUMNS)
        for label in RATIOS:
            cells += f"{ratio[label]:12.3g}" if label in ratio else f"{'':12}"
            if label in ratio:
                collected[label].append(ratio[label])
        print(f"{name:15}{cells}")
    return collected


def verdict(collected: dict[str, list[float]]) -> None:
    """Print the means and the extremes beside their targets."""
    print(f"\n{'ratio':16}{'mean':>10}{'target':>10}{'worst':>10}")
    for label, (_, _, target) in RATIOS.items():
        if not collected[label]:
            continue
        mean, worst = geometric_mean(collected[label]), max(collected[label])
        said = "" if target is None else "  met" if mean <= target else "  missed"
        print(f"{label:16}{mean:10.3g}{target or '':>10}{worst:10.3g}{said}")


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="names of kernels, with commas between")
    parser.add_argument("--threads", type=int, default=1, help="threads of each (default 1)")
    parser.add_argument("--rounds", type=int, default=25, help="calls of each (default 25)")
    parser.add_argument("--leave", default="", help="columns to leave out")
    parser.add_argument("--json", type=Path, help="write all the times to this file")
    parser.add_argument("--simulate", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


Times = dict[str, dict[str, list[float]]]


def measure(
    only: set[str], leave: set[str], rounds: int, slow: dict[str, float]
) -> tuple[Times, Times, int]:
    """Run the chosen kernels; return their times, the first ones, and how many failed."""
    results: Times = {}
    firsts: Times = {}
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        library = compile_c(Path(folder))
        Bench(LAUNCH, LAUNCH.size, library, leave)  # what is loaded once for all kernels
        for case in [*CASES, LAUNCH]:
            if only and case.name not in only:
                continue
            bench = Bench(case, case.size, library, leave)
            if case is LAUNCH:
                print_overhead(bench)
                continue
            bench.compare()
            bench.run(rounds, budget=15)
            results[case.name] = bench.times
            firsts[case.name] = {
                name: [max(0.0, took - min(bench.times[name]))]
                for name, took in bench.first.items()
                if bench.times.get(name)
            }
            if case.name in slow:
                bench.times["simulator"] = [slow[case.name] * 1e3]
            failures += len(bench.failed)
            for name, why in bench.failed.items():
                print(f"{case.name}: {name} failed: {why}", file=sys.stderr)
    return results, firsts, failures


def print_overhead(bench: Bench) -> None:
    """Time launches that do nothing: the best of some runs of many."""
    bench.failed.clear()  # there is no such loop in C
    print(f"\na launch of one thread that does nothing, us, {THREADS} thread{'s' * (THREADS > 1)}")
    for name, call in bench.calls.items():
        best = float("inf")
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(500):
                call()
            best = min(best, (time.perf_counter() - start) / 500)
        print(f"{name:15}{best * 1e6:11.2f}" + ("     target 1.5" if name == "swathe" else ""))


def print_first(rows: Times) -> None:
    """Print how long each took to compile."""
    names = [c for c in COLUMNS if any(c in r for r in rows.values()) and c != "c"]
    print("\nto compile, ms\n" + f"{'':15}" + "".join(f"{c:>11}" for c in names))
    for name, row in rows.items():
        print(
            f"{name:15}" + "".join(f"{row[c][0]:11.1f}" if c in row else f"{'':11}" for c in names)
        )


def main() -> int:
    """Measure, print, and return 1 when an implementation failed or gave another result."""
    options = parse()
    only = set(filter(None, options.only.split(",")))
    if unknown := only - {c.name for c in [*CASES, LAUNCH]}:
        sys.exit(f"no such kernel: {', '.join(sorted(unknown))}")
    if SIMULATE:
        return simulate(only)
    import swathe

    swathe.set_num_threads(THREADS)
    leave = set(options.leave.split(","))
    if not any(d.backend == "cuda" for d in swathe.devices()):
        leave.add("cuda")
    slow = {} if "simulator" in leave else simulated(options.only)
    results, firsts, failures = measure(only, leave, options.rounds, slow)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    for title, pick in (("median", statistics.median), ("minimum", min)):
        rows = {n: {c: pick(t) for c, t in times.items()} for n, times in results.items()}
        collected = table(title, rows)
    verdict(collected)
    print_first(firsts)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
