# SPDX-License-Identifier: BSD-3-Clause
"""Functions of scipy.special in compiled code, where SciPy is installed: of numbers and arrays,
with SciPy's values and dtypes."""

import linecache
import subprocess
import sys

import numpy as np
import pytest

import swathe

sp = pytest.importorskip("scipy.special")

ONE = "erf erfc gamma gammaln expit logit ndtr ndtri j0 psi log1p cbrt exp1 erfinv i0 erfcx".split()
TWO = "jv kv xlogy beta gammainc rel_entr binom".split()


def defined(text):
    space = {"sp": sp}
    linecache.cache[text] = (len(text), None, text.splitlines(True), text)
    exec(compile(text, text, "exec"), space)
    return space["f"]


def test_one_argument():
    lines = "".join(f"    r{i} = sp.{n}(x), sp.{n}(0.3), sp.{n}(y)\n" for i, n in enumerate(ONE))
    names = ", ".join(f"r{i}" for i in range(len(ONE)))
    f = defined(f"def f(x, y):\n{lines}    return ({names})\n")
    x, y = np.array([[0.1, 0.5], [0.7, 0.9]]), np.float32(0.25)
    for name, want, got in zip(ONE, f(x, y), swathe.njit(f)(x, y)):
        for a, b in zip(want, got):
            assert np.asarray(a).dtype == np.asarray(b).dtype, name
            assert np.allclose(a, b, rtol=1e-6 if a.dtype == np.float32 else 1e-15), name


def test_several_arguments():
    lines = "".join(f"    r{i} = sp.{n}(x, y), sp.{n}(1.5, x)\n" for i, n in enumerate(TWO))
    names = ", ".join(f"r{i}" for i in range(len(TWO)))
    f = defined(f"def f(x, y):\n{lines}    return (sp.betainc(x / 3, y, 0.3), {names})\n")
    x, y = np.array([0.5, 1.5, 2.0]), np.array([[0.25], [3.0]])
    want, got = f(x, y), swathe.njit(f)(x, y)
    assert np.allclose(want[0], got[0], rtol=1e-15)
    for name, p, q in zip(TWO, want[1:], got[1:]):
        assert all(np.allclose(a, b, rtol=1e-14) and a.shape == b.shape for a, b in zip(p, q)), name


def test_by_name_in_a_loop():
    from scipy.special import erf

    def f(n):
        s = np.zeros(n)
        for i in swathe.prange(n):
            s[i] = erf(i / n)
        return s

    assert np.allclose(swathe.njit(parallel=True)(f)(9), f(9), rtol=1e-15)


def test_dtypes():
    def f(x):
        return sp.erf(x), sp.ndtri(x), sp.jv(x, x), sp.jv(x, 1.0), sp.xlogy(x, 1.0)

    compiled = swathe.njit(opt_level=0)(f)
    for dtype in ("?", "i1", "i4", "f2", "f4", "f8"):
        x = np.array([0, 1], dtype)
        assert [r.dtype for r in compiled(x)] == [r.dtype for r in f(x)]
    with pytest.raises(swathe.errors.CompileError, match="real numbers"):
        compiled(np.array([1j]))


def test_what_has_no_address():
    with pytest.raises(swathe.errors.CompileError, match="airy"):
        swathe.njit(lambda x: sp.airy(x)[0])(1.0)


def test_scipy_is_not_imported():
    text = "import sys, numpy as np, swathe; swathe.njit(lambda x: np.add(x, 1))(1.0); "
    text += "print('scipy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
