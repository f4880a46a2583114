#!/usr/bin/env python3
"""Lists, dicts, strings and classes beside C++ (std::vector, std::string_view, std::stable_sort, a
map of open addressing), CPython and, where it is there and compiles them, Numba.

Prints nanoseconds an element of processor time, the ratios to C++, whose target is 1.2, to CPython,
which is to be below 0.7, and to Numba, below 0.3, and how long the first call took, whose target
is 60 ms. Names on the command line pick rows. `--quick` is for the tests.
"""

from __future__ import annotations

import argparse
import heapq
import importlib.util
import inspect
import shutil
import subprocess
import tempfile
import time
from collections import deque
from pathlib import Path

import containers_classes as classes
import containers_text as text
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


def sort_by_key(keys, numbers):
    x = [(int(keys[i]), numbers[i]) for i in range(len(keys))]
    x.sort(key=lambda p: p[1])
    return x[len(x) // 2][0]


def heap(keys, numbers):
    q = []
    s = 0.0
    for i in range(len(numbers)):
        heapq.heappush(q, (numbers[i], i))
        if len(q) > 1000:
            s += heapq.heappop(q)[0]
    return s


def set_of_tuples(keys, numbers):
    seen = set()
    x, y = 0, 0
    for i in range(len(keys)):
        k = keys[i] % 4
        if k == 0:
            x += 1
        elif k == 1:
            x -= 1
        elif k == 2:
            y += 1
        else:
            y -= 1
        seen.add((x, y))
    return len(seen)


def breadth_first(keys, numbers):
    side = int(len(keys) ** 0.5)
    distance = [-1] * (side * side)
    distance[0] = 0
    q = deque([(0, 0)])
    while q:
        x, y = q.popleft()
        d = distance[x * side + y]
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            u, v = x + dx, y + dy
            if (
                0 <= u < side
                and 0 <= v < side
                and distance[u * side + v] < 0
                and keys[u * side + v] % 8
            ):
                distance[u * side + v] = d + 1
                q.append((u, v))
    return max(distance)


CONTAINERS = (
    append_and_sum,
    sort,
    sort_by_key,
    sieve,
    count_by_int,
    count_by_tuple,
    set_of_tuples,
    heap,
    breadth_first,
)
FUNCTIONS = (*CONTAINERS, *text.FUNCTIONS, *classes.FUNCTIONS)


def inputs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The same numbers as in containers.cpp."""
    keys, numbers, x = np.empty(n, np.int64), np.empty(n), 1
    for i in range(n):
        x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
        keys[i] = (x >> 33) % 100000
        numbers[i] = (x >> 11) / 2**53
    return keys, numbers


class Inputs:
    """What functions are called with, by the names of their parameters."""

    def __init__(self, keys: np.ndarray, numbers: np.ndarray, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.all = {"keys": keys, "numbers": numbers} | text.inputs(keys, numbers, folder)

    def of(self, f) -> list:
        """Its arguments."""
        return [self.all[name] for name in inspect.signature(f).parameters]


def cpp(n: int, rounds: int, folder: Path) -> dict[str, float]:
    """Nanoseconds of each, or nothing where there is no compiler."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        return {}
    program = folder.parent / "containers"
    sources = [HERE / "containers.cpp", HERE / "containers_text.cpp"]
    flags = ["-O3", "-march=native", "-std=c++17"]
    subprocess.run([compiler, *flags, *sources, "-o", program], check=True)
    run = [program, str(n), str(rounds), folder]
    out = subprocess.run(run, check=True, text=True, stdout=subprocess.PIPE).stdout
    return {k: float(v) for k, v in (line.split() for line in out.splitlines())}


def best(f, args, rounds: int) -> float:
    """Nanoseconds of the fastest of some calls."""
    times = []
    for _ in range(rounds):
        start = time.process_time_ns()
        f(*args)
        times.append(time.process_time_ns() - start)
    return min(times)


def of_numba(f, small: list, args: list, rounds: int) -> float:
    """Nanoseconds of Numba's; NaN where it is not there or compiles no such function."""
    try:
        import numba

        g = numba.njit(f)
        g(*small)
    except Exception:  # noqa: BLE001 - its errors have no class of their own
        return float("nan")
    return best(g, args, rounds)


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


def mean(ratios: list[float]) -> float:
    """Their geometric mean, without those that there aren't."""
    known = [r for r in ratios if r == r]
    return float(np.exp(np.mean(np.log(known)))) if known else float("nan")


def row(f, pure, at: tuple[Inputs, ...], theirs: float, rounds: int) -> tuple[float, float, float]:
    """Print one, and return the ratios."""
    few, some, tenth, all_of = at
    n = len(all_of.all["keys"])
    g = swathe.njit(cache=False)(f)
    start = time.perf_counter_ns()
    g(*few.of(f))
    first = (time.perf_counter_ns() - start) / 1e6
    if g(*some.of(f)) != pure(*some.of(f)):
        raise SystemExit(f"{f.__name__}: another result than CPython's")
    ours = best(g, all_of.of(f), rounds)
    shared = f not in classes.FUNCTIONS
    numbas = of_numba(f, few.of(f), all_of.of(f), rounds) if shared else float("nan")
    plain = best(pure, tenth.of(f), 1) * 10
    ratios = ours / theirs, ours / plain, ours / numbas
    print(
        f"{f.__name__:16}{ours / n:9.2f}{theirs / n:9.2f}{plain / n:9.1f}{numbas / n:9.1f}"
        f"  {ratios[0]:5.2f}{ratios[1]:6.2f}{ratios[2]:6.2f}{first:8.1f}",
        flush=True,
    )
    return ratios


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    n = 20_000 if options.quick else 1_000_000
    keys, numbers = inputs(n)
    swathe.njit(cache=False)(lambda a: a[0])(numbers)  # opens LLVM
    print(f"{'':16}{'swathe':>9}{'C++':>9}{'CPython':>9}{'Numba':>9}  to each; first call, ms")
    pure = of_cpython()
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        at = tuple(
            Inputs(keys[:m].copy(), numbers[:m].copy(), Path(folder) / str(m))
            for m in (10, 2000, n // 10, n)
        )
        theirs = cpp(n, options.rounds, at[-1].folder)
        for f in FUNCTIONS:
            if not options.names or f.__name__ in options.names:
                beside = theirs.get(f.__name__, float("nan"))
                plain = pure.get(f.__name__, f)
                ratios[f] = row(f, plain, at, beside, options.rounds)
    groups = {"containers": CONTAINERS, "text": text.FUNCTIONS, "classes": classes.FUNCTIONS}
    for name, of in groups.items():
        all_of = [mean([ratios[f][k] for f in of if f in ratios]) for k in range(3)]
        print(f"geometric mean of {name}: {all_of[0]:.2f} of C++, {all_of[1]:.2f} of CPython, "
              f"{all_of[2]:.2f} of Numba")  # fmt: skip


if __name__ == "__main__":
    main()
