#!/usr/bin/env python3
"""Whole programs: swathe beside NumPy (CPython) and Numba.

    python bench/programs [--only NAMES] [--field NAMES] [--size small] [--threads N] [--no-numba]

Every program is compiled as it stands, called with arguments of the small size (the first call),
compared with what CPython returns, and timed at the full size: all take turns, each call with fresh
copies of the arguments, made outside of the time. Ratios are of minima, `~` of medians.
Of one thread the processor's time counts, so that other programs don't.

With `--threads N`, swathe and Numba get `parallel=True` and N threads, and so does NumPy's BLAS;
Numba also plain, for it is not always faster with it: the better one counts.
"""

from __future__ import annotations

import argparse
import copy
import gc
import json
import math
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import asked  # noqa: E402

THREADS = asked.threads("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
CLOCK = time.thread_time if THREADS == 1 else time.perf_counter

import numpy as np  # noqa: E402

from programs import PROGRAMS, Program, agree, bind  # noqa: E402

COLUMNS = ("numpy", "swathe", "numba")
Times = dict[str, list[float]]
Compiler = Callable[[Program], Callable[..., Any]]


def compilers(with_numba: bool) -> dict[str, Compiler]:
    """Return what makes a callable of a program, by column; both compilers are warmed up."""
    import swathe

    parallel = THREADS > 1
    loop = swathe.prange if parallel else range
    jit = swathe.njit(cache=False, parallel=parallel)
    found: dict[str, Compiler] = {"swathe": lambda p: jit(bind(p.function, loop, lambda f: f))}
    swathe.njit(cache=False)(lambda a: a + 1.0)(np.ones(3))
    if parallel:
        swathe.set_num_threads(THREADS)
    if not with_numba:
        return found
    try:
        import numba
    except ImportError:
        print("numba is not installed", file=sys.stderr)
        return found
    plain = numba.njit
    found["numba"] = lambda p: plain(bind(p.function, range, plain))
    plain(lambda a: a + 1.0)(np.ones(3))
    if parallel:
        numba.set_num_threads(THREADS)
        many = numba.njit(parallel=True)
        found["numba parallel"] = lambda p: many(bind(p.function, numba.prange, plain))
    return found


class Bench:
    """One program: what runs it, how long its first calls took, and all times."""

    def __init__(self, program: Program, makers: dict[str, Compiler], size: str) -> None:
        self.program = program
        self.args = program.arguments(size)
        self.calls: dict[str, Callable[..., Any]] = {"numpy": program.function}
        self.first: dict[str, float] = {}
        self.failed: dict[str, str] = {}
        self.times: Times = {}
        for name, make in makers.items():
            try:
                self.add(name, make(program))
            except Exception as error:
                text = " ".join(str(error).split("\n")[:4])
                self.failed[name] = f"{type(error).__name__}: {text[:200]}"

    def add(self, name: str, call: Callable[..., Any]) -> None:
        """Call it for the first time, and compare: at the small size, then at this one."""
        args = self.program.arguments("small")
        start = time.perf_counter()
        got = call(*args)
        self.first[name] = (time.perf_counter() - start) * 1e3
        want = self.program.function(*self.program.arguments("small"))
        strict = name == "swathe"
        if not agree(got, want, self.program.rtol) and (strict or not self.close(got, want)):
            self.failed[name] = "another result than NumPy's"
            return
        self.calls[name] = call

    def close(self, got: Any, want: Any) -> bool:
        """Tell whether numbers agree, whatever their types: others' dtypes are theirs."""
        if isinstance(want, (tuple, list)):
            return len(got) == len(want) and all(map(self.close, got, want))
        return agree(np.asarray(got, np.complex128), np.asarray(want, np.complex128), 1e-4)

    def run(self, rounds: int, budget: float) -> None:
        """Time all in turns, each round in another order, until the budget is spent."""
        self.times = {name: [] for name in self.calls}
        calls, order = list(self.calls.items()), random.Random(0)
        for call in self.calls.values():
            call(*copy.deepcopy(self.args))
        began = time.perf_counter()
        for n in range(rounds):
            order.shuffle(calls)
            for name, call in calls:
                args = copy.deepcopy(self.args)
                start = CLOCK()
                call(*args)
                self.times[name].append((CLOCK() - start) * 1e3)
            if n >= 2 and time.perf_counter() - began > budget:
                break

    def result(self) -> dict[str, Any]:
        """Return what is kept of it."""
        return {
            "field": self.program.field,
            "style": self.program.style,
            "first": self.first,
            "failed": self.failed,
            "times": self.times,
        }


def row(result: dict[str, Any], pick: Callable[[list[float]], float]) -> dict[str, float]:
    """Return one time for each column, the better of Numba's."""
    times = {name: pick(t) for name, t in result["times"].items() if t}
    if "numba parallel" in times:
        times["numba"] = min(times.get("numba", math.inf), times.pop("numba parallel"))
    return times


def cell(value: float | None, width: int, digits: int) -> str:
    """Print a number, or nothing."""
    return f"{'':{width}}" if value is None else f"{value:{width}.{digits}f}"


def table(results: dict[str, dict[str, Any]]) -> None:
    """Print the times of all programs, and their ratios."""
    head = "".join(f"{c:>10}" for c in COLUMNS)
    ratios = f"{'/numpy':>8}{'~':>7}{'/numba':>8}{'~':>7}"
    print(f"{'':28}{head}{ratios}{'first':>8}{'numba':>8}   ms")
    field = ""
    for name, result in results.items():
        if result["field"] != field:
            field = result["field"]
            print(field)
        least, middle = row(result, min), row(result, statistics.median)
        text = f"  {name:26}" + "".join(cell(least.get(c), 10, 3) for c in COLUMNS)
        for peer in ("numpy", "numba"):
            for times, width in ((least, 8), (middle, 7)):
                known = "swathe" in times and peer in times
                text += cell(times["swathe"] / times[peer] if known else None, width, 3)
        first = result["first"]
        theirs = first.get("numba parallel", first.get("numba"))
        print(text + cell(first.get("swathe"), 8, 0) + cell(theirs, 8, 0))


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(statistics.fmean(map(math.log, values)))


def verdict(results: dict[str, dict[str, Any]]) -> None:
    """Print the means beside their targets, and the programs above the limit."""
    groups = (
        ("arrays/numpy", "arrays", "numpy", 0.35),
        ("loops/numpy", "loops", "numpy", 0.1),
        ("all/numba", "", "numba", 0.4),
    )
    print()
    for title, style, peer, target in groups:
        ratio = {}
        for name, result in results.items():
            times = row(result, min)
            if style in ("", result["style"]) and {"swathe", peer} <= times.keys():
                ratio[name] = times["swathe"] / times[peer]
        if not ratio:
            continue
        mean = geometric_mean(list(ratio.values()))
        above = {n: r for n, r in ratio.items() if r > 1.05}
        print(f"{title:14}{mean:7.3f} of {target}  {len(ratio)} programs, above 1.05: {len(above)}")
        for name, value in sorted(above.items(), key=lambda item: -item[1]):
            print(f"    {name:26}{value:6.2f}")
    pairs = [
        (f["swathe"], max(f.get("numba parallel", 0), f.get("numba", 0)))
        for f in (r["first"] for r in results.values())
        if "swathe" in f
    ]
    if not pairs:
        return
    both = [(a, b) for a, b in pairs if b]
    slow = sum(a > 400 for a, _ in pairs)
    print(f"first calls   {sum(a for a, _ in pairs):7.0f} ms in all, {slow} above 400 ms", end="")
    if both:
        print(f", {sum(a for a, _ in both) / sum(b for _, b in both):.4f} of Numba's")
    else:
        print()


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="names of programs, with commas between")
    parser.add_argument("--field", default="", help="names of fields (files), likewise")
    parser.add_argument("--size", choices=("small", "full"), default="full")
    parser.add_argument("--threads", type=int, default=1, help="threads of each (default 1)")
    parser.add_argument("--rounds", type=int, default=15, help="calls of each (default 15)")
    parser.add_argument("--budget", type=float, default=2.0, help="seconds a program (default 2)")
    parser.add_argument("--no-numba", action="store_true", help="leave Numba out")
    parser.add_argument("--json", type=Path, help="write all the times to this file")
    return parser.parse_args()


def chosen(options: argparse.Namespace) -> list[Program]:
    """Return the programs that the command line asks for."""
    only = set(filter(None, options.only.split(",")))
    fields = set(filter(None, options.field.split(",")))
    if unknown := only - {p.name for p in PROGRAMS}:
        sys.exit(f"no such program: {', '.join(sorted(unknown))}")
    return [
        p for p in PROGRAMS if (not only or p.name in only) and (not fields or p.field in fields)
    ]


def main() -> int:
    """Measure, print, and return 1 when swathe refused a program or gave another result."""
    options = parse()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    makers = compilers(not options.no_numba)
    results, failures = {}, 0
    for program in chosen(options):
        bench = Bench(program, makers, options.size)
        bench.run(options.rounds, options.budget)
        results[program.name] = bench.result()
        failures += "swathe" in bench.failed
        for name, why in bench.failed.items():
            print(f"{program.name}: {name}: {why}", file=sys.stderr)
        gc.collect()
    table(results)
    verdict(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
