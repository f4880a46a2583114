# SPDX-License-Identifier: BSD-3-Clause
"""The pool of workers: its C test under the sanitizers, and what Python sees of it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
from test_support import ALONE, CC, ENV, FLAGS, ROOT, SOURCES, row_table

import swathe

KINDS = ("address,undefined", "thread")


@pytest.fixture(scope="module", params=KINDS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build tests/c/pool.c with a sanitizer."""
    if CC is None:
        pytest.skip("needs a C compiler")
    out = tmp_path_factory.mktemp("pool") / "pool"
    flags = [f for f in FLAGS if not f.startswith("-fsanitize=")]
    rows = row_table(out.parent)
    sources = [ROOT / "tests/c/pool.c", *ALONE, rows, *SOURCES]
    command = [
        CC,
        *flags,
        f"-I{out.parent}",
        f"-fsanitize={request.param}",
        *map(str, sources),
        "-o",
        str(out),
    ]
    r = subprocess.run([*command, "-lm", "-ldl", "-lpthread"], capture_output=True, text=True)
    if r.returncode and "sanitize" in r.stderr and "cannot find" in r.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert r.returncode == 0, r.stderr
    return out


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_pool(program: Path, tmp_path: Path, threads: int):
    r = subprocess.run(
        [program, tmp_path],
        capture_output=True,
        text=True,
        env=ENV | {"SWATHE_NUM_THREADS": str(threads)},
        timeout=300,
    )
    assert r.returncode == 0, r.stdout + r.stderr


# --- what Python sees ------------------------------------------------------------------------


def script(text: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | env,
    )


def test_number_of_threads():
    most = swathe.get_num_threads()
    assert most >= 1
    for n in range(1, most + 1):
        swathe.set_num_threads(n)
        assert swathe.get_num_threads() == n
    swathe.set_num_threads(np.int64(1))
    assert swathe.get_num_threads() == 1
    swathe.set_num_threads(most)
    assert swathe.threading_layer() == "swathe"


@pytest.mark.parametrize("n", [0, -1, 1 << 20, 1 << 70, -(1 << 70)])
def test_wrong_number_of_threads(n: int):
    most = swathe.get_num_threads()
    with pytest.raises(ValueError, match=rf"from 1 to {most}, not {n}"):
        swathe.set_num_threads(n)
    assert swathe.get_num_threads() == most


@pytest.mark.parametrize("n", [True, False, 1.0, "2", None, np.float64(1), np.bool_(True)])
def test_no_number_of_threads(n: object):
    with pytest.raises(TypeError, match="set_num_threads"):
        swathe.set_num_threads(n)
    with pytest.raises(TypeError, match="set_parallel_chunksize"):
        swathe.set_parallel_chunksize(n)


def test_chunksize():
    assert swathe.get_parallel_chunksize() == 0
    assert swathe.set_parallel_chunksize(4) == 0
    assert swathe.set_parallel_chunksize(0) == 4
    for n in (-1, 1 << 70):
        with pytest.raises(ValueError, match="chunk size"):
            swathe.set_parallel_chunksize(n)
    with swathe.parallel_chunksize(8):
        assert swathe.get_parallel_chunksize() == 8
    assert swathe.get_parallel_chunksize() == 0


def test_settings_are_of_a_thread():
    most, seen = swathe.get_num_threads(), []
    swathe.set_num_threads(1)
    swathe.set_parallel_chunksize(3)

    def look():
        seen.append((swathe.get_num_threads(), swathe.get_parallel_chunksize()))

    t = threading.Thread(target=look)
    t.start()
    t.join()
    swathe.set_num_threads(most)
    swathe.set_parallel_chunksize(0)
    assert seen == [(most, 0)]


@pytest.mark.parametrize(
    "asked, threads",
    [("7", 7), ("1", 1), ("100000", 256), ("0", None), ("-2", None), ("x", None), ("3x", None)],
)
def test_environment(asked: str, threads: int | None):
    most = len(os.sched_getaffinity(0))
    done = script("import swathe; print(swathe.get_num_threads())", SWATHE_NUM_THREADS=asked)
    assert done.returncode == 0, done.stderr
    n = int(done.stdout)
    assert n == threads if threads else 1 <= n <= most


def test_affinity():
    done = script(
        """
        import os
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        import swathe
        print(swathe.get_num_threads())
        """,
        SWATHE_NUM_THREADS="",
    )
    assert done.stdout == "1\n", done.stderr


# --- parallel loops ------------------------------------------------------------------------

LOOPS = """
import os, signal, sys, threading, time, warnings
import numpy as np, swathe
from swathe import prange
warnings.simplefilter("ignore")

@swathe.njit(parallel=True, cache=False)
def spin(x, n):
    for i in prange(len(x)):
        s = 0
        for k in range(n):
            s = (s * 1103515245 + k + i) % 2147483648
        x[i] = s
    return 0

def right(n):
    x, y = np.zeros(64, np.int64), np.zeros(64, np.int64)
    spin(x, n)
    spin.py_func(y, n)
    return (x == y).all()

spin(np.zeros(64, np.int64), 1000)
"""


def loops(text: str, threads: int = 2, timeout: float = 120) -> str:
    done = subprocess.run(
        [sys.executable, "-c", LOOPS + textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=os.environ | {"SWATHE_NUM_THREADS": str(threads)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("n", [2, 64])
def test_ctrl_c(n: int, threads: int):
    """Some of it in the caller's chunks, some while it waits for those of others."""
    out = loops(
        f"""
        def poke():
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=poke, daemon=True).start()
        try:
            spin(np.zeros({n}, np.int64), 10**12)
        except KeyboardInterrupt:
            print("KeyboardInterrupt", right(1000))
        """,
        threads,
    )
    assert out == "KeyboardInterrupt True\n"


def test_handler_that_returns_lets_the_loop_go_on():
    out = loops(
        """
        seen = []
        signal.signal(signal.SIGALRM, lambda *a: os.kill(os.getpid(), signal.SIGINT))
        signal.signal(signal.SIGINT, lambda *a: seen.append(1))
        n = 1000
        while not seen:
            n *= 10
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            x, y = np.zeros(2, np.int64), np.zeros(2, np.int64)
            spin(x, n)
            signal.setitimer(signal.ITIMER_REAL, 0)
            seen and spin(y, n)
        print((x == y).all())
        """
    )
    assert out == "True\n"


def test_fork():
    out = loops(
        """
        pids = []
        for k in range(3):
            pid = os.fork()
            if pid == 0:
                inner = os.fork()
                ok = right(1000)
                if inner and os.waitpid(inner, 0)[1]:
                    ok = False
                os._exit(0 if ok else 1)
            pids.append(pid)
            spin(np.zeros(64, np.int64), 1000)
        print([os.waitpid(p, 0)[1] for p in pids], right(1000))
        """
    )
    assert out == "[0, 0, 0] True\n"


def test_fork_while_another_thread_is_in_a_loop():
    out = loops(
        """
        stop = threading.Event()
        def work():
            x = np.zeros(64, np.int64)
            while not stop.is_set():
                spin(x, 1000)
        t = threading.Thread(target=work)
        t.start()
        pids = []
        for k in range(10):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if right(1000) else 1)
            pids.append(pid)
        print([os.waitpid(p, 0)[1] for p in pids] == [0] * 10)
        stop.set()
        t.join()
        """
    )
    assert out == "True\n"


@pytest.mark.parametrize("threads", [2, 7])
def test_eight_callers(threads: int):
    out = loops(
        """
        y = np.zeros(64, np.int64)
        spin.py_func(y, 300)
        wrong = []
        def work(k):
            if k % 2:
                swathe.set_num_threads(k % swathe.get_num_threads() + 1)
            x = np.zeros(64, np.int64)
            for _ in range(100):
                x[:] = 0
                spin(x, 300)
                if not (x == y).all():
                    wrong.append(k)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads: t.start()
        for t in threads: t.join()
        print(wrong)
        """,
        threads,
    )
    assert out == "[]\n"


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("bad", [0, 1999, 3000, 3999, 5000])
def test_first_error(tmp_path: Path, threads: int, bad: int):
    """It is the one that a serial loop meets, and what comes before it is done."""
    (tmp_path / "module.py").write_text(
        textwrap.dedent(
            """
            import swathe
            from swathe import prange

            @swathe.njit(parallel=True, cache=False)
            def f(x, bad):
                for i in prange(len(x)):
                    s = 0
                    for k in range(1000):
                        s = (s * 1103515245 + k + i) % 2147483648
                    if i >= bad:
                        x[len(x) + i] = s  # line 12
                    x[i] = s + 1
                return 0
            """
        )
    )
    out = loops(
        f"""
        import traceback
        sys.path.insert(0, {str(tmp_path)!r})
        from module import f
        x = np.zeros(4000, np.int64)
        try:
            f(x, {bad})
            print("fine")
        except IndexError as e:
            print("line 12" in traceback.format_exc(), f"index {{4000 + {bad}}}" in str(e))
        print((x[:{bad}] > 0).all())
        """,
        threads,
    )
    assert out.split() == (["True", "True"] if bad < 4000 else ["fine"]) + ["True"]


def test_print_in_a_loop():
    out = loops(
        """
        @swathe.njit(parallel=True, cache=False)
        def say(x, n):
            for i in prange(len(x)):
                for k in range(n):
                    x[i] = (x[i] * 1103515245 + k) % 2147483648
                print("line", i)
            return 0
        say(np.zeros(50, np.int64), 10000)
        """
    )
    assert sorted(out.splitlines()) == sorted(f"line {i}" for i in range(50))


def test_nested_calls():
    out = loops(
        """
        @swathe.njit(parallel=True, cache=False)
        def outer(x):
            for i in prange(len(x)):
                y = np.zeros(64, np.int64)
                spin(y, 100)
                x[i] = y.sum() + i
            return 0
        x, y = np.zeros(40, np.int64), np.zeros(64, np.int64)
        outer(x)
        spin.py_func(y, 100)
        print((x == y.sum() + np.arange(40)).all())
        """
    )
    assert out == "True\n"


def test_exit_with_workers_asleep():
    assert loops("time.sleep(0.01)\nprint('bye')", 7) == "bye\n"


def test_exit_while_a_daemon_is_in_a_loop():
    out = loops(
        """
        x = np.zeros(64, np.int64)
        threading.Thread(target=spin, args=(x, 10**12), daemon=True).start()
        time.sleep(0.2)
        print("bye", flush=True)
        """
    )
    assert out == "bye\n"


def test_deep_recursion_in_a_worker():
    out = loops(
        """
        @swathe.njit
        def down(n):
            return 0 if n == 0 else down(n - 1) + 1
        @swathe.njit(parallel=True, cache=False)
        def f(x, n):
            for i in prange(len(x)):
                x[i] = down(n + i)
            return 0
        x = np.zeros(100, np.int64)
        f(x, 1000)
        print((x == 1000 + np.arange(100)).all())
        try:
            f(x, 10**9)
        except RecursionError:
            print("RecursionError")
        """
    )
    assert out.split() == ["True", "RecursionError"]


def test_there_are_workers():
    """There are threads beside the caller."""
    out = loops(
        """
        spin(np.zeros(64, np.int64), 10**5)
        until = time.monotonic() + 30  # a thread names itself when it first runs
        found = []
        while len(found) < 2 and time.monotonic() < until:
            tasks = os.listdir("/proc/self/task")
            names = [open(f"/proc/self/task/{t}/comm").read().strip() for t in tasks]
            found = sorted(n for n in names if n.startswith("swathe-"))
        print(found)
        """,
        3,
    )
    assert out == "['swathe-1', 'swathe-2']\n"
