# SPDX-License-Identifier: BSD-3-Clause
"""Series of Hermite's and Laguerre's polynomials, as np.polynomial has them: coefficients, the
lowest degree first, in vectors. Each is NumPy's recurrence, in its order."""

import numpy as np

from swathe.lib.polynomial import (
    _check_order,
    _constants,
    _series,
    _sum,
    polynomial_hermite_e_hermeval,
    polynomial_hermite_hermval,
    polynomial_laguerre_lagval,
    polynomial_polynomial_polyadd,
    polynomial_polynomial_polymulx,
    polynomial_polynomial_polysub,
)
from swathe.lib.series import (
    _columns,
    _fitted,
    _one_series,
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


def polynomial_hermite_hermmul(c1, c2):
    """The product of two series."""
    a, d = _series(c1), _series(c2)
    kind = np.add(a[:0], d[:0]).dtype
    a, d = a.astype(kind), d.astype(kind)
    c, x = (d, a) if a.size > d.size else (a, d)
    if c.size == 1:
        return polynomial_hermite_hermadd(c[0] * x, np.zeros(1, kind))
    n = c.size
    low, high = c[n - 2] * x, c[n - 1] * x
    for i in range(3, c.size + 1):
        kept = low
        n -= 1
        low = polynomial_hermite_hermsub(c[c.size - i] * x, high * (2 * (n - 1)))
        high = polynomial_hermite_hermadd(kept, polynomial_hermite_hermmulx(high) * 2)
    return polynomial_hermite_hermadd(low, polynomial_hermite_hermmulx(high) * 2)


def polynomial_hermite_hermder(c, m=1, scl=1, axis=0):
    """The derivative, m times, each times scl."""
    a = _one_series(c, axis)
    _check_order(m, "derivation")
    if m >= a.size:
        return a[:1] * 0
    for _ in range(m):
        n = a.size - 1
        a = a * np.asarray(scl).astype(a.dtype)
        r = np.empty(n, a.dtype)
        for j in range(n, 0, -1):
            r[j - 1] = (2 * j) * a[j]
        a = r
    return a


def polynomial_hermite_hermint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral, m times, with constants k."""
    a = _one_series(c, axis)
    constants = _constants(a, m, k)
    for i in range(m):
        n = a.size
        a = a * np.asarray(scl).astype(a.dtype)
        if n == 1 and a[0] == 0:
            a[0] += constants[i]
        else:
            r = np.empty(n + 1, a.dtype)
            r[0] = a[0] * 0
            r[1] = a[0] / 2
            for j in range(1, n):
                r[j + 1] = a[j] / (2 * (j + 1))
            at = np.asarray(lbnd).astype(a.dtype)
            r[0] += constants[i] - polynomial_hermite_hermval(at, r)
            a = r
    return a


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
    if a.size == 1:
        return a.copy()
    low, high = a[a.size - 2 : a.size - 1].copy(), a[a.size - 1 :].copy()
    for i in range(a.size - 1, 1, -1):
        kept = low
        low = polynomial_polynomial_polysub(a[i - 2 : i - 1], high * (2 * (i - 1)))
        high = polynomial_polynomial_polyadd(kept, polynomial_polynomial_polymulx(high) * 2)
    return polynomial_polynomial_polyadd(low, polynomial_polynomial_polymulx(high) * 2)


def polynomial_hermite_poly2herm(pol):
    """The series that a polynomial is."""
    a = _series(pol)
    r = np.zeros(1, np.add(a[:0], np.zeros(0)).dtype)  # of float32 float64, too
    for i in range(a.size - 1, -1, -1):
        r = polynomial_hermite_hermadd(polynomial_hermite_hermmulx(r), a[i : i + 1])
    return r


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


def polynomial_hermite_e_hermemul(c1, c2):
    """The product of two series."""
    a, d = _series(c1), _series(c2)
    kind = np.add(a[:0], d[:0]).dtype
    a, d = a.astype(kind), d.astype(kind)
    c, x = (d, a) if a.size > d.size else (a, d)
    if c.size == 1:
        return polynomial_hermite_e_hermeadd(c[0] * x, np.zeros(1, kind))
    n = c.size
    low, high = c[n - 2] * x, c[n - 1] * x
    for i in range(3, c.size + 1):
        kept = low
        n -= 1
        low = polynomial_hermite_e_hermesub(c[c.size - i] * x, high * (n - 1))
        high = polynomial_hermite_e_hermeadd(kept, polynomial_hermite_e_hermemulx(high))
    return polynomial_hermite_e_hermeadd(low, polynomial_hermite_e_hermemulx(high))


def polynomial_hermite_e_hermeder(c, m=1, scl=1, axis=0):
    """The derivative, m times, each times scl."""
    a = _one_series(c, axis)
    _check_order(m, "derivation")
    if m >= a.size:
        return a[:1] * 0
    for _ in range(m):
        n = a.size - 1
        a = a * np.asarray(scl).astype(a.dtype)
        r = np.empty(n, a.dtype)
        for j in range(n, 0, -1):
            r[j - 1] = j * a[j]
        a = r
    return a


def polynomial_hermite_e_hermeint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral, m times, with constants k."""
    a = _one_series(c, axis)
    constants = _constants(a, m, k)
    for i in range(m):
        n = a.size
        a = a * np.asarray(scl).astype(a.dtype)
        if n == 1 and a[0] == 0:
            a[0] += constants[i]
        else:
            r = np.empty(n + 1, a.dtype)
            r[0] = a[0] * 0
            r[1] = a[0]
            for j in range(1, n):
                r[j + 1] = a[j] / (j + 1)
            at = np.asarray(lbnd).astype(a.dtype)
            r[0] += constants[i] - polynomial_hermite_e_hermeval(at, r)
            a = r
    return a


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
    if a.size < 3:
        return a.copy()
    low, high = a[a.size - 2 : a.size - 1].copy(), a[a.size - 1 :].copy()
    for i in range(a.size - 1, 1, -1):
        kept = low
        low = polynomial_polynomial_polysub(a[i - 2 : i - 1], high * (i - 1))
        high = polynomial_polynomial_polyadd(kept, polynomial_polynomial_polymulx(high))
    return polynomial_polynomial_polyadd(low, polynomial_polynomial_polymulx(high))


def polynomial_hermite_e_poly2herme(pol):
    """The series that a polynomial is."""
    a = _series(pol)
    r = np.zeros(1, np.add(a[:0], np.zeros(0)).dtype)  # of float32 float64, too
    for i in range(a.size - 1, -1, -1):
        r = polynomial_hermite_e_hermeadd(polynomial_hermite_e_hermemulx(r), a[i : i + 1])
    return r


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


def polynomial_laguerre_lagmul(c1, c2):
    """The product of two series."""
    a, d = _series(c1), _series(c2)
    kind = np.add(a[:0], d[:0]).dtype
    a, d = a.astype(kind), d.astype(kind)
    c, x = (d, a) if a.size > d.size else (a, d)
    if c.size == 1:
        return polynomial_laguerre_lagadd(c[0] * x, np.zeros(1, kind))
    n = c.size
    low, high = c[n - 2] * x, c[n - 1] * x
    for i in range(3, c.size + 1):
        kept = low
        n -= 1
        low = polynomial_laguerre_lagsub(c[c.size - i] * x, (high * (n - 1)) / n)
        high = polynomial_laguerre_lagadd(
            kept,
            polynomial_laguerre_lagsub((2 * n - 1) * high, polynomial_laguerre_lagmulx(high)) / n,
        )
    return polynomial_laguerre_lagadd(
        low, polynomial_laguerre_lagsub(high, polynomial_laguerre_lagmulx(high))
    )


def polynomial_laguerre_lagder(c, m=1, scl=1, axis=0):
    """The derivative, m times, each times scl."""
    a = _one_series(c, axis)
    _check_order(m, "derivation")
    if m >= a.size:
        return a[:1] * 0
    for _ in range(m):
        n = a.size - 1
        a = a * np.asarray(scl).astype(a.dtype)
        r = np.empty(n, a.dtype)
        for j in range(n, 1, -1):
            r[j - 1] = -a[j]
            a[j - 1] += a[j]
        r[0] = -a[1]
        a = r
    return a


def polynomial_laguerre_lagint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral, m times, with constants k."""
    a = _one_series(c, axis)
    constants = _constants(a, m, k)
    for i in range(m):
        n = a.size
        a = a * np.asarray(scl).astype(a.dtype)
        if n == 1 and a[0] == 0:
            a[0] += constants[i]
        else:
            r = np.empty(n + 1, a.dtype)
            r[0] = a[0]
            r[1] = -a[0]
            for j in range(1, n):
                r[j] += a[j]
                r[j + 1] = -a[j]
            at = np.asarray(lbnd).astype(a.dtype)
            r[0] += constants[i] - polynomial_laguerre_lagval(at, r)
            a = r
    return a


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
    if a.size == 1:
        return a.copy()
    low, high = a[a.size - 2 : a.size - 1].copy(), a[a.size - 1 :].copy()
    for i in range(a.size - 1, 1, -1):
        kept = low
        low = polynomial_polynomial_polysub(a[i - 2 : i - 1], (high * (i - 1)) / i)
        high = polynomial_polynomial_polyadd(
            kept,
            polynomial_polynomial_polysub((2 * i - 1) * high, polynomial_polynomial_polymulx(high))
            / i,
        )
    return polynomial_polynomial_polyadd(
        low, polynomial_polynomial_polysub(high, polynomial_polynomial_polymulx(high))
    )


def polynomial_laguerre_poly2lag(pol):
    """The series that a polynomial is."""
    a = _series(pol)
    r = np.zeros(1, np.add(a[:0], np.zeros(0)).dtype)  # of float32 float64, too
    for i in range(a.size - 1, -1, -1):
        r = polynomial_laguerre_lagadd(polynomial_laguerre_lagmulx(r), a[i : i + 1])
    return r
