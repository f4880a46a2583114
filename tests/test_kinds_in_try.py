# SPDX-License-Identifier: BSD-3-Clause
"""A variable whose values are of several kinds, as a `try` leaves it to what comes behind."""

from __future__ import annotations

import pytest

import swathe


class One:
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v


class Ten:
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v * 10


def instances(n):
    x = One(1)
    r = 0
    try:
        r = 10 // n
        x = Ten(2)
        r += 10 // (n - 1)
    except ZeroDivisionError:
        r = 7
    return r, x.get()


def instances_in_a_finally(n):
    x = One(1)
    r = 0
    try:
        r = 10 // (n + 1)
        x = Ten(2)
    finally:
        r += x.get()
    return r


def tuples(n):
    x = (1,)
    r = 0
    try:
        r = 10 // n
        x = (2, 3)
        r += 10 // (n - 1)
        x = (4, 5, 6)
    except ZeroDivisionError:
        r = 7
    return r, len(x), sum(x)


def in_tuples(n):
    x = (One(1), 2)
    k = 0
    while k < 3:
        try:
            k += 1
            x = (Ten(k // (n - k)), k)
        except ZeroDivisionError:
            x = (One(50), -1)
        else:
            x = (x[0], x[1] + 5)
    return x[0].get(), x[1]


def strings(n):
    x = "a"
    try:
        x = "b" * (10 // n)
        x = "c" if 10 // (n - 1) else x
    except ZeroDivisionError:
        pass
    return x


def optional(n):
    x = None
    try:
        x = One(10 // n)
        x = Ten(10 // (n - 1))
    except ZeroDivisionError:
        x = x or One(99)
    return x.get()


@pytest.mark.parametrize(
    "f",
    [instances, instances_in_a_finally, tuples, in_tuples, strings, optional],
    ids=lambda f: f.__name__,
)
def test_as_in_python(f):
    compiled = swathe.njit(f)
    for n in range(4):
        assert compiled(n) == f(n), n
