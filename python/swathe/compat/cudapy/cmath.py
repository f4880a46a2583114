# SPDX-License-Identifier: BSD-3-Clause
"""C's and CUDA's functions on numbers that neither NumPy nor swathe.gpu has.

They are compiled into the kernels that call them, compute in double precision, and return a float
of the argument's own width. No argument is an error: outside of a domain they return NaN.
"""

from __future__ import annotations

import math

import numpy as np

from swathe import gpu


def like(r, x):
    """Return r as a float of the width of x."""
    if isinstance(x, np.float32):
        return np.float32(r)
    return np.float64(r)


def erf(x):
    return like(math.erf(np.float64(x)), x)


def erfc(x):
    return like(math.erfc(np.float64(x)), x)


def rsqrt(x):
    return like(gpu.rsqrt(np.float64(x)), x)


def rcbrt(x):
    return like(1.0 / np.cbrt(np.float64(x)), x)


def fma(x, y, z):
    return gpu.fma(x, y, z)


def tgamma(x):
    v = np.float64(x)
    r = v
    if v != v:
        r = v
    elif v == 0.0:
        r = np.copysign(np.float64(np.inf), v)
    elif v < 0.0 and np.floor(v) == v:
        r = np.float64(np.nan)
    elif v > 171.7:
        r = np.float64(np.inf)
    elif v < -200.0:
        r = np.float64(0.0)
    else:
        r = np.float64(math.gamma(v))
    return like(r, x)


def lgamma(x):
    v = np.abs(np.float64(x)) if np.isinf(np.float64(x)) else np.float64(x)
    if np.isinf(v) or (v <= 0.0 and np.floor(v) == v):
        return like(np.float64(np.inf), x)
    if v > 2.5e305:
        return like(np.float64(np.inf), x)
    return like(math.lgamma(v), x)


def exp10(x):
    return like(np.power(np.float64(10.0), np.float64(x)), x)


def sinpi(x):
    r = np.fmod(np.float64(x), 2.0)
    if r == np.floor(r):
        return like(0.0 * np.float64(x), x)
    return like(np.sin(np.pi * r), x)


def cospi(x):
    r = np.abs(np.fmod(np.float64(x), 2.0))
    if r == 0.5 or r == 1.5:
        return like(np.float64(0.0), x)
    return like(np.cos(np.pi * r), x)


def fdim(x, y):
    d = x - y
    return d if d > 0 or d != d else d * 0


def fdivide(x, y):
    return np.divide(x, y)


def pow(x, y):
    if isinstance(x, np.float32) and isinstance(y, np.float32):
        return np.power(x, y)
    return np.power(np.float64(x), np.float64(y))


def remainder(x, y):
    a, b = np.float64(x), np.float64(y)
    if np.isinf(a) or b == 0.0 or a != a or b != b:
        return like(np.float64(np.nan), x)
    if np.isinf(b):
        return like(a, x)
    return like(math.remainder(a, b), x)


def round(x):
    v = np.trunc(x)
    return v + np.copysign(v * 0 + 1, x) if np.abs(x - v) >= 0.5 else v


def lround(x):
    return np.int64(round(np.float64(x)))


def lrint(x):
    return np.int64(np.rint(np.float64(x)))


def logb(x):
    v = np.abs(np.float64(x))
    if v == 0.0:
        return like(np.float64(-np.inf), x)
    if v != v or np.isinf(v):
        return like(v, x)
    m, e = np.frexp(v)
    return like(np.float64(e - 1), x)


def ilogb(x):
    v = np.abs(np.float64(x))
    if v == 0.0 or v != v:
        return np.int32(-2147483648)
    if np.isinf(v):
        return np.int32(2147483647)
    m, e = np.frexp(v)
    return np.int32(e - 1)


def scalbn(x, n):
    return np.ldexp(x, np.int32(n))


def rhypot(x, y):
    return 1.0 / np.hypot(x, y)


def norm3d(x, y, z):
    return np.hypot(np.hypot(x, y), z)


def norm4d(x, y, z, w):
    return np.hypot(np.hypot(x, y), np.hypot(z, w))


def rnorm3d(x, y, z):
    return 1.0 / norm3d(x, y, z)


def rnorm4d(x, y, z, w):
    return 1.0 / norm4d(x, y, z, w)


def normcdf(x):
    return like(0.5 * math.erfc(-np.float64(x) * np.sqrt(0.5)), x)


def sincos(x):
    return np.sin(x), np.cos(x)


def sincospi(x):
    return sinpi(x), cospi(x)


def erfcx(x):
    v = np.float64(x)
    if v > 25.0:  # a continued fraction, from its end
        r = v
        for k in range(20, 0, -1):
            r = v + 0.5 * k / r
        return like(1.0 / (r * np.sqrt(np.pi)), x)
    sq = v * v
    low = gpu.fma(v, v, -sq)
    return like(np.exp(sq) * (1.0 + low) * math.erfc(v), x)


def _erfc_inverse(q):
    """Return x with erfc(x) = q for 0 < q <= 1: an estimate, and Halley's steps in erfc."""
    t = np.sqrt(-2.0 * np.log(0.5 * q))
    r = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (
        1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    )
    r = r * np.sqrt(0.5)
    for _ in range(3):
        e = math.erfc(r) - q
        slope = -2.0 / np.sqrt(np.pi) * np.exp(-r * r)
        step = np.divide(e, slope)
        r = r - step / (1.0 + r * step)
    return r


def erfcinv(x):
    q = np.float64(x)
    if q == 0.0:
        return like(np.float64(np.inf), x)
    if q == 2.0:
        return like(np.float64(-np.inf), x)
    if not (q > 0.0 and q < 2.0):
        return like(np.float64(np.nan), x)
    if q > 0.5 and q < 1.5:
        return like(_erf_inverse(1.0 - q), x)
    return like(_erfc_inverse(q) if q <= 1.0 else -_erfc_inverse(2.0 - q), x)


def _erf_inverse(p):
    """Return x with erf(x) = p for |p| <= 0.5: an estimate, and Halley's steps in erf."""
    r = p * (0.8862269254527580 + p * p * 0.2320136665346544)
    for _ in range(4):
        step = np.divide(math.erf(r) - p, 2.0 / np.sqrt(np.pi) * np.exp(-r * r))
        r = r - step / (1.0 + r * step)
    return r


def erfinv(x):
    p = np.float64(x)
    if p == 1.0:
        return like(np.float64(np.inf), x)
    if p == -1.0:
        return like(np.float64(-np.inf), x)
    if not (p > -1.0 and p < 1.0):
        return like(np.float64(np.nan), x)
    if np.abs(p) <= 0.5:
        return like(_erf_inverse(p), x)
    r = _erfc_inverse(1.0 - np.abs(p))
    return like(np.copysign(r, p), x)


def normcdfinv(x):
    return like(-np.sqrt(2.0) * erfcinv(2.0 * np.float64(x)), x)


# ---- Bessel functions --------------------------------------------------------------------
# Up to |x| = 30 by Miller's recurrence, run downwards from an order where J is nothing and scaled
# so that J0 + 2 J2 + 2 J4 + ... = 1; Y by Neumann's series over the same J. Beyond, Hankel's
# asymptotic expansion, whose smallest term is then below 1e-25.


def _bessel(n, x):
    """Return J0, J1, Jn, Y0, Y1 at 0 < x <= 30."""
    above, here = np.float64(0.0), np.float64(1e-300)
    total, y0, y1 = np.float64(0.0), np.float64(0.0), np.float64(0.0)
    j1, jn = np.float64(0.0), np.float64(0.0)
    start = 90 if n < 60 else (n + 40) // 2 * 2
    for k in range(start, 0, -1):  # here is J_k up to a factor
        if k == n:
            jn = here
        half = k // 2
        sign = np.float64(-1.0) if half % 2 else np.float64(1.0)
        if k % 2 == 0:
            total += 2.0 * here
            y0 += sign * here / half
        elif k > 1:
            y1 += sign * here * k / (half * (half + 1.0))
        else:
            j1 = here
        below = 2.0 * k / x * here - above
        above, here = here, below
        if np.abs(here) > 1e200:
            above, here, total = above * 1e-200, here * 1e-200, total * 1e-200
            y0, y1, j1, jn = y0 * 1e-200, y1 * 1e-200, j1 * 1e-200, jn * 1e-200
    scale = 1.0 / (total + here)
    j0, j1, jn = here * scale, j1 * scale, (here if n == 0 else jn) * scale
    log = np.log(0.5 * x) + 0.57721566490153286061
    y0 = 2.0 / np.pi * (log * j0 - 2.0 * y0 * scale)
    y1 = 2.0 / np.pi * ((log - 1.0) * j1 - j0 / x - y1 * scale)
    return j0, j1, jn, y0, y1


def _hankel(n, x, second):
    """Return Jn, or Yn where `second`, for x > 30 and n of 0 or 1."""
    mu = 4.0 * n * n
    p, q, term = np.float64(1.0), np.float64(0.0), np.float64(1.0)
    for k in range(1, 22):
        odd = 2.0 * k - 1.0
        term = term * (mu - odd * odd) / (k * 8.0 * x)
        if k % 2 == 1:
            q += term if k % 4 == 1 else -term
        else:
            p += term if k % 4 == 0 else -term
    s, c = np.sin(x), np.cos(x)
    at = np.sqrt(0.5)
    if n == 0:
        cos, sin = (c + s) * at, (s - c) * at
    else:
        cos, sin = (s - c) * at, -(s + c) * at
    r = p * sin + q * cos if second else p * cos - q * sin
    return r * np.sqrt(2.0 / (np.pi * x))


def _first(n, x):
    """Return J0 or J1."""
    v = np.abs(x)
    r = np.float64(0.0)
    if v != v:
        r = v
    elif v < 1e-8:
        r = np.float64(1.0) if n == 0 else 0.5 * v
    elif v <= 30.0:
        both = _bessel(0, v)
        r = both[0] if n == 0 else both[1]
    elif not np.isinf(v):
        r = _hankel(n, v, False)
    return -r if n == 1 and x < 0.0 else r


def _second(n, x):
    """Return Y0 or Y1."""
    if x < 0.0 or x != x:
        return np.float64(np.nan)
    if x == 0.0:
        return np.float64(-np.inf)
    if np.isinf(x):
        return np.float64(0.0)
    if x > 30.0:
        return _hankel(n, x, True)
    if x < 1e-8:
        if n == 1:
            return -2.0 / (np.pi * x)
        return 2.0 / np.pi * (np.log(0.5 * x) + 0.57721566490153286061)
    both = _bessel(0, x)
    return both[3] if n == 0 else both[4]


def j0(x):
    return like(_first(0, np.float64(x)), x)


def j1(x):
    return like(_first(1, np.float64(x)), x)


def y0(x):
    return like(_second(0, np.float64(x)), x)


def y1(x):
    return like(_second(1, np.float64(x)), x)


def jn(n, x):
    v = np.float64(x)
    if n < 0 or v != v:
        return like(np.float64(np.nan), x)
    a = np.abs(v)
    r = np.float64(0.0)
    if n < 2:
        r = _first(n, a)
    elif a < 1e-8 or np.isinf(a):
        r = np.float64(0.0)
    elif a <= 30.0:
        r = _bessel(n, a)[2]
    elif n <= a:  # upwards, which is stable there
        low, r = _hankel(0, a, False), _hankel(1, a, False)
        for k in range(1, n):
            low, r = r, 2.0 * k / a * r - low
    else:
        r = _downwards(n, a)
    return like(-r if n % 2 and v < 0.0 else r, x)


def _downwards(n, x):
    """Return Jn for x > 30 and n > x: downwards to J0 and J1, whose larger one sets the scale."""
    above, here, r = np.float64(0.0), np.float64(1e-300), np.float64(0.0)
    for k in range(n + 40 + np.int64(np.sqrt(60.0 * n)), 0, -1):
        if k == n:
            r = here
        above, here = here, 2.0 * k / x * here - above
        if np.abs(here) > 1e200:
            above, here, r = above * 1e-200, here * 1e-200, r * 1e-200
    if np.abs(here) > np.abs(above):
        return r / here * _hankel(0, x, False)
    return r / above * _hankel(1, x, False)


def yn(n, x):
    v = np.float64(x)
    if n < 0:
        return like(np.float64(np.nan), x)
    low, r = _second(0, v), _second(1, v)
    if n == 0:
        return like(low, x)
    if v > 0.0:
        for k in range(1, n):
            if np.isinf(r):
                break
            low, r = r, 2.0 * k / v * r - low
    return like(r, x)


def _modified(n, x):
    """Return I0 or I1: a series without a sign that changes, or its asymptotic one."""
    v = np.abs(x)
    r = np.float64(0.0)
    if v <= 40.0:
        term = np.float64(1.0) if n == 0 else 0.5 * v
        for k in range(1, 90):
            r += term
            term = term * (0.25 * v * v) / (k * (k + n))
    else:
        term = np.float64(1.0)
        for k in range(1, 25):
            r += term
            odd = 2.0 * k - 1.0
            term = term * (odd * odd - 4.0 * n * n) / (k * 8.0 * v)
        half = np.exp(0.5 * v)
        r = r / np.sqrt(2.0 * np.pi * v) * half * half
    return -r if n == 1 and x < 0.0 else r


def cyl_bessel_i0(x):
    return like(_modified(0, np.float64(x)), x)


def cyl_bessel_i1(x):
    return like(_modified(1, np.float64(x)), x)
