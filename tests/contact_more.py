# SPDX-License-Identifier: BSD-3-Clause
"""More probes of contact.py: other libraries, and what tests the program itself."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np
from contact import PROBES, fact, not_here, probe, queue, same, saxpy

__all__ = ["PROBES"]

# ---- other libraries -----------------------------------------------------------------------------


def interop(make: Any, check: Any) -> None:
    """Their work and ours in turn, without any waiting, on one array."""
    q = queue()
    x, y = make(1.0), make(0.0)
    for k in range(200):
        y += x  # theirs
        saxpy[-(-y.shape[0] // 256), 256, q](np.float32(1), x, y)
        assert k % 50 or check(y, 2.0 * (k + 1)), f"after {k + 1} rounds"
    ours = q.asarray(y)
    for _ in range(50):
        ours.fill(1)
        y *= 2
    assert check(y, 2.0), "fills"
    same(ours.copy_to_host()[:4], np.full(4, 2, np.float32), "read by us")


@probe
def torch() -> None:
    """PyTorch's arrays, in the order of its current stream."""
    try:
        import torch as library
    except ImportError:
        not_here("torch")
    if not library.cuda.is_available():
        not_here("CUDA in this torch")
    n = 1 << 22
    for stream in (library.cuda.current_stream(), library.cuda.Stream()):
        with library.cuda.stream(stream):
            interop(
                lambda v: library.full((n,), v, device="cuda", dtype=library.float32),
                lambda y, v: bool((y == v).all()),
            )


@probe
def cupy() -> None:
    """CuPy's arrays, in the order of its current stream."""
    try:
        import cupy as library
    except ImportError:
        not_here("cupy")
    n = 1 << 22
    for stream in (library.cuda.Stream.null, library.cuda.Stream(non_blocking=True)):
        with stream:
            interop(
                lambda v: library.full(n, v, library.float32),
                lambda y, v: bool((y == v).all()),
            )


# ---- for the tests of the program itself ---------------------------------------------------------


@probe
def selftest_hangs() -> None:
    """Never end, and take no signal."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    fact(before="it hangs")
    while True:
        time.sleep(1)


@probe
def selftest_crashes() -> None:
    """End by a signal."""
    os.kill(os.getpid(), signal.SIGSEGV)


@probe
def selftest_wrong() -> None:
    """Find a wrong number."""
    same(np.ones(3), np.array([1.0, 2.0, 1.0]), "some numbers")
