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
