# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of compiled functions that run in Python: values, names, exceptions, threads, the cache."""

from __future__ import annotations

import collections
import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import errors, njit, objmode, prange, types
from swathe.compat import numba

KEPT: list[Any] = []
Point = collections.namedtuple("Point", "x y")
Floats = types.float64[:]
LIMIT = 3


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return (
            isinstance(b, np.ndarray)
            and a.dtype == b.dtype
            and a.shape == b.shape
            and np.array_equal(a, b)
        )
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def check(f: Any, *make: Any) -> Any:
    """Python and compiled code give the same, and do the same to the arguments."""
    ours, theirs = [m() for m in make], [m() for m in make]
    want = f(*theirs)
    got = njit(f)(*ours)
    assert same(want, got), (want, got)
    assert same(theirs, ours), (theirs, ours)
    return got


# ---- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text, value", [
    ("int64", 7), ("int", 7), ("int8", np.int8(-3)), ("uint64", np.uint64(2**64 - 1)), ("float64", 2.5),
    ("float", 2.5), ("float32", np.float32(1.25)), ("float16", np.float16(0.5)), ("bool", True),
    ("boolean", np.bool_(True)), ("complex", 1 + 2j), ("complex64", np.complex64(1 + 2j)),
    ("complex128", np.complex128(3j)), ("float64", 3),
])  # fmt: skip
def test_scalars(text, value):
    code = f"""
def f(v):
    with objmode(y={text!r}):
        y = v if True else None
        KEPT[:] = [type(v)]
    return y
"""
    f = compiled(code)
    got = f(value)
    assert got == value
    assert KEPT[0] is type(value)
    again = f(value)
    assert type(again) is type(got)


def compiled(code: str, **names: Any) -> Any:
    """Return `f` of a text that has lines."""
    import linecache

    name = f"<objmode {len(linecache.cache)}>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    scope = {**globals(), **names}
    exec(compile(code, name, "exec"), scope)
    return njit(scope["f"])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64", "c16"])
@pytest.mark.parametrize("make", [
    lambda d: np.arange(6).astype(d), lambda d: np.arange(12).astype(d)[::2],
    lambda d: np.arange(6).astype(d).reshape(2, 3), lambda d: np.arange(6).astype(d).reshape(2, 3).T,
    lambda d: np.arange(24).astype(d).reshape(2, 3, 4)[:, 1:, ::2], lambda d: np.zeros((0, 3), d),
    lambda d: np.array(3).astype(d), lambda d: np.arange(6).astype(d)[::-1],
], ids=["1d", "strided", "2d", "F", "3d", "empty", "0d", "backwards"])  # fmt: skip
def test_arrays(dtype, make):
    x = make(dtype)
    axes = ", ".join(":" * x.ndim) if x.ndim else "()"
    code = f"""
def f(x):
    with objmode(y="{x.dtype.name}[{axes}]", same="bool"):
        same = x is KEPT[0] and x.strides == KEPT[0].strides
        x[...] = x[...] * 0 + 1
        y = x
    return y, same, y.sum() == y.size
"""
    KEPT[:] = [x]
    y, is_same, full = compiled(code)(x)
    assert y is x and is_same and full
    KEPT.clear()


def test_stores_are_seen_in_both_directions():
    def f(x):
        a = x * 2
        v = a[1:3]
        s = v.sum()
        with objmode():
            v[0] = 100
            a[3] = 7
        return s, a.sum(), v.sum(), a

    check(f, lambda: np.arange(4.0))


def test_memory_that_python_keeps():
    """What Python was shown once, it may change in a later block, and may yield."""

    def f(n):
        a = np.zeros(n)
        with objmode():
            KEPT.append(a)
        before = a.sum()
        a[0] = 1
        with objmode():
            KEPT[-1][1] = 5
        after = a.sum()
        with objmode(b="float64[:]"):
            b = KEPT[-1]
        b[2] = 10
        return before, after, a.sum(), b.sum()

    check(f, lambda: 4)
    KEPT.clear()


def test_memory_that_a_helper_keeps():
    def keep(a):
        with objmode():
            KEPT.append(a)

    def poke(k):
        with objmode():
            KEPT[-1][k] += 5

    def f(n):
        a = np.ones(n)
        b = np.ones(n)
        keep(a)
        total = 0.0
        for k in range(n):
            poke(k)
            total += a[k] + b[k] + a.sum()
        return total, a

    check(f, lambda: 5)
    KEPT.clear()


def test_an_argument_that_python_knows_otherwise():
    x = np.arange(4.0)

    def f(x):
        s = x[0]
        with objmode():
            KEPT[0][0] = 9
        return s + x[0]

    KEPT[:] = [x]
    assert njit(f)(x) == 9
    KEPT.clear()


def test_results_are_what_python_has():
    x = np.arange(4.0)
    KEPT[:] = [x]

    @njit
    def f(n):
        with objmode(y="float64[::1]"):
            y = KEPT[0]
        if n:
            return y[1:], y
        return y, y

    assert f(0)[0] is x
    v, y = f(1)
    assert y is x and v.base is x
    KEPT.clear()


def test_a_view_keeps_its_owner():
    @njit
    def f(n):
        with objmode(y="float64[:]"):
            base = np.arange(float(n))
            KEPT[:] = [weakref.ref(base)]
            y = base[1:]
        return y[1:]

    y = f(5)
    gc.collect()
    assert KEPT[0]() is not None and y.tolist() == [2, 3, 4]
    del y
    gc.collect()
    assert KEPT[0]() is None


def test_tuples_none_and_strings():
    def f(t, name, z, p):
        with objmode(r="Tuple((float64, int64[:]))", o="optional(float64)", n="int64"):
            r = (float(t[0]), np.arange(t[1]))
            o = None if z is None else z + 1.0
            n = len(f"{name}!{p.x}") + (type(p) is Point)
        return r[0], r[1], o, n

    check(f, lambda: (1.5, 3), lambda: "abc", lambda: None, lambda: Point(1, 2.0))
    check(f, lambda: (1.5, 0), lambda: "", lambda: 2.5, lambda: Point(1, 2.0))


def test_optional_arrays():
    def f(n):
        with objmode(o="optional(float64[:])"):
            o = np.ones(n) if n else None
        if o is None:
            return -1.0
        return o.sum()

    check(f, lambda: 0)
    check(f, lambda: 3)


def test_records():
    def f(a):
        with objmode():
            a["x"][0] = 5
            a[1]["y"] = 2
        return a.x.sum() + a[1].y

    dtype = np.dtype([("x", "f8"), ("y", "i8")], align=True)
    a = np.zeros(3, dtype)
    assert njit(f)(a) == 7 and a["x"][0] == 5


# ---- lists and dicts -----------------------------------------------------------------------------


def test_lists_and_dicts():
    def f(a, d):
        a.append(5)
        with objmode(m="int64"):
            a.append(len(d))
            d[7] = a[0] + 0.5
            a[0] = 10
            m = len(a)
        a.append(a[0])
        return m, a[-2], len(a), d[7]

    check(f, lambda: [1, 2], lambda: {1: 2.0})


def test_lists_that_compiled_code_makes():
    def f(n):
        total = 0
        for i in range(n):
            x = [i, i + 1]
            with objmode():
                x.append(10)
                x.insert(0, 100)
            total += sum(x) + len(x)
        return total

    check(f, lambda: 50)


def test_lists_change_where_nobody_passes_them():
    def f(a):
        n = 0
        for k in range(4):
            with objmode():
                KEPT[0].append(k)
            n += len(a) + a[-1]
        return n

    a: list[int] = [1]
    KEPT[:] = [a]
    assert njit(f)(a) == sum(len([1, *range(k + 1)]) + k for k in range(4))
    assert a == [1, 0, 1, 2, 3]
    KEPT.clear()


def test_loops_over_lists_that_change():
    def f(a):
        s = 0
        for v in a:
            with objmode():
                if len(a) < 6:
                    a.append(v + 1)
            s += v
        return s

    check(f, lambda: [1, 2, 3])


def test_nested_lists_and_arrays_in_lists():
    def f(a, b):
        a[0].append(4)
        with objmode():
            a[0].append(a[0][-1] + 1)
            a.append([9])
            b.append(b[0] * 2)
            b[0][0] = 50
        return a[0][-1], a[-1][0], b[-1].sum() + b[0][0]

    check(f, lambda: [[1], [2, 3]], lambda: [np.ones(2)])


def test_an_array_that_python_puts_into_a_list():
    def f(x):
        a = np.zeros(3)
        with objmode():
            x[0] = a
        x[0][1] = 5
        return a.sum()

    check(f, lambda: [np.ones(3)])


def test_elements_of_another_type():
    a = [1, 2]

    @njit
    def f(a):
        with objmode():
            a.append("x")
        return len(a)

    with pytest.raises(TypeError, match="holds values of type int"):
        f(a)


def test_lists_and_dicts_as_results():
    def f(n):
        with objmode(a="list[float]", d="dict[int, list[float64]]", p="list[Tuple((int, float))]"):
            a = [0.5 * k for k in range(n)]
            d = {k: [np.float64(k)] for k in range(n)}
            p = [(k, float(k)) for k in range(n)]
        a.append(2.5)
        with objmode(b=list[float]):
            a[0] += 100
            b = a
        b.append(1.0)
        s = 0.0
        for k, v in p:
            s += k * v
        return a, d, len(b), s

    check(f, lambda: 3)
    with pytest.raises(TypeError, match="'a' holds values of type float"):
        compiled('def f(n):\n    with objmode(a="list[float]"):\n        a = [1.0, 2]\n'
                 "    return a\n")(1)  # fmt: skip


# ---- names ---------------------------------------------------------------------------------------


def test_names_of_a_block():
    def f(n):
        i = 0
        t = 1.0
        for i in range(n):
            with objmode(t="float64"):
                import math

                words = [str(k) for k in range(i)]
                for i in range(2):  # noqa: PLW2901, B020
                    t += len(words) + math.sqrt(i)
                del words
        i = n
        return t, i

    check(f, lambda: 4)


def test_conditional_assignment():
    def f(n):
        y = 1.5
        with objmode(y="float64"):
            if n > 1:
                y = 2.5
        with objmode(z="int64"):
            while True:
                z = 3
                break
        return y + z

    check(f, lambda: 1)
    check(f, lambda: 2)


def test_unbound_before_the_first_round():
    def f(n):
        s = 0.0
        for i in range(n):
            with objmode(y="float64"):
                if i == 0:
                    y = 1.0
                else:
                    y = y * 2
            s += y
        return s

    check(f, lambda: 5)


def test_unbound_is_an_error_of_python():
    @njit
    def f(n):
        with objmode(y="float64"):
            if n:
                y = 1.0
        return y

    assert f(1) == 1
    with pytest.raises(UnboundLocalError):
        f(0)


def test_closures_and_globals():
    def make(k):
        count = 0

        @njit
        def f(n):
            with objmode(y="int64"):
                nonlocal count
                count += 1
                y = n * k + count + LIMIT
            return y

        return f, lambda: count

    f, f_count = make(10)
    g, _ = make(100)
    assert [f(1), f(1), g(1)] == [14, 15, 104]
    assert f_count() == 2

    @njit
    def both(n):
        return f(n) + g(n)

    assert both(1) == 16 + 105


def test_globals_are_those_of_the_moment(monkeypatch):
    @njit
    def f(n):
        with objmode(y="int64"):
            y = LIMIT + n
        return y

    assert f(0) == 3
    monkeypatch.setitem(globals(), "LIMIT", 50)
    assert f(0) == 50


def test_types_are_strings_types_and_globals():
    @njit
    def f(x):
        with numba.objmode(y=Floats, n=types.int64, z="float64"):
            y = x[1:]
            n = 2
            z = 0.5
        return y.sum() + n + z

    assert f(np.arange(3.0)) == 5.5
    assert swathe.compat.numba.objmode is objmode


def test_nested_functions_and_helpers():
    def helper(x, k):
        with objmode(y="float64"):
            y = float(json.dumps(k)) + x.sum()
        return y

    def f(x, n):
        def inner(k):
            with objmode(r="float64"):
                r = float(k + x[0])
            return r

        s = 0.0
        for i in range(n):
            s += helper(x, i) * inner(i)
        return s

    check(f, lambda: np.arange(3.0), lambda: 4)


def test_a_generator_with_a_block():
    def count(n):
        for i in range(n):
            with objmode(k="int64"):
                k = i * i
            yield k

    def f(n):
        s = 0
        for v in count(n):
            s += v
        return s

    check(f, lambda: 5)


def test_prints_come_in_order(capsys):
    @njit
    def f(n):
        print("one")
        with objmode():
            print("two", n)
        print("three")

    f(1)
    assert capsys.readouterr().out == "one\ntwo 1\nthree\n"


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
    ("def f(n):\n    for i in prange(n):\n        with objmode():\n            pass\n",
     "objmode in a prange: the block runs in Python"),
    ("def g(n):\n    with objmode():\n        pass\ndef f(n):\n    for i in prange(n):\n"
     "        g(i)\n", "'g' has a block of objmode, which runs in Python"),
    ("COUNT = 0\ndef f(n):\n    global COUNT\n    with objmode():\n        COUNT += 1\n"
     "    return COUNT\n", "'COUNT', which the block assigns, is a global that compiled code reads"),
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
        return json.dumps(n)

    with pytest.raises(errors.CompileError, match="objmode"):
        f(1)


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
    gc.collect()
    refs, live = sys.getrefcount(x), swathe._core.live()
    objects = len(gc.get_objects())
    for _ in range(50):
        once()
    gc.collect()
    assert sys.getrefcount(x) == refs
    after = swathe._core.live()
    assert after["bytes"] == live["bytes"] and after["faults"] == live["faults"]
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
