# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of compiled functions that run in Python: values, lists and dicts, names."""

from __future__ import annotations

import collections
import gc
import json
import weakref
from typing import Any

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import njit, objmode, types
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
    ("int64", 7), ("int", 7), ("int8", np.int8(-3)), ("uint64", np.uint64(2**64 - 1)),
    ("float64", 2.5), ("float", 2.5), ("float32", np.float32(1.25)),
    ("float16", np.float16(0.5)), ("bool", True),
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
    lambda d: np.arange(6).astype(d).reshape(2, 3),
    lambda d: np.arange(6).astype(d).reshape(2, 3).T,
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
        compiled('def f(n):\n    with objmode(a="list[float]"):\n        a = [1.0, True]\n'
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


def test_a_prange_with_a_block_runs_on_one_thread():
    seen = []

    def twice(x):
        with objmode(y="float64"):
            seen.append(x)
            y = float(x) * 2
        return y

    helper = njit(twice)

    @njit(parallel=True)
    def f(n):
        s = 0.0
        out = np.zeros((n, 2))
        for i in swathe.prange(n):
            for j in swathe.prange(2):
                out[i, j] = helper(i + j)
            with objmode(z="int64"):
                z = i * 10
            s += out[i, 1] + z
        return out, s

    out, s = f(4)
    assert np.array_equal(out, [[0, 2], [2, 4], [4, 6], [6, 8]]) and s == 20 + 60
    assert seen == [0, 1, 1, 2, 2, 3, 3, 4]
    assert "runs in Python" in f.explain()


TEXTS = ["", "a", "äö", "x\N{GRINNING FACE}y", "z" * 5000]


def pick(i):
    return TEXTS[i % 5]


@njit
def texts(n):
    """Of blocks in a loop, each time another; a known one, lists, dicts and tuples of them."""
    size, found = 0, []
    for i in range(n):
        with objmode(s="unicode_type", b="bytes", t="Tuple((str, int64))"):
            s, b, t = pick(i), b"a\0", (pick(i + 1), i)
        with objmode(x="List(unicode_type)", d="DictType(str, float64)"):
            x, d = [pick(i), "b"], {pick(i): 0.5}
        size += len(s) + len(b) + len(t[0]) + t[1]
        found.append(s + "." + x[0] + x[1])
        for k, v in d.items():
            found.append(k * int(2 * v))
    return size, found


def test_strings_that_a_block_yields() -> None:
    for n in (0, 1, 7):
        size, found = texts(n)
        assert size == sum(len(pick(i)) + 2 + len(pick(i + 1)) + i for i in range(n))
        assert found == [y for i in range(n) for y in (f"{pick(i)}.{pick(i)}b", pick(i))]
    before = live()
    texts(200)
    assert live() == before

    @njit
    def wrong(k):
        with objmode(s="str"):
            s = [1, b"x", None, ["a"]][k]
        return s

    for k, kind in enumerate(("int", "bytes", "NoneType", "list")):
        with pytest.raises(TypeError, match=f"of type {kind}, and is declared as str"):
            wrong(k)
