# SPDX-License-Identifier: BSD-3-Clause
"""What the driver of a CUDA device is told, against a library that stands in for it.

Each test is a program of its own: `fake` is the library (tests/c/fake_cuda.c), which counts calls,
keeps the order of streams, and says what is used too early.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from ptx import CC, FLAGS, ROOT, build_fake, compile_c  # noqa: E402

pytestmark = pytest.mark.skipif(CC is None, reason="needs a C compiler")

HEAD = """
import ctypes, gc, os, sys
import numpy as np
import swathe
from swathe import errors, gpu
fake = ctypes.CDLL(os.environ["SWATHE_CUDA_LIB"])
fake.fake_launch.restype = ctypes.c_char_p
fake.fake_calls_of.restype = ctypes.c_long

def calls(*names):
    return tuple(fake.fake_calls_of(n.encode()) for n in names)

def launched():
    '''How, what, grid, block, shared; then the arguments.'''
    return fake.fake_launch().decode().split()

@gpu.jit
def saxpy(a, x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]

@gpu.jit
def shift(x, y):
    i = gpu.grid(1)
    y[i] = x[i + 3]
"""


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library that stands in for libcuda.so.1."""
    out = tmp_path_factory.mktemp("cuda") / "libfakecuda.so"
    build_fake(out)
    return out


def go(fake: Path, tmp_path: Path, code: str, status: int = 0, **more: str) -> Any:
    """Run a program; what it does in the wrong order is an error."""
    script = tmp_path / "script.py"
    end = "\ngc.collect()\nassert not fake.fake_breaches()\n"
    script.write_text(HEAD + code + end)
    env = os.environ | {"SWATHE_CUDA_LIB": str(fake)} | more
    r = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, timeout=120
    )
    assert r.returncode == status, r.stdout + r.stderr
    assert "fake_cuda:" not in r.stderr, r.stderr
    return r


# ---- barriers over the grid ----------------------------------------------------------------------


def test_barrier_of_the_grid(tmp_path: Path) -> None:
    """The functions that devices run, run by threads here: whoever fails, nobody waits for ever."""
    program = tmp_path / "grid_sync"
    source = ROOT / "tests/c/grid_sync.c"
    compile_c(*FLAGS, f"-I{ROOT}/core", source, "-o", program, "-lpthread", "-lm")
    r = subprocess.run([program], capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stdout + r.stderr


def test_each_cooperative_launch_has_a_word(fake: Path, tmp_path: Path) -> None:
    code = """
@gpu.jit
def flip(x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] = x[i]
    gpu.syncgrid()
    if i < x.size:
        x[i] = y[x.size - 1 - i]

@gpu.jit(boundscheck=False)
def never(x, y):
    gpu.syncgrid()
    x[gpu.grid(1)] = 1

for kernel in (flip, never):
    seen = set()
    queues = [swathe.Queue("cuda") for _ in range(2)]
    for n in range(70):
        q = queues[n % 2]
        x, y = q.zeros(8), q.zeros(8)
        kernel[2, 4, q](x, y)
        how, *_, record = launched()
        assert how == "cooperative", how
        seen.add(record)
    assert len(seen) == 70, len(seen)
    del x, y
    for q in queues:
        q.sync()
"""
    go(fake, tmp_path, code)


# ---- events, and the records of launches --------------------------------------------------------


def test_waiting_for_an_event_waits_for_no_more(fake: Path, tmp_path: Path) -> None:
    code = """
q = swathe.Queue("cuda")
x = q.zeros(8)
early = q.launch(saxpy, 1, 8, (2.0, x, x))
fake.fake_fault(1)
late = q.launch(shift, 1, 8, (x, x))
fake.fake_trace(ctypes.c_uint64(swathe._core.dev_stream(q._handle)))
early.wait()
early.wait()
assert fake.fake_traced() == 0, "the queue was waited for"
for _ in range(2):
    try:
        late.wait()
    except IndexError as e:
        assert _ == 0 and "block (1, 0, 0), thread (3, 0, 0)" in str(e), e
    else:
        assert _ == 1
assert fake.fake_traced() == 0, "the queue was waited for"
q.sync()
assert fake.fake_traced() == 1
"""
    go(fake, tmp_path, code)


def test_many_launches_wait_for_nothing(fake: Path, tmp_path: Path) -> None:
    code = """
q = swathe.Queue("cuda")
x = q.zeros(8)
shift[1, 8, q](x, x)
q.sync()
wrong = 0
for busy in (0, 1):
    fake.fake_busy(busy)
    fake.fake_trace(ctypes.c_uint64(swathe._core.dev_stream(q._handle)))
    for n in range(1000):
        if n in (3, 500, 900):
            fake.fake_fault(1)
        shift[1, 8, q](x, x)
    assert fake.fake_traced() == 0, busy
    assert len(q._faults.full) + len(q._faults.spare) <= (16 if busy else 2)
    fake.fake_busy(0)
    while True:
        try:
            q.sync()
            break
        except IndexError:
            wrong += 1
    assert not q._faults.pending and not q._faults.full
    assert len(q._faults.spare) <= 4
assert wrong == 2, wrong
"""
    go(fake, tmp_path, code)
