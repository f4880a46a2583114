# SPDX-License-Identifier: BSD-3-Clause
"""The math that kernels on CUDA devices carry along, built for the host and compared with it."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
CC = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
DEVICE = ROOT / "core/gen/llvm/device"
FLAGS = ["-O1", "-ffreestanding", "-fno-builtin", "-shared", "-fPIC", "-Wl,-Bsymbolic"]
FLAGS += ["-ffp-contract=off", f"-I{ROOT}/core", "-lm"]

pytestmark = pytest.mark.skipif(CC is None, reason="needs a C compiler")

SPECIAL = [0.0, 1.0, 0.5, 2.0, 1.5, 3.0, math.inf, 1e308, 5e-324, 1e-300, 0.1, 2.5, 1e16, 171.0]
SPECIAL += [172.0, 170.5, 709.0, 710.0, 745.0, 1e22, 10.0, 100.0, 1000.0, 1e-5, 20.0, 8.0, 27.0]
SPECIAL += [-x for x in SPECIAL] + [math.nan]
rng = np.random.default_rng(3)
REALS = SPECIAL + [
    float(x)
    for xs in (
        rng.uniform(-10, 10, 1500),
        rng.normal(size=1500) * 10.0 ** rng.integers(-300, 300, 1500),
        rng.uniform(-1, 1, 1000),
        rng.uniform(-200, 200, 1000),
        1 + rng.normal(size=300) * 1e-6,
        np.arange(1, 200) * (math.pi / 2),
        (math.pi / 2) * 2.0 ** np.arange(60),
    )
    for x in xs
]
ONE = {"exp": 2, "exp2": 2, "expm1": 3, "log": 1, "log2": 2, "log10": 2, "log1p": 2, "sin": 2}
ONE |= {"cos": 2, "tan": 3, "asin": 2, "acos": 3, "atan": 2, "sinh": 3, "cosh": 3, "tanh": 4}
ONE |= {"asinh": 3, "acosh": 3, "atanh": 3, "cbrt": 5, "erf": 12, "erfc": 12, "tgamma": 12}
TWO = {"pow": 2, "atan2": 2, "hypot": 2, "fmod": 0, "remainder": 0, "nextafter": 0}


def build(name: str, folder: Path) -> ctypes.CDLL:
    """Build a file of the device's library for the host."""
    out = folder / f"{name}.so"
    command = [str(CC), str(DEVICE / f"{name}.c"), "-o", str(out), *FLAGS]
    r = subprocess.run(command, capture_output=True, text=True)
    assert r.returncode == 0, r.stderr
    return ctypes.CDLL(str(out))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return build("math", tmp_path_factory.mktemp("device"))


@pytest.fixture(scope="module")
def complex_library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return build("complex", tmp_path_factory.mktemp("device"))


def function(lib: ctypes.CDLL, name: str, n: int):
    """Return a C function of n doubles."""
    f = getattr(lib, name)
    f.restype, f.argtypes = ctypes.c_double, [ctypes.c_double] * n
    return f


def host(name: str, n: int):
    """Return C's own."""
    return function(ctypes.CDLL(ctypes.util.find_library("m")), name, n)


def ulps(a: float, b: float) -> float:
    """Return how far apart two results are."""
    if math.isnan(a) or math.isnan(b):
        return 0 if math.isnan(a) and math.isnan(b) else math.inf
    if a == b:
        return 0 if math.copysign(1, a) == math.copysign(1, b) else math.inf
    if math.isinf(a) or math.isinf(b):
        return 1 if min(abs(a), abs(b)) > 1.797e308 and (a > 0) == (b > 0) else math.inf
    return abs(a - b) / math.ulp(b)


@pytest.mark.parametrize("name", ONE)
def test_one(library: ctypes.CDLL, name: str):
    ours, theirs = function(library, name, 1), host(name, 1)
    worst = max(REALS, key=lambda x: ulps(ours(x), theirs(x)))
    assert ulps(ours(worst), theirs(worst)) <= ONE[name], (worst, ours(worst), theirs(worst))


@pytest.mark.parametrize("name", TWO)
def test_two(library: ctypes.CDLL, name: str):
    ours, theirs = function(library, name, 2), host(name, 2)
    order = np.random.default_rng(5).permutation(len(REALS))
    pairs = [(x, y) for x in SPECIAL for y in SPECIAL]
    pairs += [(x, REALS[k]) for x, k in zip(REALS, order, strict=True)]
    worst = max(pairs, key=lambda p: ulps(ours(*p), theirs(*p)))
    assert ulps(ours(*worst), theirs(*worst)) <= TWO[name], (worst, ours(*worst), theirs(*worst))


def test_lgamma(library: ctypes.CDLL):
    """Between its zeros on the negative side, it is exact to the last place of its terms only."""
    ours, theirs = function(library, "lgamma", 1), host("lgamma", 1)
    for x in REALS:
        if math.isfinite(theirs(x)):
            bound = 12 * math.ulp(theirs(x)) if x > 0 else 1e-12 * max(1, abs(theirs(x)))
            assert abs(ours(x) - theirs(x)) <= bound, x
        else:
            assert ulps(ours(x), theirs(x)) == 0, x


def test_parts(library: ctypes.CDLL):
    frexp, ldexp = library.frexp, library.ldexp
    frexp.restype = ldexp.restype = ctypes.c_double
    frexp.argtypes = [ctypes.c_double, ctypes.POINTER(ctypes.c_int)]
    ldexp.argtypes = [ctypes.c_double, ctypes.c_int]
    for x in REALS:
        e = ctypes.c_int(7)
        if math.isfinite(x):
            assert (frexp(x, ctypes.byref(e)), e.value) == math.frexp(x)
    theirs = host("ldexp", 1)
    theirs.argtypes = [ctypes.c_double, ctypes.c_int]
    for x in REALS[::7]:
        for k in (-3000, -1100, -1074, -1030, -900, -54, -1, 0, 1, 5, 1000, 1023, 1024, 2100, 9999):
            assert ulps(ldexp(x, k), theirs(x, k)) == 0, (x, k)


COMPLEX = {"sqrt": "sqrt", "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan"}
COMPLEX |= {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh"}
COMPLEX |= {"tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}
COMPLEX |= {"sign": "sign", "expm1": "expm1", "exp2": "exp2", "log2": "log2", "log10": "log10"}


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_complex(complex_library: ctypes.CDLL, name: str):
    table = (ROOT / "core/def/op.def").read_text()
    code = re.findall(r"^OP\((\w+),", table, flags=re.M).index(name)
    pair = ctypes.c_double * 2
    r = np.random.default_rng(1)
    zs = r.normal(size=(1500, 2)) * 10.0 ** r.integers(-8, 3, (1500, 1))
    for z in map(complex, *zs.T):
        out = pair()
        complex_library.sw_complex1(code, pair(z.real, z.imag), out)
        ours, theirs = complex(out[0], out[1]), complex(getattr(np, COMPLEX[name])(z))
        if math.isfinite(abs(theirs)):
            assert abs(ours - theirs) <= 4e-15 * abs(theirs), (z, ours, theirs)
