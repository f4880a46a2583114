# SPDX-License-Identifier: BSD-3-Clause
"""Python's numbers on their way into elements that do not hold them: what int() or float() would
raise is raised wherever NumPy makes a number of the element's kind of them; its own are cast."""

import math

import numpy as np
import pytest
from diff.harness import define

import swathe

NUMBERS = (2.5, math.inf, -math.inf, math.nan, 1e300, -1, 300, 2**40, np.float64(3.5))
FORMS = (
    "return np.insert(a, 1, v)",
    "return np.insert(a, np.array([0, 1]), v)",
    "np.put(a, [0, 1], v)",
    "a.put(1, v)",
    "np.place(a, a > 0, v)",
    "np.putmask(a, a > 0, v)",
    "b = np.zeros((2, 2), a.dtype)\n    np.fill_diagonal(b, v)\n    return b",
    "return a.max(initial=v), np.sum(a, initial=v)",
    "return np.pad(a, 1, constant_values=v)",
)
LISTED = (
    "np.put(a, [0, 1], [v, 1])",
    "x = [v]\n    x.append(v)\n    a.put([0, 1], x)",
    "return np.insert(a, 1, [v, 1])",
    "b = np.zeros((2, 2), a.dtype)\n    np.fill_diagonal(b, (v, v))\n    return b",
    "np.place(a, a > 0, [v, 1])",
    "np.putmask(a, a > 0, (v, 1))",
    "b = a.reshape(1, 3)\n    np.put_along_axis(b, np.array([[0, 1]]), [v, 1], 1)",
)
CAST = ("np.place(a, a > 0, np.array([v]))", "np.putmask(a, a > 0, np.array([v, v]))")
SEVERAL = (
    "x = [v]\n    x.append(v)\n    a[:2] = x",
    "x = [v]\n    x.append(v)\n    a[np.array([0, 1])] = x",
    "a[:2] = (v, v)",
    "x = [[v]]\n    x.append([v])\n    a.reshape(3, 1)[:2] = x",
    "a[1:] = [v, 1]",
)


def outcome(f, a, v):
    a = a.copy()
    try:
        with np.errstate(all="ignore"):
            return f(a, v), a
    except (TypeError, ValueError, OverflowError) as e:
        return type(e), a


def compare(text, dtype, numbers):
    f = define(f"def f(a, v):\n    {text}\n")
    g = swathe.njit(opt_level=0)(f)
    a = np.array([1, 2, 0], dtype)
    for v in numbers:
        np.testing.assert_equal(outcome(g, a, v), outcome(f, a, v), f"{text} {v!r}")


@pytest.mark.parametrize("text", FORMS)
def test_a_number(text):
    compare(text, np.uint8, NUMBERS)
    compare(text, np.int64, (2.5, math.inf, math.nan, 1e300, -1))


@pytest.mark.parametrize("text", SEVERAL)
def test_several(text):
    compare(text, np.uint8, (*NUMBERS[:-1], 1j))
    compare(text, np.int64, (2.5, math.inf, 1j))


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_complex_numbers_of_numpy(dtype):
    for v in (300 + 1j, complex(math.nan, 1), 1e30, -3):
        compare(SEVERAL[0], dtype, (np.complex128(v),))
        compare("a[:2] = [v] * 2", dtype, (np.complex64(v),))


@pytest.mark.parametrize("text", LISTED)
def test_lists(text):
    compare(text, np.uint8, (2.5, math.nan, -1, 300, 2**40))
    compare(text, np.int64, (2.5, math.inf, 7))


@pytest.mark.parametrize("text", CAST)
def test_arrays_of_another_kind(text):
    for dtype in (np.uint8, np.int32, np.int64, np.float32, np.float64):
        compare(text, dtype, (1, 2.5, True, np.float32(1.5), np.uint8(3)))


def test_copied_where():
    for dtype in (np.int16, np.uint8):
        compare("np.copyto(a, v, where=a > 0)", dtype, (1, -1, 300, 2**40, True))
