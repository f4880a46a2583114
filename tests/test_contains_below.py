# SPDX-License-Identifier: BSD-3-Clause
"""`x in y` where y's class is derived from one with an `__iter__`: its `__contains__` decides."""

import pytest

from swathe import njit


class Bag:
    def __init__(self, k):
        self.q = [k, 1]

    def __iter__(self):
        for v in self.q:
            if v != 2:
                yield v


class Box(Bag):
    def __contains__(self, v):
        return v in self.q


class Crate(Box):
    def top(self):
        return self.q[0]


class Odd(Bag):
    def __iter__(self):
        for v in self.q:
            if v % 2:
                yield v


def beside():
    a = Bag(2)
    b = Box(2)
    return 2 in a, 2 in b, 2 not in b, 1 in b, 5 in b


def below():
    a = Bag(2)
    b = Crate(2)
    c = Odd(4)
    return 2 in a, 2 in b, 2 not in b, 4 in c, b.top()


def made():
    return 2 in Bag(2), 2 in Box(2), 2 in Crate(2), 4 in Odd(4)


def pick(k):
    if k == 0:
        return Bag(2)
    if k == 1:
        return Box(2)
    if k == 2:
        return Crate(2)
    return Odd(2)


def one_of(n):
    found = []
    for k in range(n):
        b = pick(k)
        found.append((2 in b, 2 not in b, 1 in b, sum(b)))
    return found


def given(a, b, c):
    return 2 in a, 2 in b, 2 in c, 4 not in b


@pytest.mark.parametrize(
    ("f", "args"),
    [(beside, ()), (below, ()), (made, ()),
     (given, (Bag(2), Box(2), Crate(2))), (given, (Odd(2), Box(2), Bag(2)))],
    ids=lambda f: f.__name__ if callable(f) else "",
)  # fmt: skip
def test_contains_decides(f, args):
    assert njit(f)(*args) == f(*args)


def test_one_of_several_classes():
    assert njit(one_of)(4) == one_of(4)
