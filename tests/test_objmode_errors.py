# SPDX-License-Identifier: BSD-3-Clause
"""Blocks that run in Python: exceptions, what is refused, recursion, threads, leaks, the cache."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from live_memory import live
from test_objmode import KEPT, compiled

import swathe
from swathe import errors, njit, objmode, prange

# ---- exceptions ----------------------------------------------------------------------------------


class Own(KeyError):
    pass


def test_exceptions():
    def f(n):
        try:
            with objmode():
                if n == 1:
                    raise Own("own")
                if n == 2:
                    raise ZeroDivisionError
                if n == 3:
                    [].pop()
        except LookupError:
            return 1
        except ArithmeticError:
            return 2
        else:
            return 0
        finally:
            with objmode():
                KEPT.append(n)

    for n in range(4):
        assert njit(f)(n) == f(n)
    assert KEPT == [0, 0, 1, 1, 2, 2, 3, 3]
    KEPT.clear()


def test_it_is_the_very_exception():
    e = Own(1, [2])

    @njit
    def f(n):
        with objmode():
            if n:
                raise e
        return n

    assert f(0) == 0
    with pytest.raises(Own) as got:
        f(1)
    assert got.value is e
    lines, tb = [], got.value.__traceback__
    while tb:
        lines.append(tb.tb_frame.f_code.co_name)
        tb = tb.tb_next
    assert lines[-1] == "f"
    refs = sys.getrefcount(e)
    e.__traceback__ = None
    for _ in range(3):
        try:
            f(1)
        except Own as x:
            x.__traceback__ = None
    assert sys.getrefcount(e) == refs


def test_raised_again_and_in_texts():
    @njit
    def f(n):
        try:
            with objmode():
                raise ValueError("inner")
        except ValueError as e:
            if n == 0:
                raise
            if n == 1:
                raise e
            raise TypeError(f"<{e}>") from e

    for n in (0, 1):
        with pytest.raises(ValueError, match="^inner$"):
            f(n)
    with pytest.raises(TypeError, match="<inner>") as t:
        f(2)
    assert isinstance(t.value.__cause__, ValueError) and str(t.value.__cause__) == "inner"


def test_many_exceptions_at_once():
    """None is forgotten, however many come between."""

    @njit
    def f(n):
        try:
            with objmode():
                raise Own(-1)
        except KeyError:
            k = 0
            for i in range(n):
                try:
                    with objmode():
                        raise Own(i)
                except KeyError:
                    k += 1
            if k == n:
                raise

    with pytest.raises(Own) as e:
        f(300)
    assert e.value.args == (-1,)


def make_error():
    class Error(Exception):
        pass

    return Error


E1, E2 = make_error(), make_error()
S1 = type("Sub", (E1,), {})
S2 = type("Sub", (E2,), {})


def test_classes_of_one_name():
    """A class is what it is, not what it is called."""

    def f(n, up):
        try:
            if up:
                with objmode():
                    raise [E1, E2, S1, S2][n]()
            if n == 0:
                raise E1
            if n == 1:
                raise E2
            if n == 2:
                raise S1
            raise S2
        except S2:
            return 4
        except E2:
            return 2
        except S1:
            return 3
        except E1:
            return 1

    for n in range(4):
        for up in (False, True):
            assert njit(f)(n, up) == f(n, up) == n + 1

    @njit
    def g(n):
        if n:
            raise E1("one")
        raise S2("two")

    for n, cls in ((1, E1), (0, S2)):
        with pytest.raises(cls):
            g(n)


def test_classes_by_other_names():
    def f(a, n):
        try:
            if n == 0:
                raise IOError("x")  # noqa: UP024
            if n == 1:
                raise OSError
            return np.linalg.inv(a)[0, 0]
        except (EnvironmentError, ZeroDivisionError):  # noqa: UP024
            return 1.0
        except np.linalg.LinAlgError:
            return 2.0

    for n in range(3):
        assert njit(f)(np.zeros((2, 2)), n) == f(np.zeros((2, 2)), n)


def test_wrong_results():
    @njit
    def f(x):
        with objmode(y="float64[::1]", n="int8"):
            y, n = KEPT
        return y, n

    x = np.ones((3, 4))
    for y, n, words in (
        (x, 1, "'y' in the block of objmode is a contiguous array of float64 with 2 axes"),
        (x[:, 0], 1, "'y' in the block of objmode is a strided array of float64 with 1 axis"),
        (x[0].astype("f4"), 1, "array of float32 with 1 axis, and is declared as float64"),
        ([1.0], 1, "'y' in the block of objmode is of type list"),
        (x[0], 1.5, "'n' in the block of objmode is of type float, and is declared as int8"),
        (x[0], None, "'n' in the block of objmode is of type NoneType"),
    ):
        KEPT[:] = [y, n]
        with pytest.raises(TypeError) as e:
            f(1)
        assert words in str(e.value)
    KEPT[:] = [x[0], 1000]
    with pytest.raises(OverflowError, match="'n' in the block"):
        f(1)
    KEPT.clear()


# ---- what is refused -----------------------------------------------------------------------------

REFUSED = [
    ("def f(n):\n    with objmode():\n        y = n\n    return y\n",
     "'y', which the block assigns, is read behind it, and objmode does not declare it"),
    ("def f(n):\n    y = 1\n    with objmode():\n        y = n\n    return y\n", "'y', which"),
    ("def f(n):\n    y = 0\n    for i in range(n):\n        s = y\n        with objmode():\n"
     "            y = 1\n    return s\n", "'y', which the block assigns, is read behind it"),
    ("def f(n):\n    with objmode():\n        return 1\n", "'return' in a block of objmode"),
    ("def f(n):\n    for i in range(n):\n        with objmode():\n            break\n",
     "'break' out of a block of objmode"),
    ("def f(n):\n    for i in range(n):\n        with objmode():\n            continue\n",
     "'continue' out of a block of objmode"),
    ("def f(n):\n    with objmode(y='int32'):\n        x = n\n", "the block does not assign it"),
    ("def f(n):\n    with objmode(y='strange'):\n        y = n\n    return y\n",
     "'y' of objmode can't be of type 'strange'"),
    ("def f(n):\n    with objmode(y=nothing):\n        y = n\n    return y\n",
     "the type of 'y' in objmode is not known here"),
    ("def f(n):\n    with objmode('int64'):\n        pass\n", "takes names with types only"),
    ("def f(n):\n    with objmode() as g:\n        pass\n", "'as' after objmode()"),
    ("def f(n):\n    with objmode(), objmode():\n        pass\n", "beside another context manager"),
    ("def f(n):\n    def g(x):\n        return x\n    with objmode():\n        print(g(1))\n",
     "'g', which the block in objmode mentions, is a function of compiled code"),
    ("def f(n):\n    r = range(n)\n    with objmode():\n        print(r)\n", "is a range"),
    ("COUNT = 0\ndef f(n):\n    global COUNT\n    with objmode():\n        COUNT += 1\n"
     "    return COUNT\n", "'COUNT', which the block assigns, is a global that compiled code"),
    ("def f(n):\n    y = 0\n    try:\n        with objmode(y='int64'):\n            y = 1\n"
     "            print(n)\n    except ValueError:\n        pass\n    return y\n",
     "'y', which the block assigns, is read where an exception of the block is handled"),
    ("def f(n):\n    objmode()\n", "objmode() stands in a with statement"),
]  # fmt: skip


@pytest.mark.parametrize("code, words", REFUSED, ids=range(len(REFUSED)))
def test_refused(code, words):
    f = compiled(code)
    with pytest.raises((errors.CompileError, errors.UnsupportedError)) as e:
        f(2)
    text = str(e.value)
    assert words in text
    assert "^" in text


def test_not_in_kernels():
    @swathe.gpu.jit
    def kernel(x):
        with objmode():
            print(1)
        x[0] = 1

    with pytest.raises(errors.CompileError, match="runs in Python, which the threads of a kernel"):
        kernel[1, 1](np.zeros(1))


def test_python_functions_are_refused_with_a_hint():
    @njit
    def f(n):
        return json.loads(n)

    with pytest.raises(errors.CompileError, match="objmode"):
        f("1")


def test_a_parallel_function():
    @njit(parallel=True)
    def f(x):
        s = 0.0
        for i in prange(x.size):
            s += x[i]
        for k in range(3):
            with objmode(t="float64"):
                t = float(k)
            s += t
        return s + (x * 2).sum()

    x = np.ones(1000)
    assert f(x) == 3003
    assert "runs in Python" in f.explain()


# ---- recursion, threads, signals -----------------------------------------------------------------


def test_recursion():
    @njit
    def f(n):
        if n <= 0:
            return 0
        with objmode(r="int64"):
            r = f(n - 1)
        return r + n

    assert f(50) == 50 * 51 // 2
    with pytest.raises(RecursionError):
        f(10**6)
    assert f(5) == 15


def test_threads():
    @njit
    def f(n, me):
        s = 0
        for i in range(n):
            with objmode(k="int64"):
                KEPT.append(me)
                k = i
            s += k
        return s

    f(1, 1)
    KEPT.clear()
    got: list[Any] = []
    threads = [threading.Thread(target=lambda m=m: got.append(f(2000, m))) for m in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == [2000 * 1999 // 2] * 4
    assert len(KEPT) == 8000
    KEPT.clear()


def test_other_threads_run_meanwhile():
    @njit
    def f(x):
        s = 0.0
        while x[0] == 0:
            s += 1
        with objmode():
            KEPT.append(x[0])
        return s

    x = np.zeros(1)
    t = threading.Thread(target=f, args=(x,))
    t.start()
    x[0] = 2.0
    t.join(60)
    assert not t.is_alive() and KEPT == [2.0]
    KEPT.clear()


def test_ctrl_c():
    @njit
    def f(n):
        k = 0
        try:
            with objmode():
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(1000):
                    time.sleep(0.01)
        except Exception:
            k = 1
        return k

    with pytest.raises(KeyboardInterrupt):
        f(1)

    @njit
    def g(n):
        with objmode(a="int64"):
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
                a = 0
            except KeyboardInterrupt:
                a = 1
        s = 0
        for i in range(n):
            s += i % 3
        return a, s

    assert g(100) == (1, 99)


# ---- nothing is lost -----------------------------------------------------------------------------


def test_leaks():
    @njit
    def f(x, n):
        a = [1, 2]
        b = x * 2
        with objmode(y="float64[:]", t="Tuple((float64[:], int64))"):
            a.append(3)
            y = x[1:] if n < 2 else "wrong"
            t = (b, n)
            if n == 1:
                raise ValueError("x")
        return y, t, a

    def once():
        for n in range(3):
            try:
                f(x, n)
            except (ValueError, TypeError):
                pass

    x = np.ones(100)
    once()
    before, refs = live(), sys.getrefcount(x)
    objects = len(gc.get_objects())
    for _ in range(50):
        once()
    gc.collect()
    assert sys.getrefcount(x) == refs
    after = live()
    assert after["bytes"] == before["bytes"] and after["faults"] == before["faults"]
    assert len(gc.get_objects()) < objects + 50


def test_a_loop_keeps_nothing():
    """Lists that compiled code makes are let go while it runs."""

    @njit
    def f(n):
        for i in range(n):
            x = [float(i)] * 1000
            with objmode():
                if len(KEPT) < 1:
                    KEPT.append(None)
                x[0] += 1
        with objmode(m="int64"):
            m = sum(type(o) is list and len(o) == 1000 for o in gc.get_objects())
        return m

    assert f(50) < 10
    KEPT.clear()


# ---- other processes -----------------------------------------------------------------------------

PROGRAM = """
import sys
import numpy as np
from swathe import njit, objmode

class Error(Exception):
    pass

@njit
def f(x, d):
    try:
        with objmode(y="float64[:]", n="int64"):
            y = x[1:] * FACTOR
            n = len(repr(d))
            if n > 20:
                raise Error(n)
    except Error:
        return -1.0
    return y.sum() + n

print(f(np.arange(4.0), {1: 2}), f(np.arange(4.0), {10**9: 10**9}), f.stats["cache_hits"])
"""


def run(folder: Path, text: str) -> list[str]:
    (folder / "program.py").write_text(text)
    env = os.environ | {"SWATHE_CACHE_DIR": str(folder / "cache")}
    out = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, env=env, capture_output=True, text=True
    )
    assert out.returncode == 0, out.stderr
    return out.stdout.split()


def test_the_cache(tmp_path):
    text = textwrap.dedent(PROGRAM)
    first = run(tmp_path, text.replace("FACTOR", "2"))
    assert first == ["18.0", "-1.0", "0"]
    assert run(tmp_path, text.replace("FACTOR", "2")) == ["18.0", "-1.0", "1"]
    assert run(tmp_path, text.replace("FACTOR", "3")) == ["24.0", "-1.0", "0"]
