# SPDX-License-Identifier: BSD-3-Clause
"""Class methods that are called of instances, also of one class or another."""

import pytest

import swathe


class Day:
    LENGTHS = (31, 28)
    made = 0

    def __init__(self, y):
        self.y = y
        self.count()

    @staticmethod
    def leap(y):
        return y % 4 == 0

    @classmethod
    def days(cls, y, m, more=0):
        return cls.LENGTHS[m] + (m == 1 and cls.leap(y)) + more

    @classmethod
    def make(cls, y):
        return cls(y)

    @classmethod
    def count(cls):
        Day.made += 1
        return Day.made

    def length(self):
        return self.days(self.y, 1, more=2) if self.y > 1 else self.days(self.y, 0)

    def following(self):
        return self.make(self.y + 1)


class Other(Day):
    LENGTHS = (1, 2)

    def following(self):
        return self.make(self.y + 10)


def one(n):
    d = Day(n)
    e = Other(n)
    return d.length(), d.following().y, d.days(3, 0), e.length(), e.following().y


def either(n):
    days = [Day(n), Other(n + 1)]
    return (
        [d.length() for d in days],
        [d.days(4, 1) for d in days],
        [d.following().y for d in days],
        [d.make(3).y for d in days],
    )


def chain(n):
    d = Day(n)
    for _ in range(n):
        d = d.following()
    f = lambda x: x.days(2, 1)  # noqa: E731
    return d.y, f(d), Day.made


@pytest.mark.parametrize("f", [one, either, chain], ids=lambda f: f.__name__)
def test_as_python(f):
    g = swathe.njit(f)
    for n in (0, 4):
        Day.made = 0
        want = f(n)
        Day.made = 0
        assert g(n) == want


def test_refused():
    def f(n):
        return Day(n).make(2).y

    with pytest.raises(swathe.errors.UnsupportedError, match="a class method called of an inst"):
        swathe.njit(f)(1)
