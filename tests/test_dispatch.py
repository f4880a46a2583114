# SPDX-License-Identifier: BSD-3-Clause
"""Arguments in, results out: types, views, tuples, and values outside the function that change."""

from __future__ import annotations

import collections
import copy
import enum
import sys
import types
import typing

import numpy as np
import pytest

import swathe


def ident(x):
    return x


same = swathe.njit(ident)

DTYPES = [
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
    np.float16, np.float32, np.float64, np.complex64, np.complex128,
]  # fmt: skip


# --- scalars ----------------


@pytest.mark.parametrize(
    "x", [0, -5, 2**63 - 1, -(2**63), True, False, 1.5, -0.0, 1e400, 2 - 3j, None]
)
def test_python_scalar(x):
    r = same(x)
    assert type(r) is type(x) and repr(r) == repr(x)


@pytest.mark.parametrize("t", DTYPES)
def test_numpy_scalar(t):
    for v in (0, 1, 100):
        x = t(v)
        r = same(x)
        assert type(r) is t and r == x
    if np.issubdtype(t, np.integer):
        for v in (np.iinfo(t).min, np.iinfo(t).max):
            assert same(t(v)) == v


def test_scalar_subclasses():
    class E(enum.IntEnum):
        A = 7

    class F(float):
        pass

    assert same(E.A) == 7
    assert same(F(2.5)) == 2.5


def test_int_out_of_range():
    with pytest.raises(OverflowError, match="argument 'x'"):
        same(2**63)
    with pytest.raises(OverflowError, match="argument 'x'"):
        same(-(2**63) - 1)


# --- arrays ----------------


@pytest.mark.parametrize("t", DTYPES)
def test_same_array(t):
    for x in (np.zeros(3, t), np.zeros((2, 3), t)[:, ::-1], np.zeros((), t), np.zeros((0, 4), t)):
        assert same(x) is x


def test_views_of_arguments():
    @swathe.njit
    def view(x):
        return x[1:]

    x = np.arange(10.0)
    v = view(x)
    assert v.base is x
    assert np.shares_memory(v, x)
    v[0] = 42
    assert x[1] == 42
    assert v.flags.writeable and not v.flags.owndata


def test_view_of_a_view():
    @swathe.njit
    def transposed(x):
        return x.T

    x = np.arange(12.0).reshape(3, 4)[:, 1:]
    t = transposed(x)
    assert t.shape == (3, 3) and np.array_equal(t, x.T) and np.shares_memory(t, x)


def test_fresh_array_lives_on():
    @swathe.njit
    def make(n):
        r = np.empty(n)
        for i in range(n):
            r[i] = i
        return r[1:]

    a = [make(1000) for _ in range(50)]
    assert all(np.array_equal(x, np.arange(1.0, 1000.0)) for x in a)
    assert a[0].flags.writeable and a[0].flags.aligned
    assert a[0].base is not None


def test_layouts_specialise():
    @swathe.njit(cache=False)
    def f(x):
        return x.sum()

    x = np.ones((4, 4))
    assert f(x) == f(np.asfortranarray(x)) == f(x[::2, ::2]) * 4 == 16
    assert len(f.signatures) == 3
    f(x.copy())
    assert len(f.signatures) == 3


def test_readonly():
    @swathe.njit
    def read(x):
        return x[0]

    @swathe.njit
    def write(x):
        x[0] = 1.0

    x = np.zeros(3)
    x.flags.writeable = False
    assert read(x) == 0.0
    assert same(x) is x
    with pytest.raises(ValueError, match="read-only"):
        write(x)
    y = np.zeros(3)
    write(y)
    assert y[0] == 1.0


def test_memmap(tmp_path):
    m = np.memmap(tmp_path / "m", dtype=float, mode="w+", shape=(4,))
    m[:] = 1
    assert swathe.njit(lambda x: x.sum())(m) == 4.0


def test_many_arguments():
    @swathe.njit
    def f(a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, t):
        return a[0] + t[0]

    args = [np.full(1, float(i)) for i in range(19)]
    assert f(*args) == 18.0


# --- tuples ----------------

Point = collections.namedtuple("Point", "x y")


class Typed(typing.NamedTuple):
    a: int
    b: float


def test_tuples():
    x = np.zeros(2)
    for t in [(), (1,), (1, 2.5), (x, (x, 1), None), ((1, (2, (3,))),)]:
        r = same(t)
        assert type(r) is tuple and repr(r) == repr(t)
    assert same((x,))[0] is x


@pytest.mark.parametrize("p", [Point(1, 2.5), Typed(1, 2.0), Point(Point(1, 2), (3, 4))])
def test_named_tuples(p):
    r = same(p)
    assert type(r) is type(p) and r == p


def test_named_tuple_built():
    @swathe.njit
    def f(p):
        return Point(p.y, p.x)

    assert f(Point(1, 2.5)) == Point(2.5, 1)
    assert type(f(Point(1, 2.5))) is Point


def test_two_classes_of_one_shape():
    other = collections.namedtuple("Point", "x y")
    assert type(same(other(1, 2))) is other
    assert type(same(Point(1, 2))) is Point


# --- static arguments ----------------


@swathe.njit
def square(x):
    return x * x


def cube(x):
    return x * x * x


def test_functions_as_arguments():
    @swathe.njit
    def apply(f, x):
        return f(x)

    assert apply(square, 3) == 9
    assert apply(cube, 3) == 27
    assert apply(square, 4) == 16
    assert apply(np.sin, 1.0) == np.sin(1.0)


def test_strings_as_arguments():
    @swathe.njit(cache=False)
    def f(x, how="sum"):
        if how == "sum":
            return x.sum()
        if how == "max":
            return x.max()
        raise ValueError("no such method")

    x = np.arange(4.0)
    for _ in range(3):
        assert f(x) == 6.0
        assert f(x, "".join(["m", "ax"])) == 3.0
    with pytest.raises(ValueError, match="no such"):
        f(x, "mean")
    assert len(f.signatures) == 3


def test_import_inside():
    @swathe.njit
    def f(x):
        import math
        import os.path as p  # noqa: F401
        from math import floor as down

        return math.sqrt(x) + down(2.5)

    assert f(4.0) == 4.0


def test_operator_module():
    import operator

    @swathe.njit
    def f(a, b):
        return operator.add(a, b), operator.lt(a, b), operator.neg(a)

    assert f(1, 2) == (3, True, -1)


# --- values outside the function ----------------

SCALE = 2
TABLE = np.arange(4.0)
NESTED = (1, (2.5, "x"))


def helper(x):
    return x + 1


@swathe.njit
def uses_globals(x):
    return helper(x) * SCALE


def test_changed_global_scalar(monkeypatch):
    assert uses_globals(1) == 4
    monkeypatch.setitem(globals(), "SCALE", 10)
    assert uses_globals(1) == 20
    monkeypatch.setitem(globals(), "SCALE", 0.5)
    assert uses_globals(1) == 1.0
    monkeypatch.undo()
    assert uses_globals(1) == 4


def test_changed_global_function(monkeypatch):
    assert uses_globals(1) == 4
    monkeypatch.setitem(globals(), "helper", lambda x: x + 100)
    assert uses_globals(1) == 202
    monkeypatch.undo()
    assert uses_globals(1) == 4


def test_unrelated_globals_do_not_recompile():
    uses_globals(1)
    n = uses_globals.stats["misses"]
    globals()["_unrelated"] = object()
    uses_globals(1)
    del globals()["_unrelated"]
    uses_globals(1)
    globals()["SCALE"] = int("2")
    uses_globals(1)
    assert uses_globals.stats["misses"] == n


def test_global_of_a_callee(monkeypatch):
    @swathe.njit
    def outer(x):
        return inner_scaled(x)

    assert outer(3) == 6
    monkeypatch.setitem(globals(), "SCALE", 7)
    assert outer(3) == 21


def inner_scaled(x):
    return x * SCALE


def test_closure_cells():
    k = 3

    @swathe.njit
    def f(x):
        return x * k

    assert f(2) == 6
    k = 5
    assert f(2) == 10


def test_attribute_of_a_module():
    m = types.ModuleType("some_module")
    m.LIMIT = 10
    m.twice = lambda x: x * 2
    globals()["some_module"] = m

    @swathe.njit
    def f(x):
        return some_module.twice(x) + some_module.LIMIT  # noqa: F821

    assert f(1) == 12
    m.LIMIT = 20
    assert f(1) == 22
    m.twice = lambda x: x * 3
    assert f(1) == 23


def test_changed_contents():
    table = np.arange(4.0)
    names = [1, 2]
    strided = np.arange(8.0)[::2]

    @swathe.njit
    def f(i):
        return table[i] + names[0] + strided[i]

    assert f(1) == 1 + 1 + 2
    table[1] = 10
    assert f(1) == 10 + 1 + 2
    names[0] = 100
    assert f(1) == 10 + 100 + 2
    strided[1] = 5
    assert f(1) == 10 + 100 + 5
    misses = f.stats["misses"]
    assert f(1) == 115
    assert f.stats["misses"] == misses


def test_name_defined_later():
    @swathe.njit
    def f(x):
        return not_yet(x)  # noqa: F821

    with pytest.raises(NameError, match="not_yet"):
        f(1)
    globals()["not_yet"] = lambda x: x + 5
    try:
        assert f(1) == 6
    finally:
        del globals()["not_yet"]


def test_replaced_code():
    def f(x):
        return x + 1

    def g(x):
        return x + 2

    d = swathe.njit(f)
    assert d(1) == 2
    f.__code__ = g.__code__
    assert d(1) == 3


def test_constants_of_all_kinds():
    big = 2**70
    arr = np.arange(6, dtype=np.int16).reshape(2, 3)[:, ::2]
    f32 = np.float32(1.5)
    words = "text"

    @swathe.njit
    def f(i):
        return arr[1, i] + f32, NESTED[1][0], len(words)

    r = f(1)
    assert r == (np.float32(6.5), 2.5, 4)
    assert type(r[0]) is np.float32
    assert big > 0


def test_recursion_by_global_name():
    assert fib(20) == 6765


@swathe.njit
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def test_deep_recursion_is_caught():
    @swathe.njit
    def down(n):
        if n < 0:
            return 0
        return down(n + 1) + 1

    with pytest.raises(RecursionError):
        down(0)


# --- run-time errors ----------------


def test_error_class_and_traceback():
    @swathe.njit
    def f(x, i):
        return x[i]

    with pytest.raises(IndexError, match="out of bounds") as info:
        f(np.zeros(3), 5)
    last = info.traceback[-1]
    assert last.path.name == "test_dispatch.py"
    assert "x[i]" in str(last.statement)
    assert f(np.ones(3), -1) == 1.0


def test_print(capsys):
    @swathe.njit
    def f(x):
        print("x is", x, 2.5, (1, x))

    f(3)
    assert capsys.readouterr().out == "x is 3 2.5 (1, 3)\n"


def test_print_uses_current_stdout(monkeypatch):
    import io

    @swathe.njit
    def f(x):
        print(x)

    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    f(1)
    assert out.getvalue() == "1\n"


# ---- signatures, at calls from compiled code -------------------------------------------------


@swathe.njit("float64(float64)")
def squared(x):
    return x * x


@swathe.njit("int32(int32)")
def doubled(x):
    return x * 2


@swathe.njit(["int64(int64)", "float64(float64)"])
def twice(x):
    return x + x


@swathe.njit("float64(float64, int64)")
def powers(x, n):
    return x if n == 0 else powers(x * 2, n - 1)


@swathe.njit("float64(float64[::1])")
def total(a):
    return a.sum()


@swathe.njit("float32(float64)")
def tenth(x):
    return x * 0.1


def through(f):
    @swathe.njit
    def call(x):
        return f(x)

    return call


@pytest.mark.parametrize(
    "f, x",
    [
        (squared, 4_000_000_000),
        (squared, True),
        (squared, np.float32(1.5)),
        (squared, np.int32(3)),
        (doubled, 5),
        (doubled, np.int32(-7)),
        (doubled, np.int8(4)),
        (twice, 3),
        (twice, 3.0),
        (twice, np.float32(3)),
        (total, np.ones(3)),
        (tenth, 1.0),
        (tenth, 2),
    ],
)
def test_signatures_hold_for_calls_from_compiled_code(f, x):
    want, got = f(x), through(f)(x)
    assert got == want and type(got) is type(want)


@pytest.mark.parametrize(
    "f, x",
    [
        (squared, 1j),
        (doubled, 1.5),
        (doubled, np.int64(3)),
        (squared, (1.0,)),
        (total, np.ones((3, 3))[:, 0]),
        (total, np.ones(3, np.float32)),
    ],
)
def test_what_no_signature_takes_is_the_same_error_from_compiled_code(f, x):
    for call in (f, through(f)):
        with pytest.raises(swathe.errors.ArgumentTypeError, match="no explicit signature takes"):
            call(x)


def test_an_int_that_does_not_fit_a_signature():
    with pytest.raises(TypeError, match=r"doubled\(\): argument 1 does not fit in int32"):
        through(doubled)(2**40)

    @swathe.njit
    def constant():
        return doubled(2**40)

    with pytest.raises(swathe.errors.ArgumentTypeError, match="no explicit signature"):
        constant()


def test_a_function_with_a_signature_that_calls_itself():
    @swathe.njit
    def call(n):
        return powers(n, 3)

    assert powers(1, 3) == call(1) == 8.0


def test_a_function_with_a_signature_as_an_argument():
    @swathe.njit
    def call(f, x):
        return f(x)

    got = call(doubled, 4)
    assert got == 8 and type(got) is np.int32
    assert type(call(doubled.py_func, 4)) is int


# ---- attributes, and values of globals that come back ----------------------------------------


def test_attributes_of_the_function():
    @swathe.njit
    def f(a: int, b=2, *, c=3) -> int:
        return a + b + c

    assert f.__annotations__ == f.py_func.__annotations__ and "a" in f.__annotations__
    assert f.__defaults__ == (2,) and f.__kwdefaults__ == {"c": 3}
    assert f(1) == 6
    f.__defaults__ = (5,)
    assert f(1) == 9


FACTOR = 1


def test_a_value_of_a_global_that_comes_back_is_not_compiled_again(monkeypatch):
    @swathe.njit(cache=False)
    def scaled(x):
        return x * FACTOR

    for k in (1, 2, 3, 1, 2, 3, 1.5, 1):
        monkeypatch.setitem(globals(), "FACTOR", k)
        assert scaled(7) == 7 * k and type(scaled(7)) is type(7 * k)
    assert scaled.stats["compiled"] == 4
    for k in range(20):
        monkeypatch.setitem(globals(), "FACTOR", k)
        assert scaled(7) == 7 * k


@pytest.mark.parametrize(
    "signature",
    [
        "UniTuple(float64, 2)(int64)",
        "UniTuple(int8, 2)(int64)",
        "Tuple((int64, float64))(int64)",
        "Tuple((int64, int64, int64))(int64)",
        "Tuple((int64, optional(int64)))(int64)",
    ],
)
def test_a_signature_names_all_parts_of_a_result(signature):
    with pytest.raises(TypeError, match="says that .* returns UniTuple|says that .* returns Tuple"):
        swathe.njit(signature, cache=False)(lambda x: (x, x + 1))


def test_a_signature_names_what_may_be_none():
    with pytest.raises(TypeError, match=r"returns optional\(float64\), but"):
        swathe.njit("optional(float64)(int64)", cache=False)(lambda x: x if x > 1 else None)
    f = swathe.njit("Tuple((int64, optional(int64)))(int64)", cache=False)(
        lambda x: (x, x if x > 1 else None)
    )
    assert f(1) == (1, None) and f(2) == (2, 2)


def test_replaced_code_with_other_parameters():
    def most(x, y=1, z=2):
        return x + y + z

    others = (
        lambda x: x,
        lambda: 3,
        lambda x, y: x * y,
        lambda *x: len(x),
        lambda x, *, y=4: x - y,
    )
    for compiled_before in (False, True):
        for other in others:
            f = types.FunctionType(most.__code__, {}, "f", (1, 2))
            d = swathe.njit(f)
            if compiled_before:
                assert d(1) == 4
            f.__code__ = other.__code__
            for args in ((), (1,), (2, 3), (1, 2, 3)):
                assert outcome_of(d, args) == outcome_of(f, args), (other, args)
            f.__code__ = most.__code__
            assert d(1) == 4


def outcome_of(f, args):
    try:
        return f(*args)
    except TypeError as e:
        return str(e)


def test_copies_are_the_function():
    def made(k):
        return swathe.njit(lambda x: x * k), swathe.vectorize(lambda x: x * 2)

    for f in made(3):
        assert copy.copy(f) is f and copy.deepcopy([f]) == [f]
