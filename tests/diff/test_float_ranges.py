# SPDX-License-Identifier: BSD-3-Clause
"""np.arange of floats and complex numbers: how long it is, what is first, which numbers meet."""

import numpy as np
import pytest
from harness import check, expression

TEXTS = [
    *("np.arange(x, x + 3)", "np.arange(x)", "np.arange(-x, 2)", "np.arange(z, 2.0)"),
    *(
        "np.arange(1, 3, x)",
        "np.arange(5, 1, -x)",
        "np.arange(0, -5, -1.5)",
        "np.arange(True, 3.5)",
    ),
    *("np.arange(1e308, 1.7e308, 1e308)", "np.arange(0.0, 5e-324, 1e300)", "np.arange(0, 3, inf)"),
    *("np.arange(0, -3, inf)", "np.arange(inf, 3)", "np.arange(-inf)", "np.arange(3, -inf)"),
    *("np.arange(nan)", "np.arange(0, 3, nan)", "np.arange(0, 3, 0.0)", "np.arange(0, 3, 0)"),
    *("np.arange(f(0), 3, 0.0)", "np.arange(0, 3, f(0))", "np.arange(0, 3, n(0))"),
    *("np.arange(n(0), 3, 0)", "np.arange(0, 0, n(0))", "np.arange(0, 1e300)"),
    *(
        "np.arange(f(0), f(0.3), f(0.1))",
        "np.arange(0, f(0.3), f(0.1))",
        "np.arange(0, 0.3, f(0.1))",
    ),
    *("np.arange(f(0.1), 2)", "np.arange(f(1), 3.5)", "np.arange(n(1), 3.5)", "np.arange(f(0.3))"),
    *("np.arange(np.float16(0.1), 3, np.float16(0.3))", "np.arange(f(1), 10**9, 1e8)"),
    *("np.arange(f(0.1), 3, dtype=np.float64)", "np.arange(0.1, 3, dtype=np.float32)"),
    *("np.arange(f(0.1), np.float64(1), 0.25)", "np.arange(3.0, dtype=np.complex64)"),
    *("np.arange(1j, 3)", "np.arange(1 + 2j)", "np.arange(0j, 3)", "np.arange(0j, 3 + 2j)"),
    *("np.arange(0, 3 + 3j, 1 + 1j)", "np.arange(0, 3, 1j)", "np.arange(0j, 3 + 1j, 1)"),
    *("np.arange(1j, 5 + 9j, 2 + 1j)", "np.arange(np.complex64(1j), 3)", "np.arange(0j, 3, 0j)"),
    *("np.arange(0, 3, np.complex64(1))", "np.arange(np.complex128(1j), 3 + 4j)"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_ranges(text):
    text = text.replace("f(", "np.float32(").replace("n(", "np.int64(").replace("inf", "math.inf")
    check(expression(text.replace("nan", "math.nan"), "x, z"), 0.5, -0.0, raises=...)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("text", ["np.cumsum(a)", "a.cumsum()", "np.cumprod(a)", "np.cumsum(a[0])"])
def test_running_values_begin_with_the_first(text, dtype):
    parts = [-0.0, 0.0, np.inf, np.nan, -1.5]
    for first in parts:
        for second in parts:
            values = np.array([first, second, -0.0], dtype)
            if np.iscomplexobj(values):
                values.imag = [-0.0, 0.0, second]
            check(expression(text, "a"), values)


@pytest.mark.parametrize("text", ["np.array(v, {})", "np.array([v], {})", "np.asarray((1, v), {})"])
@pytest.mark.parametrize("dtype", ["float", "np.float32", "np.int64"])
def test_complex_numbers_of_python_are_no_real_ones(text, dtype):
    check(expression(text.format(dtype), "v"), 1 + 2j, raises=...)
    check(expression(text.format(dtype), "v"), np.complex64(1 + 2j))
    check(expression(text.format("bool"), "v"), 1 + 2j)
