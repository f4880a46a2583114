# SPDX-License-Identifier: BSD-3-Clause
"""Distributions of random numbers, in NumPy's streams: of the thread, where `state` is None, and of
a Generator. Parameters may be arrays, which are broadcast."""

import numpy as np

from swathe import _kernels
from swathe.lib.broadcast import _joint
from swathe.lib.shapes import _check_cast


def _doubles(x):
    """An array of parameters as float64; TypeError where that is not safe, as of complex ones."""
    a = np.asarray(x)
    _check_cast(a, np.empty(0), "safe")
    return a.astype(np.float64)


def _row(x, shape, n):
    """A parameter for each number, in C order."""
    if np.ndim(x) == 0:
        return np.broadcast_to(np.float64(x), (n,))
    else:
        return np.broadcast_to(_doubles(x), shape).reshape(-1)


def _check_shape(given, shape):
    """Raise ValueError unless parameters of a shape can be broadcast to it."""
    np.broadcast_to(np.broadcast_to(np.zeros(()), given), shape)


def _real_array(state, dist, shape, a, b, c):
    r = np.empty(shape)
    flat = r.reshape(-1)
    n = flat.size
    x, y, z = _row(a, r.shape, n), _row(b, r.shape, n), _row(c, r.shape, n)
    if state is None:
        _kernels.mt_dist(flat, x, y, z, dist)
    else:
        _kernels.gen_dist(flat, state, x, y, z, dist)
    return r


def _real_draws(state, dist, size, a, b, c):
    """Numbers of a distribution of core/kernel/lib/draw.c."""
    if size is None:
        shape = _joint((a, b, c))
        if len(shape) == 0:
            return float(_real_array(state, dist, 1, a, b, c)[0])
        else:
            return _real_array(state, dist, shape, a, b, c)
    else:
        return _real_array(state, dist, size, a, b, c)


def _count_array(state, dist, shape, a, b, c):
    r = np.empty(shape, np.int64)
    flat = r.reshape(-1)
    n = flat.size
    x, y, z = _row(a, r.shape, n), _row(b, r.shape, n), _row(c, r.shape, n)
    if state is None:
        _kernels.mt_count(flat, x, y, z, dist)
    else:
        _kernels.gen_count(flat, state, x, y, z, dist)
    return r


def _count_draws(state, dist, size, a, b, c):
    """Whole numbers of a distribution of core/kernel/lib/draw.c."""
    if size is None:
        shape = _joint((a, b, c))
        if len(shape) == 0:
            return int(_count_array(state, dist, 1, a, b, c)[0])
        else:
            return _count_array(state, dist, shape, a, b, c)
    else:
        return _count_array(state, dist, size, a, b, c)


# --- what parameters may be -----------------------------------------------------------------


def _check_not_negative(x, name):
    if np.any(np.signbit(np.asarray(x) * 1.0) & (np.asarray(x) == x)):
        raise ValueError(f"{name} < 0")


def _check_positive(x, name):
    if np.any(np.asarray(x) <= 0):  # NaN passes, of which NaN is drawn
        raise ValueError(f"{name} <= 0")


_NANS = ("is NaN", "contains NaNs")


def _check_share(p):
    if not np.all((np.asarray(p) >= 0) & (np.asarray(p) <= 1)):
        raise ValueError(f"p < 0, p > 1 or p {_NANS[np.ndim(p) > 0]}")


def _check_some_share(p):
    if not np.all((np.asarray(p) > 0) & (np.asarray(p) <= 1)):
        raise ValueError("p <= 0, p > 1 or p contains NaNs")


def _check_below_one(p):
    if not np.all((np.asarray(p) >= 0) & (np.asarray(p) < 1)):
        raise ValueError(f"p < 0, p >= 1 or p {_NANS[np.ndim(p) > 0]}")


def _check_above_one(a):
    if not np.all(np.asarray(a) > 1):
        raise ValueError("a <= 1 or a is NaN")


def _check_triangle(left, mode, right):
    if np.any(np.greater(left, mode)):
        raise ValueError("left > mode")
    if np.any(np.greater(mode, right)):
        raise ValueError("mode > right")
    if np.any(np.equal(left, right)):
        raise ValueError("left == right")


def _check_sample(good, bad, sample):
    if np.any(np.less(np.add(good, bad), sample)):
        raise ValueError("ngood + nbad < nsample")


# --- several numbers at once ----------------------------------------------------------------


def _with_last(size, n):
    """The shape of vectors of n numbers."""
    if size is None:
        return (n,)
    elif isinstance(size, tuple):
        return (*size, n)
    else:
        return (size, n)


def _check_pvals(p):
    if p.ndim != 1:
        raise ValueError("pvals must be a vector in compiled code")
    total = 0.0
    for k in range(p.size - 1):
        total += p[k]
    for v in p:
        if not (v >= 0 and v <= 1):
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    if total > 1.0 + 1e-12:
        raise ValueError("sum(pvals[:-1]) > 1.0")


def _multinomial(state, n, pvals, size):
    p = _doubles(pvals)
    if state is not None and (np.ndim(n) > 0 or p.ndim > 1):
        return _multinomials(state, np.asarray(n), p, size)
    _check_pvals(p)
    if n < 0:
        raise ValueError("n < 0")
    r = np.zeros(_with_last(size, p.size), np.int64)
    flat = r.reshape((r.size // max(p.size, 1), p.size))
    for i in range(flat.shape[0]):
        _multinomial_row(state, int(n), p, flat[i])
    return r


def _multinomials(state, n, p, size):
    """Rows for each n and row of p, which are broadcast."""
    _check_cast(n, np.empty(0, np.int64), "safe")
    _check_not_negative(n, "n")
    if p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError(
            "pvals must have at least 1 dimension and the last dimension of pvals must be "
            "greater than 0."
        )
    d = p.shape[-1]
    each = p.reshape((p.size // d, d))
    for i in range(len(each)):
        _check_pvals(each[i])
    joint = _joint((n, p[..., 0]))
    shape = _with_last(joint if size is None else size, d)
    r = np.zeros(shape, np.int64)
    if r.shape[:-1] != np.broadcast_shapes(joint, r.shape[:-1]):
        raise ValueError("Output size is not compatible with broadcast dimensions of inputs")
    flat = r.reshape((r.size // d, d))
    counts = np.broadcast_to(n, r.shape[:-1]).reshape(-1)
    rows = np.broadcast_to(p, r.shape).reshape((r.size // d, d))
    for i in range(len(flat)):
        _multinomial_row(state, int(counts[i]), rows[i], flat[i])
    return r


def _multinomial_row(state, n, p, r):
    left = 1.0
    for j in range(p.size - 1):
        k = _count_draws(state, 7, None, n, p[j] / left, 0.0)
        r[j] = k
        n -= k
        if n <= 0:
            break
        left -= p[j]
    if n > 0:
        r[p.size - 1] = n


def _dirichlet(state, alpha, size):
    a = _doubles(alpha)
    if a.ndim != 1:
        raise ValueError("alpha must be a one-dimensional array")
    for v in a:
        if v < 0 or (state is None and v <= 0):
            raise ValueError("alpha <= 0" if state is None else "alpha < 0")
    r = np.zeros(_with_last(size, a.size))
    d = a.size
    flat = r.reshape((r.size // max(d, 1), d))
    if state is not None and d > 0 and np.max(a) < 0.1:
        _break_sticks(state, a, flat)
    else:
        for i in range(flat.shape[0]):
            total = 0.0
            for j in range(d):
                flat[i, j] = _real_draws(state, 0, None, a[j], 0.0, 0.0)
                total += flat[i, j]
            scale = 1 / np.float64(total)
            for j in range(d):
                flat[i, j] = flat[i, j] * scale
    return r


def _break_sticks(state, a, flat):
    d = a.size
    rest = np.zeros(d)
    total = 0.0
    for j in range(d - 1, -1, -1):
        total += a[j]
        rest[j] = total
    for i in range(flat.shape[0]):
        left = 1.0
        for j in range(d - 1):
            v = _real_draws(state, 2, None, a[j], rest[j + 1], 0.0)
            flat[i, j] = left * v
            left *= 1.0 - v
            if rest[j + 1] == 0:
                break
        flat[i, d - 1] = left


def _multivariate_normal(state, mean, cov, size):
    if np.asarray(mean).dtype.kind == "c" or np.asarray(cov).dtype.kind == "c":
        raise TypeError("mean and cov must not be complex")
    m = np.asarray(mean).astype(np.float64)
    c = np.asarray(cov).astype(np.float64)
    if m.ndim != 1:
        raise ValueError("mean must be 1 dimensional")
    if c.ndim != 2 or c.shape[0] != c.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    if m.shape[0] != c.shape[0]:
        raise ValueError("mean and cov must have same length")
    r = np.empty(_with_last(size, m.size))
    x = _real_array(state, 21, r.shape, 0.0, 1.0, 0.0).reshape((r.size // max(m.size, 1), m.size))
    u, s, v = np.linalg.svd(c)
    if state is None:
        r[...] = (np.dot(x, np.sqrt(s)[:, None] * v) + m).reshape(r.shape)
    else:
        r[...] = (m + np.dot(x, (u * np.sqrt(s)).T)).reshape(r.shape)
    return r


# --- np.random ------------------------------------------------------------------------------


def random_standard_gamma(shape, size=None):
    """By the distribution of that name."""
    _check_not_negative(shape, "shape")
    return _real_draws(None, 0, size, shape, 0.0, 0.0)


def random_gamma(shape, scale=1.0, size=None):
    """By the distribution of that name."""
    _check_not_negative(shape, "shape")
    _check_not_negative(scale, "scale")
    return _real_draws(None, 1, size, shape, scale, 0.0)


def random_beta(a, b, size=None):
    """By the distribution of that name."""
    _check_positive(a, "a")
    _check_positive(b, "b")
    return _real_draws(None, 2, size, a, b, 0.0)


def random_chisquare(df, size=None):
    """By the distribution of that name."""
    _check_positive(df, "df")
    return _real_draws(None, 3, size, df, 0.0, 0.0)


def random_noncentral_chisquare(df, nonc, size=None):
    """By the distribution of that name."""
    _check_positive(df, "df")
    _check_not_negative(nonc, "nonc")
    return _real_draws(None, 4, size, df, nonc, 0.0)


def random_f(dfnum, dfden, size=None):
    """By the distribution of that name."""
    _check_positive(dfnum, "dfnum")
    _check_positive(dfden, "dfden")
    return _real_draws(None, 5, size, dfnum, dfden, 0.0)


def random_noncentral_f(dfnum, dfden, nonc, size=None):
    """By the distribution of that name."""
    _check_positive(dfnum, "dfnum")
    _check_positive(dfden, "dfden")
    _check_not_negative(nonc, "nonc")
    return _real_draws(None, 6, size, dfnum, dfden, nonc)


def random_standard_t(df, size=None):
    """By the distribution of that name."""
    _check_positive(df, "df")
    return _real_draws(None, 7, size, df, 0.0, 0.0)


def random_standard_cauchy(size=None):
    """By the distribution of that name."""
    return _real_draws(None, 8, size, 0.0, 0.0, 0.0)


def random_vonmises(mu, kappa, size=None):
    """By the distribution of that name."""
    _check_not_negative(kappa, "kappa")
    return _real_draws(None, 9, size, mu, kappa, 0.0)


def random_pareto(a, size=None):
    """By the distribution of that name."""
    _check_positive(a, "a")
    return _real_draws(None, 10, size, a, 0.0, 0.0)


def random_weibull(a, size=None):
    """By the distribution of that name."""
    _check_not_negative(a, "a")
    return _real_draws(None, 11, size, a, 0.0, 0.0)


def random_power(a, size=None):
    """By the distribution of that name."""
    _check_positive(a, "a")
    return _real_draws(None, 12, size, a, 0.0, 0.0)


def random_laplace(loc=0.0, scale=1.0, size=None):
    """By the distribution of that name."""
    _check_not_negative(scale, "scale")
    return _real_draws(None, 13, size, loc, scale, 0.0)


def random_gumbel(loc=0.0, scale=1.0, size=None):
    """By the distribution of that name."""
    _check_not_negative(scale, "scale")
    return _real_draws(None, 14, size, loc, scale, 0.0)


def random_logistic(loc=0.0, scale=1.0, size=None):
    """By the distribution of that name."""
    _check_not_negative(scale, "scale")
    return _real_draws(None, 15, size, loc, scale, 0.0)


def random_lognormal(mean=0.0, sigma=1.0, size=None):
    """By the distribution of that name."""
    _check_not_negative(sigma, "sigma")
    return _real_draws(None, 16, size, mean, sigma, 0.0)


def random_rayleigh(scale=1.0, size=None):
    """By the distribution of that name."""
    _check_not_negative(scale, "scale")
    return _real_draws(None, 17, size, scale, 0.0, 0.0)


def random_wald(mean, scale, size=None):
    """By the distribution of that name."""
    _check_positive(mean, "mean")
    _check_positive(scale, "scale")
    return _real_draws(None, 18, size, mean, scale, 0.0)


def random_triangular(left, mode, right, size=None):
    """By the distribution of that name."""
    _check_triangle(left, mode, right)
    return _real_draws(None, 19, size, left, mode, right)


def random_binomial(n, p, size=None):
    """By the distribution of that name."""
    _check_not_negative(n, "n")
    _check_share(p)
    return _count_draws(None, 0, size, n, p, 0.0)


def random_negative_binomial(n, p, size=None):
    """By the distribution of that name."""
    _check_positive(n, "n")
    _check_share(p)
    return _count_draws(None, 1, size, n, p, 0.0)


def random_geometric(p, size=None):
    """By the distribution of that name."""
    _check_some_share(p)
    return _count_draws(None, 2, size, p, 0.0, 0.0)


def random_zipf(a, size=None):
    """By the distribution of that name."""
    _check_above_one(a)
    return _count_draws(None, 3, size, a, 0.0, 0.0)


def _check_whole(x):
    """Raise TypeError for an array of what can't be int64."""
    if np.ndim(x):
        _check_cast(x, np.empty(0, np.int64), "safe")


def random_hypergeometric(ngood, nbad, nsample, size=None):
    """By the distribution of that name."""
    _check_whole(ngood)
    _check_whole(nbad)
    _check_whole(nsample)
    _check_not_negative(ngood, "ngood")
    _check_not_negative(nbad, "nbad")
    _check_not_negative(nsample, "nsample")
    if not np.all(np.asarray(nsample) >= 1):
        raise ValueError("nsample < 1 or nsample is NaN")
    _check_sample(ngood, nbad, nsample)
    return _count_draws(None, 4, size, ngood, nbad, nsample)


def random_logseries(p, size=None):
    """By the distribution of that name."""
    _check_below_one(p)
    return _count_draws(None, 5, size, p, 0.0, 0.0)


def random_multinomial(n, pvals, size=None):
    """How many of n fall to each of some probabilities."""
    return _multinomial(None, n, pvals, size)


def random_dirichlet(alpha, size=None):
    """Shares that add up to 1."""
    return _dirichlet(None, alpha, size)


def random_multivariate_normal(mean, cov, size=None):
    """Normal vectors of some covariances."""
    return _multivariate_normal(None, mean, cov, size)
