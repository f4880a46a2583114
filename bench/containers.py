#!/usr/bin/env python3
"""Lists, dicts and classes beside C++ (std::vector, std::stable_sort, a map of open addressing)
and CPython.

Prints nanoseconds an element, the ratio to C++, whose target is 1.2, and how long the first call
took, whose target is 40 ms. `--quick` is for the tests.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import containers_classes as classes
import numpy as np

import swathe

HERE = Path(__file__).resolve().parent


def append_and_sum(keys, numbers):
    x = []
    for i in range(len(keys)):
        x.append(i * 0.5)
    s = 0.0
    for v in x:
        s += v
    return s


def sort(keys, numbers):
    x = []
    for i in range(len(numbers)):
        x.append(numbers[i])
    x.sort()
    return x[len(x) // 2]


def sieve(keys, numbers):
    n = len(keys)
    s = [True] * n
    c = 0
    for i in range(2, n):
        if s[i]:
            c += 1
            for j in range(i * i, n, i):
                s[j] = False
    return c


def count_by_int(keys, numbers):
    d = {}
    for i in range(len(keys)):
        k = keys[i]
        d[k] = d.get(k, 0) + 1
    return len(d)


def count_by_tuple(keys, numbers):
    d = {}
    for i in range(len(keys)):
        k = (keys[i] % 1000, keys[i] // 1000)
        d[k] = d.get(k, 0) + 1
    return len(d)


FUNCTIONS = (append_and_sum, sort, sieve, count_by_int, count_by_tuple, *classes.FUNCTIONS)


def inputs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The same numbers as in containers.cpp."""
    keys, numbers, x = np.empty(n, np.int64), np.empty(n), 1
    for i in range(n):
        x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
        keys[i] = (x >> 33) % 100000
        numbers[i] = (x >> 11) / 2**53
    return keys, numbers


def cpp(n: int, rounds: int) -> dict[str, float]:
    """Nanoseconds of each, or nothing where there is no compiler."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "containers"
        source = HERE / "containers.cpp"
        flags = ["-O3", "-march=native", "-std=c++17"]
        subprocess.run([compiler, *flags, source, "-o", program], check=True)
        run = [program, str(n), str(rounds)]
        out = subprocess.run(run, check=True, text=True, stdout=subprocess.PIPE).stdout
    return {k: float(v) for k, v in (line.split() for line in out.splitlines())}


def best(f, args, rounds: int) -> float:
    """Nanoseconds of the fastest of some calls."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        f(*args)
        times.append(time.perf_counter_ns() - start)
    return min(times)


def of_cpython() -> dict:
    """The functions over classes, with classes as CPython has them, by name."""
    spec = importlib.util.find_spec("containers_classes")
    module = importlib.util.module_from_spec(spec)
    swathe.config.DISABLE_JIT = True
    try:
        spec.loader.exec_module(module)
    finally:
        swathe.config.DISABLE_JIT = False
    return {f.__name__: f for f in module.FUNCTIONS}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    n = 20_000 if options.quick else 1_000_000
    keys, numbers = inputs(n)
    swathe.njit(cache=False)(lambda a: a[0])(numbers)  # opens LLVM
    print(f"{'':16}{'swathe':>9}{'C++':>9}{'CPython':>9}  ns an element; to C++; first call, ms")
    theirs = cpp(n, options.rounds)
    ratios = []
    pure = of_cpython()
    for f in FUNCTIONS:
        in_python = pure.get(f.__name__, f)
        g = swathe.njit(cache=False)(f)
        small = keys[:10].copy(), numbers[:10].copy()
        first = best(g, small, 1) / 1e6
        if g(keys[:2000], numbers[:2000]) != in_python(keys[:2000], numbers[:2000]):
            raise SystemExit(f"{f.__name__}: another result than CPython's")
        ours = best(g, (keys, numbers), options.rounds)
        plain = best(in_python, (keys[: n // 10], numbers[: n // 10]), 1) * 10
        beside = theirs.get(f.__name__, float("nan"))
        ratios.append(ours / beside)
        print(
            f"{f.__name__:16}{ours / n:9.2f}{beside / n:9.2f}{plain / n:9.1f}"
            f"  {ours / beside:5.2f}{first:8.1f}"
        )
    of_classes = np.exp(np.mean(np.log(ratios[-len(classes.FUNCTIONS) :])))
    print(f"geometric mean of classes: {of_classes:.2f} of C++")


if __name__ == "__main__":
    main()
