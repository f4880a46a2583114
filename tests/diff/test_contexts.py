# SPDX-License-Identifier: BSD-3-Clause
"""What an exception that leaves to Python came after and was raised from: __context__ and
__cause__, over all of their chains; the tuple of a caught exception's arguments; classes that
make something of their own of what they are raised with."""

import contextlib
import itertools

import numpy as np
import pytest
from harness import define
from live_memory import live

import swathe

TRY = "try:\n    {body}\nexcept {cls} as {e}:\n    {handler}\n"
RAISES = ["raise KeyError(n)", "a[n + 9] = 1", "raise", "pass", "return n", "inner(n)"]
FROM = [
    "raise OSError(n) from e",
    "raise OSError(n) from None",
    "raise OSError(n) from KeyError",
    "raise OSError(n) from KeyError('k', 2)",
    "raise IndexError(n) from KeyError()",
]
HELPERS = """
def inner(n):
    try:
        try:
            raise BufferError(n)
        finally:
            if n == 1:
                raise TypeError(n)
    except TypeError as e:
        if n == 1:
            raise RuntimeError(n) from e
"""


def shape(e):
    if e is None:
        return None
    args = e.args if all(type(x) is int for x in e.args) else ""
    return (type(e), args, e.__suppress_context__,
            shape(e.__cause__), shape(e.__context__),
            e.__cause__ is not None and e.__cause__ is e.__context__)  # fmt: skip


def outcome(f, *args):
    try:
        return f(*args)
    except BaseException as e:
        return shape(e)


def while_handling(f, *args):
    try:
        raise AttributeError("of the caller")
    except AttributeError:
        return outcome(f, *args)


def same(f, *args, **options):
    g = swathe.njit(**options)(f)
    for n in (0, 1, 2):
        assert outcome(f, n, *args) == outcome(g, n, *args)
        assert while_handling(f, n, *args) == while_handling(g, n, *args)
    assert live()["faults"] == 0


def indented(text, by=1):
    return "".join("    " * by + line + "\n" for line in text.splitlines())


def program(first, second, third, final):
    inner = TRY.format(body=second, cls="(OSError, LookupError)", e="g", handler=third)
    handler = indented(inner)[4:]
    text = TRY.format(body="raise ValueError(n)", cls="ValueError", e="e", handler=handler)
    text = f"for k in range(2):\n    try:\n{indented(text, 2)}    finally:\n{indented(final, 2)}"
    return f"def f(n, a):\n{indented(first)}{indented(text)}    return -1\n"


CASES = list(
    itertools.product(
        ["pass"],
        FROM + ["raise KeyError(n)", "a[n + 9] = 1", "raise e", "inner(n)"],
        FROM
        + RAISES
        + ["raise OSError(n) from g", "break", "continue", "if n:\n            raise"],
        [
            "pass",
            "if n == 2:\n    raise MemoryError(n)",
            "if k and n == 1:\n    a[99] = 1",
            "break",
        ],
    )
)


@pytest.mark.parametrize("k", range(0, len(CASES), 12))
def test_chains(k):
    for case in CASES[k : k + 12 : 4]:
        f = define(HELPERS + program(*case), "f")
        same(f, np.zeros(3))


def deep(n, k):
    try:
        if k == 0:
            raise ValueError(n)
        return deep(n, k - 1)
    except ValueError:
        if n == 1:
            raise KeyError(k)
        if n == 2 and k % 2:
            raise ValueError(k) from None
        raise


def test_of_each_call():
    same(deep, 5)
    f = swathe.njit(deep)
    with pytest.raises(KeyError):
        f(1, 200)
    assert live()["faults"] == 0


def left(n):
    s = 0
    for k in range(n):
        with contextlib.nullcontext():
            try:
                try:
                    raise ValueError(k)
                except ValueError as e:
                    raise KeyError(k) from e
            except KeyError:
                s += 1
                if k % 3 == 0:
                    continue
                if k == 50:
                    break
                if k == 40 and n == 41:
                    return s
    return s


def test_what_is_handled_is_dropped():
    g = swathe.njit(left)
    for n in (0, 1, 41, 60):
        assert g(n) == left(n)
        assert live()["faults"] == 0


def test_of_workers_that_lose():
    @swathe.njit(parallel=True)
    def f(a):
        for i in swathe.prange(a.size):
            try:
                a[i] = 1 // (i % 2)
            except ZeroDivisionError as e:
                raise ValueError(i) from e

    for _ in range(50):
        with pytest.raises(ValueError) as e:
            f(np.zeros(5000))
        assert e.value.args == (0,)
        assert type(e.value.__cause__) is ZeroDivisionError
        assert e.value.__cause__ is e.value.__context__
        del e
        assert live()["faults"] == 0


def test_the_traceback_tells_both():
    f = define(program("pass", "raise OSError(n) from e", "raise", "pass"), "f")
    with pytest.raises(OSError) as e:
        swathe.njit(f)(3, np.zeros(2))
    tb = e.value.__cause__.__traceback__
    lines = []
    while tb:
        lines.append(tb.tb_lineno)
        tb = tb.tb_next
    assert len(lines) == 1


# ---- args ----


def whole(n, x):
    try:
        if n == 0:
            raise ValueError(n, x, n > 1)
        if n == 1:
            raise ValueError(7, x + 1, True)
    except ValueError as e:
        k, y, b = e.args
        return k + y, len(e.args), e.args, e.args == (7, y, b)
    return 0.0, 0, (n, x, False), False


def none(n):
    try:
        if n:
            raise ValueError
        raise ValueError()
    except ValueError as e:
        return len(e.args)


def test_args():
    for options in ({}, {"debug": True}, {"parallel": True}):
        g = swathe.njit(**options)(whole)
        for n in (0, 1, 2):
            assert g(n, 0.5) == whole(n, 0.5)
        assert [swathe.njit(**options)(none)(n) for n in (0, 1)] == [0, 0]


def test_args_of_another():
    @swathe.njit
    def f(n):
        try:
            if n == 1:
                raise ValueError(n, n)
            return np.zeros(n).size
        except ValueError as e:
            return sum(e.args)

    assert f(1) == 2
    with pytest.raises(TypeError, match="this argument of the exception"):
        f(-1)


# ---- classes with an __init__ ----


class Coded(ValueError):
    def __init__(self, code, where=None):
        super().__init__(f"code {code}")
        self.code = code
        self.where = where


class Odd(Exception):
    def __init__(self):
        super().__init__("odd")


class Fussy(Exception):
    def __new__(cls, k):
        if k > 2:
            raise OverflowError("fussy")
        return super().__new__(cls, k)


def coded(n):
    if n == 0:
        raise Coded(n * 2.5)
    if n == 1:
        raise Coded(n, "here")
    if n == 2:
        raise Coded("text")
    if n == 3:
        raise Odd
    if n == 4:
        raise Odd()
    if n == 5:
        raise Fussy(1)
    if n == 6:
        raise Fussy(n)
    return n


def handled(n):
    try:
        return coded(n)
    except Coded:
        if n == 2:
            raise
        return -1
    except ValueError:
        return -2
    except Exception as e:
        if n == 4:
            raise KeyError(n) from e
        return -3


@pytest.mark.parametrize("f", [coded, handled])
def test_own_init(f):
    g = swathe.njit(f)
    for n in range(8):
        if f is handled and n == 6:  # it is made when it leaves
            assert g(n) == -3
            continue
        want, got = [], []
        for h, to in ((f, want), (g, got)):
            try:
                to.append(h(n))
            except Exception as e:
                to += [type(e), e.args, vars(e).get("code"), vars(e).get("where")]
                to += [type(e.__cause__), type(e.__context__)]
        if want and want[0] is OverflowError:
            assert got[0] is OverflowError
        else:
            assert want == got


CATCH = "try:\n    raise {}\nexcept ValueError as e:\n    {}"
REFUSED = {
    "raise Coded(np.zeros(2))": "with these arguments",
    CATCH.format("Coded(n)", "return e.args[0]"): "as a value",
    CATCH.format("ValueError(n)", "return e.code"): "no attribute 'code'",
    CATCH.format("ValueError(n)", "return e.__cause__"): "no attribute",
}


@pytest.mark.parametrize("body", REFUSED)
def test_refused(body):
    f = define(f"def f(n):\n{indented(body)}    return 0\n", "f")
    f.__globals__.update(Coded=Coded, np=np)
    with pytest.raises(swathe.CompileError) as e:
        swathe.njit(f)(3)
    assert REFUSED[body] in str(e.value)
