# SPDX-License-Identifier: BSD-3-Clause
"""Series of all bases of np.polynomial in double precision, whose rows say less where types of
single precision differ: products, powers, quotients, roots, two variables, and back and forth."""

import numpy as np
import pytest

import swathe

P = np.polynomial
BASES = {
    "poly": P.polynomial, "cheb": P.chebyshev, "leg": P.legendre, "herm": P.hermite,
    "herme": P.hermite_e, "lag": P.laguerre,
}  # fmt: skip
RNG = np.random.default_rng(3)
SERIES = [np.array([2.0]), np.array([0.0, -1.5]), RNG.normal(size=4), RNG.normal(size=7)]


def close(got, want):
    if isinstance(want, tuple):
        return len(got) == len(want) and all(map(close, got, want))
    got, want = np.asarray(got), np.asarray(want)
    scale = np.abs(want).max(initial=1.0)
    return (
        got.dtype == want.dtype
        and got.shape == want.shape
        and np.allclose(got, want, rtol=1e-9, atol=1e-10 * scale)
    )


def function(base, name, n):
    """A function of n arguments that calls one of np.polynomial."""
    f = getattr(BASES[base], base + name)
    one, two, three = lambda a: f(a), lambda a, b: f(a, b), lambda a, b, c: f(a, b, c)
    return {1: one, 2: two, 3: three}[n]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_of_two_series(base, name):
    f = function(base, name, 2)
    compiled = swathe.njit(f)
    for a in SERIES:
        for b in SERIES:
            if name == "div" and a is b:
                continue  # rounding tells how much of the remainder is left
            assert close(compiled(a, b), f(a, b)), (a, b)


@pytest.mark.parametrize("base", BASES)
def test_powers(base):
    f = function(base, "pow", 2)
    compiled = swathe.njit(f)
    for a in SERIES:
        for n in range(5):
            assert close(compiled(a, n), f(a, n)), (a, n)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("name", ["mulx", "der", "int", "fromroots", "companion"])
def test_of_one_series(base, name):
    f = function(base, name, 1)
    compiled = swathe.njit(f)
    for a in SERIES[1:]:
        assert close(compiled(a), f(a)), a


@pytest.mark.parametrize("base", BASES)
def test_roots(base):
    f = function(base, "roots", 1)
    compiled = swathe.njit(f)
    for a in SERIES:
        assert close(compiled(a), np.asarray(f(a), complex)), a


@pytest.mark.parametrize("base", BASES)
def test_two_variables(base):
    c, x, y = RNG.normal(size=(3, 4)), RNG.normal(size=5), RNG.normal(size=5)
    for name in ("val2d", "grid2d"):
        f = function(base, name, 3)
        compiled = swathe.njit(f)
        assert close(compiled(x, y, c), f(x, y, c))
        assert close(compiled(0.5, -1.5, c), f(0.5, -1.5, c))
    vander = getattr(BASES[base], base + "vander2d")
    f = swathe.njit(lambda x, y: vander(x, y, (2, 3)))
    assert close(f(x, y), vander(x, y, (2, 3)))
    with pytest.raises(ValueError, match="incompatible"):
        swathe.njit(function(base, "val2d", 3))(x, y[1:], c)


@pytest.mark.parametrize("base", [b for b in BASES if b != "poly"])
def test_back_and_forth(base):
    there, back = getattr(BASES[base], "poly2" + base), getattr(BASES[base], base + "2poly")
    vander, fit = getattr(BASES[base], base + "vander"), getattr(BASES[base], base + "fit")
    val = getattr(BASES[base], base + "val")

    def f(c, x):
        series = there(c)
        return series, back(series), vander(x, 5), fit(x, val(x, series), len(c) - 1)

    x = np.linspace(-1, 1, 20)
    for c in SERIES:
        assert close(swathe.njit(f)(c, x), f(c, x))


@pytest.mark.parametrize("base", BASES)
def test_errors(base):
    div, pow = function(base, "div", 2), function(base, "pow", 2)
    with pytest.raises(ZeroDivisionError):
        swathe.njit(div)(SERIES[2], np.zeros(2))
    with pytest.raises(ValueError, match="Power must be a non-negative integer"):
        swathe.njit(pow)(SERIES[2], -1)
    with pytest.raises(ValueError, match="Coefficient array is empty"):
        swathe.njit(function(base, "mulx", 1))(np.zeros(0))
    if base != "poly":
        with pytest.raises(ValueError, match="Power is too large"):
            swathe.njit(pow)(SERIES[2], 17)
