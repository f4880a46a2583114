# SPDX-License-Identifier: BSD-3-Clause
"""np.polynomial: functions of coefficients from the lowest power on. And of np.poly, np.polyint,
np.polydiv, whose first coefficient is of the highest one."""

import numpy as np

from swathe import static_fail


def _series(c):
    """Coefficients as a vector of floats, without zeros at the end."""
    a = np.atleast_1d(c)
    if a.ndim != 1:
        raise ValueError("Coefficient array is not 1-d")
    if a.size == 0:
        raise ValueError("Coefficient array is empty")
    if a.dtype.kind == "b":
        raise ValueError("Coefficient arrays have no common type")
    return _trimmed(a if a.dtype.kind in ("f", "c") else a.astype(np.float64))


def _trimmed(a):
    n = a.size
    while n > 1 and a[n - 1] == 0:
        n -= 1
    return a[:n]


def _floats(c):
    a = np.atleast_1d(c)
    if a.dtype.kind in ("b", "i", "u"):
        return a.astype(np.float64)
    else:
        return a


def _vector(c):
    a = _floats(c)
    if a.ndim != 1:
        static_fail("coefficients with several axes are not supported: give one polynomial")
    if a.size == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    return a


def polynomial_polynomial_polyval(x, c, tensor=True):
    """A polynomial at x."""
    a = _vector(c)
    at = np.asarray(x)
    r = a[a.size - 1] + at * 0
    for k in range(a.size - 2, -1, -1):
        r = a[k] + r * at
    return r


def polynomial_polynomial_polyval2d(x, y, c):
    """A polynomial of two variables at points."""
    a = np.asarray(c)
    p, q = np.asarray(x), np.asarray(y)
    if a.ndim != 2:
        static_fail("the coefficients of a polynomial of two variables are a matrix")
    if p.shape != q.shape:
        raise ValueError("x, y are incompatible")
    r = a[0, 0] * 1.0 + p * q * 0
    r = r * 0
    for i in range(a.shape[0] - 1, -1, -1):
        s = r * 0
        for j in range(a.shape[1] - 1, -1, -1):
            s = a[i, j] + s * q
        r = s + r * p
    return r


def polynomial_polynomial_polyadd(c1, c2):
    """The sum of two polynomials."""
    return _sum(_series(c1), _series(c2), 1)


def polynomial_polynomial_polysub(c1, c2):
    """The difference of two polynomials."""
    return _sum(_series(c1), _series(c2), -1)


def _sum(a, b, sign):
    r = np.zeros(max(a.size, b.size), np.add(a[:0], b[:0]).dtype)
    r[: a.size] = a
    r[: b.size] += sign * b
    return _trimmed(r)


def polynomial_polynomial_polymul(c1, c2):
    """The product of two polynomials."""
    return _trimmed(np.convolve(_series(c1), _series(c2)))


def polynomial_polynomial_polymulx(c):
    """A polynomial times its variable."""
    a = _series(c)
    if a.size == 1 and a[0] == 0:
        return a.copy()
    r = np.zeros(a.size + 1, a.dtype)
    r[0] = a[0] * 0
    r[1:] = a
    return r


def polynomial_polynomial_polydiv(c1, c2):
    """Quotient and remainder of two polynomials."""
    a, b = _series(c1), _series(c2)
    if b[b.size - 1] == 0:
        raise ZeroDivisionError("division by zero")
    r = np.zeros(a.size, np.divide(a[:0], b[:0]).dtype)
    r[:] = a
    m, n = a.size, b.size
    if m < n:
        return r[:1] * 0, r
    if n == 1:
        return r / b[0], r[:1] * 0
    lead = b[n - 1]
    low = b[: n - 1] / lead
    j = m - 1
    for i in range(m - n, -1, -1):
        r[i:j] -= low * r[j]
        j -= 1
    return r[j + 1 :] / lead, _trimmed(r[: j + 1])


def polynomial_polynomial_polypow(c, pow, maxpower=None):
    """A polynomial to a power."""
    a = _series(c)
    if pow < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None:
        if pow > maxpower:
            raise ValueError("Power is too large")
    r = np.ones(1, a.dtype)
    for _ in range(pow):
        r = np.convolve(r, a)
    return r


def _check_axis(a, axis):
    if isinstance(axis, tuple):
        raise TypeError("the axis must be an integer")
    np.size(a, axis)  # which must be there


def _check_order(m, what):
    if m < 0:
        raise ValueError(f"The order of {what} must be non-negative")


def polynomial_polynomial_polyder(c, m=1, scl=1, axis=0):
    """The derivative, m times, each times scl."""
    a = _floats(c).copy()
    if a.ndim != 1:
        static_fail("coefficients with several axes are not supported: give one polynomial")
    _check_axis(a, axis)
    _check_order(m, "derivation")
    if m >= a.size:
        return a[:1] * 0
    for _ in range(m):
        n = a.size - 1
        a *= scl
        a = a[1:] * np.arange(1, n + 1).astype(a.dtype)
    return a


def _constants(a, m, k):
    """Those of m integrals of the series a; k has the first of them."""
    _check_order(m, "integration")
    given = np.atleast_1d(k)
    if given.size > m:
        raise ValueError("Too many integration constants")
    r = np.zeros(m, a.dtype)
    r[: given.size] = given
    return r


def _lower_bound(lbnd, a):
    """Where integrals of the series a are zero."""
    b = np.asarray(lbnd)
    return b if b.dtype.kind == "c" else b.astype(a.dtype)


def _as_part(v, a):
    """A number as an element of a, of a complex one the real part, as NumPy stores it."""
    return np.asarray(v).astype(a.dtype)[()]


def polynomial_polynomial_polyint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral, m times, with constants k."""
    a = _floats(c).copy()
    if a.ndim != 1:
        static_fail("coefficients with several axes are not supported: give one polynomial")
    _check_axis(a, axis)
    constants = _constants(a, m, k)
    for i in range(m):
        n = a.size
        a *= scl
        if n == 1 and a[0] == 0:
            a[0] += constants[i]
        else:
            r = np.empty(n + 1, a.dtype)
            r[0] = a[0] * 0
            r[1:] = a / np.arange(1, n + 1)
            r[0] += _as_part(
                constants[i] - polynomial_polynomial_polyval(_lower_bound(lbnd, a), r), a
            )
            a = r
    return a


def polynomial_polynomial_polyfromroots(roots):
    """The polynomial with these roots, whose highest coefficient is 1."""
    if np.ndim(roots) == 0:
        raise TypeError("len() of unsized object")
    if len(roots) and np.size(roots) == 0:
        raise ValueError("Coefficient array is empty")
    if np.ndim(roots) > 1:
        raise ValueError("Coefficient array is not 1-d")
    x = np.sort(_floats(roots))
    x = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    r = np.ones(1, x.dtype)
    for i in range(x.size):
        s = np.zeros(r.size + 1, x.dtype)
        s[1:] = r
        s[:-1] -= r * x[i]
        r = s
    return r


def _columns(x, deg):
    """Points as floats, and the matrix of functions at them with the first two: 1 and x."""
    if deg < 0:
        raise ValueError("deg must be non-negative")
    at = np.atleast_1d(x) + 0.0
    r = np.empty((*at.shape, deg + 1), at.dtype)
    r[..., 0] = at * 0 + 1
    if deg > 0:
        r[..., 1] = at
    return at, r


def polynomial_polynomial_polyvander(x, deg):
    """Powers of x up to deg, in a last axis."""
    at, r = _columns(x, deg)
    for k in range(2, deg + 1):
        r[..., k] = r[..., k - 1] * at
    return r


def polynomial_polynomial_polyfit(x, y, deg, rcond=None, full=False, w=None):
    """The polynomial of a degree that fits best."""
    if isinstance(deg, bool):
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if full:
        static_fail("full=True of this polyfit is not supported in compiled code")
    else:
        none = np.add(np.ravel(x)[:0] + 0.0, np.ravel(y)[:0] + 0.0)
        return np.polyfit(x, y, deg, rcond, w=w)[::-1].astype(none.dtype)


def polynomial_polynomial_polyroots(c):
    """The roots, in order; always complex."""
    a = _series(c)
    if a.size < 2:
        return np.empty(0, np.complex128)
    return np.sort(np.roots(a[::-1]))


# --- other series ---------------------------------------------------------------------------


def _everywhere(c, at):
    """A coefficient for each point, also where that is infinite."""
    return c + np.zeros_like(at) * 0.0


def polynomial_chebyshev_chebval(x, c, tensor=True):
    """A series of Chebyshev polynomials at x, by Clenshaw's recurrence."""
    a, at = _vector(c), np.asarray(x)
    n = a.size
    if n == 1:
        return a[0] + at * 0.0
    x2 = 2 * at
    c0, c1 = _everywhere(a[n - 2], at), _everywhere(a[n - 1], at)
    for i in range(3, n + 1):
        t = c0
        c0 = a[n - i] - c1
        c1 = t + c1 * x2
    return c0 + c1 * at


def polynomial_legendre_legval(x, c, tensor=True):
    """A series of Legendre polynomials at x, by Clenshaw's recurrence."""
    a, at = _vector(c), np.asarray(x)
    n = a.size
    nd = n
    if n == 1:
        return a[0] + at * 0.0
    c0, c1 = _everywhere(a[n - 2], at), _everywhere(a[n - 1], at)
    for i in range(3, n + 1):
        t = c0
        nd -= 1
        c0 = a[n - i] - c1 * ((nd - 1) / nd)
        c1 = t + c1 * at * ((2 * nd - 1) / nd)
    return c0 + c1 * at


def polynomial_hermite_hermval(x, c, tensor=True):
    """A series of Hermite's polynomials, the physicists', at x."""
    a, at = _vector(c), np.asarray(x)
    n = a.size
    nd = n
    x2 = at * 2
    if n == 1:
        return a[0] + at * 0.0
    c0, c1 = _everywhere(a[n - 2], at), _everywhere(a[n - 1], at)
    for i in range(3, n + 1):
        t = c0
        nd -= 1
        c0 = a[n - i] - c1 * (2 * (nd - 1))
        c1 = t + c1 * x2
    return c0 + c1 * x2


def polynomial_hermite_e_hermeval(x, c, tensor=True):
    """A series of Hermite's polynomials, the probabilists', at x."""
    a, at = _vector(c), np.asarray(x)
    n = a.size
    nd = n
    if n == 1:
        return a[0] + at * 0.0
    c0, c1 = _everywhere(a[n - 2], at), _everywhere(a[n - 1], at)
    for i in range(3, n + 1):
        t = c0
        nd -= 1
        c0 = a[n - i] - c1 * (nd - 1)
        c1 = t + c1 * at
    return c0 + c1 * at


def polynomial_laguerre_lagval(x, c, tensor=True):
    """A series of Laguerre's polynomials at x."""
    a, at = _vector(c), np.asarray(x)
    n = a.size
    nd = n
    if n == 1:
        return a[0] + at * 0.0
    c0, c1 = _everywhere(a[n - 2], at), _everywhere(a[n - 1], at)
    for i in range(3, n + 1):
        t = c0
        nd -= 1
        c0 = a[n - i] - (c1 * (nd - 1)) / nd
        c1 = t + (c1 * ((2 * nd - 1) - at)) / nd
    return c0 + c1 * (1 - at)


def polynomial_legendre_leggauss(deg):
    """Points and weights of Gauss and Legendre's rule."""
    if deg <= 0:
        raise ValueError("deg must be a positive integer")
    n = np.arange(1, deg)
    m = np.zeros((deg, deg))
    for k in range(deg - 1):
        m[k, k + 1] = m[k + 1, k] = n[k] / np.sqrt(4.0 * n[k] * n[k] - 1)
    x = np.linalg.eigvalsh(m)
    c = np.zeros(deg + 1)
    c[deg] = 1
    d = _legendre_derivative(c)
    dy = polynomial_legendre_legval(x, c)
    df = polynomial_legendre_legval(x, d)
    x = x - dy / df
    fm = polynomial_legendre_legval(x, c[1:])
    fm = fm / np.abs(fm).max()
    df = df / np.abs(df).max()
    w = 1 / (fm * df)
    w = (w + w[::-1]) / 2
    x = (x - x[::-1]) / 2
    return x, w * (2.0 / w.sum())


def _legendre_derivative(c):
    n = c.size - 1
    a = c.copy()
    d = np.empty(n)
    for j in range(n, 2, -1):
        d[j - 1] = (2 * j - 1) * a[j]
        a[j - 2] += a[j]
    if n > 1:
        d[1] = 3 * a[2]
    d[0] = a[1]
    return d


def polynomial_hermite_hermgauss(deg):
    """Points and weights of Gauss and Hermite's rule, for the weight exp(-x**2)."""
    return _gauss_hermite(deg, 2.0, np.sqrt(np.pi))


def polynomial_hermite_e_hermegauss(deg):
    """Points and weights of Gauss and Hermite's rule, for the weight exp(-x**2 / 2)."""
    return _gauss_hermite(deg, 1.0, np.sqrt(2 * np.pi))


def _gauss_hermite(deg, by, total):
    if deg <= 0:
        raise ValueError("deg must be a positive integer")
    m = np.zeros((deg, deg))
    for k in range(deg - 1):
        m[k, k + 1] = m[k + 1, k] = np.sqrt((k + 1) / by)
    x = np.linalg.eigvalsh(m)
    dy = _normed_hermite(x, deg, by, total)
    df = _normed_hermite(x, deg - 1, by, total) * np.sqrt(by * deg)
    x = x - dy / df
    fm = _normed_hermite(x, deg - 1, by, total)
    fm = fm / np.abs(fm).max()
    w = 1 / (fm * fm)
    w = (w + w[::-1]) / 2
    x = (x - x[::-1]) / 2
    return x, w * (total / w.sum())


def _normed_hermite(x, n, by, total):
    if n == 0:
        return np.full(x.shape, 1 / np.sqrt(total))
    low = np.zeros(x.shape)
    high = np.full(x.shape, 1.0 / np.sqrt(total))
    nd = float(n)
    for _ in range(n - 1):
        below = low
        low = -high * np.sqrt((nd - 1.0) / nd)
        high = below + high * x * np.sqrt(by / nd)
        nd = nd - 1.0
    return low + high * x * np.sqrt(by)


def polynomial_laguerre_laggauss(deg):
    """Points and weights of Gauss and Laguerre's rule."""
    if deg <= 0:
        raise ValueError("deg must be a positive integer")
    m = np.zeros((deg, deg))
    for k in range(deg):
        m[k, k] = 2.0 * k + 1.0
    for k in range(deg - 1):
        m[k, k + 1] = m[k + 1, k] = -(k + 1.0)
    x = np.linalg.eigvalsh(m)
    c = np.zeros(deg + 1)
    c[deg] = 1
    d = np.full(deg, -1.0)  # the derivative's coefficients
    df = polynomial_laguerre_lagval(x, d)
    x = x - polynomial_laguerre_lagval(x, c) / df
    fm = polynomial_laguerre_lagval(x, c[1:])
    fm = fm / np.abs(fm).max()
    df = df / np.abs(df).max()
    w = 1 / (fm * df)
    return x, w / w.sum()


# --- from the highest power on --------------------------------------------------------------


def poly(seq_of_zeros):
    """The polynomial with these roots, or the characteristic one of a matrix."""
    a = np.atleast_1d(seq_of_zeros)
    if a.ndim == 2:
        static_fail("np.poly of a matrix is not supported: give np.linalg.eigvals of it")
    elif a.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    else:
        x = a if a.dtype.kind in ("f", "c") else a.astype(np.float64)
        r = np.ones(1, x.dtype)
        for i in range(x.size):
            s = np.zeros(r.size + 1, x.dtype)
            s[:-1] = r
            s[1:] -= r * x[i]
            r = s
        return r


def polyint(p, m=1, k=None):
    """The integral, m times, with constants k."""
    a = np.asarray(p)
    if isinstance(m, (int, np.integer)) and m == 0:
        return a
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    first = np.zeros(1) if k is None else np.atleast_1d(k) * np.float64(1)
    x = (a * np.float64(1)).astype(np.add(np.ravel(a)[:0], first[:0]).dtype)
    constants = np.zeros(m, x.dtype)
    if k is not None:
        given = np.atleast_1d(k)
        if given.size == 1 and m > 1:
            constants[:] = given[0]
        elif given.size < m:
            raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
        else:
            constants[:] = given[:m]
    for i in range(m):
        n = x.size
        r = np.empty(n + 1, x.dtype)
        r[:n] = x / np.arange(n, 0, -1)
        r[n] = constants[i]
        x = r
    return x


def polydiv(u, v):
    """Quotient and remainder of two polynomials."""
    a, b = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    if a.size == 0 or b.size == 0:
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    r = np.zeros(a.size, np.add(a[:0], b[:0]).dtype)
    r[:] = a
    m, n = a.size - 1, b.size - 1
    q = np.zeros(max(m - n + 1, 1), r.dtype)
    scale = 1.0 / b[0]
    for k in range(m - n + 1):
        d = scale * r[k]
        q[k] = d
        r[k : k + n + 1] -= d * b
    at = 0
    while at < r.size - 1 and abs(r[at]) <= 1e-8:
        at += 1
    return q, r[at:]
