# SPDX-License-Identifier: BSD-3-Clause
"""Powers of ints modulo another: exact, also where the power alone leaves int64."""

import numpy as np
import pytest

import swathe


def operators(a, k, m):
    return a**k % m


def call(a, k, m):
    return pow(a, k) % m


def expressions(a, k, m):
    return (2 * a - 1) ** (k // 2 + 1) % (m // 2 + 2)


def in_a_loop(a, k, m):
    total = 0
    for i in range(k):
        total ^= a**i % m
    return total


def fermat(a, k, m):
    p = 2305843009213693951
    return a ** (p - 2) % m if k > 40 and m == p else a**k % m


@pytest.mark.parametrize("f", [operators, call, expressions, in_a_loop])
@pytest.mark.parametrize("m", [1, -1, 7, -7, 2**31, 10**9 + 7, 2**61 - 1, -(2**62)])
def test_as_python(f, m):
    g = swathe.njit(f)
    for a in (0, 1, -1, 3, -7, 10**9 + 6, 2**40, True):
        for k in (0, 1, 2, 5, 63, 300):
            want, got = f(a, k, m), g(a, k, m)
            assert (got, type(got)) == (want, type(want)), (a, k)


def test_a_great_exponent():
    p = 2**61 - 1
    assert swathe.njit(fermat)(12345, 100, p) == pow(12345, p - 2, p)


@pytest.mark.parametrize("f", [operators, call])
def test_errors(f):
    g = swathe.njit(f)
    for args in ((3, 4, 0), (0, -1, 5)):
        with pytest.raises(ZeroDivisionError) as want:
            f(*args)
        with pytest.raises(ZeroDivisionError) as got:
            g(*args)
        assert str(got.value).splitlines()[0] == str(want.value)
    with pytest.raises(ValueError, match="negative integer powers"):
        g(3, -1, 5)  # a float in Python


def test_numbers_of_numpy_wrap():
    f = swathe.njit(operators)
    a, k, m = np.int64(3), np.int64(300), np.int64(353)
    with np.errstate(all="ignore"):
        assert f(a, k, m) == operators(a, k, m)
    assert f(1.5, 3, 2) == 1.5**3 % 2 and f(3, 2.0, 5) == 3**2.0 % 5
