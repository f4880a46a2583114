# SPDX-License-Identifier: BSD-3-Clause
"""Attributes and methods that NumPy's numbers and Python's have, as CPython has them."""

import numpy as np
import pytest
from harness import check, expression

VALUES = [7, -2, True, 2.5, np.int8(3), np.float32(0.1), np.bool_(True), np.complex64(1 + 2j)]
TEXTS = [
    *("v.real", "v.imag", "v.conjugate()", "np.int8(3).item(0)", "np.int8(3).item(-1)"),
    *("np.int8(3).item(1)", "np.float32(3).item(-2)", "np.bool_(1).item(k)", "np.int8(3).item()"),
    *("np.arange(3, dtype=np.int8).astype(None)", "np.int8(3).astype(None)", "np.ones(2).item(k)"),
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_methods(text, value):
    check(expression(text, "v, k"), value, 1, raises=...)


@pytest.mark.parametrize("text", ["v.numerator", "v.denominator", "(v > 0).numerator"])
@pytest.mark.parametrize("value", [7, -2, 0, True])
def test_fractions_of_ints(text, value):
    check(expression(text, "v"), value)


@pytest.mark.parametrize("value", [np.float32(2), np.float64(2.5), np.float16("inf"), 3.0, -0.5])
def test_whole_floats(value):
    check(expression("v.is_integer()", "v"), value)


@pytest.mark.parametrize("value", [np.int8(-128), np.uint64(2**63 + 5), np.int32(7), 7, -5, True])
def test_bits_of_ints(value):
    check(expression("v.bit_count()", "v"), value)
