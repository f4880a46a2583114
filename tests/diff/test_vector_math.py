# SPDX-License-Identifier: BSD-3-Clause
"""Elementary functions over arrays, whose vector forms are our own: numbers of every exponent, the
edges of domains, and each length about the number of lanes."""

import numpy as np
import pytest

import swathe

DTYPES = ["f4", "f8"]


def one_operand(x):
    return (
        (np.expm1(x), np.tanh(x), np.sinh(x), np.cosh(x), np.log1p(x), np.arcsinh(x)),
        (np.arccosh(x), np.cbrt(x), np.arctan(x), np.arcsin(x), np.arccos(x)),
        (np.log(x), np.log2(x), np.log10(x), np.spacing(x), np.tan(x), np.arctanh(x)),
    )


def two_operands(x, y):
    return np.power(x, y), np.arctan2(x, y)


def parts(x, k):
    m, e = np.frexp(x)
    return m, e, np.ldexp(x, k), np.ldexp(m, e)


def operands(dtype):
    """Numbers of all kinds, and in the places where a function changes its form."""
    info, rng = np.finfo(dtype), np.random.default_rng(5)
    n = 3001
    bits = rng.integers(0, 256, (n, info.bits // 8), dtype=np.uint8).view(dtype).ravel()
    least = info.smallest_subnormal
    ends = [
        0.0,
        np.inf,
        np.nan,
        1,
        0.5,
        2,
        info.max,
        info.tiny,
        least,
        info.max / 2,
        1 - info.epsneg,
    ]
    ends += [0.3466, 0.4142135, 2.4142135, 88.7, 89.41, 89.42, 709.78, 710.4758, 710.476, 1e9, 1e19]
    all_of = [bits, rng.normal(size=n), rng.uniform(-1, 1, n), rng.uniform(-800, 800, n)]
    all_of += [1 + rng.normal(size=n) * 1e-3, rng.integers(-9, 9, n) / 2, ends, -np.array(ends)]
    with np.errstate(all="ignore"):
        return np.concatenate([np.asarray(a).astype(dtype) for a in all_of])


def assert_near(got, want, ulp):
    """The same but for some units in the last place, and the sign of NaN."""
    assert got.dtype == want.dtype
    plain = np.isfinite(want) & np.isfinite(got)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    assert np.all(same | plain)
    assert np.all((np.signbit(got) == np.signbit(want)) | np.isnan(want))
    with np.errstate(all="ignore"):
        apart = np.abs(got.astype("f8") - want.astype("f8"))
        unit = np.abs(np.spacing(want)).astype("f8")
        assert np.all(apart[plain] <= ulp * unit[plain])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("parallel", [False, True])
def test_of_one_operand(dtype, parallel):
    x = operands(dtype)
    with np.errstate(all="ignore"):
        want = sum(one_operand(x), ())
    got = sum(swathe.njit(cache=False, parallel=parallel)(one_operand)(x), ())
    for g, w in zip(got, want, strict=True):
        assert_near(g, w, 4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_of_two_operands(dtype):
    x, rng = operands(dtype), np.random.default_rng(6)
    some = np.array([0, 1, 0.5, 2, 3, np.inf, np.nan, 1.5, 2.0**24 + 2, 1e30], dtype)
    some = np.concatenate([some, -some])
    a, b = (v.ravel() for v in np.meshgrid(some, some))
    x, y = np.concatenate([x, x, a]), np.concatenate([x[::-1], rng.permutation(x), b])
    compiled = swathe.njit(cache=False)(two_operands)
    for n in (x.size, 1, 7, 8, 9, 17):
        with np.errstate(all="ignore"):
            want = two_operands(x[-n:], y[-n:])
        for g, w in zip(compiled(x[-n:], y[-n:]), want, strict=True):
            assert_near(g, w, 4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_of_floats(dtype):
    x, rng = operands(dtype), np.random.default_rng(7)
    k = rng.integers(-2300, 2300, x.size).astype(np.int32)
    k[::2] //= 16
    k[:20], k[20:40] = 2**31 - 1, -(2**31)
    compiled = swathe.njit(cache=False)(parts)
    with np.errstate(all="ignore"):
        want = parts(x, k)
    for g, w in zip(compiled(x, k), want, strict=True):
        assert np.array_equal(g, w, equal_nan=w.dtype.kind == "f") and g.dtype == w.dtype
        assert np.all((np.signbit(g) == np.signbit(w)) | (w != w))


def exponentials(z):
    return np.exp(z), np.exp(1j * z.real), np.exp2(z)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_exponentials_of_complex_numbers(dtype):
    """Where either part is none, infinite, NaN, or so large that e^x alone would be infinite."""
    rng = np.random.default_rng(8)
    part = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 80.5, 88.9, 700.5, 709.9, 712, -750, 1e5]
    x, y = (v.ravel() for v in np.meshgrid(part, part))
    z = np.concatenate([x + 0j, rng.normal(size=500) * 30 + 0j])
    z.imag[: y.size], z.imag[y.size :] = y, rng.normal(size=500) * 100
    z = z.astype(dtype)
    compiled = swathe.njit(cache=False)(exponentials)
    for n in (z.size, 1, 9):
        with np.errstate(all="ignore"):
            want = exponentials(z[:n])
        for got, right in zip(compiled(z[:n]), want, strict=True):
            assert got.dtype == right.dtype
            for g, w in ((got.real, right.real), (got.imag, right.imag)):
                assert np.array_equal(np.isnan(g), np.isnan(w))
                assert np.array_equal(np.isinf(g), np.isinf(w))
                known = ~np.isnan(w)
                assert np.array_equal(np.signbit(g[known]), np.signbit(w[known]))
                assert np.allclose(g, w, rtol=8 * np.finfo(w.dtype).eps, atol=0, equal_nan=True)
