# SPDX-License-Identifier: BSD-3-Clause
"""Bytes stored in branches beside numbers of eight bytes: eight lanes of a vector of sixteen, of
which the others, and the lanes where the branch isn't taken, keep what they hold."""

import numpy as np
import pytest

from swathe import njit


def even(a, o):
    for i in range(len(a)):
        if o[i] % 2 == 0:
            o[i] = o[i] * a[i]


def both(a, o):
    for i in range(len(a)):
        if o[i] & 1 == 0:
            o[i] = a[i] * 3
        elif o[i] & 2 == 0:
            o[i] = a[i] * 5


def beside(a, o):
    """The branch hangs on the bytes, and another element of eight bytes is stored in it."""
    for i in range(len(a)):
        if o[i] % 4 != 3:
            a[i] = a[i] * 0.5
            o[i] = a[i] * 100


def loaded(a, o):
    s = 0.0
    for i in range(len(a)):
        if a[i] > 0.5:
            s += o[i] * a[i]
    return s


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("f", [even, both, beside, loaded], ids=lambda f: f.__name__)
def test_lanes_that_are_left_out(f, dtype):
    fast = njit(f)
    for n in (5, 16, 31, 32, 33, 63, 64, 70, 95, 200, 3000):
        a = np.random.default_rng(n).random(n)
        o = (np.arange(n) % 100).astype(dtype)
        a1, o1, a2, o2 = a.copy(), o.copy(), a.copy(), o.copy()
        r1, r2 = fast(a1, o1), f(a2, o2)
        assert r1 == r2
        assert np.array_equal(o1, o2), (n, np.flatnonzero(o1 != o2))
        assert np.array_equal(a1, a2)
