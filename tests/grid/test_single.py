# SPDX-License-Identifier: BSD-3-Clause
"""Functions of math in kernels: float32 of float32, as CUDA's library has it."""

from __future__ import annotations

import linecache
import math
import os
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import errors, gpu, njit

ONE = """acosh asin asinh atan atanh acos cbrt cos cosh degrees erf erfc exp exp2 expm1 fabs gamma
lgamma log log10 log1p log2 radians sin sinh sqrt tan tanh ulp""".split()
TWO = "atan2 copysign fmod pow remainder hypot nextafter log".split()
CALLS = {name: f"math.{name}(x[i])" for name in ONE}
CALLS |= {f"{name} of two": f"math.{name}(x[i], x[i] + x.dtype.type(1))" for name in TWO}
CALLS |= {f"{name} with a number": f"math.{name}(x[i], 0.75)" for name in TWO}
CALLS["fma"] = "math.fma(x[i], x[i], 0.25)"
CALLS["ldexp"] = "math.ldexp(x[i], 3)"
CALLS |= {name: f"math.{name}(x[i])[0]" for name in ("modf", "frexp")}
DEVICES = ["native", os.environ.get("SWATHE_TEST_DEVICE", "opencl")]


def kernel_of(call: str) -> Any:
    """Compile a call; what it yields is not rounded when it is stored."""
    source = f"def kernel(x, y):\n    i = gpu.grid(1)\n    y[i] = {call}\n"
    file = f"<single {call}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {"gpu": gpu, "math": math}
    exec(compile(source, file, "exec"), names)
    return gpu.jit(names["kernel"])


def wanted(call: str, v: np.float32) -> float:
    """What it is in float64, of the neighbours in float32."""
    if "ulp" in call:
        return float(np.spacing(v))
    if "nextafter" in call:
        to = v + np.float32(1) if "dtype" in call else np.float32(0.75)
        return float(np.nextafter(v, to))
    if "fma" in call:
        return float(v) * float(v) + 0.25
    if "cbrt" in call:
        return float(np.cbrt(np.float64(v)))
    if "exp2" in call:
        return 2.0 ** float(v)
    x = np.array([float(v)])
    return float(eval(call, {"math": math, "x": x, "i": 0}))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CALLS)
def test_single(name: str, device: str) -> None:
    try:
        queue = swathe.Queue(device) if device != "native" else None
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    x = np.linspace(0.05, 0.95, 64, dtype=np.float32) + np.float32(name == "acosh")
    y = np.zeros(64)
    kernel_of(CALLS[name])[1, 64, queue](x, y)
    want = np.array([wanted(CALLS[name], v) for v in x])
    assert (y == y.astype(np.float32)).all(), "it is not float32"
    np.testing.assert_allclose(y, want, rtol=3e-6 if "gamma" not in name else 2e-5, atol=1e-7)


def test_what_stays() -> None:
    """Of ints, Python's floats and float64 it is float64; outside of kernels always."""

    @gpu.jit
    def kernel(x, y, n, z):
        y[0] = math.sqrt(2)
        y[1] = math.sqrt(2.0)
        y[2] = math.sqrt(n)
        y[3] = math.pow(x[0], z[0])
        y[4] = math.atan2(x[0], n)

    x, y, z = np.array([0.1], np.float32), np.zeros(5), np.array([0.3])
    kernel[1, 1](x, y, 2, z)
    f = float(x[0])
    want = [
        math.sqrt(2),
        math.sqrt(2),
        math.sqrt(2),
        math.pow(f, 0.3),
        math.atan2(np.float32(f), 2),
    ]
    assert y[:4].tolist() == want[:4]
    assert y[4] == np.float32(y[4]) == pytest.approx(want[4], rel=1e-6)

    @njit
    def outside(x):
        return math.exp(x[0])

    assert outside(x) == math.exp(f)


def test_too_large_for_single() -> None:
    """Infinite, as on a device; an argument outside of the domain is an error as ever."""

    @gpu.jit
    def kernel(x, y):
        y[0] = math.exp(x[0])
        y[1] = math.pow(x[0], x[0])
        y[2] = math.ldexp(x[0], 300)

    x, y = np.array([100.0], np.float32), np.zeros(3)
    kernel[1, 1](x, y)
    assert np.isinf(y).all()

    @gpu.jit
    def root(x, y):
        y[0] = math.sqrt(x[0])

    with pytest.raises(ValueError, match="math domain error"):
        root[1, 1](-x, y)
