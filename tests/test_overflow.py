# SPDX-License-Identifier: BSD-3-Clause
"""Ints that do not fit in int64: an error under debug=True, and always in functions of math."""

import math

import pytest

from swathe import njit

BIG = 2**63


def shift(a, b):
    return a << b


def power(a, b):
    return a**b


def total(a, b):
    return sum((a, b))


def total_of_many(a, b):
    return sum([a * b for _ in range(3)])


def negative(a, b):
    return -a + b


def size(a, b):
    return abs(a) + b


def quotient(a, b):
    return a // b


def add(a, b):
    a += b
    return a


def times(a, b):
    return a * b


CASES = [
    (shift, [(1, 62), (1, 63), (-1, 63), (-1, 64), (0, 99), (5, 61), (3, 2)]),
    (power, [(2, 62), (2, 63), (-2, 63), (3, 39), (3, 40), (-3, 39), (10, 18), (10, 19), (7, 0)]),
    (power, [(-1, 10001), (0, 99), (3037000499, 2), (3037000500, 2), (2097151, 3), (2097152, 3)]),
    (total, [(2**62, 2**62), (-(2**62), -(2**62)), (1, 2)]),
    (total_of_many, [(2**31, 2**30), (2**31, 2**31), (3, 4)]),
    (negative, [(-BIG, 0), (BIG - 1, -1), (5, 3)]),
    (size, [(-BIG, 0), (-BIG + 1, 0)]),
    (quotient, [(-BIG, -1), (-BIG, 1), (-BIG + 1, -1), (7, -2)]),
    (add, [(BIG - 1, 1), (BIG - 1, 0), (-BIG, -1)]),
    (times, [(2**32, 2**31), (2**32, 2**30), (-(2**32), 2**31)]),
    (times, [(-1, -BIG), (-BIG, -1), (1, -BIG), (-BIG, 1), (-1, 5), (0, -BIG)]),
]


@pytest.mark.parametrize("f, many", CASES)
def test_debug(f, many):
    checked = njit(debug=True)(f)
    for args in many:
        want = f(*args)
        if -BIG <= want < BIG:
            assert checked(*args) == want
        else:
            with pytest.raises(OverflowError, match="does not fit in int64"):
                checked(*args)


def comb(n, k):
    return math.comb(n, k)


def perm(n, k):
    return math.perm(n, k)


def factorial(n, k):
    return math.factorial(n) + k


MATH = [
    (
        comb,
        [(66, 33), (67, 33), (62, 31), (100, 2), (100, 98), (5, 0), (3, 5), (2**40, 1), (90, 45)],
    ),
    (perm, [(20, 20), (21, 20), (22, 20), (10, 3), (2**31, 2), (2**32, 2), (3, 5)]),
    (factorial, [(0, 0), (1, 0), (20, 0), (21, 0), (25, 0)]),
    (total, [(2**62, 2**62), (2**62, 2**62 - 1)]),
]


@pytest.mark.parametrize("f, many", MATH)
def test_never_wraps(f, many):
    compiled = njit(f)
    for args in many:
        want = f(*args)
        if want < BIG:
            assert compiled(*args) == want
        else:
            with pytest.raises(OverflowError, match="does not fit in"):
                compiled(*args)


class Capped:
    def __init__(self, x, most=BIG):
        self.x = x
        self.most = most


def capped(x, most=2**70):
    return min(x, most)


def by_default(x):
    return capped(x)


def by_field(x):
    return Capped(x).most


def by_tuple(x, all=(BIG, 1)):
    return all[x]


def by_element(x):
    return by_tuple(x)


@pytest.mark.parametrize("f", [by_default, by_field, by_element])
def test_defaults(f):
    with pytest.raises(OverflowError, match="this int does not fit in int64"):
        njit(f)(0)


def test_defaults_that_fit():
    def scaled(x, by=2**62):
        return x * by

    def use(x):
        return scaled(x) + scaled(x, 3)

    assert njit(use)(1) == use(1)
