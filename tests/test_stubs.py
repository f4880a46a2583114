# SPDX-License-Identifier: BSD-3-Clause
"""What a type checker sees of the public names: a program under mypy --strict."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")

PROGRAM = """
import numpy as np

import swathe
from swathe import gpu, jit, kernel, label, njit, par, prange, ranges, seq, threads, tile
from swathe.errors import RaceError, TypingError
from swathe.types import float64, int64


@njit
def plain(x: float, y: int = 3) -> float:
    label("N")
    for i in prange(y):
        x += i
    return x


@njit(parallel=True, fastmath=True, cache=False)
def with_options(a: np.ndarray) -> None:
    for i, j in ranges(3, 4):
        a[i, j] = 1


@jit("float64(float64[:])")
def with_signature(a: np.ndarray) -> float:
    return float(a[0])


typed = njit(float64(float64[:], int64))(lambda a, n: a[0])
several = njit([float64(float64[:]), "f8(f4[:])"], cache=False)(lambda a: a[0])
arguments = jit((float64[:],))(lambda a: a[0])

reveal_type(plain)
reveal_type(with_options)
reveal_type(with_signature)
reveal_type(typed)
reveal_type(several)
reveal_type(plain.explain())
reveal_type(plain.explain(format="html"))
reveal_type(plain.signatures)

opts = par({"N": threads(3).reduce(), "M": tile(4, 4)})
print(plain(1.0, opts=opts), plain.py_func(1.0), plain.explain().html)
swathe.set_num_threads(2)
count: int = swathe.get_num_threads()
text: str = swathe.print_compiled(plain, [1.0], opts, "ir")
swathe.compile_string(text)(1.0)
one: swathe.LoopPar = seq()
with swathe.dump("ir"):
    plain(2.0)
with swathe.parallel_chunksize(4):
    plain(3)
plain.parallel_diagnostics(level=2)
try:
    plain(4)
except (RaceError, TypingError) as e:
    print(e)
"""
REVEALED = [
    "swathe._core.Dispatcher",
    "swathe._core.Dispatcher",
    "swathe._core.Dispatcher",
    "Any",  # a type that is called makes a signature or a number
    "swathe._core.Dispatcher",
    "swathe.explain.Explanation",
    "str",
    "list[str]",
]


def test_a_program_under_mypy(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    cache = f"--cache-dir={tmp_path / 'cache'}"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--allow-any-generics", cache, str(file)],
        capture_output=True,
        text=True,
    )
    assert "Success" in done.stdout, done.stdout
    lines = [line for line in done.stdout.splitlines() if "Revealed type" in line]
    assert [line.split('"')[1] for line in lines] == REVEALED
