#!/usr/bin/env python3
"""What it costs to begin and to end a parallel loop: back to back, after a pause, and under load.

A loop of two short iterations on two threads, by swathe's pool, by gcc's OpenMP, by LLVM's
where it is installed, and by Numba's prange. `again` runs empty loops one after the other, `idle`
waits 10 ms before each. `small` loops of two iterations of about 20 us have a process
beside them that is busy on each processor; `alone` are the same loops run by one thread, beside the
same processes. Prints minimum, median, 99th percentile and maximum, and the target.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORE = HERE.parent / "core"
WORK = 20000  # steps of an iteration of `small`: about 20 us

NUMBA = """
import json, sys, time
import numpy as np
from {tool} import njit, prange
mode, count, work = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def body(out, work):
    for i in prange(2):
        x = i + 1
        for k in range(work):
            x = x * 6364136223846793005 + 1442695040888963407
        out[i * 8] = x

loop = njit(parallel="serial" not in mode)(body)
out = np.zeros(16, np.int64)
for _ in range(100):
    loop(out, work)
inner = 100 if "again" in mode else 1
for _ in range(count):
    if inner == 1:
        time.sleep(0.01 if "idle" in mode else 0.0002)
    start = time.perf_counter_ns()
    for _ in range(inner):
        loop(out, work)
    print((time.perf_counter_ns() - start) // inner)
"""

# Nanoseconds: what `swathe` should be at most, of the median or of the maximum.
TARGETS = {"again": ("median", 1500), "idle": ("median", 25000)}


def compile_c(folder: Path) -> dict[str, list[str]]:
    """Build the C program for each pool at hand: name -> command."""
    flags = ["-O2", "-D_GNU_SOURCE", f"-I{CORE}", str(HERE / "forkjoin.c")]
    pool = ["-DPOOL", str(CORE / "dev/cpu/pool.c"), str(CORE / "dev/cpu/width.c"), "-lpthread"]
    builds = {"swathe": ["gcc", *flags, *pool], "gcc OpenMP": ["gcc", "-fopenmp", *flags]}
    if clang := shutil.which("clang") or shutil.which("clang-19"):
        builds["clang OpenMP"] = [clang, "-fopenmp", *flags]
    made = {}
    for name, command in builds.items():
        out = folder / name.replace(" ", "_")
        if subprocess.run([*command, "-o", str(out)], capture_output=True).returncode == 0:
            made[name] = [str(out)]
    if "clang OpenMP" not in made and "gcc OpenMP" in made:
        for lib in sorted(Path("/usr/lib").glob("**/libomp.so*")):
            made["LLVM OpenMP"] = ["env", f"LD_PRELOAD={lib}", *made["gcc OpenMP"]]
            break
    return made


def python_commands(folder: Path) -> dict[str, list[str]]:
    """Write the same loop for Numba."""
    spec = importlib.util.find_spec("numba")
    if not spec or not spec.origin:
        return {}
    (folder / "by_numba.py").write_text(NUMBA.format(tool="numba"))
    return {"Numba": [sys.executable, str(folder / "by_numba.py")]}


@contextmanager
def busy() -> Iterator[None]:
    """Keep every processor busy with a process of its own."""
    code = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"
    others = [
        subprocess.Popen([sys.executable, "-c", code, str(cpu)])
        for cpu in sorted(os.sched_getaffinity(0))[:2]
    ]
    try:
        yield
    finally:
        for p in others:
            p.kill()
            p.wait()


def measure(command: list[str], mode: str, count: int, work: int) -> list[int]:
    """Return the samples in ns; none when the program fails."""
    env = os.environ | {"OMP_NUM_THREADS": "2", "NUMBA_NUM_THREADS": "2", "SWATHE_NUM_THREADS": "2"}
    line = [*command, mode, str(count), str(work)]
    r = subprocess.run(line, capture_output=True, text=True, env=env)
    return [int(x) for x in r.stdout.split()] if r.returncode == 0 else []


def show(mode: str, name: str, took: list[int], best: float) -> None:
    """Print one row, in us."""
    took = sorted(took)
    figures = [took[0], statistics.median(took), took[len(took) * 99 // 100], took[-1]]
    line = "".join(f"{x / 1e3:11.2f}" for x in figures)
    verdict = ""
    if name == "swathe" and mode in TARGETS:
        limit = TARGETS[mode][1]
        verdict = f"{limit / 1e3:8.1f}  {'met' if figures[1] <= limit else 'missed'}"
    print(f"{mode:8}{name:14}{line}{figures[1] / best:9.2f}{verdict}")


def main() -> int:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="turns of each program")
    parser.add_argument("--only", default="", help="again, idle, small, alone")
    parser.add_argument("--json", type=Path, help="write all the samples to this file")
    options = parser.parse_args()
    modes = {"again": (100, 0), "idle": (30, 0), "small": (300, WORK), "alone": (300, WORK)}
    samples: dict[str, dict[str, list[int]]] = {m: {} for m in modes}
    with tempfile.TemporaryDirectory() as folder:
        commands = compile_c(Path(folder)) | python_commands(Path(folder))
        for _ in range(options.rounds):
            for mode, (count, work) in modes.items():
                if options.only and mode not in options.only.split(","):
                    continue
                loaded = mode in ("small", "alone")
                for name, command in commands.items():
                    how = "small serial" if mode == "alone" else mode
                    if loaded:
                        with busy():
                            took = measure(command, how, count, work)
                    else:
                        took = measure(command, how, count, work)
                    samples[mode].setdefault(name, []).extend(took)
    print(f"{'us':22}{'min':>11}{'median':>11}{'99%':>11}{'max':>11}{'ratio':>9}  target")
    for mode, tools in samples.items():
        for name, took in tools.items():
            if took:
                show(mode, name, took, statistics.median(tools.get("swathe") or took))
    if options.json:
        options.json.write_text(json.dumps(samples, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
