# SPDX-License-Identifier: BSD-3-Clause
"""A constant that is cast, and what is made of the result: what the compiler works out is what
NumPy works out, to the last bit."""

import numpy as np
import pytest
from harness import define, run

import swathe

VALUES = ["0.1", "-0.0", "1e-310", "1e-46", "6e-8", "16777217", "2049", "70000.1", "0.1 + 0.3j"]
CASTS = ["float16", "float32", "float64", "complex64", "complex128"]
USES = [
    *("{}", "float({})", "complex({})", "bool({})", "not {}", "np.float64({})", "np.float32({})"),
    *("np.complex128({})", "{} == x", "{} * 1.0", "-{}", "({}).real", "({}).imag", "abs({})"),
    *("int({})", "np.bool_({})", "1 if {} else 2", "np.float16({})", "({},) == (x,)"),
]


def bits(outcome):
    v = outcome.value
    return type(v), np.asarray(v).tobytes(), type(outcome.error)


@pytest.mark.parametrize("cast", CASTS)
@pytest.mark.parametrize("value", VALUES)
def test_casts_of_constants(value, cast):
    if "j" in value and cast.startswith("float"):
        pytest.skip("NumPy warns, and takes the real part")
    compared = 0
    for use in USES:
        text = use.replace("x", f"({value})") if "x" in use and "complex" not in use else use
        f = define(f"def f():\n    return {text.format(f'np.{cast}({value})')}\n")
        want, got = run(f, (), {}), run(swathe.njit(cache=False)(f), (), {})
        if isinstance(got.error, swathe.errors.CompileError):
            continue
        compared += 1
        assert bits(got) == bits(want), text
    assert compared > len(USES) // 2
