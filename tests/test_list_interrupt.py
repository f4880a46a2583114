# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C while a function changes lists of arrays: what was done is written back."""

from __future__ import annotations

import subprocess
import sys

INTERRUPTED = """
import gc, os, signal, sys, threading
import numpy as np
import swathe

@swathe.njit
def grow(x, v, n):
    x.append(v * 2)
    x[0] += 1.0
    k = 0
    while k != n:
        k += 1
        if len(x) < 50:
            x.append(v)
        x[0][1] = k % 7

grow([np.arange(3.0)], np.ones(2), 2)  # it is compiled before the signal comes
x, v = [np.arange(3.0)], np.ones(2)
first = x[0]
swathe.njit(lambda x, v: x.append(v))(list(x), v)
before = sys.getrefcount(v)
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    grow(x, v, -1)
except KeyboardInterrupt:
    assert len(x) == 50 and x[0] is first and first[0] == 1.0 and first[1] < 7, x
    assert x[1].tolist() == [2.0, 2.0] and all(a is v for a in x[2:]), x
    assert sys.getrefcount(v) == before + 48
    x.clear()
    gc.collect()
    assert swathe._core.live()["bytes"] == 0
    print("interrupted")
"""


PERHAPS = """
import gc, os, signal, sys, threading
from typing import NamedTuple
import numpy as np
import swathe

class Body(NamedTuple):
    pos: object
    mass: float

@swathe.njit
def fill(x, d, v, n):
    k = 0
    while k != n:
        k += 1
        if k < 4:
            x.append(None)
            x[0] = Body(v * k, k * 1.0)
            d[k] = [None, k]
            d[0] = None

fill([None, Body(np.ones(1), 2.0)], {7: None, 8: [None, 1]}, np.ones(2), 2)
x, d, v = [None, Body(np.ones(1), 2.0)], {7: None, 8: [None, 1]}, np.ones(2)
second = x[1]
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    fill(x, d, v, -1)
except KeyboardInterrupt:
    assert x[0].mass == 3.0 and x[0].pos.tolist() == [3.0, 3.0] and x[1] is second, x
    assert x[2:] == [None] * 3, x
    assert d == {7: None, 8: [None, 1], 0: None, 1: [None, 1], 2: [None, 2], 3: [None, 3]}, d
    x.clear()
    gc.collect()
    assert swathe._core.live()["bytes"] == 0
    print("interrupted")
"""


def test_none_and_named_tuples_are_there():
    ran = subprocess.run(
        [sys.executable, "-c", PERHAPS], capture_output=True, text=True, timeout=100
    )
    assert ran.stdout == "interrupted\n", ran.stderr


def test_what_was_put_in_a_list_before_ctrl_c_is_there():
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=100
    )
    assert ran.stdout == "interrupted\n", ran.stderr
