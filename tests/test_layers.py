# SPDX-License-Identifier: BSD-3-Clause
"""A list of tuples of arrays, a dict of lists, a small class and arrays that may be None, through
each layer: arguments, storage, loops, parallel loops, errors and Ctrl-C half-way, results, what is
left in memory, and the interpreter of each pass's IR, which goes through its text. Allocations that
fail are in failing_memory.py."""

from __future__ import annotations

import copy
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import float64, prange


def wait(how):
    """Ends by an error, by Ctrl-C, or at once."""
    if how == 1:
        raise ValueError("half-way")
    k = 0
    while how == 2:
        k += 1
    return k


def tuples(x, y, how):
    kept, s, out = [x[0]], 0.0, np.zeros(len(x))
    for a, b in x:
        s += (a * b).sum()
    for i in prange(len(x)):
        a, b = x[i]
        t = 0.0
        for k in range(len(a)):
            t += a[k] * b[k]
        out[i] = t + s
    x.append((y, y * 2.0))
    x[0][0][0] = s
    kept.append(x[-1])
    wait(how)
    x.append(kept[0])
    return kept, out, [a for a, _ in x], s


def lists(d, y, how):
    kept, out = {}, np.zeros(4)
    for k, v in d.items():
        kept[k, k + 1] = v
        v.append(k)
    values = [v for v in d.values()]
    for i in prange(4):
        t = 0
        for v in values[i % len(values)]:
            t += v
        out[i] = t + y[0]
    d[99] = [len(d)]
    wait(how)
    d[99].append(5)
    return kept, out, d.pop(99), max([len(v) for v in d.values()])


@dataclass
class Body:
    """What is copied in and back."""

    at: float64[:]
    items: list[int]
    k: int

    def moved(self, y):
        return Body(self.at + y, [*self.items, self.k], self.k + 1)


def classes(b, y, how):
    kept, out = [b.moved(y)], np.zeros(len(y))
    for _ in range(3):
        kept.append(kept[-1].moved(y))
    last = kept[-1].at
    for i in prange(len(y)):
        out[i] = last[i] * b.k + y[i]
    b.items.append(7)
    b.at[0] = 5.0
    wait(how)
    b.k += len(kept)
    return out, kept[1].items, kept[-1].k, kept[0].at, b.at


def optionals(x, y, how):
    found, out, n = None, np.zeros(len(y)), 0
    for a in x:
        if a is not None:
            found = a * 2.0 if found is None else found + a
        n += a is None
    for i in prange(len(y)):
        out[i] = y[i] if found is None else found[i] + y[i]
    x.append(found)
    x[0] = y if x[0] is None else None
    wait(how)
    x.append(None)
    return found, out, n, [found, None, *x]


def made(kind, n):
    y = np.arange(3.0) + n
    if kind == "tuples":
        return [(np.arange(3.0) * i, np.ones(3) + i) for i in range(1, n + 1)], y
    if kind == "lists":
        return {i: list(range(i)) for i in range(n)}, y
    if kind == "classes":
        return Body(np.ones(3), [1] * n, n), y
    return [None if i % 2 else np.full(3, i + 0.5) for i in range(n)], y


KINDS = {f.__name__: f for f in (tuples, lists, classes, optionals)}
OURS = {k: swathe.njit(parallel=True)(f) for k, f in KINDS.items()}


def outcome(f, kind, n, how):
    x, y = made(kind, n)
    try:
        r = f(x, y, how)
    except (ValueError, KeyboardInterrupt) as e:
        r = type(e), str(e).split("\n")[0]
    return r, x, y


def same(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return type(a) is type(b) and same(list(a.items()), list(b.items()))
    if isinstance(a, Body):
        return same([a.at, a.items, a.k], [b.at, b.items, b.k])
    return type(a) is type(b) and a == b


def memory():
    now = live()
    return now["bytes"], now["faults"]


@pytest.mark.parametrize("kind", KINDS)
def test_values_and_errors(kind):
    for n in (2, 3, 7):
        for how in (0, 1):
            want, got = outcome(KINDS[kind], kind, n, how), outcome(OURS[kind], kind, n, how)
            assert same(list(want), list(got)), (n, how, want, got)
    del want, got
    before = memory()
    for how in (0, 1) * 5:
        outcome(OURS[kind], kind, 4, how)
    assert memory() == before


@pytest.mark.parametrize("kind", KINDS)
def test_ctrl_c(kind):
    outcome(OURS[kind], kind, 3, 0)
    before = memory()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    r, x, y = outcome(OURS[kind], kind, 3, 2)
    timer.join()
    _, want, _ = outcome(KINDS[kind], kind, 3, 1)
    assert r[0] is KeyboardInterrupt and same(copy.copy(x), want)
    del r, x, y
    assert memory() == before


def test_each_pass_keeps_them():
    code = (
        "import test_layers as t\n"
        "for k in t.KINDS:\n"
        "    for how in (0, 1):\n"
        "        want, got = t.outcome(t.KINDS[k], k, 2, how), t.outcome(t.OURS[k], k, 2, how)\n"
        "        assert t.same(list(want), list(got)), k\n"
    )
    env = {**os.environ, "SWATHE_CHECK": "2:6", "PYTHONPATH": str(Path(__file__).parent)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
