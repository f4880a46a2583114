# SPDX-License-Identifier: BSD-3-Clause
"""np.random.Generator in compiled code: a named tuple over the words that NumPy has for others to
draw by (its bitgen_t), whose methods are compiled with the program."""

import numpy as np

from swathe.lib.random import (
    _bounded,
    _check_scale,
    _chosen,
    _counts,
    _drawn,
    _permuted,
    _scaled_reals,
    _shuffle,
)


class Generator(tuple):
    """What stands for a Generator while compiled code runs, which locks nothing."""

    __slots__ = ()
    _fields = ("_words",)

    def random(self, size=None):
        return _drawn(self._words, size, 0)

    def uniform(self, low=0.0, high=1.0, size=None):
        width = float(high) - float(low)
        if not np.isfinite(width):
            raise OverflowError("high - low range exceeds valid bounds")
        if width < 0:
            raise ValueError("high - low < 0")
        return _scaled_reals(self._words, low, width, size, 0)

    def standard_normal(self, size=None):
        return _drawn(self._words, size, 1)

    def normal(self, loc=0.0, scale=1.0, size=None):
        _check_scale(scale)
        return _scaled_reals(self._words, loc, scale, size, 1)

    def standard_exponential(self, size=None):
        return _drawn(self._words, size, 2)

    def exponential(self, scale=1.0, size=None):
        _check_scale(scale)
        return _scaled_reals(self._words, 0.0, scale, size, 2)

    def poisson(self, lam=1.0, size=None):
        return _counts(self._words, lam, size)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        return _bounded(self._words, low, high, size, dtype, endpoint)

    def shuffle(self, x):
        _shuffle(self._words, x)

    def permutation(self, x):
        return _permuted(self._words, x)

    def choice(self, a, size=None, replace=True, p=None):
        return _chosen(self._words, a, size, replace, p)
