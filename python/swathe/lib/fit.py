# SPDX-License-Identifier: BSD-3-Clause
"""Polynomials by linear algebra: fitted to points, and their roots."""

import numpy as np


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Coefficients, from the highest power on, of the polynomial that comes nearest to points; with
    full=True what np.linalg.lstsq says, too; with cov=True their covariances."""
    a = np.asarray(x) + 0.0
    b = np.asarray(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if a.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if a.size == 0:
        raise TypeError("expected non-empty vector for x")
    if b.ndim < 1 or b.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if a.shape[0] != b.shape[0]:
        raise TypeError("expected x and y to have same length")
    single = a.dtype == np.float32 or a.dtype == np.complex64
    if rcond is not None:
        least = rcond
    elif single:
        least = a.size * np.float32(1.1920928955078125e-07)
    else:
        least = a.size * np.float64(2.220446049250313e-16)
    left = np.vander(a, int(deg) + 1)
    if w is not None:
        v = np.asarray(w) + 0.0
        if v.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if v.shape[0] != b.shape[0]:
            raise TypeError("expected w and y to have the same length")
        left = left * v[:, None]
        right = b * v[:, None] if b.ndim == 2 else b * v
    else:
        right = b
    scale = np.sqrt(np.sum(left * left, axis=0))
    left = left / scale
    c, resids, rank, s = np.linalg.lstsq(left, right, least)
    c = (c.T / scale).T
    if full:
        return c, resids, rank, s, least
    elif cov:
        return c, _covariances(left, right, scale, resids, b.ndim, cov)
    else:
        return c


def _covariances(left, right, scale, resids, ndim, cov):
    v = np.linalg.inv(np.dot(left.T, left)) / np.outer(scale, scale)
    if isinstance(cov, str) and cov == "unscaled":
        return v if ndim == 1 else v[:, :, None] * np.ones(right.shape[1:])
    n, order = left.shape
    if n <= order:
        raise ValueError(
            "the number of data points must exceed order to scale the covariance matrix"
        )
    factor = resids / (n - order)
    return v * factor if ndim == 1 else v[:, :, None] * factor


def roots(p):
    """Roots of a polynomial, whose coefficients come from the highest power on: complex, whatever
    they are."""
    v = np.atleast_1d(p)
    if v.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    c = v * 1.0 if v.dtype.kind != "f" and v.dtype.kind != "c" else v
    at = np.nonzero(c)[0]
    single = c.dtype == np.float32 or c.dtype == np.complex64
    if at.size == 0:
        return np.zeros(0, np.complex64 if single else np.complex128)
    first, last = at[0], at[at.size - 1]
    n = last - first
    r = np.zeros(c.size - 1 - first, np.complex64 if single else np.complex128)
    if n > 0:
        m = np.zeros((n, n), c.dtype)
        for i in range(n - 1):
            m[i + 1, i] = 1
        m[0] = -c[first + 1 : last + 1] / c[first]
        r[:n] = np.linalg.eigvals(m)
    return r
