# SPDX-License-Identifier: BSD-3-Clause
"""Series of Hermite's and Laguerre's polynomials, as np.polynomial has them: coefficients, the
lowest degree first, in vectors. Each is NumPy's recurrence, in its order."""

import numpy as np

from swathe.lib.polynomial import (
    _columns,
    _series,
    _sum,
    polynomial_hermite_e_hermeval,
    polynomial_hermite_hermval,
    polynomial_laguerre_lagval,
)
from swathe.lib.series import (
    _as_polynomial,
    _derived,
    _fitted,
    _integrated,
    _of_polynomial,
    _product,
)


def polynomial_hermite_hermadd(c1, c2):
    """The sum of two series."""
    return _sum(_series(c1), _series(c2), 1)


def polynomial_hermite_hermsub(c1, c2):
    """The difference of two series."""
    return _sum(_series(c1), _series(c2), -1)


def polynomial_hermite_hermmulx(c):
    """A series times x."""
    a = _series(c)
    if a.size == 1 and a[0] == 0:
        return a.copy()
    r = np.empty(a.size + 1, a.dtype)
    r[0] = a[0] * 0
    r[1] = a[0] / 2
    for j in range(1, a.size):
        r[j + 1] = a[j] / 2
        r[j - 1] += a[j] * j
    return r


def _hermite_down(high, n):
    return high * (2 * (n - 1))


def _hermite_up(sub, mulx, high, n):
    return mulx(high) * 2


def polynomial_hermite_hermmul(c1, c2):
    """The product of two series."""
    return _product(
        polynomial_hermite_hermadd,
        polynomial_hermite_hermsub,
        polynomial_hermite_hermmulx,
        _hermite_down,
        _hermite_up,
        c1,
        c2,
    )


def _hermite_der(a, r):
    for j in range(r.size, 0, -1):
        r[j - 1] = (2 * j) * a[j]


def polynomial_hermite_hermder(c, m=1, scl=1, axis=0):
    """The derivative, m times, each times scl."""
    return _derived(_hermite_der, c, m, scl, axis)


def _hermite_int(a, r):
    r[0] = a[0] * 0
    r[1] = a[0] / 2
    for j in range(1, a.size):
        r[j + 1] = a[j] / (2 * (j + 1))


def polynomial_hermite_hermint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral, m times, with constants k."""
    return _integrated(_hermite_int, polynomial_hermite_hermval, c, m, k, lbnd, scl, axis)


def polynomial_hermite_hermvander(x, deg):
    """Hermite's polynomials up to deg at x, in a last axis."""
    at, r = _columns(x, deg)
    if deg > 0:
        r[..., 1] = 2 * at
    for k in range(2, deg + 1):
        r[..., k] = r[..., k - 1] * (2 * at) - r[..., k - 2] * (2 * (k - 1))
    return r


def polynomial_hermite_hermfit(x, y, deg, rcond=None, full=False, w=None):
    """The series of a degree that fits best."""
    return _fitted(polynomial_hermite_hermvander, x, y, deg, rcond, full, w)


def polynomial_hermite_herm2poly(c):
    """The polynomial that a series is."""
    a = _series(c)
    return a.copy() if a.size == 1 else _as_polynomial(_hermite_down, _hermite_up, a)


def polynomial_hermite_poly2herm(pol):
    """The series that a polynomial is."""
    return _of_polynomial(polynomial_hermite_hermadd, polynomial_hermite_hermmulx, pol)


def polynomial_hermite_e_hermeadd(c1, c2):
    """The sum of two series."""
    return _sum(_series(c1), _series(c2), 1)


def polynomial_hermite_e_hermesub(c1, c2):
    """The difference of two series."""
    return _sum(_series(c1), _series(c2), -1)


def polynomial_hermite_e_hermemulx(c):
    """A series times x."""
    a = _series(c)
    if a.size == 1 and a[0] == 0:
        return a.copy()
    r = np.empty(a.size + 1, a.dtype)
    r[0] = a[0] * 0
    r[1] = a[0]
    for j in range(1, a.size):
        r[j + 1] = a[j]
        r[j - 1] += a[j] * j
    return r


def _hermite_e_down(high, n):
    return high * (n - 1)


def _hermite_e_up(sub, mulx, high, n):
    return mulx(high)


def polynomial_hermite_e_hermemul(c1, c2):
    """The product of two series."""
    return _product(
        polynomial_hermite_e_hermeadd,
        polynomial_hermite_e_hermesub,
        polynomial_hermite_e_hermemulx,
        _hermite_e_down,
        _hermite_e_up,
        c1,
        c2,
    )


def _hermite_e_der(a, r):
    for j in range(r.size, 0, -1):
        r[j - 1] = j * a[j]


def polynomial_hermite_e_hermeder(c, m=1, scl=1, axis=0):
    """The derivative, m times, each times scl."""
    return _derived(_hermite_e_der, c, m, scl, axis)


def _hermite_e_int(a, r):
    r[0] = a[0] * 0
    r[1] = a[0]
    for j in range(1, a.size):
        r[j + 1] = a[j] / (j + 1)


def polynomial_hermite_e_hermeint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral, m times, with constants k."""
    return _integrated(_hermite_e_int, polynomial_hermite_e_hermeval, c, m, k, lbnd, scl, axis)


def polynomial_hermite_e_hermevander(x, deg):
    """Hermite's (of probability) polynomials up to deg at x, in a last axis."""
    at, r = _columns(x, deg)
    for k in range(2, deg + 1):
        r[..., k] = r[..., k - 1] * at - r[..., k - 2] * (k - 1)
    return r


def polynomial_hermite_e_hermefit(x, y, deg, rcond=None, full=False, w=None):
    """The series of a degree that fits best."""
    return _fitted(polynomial_hermite_e_hermevander, x, y, deg, rcond, full, w)


def polynomial_hermite_e_herme2poly(c):
    """The polynomial that a series is."""
    a = _series(c)
    return a.copy() if a.size < 3 else _as_polynomial(_hermite_e_down, _hermite_e_up, a)


def polynomial_hermite_e_poly2herme(pol):
    """The series that a polynomial is."""
    return _of_polynomial(polynomial_hermite_e_hermeadd, polynomial_hermite_e_hermemulx, pol)


def polynomial_laguerre_lagadd(c1, c2):
    """The sum of two series."""
    return _sum(_series(c1), _series(c2), 1)


def polynomial_laguerre_lagsub(c1, c2):
    """The difference of two series."""
    return _sum(_series(c1), _series(c2), -1)


def polynomial_laguerre_lagmulx(c):
    """A series times x."""
    a = _series(c)
    if a.size == 1 and a[0] == 0:
        return a.copy()
    r = np.empty(a.size + 1, a.dtype)
    r[0] = a[0]
    r[1] = -a[0]
    for j in range(1, a.size):
        r[j + 1] = -a[j] * (j + 1)
        r[j] += a[j] * (2 * j + 1)
        r[j - 1] -= a[j] * j
    return r


def _laguerre_down(high, n):
    return (high * (n - 1)) / n


def _laguerre_up(sub, mulx, high, n):
    return sub((2 * n - 1) * high, mulx(high)) / n


def polynomial_laguerre_lagmul(c1, c2):
    """The product of two series."""
    return _product(
        polynomial_laguerre_lagadd,
        polynomial_laguerre_lagsub,
        polynomial_laguerre_lagmulx,
        _laguerre_down,
        _laguerre_up,
        c1,
        c2,
    )


def _laguerre_der(a, r):
    for j in range(r.size, 1, -1):
        r[j - 1] = -a[j]
        a[j - 1] += a[j]
    r[0] = -a[1]


def polynomial_laguerre_lagder(c, m=1, scl=1, axis=0):
    """The derivative, m times, each times scl."""
    return _derived(_laguerre_der, c, m, scl, axis)


def _laguerre_int(a, r):
    r[0] = a[0]
    r[1] = -a[0]
    for j in range(1, a.size):
        r[j] += a[j]
        r[j + 1] = -a[j]


def polynomial_laguerre_lagint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral, m times, with constants k."""
    return _integrated(_laguerre_int, polynomial_laguerre_lagval, c, m, k, lbnd, scl, axis)


def polynomial_laguerre_lagvander(x, deg):
    """Laguerre's polynomials up to deg at x, in a last axis."""
    at, r = _columns(x, deg)
    if deg > 0:
        r[..., 1] = 1 - at
    for k in range(2, deg + 1):
        r[..., k] = (r[..., k - 1] * (2 * k - 1 - at) - r[..., k - 2] * (k - 1)) / k
    return r


def polynomial_laguerre_lagfit(x, y, deg, rcond=None, full=False, w=None):
    """The series of a degree that fits best."""
    return _fitted(polynomial_laguerre_lagvander, x, y, deg, rcond, full, w)


def polynomial_laguerre_lag2poly(c):
    """The polynomial that a series is."""
    a = _series(c)
    return a.copy() if a.size == 1 else _as_polynomial(_laguerre_down, _laguerre_up, a)


def polynomial_laguerre_poly2lag(pol):
    """The series that a polynomial is."""
    return _of_polynomial(polynomial_laguerre_lagadd, polynomial_laguerre_lagmulx, pol)
