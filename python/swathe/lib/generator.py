# SPDX-License-Identifier: BSD-3-Clause
"""np.random.Generator in compiled code: a named tuple over the words that NumPy has for others to
draw by (its bitgen_t), whose methods are compiled with the program."""

import numpy as np

from swathe import _kernels, static_fail
from swathe.lib.draws import (
    _check_above_one,
    _check_below_one,
    _check_not_negative,
    _check_positive,
    _check_sample,
    _check_share,
    _check_some_share,
    _check_triangle,
    _check_whole,
    _count_draws,
    _dirichlet,
    _multinomial,
    _multivariate_normal,
    _real_draws,
)
from swathe.lib.random import (
    _bounded,
    _check_scale,
    _chosen_along,
    _counts,
    _each_shuffled,
    _permuted,
    _scaled_reals,
    _shuffle,
    _shuffled_along,
    _single_or_double,
)


class Generator(tuple):
    """What stands for a Generator while compiled code runs, which locks nothing."""

    __slots__ = ()
    _fields = ("_words",)

    def random(self, size=None, dtype=np.float64, out=None):
        return _single_or_double(self._words, size, 0, dtype, out)

    def uniform(self, low=0.0, high=1.0, size=None):
        width = np.subtract(high, low) * 1.0
        if not np.all(np.isfinite(width)):
            raise OverflowError("high - low range exceeds valid bounds")
        if np.any(np.signbit(width)):
            raise ValueError("high - low < 0")
        return _scaled_reals(self._words, low, width, size, 0)

    def standard_normal(self, size=None, dtype=np.float64, out=None):
        return _single_or_double(self._words, size, 1, dtype, out)

    def normal(self, loc=0.0, scale=1.0, size=None):
        _check_scale(scale)
        return _scaled_reals(self._words, loc, scale, size, 1)

    def standard_exponential(self, size=None, dtype=np.float64, method="zig", out=None):
        if method != "zig":
            static_fail("standard_exponential has method='zig' in compiled code")
        return _single_or_double(self._words, size, 2, dtype, out)

    def exponential(self, scale=1.0, size=None):
        _check_scale(scale)
        if np.ndim(scale) > 0:
            return _real_draws(self._words, 20, size, scale, 0.0, 0.0)
        return _scaled_reals(self._words, 0.0, scale, size, 2)

    def poisson(self, lam=1.0, size=None):
        return _counts(self._words, lam, size)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        return _bounded(self._words, low, high, size, dtype, endpoint)

    def bytes(self, length):
        # NumPy's quotient is C's: of no bytes one word is drawn
        n = (length + 3) // 4 if length > 0 else 1 - (1 - length) // 4
        return self.integers(0, 1 << 32, n, np.uint32).tobytes()[:length]

    def shuffle(self, x, axis=0):
        if axis == 0:
            _shuffle(self._words, x)
        else:
            np.size(x, axis)  # which must be there
            _shuffle(self._words, np.swapaxes(x, 0, axis))

    def permutation(self, x, axis=0):
        if axis == 0:
            return _permuted(self._words, x)
        else:
            return _shuffled_along(self._words, x, axis)

    def permuted(self, x, axis=None, out=None):
        return _each_shuffled(self._words, x, axis, out)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        return _chosen_along(self._words, a, size, replace, p, axis, shuffle)

    def standard_gamma(self, shape, size=None):
        _check_not_negative(shape, "shape")
        return _real_draws(self._words, 0, size, shape, 0.0, 0.0)

    def gamma(self, shape, scale=1.0, size=None):
        _check_not_negative(shape, "shape")
        _check_not_negative(scale, "scale")
        return _real_draws(self._words, 1, size, shape, scale, 0.0)

    def beta(self, a, b, size=None):
        _check_positive(a, "a")
        _check_positive(b, "b")
        return _real_draws(self._words, 2, size, a, b, 0.0)

    def chisquare(self, df, size=None):
        _check_positive(df, "df")
        return _real_draws(self._words, 3, size, df, 0.0, 0.0)

    def noncentral_chisquare(self, df, nonc, size=None):
        _check_positive(df, "df")
        _check_not_negative(nonc, "nonc")
        return _real_draws(self._words, 4, size, df, nonc, 0.0)

    def f(self, dfnum, dfden, size=None):
        _check_positive(dfnum, "dfnum")
        _check_positive(dfden, "dfden")
        return _real_draws(self._words, 5, size, dfnum, dfden, 0.0)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        _check_positive(dfnum, "dfnum")
        _check_positive(dfden, "dfden")
        _check_not_negative(nonc, "nonc")
        return _real_draws(self._words, 6, size, dfnum, dfden, nonc)

    def standard_t(self, df, size=None):
        _check_positive(df, "df")
        return _real_draws(self._words, 7, size, df, 0.0, 0.0)

    def standard_cauchy(self, size=None):
        return _real_draws(self._words, 8, size, 0.0, 0.0, 0.0)

    def vonmises(self, mu, kappa, size=None):
        _check_not_negative(kappa, "kappa")
        return _real_draws(self._words, 9, size, mu, kappa, 0.0)

    def pareto(self, a, size=None):
        _check_positive(a, "a")
        return _real_draws(self._words, 10, size, a, 0.0, 0.0)

    def weibull(self, a, size=None):
        _check_not_negative(a, "a")
        return _real_draws(self._words, 11, size, a, 0.0, 0.0)

    def power(self, a, size=None):
        _check_positive(a, "a")
        return _real_draws(self._words, 12, size, a, 0.0, 0.0)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        _check_not_negative(scale, "scale")
        return _real_draws(self._words, 13, size, loc, scale, 0.0)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        _check_not_negative(scale, "scale")
        return _real_draws(self._words, 14, size, loc, scale, 0.0)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        _check_not_negative(scale, "scale")
        return _real_draws(self._words, 15, size, loc, scale, 0.0)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        _check_not_negative(sigma, "sigma")
        return _real_draws(self._words, 16, size, mean, sigma, 0.0)

    def rayleigh(self, scale=1.0, size=None):
        _check_not_negative(scale, "scale")
        return _real_draws(self._words, 17, size, scale, 0.0, 0.0)

    def wald(self, mean, scale, size=None):
        _check_positive(mean, "mean")
        _check_positive(scale, "scale")
        return _real_draws(self._words, 18, size, mean, scale, 0.0)

    def triangular(self, left, mode, right, size=None):
        _check_triangle(left, mode, right)
        return _real_draws(self._words, 19, size, left, mode, right)

    def binomial(self, n, p, size=None):
        _check_not_negative(n, "n")
        _check_share(p)
        return _count_draws(self._words, 0, size, n, p, 0.0)

    def negative_binomial(self, n, p, size=None):
        if np.any(np.isnan(n)):
            raise ValueError("n must not be NaN")
        _check_positive(n, "n")
        _check_some_share(p)
        return _count_draws(self._words, 1, size, n, p, 0.0)

    def geometric(self, p, size=None):
        _check_some_share(p)
        return _count_draws(self._words, 2, size, p, 0.0, 0.0)

    def zipf(self, a, size=None):
        _check_above_one(a)
        return _count_draws(self._words, 3, size, a, 0.0, 0.0)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        _check_whole(ngood)
        _check_whole(nbad)
        _check_whole(nsample)
        _check_not_negative(ngood, "ngood")
        _check_not_negative(nbad, "nbad")
        _check_not_negative(nsample, "nsample")
        _check_sample(ngood, nbad, nsample)
        return _count_draws(self._words, 4, size, ngood, nbad, nsample)

    def logseries(self, p, size=None):
        _check_below_one(p)
        return _count_draws(self._words, 5, size, p, 0.0, 0.0)

    def multinomial(self, n, pvals, size=None):
        return _multinomial(self._words, n, pvals, size)

    def dirichlet(self, alpha, size=None):
        return _dirichlet(self._words, alpha, size)

    def multivariate_normal(self, mean, cov, size=None):
        return _multivariate_normal(self._words, mean, cov, size)


def random_default_rng(seed=None):
    """A generator of its own, as np.random.default_rng makes one."""
    if isinstance(seed, Generator):
        return seed
    else:
        return random_PCG64(seed)


def random_PCG64(seed=None):
    """A source of bits, which is here what draws from it."""
    return _seeded(8, seed)


def random_PCG64DXSM(seed=None):
    """The same with another output function."""
    return _seeded(9, seed)


def random_SFC64(seed=None):
    """A small fast chaotic generator."""
    return _seeded(10, seed)


def random_Philox(seed=None):
    """A generator that turns a counter and a key into numbers."""
    return _seeded(13, seed)


def random_MT19937(seed=None):
    """The Mersenne twister, seeded as the other generators are."""
    return _seeded(320, seed)


def _seeded(n, seed):
    """The generator whose state has n words (core/kernel/lib/random.h says which that is)."""
    state = np.zeros(n, np.uint64)
    _kernels.bits_seed(state, _seed_words(seed))
    return Generator(state)


def random_Generator(bit_generator):
    """What draws from a source of bits."""
    if not isinstance(bit_generator, Generator):
        static_fail(
            "np.random.Generator() takes PCG64(seed), PCG64DXSM, SFC64, Philox or MT19937 of "
            "np.random in compiled code"
        )
    return bit_generator


def _seed_words(seed):
    """A seed as words of 32 bits; none where there is no seed."""
    if seed is None:
        return np.zeros(0, np.uint32)
    elif isinstance(seed, (int, np.integer)):
        return _words_of(int(seed))
    elif isinstance(seed, (str, bytes, dict)):
        raise TypeError(f"SeedSequence expects int or sequence of ints for entropy not {seed}")
    else:
        words = np.zeros(0, np.uint32)
        for s in seed:
            if not isinstance(s, (int, np.integer)):
                raise TypeError("seed must be integer")
            words = np.concatenate((words, _words_of(int(s))))
        return words


def _words_of(seed):
    if seed < 0:
        raise ValueError("expected non-negative integer")
    words = np.zeros(2 if seed >> 32 else 1, np.uint32)
    words[0] = np.uint32(seed & 4294967295)
    if words.size > 1:
        words[1] = np.uint32(seed >> 32)
    return words
