# SPDX-License-Identifier: BSD-3-Clause
"""np.poly1d and np.polynomial.Polynomial: their methods and operators, in helpers, lists, loops and
parallel loops, of ints, floats and complex numbers."""

import numpy as np
import pytest
from harness import ORACLE, check

import swathe

Polynomial = np.polynomial.Polynomial


def value(p, x):
    return p(x) + p.order


def methods(c, x):
    p = np.poly1d(c)
    q = p.deriv()
    a = p(x), q(2.0), p.order, len(q), p.integ(2, k=[1, 2])(x), p[0], p[9], p[-1], p.r, p.o, p.c
    return a, p(q).c, (-p)(x), p == q, p != q, (q**3).c, value(p, x)


def operators(c, x):
    p, q = np.poly1d(c), np.poly1d([1.0, 2.0])
    a = (p + q).c, (p - q).c, (p * q).c, (p / 2).c, (2 * p).c, (1 - p).c, (p * np.array([1, 2])).c
    d, r = p / q
    p[4] = 3.0
    p[0] = 1
    return a, d.c, r.c, p.c, (2.5 + p)(x)


def kinds(c, x):
    a = np.poly1d([1.0, 2.0], True)(x), np.poly1d([1, 2])(2), np.poly1d(c * 1j)(x), np.poly1d(5)(x)
    return a, (np.poly1d([1, 2]) * 2.5).c, np.poly1d([0, 0, 1, 2]).c, np.poly1d(c)(1 + 2j)


def in_loops(c, x):
    p, s = np.poly1d(c), 0.0
    while p.order > 0:
        s += value(p, 0.5)
        p = p.deriv()
    ps = [np.poly1d([1.0, k]) for k in range(3)]
    for q in ps:
        p = p * q
    r = np.empty(3)
    for i in swathe.prange(3):
        r[i] = np.poly1d(c)(float(i))
    return s, p.c, r


def powers(c, x):
    p = Polynomial(c)
    a = p(x), p.deriv()(x), p.integ(1, lbnd=1)(x), p.coef, p.degree(), p.roots(), len(p), p(2)
    q = Polynomial(c * 1j, domain=[0, 4])
    b = q(x), q.mapparms(), q.deriv().coef, q.integ().coef, q([1, 2]), Polynomial([1, 2])(2)
    return a, b, p.cutdeg(1).coef, p.trim().coef, p.linspace(5), Polynomial.basis(3).coef


def power_operators(c, x):
    p, q = Polynomial(c), Polynomial([1, 2])
    a = (p + q).coef, (p - q).coef, (p * q).coef, (p // q).coef, (p % q).coef, (p**2).coef
    d, r = divmod(p, q)
    b = (p / 2).coef, (2 * p).coef, (1 - p).coef, (p + [1, 2, 3, 4]).coef, d.coef, r.coef
    return a, b, p == q, Polynomial.identity().coef, Polynomial.fromroots([1.0, 2.0, 3.0]).coef


def fits(c, x):
    p = Polynomial.fit(x, x**2 + x + 1, 2)
    return p(x), p.domain, p.convert().coef, np.poly1d(np.polyfit(x, x**2 + x + 1, 2))(1.5)


def flat(c):
    return np.poly1d(np.ones((2, 2)))


def unlike_domains(c):
    return (Polynomial(c) + Polynomial(c, domain=[0, 1])).coef


C, X = np.array([1.0, 2.0, 3.0]), np.arange(4.0)


@pytest.mark.parametrize("f", [methods, operators, kinds, in_loops, powers, power_operators, fits])
def test_polynomials(f):
    check(f, C, X, ulp=200)


def test_errors():
    check(flat, C, raises=ValueError)
    check(unlike_domains, C, raises=TypeError)


@pytest.mark.skipif(ORACLE, reason="of compiled code")
def test_one_that_is_returned():
    p = swathe.njit(lambda c: np.poly1d(c))(C)
    q = swathe.njit(lambda c: Polynomial(c))(C)
    assert repr(p) == repr(np.poly1d(C))
    assert str(p) == str(np.poly1d(C))
    assert p(2.0) == np.poly1d(C)(2.0)
    assert repr(q) == repr(Polynomial(C))
    with pytest.raises(swathe.CompileError, match="text of a poly1d"):
        swathe.njit(lambda c: str(np.poly1d(c)))(C)
