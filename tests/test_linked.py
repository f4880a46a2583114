# SPDX-License-Identifier: BSD-3-Clause
"""Instances that refer to each other: what looks at them without a reference of its own is never
left with memory that is gone. Compiled and as Python runs them, and every pass against the
interpreter."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from live_memory import live

import swathe
from swathe import _core


def programs(compiled):
    path = Path(__file__).parent / "linked_programs.py"
    spec = importlib.util.spec_from_file_location("linked_programs", path)
    module = importlib.util.module_from_spec(spec)
    was, swathe.config.DISABLE_JIT = swathe.config.DISABLE_JIT, not compiled
    sys.modules["linked_programs"] = module  # where annotations are looked up
    try:
        spec.loader.exec_module(module)
    finally:
        swathe.config.DISABLE_JIT = was
        del sys.modules["linked_programs"]
    return module


PLAIN, COMPILED = programs(False), programs(True)


def test_programs():
    f = swathe.njit(parallel=True, cache=False)(COMPILED.every)
    f(4)
    before = live()["bytes"]
    for n in (2, 3, 4, 5, 8, 13, 40):
        assert f(n) == PLAIN.every(n), n
    assert live()["bytes"] == before


def test_passes_against_the_interpreter():
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "SWATHE_CHECK": "2:6"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_long_list():
    f = swathe.njit(COMPILED.long)
    assert f(1_000_000) == 500_001
    f(100)
    _core.trim()
    before = live()["bytes"]
    assert f(300_000) == 150_001
    assert live()["bytes"] == before


def test_threads():
    """Threads look at the same objects, each holds and lets go."""

    def walk(head, rounds):
        s = 0
        for _ in range(rounds):
            at = head
            while at is not None:
                kept = at
                at.other = None
                at = at.next
                s += kept.v
        return s

    walk = swathe.njit(walk)
    head = swathe.njit(COMPILED.chain)(30)
    want = [walk(head, 1) * 2000] * 4
    got = []
    run = [threading.Thread(target=lambda: got.append(walk(head, 2000))) for _ in range(4)]
    for t in run:
        t.start()
    for t in run:
        t.join()
    assert got == want


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_handler_lets_go():
    """A handler that runs while the function looks at a list takes the list away from it."""

    def spin(head, rounds):
        s = 0
        for _ in range(rounds):
            at = head.next
            while at is not None:
                s += at.v
                at = at.next
        return s

    spin = swathe.njit(spin)
    make = swathe.njit(COMPILED.chain)
    spin(make(3), 1)
    head, before, seen = make(2000), live()["bytes"], []

    def cut(*_):
        seen.append(head.next.v)
        new = make(2000)
        head.next = new.next
        make(2000)  # takes the memory that is free

    was = signal.signal(signal.SIGALRM, cut)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        start = time.monotonic()
        while len(seen) < 20 and time.monotonic() - start < 10:
            assert spin(head, 4000) == 1999 * 1000 * 4000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, was)
    assert seen and set(seen) == {1}
    assert live()["bytes"] == before


if __name__ == "__main__":
    swathe.njit(parallel=True, cache=False)(COMPILED.every)(5)
