# SPDX-License-Identifier: BSD-3-Clause
"""Threads that compile and call at once, fork after use, Ctrl-C, and no memory left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import swathe


def in_threads(n, work):
    """Run work(k) in n threads that start together; return the results."""
    gate = threading.Barrier(n)
    results = [None] * n

    def run(k):
        gate.wait()
        try:
            results[k] = work(k)
        except BaseException as e:
            results[k] = e

    threads = [threading.Thread(target=run, args=(k,)) for k in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def script(text, **kw):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=120,
        **kw,
    )


def test_one_compile_for_eight_threads():
    @swathe.njit(cache=False)
    def f(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i]
        return s

    x = np.ones(1000)
    assert in_threads(8, lambda k: f(x)) == [1000.0] * 8
    assert f.stats["compiled"] == 1


def test_many_types_at_once():
    @swathe.njit(cache=False)
    def f(x):
        return x + x

    kinds = ["i1", "i2", "i4", "i8", "f4", "f8", "c8", "c16"]

    def work(k):
        for _ in range(50):
            x = np.ones(3, kinds[k])
            r = f(x)
            assert r.dtype == x.dtype and r.sum() == 6
        return True

    assert in_threads(8, work) == [True] * 8
    assert f.stats["compiled"] == 8


def test_many_functions_at_once():
    made = [swathe.njit(cache=False)(lambda x, k=k: x * 2 + k) for k in range(8)]
    assert (
        in_threads(8, lambda k: [made[j](1.0) for j in range(8)])
        == [[2.0 + j for j in range(8)]] * 8
    )


def test_gil_is_released():
    @swathe.njit
    def spin(n):
        s = 0
        for i in range(n):
            s = (s * 1103515245 + i) % 2147483648
        return s

    spin(1)
    ticks = 0
    done = threading.Event()

    def work():
        spin(200_000_000)
        done.set()

    t = threading.Thread(target=work)
    t.start()
    while not done.wait(0.005):
        ticks += 1
    t.join()
    assert ticks > 5


def test_globals_change_while_threads_call():
    space = {"K": 1, "njit": swathe.njit}
    text = "@njit\ndef f(x):\n    return x * K\n"
    import linecache

    linecache.cache["<changing>"] = (len(text), None, text.splitlines(True), "<changing>")
    exec(compile(text, "<changing>", "exec"), space)
    f = space["f"]
    stop = threading.Event()

    def work(k):
        if k == 0:
            for i in range(30):
                space["K"] = i % 3 + 1
                time.sleep(0.002)
            stop.set()
            return True
        while not stop.is_set():
            assert f(2) in (2, 4, 6)
        return True

    assert in_threads(4, work) == [True] * 4


# --- fork ----------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_after_use():
    done = script(
        """
        import os, sys, numpy as np, swathe
        def g(x):
            return x.sum() + 1
        f = swathe.njit(lambda x: x * 2.0)
        h = swathe.njit(g)
        assert f(3.0) == 6.0
        pid = os.fork()
        if pid == 0:
            ok = f(4.0) == 8.0 and f(np.ones(3)).sum() == 6.0 and h(np.ones(4)) == 5.0
            os._exit(0 if ok else 1)
        assert os.waitpid(pid, 0)[1] == 0
        assert h(np.ones(2)) == 3.0
        print("fine")
        """
    )
    assert done.stdout == "fine\n", done.stderr


FORKS = """
    import linecache, os, threading, warnings, swathe
    warnings.simplefilter("ignore")
    def told(k):
        text, name, space = f"f = lambda x: x * {k} + 1", f"<cell {k}>", {}
        linecache.cache[name] = (len(text), None, [text], name)
        exec(compile(text, name, "exec"), space)
        return space["f"]
    made = MADE
    fs = [swathe.njit(cache=False)(made(k)) for k in range(40)]
    def work():
        for f in fs:
            f(1.0)
    t = threading.Thread(target=work)
    t.start()
    pids = []
    for i in range(5):
        pid = os.fork()
        if pid == 0:
            os._exit(0 if [f(2) for f in fs] == [2 * k + 1 for k in range(40)] else 1)
        pids.append(pid)
    assert [os.waitpid(p, 0)[1] for p in pids] == [0] * 5
    t.join()
    print("fine")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("made", ["lambda k: lambda x, k=k: x * k + 1", "told"])
def test_fork_while_another_thread_compiles(made):
    done = script(FORKS.replace("MADE", made))
    assert done.stdout == "fine\n", done.stderr


# --- Ctrl-C ----------------

FOREVER = """
    import os, signal, sys, time, threading, numpy as np, swathe
    @swathe.njit
    def forever(x):
        while True:
            for i in range(len(x)):
                x[i] = x[i] * 0.5 + 1.0
        return 0
    x = np.ones(10)
    {setup}
    def poke():
        time.sleep(1.0)
        global sent
        sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=poke, daemon=True).start()
    try:
        forever(x)
    except {exc} as e:
        print(type(e).__name__, time.perf_counter() - sent < 1.0)
    print(swathe.njit(lambda y: y + 1)(1))
"""


@pytest.mark.parametrize(
    "setup, exc",
    [
        ("pass", "KeyboardInterrupt"),
        ("signal.signal(signal.SIGINT, lambda *a: 1 / 0)", "ZeroDivisionError"),
    ],
)
def test_ctrl_c(setup, exc):
    done = script(textwrap.dedent(FOREVER).format(setup=setup, exc=exc))
    assert done.stdout.split() == [exc, "True", "2"], done.stderr


def test_handler_that_returns_lets_the_loop_go_on():
    done = script(
        """
        import os, signal, time, threading, swathe
        @swathe.njit
        def spin(n):
            s = 0
            for i in range(n):
                s = (s * 1103515245 + i) % 2147483648
            return s
        seen = []
        signal.signal(signal.SIGINT, lambda *a: seen.append(1))
        want = spin(300_000_000)
        def poke():
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=poke).start()
        print(spin(300_000_000) == want, seen)
        """
    )
    assert done.stdout == "True [1]\n", done.stderr


def test_signal_outside_compiled_code_does_not_linger():
    f = swathe.njit(lambda x: x + 1)
    f(1)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.01)
    assert f(1) == 2


# --- memory ----------------


def test_memory_error():
    @swathe.njit
    def big(n):
        return np.zeros(n)

    with pytest.raises(MemoryError):
        big(1 << 59)
    assert big(3).sum() == 0.0


def test_memory_error_in_an_expression():
    done = script(
        """
        import resource, numpy as np, swathe
        @swathe.njit
        def f(x, n):
            return np.ones(n) + x[0]
        x = np.ones(1)
        f(x, 4)
        limit = 1 << 30
        used = int(open("/proc/self/statm").read().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))
        try:
            f(x, 1 << 28)
        except MemoryError:
            print("MemoryError")
        print(f(x, 4).sum())
        """
    )
    assert done.stdout.split() == ["MemoryError", "8.0"], done.stderr
