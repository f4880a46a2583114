#!/usr/bin/env python3
"""How long one waits: import, first call, a call from the cache, and what each call costs.

Every figure is measured for swathe and, when it is installed, for Numba, in turns within one run;
processes are started afresh where the figure is about a fresh process, with a cache folder of
their own. Prints minimum and median, Numba's over swathe's, and the target.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
FUNCTIONS = ("trivial", "sum2d", "matmul", "mandelbrot", "nbody")
TOOLS = tuple(
    t for t in ("swathe", "numba") if (spec := importlib.util.find_spec(t)) and spec.origin
)

# What each figure should be at most, in the unit of its row.
TARGETS = {
    "import": 12,
    "first trivial": 20,
    "first sum2d": 25,
    "first matmul": 30,
    "first mandelbrot": 30,
    "first nbody": 80,
    "next trivial": 5,
    "next sum2d": 10,
    "next matmul": 12,
    "next mandelbrot": 12,
    "next nbody": 50,
    "cached trivial": 20,
    "cached sum2d": 20,
    "cached matmul": 20,
    "cached mandelbrot": 20,
    "cached nbody": 20,
    "call take0": 40,
    "call take_scalar": 50,
    "call take_array": 70,
    "call take4": 120,
    "peak memory": 80,
}

# --- programs that run in a fresh process ------------------------------------------------

PRELUDE = """
import sys, time, json
sys.path.insert(0, {here!r})
import numpy as np
clock = time.perf_counter
"""

IMPORT = """
start = clock()
import {tool}
print(json.dumps((clock() - start) * 1e3))
"""

# The functions one after the other; the first name is the one that finds the process fresh.
CALLS = """
from {tool} import njit
import latency_fns as fns
out = {{}}
for name in {names!r}:
    args = fns.arguments(name)
    start = clock()
    njit({options})(getattr(fns, name))(*args)
    out[name] = (clock() - start) * 1e3
status = open("/proc/self/status").read()
out["peak"] = int(status.split("VmHWM:")[1].split()[0]) / 1024
print(json.dumps(out))
"""

CACHED = """
from {tool} import njit
import latency_fns as fns
njit({options})(fns.{name})(*fns.arguments({name!r}))
"""

# Calls in turns in one process: the figure is a loop of calls less the empty loop, in ns.
DISPATCH = """
import importlib, itertools, latency_fns as fns
a = np.zeros(8)
arguments = {{"take0": (), "take_scalar": (1.5,), "take_array": (a,), "take4": (a, a, a, a)}}
count = {count}
empty = lambda: None
def loop(f, args):
    many = itertools.repeat(None, count)
    if len(args) == 0:
        start = clock()
        for _ in many: f()
    elif len(args) == 1:
        x, = args
        start = clock()
        for _ in many: f(x)
    else:
        x, y, z, w = args
        start = clock()
        for _ in many: f(x, y, z, w)
    return clock() - start
def nothing():
    start = clock()
    for _ in itertools.repeat(None, count): pass
    return clock() - start
compiled = {{(t, n): importlib.import_module(t).njit(getattr(fns, n))
            for t in {tools!r} for n in arguments}}
for (_, name), f in compiled.items():
    f(*arguments[name])
out = {{t: {{n: [] for n in arguments}} for t in {tools!r}}}
for _ in range({rounds}):
    for (tool, name), f in compiled.items():
        out[tool][name].append((loop(f, arguments[name]) - nothing()) / count * 1e9)
print(json.dumps(out))
"""

Samples = dict[str, dict[str, list[float]]]  # figure: tool: samples


def environment(cache: Path) -> dict[str, str]:
    """Return the environment of a child, with a cache folder that is its own."""
    return {**os.environ, "SWATHE_CACHE_DIR": str(cache), "NUMBA_CACHE_DIR": str(cache)}


def child(program: str, cache: Path, **fields: object) -> str:
    """Run a program in a fresh Python; return what it printed."""
    code = (PRELUDE + program).format(here=str(HERE), **fields)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(cache), capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{fields}: {done.stderr.strip()[-1000:]}")
    return done.stdout


class Bench:
    """The samples of all figures, as they come in."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.samples: Samples = {}
        self.failed: list[str] = []

    def add(self, figure: str, tool: str, value: float) -> None:
        """Keep one sample."""
        self.samples.setdefault(figure, {}).setdefault(tool, []).append(value)

    def turns(self, measure: Callable[[str], None], tools: tuple[str, ...] = TOOLS) -> None:
        """Let the tools take turns at a measurement, as often as there are rounds."""
        broken: set[str] = set()
        for _ in range(self.rounds):
            for tool in tools:
                if tool in broken:
                    continue
                try:
                    measure(tool)
                except (RuntimeError, ValueError) as error:
                    broken.add(tool)
                    self.failed.append(f"{tool}: {error}")

    def fresh(self, program: str, **fields: object) -> str:
        """Run a program in a fresh process with an empty cache."""
        with tempfile.TemporaryDirectory() as folder:
            return child(program, Path(folder), **fields)

    def imports(self) -> None:
        """Time the import, beyond NumPy's."""
        self.turns(lambda t: self.add("import", t, float(self.fresh(IMPORT, tool=t))))

    def first_calls(self) -> None:
        """Time each function in a process of its own, and the peak memory of the first."""

        def measure(tool: str, name: str) -> None:
            out = json.loads(self.fresh(CALLS, tool=tool, names=[name], options=""))
            self.add(f"first {name}", tool, out[name])
            if name == "sum2d":
                self.add("peak memory", tool, out["peak"])

        for name in FUNCTIONS:
            self.turns(lambda tool, name=name: measure(tool, name))

    def next_calls(self) -> None:
        """Time each function in a process that has compiled another."""

        def measure(tool: str) -> None:
            names = ["warmup", *FUNCTIONS]
            out = json.loads(self.fresh(CALLS, tool=tool, names=names, options=""))
            for name in FUNCTIONS:
                self.add(f"next {name}", tool, out[name])

        self.turns(measure)

    def cached_calls(self) -> None:
        """Time a whole process that finds its function in the cache, less one that only
        imports NumPy."""
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder)

            def timed(program: str, **fields: object) -> float:
                start = time.perf_counter()
                child(program, cache, **fields)
                return (time.perf_counter() - start) * 1e3

            for name in FUNCTIONS:
                base: list[float] = []

                def measure(tool: str, name: str = name, base: list[float] = base) -> None:
                    fields = {"tool": tool, "name": name, "options": "cache=True"}
                    if (
                        f"cached {name}" not in self.samples
                        or tool not in self.samples[f"cached {name}"]
                    ):
                        timed(CACHED, **fields)
                    base.append(timed(""))
                    took = timed(CACHED, **fields)
                    self.add(f"cached {name}", tool, took - statistics.median(base))

                self.turns(measure)

    def dispatch(self) -> None:
        """Time a call of a function that does nothing."""
        fields = {"count": 20_000, "rounds": 5 * self.rounds}

        def measure(tools: tuple[str, ...]) -> None:
            out = json.loads(self.fresh(DISPATCH, tools=tools, **fields))
            for tool, figures in out.items():
                for name, values in figures.items():
                    self.samples.setdefault(f"call {name}", {})[tool] = values

        try:
            measure(TOOLS)
        except RuntimeError as error:
            self.failed.append(str(error))


def unit(figure: str) -> str:
    """Return the unit of a figure."""
    return {"call": "ns", "peak": "MB"}.get(figure.split()[0], "ms")


def report(samples: Samples) -> int:
    """Print the table; return how many targets were missed."""
    missed = 0
    head = "".join(f"{f'{t} min':>12}{'median':>9}" for t in ("swathe", "numba"))
    print(f"{'':18}{'':3}{head}{'numba/swathe':>14}{'target':>8}")
    for figure, target in TARGETS.items():
        tools = samples.get(figure, {})
        line = f"{figure:18}{unit(figure):3}"
        for tool in ("swathe", "numba"):
            values = tools.get(tool)
            line += f"{min(values):12.1f}{statistics.median(values):9.1f}" if values else " " * 21
        verdict = ""
        if "swathe" in tools:
            met = statistics.median(tools["swathe"]) <= target
            verdict, missed = "met" if met else "missed", missed + (not met)
        ratio = ""
        if len(tools) == 2:
            medians = [statistics.median(tools[t]) for t in ("numba", "swathe")]
            ratio = f"{medians[0] / medians[1]:.1f}"
        print(f"{line}{ratio:>14}{target:8}  {verdict}")
    return missed


def main() -> int:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="import, first, next, cached, call")
    parser.add_argument("--json", type=Path, help="write all the samples to this file")
    options = parser.parse_args()
    bench = Bench(options.rounds)
    parts = {
        "import": bench.imports,
        "first": bench.first_calls,
        "next": bench.next_calls,
        "cached": bench.cached_calls,
        "call": bench.dispatch,
    }
    for name, part in parts.items():
        if not options.only or name in options.only.split(","):
            part()
    report(bench.samples)
    for problem in bench.failed:
        print(f"failed: {problem}", file=sys.stderr)
    if options.json:
        options.json.write_text(json.dumps(bench.samples, indent=1) + "\n")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
