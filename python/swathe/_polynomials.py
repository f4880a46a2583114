# SPDX-License-Identifier: BSD-3-Clause
"""np.poly1d and np.polynomial.Polynomial in compiled code: classes of ours with their methods.
Functions stand for NumPy's classes."""

# ruff: noqa: D102, D105, D107, A002, N802

from dataclasses import dataclass

import numpy as np

from swathe import complex128, float64, int64, static_backend_eq, static_fail

_P = np.polynomial.polynomial


class _Poly1d:
    """A polynomial of one variable, the highest coefficient first."""

    @property
    def c(self):
        return self.coeffs

    @property
    def coef(self):
        return self.coeffs

    @property
    def coefficients(self):
        return self.coeffs

    @property
    def order(self):
        return len(self.coeffs) - 1

    @property
    def o(self):
        return len(self.coeffs) - 1

    @property
    def r(self):
        return np.roots(self.coeffs)

    @property
    def roots(self):
        return np.roots(self.coeffs)

    def __len__(self):
        return len(self.coeffs) - 1

    def __call__(self, val):
        if isinstance(val, _Poly1d):
            x = val.coeffs
            r = (self.coeffs[:1] + x[:1]) * 0
            for k in range(len(self.coeffs)):
                r = np.polyadd(np.polymul(r, x), self.coeffs[k])
            return _poly1d(r)
        else:
            return np.polyval(self.coeffs, val)

    def __getitem__(self, val):
        n = len(self.coeffs) - 1
        return self.coeffs[n - val] if 0 <= val <= n else self.coeffs.dtype.type(0)

    def __setitem__(self, key, val):
        n = len(self.coeffs) - 1
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > n:
            self.coeffs = np.concatenate((np.zeros(key - n, self.coeffs.dtype), self.coeffs))
            n = key
        self.coeffs[n - key] = val

    def __neg__(self):
        return _poly1d(-self.coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return _poly1d(np.polyadd(self.coeffs, _coeffs(other)))

    def __radd__(self, other):
        return _poly1d(np.polyadd(self.coeffs, _coeffs(other)))

    def __sub__(self, other):
        return _poly1d(np.polysub(self.coeffs, _coeffs(other)))

    def __rsub__(self, other):
        return _poly1d(np.polysub(_coeffs(other), self.coeffs))

    def __mul__(self, other):
        if isinstance(other, _Poly1d):
            return _poly1d(np.polymul(self.coeffs, other.coeffs))
        elif np.isscalar(other):
            return _poly1d(self.coeffs * other)
        else:
            return _poly1d(np.polymul(self.coeffs, _coeffs(other)))

    def __rmul__(self, other):
        if np.isscalar(other):
            return _poly1d(other * self.coeffs)
        else:
            return _poly1d(np.polymul(_coeffs(other), self.coeffs))

    def __truediv__(self, other):
        if isinstance(other, _Poly1d):
            q, r = np.polydiv(self.coeffs, other.coeffs)
            return _poly1d(q), _poly1d(r)
        elif np.isscalar(other):
            return _poly1d(self.coeffs / other)
        else:
            q, r = np.polydiv(self.coeffs, _coeffs(other))
            return _poly1d(q), _poly1d(r)

    def __rtruediv__(self, other):
        if np.isscalar(other):
            return _poly1d(other / self.coeffs)
        else:
            q, r = np.polydiv(_coeffs(other), self.coeffs)
            return _poly1d(q), _poly1d(r)

    def __pow__(self, val):
        if not isinstance(val, int):
            static_fail("a poly1d is raised to powers that are ints")
        elif val < 0:
            raise ValueError("Power to non-negative integers only.")
        else:
            r = self.coeffs[:1] * 0 + 1
            for _ in range(val):
                r = np.polymul(self.coeffs, r)
            return _poly1d(r)

    def __eq__(self, other):
        if not isinstance(other, _Poly1d):
            static_fail("a poly1d is compared with another one in compiled code")
        else:
            return np.array_equal(self.coeffs, other.coeffs)

    def __str__(self):
        if static_backend_eq("cpu"):
            static_fail("the text of a poly1d is not supported in compiled code: print its coeffs")
        else:
            return str(np.poly1d(self.coeffs))

    def __repr__(self):
        if static_backend_eq("cpu"):
            static_fail("the text of a poly1d is not supported in compiled code: print its coeffs")
        else:
            return repr(np.poly1d(self.coeffs))

    def deriv(self, m=1):
        return _poly1d(np.polyder(self.coeffs, m))

    def integ(self, m=1, k=0):
        return _poly1d(np.polyint(self.coeffs, m, k))


@dataclass(eq=False, repr=False)
class Poly1dOfInts(_Poly1d):
    """With coefficients of int64."""

    coeffs: int64[::1]


@dataclass(eq=False, repr=False)
class Poly1dOfFloats(_Poly1d):
    """With coefficients of float64."""

    coeffs: float64[::1]


@dataclass(eq=False, repr=False)
class Poly1dOfComplex(_Poly1d):
    """With coefficients of complex128."""

    coeffs: complex128[::1]


def _coeffs(x):
    if isinstance(x, _Poly1d):
        return x.coeffs
    else:
        return _without_zeros(np.atleast_1d(x))


def _without_zeros(c):
    if c.ndim != 1:
        raise ValueError("Polynomial must be 1d only.")
    else:
        k = 0
        while k < len(c) and c[k] == 0:
            k += 1
        return np.ascontiguousarray(c[k:]) if k < len(c) else np.zeros(1, c.dtype)


def _poly1d(coeffs):
    c = _without_zeros(coeffs)
    if c.dtype == np.int64:
        return Poly1dOfInts(c)
    elif c.dtype == np.float64:
        return Poly1dOfFloats(c)
    elif c.dtype == np.complex128:
        return Poly1dOfComplex(c)
    else:
        static_fail("the coefficients of a poly1d are int64, float64 or complex128")


def poly1d(c_or_r, r=False, variable=None):
    """Stands for np.poly1d; in what letter it is shown is of no matter."""
    if isinstance(c_or_r, _Poly1d):
        return _poly1d(c_or_r.coeffs)
    elif r:
        return _poly1d(np.poly(c_or_r))
    else:
        return _poly1d(np.atleast_1d(c_or_r))


# ---- np.polynomial.Polynomial ----------------------------------------------------------------


class _Power:
    """A polynomial, the constant first, of what a domain becomes where it is mapped to a window."""

    def __call__(self, arg):
        off, scale = self.mapparms()
        if isinstance(arg, (list, tuple)):
            return _P.polyval(off + scale * np.asarray(arg), self.coef)
        elif isinstance(arg, _Power):
            static_fail("a Polynomial at a Polynomial is not supported in compiled code")
        else:
            return _P.polyval(off + scale * arg, self.coef)

    def __len__(self):
        return len(self.coef)

    def degree(self):
        return len(self.coef) - 1

    def mapparms(self):
        return _mapping(self.domain, self.window)

    def copy(self):
        return _like(self, self.coef.copy())

    def cutdeg(self, deg):
        return self.truncate(deg + 1)

    def truncate(self, size):
        if size < 1:
            raise ValueError("size must be a positive integer")
        return _like(self, self.coef[:size].copy())

    def trim(self, tol=0):
        if tol < 0:
            raise ValueError("tol must be non-negative")
        n = len(self.coef)
        while n > 1 and abs(self.coef[n - 1]) <= tol:
            n -= 1
        return _like(
            self, self.coef[:n].copy() if abs(self.coef[n - 1]) > tol else self.coef[:1] * 0
        )

    def convert(self):
        off, scale = self.mapparms()
        line = np.array([off, scale])
        n = len(self.coef)
        r = self.coef[n - 1 :].copy()
        for k in range(n - 2, -1, -1):
            r = _P.polyadd(self.coef[k : k + 1], _P.polymul(r, line))
        return Polynomial(r)

    def deriv(self, m=1):
        return _like(self, _P.polyder(self.coef, m, self.mapparms()[1]))

    def integ(self, m=1, k=(), lbnd=None):
        off, scale = self.mapparms()
        low = 0.0 if lbnd is None else off + scale * lbnd
        return _like(self, _P.polyint(self.coef, m, k, low, 1.0 / scale))

    def roots(self):
        off, scale = _mapping(self.window, self.domain)
        return off + scale * _P.polyroots(self.coef)

    def linspace(self, n=100, domain=None):
        d = self.domain if domain is None else np.asarray(domain)
        x = np.linspace(d[0], d[1], n)
        return x, self(x)

    def __neg__(self):
        return _like(self, -self.coef)

    def __pos__(self):
        return self

    def __add__(self, other):
        return _like(self, _P.polyadd(self.coef, _coef_of(self, other)))

    def __radd__(self, other):
        return _like(self, _P.polyadd(_coef_of(self, other), self.coef))

    def __sub__(self, other):
        return _like(self, _P.polysub(self.coef, _coef_of(self, other)))

    def __rsub__(self, other):
        return _like(self, _P.polysub(_coef_of(self, other), self.coef))

    def __mul__(self, other):
        return _like(self, _P.polymul(self.coef, _coef_of(self, other)))

    def __rmul__(self, other):
        return _like(self, _P.polymul(_coef_of(self, other), self.coef))

    def __truediv__(self, other):
        if isinstance(other, _Power) or not np.isscalar(other):
            static_fail("a Polynomial is divided by a number; by another one by //, % or divmod")
        else:
            return self // other

    def __floordiv__(self, other):
        return _like(self, _P.polydiv(self.coef, _coef_of(self, other))[0])

    def __mod__(self, other):
        return _like(self, _P.polydiv(self.coef, _coef_of(self, other))[1])

    def __divmod__(self, other):
        q, r = _P.polydiv(self.coef, _coef_of(self, other))
        return _like(self, q), _like(self, r)

    def __pow__(self, other):
        return _like(self, _P.polypow(self.coef, other, 100))

    def __eq__(self, other):
        if not isinstance(other, _Power):
            static_fail("a Polynomial is compared with another one in compiled code")
        else:
            same = np.array_equal(self.domain, other.domain)
            return (
                same
                and np.array_equal(self.window, other.window)
                and np.array_equal(self.coef, other.coef)
            )

    def __str__(self):
        if static_backend_eq("cpu"):
            static_fail(
                "the text of a Polynomial is not supported in compiled code: print its coef"
            )
        else:
            return str(np.polynomial.Polynomial(self.coef, self.domain, self.window))

    def __repr__(self):
        if static_backend_eq("cpu"):
            static_fail(
                "the text of a Polynomial is not supported in compiled code: print its coef"
            )
        else:
            return repr(np.polynomial.Polynomial(self.coef, self.domain, self.window))


@dataclass(eq=False, repr=False)
class PowersOfFloats(_Power):
    """With coefficients of float64."""

    coef: float64[::1]
    domain: float64[::1]
    window: float64[::1]


@dataclass(eq=False, repr=False)
class PowersOfComplex(_Power):
    """With coefficients of complex128."""

    coef: complex128[::1]
    domain: float64[::1]
    window: float64[::1]


def _mapping(old, new):
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length


def _ends(pair, none=False):
    """none: one without elements stands for the usual one."""
    if pair is None:
        return np.array([-1.0, 1.0])
    else:
        p = np.asarray(pair)
        if none and p.size == 0:
            return np.array([-1.0, 1.0])
        if p.ndim != 1 or p.size != 2:
            raise ValueError("Domain has wrong number of elements.")
        return p.astype(np.float64)


def _like(p, coef):
    return _power(coef, p.domain, p.window)


def _power(coef, domain, window):
    c = np.ascontiguousarray(coef)
    if c.dtype == np.float64:
        return PowersOfFloats(c, domain, window)
    elif c.dtype == np.complex128:
        return PowersOfComplex(c, domain, window)
    else:
        static_fail("the coefficients of a Polynomial are float64 or complex128")


def _coef_of(p, other):
    if isinstance(other, _Power):
        if not np.array_equal(p.domain, other.domain):
            raise TypeError("Domains differ")
        if not np.array_equal(p.window, other.window):
            raise TypeError("Windows differ")
        return other.coef
    else:
        return np.atleast_1d(other)


def Polynomial(coef, domain=None, window=None, symbol="x"):
    """Stands for np.polynomial.Polynomial; by what name it is shown is of no matter."""
    c = np.atleast_1d(coef)
    if c.ndim != 1:
        raise ValueError("Coefficient array is not 1-d")
    if c.size == 0:
        raise ValueError("Coefficient array is empty")
    kind = c.dtype.kind
    if kind == "f" or kind == "c":
        return _power(c.copy(), _ends(domain), _ends(window))
    else:
        return _power(c.astype(np.float64), _ends(domain), _ends(window))


def polynomial_fit(x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
    """Stands for Polynomial.fit."""
    if full:
        static_fail("full=True of Polynomial.fit is not supported in compiled code")
    else:
        at = np.asarray(x).astype(np.float64)
        if domain is None:
            low, high = at.min(), at.max()
            ends = np.array([low - 1, high + 1]) if low == high else np.array([low, high])
        else:
            ends = _ends(domain, True)
        inside = _ends(window)
        off, scale = _mapping(ends, inside)
        coef = _P.polyfit(off + scale * at, y, deg, rcond, w=w)
        return _power(coef, ends, inside)


def polynomial_fromroots(roots, domain=(), window=None, symbol="x"):
    """Stands for Polynomial.fromroots."""
    r = np.asarray(roots) * 1.0
    ends = np.array([r.min(), r.max()]) if domain is None else _ends(domain, True)
    inside = _ends(window)
    off, scale = _mapping(ends, inside)
    return _power(_P.polyfromroots(off + scale * r) / scale ** len(r), ends, inside)


def polynomial_basis(deg, domain=None, window=None, symbol="x"):
    """Stands for Polynomial.basis."""
    if deg < 0:
        raise ValueError("deg must be non-negative integer")
    c = np.zeros(deg + 1)
    c[deg] = 1
    return _power(c, _ends(domain), _ends(window))


def polynomial_identity(domain=None, window=None, symbol="x"):
    """Stands for Polynomial.identity."""
    ends, inside = _ends(domain), _ends(window)
    off, scale = _mapping(inside, ends)
    return _power(np.array([off, scale]), ends, inside)
