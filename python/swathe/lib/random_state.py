# SPDX-License-Identifier: BSD-3-Clause
"""np.random.RandomState in compiled code: a named tuple over the state of an MT19937, from which
the functions of np.random draw while one of its methods runs."""

import numpy as np

from swathe import _kernels
from swathe._generators import restored_state
from swathe.lib.generator import Generator


class _Drawing(tuple):
    """with _Drawing(words): what np.random draws comes from there."""

    __slots__ = ()
    _fields = ("words",)

    def __enter__(self):
        _kernels.mt_use(self.words)
        return 0

    def __exit__(self, exc_type, exc, traceback):
        _kernels.mt_leave(self.words)


class RandomState(tuple):
    """What stands for a RandomState while compiled code runs, which locks nothing."""

    __slots__ = ()
    _fields = ("_words",)

    def seed(self, seed=None):
        with _Drawing(self._words):
            np.random.seed(seed)

    def random_sample(self, size=None):
        with _Drawing(self._words):
            return np.random.random(size)

    def beta(self, a, b, size=None):
        with _Drawing(self._words):
            return np.random.beta(a, b, size)

    def binomial(self, n, p, size=None):
        with _Drawing(self._words):
            return np.random.binomial(n, p, size)

    def chisquare(self, df, size=None):
        with _Drawing(self._words):
            return np.random.chisquare(df, size)

    def choice(self, a, size=None, replace=True, p=None):
        with _Drawing(self._words):
            return np.random.choice(a, size, replace, p)

    def dirichlet(self, alpha, size=None):
        with _Drawing(self._words):
            return np.random.dirichlet(alpha, size)

    def exponential(self, scale=1.0, size=None):
        with _Drawing(self._words):
            return np.random.exponential(scale, size)

    def f(self, dfnum, dfden, size=None):
        with _Drawing(self._words):
            return np.random.f(dfnum, dfden, size)

    def gamma(self, shape, scale=1.0, size=None):
        with _Drawing(self._words):
            return np.random.gamma(shape, scale, size)

    def geometric(self, p, size=None):
        with _Drawing(self._words):
            return np.random.geometric(p, size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        with _Drawing(self._words):
            return np.random.gumbel(loc, scale, size)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        with _Drawing(self._words):
            return np.random.hypergeometric(ngood, nbad, nsample, size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        with _Drawing(self._words):
            return np.random.laplace(loc, scale, size)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        with _Drawing(self._words):
            return np.random.logistic(loc, scale, size)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        with _Drawing(self._words):
            return np.random.lognormal(mean, sigma, size)

    def logseries(self, p, size=None):
        with _Drawing(self._words):
            return np.random.logseries(p, size)

    def multinomial(self, n, pvals, size=None):
        with _Drawing(self._words):
            return np.random.multinomial(n, pvals, size)

    def multivariate_normal(self, mean, cov, size=None):
        with _Drawing(self._words):
            return np.random.multivariate_normal(mean, cov, size)

    def negative_binomial(self, n, p, size=None):
        with _Drawing(self._words):
            return np.random.negative_binomial(n, p, size)

    def noncentral_chisquare(self, df, nonc, size=None):
        with _Drawing(self._words):
            return np.random.noncentral_chisquare(df, nonc, size)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        with _Drawing(self._words):
            return np.random.noncentral_f(dfnum, dfden, nonc, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        with _Drawing(self._words):
            return np.random.normal(loc, scale, size)

    def pareto(self, a, size=None):
        with _Drawing(self._words):
            return np.random.pareto(a, size)

    def permutation(self, x):
        with _Drawing(self._words):
            return np.random.permutation(x)

    def poisson(self, lam=1.0, size=None):
        with _Drawing(self._words):
            return np.random.poisson(lam, size)

    def power(self, a, size=None):
        with _Drawing(self._words):
            return np.random.power(a, size)

    def rand(self, *args):
        with _Drawing(self._words):
            return np.random.rand(*args)

    def randint(self, low, high=None, size=None, dtype=int):
        with _Drawing(self._words):
            return np.random.randint(low, high, size, dtype)

    def randn(self, *args):
        with _Drawing(self._words):
            return np.random.randn(*args)

    def random(self, size=None):
        with _Drawing(self._words):
            return np.random.random(size)

    def rayleigh(self, scale=1.0, size=None):
        with _Drawing(self._words):
            return np.random.rayleigh(scale, size)

    def shuffle(self, x):
        with _Drawing(self._words):
            np.random.shuffle(x)

    def standard_cauchy(self, size=None):
        with _Drawing(self._words):
            return np.random.standard_cauchy(size)

    def standard_exponential(self, size=None):
        with _Drawing(self._words):
            return np.random.standard_exponential(size)

    def standard_gamma(self, shape, size=None):
        with _Drawing(self._words):
            return np.random.standard_gamma(shape, size)

    def standard_normal(self, size=None):
        with _Drawing(self._words):
            return np.random.standard_normal(size)

    def standard_t(self, df, size=None):
        with _Drawing(self._words):
            return np.random.standard_t(df, size)

    def triangular(self, left, mode, right, size=None):
        with _Drawing(self._words):
            return np.random.triangular(left, mode, right, size)

    def uniform(self, low=0.0, high=1.0, size=None):
        with _Drawing(self._words):
            return np.random.uniform(low, high, size)

    def vonmises(self, mu, kappa, size=None):
        with _Drawing(self._words):
            return np.random.vonmises(mu, kappa, size)

    def wald(self, mean, scale, size=None):
        with _Drawing(self._words):
            return np.random.wald(mean, scale, size)

    def weibull(self, a, size=None):
        with _Drawing(self._words):
            return np.random.weibull(a, size)

    def zipf(self, a, size=None):
        with _Drawing(self._words):
            return np.random.zipf(a, size)

    def _swathe_restored(self):
        """NumPy's own: what Python is given."""
        return restored_state(self[0])


def random_RandomState(seed=None):
    """A source of numbers of its own, as np.random.RandomState makes one."""
    if isinstance(seed, RandomState):
        return seed
    elif isinstance(seed, Generator):
        if seed._words.size != 320:
            raise ValueError("np.random.RandomState() takes np.random.MT19937 in compiled code")
        return RandomState(seed._words)
    else:
        words = np.zeros(320, np.uint64)
        with _Drawing(words):
            np.random.seed(seed)
        return RandomState(words)
