# SPDX-License-Identifier: BSD-3-Clause
"""`type(x) is C` and `type(x) is type(y)`, where x may be None, or is text, a list or a tuple."""

from __future__ import annotations

import pytest

import swathe
from swathe import njit


class Base:
    def __init__(self, x):
        self.x = x


class Below(Base):
    pass


def of_instances(n):
    b, c = Base(1), Below(2) if n else None
    d = Base(3) if n > 1 else None
    return (type(b) is Base, type(c) is Below, type(c) is not Below, Below == type(c),
            type(c) is Base, type(d) == type(b), type(b) != type(d),
            type(c) is type(b))  # fmt: skip


def of_numbers(n):
    x = n if n else None
    y = 0.5 if n > 1 else None
    return (type(x) is int, type(x) == float, type(x) is not int, int is type(x), type(y) is float,
            type(x) is type(y), type(None) is type(x), type(y) is not type(None))  # fmt: skip


def of_helper(n):
    def same(a, b):
        return type(a) is type(b)

    values = [n, None, 3]
    return [same(v, 1) for v in values], [same(v, w) for v in values for w in values]


def of_containers(n):
    t = "a" if n else None
    x = [n] if n > 1 else None
    return (type(t) is str, type(x) is list, type("b") is str, type([n]) is list,
            type((n,)) is list,
            type([n]) == type([1]), type("a") != type([n]), type(t) is type("a"))  # fmt: skip


def of_calls(n):
    seen = []

    def found():
        seen.append(n)
        return n if n else None

    return type(found()) is int, type(found()) is not int, len(seen)


def of_branches(n):
    x = Base(n) if n else None
    if type(x) is Base and x.x > 1:
        return x.x
    return -1 if type(x) is not Base else 0


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize(
    "f", [of_instances, of_numbers, of_helper, of_containers, of_calls, of_branches]
)
def test_as_python(f, n):
    assert njit(f)(n) == f(n)


@pytest.mark.parametrize("x", ["a", [1], (1,), 2, 0.5, None])
def test_of_arguments(x):
    def f(x):
        return (type(x) is str, type(x) is list, type(x) is tuple, type(x) is int, type(x) is float,
                type(x) == type([1]), type(x) is type("b"), type(x) is not type(None))  # fmt: skip

    assert njit(f)(x) == f(x)


def test_a_class_that_may_be_none_is_no_value():
    @njit
    def f(n):
        x = n if n else None
        return type(x)(2.5)

    with pytest.raises(swathe.CompileError, match=r"type\(\) of optional\(int\) is not supported"):
        f(0)


class Shape:
    def __init__(self, size):
        self.size = size

    def __eq__(self, other):
        return type(self) is type(other) and self.size == other.size

    def __hash__(self):
        return hash((type(self).__name__, self.size))

    def __add__(self, other):
        return self.__class__(self.size + other.size)

    def __repr__(self):
        return f"{self.__class__.__name__}({self.size})"


class Square(Shape):
    pass


class Circle(Shape):
    def __eq__(self, other):
        return other.__class__ == self.__class__ and abs(self.size) == abs(other.size)

    def __hash__(self):
        return 0


def shapes(n):
    return [Shape(1), Square(1), Circle(n), Square(n), Shape(n)]


def pairs(n):
    xs = shapes(n)
    return (
        [type(a) is type(b) for a in xs for b in xs],
        [type(a) != type(b) for a in xs for b in xs],
        [a.__class__ is not b.__class__ for a in xs for b in xs],
        [a == b for a in xs for b in xs],
        [a != b for a in xs for b in xs],
    )


def one_known(n):
    xs, y = shapes(n), Square(n)
    return (
        [type(a) is type(y) for a in xs],
        [type(y) is not type(a) for a in xs],
        [y.__class__ == a.__class__ for a in xs],
        [Circle is type(a) for a in xs],
        [isinstance(a, type(y)) for a in xs],
    )


def among(n):
    xs = shapes(n)
    return (
        [type(a) in (Shape, Circle) for a in xs],
        [a.__class__ not in (Square,) for a in xs],
        [a.__class__ is Square for a in xs],
    )


def with_none(n):
    xs = [Shape(1), None, Square(n), None, Circle(n)]
    y = Circle(2)
    return (
        [type(a) is type(b) for a in xs for b in xs],
        [type(a) != type(b) for a in xs for b in xs],
        [type(a) is type(y) for a in xs],
        [type(y) is not type(a) for a in xs],
    )


def looked_for(n):
    xs = shapes(n)
    return xs.index(Square(n)), Circle(-n) in xs, xs.count(Shape(1))


def by_class(n):
    return repr(Shape(n) + Square(1)), repr(Square(n) + Circle(1)), Square(1).__class__ is Square


@pytest.mark.parametrize("f", [pairs, one_known, among, with_none, looked_for, by_class])
def test_classes_of_families(f):
    for n in (1, 3):
        assert swathe.njit(f)(n) == f(n)


def same_as_first(xs):
    return [type(x) is type(xs[0]) for x in xs], [x == xs[0] for x in xs]


def test_classes_of_families_of_python():
    for xs in (shapes(1), [Square(1), Circle(1)], [Circle(2)]):
        assert swathe.njit(same_as_first)(xs) == same_as_first(xs)
