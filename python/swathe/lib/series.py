# SPDX-License-Identifier: BSD-3-Clause
"""Series of Chebyshev's and Legendre's polynomials, as np.polynomial has them: coefficients, the
lowest degree first, in vectors. Each is NumPy's recurrence, in its order."""

import numpy as np

from swathe import static_fail
from swathe.lib.polynomial import (
    _as_part,
    _check_axis,
    _check_order,
    _columns,
    _constants,
    _floats,
    _lower_bound,
    _series,
    _sum,
    _trimmed,
    polynomial_chebyshev_chebval,
    polynomial_legendre_legval,
    polynomial_polynomial_polyadd,
    polynomial_polynomial_polymulx,
    polynomial_polynomial_polysub,
)


def polynomial_chebyshev_chebadd(c1, c2):
    """The sum of two series."""
    return _sum(_series(c1), _series(c2), 1)


def polynomial_chebyshev_chebsub(c1, c2):
    """The difference of two series."""
    return _sum(_series(c1), _series(c2), -1)


def polynomial_legendre_legadd(c1, c2):
    """The sum of two series."""
    return _sum(_series(c1), _series(c2), 1)


def polynomial_legendre_legsub(c1, c2):
    """The difference of two series."""
    return _sum(_series(c1), _series(c2), -1)


def polynomial_chebyshev_chebmulx(c):
    """A series times x."""
    a = _series(c)
    if a.size == 1 and a[0] == 0:
        return a.copy()
    r = np.empty(a.size + 1, a.dtype)
    r[0] = a[0] * 0
    r[1] = a[0]
    if a.size > 1:
        half = a[1:] / 2
        r[2:] = half
        r[:-2] += half
    return r


def polynomial_legendre_legmulx(c):
    """A series times x."""
    a = _series(c)
    if a.size == 1 and a[0] == 0:
        return a.copy()
    r = np.empty(a.size + 1, a.dtype)
    r[0] = a[0] * 0
    r[1] = a[0]
    for i in range(1, a.size):
        s = i + i + 1
        r[i + 1] = (a[i] * (i + 1)) / s
        r[i - 1] += (a[i] * i) / s
    return r


def polynomial_chebyshev_chebmul(c1, c2):
    """The product of two series."""
    z = np.convolve(_both_ways(_series(c1)), _both_ways(_series(c2)))
    r = z[(z.size + 1) // 2 - 1 :].copy()
    r[1:] *= 2
    return _trimmed(r)


def _both_ways(c):
    """The series in powers of z and 1/z that are cosines."""
    z = np.zeros(2 * c.size - 1, c.dtype)
    z[c.size - 1 :] = c / 2
    return z + z[::-1]


def _short_and_long(c1, c2):
    """Both series in their common dtype, that of fewer coefficients first."""
    a, b = _series(c1), _series(c2)
    kind = np.add(a[:0], b[:0]).dtype
    a, b = a.astype(kind), b.astype(kind)
    return (b, a) if a.size > b.size else (a, b)


def _product(add, sub, mulx, down, up, c1, c2):
    """The product of two series, by Clenshaw's recurrence in the shorter one: of three polynomials
    in a row, the lowest is what `down` makes of the highest, and the one between is `up`."""
    c, x = _short_and_long(c1, c2)
    if c.size == 1:
        return add(c[0] * x, np.zeros(1, c.dtype))
    low, high = c[c.size - 2] * x, c[c.size - 1] * x
    for k in range(c.size - 1, 1, -1):
        kept = low
        low = sub(c[k - 2] * x, down(high, k))
        high = add(kept, up(sub, mulx, high, k))
    return add(low, up(sub, mulx, high, 1))


def _as_polynomial(down, up, c):
    """The polynomial that a series of two coefficients or more is, by the same recurrence."""
    a = _series(c)
    low, high = a[a.size - 2 : a.size - 1].copy(), a[a.size - 1 :].copy()
    for k in range(a.size - 1, 1, -1):
        kept = low
        low = polynomial_polynomial_polysub(a[k - 2 : k - 1], down(high, k))
        high = polynomial_polynomial_polyadd(
            kept, up(polynomial_polynomial_polysub, polynomial_polynomial_polymulx, high, k)
        )
    last = up(polynomial_polynomial_polysub, polynomial_polynomial_polymulx, high, 1)
    return polynomial_polynomial_polyadd(low, last)


def _of_polynomial(add, mulx, pol):
    """The series that a polynomial is, by Horner's scheme."""
    a = _series(pol)
    r = np.zeros(1, np.add(a[:0], np.zeros(0)).dtype)  # of float32 float64, too
    for i in range(a.size - 1, -1, -1):
        r = add(mulx(r), a[i : i + 1])
    return r


def _derived(once, c, m, scl, axis):
    """The derivative, m times; `once` fills in that of a series, which it may change."""
    a = _one_series(c, axis)
    _check_order(m, "derivation")
    if m >= a.size:
        return a[:1] * 0
    for _ in range(m):
        a *= scl
        r = np.empty(a.size - 1, a.dtype)
        once(a, r)
        a = r
    return a


def _integrated(once, val, c, m, k, lbnd, scl, axis):
    """The integral, m times; `once` fills in that of a series, but for the constant."""
    a = _one_series(c, axis)
    constants = _constants(a, m, k)
    for i in range(m):
        a *= scl
        if a.size == 1 and a[0] == 0:
            a[0] += constants[i]
        else:
            r = np.empty(a.size + 1, a.dtype)
            once(a, r)
            r[0] += _as_part(constants[i] - val(_lower_bound(lbnd, a), r), a)
            a = r
    return a


def _legendre_down(high, n):
    return (high * (n - 1)) / n


def _legendre_up(sub, mulx, high, n):
    return (mulx(high) * (2 * n - 1)) / n


def polynomial_legendre_legmul(c1, c2):
    """The product of two series."""
    return _product(
        polynomial_legendre_legadd,
        polynomial_legendre_legsub,
        polynomial_legendre_legmulx,
        _legendre_down,
        _legendre_up,
        c1,
        c2,
    )


def _one_series(c, axis):
    a = _floats(c).copy()
    if a.ndim != 1:
        static_fail("coefficients with several axes are not supported: give one series")
    _check_axis(a, axis)
    return a


def _chebyshev_der(a, r):
    for j in range(r.size, 2, -1):
        r[j - 1] = (2 * j) * a[j]
        a[j - 2] += (j * a[j]) / (j - 2)
    if r.size > 1:
        r[1] = 4 * a[2]
    r[0] = a[1]


def polynomial_chebyshev_chebder(c, m=1, scl=1, axis=0):
    """The derivative, m times, each times scl."""
    return _derived(_chebyshev_der, c, m, scl, axis)


def _legendre_der(a, r):
    for j in range(r.size, 2, -1):
        r[j - 1] = (2 * j - 1) * a[j]
        a[j - 2] += a[j]
    if r.size > 1:
        r[1] = 3 * a[2]
    r[0] = a[1]


def polynomial_legendre_legder(c, m=1, scl=1, axis=0):
    """The derivative, m times, each times scl."""
    return _derived(_legendre_der, c, m, scl, axis)


def _chebyshev_int(a, r):
    r[0] = a[0] * 0
    r[1] = a[0]
    if a.size > 1:
        r[2] = a[1] / 4
    for j in range(2, a.size):
        r[j + 1] = a[j] / (2 * (j + 1))
        r[j - 1] -= a[j] / (2 * (j - 1))


def polynomial_chebyshev_chebint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral, m times, with constants k."""
    return _integrated(_chebyshev_int, polynomial_chebyshev_chebval, c, m, k, lbnd, scl, axis)


def _legendre_int(a, r):
    r[0] = a[0] * 0
    r[1] = a[0]
    if a.size > 1:
        r[2] = a[1] / 3
    for j in range(2, a.size):
        t = a[j] / (2 * j + 1)
        r[j + 1] = t
        r[j - 1] -= t


def polynomial_legendre_legint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral, m times, with constants k."""
    return _integrated(_legendre_int, polynomial_legendre_legval, c, m, k, lbnd, scl, axis)


def polynomial_chebyshev_chebvander(x, deg):
    """Chebyshev's polynomials up to deg at x, in a last axis."""
    at, r = _columns(x, deg)
    for k in range(2, deg + 1):
        r[..., k] = r[..., k - 1] * (2 * at) - r[..., k - 2]
    return r


def polynomial_legendre_legvander(x, deg):
    """Legendre's polynomials up to deg at x, in a last axis."""
    at, r = _columns(x, deg)
    for k in range(2, deg + 1):
        r[..., k] = (r[..., k - 1] * at * (2 * k - 1) - r[..., k - 2] * (k - 1)) / k
    return r


def polynomial_chebyshev_chebfit(x, y, deg, rcond=None, full=False, w=None):
    """The series of a degree that fits best."""
    return _fitted(polynomial_chebyshev_chebvander, x, y, deg, rcond, full, w)


def polynomial_legendre_legfit(x, y, deg, rcond=None, full=False, w=None):
    """The series of a degree that fits best."""
    return _fitted(polynomial_legendre_legvander, x, y, deg, rcond, full, w)


def _fitted(vander, x, y, deg, rcond, full, w):
    if isinstance(deg, bool):
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if full:
        static_fail("full=True of this fit is not supported in compiled code")
    at, values = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if at.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if at.size == 0:
        raise TypeError("expected non-empty vector for x")
    if values.ndim < 1 or values.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(at) != len(values):
        raise TypeError("expected x and y to have same length")
    left, right = vander(at, deg), values
    if w is not None:
        weight = np.asarray(w) + 0.0
        if weight.ndim != 1:
            raise TypeError("expected 1D vector for w")
        if len(at) != len(weight):
            raise TypeError("expected x and w to have same length")
        left = left * weight[:, None]
        right = (right.T * weight).T
    if left.dtype.kind == "c":
        scale = np.sqrt(np.sum(np.square(left.real) + np.square(left.imag), axis=0))
    else:
        scale = np.sqrt(np.sum(np.square(left), axis=0))
    scale[scale == 0] = 1
    least = len(at) * np.finfo(at.dtype).eps if rcond is None else rcond
    c = np.linalg.lstsq(left / scale, right, least)[0]
    return (c.T / scale).T


def polynomial_chebyshev_chebpts1(npts):
    """The zeros of a Chebyshev polynomial, in order."""
    n = int(npts)
    if n != npts:
        raise ValueError("npts must be integer")
    if n < 1:
        raise ValueError("npts must be >= 1")
    return np.sin(0.5 * np.pi / n * np.arange(-n + 1, n + 1, 2))


def polynomial_chebyshev_chebpts2(npts):
    """Where a Chebyshev polynomial is 1 or -1, in order."""
    n = int(npts)
    if n != npts:
        raise ValueError("npts must be integer")
    if n < 2:
        raise ValueError("npts must be >= 2")
    return np.cos(np.linspace(-np.pi, 0, n))


def polynomial_chebyshev_chebgauss(deg):
    """Points and weights of the quadrature of a degree."""
    if deg <= 0:
        raise ValueError("deg must be a positive integer")
    x = np.cos(np.pi * np.arange(1, 2 * deg, 2) / (2.0 * deg))
    return x, np.ones(deg) * (np.pi / deg)


def polynomial_chebyshev_cheb2poly(c):
    """The polynomial that a series is."""
    a = _series(c)
    if a.size < 3:
        return a.copy()
    low, high = a[a.size - 2 : a.size - 1].copy(), a[a.size - 1 :].copy()
    for i in range(a.size - 1, 1, -1):
        kept = low
        low = polynomial_polynomial_polysub(a[i - 2 : i - 1], high)
        high = polynomial_polynomial_polyadd(kept, polynomial_polynomial_polymulx(high) * 2)
    return polynomial_polynomial_polyadd(low, polynomial_polynomial_polymulx(high))


def polynomial_legendre_leg2poly(c):
    """The polynomial that a series is."""
    a = _series(c)
    return a.copy() if a.size < 3 else _as_polynomial(_legendre_down, _legendre_up, a)


def polynomial_chebyshev_poly2cheb(pol):
    """The series that a polynomial is."""
    return _of_polynomial(polynomial_chebyshev_chebadd, polynomial_chebyshev_chebmulx, pol)


def polynomial_legendre_poly2leg(pol):
    """The series that a polynomial is."""
    return _of_polynomial(polynomial_legendre_legadd, polynomial_legendre_legmulx, pol)
