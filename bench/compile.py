#!/usr/bin/env python3
"""How long compiling takes, stage by stage, and how that grows with the size of the program.

Each family of compile_fns.py is compiled at sizes n, 2n, 4n, 8n and 16n, each in a process of its
own without the disk cache. All times are the processor's. For each stage: milliseconds at the
greatest size and the exponent p of n^p over the doublings. What takes less than a millisecond at
16n has no exponent, and what took less than a fifth of a millisecond counts as that. Prints a
table, and the worst.

`--first` measures the first call of each kernel of kernels.py and of some programs instead.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from compile_fns import FAMILIES, PROGRAMS

HERE = Path(__file__).resolve().parent
DOUBLINGS = 4
LARGE, FLOOR = 1.0, 0.2  # ms: stages to judge, and what counts as measurable
LIMIT = 1.2  # exponent
STAGES = re.compile(r"(?<=[ :])([a-z_]+(?:: [a-z ]+)?) ([0-9.]+)")
LLVM = ("gen: optimise", "gen: machine code", "gen: open", "load")

CHILD = """
import importlib.util, json, resource, sys, time, warnings
sys.path.insert(0, {here!r})
import swathe
from compile_fns import FAMILIES
family = FAMILIES[{family!r}]
resource.setrlimit(resource.RLIMIT_AS, ({memory} << 20,) * 2)
spec = importlib.util.spec_from_file_location("program", {path!r})
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
args = family.arguments()
swathe.njit(lambda: 0)()  # what a process pays once
high = lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
before, error = high(), None
start = time.process_time()
try:
    swathe.njit(program.f, **family.options, **{options})(*args)
except Exception as e:
    error = f"{{type(e).__name__}}: {{str(e)[:120]}}"
took = (time.process_time() - start) * 1e3
print(json.dumps({{"wall": took, "memory": high() - before, "error": error}}))
"""

FIRST = """
import json, sys, time
sys.path.insert(0, {here!r})
import numpy as np, swathe
from kernels_py import KERNELS, bind
from compile_fns import PROGRAMS
if {kernel!r} in PROGRAMS:
    function, make = PROGRAMS[{kernel!r}]
    args = make()
else:
    kernel = next(k for k in KERNELS if k.name == {kernel!r})
    function, args = kernel.function, kernel.make(np.random.default_rng(1), 0.02)
parallel = {parallel}
swathe.njit(lambda: 0)()
start = time.process_time()
swathe.njit(parallel=parallel)(bind(function, swathe.prange if parallel else range))(*args)
took = (time.process_time() - start) * 1e3
print(json.dumps({{"wall": took, "memory": 0.0, "error": None}}))
"""


@dataclass
class Sample:
    """One compile: milliseconds by stage, MiB, and what went wrong."""

    stages: dict[str, float] = field(default_factory=dict)
    wall: float = 0.0
    memory: float = 0.0
    error: str | None = None

    def least(self, other: Sample) -> Sample:
        """Return the smaller time of each stage."""
        stages = {s: min(t, other.stages.get(s, t)) for s, t in self.stages.items()}
        return Sample(
            stages, min(self.wall, other.wall), min(self.memory, other.memory), self.error
        )


def child(code: str, timeout: float) -> Sample:
    """Run a compile in a fresh process."""
    env = {**os.environ, "SWATHE_CACHE_SIZE": "0", "SWATHE_TIME": "2", "OPENBLAS_NUM_THREADS": "1"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # or Python compiles the package each time
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return Sample(wall=timeout * 1e3, error=f"over {timeout:.0f} s")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        return Sample(error=f"exit {done.returncode}: {last[:100]}")
    stages: dict[str, float] = {}
    lines = [line for line in done.stderr.splitlines() if line.startswith("swathe: ")]
    for line in lines[1:]:  # the first is of the warm-up
        for name, ms in STAGES.findall(line.split(" | ")[0].split(": ", 2)[2]):
            stages[name] = stages.get(name, 0.0) + float(ms)
    told = json.loads(done.stdout)
    return Sample(stages, told["wall"], told["memory"], told["error"])


def compile_once(name: str, n: int, options: argparse.Namespace) -> Sample:
    """Compile the program of size n of a family."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(FAMILIES[name].source(n))
        code = CHILD.format(
            here=str(HERE),
            family=name,
            path=str(path),
            memory=options.memory,
            options={"opt_level": 0} if options.ours else {},
        )
        return child(code, options.timeout)


def exponent(times: list[float]) -> float:
    """Return p of n^p, from the first size to the last that was measured."""
    if len(times) < 2:
        return math.nan
    return math.log2(max(times[-1], FLOOR) / max(times[0], FLOOR)) / (len(times) - 1)


def steepest(times: list[float]) -> float:
    """Return p over the last two doublings, where it shows most."""
    return exponent(times[-3:])


def measure(name: str, options: argparse.Namespace) -> list[Sample]:
    """Compile the sizes of a family, until one fails."""
    samples: list[Sample] = []
    for k in range(DOUBLINGS + 1):
        n = FAMILIES[name].base << k
        sample = compile_once(name, n, options)
        for _ in range(options.repeat - 1):
            if sample.error or sample.wall > 2000:
                break
            sample = sample.least(compile_once(name, n, options))
        samples.append(sample)
        if sample.error:
            break
    return samples


def growth(samples: list[Sample]) -> Iterator[tuple[float, float, float, str]]:
    """Yield (exponent, steepest, ms at the last size, stage)."""
    good = [s for s in samples if not s.error]
    for stage in good[-1].stages if good else ():
        times = [s.stages.get(stage, 0.0) for s in good]
        if times[-1] >= LARGE:
            yield exponent(times), steepest(times), times[-1], stage


def line_of(name: str, samples: list[Sample]) -> str:
    """Return a row of the table."""
    good = [s for s in samples if not s.error]
    if not good:
        return f"{name:20}{samples[-1].error}"
    last = good[-1]
    size = FAMILIES[name].base << (len(good) - 1)
    llvm = sum(t for s, t in last.stages.items() if s in LLVM)
    ours = last.wall - llvm
    worst = sorted((g for g in growth(good) if g[3] not in LLVM), reverse=True)[:3]
    text = f"{name:20}{size:6}{last.wall:10.1f}{ours:10.1f}{llvm:10.1f}{last.memory:8.1f}  "
    text += f"{exponent([s.memory for s in good]):4.1f} "
    text += ", ".join(f"{s} {t:.1f} n^{p:.2f}/{q:.2f}" for p, q, t, s in worst)
    return text + (f"  THEN {samples[-1].error}" if samples[-1].error else "")


def families(options: argparse.Namespace) -> int:
    """Print the table of all families; return 1 when a stage of ours is above the limit."""
    only = list(filter(None, options.only.split(",")))
    print(f"{'family':20}{'n':>6}{'ms':>10}{'ours':>10}{'LLVM':>10}{'MiB':>8}  n^p  worst stages")
    worst, failed = [], 0
    for name in only or FAMILIES:
        samples = measure(name, options)
        failed += any(s.error for s in samples)
        worst += [(p, q, t, s, name) for p, q, t, s in growth(samples)]
        print(line_of(name, samples), flush=True)
    for title, which in (("ours", False), ("LLVM's", True)):
        print(f"\nSteepest stages, {title}: n^p over all doublings, over the last two, ms")
        rows = sorted(w for w in worst if (w[3] in LLVM) == which)[::-1][:25]
        for p, q, t, stage, name in rows:
            print(f"  {p:5.2f} {q:5.2f} {t:9.1f}  {stage:18} {name}")
    bad = sum(p > LIMIT for p, _, _, stage, _ in worst if stage not in LLVM)
    print(f"\n{bad} stages of ours above n^{LIMIT}, {failed} families with failures")
    return 1 if bad or failed else 0


def first_call(name: str, parallel: bool, options: argparse.Namespace) -> Sample:
    """Time the first call of a kernel in a warm process."""
    code = FIRST.format(here=str(HERE), kernel=name, parallel=parallel)
    sample = child(code, options.timeout)
    for _ in range(options.repeat - 1):
        sample = sample.least(child(code, options.timeout))
    return sample


def first_calls(options: argparse.Namespace) -> int:
    """Print what the first call of each kernel takes, serial and with parallel=True."""
    from kernels_py import KERNELS

    only = list(filter(None, options.only.split(",")))
    print(f"{'kernel':24}{'serial':>10}{'parallel':>10}  stages of the latter")
    kernels, walls = [k.name for k in KERNELS], []
    for name in only or [*kernels, *PROGRAMS]:
        serial, sample = (first_call(name, p, options) for p in (False, True))
        walls += [sample.wall] if name in kernels else []
        top = sorted(((t, s) for s, t in sample.stages.items()), reverse=True)[:5]
        shown = sample.error or ", ".join(f"{s} {t:.1f}" for t, s in top)
        print(f"{name:24}{serial.wall:10.1f}{sample.wall:10.1f}  {shown}", flush=True)
    if walls:
        middle = statistics.median(walls)
        print(f"kernels, parallel: median {middle:.1f}, greatest {max(walls):.1f}")
    return 0


def main() -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="names of families (kernels), with commas")
    parser.add_argument("--repeat", type=int, default=2, help="compiles of each (default 2)")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for each")
    parser.add_argument("--memory", type=int, default=8000, help="MiB of addresses for each")
    parser.add_argument("--ours", action="store_true", help="with as little of LLVM as possible")
    parser.add_argument("--first", action="store_true", help="first calls of parallel kernels")
    options = parser.parse_args()
    return first_calls(options) if options.first else families(options)


if __name__ == "__main__":
    sys.exit(main())
