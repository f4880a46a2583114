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
