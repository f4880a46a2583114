# SPDX-License-Identifier: BSD-3-Clause
"""Tuples compare by what is in them; arrays without axes as their element does."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz import program
from harness import Options, differ

import swathe

PROGRAMS = [
    "(x, 1) == (np.asarray(x), 1)",
    "(np.where(x, x, 1), 2) != (x, 2)",
    "(x, 2.0) in ((np.asarray(x), 2),)",
    "((np.asarray(x),), 1) == ((x,), 1)",
]


@pytest.mark.parametrize("text", PROGRAMS)
@pytest.mark.parametrize("x", [3, True, 2.5])
def test_arrays_without_axes(text: str, x: object) -> None:
    f = program.load(f"import numpy as np\n\ndef f(x):\n    return {text}\n").f
    assert swathe.njit(f)(x) == f(x)


def test_arrays_with_axes() -> None:
    """CPython asks whether an array is true; False would be wrong."""
    f = program.load("def f(x, y):\n    return (x, 1) == (y, 1)\n").f
    with pytest.raises(swathe.errors.UnsupportedError, match="arrays that are in tuples"):
        swathe.njit(f)(np.ones(2), np.ones(2))


def test_a_function_that_captures_itself() -> None:
    lines = ["def f(n):", "    def g(x):", "        return k", "    for _ in range(n):"]
    text = "\n".join([*lines, "        k = g", "        v = k[1]", ""])
    with pytest.raises(swathe.errors.TypingError, match="could not be found"):
        swathe.njit(program.load(text).f)(0)


@pytest.mark.parametrize(
    "use", ["return t + 1", "t", "a, b = t\n    return b", "return len(t)", "return t[1]"]
)
def test_a_function_that_captures_what_holds_it(use: str) -> None:
    """No round over the loop finds a type: an error with the line, never a result."""
    text = "def f(n):\n    for i in range(n):\n        def k(j):\n"
    text += f"            return t[0](j - 1) if j else i\n        t = k, i\n    {use}\n"
    with pytest.raises(swathe.errors.TypingError, match="could not be found(.|\n)*t = k, i"):
        swathe.njit(program.load(text).f)(2)


SEQUENCES = ("(1, 2)", "()", "((1, 2), (3, 4))", "(n, 1)", "[1, 2]", "range(3)", "('a', 1)")
MADE = [f"{a} {op} {b}" for op in ("==", "!=") for s in SEQUENCES for a, b in (("b", s), (s, "b"))]
MADE += [
    "b in ((1, 2), 3)",
    "b not in ((1, 2), (3, 4))",
    "(b, 1) == ((1, 2), 1)",
    "(1, (b,)) != (1, ((1, 2),), 3)",
]


@pytest.mark.parametrize("b", [np.int64(1), np.float32(1.5), np.True_])
@pytest.mark.parametrize("text", MADE)
def test_a_number_of_numpy_and_a_sequence(text: str, b: object) -> None:
    """NumPy makes an array of the sequence; Python's numbers are just not equal to it."""
    f = program.load(f"def f(b, n):\n    return {text}\n").f
    with pytest.raises(swathe.errors.CompileError):
        swathe.njit(f)(b, 0)
    for plain in (1, 2.5, True):
        assert swathe.njit(f)(plain, 0) is f(plain, 0)


@pytest.mark.parametrize("op", ["==", "!="])
@pytest.mark.parametrize("sequence", SEQUENCES[:5])
def test_an_array_and_a_sequence(sequence: str, op: str) -> None:
    """NumPy makes an array of the sequence."""
    for b in (np.array(1), np.array([1, 2]), np.array([[1.5, 2.0]], "f4")):
        for text in (f"b {op} {sequence}", f"{sequence} {op} b"):
            f = program.load(f"def f(b, n):\n    return {text}\n").f
            if sequence == "()" and b.shape[-1:] == (2,):
                continue
            assert differ(f(b, 1), swathe.njit(f)(b, 1), Options()) is None, (text, b)


TEXTS = """x == 'a'; x != 'a'; 'a' == x; (x == 'a') + True; x == 'a' == 'b'; 0 < x != 'a'
'a' == 'a' != x; x == 'a' and x; not x == 'a'; x == 'a' or x != 'b'; (x,) == ('a',); x in ('a', 'b')
[x] == ['a']; x == None; (x == 'a', x is None)""".replace("\n", "; ")


@pytest.mark.parametrize("text", TEXTS.split("; "))
def test_a_number_and_a_string(text: str) -> None:
    """NumPy's numbers answer with NumPy's bool."""
    f = program.load(f"import numpy as np\ndef f(x):\n    return {text}\n").f
    for x in (np.int64(1), np.float32(2.5), np.bool_(True), 1, 2.5, True):
        assert differ(f(x), swathe.njit(f)(x), Options()) is None, x
