# SPDX-License-Identifier: BSD-3-Clause
"""`==` and `!=` beside what may be None: an `__eq__` that asks None for something raises when it
runs, not before."""

from __future__ import annotations

import pytest

from swathe import njit


class Reads:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


class Calls(Reads):
    def key(self):
        return (self.x, 1)

    def __eq__(self, other):
        return self.key() == other.key()


class AsksType:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return type(other) is type(self) and self.x == other.x


class AsksOther(AsksType):
    def __eq__(self, other):
        if type(self) != type(other):
            return False
        return self.x == other.x


class Catches(AsksType):
    def __eq__(self, other):
        try:
            return self.x == other.x
        except AttributeError:
            return False


class Leaves(AsksType):
    def __eq__(self, other):
        if not isinstance(other, Leaves):
            return NotImplemented
        return self.x == other.x


class OwnUnequal(Reads):
    def __ne__(self, other):
        return self.x != other.x


def pairs(n, made):
    xs = [made(1), None, made(3), made(1)]
    return xs[0] == xs[n], xs[n] == xs[0], xs[n] != xs[3], xs[n] == xs[n]


def unequal(n, made):
    xs = [made(1), None, made(3), made(1)]
    return xs[0] != xs[n]


def outcome(f, *args):
    try:
        return f(*args)
    except AttributeError as e:
        return type(e).__name__, str(e).splitlines()[0]


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("f", [pairs, unequal])
@pytest.mark.parametrize(
    "cls",
    [Reads, Calls, AsksType, AsksOther, Catches, Leaves, OwnUnequal],
    ids=lambda c: c.__name__,
)
def test_as_python(cls, f, n):
    assert outcome(njit(lambda n: f(n, cls)), n) == outcome(f, n, cls)
