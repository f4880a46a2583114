# SPDX-License-Identifier: BSD-3-Clause
"""None, or a NumPy integer, where Python's own functions take neither."""

import numpy as np
import pytest
from harness import check, define

import swathe


@pytest.mark.parametrize(
    "text",
    [
        "[i for i, _ in enumerate(x, b)]",
        "[i for i, _ in enumerate(x, start=b)]",
        "sum(x, b)",
        "math.log(8.0, b)",
        "cmath.log(1.0, b)",
        "math.isclose(1.0, 2.0, rel_tol=b)",
        "cmath.isclose(1.0, 2.0, abs_tol=b)",
        "math.prod((1.0, 2.0), start=b)",
    ],
)
def test_none_in_place_of_a_default(text):
    f = define(f"def f(x, b):\n    return {text}\n", "f")
    check(define(f"def f(x, b):\n    return np.array({text})\n", "f"), np.arange(3.0), 2)
    with pytest.raises(TypeError):
        f(np.arange(3.0), None)
    with pytest.raises(TypeError):
        swathe.njit(f)(np.arange(3.0), None)


@pytest.mark.parametrize("i", [np.int8(1), np.int64(1), np.uint8(1)])
def test_ldexp_takes_pythons_integers(i):
    f = define("def f(i):\n    return math.ldexp(1.5, i)\n", "f")
    with pytest.raises(TypeError, match="Expected an int as second argument to ldexp"):
        f(i)
    with pytest.raises(TypeError, match="Expected an int as second argument to ldexp"):
        swathe.njit(f)(i)
    check(f, int(i))
    check(f, True)
