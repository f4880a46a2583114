# SPDX-License-Identifier: BSD-3-Clause
"""What series of all of np.polynomial's bases have: lines, powers, quotients, roots, two
variables. The lowest degree comes first."""

import numpy as np

from swathe import static_fail
from swathe.lib.polynomial import (
    _floats,
    _series,
    _trimmed,
    polynomial_polynomial_polyvander,
)
from swathe.lib.series import (
    polynomial_chebyshev_chebmul,
    polynomial_chebyshev_chebvander,
    polynomial_legendre_legmul,
    polynomial_legendre_legvander,
)
from swathe.lib.series_more import (
    polynomial_hermite_e_hermemul,
    polynomial_hermite_e_hermevander,
    polynomial_hermite_hermmul,
    polynomial_hermite_hermvander,
    polynomial_laguerre_lagmul,
    polynomial_laguerre_lagvander,
)


def _companion(between, last):
    """A symmetric matrix of what is beside its diagonal, less the last column."""
    n = last.size
    r = np.zeros((n, n), last.dtype)
    for i in range(n - 1):
        r[i, i + 1] = between[i]
        r[i + 1, i] = between[i]
    r[:, n - 1] -= last
    return r


def _check_degree(a):
    if a.size < 2:
        raise ValueError("Series must have maximum degree of at least 1.")


def _roots(companion, c):
    a = _series(c)
    if a.size < 2:
        return np.empty(0, np.complex128)
    m = companion(a)
    if a.size == 2:
        return m[0] + 0j
    return np.sort(np.linalg.eigvals(m[::-1, ::-1]))


def _product_of_lines(line, mul, roots):
    """The series with these roots, from pairs to the whole, as NumPy multiplies."""
    if np.ndim(roots) == 0:
        raise TypeError("len() of unsized object")
    if len(roots) and np.size(roots) == 0:
        raise ValueError("Coefficient array is empty")
    if np.ndim(roots) > 1:
        raise ValueError("Coefficient array is not 1-d")
    if np.asarray(roots).dtype.kind == "b":
        raise ValueError("Coefficient arrays have no common type")
    x = np.sort(_floats(roots))
    x = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    if x.size == 0:
        return np.ones(1, x.dtype)
    p = [line(-x[i], 1) for i in range(x.size)]
    while len(p) > 1:
        half = len(p) // 2
        t = [mul(p[i], p[i + half]) for i in range(half)]
        if len(p) % 2:
            t[0] = mul(t[0], p[-1])
        p = t
    return p[0]


def _quotient(mul, c1, c2):
    a, b = _series(c1), _series(c2)
    if b[b.size - 1] == 0:
        raise ZeroDivisionError("division by zero")
    r = np.zeros(a.size, np.divide(a[:0], b[:0]).dtype)
    r[:] = a
    m, n = a.size, b.size
    if m < n:
        return r[:1] * 0, r
    if n == 1:
        return r / b[n - 1], r[:1] * 0
    q = np.empty(m - n + 1, r.dtype)
    for i in range(m - n, -1, -1):
        one = np.zeros(i + 1, r.dtype)
        one[i] = 1
        p = mul(one, b)
        q[i] = r[r.size - 1] / p[p.size - 1]
        r = r[:-1] - q[i] * p[:-1]
    return q, _trimmed(r)


def _power(mul, c, pow, maxpower):
    a = _series(c)
    if pow < 0 or pow != int(pow):
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None:
        if pow > maxpower:
            raise ValueError("Power is too large")
    if pow == 0:
        return np.ones(1, a.dtype)
    r = a.copy()
    for _ in range(int(pow) - 1):
        r = mul(r, a)
    return r


def _without_small(c, tol):
    a = _series(c)
    if tol < 0:
        raise ValueError("tol must be non-negative")
    n = a.size
    while n > 0 and not abs(a[n - 1]) > tol:  # NaN is not greater
        n -= 1
    return a[:n].copy() if n else a[:1] * 0


def _line(a, b):
    if b == 0:
        return np.asarray([a])
    else:
        return np.asarray([a, b])


def _check_matrix(c):
    a = np.asarray(c)
    if a.ndim != 2:
        static_fail("the coefficients of a series of two variables are a matrix")
    return a


def _at_points(vander, x, y, c):
    a, p, q = _check_matrix(c), np.asarray(x), np.asarray(y)
    if p.shape != q.shape:
        raise ValueError("x, y are incompatible")
    left = vander(p.reshape(-1), a.shape[0] - 1)
    right = vander(q.reshape(-1), a.shape[1] - 1)
    return np.sum(left @ a * right, axis=1).reshape(p.shape)[()]


def _on_grid(vander, x, y, c):
    a, p, q = _check_matrix(c), np.asarray(x), np.asarray(y)
    left = vander(p.reshape(-1), a.shape[0] - 1)
    right = vander(q.reshape(-1), a.shape[1] - 1)
    return (left @ a @ right.T).reshape(p.shape + q.shape)[()]


def _columns_of_two(vander, x, y, deg):
    p, q = np.asarray(x), np.asarray(y)
    if p.shape != q.shape:
        raise ValueError("x, y are incompatible")
    if len(deg) != 2:
        raise ValueError(f"Expected 2 degrees, got {len(deg)}")
    left, right = vander(p, deg[0]), vander(q, deg[1])
    r = left[..., :, None] * right[..., None, :]
    return r.reshape((*r.shape[:-2], -1))


def polynomial_chebyshev_chebline(off, scl):
    """The series of off + scl * x."""
    return _line(off, scl)


def polynomial_chebyshev_chebtrim(c, tol=0):
    """The series without small coefficients at its end."""
    return _without_small(c, tol)


def polynomial_chebyshev_chebpow(c, pow, maxpower=16):
    """A series to a power."""
    return _power(polynomial_chebyshev_chebmul, c, pow, maxpower)


def polynomial_chebyshev_chebdiv(c1, c2):
    """Quotient and remainder of two series."""
    return _quotient(polynomial_chebyshev_chebmul, c1, c2)


def polynomial_chebyshev_chebfromroots(roots):
    """The series of the polynomial with these roots, whose highest coefficient is 1."""
    return _product_of_lines(polynomial_chebyshev_chebline, polynomial_chebyshev_chebmul, roots)


def polynomial_chebyshev_chebcompanion(c):
    """A matrix whose eigenvalues are the roots of a series."""
    a = _series(c)
    _check_degree(a)
    n = a.size - 1
    if n == 1:
        return np.asarray([[-a[0] / a[1]]])
    else:
        scale = np.full(n, np.sqrt(0.5))
        scale[0] = 1
        between = np.full(n - 1, 0.5)
        between[:1] = np.sqrt(0.5)
        return _companion(between, a[:n] / a[n] * (scale / scale[n - 1]) * 0.5)


def polynomial_chebyshev_chebroots(c):
    """The roots, in order; always complex."""
    return _roots(polynomial_chebyshev_chebcompanion, c)


def polynomial_chebyshev_chebval2d(x, y, c):
    """A series of two variables at points."""
    return _at_points(polynomial_chebyshev_chebvander, x, y, c)


def polynomial_chebyshev_chebgrid2d(x, y, c):
    """A series of two variables on a grid."""
    return _on_grid(polynomial_chebyshev_chebvander, x, y, c)


def polynomial_chebyshev_chebvander2d(x, y, deg):
    """Products of polynomials of two variables, in a last axis."""
    return _columns_of_two(polynomial_chebyshev_chebvander, x, y, deg)


def polynomial_chebyshev_chebweight(x):
    """The weight for which the polynomials are orthogonal."""
    return 1.0 / (np.sqrt(1.0 + x) * np.sqrt(1.0 - x))


def polynomial_legendre_legline(off, scl):
    """The series of off + scl * x."""
    return _line(off, scl)


def polynomial_legendre_legtrim(c, tol=0):
    """The series without small coefficients at its end."""
    return _without_small(c, tol)


def polynomial_legendre_legpow(c, pow, maxpower=16):
    """A series to a power."""
    return _power(polynomial_legendre_legmul, c, pow, maxpower)


def polynomial_legendre_legdiv(c1, c2):
    """Quotient and remainder of two series."""
    return _quotient(polynomial_legendre_legmul, c1, c2)


def polynomial_legendre_legfromroots(roots):
    """The series of the polynomial with these roots, whose highest coefficient is 1."""
    return _product_of_lines(polynomial_legendre_legline, polynomial_legendre_legmul, roots)


def polynomial_legendre_legcompanion(c):
    """A matrix whose eigenvalues are the roots of a series."""
    a = _series(c)
    _check_degree(a)
    n = a.size - 1
    if n == 1:
        return np.asarray([[-a[0] / a[1]]])
    else:
        scale = 1 / np.sqrt(2 * np.arange(n) + 1)
        between = np.arange(1, n) * scale[: n - 1] * scale[1:]
        return _companion(between, a[:n] / a[n] * (scale / scale[n - 1]) * (n / (2 * n - 1)))


def polynomial_legendre_legroots(c):
    """The roots, in order; always complex."""
    return _roots(polynomial_legendre_legcompanion, c)


def polynomial_legendre_legval2d(x, y, c):
    """A series of two variables at points."""
    return _at_points(polynomial_legendre_legvander, x, y, c)


def polynomial_legendre_leggrid2d(x, y, c):
    """A series of two variables on a grid."""
    return _on_grid(polynomial_legendre_legvander, x, y, c)


def polynomial_legendre_legvander2d(x, y, deg):
    """Products of polynomials of two variables, in a last axis."""
    return _columns_of_two(polynomial_legendre_legvander, x, y, deg)


def polynomial_legendre_legweight(x):
    """The weight for which the polynomials are orthogonal."""
    return x * 0.0 + 1.0


def polynomial_hermite_hermline(off, scl):
    """The series of off + scl * x."""
    return _line(off, scl / 2)


def polynomial_hermite_hermtrim(c, tol=0):
    """The series without small coefficients at its end."""
    return _without_small(c, tol)


def polynomial_hermite_hermpow(c, pow, maxpower=16):
    """A series to a power."""
    return _power(polynomial_hermite_hermmul, c, pow, maxpower)


def polynomial_hermite_hermdiv(c1, c2):
    """Quotient and remainder of two series."""
    return _quotient(polynomial_hermite_hermmul, c1, c2)


def polynomial_hermite_hermfromroots(roots):
    """The series of the polynomial with these roots, whose highest coefficient is 1."""
    return _product_of_lines(polynomial_hermite_hermline, polynomial_hermite_hermmul, roots)


def polynomial_hermite_hermcompanion(c):
    """A matrix whose eigenvalues are the roots of a series."""
    a = _series(c)
    _check_degree(a)
    n = a.size - 1
    if n == 1:
        return np.asarray([[-0.5 * a[0] / a[1]]])
    else:
        scale = np.ones(n)
        scale[1:] = 1 / np.sqrt(2.0 * np.arange(n - 1, 0, -1))
        scale = np.cumprod(scale)[::-1]
        return _companion(np.sqrt(0.5 * np.arange(1, n)), scale * a[:n] / (2.0 * a[n]))


def polynomial_hermite_hermroots(c):
    """The roots, in order; always complex."""
    return _roots(polynomial_hermite_hermcompanion, c)


def polynomial_hermite_hermval2d(x, y, c):
    """A series of two variables at points."""
    return _at_points(polynomial_hermite_hermvander, x, y, c)


def polynomial_hermite_hermgrid2d(x, y, c):
    """A series of two variables on a grid."""
    return _on_grid(polynomial_hermite_hermvander, x, y, c)


def polynomial_hermite_hermvander2d(x, y, deg):
    """Products of polynomials of two variables, in a last axis."""
    return _columns_of_two(polynomial_hermite_hermvander, x, y, deg)


def polynomial_hermite_hermweight(x):
    """The weight for which the polynomials are orthogonal."""
    return np.exp(-(x**2))


def polynomial_hermite_e_hermeline(off, scl):
    """The series of off + scl * x."""
    return _line(off, scl)


def polynomial_hermite_e_hermetrim(c, tol=0):
    """The series without small coefficients at its end."""
    return _without_small(c, tol)


def polynomial_hermite_e_hermepow(c, pow, maxpower=16):
    """A series to a power."""
    return _power(polynomial_hermite_e_hermemul, c, pow, maxpower)


def polynomial_hermite_e_hermediv(c1, c2):
    """Quotient and remainder of two series."""
    return _quotient(polynomial_hermite_e_hermemul, c1, c2)


def polynomial_hermite_e_hermefromroots(roots):
    """The series of the polynomial with these roots, whose highest coefficient is 1."""
    return _product_of_lines(polynomial_hermite_e_hermeline, polynomial_hermite_e_hermemul, roots)


def polynomial_hermite_e_hermecompanion(c):
    """A matrix whose eigenvalues are the roots of a series."""
    a = _series(c)
    _check_degree(a)
    n = a.size - 1
    if n == 1:
        return np.asarray([[-a[0] / a[1]]])
    else:
        scale = np.ones(n)
        scale[1:] = 1 / np.sqrt(np.arange(n - 1, 0, -1))
        scale = np.cumprod(scale)[::-1]
        return _companion(np.sqrt(np.arange(1, n)), scale * a[:n] / a[n])


def polynomial_hermite_e_hermeroots(c):
    """The roots, in order; always complex."""
    return _roots(polynomial_hermite_e_hermecompanion, c)


def polynomial_hermite_e_hermeval2d(x, y, c):
    """A series of two variables at points."""
    return _at_points(polynomial_hermite_e_hermevander, x, y, c)


def polynomial_hermite_e_hermegrid2d(x, y, c):
    """A series of two variables on a grid."""
    return _on_grid(polynomial_hermite_e_hermevander, x, y, c)


def polynomial_hermite_e_hermevander2d(x, y, deg):
    """Products of polynomials of two variables, in a last axis."""
    return _columns_of_two(polynomial_hermite_e_hermevander, x, y, deg)


def polynomial_hermite_e_hermeweight(x):
    """The weight for which the polynomials are orthogonal."""
    return np.exp(-0.5 * x**2)


def polynomial_laguerre_lagline(off, scl):
    """The series of off + scl * x."""
    return _line(off + scl, -scl)


def polynomial_laguerre_lagtrim(c, tol=0):
    """The series without small coefficients at its end."""
    return _without_small(c, tol)


def polynomial_laguerre_lagpow(c, pow, maxpower=16):
    """A series to a power."""
    return _power(polynomial_laguerre_lagmul, c, pow, maxpower)


def polynomial_laguerre_lagdiv(c1, c2):
    """Quotient and remainder of two series."""
    return _quotient(polynomial_laguerre_lagmul, c1, c2)


def polynomial_laguerre_lagfromroots(roots):
    """The series of the polynomial with these roots, whose highest coefficient is 1."""
    return _product_of_lines(polynomial_laguerre_lagline, polynomial_laguerre_lagmul, roots)


def polynomial_laguerre_lagcompanion(c):
    """A matrix whose eigenvalues are the roots of a series."""
    a = _series(c)
    _check_degree(a)
    n = a.size - 1
    if n == 1:
        return np.asarray([[1 + a[0] / a[1]]])
    else:
        r = _companion(-np.arange(1.0, n), -(a[:n] / a[n]) * n)
        for i in range(n):
            r[i, i] += 2 * i + 1
        return r


def polynomial_laguerre_lagroots(c):
    """The roots, in order; always complex."""
    return _roots(polynomial_laguerre_lagcompanion, c)


def polynomial_laguerre_lagval2d(x, y, c):
    """A series of two variables at points."""
    return _at_points(polynomial_laguerre_lagvander, x, y, c)


def polynomial_laguerre_laggrid2d(x, y, c):
    """A series of two variables on a grid."""
    return _on_grid(polynomial_laguerre_lagvander, x, y, c)


def polynomial_laguerre_lagvander2d(x, y, deg):
    """Products of polynomials of two variables, in a last axis."""
    return _columns_of_two(polynomial_laguerre_lagvander, x, y, deg)


def polynomial_laguerre_lagweight(x):
    """The weight for which the polynomials are orthogonal."""
    return np.exp(-x)


def polynomial_polynomial_polytrim(c, tol=0):
    """The polynomial without small coefficients at its end."""
    return _without_small(c, tol)


def polynomial_polynomial_polyline(off, scl):
    """The polynomial off + scl * x."""
    return _line(off, scl)


def polynomial_polynomial_polygrid2d(x, y, c):
    """A polynomial of two variables on a grid."""
    return _on_grid(polynomial_polynomial_polyvander, x, y, c)


def polynomial_polynomial_polyvander2d(x, y, deg):
    """Products of powers of two variables, in a last axis."""
    return _columns_of_two(polynomial_polynomial_polyvander, x, y, deg)


def polynomial_polynomial_polyvalfromroots(x, r, tensor=True):
    """The polynomial with these roots at x."""
    roots = _floats(r)
    if roots.ndim != 1:
        static_fail("roots with several axes are not supported: give those of one polynomial")
    v = np.asarray(x) * 0.0 + 1.0
    for i in range(roots.size):
        v = v * (np.asarray(x) - roots[i])
    return v


def polynomial_polynomial_polycompanion(c):
    """A matrix whose eigenvalues are the roots of a polynomial."""
    a = _series(c)
    _check_degree(a)
    n = a.size - 1
    r = np.zeros((n, n), a.dtype)
    for i in range(n - 1):
        r[i + 1, i] = 1
    r[:, n - 1] -= a[:n] / a[n]
    return r
