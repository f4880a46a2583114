# SPDX-License-Identifier: BSD-3-Clause
"""Class methods that are called of instances, also of one class or another."""

import pytest

import swathe
from swathe import njit
from swathe.errors import CompileError


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


class Point:
    def __init__(self, x):
        self.x = x

    @classmethod
    def parse(cls, s, more=0):
        return cls(int(s) + more)

    @classmethod
    def weight(cls, p):
        return -p.x

    @classmethod
    def both(cls, a, b):
        f = cls.parse
        return f(a).x + f(b).x


class Further(Point):
    pass


def applied(f, xs):
    return [f(x) for x in xs]


def values(n):
    parse = Point.parse
    points = [parse(str(k)) for k in range(n)]
    return (
        [p.x for p in map(parse, ["1", "2"])],
        [p.x for p in applied(Point.parse, ["3"])],
        [type(p).__name__ for p in applied(Further.parse, ["4"])],
        [p.x for p in sorted(points, key=Point.weight)],
        min(points, key=Point.weight).x,
        parse("5", more=2).x + parse("1", 3).x,
        {"p": Point.parse}["p"]("6").x,
    )


STEPS = range(3, 10, 2)
FEW = range(4)


def within(k):
    return k in STEPS or k in FEW


def ranges(n):
    f = lambda k: [k + i for i in FEW]  # noqa: E731
    t = sum(i * j for i in FEW for j in STEPS)
    for i in STEPS:
        t += i
    return t, f(n), within(n), len(STEPS), STEPS[1], list(reversed(STEPS)), max(FEW), STEPS == FEW


def rests(n):
    out = {}
    words = ("a b c a b d " * n).split()
    for *key, last in zip(*[words[i:] for i in range(3)]):
        out.setdefault(tuple(key), []).append(last)
    rows = [[1, 2, n], [4, 5, 6]]
    for first, *rest in zip(*rows):
        rest.append(first)
        out[str(first), "x"] = [str(v) for v in rest]
    return out, [(h, len(t)) for h, *t in zip(*(words[i:] for i in range(4)))]


@pytest.mark.parametrize("f", [values, ranges, rests], ids=lambda f: f.__name__)
def test_values(f):
    g = swathe.njit(f)
    for n in (1, 5):
        assert g(n) == f(n)


def test_a_method_of_a_class_that_is_not_known():
    def f():
        return Point.both("1", "2")

    with pytest.raises(swathe.errors.UnsupportedError, match="the class method 'parse' as a value"):
        swathe.njit(f)()


class Kept:
    def __init__(self):
        self._x, self.log = 1, []

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        self._x = value

    @x.deleter
    def x(self):
        self._x = 0
        self.log.append("del")

    @property
    def fixed(self):
        return 1


class KeptBelow(Kept):
    @Kept.x.deleter
    def x(self):
        self._x = -5


def deleted(n):
    p, below, all_of = Kept(), KeptBelow(), [Kept(), Kept()]
    for i in range(n):
        p.x += i
        if p.x > 3:
            del p.x
    del below.x, all_of[n].x
    return p.x, p.log, below.x, below.log, [k.x for k in all_of]


def test_deleters_of_properties():
    for n in range(2):
        assert njit(deleted)(n) == deleted(n)
    with pytest.raises(IndexError):
        njit(deleted)(5)

    @njit
    def of_python(p):
        del p.x
        return p.x

    for p in Kept(), KeptBelow():
        assert of_python(p) == p.x <= 0
    with pytest.raises(CompileError, match="property 'fixed' of 'Kept' object has no deleter"):

        @njit
        def wrong(p):
            del p.fixed

        wrong(Kept())
