# SPDX-License-Identifier: BSD-3-Clause
"""Differences that are documented are known as such, and nothing beside them is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import ORACLE, copy_args, differ

from fuzz import judge as judging
from fuzz import mutants
from fuzz.documented import documented, unwritten
from fuzz.judge import judge
from fuzz.mutants import MutantRules
from fuzz.program import oracle
from fuzz.test_machinery import program

pytestmark = pytest.mark.skipif(ORACLE, reason="compiles")

UINTS, FLOATS = "np.zeros({}, np.uint64),", "np.arange({}.0), 0"
LAST = "a = -1\nfor i in x:\n    a = i\nreturn a"
ATTRIBUTE = "s = 0\nfor v in x:\n    s = v\nreturn s.dtype == np.float64"
DIVIDED = "s = 0.0\nfor v in x:\n    s = v\nreturn s / n"
SWAPPED = "np.ones((2, 3, 4)).swapaxes(1, 2),"
HELPERS = "def get(m):\n    return m.copy()\n\ndef over(a, b):\n    return a / b\n"
FORTRAN = "np.asfortranarray(np.arange(16.0).reshape(4, 4)),"
DOCUMENTED = [
    ("no_result", "return np.histogram(x, 1)", "2j,", "x"),
    ("no_result", "return sum(x)", "np.zeros((0, 2)),", "x"),
    ("squared_bools", "return x[::-1] ** n, n - x", "np.array([True, False]), 2", "x, n"),
    ("overlapping", "x[3] = x[:, 1]\nreturn x", FORTRAN, "x"),
    ("overlapping", "x[::-1][0] = x[:, 1]\nreturn x", FORTRAN, "x"),
    ("overlapping", "x[3], k = x[:, 1], 2\nreturn x, k", FORTRAN, "x"),
    ("joined_int", LAST, UINTS.format(0), "x"),
    ("joined_int", LAST.replace("a = -1", "a = int(-1.0)"), UINTS.format(0), "x"),
    ("joined_int", "return min(x[0], -1)", UINTS.format(3), "x"),
    ("joined_attribute", ATTRIBUTE, FLOATS.format(0), "x, n"),
    ("joined_division", DIVIDED, FLOATS.format(0), "x, n"),
    ("joined_division", DIVIDED.replace("s / n", "s % n"), FLOATS.format(0), "x, n"),
    ("joined_division", DIVIDED.replace("return s", "s /= n\nreturn s"), FLOATS.format(0), "x, n"),
    ("joined_attribute", "return (n and x[0]).dtype == x.dtype", FLOATS.format(3), "x, n"),
    ("order_of_results", "return np.copy(x).strides", SWAPPED, "x"),
    ("order_of_results", "return (x * 2.0).strides, x.copy().strides", SWAPPED, "x"),
    ("joined_int", "k = m\nfor i in x:\n    k = i\nreturn k", "np.zeros(0, np.uint64), -1", "x, m"),
    (
        "joined_int",
        "for i in range(len(x)):\n    m = x[i]\nreturn m",
        "np.zeros(0, np.uint64), -1",
        "x, m",
    ),
    (
        "joined_attribute",
        "low = n\nfor v in x:\n    low = v\nreturn low.copy()",
        FLOATS.format(0),
        "x, n",
    ),
    (
        "joined_attribute",
        "s = 0\nfor v in x:\n    s += v\nreturn (s == n).copy()",
        FLOATS.format(0),
        "x, n",
    ),
    ("joined_attribute", "s = 0\nfor v in x:\n    s = v\nreturn get(s)", FLOATS.format(0), "x, n"),
    ("joined_division", DIVIDED.replace("s / n", "over(s, n)"), FLOATS.format(0), "x, n"),
    ("axis_when_compiled", "y = x[9]\nreturn np.sum(x, axis=3)", FLOATS.format(3), "x, n"),
]
DIVIDED_AUG = "s = 0.0\nfor v in x:\n    s = v\ns /= n\nreturn s"


@pytest.mark.parametrize(("rule", "body", "inputs", "names"), DOCUMENTED)
def test_documented(rule: str, body: str, inputs: str, names: str) -> None:
    body = DIVIDED_AUG if "s /= n" in body else body
    text = HELPERS + program(body, inputs, names)
    for found in (mutants.verdict(text, 0, "optimised"), judge(text, ("plain",))):
        assert (found.state, found.why) == ("documented", rule), found


@pytest.mark.parametrize(
    ("body", "inputs"),
    [
        ("return np.copy(x).strides", "np.ones((4, 4)).T[::2],"),
        ("y = x[::-1]\nreturn np.copy(y).strides", "np.ones((3, 4)).T,"),
        ("return x[:-1].copy().strides, np.copy(x[:-1]).strides", "np.ones((3, 4)).T,"),
    ],
)
def test_order_of_parts(body: str, inputs: str) -> None:
    assert judge(program(body, inputs, "x"), ("plain",)).state == "same"


WRONG: list[tuple[str, str, str, Any]] = [
    # what the program returns, or raises, when it is "compiled"
    (LAST, UINTS.format(0), "x", OverflowError("Python integer -2 out of bounds for uint64")),
    (LAST, UINTS.format(0), "x", OverflowError("Python integer -1 out of bounds for int64")),
    (LAST, UINTS.format(0), "x", OverflowError("Python integer 300 out of bounds for uint8")),
    (LAST, UINTS.format(0), "x", np.uint64(7)),
    (
        "a = -1\nreturn x + a",
        "np.zeros(2),",
        "x",
        OverflowError("Python integer -1 out of bounds for uint64"),
    ),
    ("s = 1\nreturn s.dtype == x.dtype", FLOATS.format(2), "x, n", True),
    (ATTRIBUTE.replace("dtype ==", "foo =="), FLOATS.format(0), "x, n", True),
    (DIVIDED, FLOATS.format(0), "x, n", np.float64(1.0)),
    (DIVIDED, FLOATS.format(0), "x, n", ValueError("no")),
    ("s = 0.0\nreturn s / n", FLOATS.format(0), "x, n", np.float64(np.nan)),
    (DIVIDED.replace("s / n", "1.0 / n"), FLOATS.format(0), "x, n", np.float64(np.inf)),
    (DIVIDED + " + 1 // n", FLOATS.format(0), "x, n", np.float64(np.nan)),
    (
        "return np.sum(x)",
        FLOATS.format(3),
        "x, n",
        np.exceptions.AxisError('no\n  File "a", line 1'),
    ),
    ("y = x[9]\nreturn y", FLOATS.format(3), "x, n", np.exceptions.AxisError("no")),
    ("return np.isnan(x[-1], out=x)[0, 0]", "np.ones((4, 4)),", "x", np.float64(2.0)),
    ("return x.strides", "np.zeros((2, 3)),", "x", (8, 24)),
    ("return x.strides", SWAPPED, "x", (96, 24, 8)),
    ("return np.copy(x).strides", SWAPPED, "x", (8, 24, 8)),
    ("return np.copy(x).strides", "np.ones((3, 4)).T,", "x", (24, 8)),
    ("return np.copy(x).strides", "np.ones((2, 3, 4)),", "x", (8, 16, 48)),
    ("return x.dtype == n", FLOATS.format(3), "x, n", True),
    ("k = 1\nreturn k.copy()", FLOATS.format(3), "x, n", 1),
    ("s = 1\ns += n\nreturn s.copy()", FLOATS.format(3), "x, n", 1),
    ("for i in range(n):\n    n = i\nreturn n.copy()", FLOATS.format(3), "x, n", 1),
    ("m, *y = (n, 2, 3)\nreturn m, y", FLOATS.format(0), "x, n", (0, (2, 4))),
    ("m, *y = (n, 2, 3)\nreturn m, [2, 3]", FLOATS.format(0), "x, n", (0, (2, 3))),
]


@pytest.mark.parametrize(("body", "inputs", "names", "does"), WRONG)
def test_nothing_else_is(
    body: str, inputs: str, names: str, does: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = judging.run

    def instead(*_: Any) -> Any:
        if isinstance(does, BaseException):
            raise does
        return does

    monkeypatch.setattr(
        judging, "run", lambda f, args: real(instead if "py_func" in dir(f) else f, args)
    )
    text = program(body, inputs, names)
    assert mutants.verdict(text, 0, "optimised").state == "differs"
    assert judge(text, ("plain",)).state == "differs"


FORGETS = "for i in prange(len(x)):\n    s = min(x[i], s)\nreturn s"


def test_a_nan_is_forgotten_in_part() -> None:
    inputs = "np.arange(9.0) + 1.0, np.nan"
    found = mutants.verdict(program(FORGETS, inputs, "x, s"), 0, "parallel")
    assert (found.state, found.why) == ("documented", "nan_kept"), found
    for body, mode in ((FORGETS, "lanes"), (FORGETS.replace("x[i], s", "s, x[i]"), "parallel")):
        assert mutants.verdict(program(body, inputs, "x, s"), 0, mode).state == "same"


def test_rounding_is_that_of_numpy() -> None:
    text = program("return (42.0 * np.exp(-0.02 * x)).astype(np.float64) - 30.0", "1,", "x")
    x = np.linspace(1, 2, 9)

    def found(dtype: str, off: float, at: Any = 3) -> str:
        given = (x.astype(dtype),)
        want, got = (judging.run(oracle(text).fuzzed, copy_args(given)) for _ in range(2))
        got.value[at] += off
        return documented(text, want, got, given, MutantRules(text), "debug")

    error = np.max(np.abs((42.0 * np.exp(-0.02 * x.astype("f4"))) - (42.0 * np.exp(-0.02 * x))))
    assert 1e-7 < error < 1e-5
    for dtype, off in (("f4", error), ("f4", -1.5 * error), ("f2", 1e-3)):
        assert found(dtype, off) == "rounding"
    for dtype, off in (
        ("f4", 4 * error),
        ("f8", 1e-9),
        ("f2", 1.0),
        ("f4", np.nan),
        ("f4", np.inf),
    ):
        assert found(dtype, off) == ""


def test_a_promoted_integer_is_the_nearest_float() -> None:
    great = np.uint64(2**64 - 1)
    assert judging.like(great, np.float64(2.0**64)) is great
    assert judging.like(np.int64(5), np.float64(5.0)) == 5
    for want, got in ((great, 2.0**63), (np.int64(2**62), 2.0**62 + 1024), (np.int32(5), 6.0)):
        assert judging.like(want, np.float64(got)) is not want


@pytest.mark.parametrize("shape", ["(1, 3)", "(2, 0)", "(2, 1, 3)"])
def test_strides_that_reach_nothing_are_outside(shape: str) -> None:
    text = program("return x[None].strides", f"np.zeros({shape}),", "x")
    assert mutants.verdict(text, 0).state == "outside"


def test_terms_of_sums_may_be_great() -> None:
    a, b, text = np.float64(1.0), np.float64(4.0), "return x @ x"
    great = (np.array([2.0**64, 1, np.inf, np.nan]), 3)
    assert differ(a, b, MutantRules(text, given=great).options) is None
    assert differ(a, b, MutantRules(text + ".astype(np.float32)", given=great).options) is None
    assert differ(np.float32(1), np.float32(4), MutantRules(text, given=great).options) is None
    assert differ(a, b, MutantRules(text, given=(np.array([1e9]),)).options)
    assert differ(a, b, MutantRules("return x + x", given=great).options)
    assert differ(2.0**64, 2.0**64 * 1.01, MutantRules(text, given=great).options)


def near(text: str, want: Any, got: Any) -> bool:
    return differ(want, got, MutantRules(text).options) is None


def test_tolerance_is_in_units_of_the_narrowest() -> None:
    half, one = np.float16(0.5), np.float64(0.5)
    for text in ("np.exp(x)", "np.exp(x.astype(np.int8))", "np.exp(x.astype(np.float16))"):
        assert near(text, half, np.nextafter(half, np.float16(1)))
        assert not near(text, half, np.float16(0.57))
        assert not near(text, np.float32(0.5), np.float32(0.51))
    assert not near("np.exp(x)", one, one + 1e-9)
    assert near("np.exp(x.astype(np.float32))", one, one + 1e-7)
    assert not near("np.exp(x.astype(np.float32))", one, one + 1e-6)
    assert near("np.exp(x.astype(np.float16))", one, one + 1e-3)
    assert not near("np.exp(x.astype(np.float16))", one, one + 1e-2)
    assert not near("x.astype(np.float32) + 1", one, one + 1e-15)


def test_elements_that_numpy_does_not_write() -> None:
    """Whether it writes them hangs on the processor."""
    text = program("return np.isnan(n, out=x)", "np.ones((2, 2)), 1.0", "x, n")
    given = (np.ones((2, 2)), 1.0)
    found = [judging.Outcome(v, None, (v, 1.0)) for v in (np.eye(2), np.zeros((2, 2)))]
    rules = judging.Rules(text)
    assert unwritten(text, *found, given, rules, "plain")
    assert not unwritten(text, *found[::-1], given, rules, "plain")
    assert not unwritten(text.replace(", out=x", ""), *found, given, rules, "plain")
