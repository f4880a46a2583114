# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that arrays are made of, or set to, fit in their dtype or raise."""

import math

import numpy as np
import pytest
from harness import check, define

import swathe

MADE = (
    "np.array(b, np.{d})",
    "np.asarray(b, np.{d})",
    "np.array((b, 1), np.{d})",
    "np.ascontiguousarray(b, np.{d})",
    "np.asfortranarray(b, dtype=np.{d})",
    "np.full(2, b, np.{d})",
)
SET = (
    "y[0] = 1, b",
    "y[:] = [[b, 1], [2, 3]]",
    "y[:] = [b, 2.5]",
    "y[...] = (b,)",
    "y[:] = (b, 1, 2)",
    "y[1:] = [(b, y[0, 1])]",
)
PYTHONS = [-1, 300, 2**40, 1e10, -1.5, 2.5, math.nan, True, 7]
NUMBERS = [*PYTHONS, np.int64(-1), np.int64(300), np.uint8(200), np.float32(3.5)]
PRODUCTS = ["(x, 2)", "(x, x)", "(2.5, x)", "np.full(3, x)", "(1, 2), start=x"]
RANGES = ["x", "1, x", "x, 9", "0, 9, x", "x, x + x, x", "x, dtype=np.int64"]


@pytest.mark.parametrize("d", ["uint8", "int8", "int32", "uint64", "bool_", "float32"])
def test_numbers_in_arrays(d):
    texts = [f"return {t.format(d=d)}" for t in MADE]
    texts += [f"y = np.zeros((2, 2), np.{d})\n    {t}\n    return y" for t in SET]
    for text in texts:
        f = define(f"def f(b):\n    {text}\n", "f")
        for b in NUMBERS:
            if "full" not in text or not isinstance(b, float):  # a cast
                check(f, b, raises=...)


@pytest.mark.parametrize("x", [np.float32(1.1), np.int8(100), np.uint64(3)])
@pytest.mark.parametrize(
    "text", ["(x, 2)", "(x, x)", "(2.5, x)", "np.full(3, x)", "(1, 2), start=x"]
)
def test_products_of_numpys_numbers(text, x):
    with pytest.raises(swathe.errors.UnsupportedError, match="math.prod of NumPy's"):
        swathe.njit(define(f"def f(x):\n    return math.prod({text})\n", "f"))(x)


@pytest.mark.parametrize("text", ["(x, 2)", "(x, x)", "np.full(3, x)", "(1, 2), start=x"])
@pytest.mark.parametrize("x", [3, 2.5, True])
def test_products_of_pythons_numbers(text, x):
    f = define(f"def f(x):\n    return float(math.prod({text}))\n", "f")
    check(f, x)


@pytest.mark.parametrize(
    "text", ["x", "1, x", "x, 9", "0, 9, x", "x, x + x, x", "x, dtype=np.int64"]
)
def test_ranges_of_uint64(text):
    check(define(f"def f(x):\n    return np.arange({text})\n", "f"), np.uint64(3))


COMPREHENSIONS = (
    "np.array([k * b for k in range(3)], np.{d})",
    "np.asarray([k * b for k in range(3) if k != 1], np.{d})",
    "np.ascontiguousarray([k * b for k in range(2)], np.{d})",
    "np.asfortranarray([[k * b for k in range(3)] for j in range(2)], np.{d})",
    "np.array([[k * b for k in range(3)], [1, 2, 3]], np.{d})",
    "np.array([(1, k * b) for k in range(3)], np.{d})",
    "np.array([((1, b), (k, 3)) for k in range(2)], np.{d})",
    "np.array([np.int64(k) for k in range(126, 130)], np.{d})",
    "np.array([np.full(2, 300) for k in range(3)], np.{d})",
    "np.array([k * b for k in range(0)], np.{d})",
    "np.array([300 // (k - 1) + b for k in range(2)], np.{d})",
)
ARANGES = (
    "b, 3",
    "0, b",
    "0, 9, b",
    "b, b + 1",
    "b, b + 2",
    "b - 1, b + 3",
    "9, b",
    "b, b",
    "1, 1000, 900",
)


@pytest.mark.parametrize("d", ["uint8", "int8", "float32"])
def test_numbers_of_comprehensions(d):
    for text in COMPREHENSIONS:
        f = define(f"def f(b):\n    return {text.format(d=d)}\n", "f")
        for b in (-1, 300, 2.5, np.int64(300), np.uint8(7)):
            check(f, b, raises=...)


@pytest.mark.parametrize("d", ["uint8", "int8", "int64"])
def test_first_two_of_a_range(d):
    for text in ARANGES:
        f = define(f"def f(b):\n    return np.arange({text}, dtype=np.{d})\n", "f")
        for b in (-1, 3, 300, np.int64(-1), 299.0):
            check(f, b, raises=...)
