"""Indices that are tested before a loop: that they are others in each iteration."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from harness import define

import swathe

INDICES = (
    "i % k",
    "(i + d) % k",
    "(7 * i + d) % k",
    "(d - 6 * i) % k",
    "i % k + d",
    "d - i % k",
    "i // k",
    "i // 2 + d",
    "(3 * i - d) // k",
    "i >> 1",
    "(4 * i + d) >> 2",
    "i & 7",
    "(5 * i + d) & 15",
    "i ^ k",
    "(i + d) ^ 3",
    "int(i * z)",
    "int(i / z)",
    "math.floor((i + d) * z)",
    "int((2 * i + 1) * z)",
    "abs(i - d)",
    "i * i % k",
)
RANGES = ("0, n", "0, n, 2", "n - 1, -1, -1", "d, n, 3")


def program(index, over):
    """A loop that stores what tells its iteration."""
    return define(
        "import math\nfrom swathe import prange\n"
        f"def f(a, n, k, d, z):\n    for i in prange({over}):\n        a[{index}] = i * 3 + 1\n"
    )


@pytest.mark.parametrize("index", INDICES)
def test_as_python(index):
    """Whichever version runs: what is stored, and the error that the first one to fail raises."""
    for over in RANGES:
        f = program(index, over)
        compiled = swathe.njit(parallel=True, cache=False)(f)
        for size, n, k, d, z in product(
            (0, 9, 40), (0, 1, 7, 30), (-1, 0, 1, 7, 30), (0, -2, 5), (1.0, 0.75, 2.5)
        ):
            a, b = np.zeros(size, np.int64), np.zeros(size, np.int64)
            got = want = ""
            try:
                f(a, n, k, d, z)
            except (IndexError, ZeroDivisionError) as error:
                want = type(error).__name__
            try:
                compiled(b, n, k, d, z)
            except swathe.RaceError:
                break  # for certain, as i // 2
            except (IndexError, ZeroDivisionError) as error:
                got = type(error).__name__
            assert got == want, (index, over, size, n, k, d, z)
            assert want or a.tolist() == b.tolist(), (index, over, size, n, k, d, z)


DUMP = """
import sys
sys.path.insert(0, {here!r})
import numpy as np
import swathe
from test_distinct import RANGES, program
for over in RANGES:
    f = swathe.njit(parallel=True, cache=False)(program({index!r}, over))
    try:
        f(np.zeros(40, np.int64), 0, 30, 1, 1.5)
    except swathe.RaceError:
        pass
"""
HERE = Path(__file__).resolve().parent
SWC = HERE.parent.parent / "build" / "swc"
NUMBERS = (
    (30, 30, 0, 1.0),
    (30, 36, 5, 0.75),
    (30, 7, -2, 1.2),
    (4, 6, 1, 2.0),
    (4, 4, -5, 0.3),
    (10, 14, 0, 1.0),
    (8, 2**62, 2**63 - 4, 1e300),
)


@pytest.mark.parametrize("index", INDICES)
def test_no_two_iterations_meet(index):
    """Where the test holds, as the interpreter sees it, which notes what each iteration touches."""
    code = DUMP.format(here=str(HERE), index=index)
    env = {**os.environ, "SWATHE_DUMP": "par"}
    r = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    texts = r.stderr.split("# ---- par: f\n")[1:]
    assert texts
    for text, (n, k, d, z) in product(texts, NUMBERS):
        text = text.replace("    par i", "    seq i").replace(
            "independent threads]", "independent]"
        )
        given = f"a=(40) {'0 ' * 40}; n={n}; k={k}; d={d}; z={z!r}"
        command = [SWC, "--run", "--args", given]
        r = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert "wrong" not in r.stdout + r.stderr, (r.stdout, r.stderr, given, text)


def test_a_round_is_side_by_side():
    """What comes around once only is taken for what it is, and costs no look at each index."""
    f = swathe.njit(parallel=True, cache=False)(program("(i + d) % k", "0, n"))
    f(np.zeros(9, np.int64), 9, 9, 4, 1.0)
    (text,) = f.inspect_ir().values()
    assert "rises" not in text and "run f" in text
