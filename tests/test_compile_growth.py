"""What compiling does grows about as the program does: steps of each stage, not seconds.

Steps are the same in each run, so that the limit needs no slack. They leave out what memory
takes once a program no longer fits in caches: bench/compile.py shows that.
"""

from __future__ import annotations

import importlib.util
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
compile_fns = importlib.import_module("compile_fns")

CHILD = """
import sys
sys.path.insert(0, {bench!r})
import swathe
from compile_fns import FAMILIES
sys.path.insert(0, {folder!r})
family = FAMILIES[{family!r}]
swathe.njit(lambda: 0)()
print("start", file=sys.stderr, flush=True)
for n in {sizes!r}:
    program = __import__(f"program_{{n}}")
    swathe.njit(program.f, opt_level=0, **family.options)(*family.arguments())
"""
LIMIT, FEWEST = 1.2, 30.0  # exponent over two doublings; thousands of steps that count
FAMILIES = [
    "array_lines", "array_names", "array_updates", "branches", "element_gathers",
    "element_stores", "elif_chain", "expression_scalar", "expression_wide", "formulas",
    "fresh_arrays", "helper_calls", "helpers", "integer_names", "joins", "library_calls",
    "loop_body", "loops", "many_arrays", "parallel_loops", "parallel_sums", "rates", "reductions",
    "scalar_pairs", "slice_sums", "tries", "tuples", "whiles",
]  # fmt: skip


def steps(name: str, sizes: list[int]) -> list[dict[str, float]]:
    """Compile each size; return the steps of each stage, in thousands."""
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            text = compile_fns.FAMILIES[name].source(n)
            (Path(folder) / f"program_{n}.py").write_text(text)
        code = CHILD.format(bench=str(ROOT / "bench"), folder=folder, family=name, sizes=sizes)
        env = {**os.environ, "SWATHE_TIME": "3", "SWATHE_CACHE_SIZE": "0"}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300
        )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stderr.split("start\n")[1].splitlines()
    found = []
    for line in lines:
        words = line.split(": ", 2)[2].split(" | ")[0].replace("gen: ", "gen-").split(" ")
        words = [w for w in words if w not in ("code", "machine")]
        pairs = zip(words[::2], words[1::2], strict=False)
        found.append({stage: float(n) for stage, n in pairs if not stage.startswith("gen-")})
    assert len(found) == len(sizes)
    return found


@pytest.mark.parametrize("name", FAMILIES)
def test_work_grows_as_the_program_does(name):
    base = compile_fns.FAMILIES[name].base * 2
    small, _, large = steps(name, [base, base * 2, base * 4])
    steep = {
        stage: round(math.log2(n / max(small[stage], FEWEST / 4)) / 2, 2)
        for stage, n in large.items()
        if n > FEWEST
    }
    over = {s: p for s, p in steep.items() if p > LIMIT}
    assert over == {}, (small, large)


def test_a_chain_of_branches_that_change_what_they_ask():
    """Each would be held against what all those around it have told of one sum."""
    (found,) = steps("elif_sums", [64])
    assert found["bounds"] < 64 * 100, found  # where nothing ends it, several times that


def test_loops_in_loops():
    """What is live in an inner one is not found anew for each round of those around it."""
    half, whole = (steps("nested_loops", [n])[0]["types"] for n in (9, 18))
    assert whole < half * 8, (half, whole)


CALLS_ITSELF = """
class Heap:
    def __init__(self):
        self.of = [None]

    def insert(self, x):
        self.of.append(x)
        k = len(self.of) - 1
        while k > 1 and self.of[k // 2] > self.of[k]:
            self.of[k // 2], self.of[k] = self.of[k], self.of[k // 2]
            k //= 2

def f(a):
    def heaped(a):
        heap = Heap()
        for x in a:
            heap.insert(x)
        return heap.of[1:]

    def quick(a):
        if not a:
            return []
        p, *rest = a
        return quick([x for x in rest if x < p]) + [p] + quick([x for x in rest if x >= p])

    return [g(a[:]) for g in (quick, heaped)]
"""


def test_lists_that_may_widen_in_a_recursion(tmp_path):
    """Each call would be of another variable, to two to the power of how deep that may go."""
    (tmp_path / "program.py").write_text(CALLS_ITSELF)
    code = "import swathe, program; assert swathe.njit(program.f)([3, 1]) == [[1, 3]] * 2"
    env = {**os.environ, "SWATHE_TIME": "3", "SWATHE_CACHE_SIZE": "0", "PYTHONPATH": str(tmp_path)}
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    steps_of = [float(line.split("types ")[1].split(" ")[0]) for line in done.stderr.splitlines()]
    assert max(steps_of) < 1000, steps_of
