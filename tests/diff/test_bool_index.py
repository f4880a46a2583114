# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's bools are no integers: they have no __index__. Python's are, but no shape and no axis."""

import numpy as np
import pytest
from harness import check, define

import swathe

INTEGERS = (
    "len(range(b))",
    "len(range(1, b))",
    "len(range(0, 5, b))",
    "x[b:]",
    "x[:b]",
    "x[::b]",
    "x[slice(b)]",
    "(1, 2, 3)[b]",
    "[1, 2, 3][b]",
    "[0, 1] * b",
    "math.factorial(b)",
    "math.gcd(b, 4)",
    "math.comb(5, b)",
    "math.perm(5, b)",
    "math.isqrt(b)",
    "np.linspace(0, 1, b)",
    "round(2.567, b)",
    "np.array([i for i, v in enumerate(x, b)])",
    "np.tril(np.ones((3, 3)), b)",
    "np.trace(np.ones((3, 3)), b)",
    "np.diagonal(np.ones((3, 3)), b)",
)
SIZES = (
    "x.reshape(b)",
    "x.reshape((b, -1))",
    "x.reshape(4, b)",
    "x.item(b)",
    "np.bincount(np.array([1]), minlength=b)",
)
X = np.arange(4.0)
NUMPYS = {
    "scalar": np.True_,
    "element": np.array([False, True]),
    "0d": np.array(True),
    "constant": 0,
    "compared": 3.0,
}
SET = {"element": "b = b[1]", "constant": "b = np.True_", "compared": "b = x[0] < b"}


@pytest.mark.parametrize("kind", NUMPYS)
@pytest.mark.parametrize("text", INTEGERS + SIZES)
def test_bools_of_numpy(text, kind):
    if text == "[0, 1] * b" and kind == "0d":
        return  # an array
    f = define(f"def f(b, x):\n    {SET.get(kind, 'pass')}\n    return {text}\n", "f")
    with pytest.raises(TypeError):
        f(NUMPYS[kind], X)
    with pytest.raises(swathe.errors.CompileError):
        swathe.njit(f)(NUMPYS[kind], X)


@pytest.mark.parametrize("text", INTEGERS)
def test_bools_of_python(text):
    f = define(f"def f(b, x):\n    return {text}\n", "f")
    check(f, True, X)
    check(f, False, X, raises=...)


@pytest.mark.parametrize("text", SIZES)
def test_bools_are_no_sizes(text):
    f = define(f"def f(b, x):\n    return {text}\n", "f")
    with pytest.raises(TypeError):
        f(True, X)
    with pytest.raises(swathe.errors.CompileError):
        swathe.njit(f)(True, X)
