# SPDX-License-Identifier: BSD-3-Clause
"""What compiled functions draw in processes that are forked."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import os, random
import numpy as np
from swathe import njit

@njit
def draw():
    return random.random(), np.random.random()

@njit
def draw_normal():
    return random.gauss(0.0, 1.0), np.random.normal()

@njit
def seed(n):
    random.seed(n)
    np.random.seed(n)

def in_children(count):
    seen = []
    for _ in range(count):
        there, here = os.pipe()
        if os.fork() == 0:
            os.write(here, repr((draw(), draw_normal())).encode())
            os._exit(0)
        os.close(here)
        seen.append(eval(os.read(there, 1000)))
        os.wait()
    return seen

draw(), draw_normal()
unseeded = in_children(3)
unseeded.append((draw(), draw_normal()))
print([len({t[k][m] for t in unseeded}) for k in (0, 1) for m in (0, 1)])
seed(7)
draw(), draw_normal()
seeded = in_children(3)
seeded.append((draw(), draw_normal()))
print([len({t[k][m] for t in seeded}) for k in (0, 1) for m in (0, 1)])
np_random = np.random.RandomState(7)
np_random.random(), np_random.normal()
print(seeded[0][0][1] == np_random.random(), seeded[0][1][1] == np_random.normal())
"""


def test_forked_processes_draw_numbers_of_their_own(tmp_path) -> None:
    """As Python's `random` does, and np.random of compiled code where no seed was said."""
    file = tmp_path / "forks.py"
    file.write_text(_PROGRAM)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[4, 4, 4, 4]", "[4, 1, 4, 1]", "True True"]
