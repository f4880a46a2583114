# SPDX-License-Identifier: BSD-3-Clause
"""C functions that a program has by ctypes or cffi, in compiled code."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import njit, prange

LIBM, LIBC = ctypes.CDLL("libm.so.6"), ctypes.CDLL(None)


def _typed(f: Any, result: Any, *args: Any) -> Any:
    f.restype, f.argtypes = result, list(args)
    return f


DOUBLE, INTS = ctypes.c_double, ctypes.POINTER(ctypes.c_int)
cosh = _typed(LIBM.cosh, DOUBLE, DOUBLE)
fmaf = _typed(LIBM.fmaf, ctypes.c_float, *[ctypes.c_float] * 3)
frexp = _typed(LIBM.frexp, DOUBLE, DOUBLE, INTS)
labs = _typed(LIBC.labs, ctypes.c_long, ctypes.c_long)
toupper = _typed(LIBC.toupper, ctypes.c_int, ctypes.c_int)
srand = _typed(LIBC.srand, None, ctypes.c_uint)


@njit
def _all(x, n):
    e = np.zeros(1, np.int32)
    srand(7)
    part = frexp(x, e.ctypes)
    again = frexp(x, e)
    return cosh(x) + 1, fmaf(x, 2, 3), part, again, int(e[0]), labs(n), toupper(n), LIBM_SIN(x)


LIBM_SIN = _typed(LIBM.sin, DOUBLE, DOUBLE)


def test_functions_of_ctypes() -> None:
    want = math.cosh(2.5) + 1, 8.0, 0.625, 0.625, 2, 97, 65, math.sin(2.5)
    got = _all(2.5, 97)
    assert all(math.isclose(a, b) for a, b in zip(got, want, strict=True))
    assert [type(x) for x in got] == [type(x) for x in want]


def test_in_parallel_loops() -> None:
    @njit(parallel=True)
    def total(a):
        s = 0.0
        for i in prange(a.size):
            s += cosh(a[i])
        return s

    for n in (0, 1, 5, 1000):
        a = np.linspace(-2, 2, n)
        assert math.isclose(total(a), sum(map(math.cosh, a.tolist())), abs_tol=1e-12)


untyped = LIBM.sinh
callback = ctypes.CFUNCTYPE(DOUBLE, DOUBLE)(lambda x: x + 1)
pythons = _typed(ctypes.pythonapi.PyLong_FromLong, DOUBLE, ctypes.c_long)
checked = _typed(ctypes.CDLL("libm.so.6").tan, DOUBLE, DOUBLE)
checked.errcheck = lambda result, func, args: result
wide = _typed(LIBM.sinl, ctypes.c_longdouble, ctypes.c_longdouble)
place = _typed(LIBC.malloc, ctypes.c_void_p, ctypes.c_size_t)


def test_others_are_refused() -> None:
    for f in (untyped, callback, pythons, checked, wide, place):
        with pytest.raises(swathe.UnsupportedError, match="has no meaning in compiled code"):
            njit(lambda x: f(x))(1)  # noqa: B023
    for x in (np.zeros(2), np.zeros(4, np.int32)[::2], np.zeros(1, np.int64), 3):
        with pytest.raises(swathe.TypingError, match="argument 2 of the linked function 'frexp'"):
            njit(lambda x: frexp(1.0, x))(x)
    with pytest.raises(swathe.TypingError, match="takes 1 argument, by its signature"):
        njit(lambda x: cosh(x, x))(1.0)
    with pytest.raises(swathe.TypingError, match="not str"):
        njit(lambda x: cosh(x))("x")


def test_functions_of_cffi(tmp_path: Path, monkeypatch: Any) -> None:
    cffi = pytest.importorskip("cffi")
    open_ = cffi.FFI()
    open_.cdef("double cos(double); double frexp(double, int *); int printf(const char *, ...);")
    cos, parts, printf = (getattr(open_.dlopen(None), n) for n in ("cos", "frexp", "printf"))
    made = cffi.FFI()
    made.cdef("uint8_t up(uint8_t); double scale(double *, int, double);")
    text = """uint8_t up(uint8_t a) { return a + 1; }
    double scale(double *x, int n, double k) {
        double s = 0;
        for (int i = 0; i < n; i++)
            s += x[i] *= k;
        return s;
    }"""
    made.set_source("_made_by_cffi", text)
    made.compile(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    import _made_by_cffi as module

    up, scale = module.lib.up, module.lib.scale

    @njit
    def f(x):
        e, a = np.zeros(1, np.int32), np.arange(4.0)
        return cos(x), parts(x, e), int(e[0]), up(255), scale(a, 4, 2.0), a.sum()

    assert f(1.0) == (math.cos(1.0), 0.5, 1, 0, 12.0, 12.0)
    with pytest.raises(swathe.UnsupportedError, match="has no meaning in compiled code"):
        njit(lambda x: printf(x))(1)


EXPONENT, EXPONENTS = np.zeros(1, np.int32), (np.zeros(1, np.int32), 2)


def _exponent(x, e):
    return frexp(x, e.ctypes)


def test_arrays_that_are_constants_are_arguments_of_functions_that_may_write() -> None:
    @njit
    def given(x):
        return frexp(x, EXPONENT), EXPONENT[0]

    @njit
    def by_helper(x):
        return _exponent(x, EXPONENT)

    @njit
    def in_a_tuple(x):
        return _exponent(x, EXPONENTS[0])

    assert given(5.0) == (0.625, 3) and EXPONENT[0] == 3
    assert by_helper(40.0) == 0.625 and EXPONENT[0] == 6
    with pytest.raises(ValueError, match="may be an array that is a constant"):
        in_a_tuple(5.0)
    only_read = np.zeros(1, np.int32)
    only_read.flags.writeable = False
    assert njit(_exponent)(5.0, only_read) == 0.625  # the caller knows what the function does


def test_types_that_a_program_sets_again() -> None:
    f = _typed(ctypes.CDLL(None).labs, ctypes.c_int, ctypes.c_long)

    @njit
    def called(n):
        return f(n)

    n = -(2**33) - 7
    assert called(n) == f(n) == 7
    f.restype = ctypes.c_long
    assert called(n) == f(n) == -n
    f.restype = ctypes.c_int
    assert called(n) == 7
    f.argtypes = []
    with pytest.raises(TypeError):
        called(n)
    f.argtypes = [ctypes.c_long]
    f.errcheck = lambda result, of, args: result + 1
    with pytest.raises(swathe.errors.CompileError):
        called(n)
