# SPDX-License-Identifier: BSD-3-Clause
"""`==` of instances that may be None, and hash() of what instances are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, Flag, IntEnum

import pytest

from swathe import njit


class Declines:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        if not isinstance(other, Declines):
            return NotImplemented
        return self.x == other.x

    def __hash__(self):
        return hash(self.x)


class AsksNone:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return other is not None and self.x == other.x


class EqualsNone:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return other is None or self.x == other.x


class OwnUnequal:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return other is not None and self.x == other.x

    def __ne__(self, other):
        return other is None or self.x + 1 != other.x


@dataclass
class Node:
    v: int
    left: Node | None = None
    right: Node | None = None


@dataclass(frozen=True)
class Place:
    x: int
    y: int | None = None


@dataclass(frozen=True)
class Visit:
    at: Place | None
    how: tuple
    when: float = 0.5


class Suit(Enum):
    RED = 1
    BLACK = 2


class Shade(str, Enum):
    DARK = "dark"
    LIGHT = "light"


class Level(IntEnum):
    LOW = 1
    HIGH = 10


class Own(Enum):
    A = 1
    B = 2

    def __hash__(self):
        return 7 + self.value


class Bits(Flag):
    A = 1
    B = 2


@dataclass(frozen=True)
class Card:
    suit: Suit
    level: Level
    own: Own


def pairs(a, n):
    out = []
    for i in range(n):
        x = a[i % 3] if i % 2 else None
        y = a[i % 2] if i % 3 else None
        out.append((x == y, x != y, x == a[0], a[1] != y, y != x, x == None, None != y))  # noqa: E711
    return out


def declining(n):
    return pairs([Declines(1), Declines(2), Declines(1)], n)


def asking(n):
    return pairs([AsksNone(1), AsksNone(2), AsksNone(1)], n)


def equal_to_none(n):
    return pairs([EqualsNone(1), EqualsNone(2), EqualsNone(1)], n)


def own_unequal(n):
    return pairs([OwnUnequal(1), OwnUnequal(2), OwnUnequal(1)], n)


def noted(log, x, k):
    log.append(k)
    return x


def in_order(n):
    log = [0]
    xs = [Declines(1), None, Declines(1)]
    r = [noted(log, xs[i], 2 * i) == noted(log, xs[2 - i], 2 * i + 1) for i in range(n)]
    return r, log


def grown(depth, k):
    if depth == 0:
        return Node(k)
    return Node(k, grown(depth - 1, 2 * k), grown(depth - 1, 2 * k + 1))


def trees(depth):
    a, b, c = grown(depth, 1), grown(depth, 1), grown(depth, 1)
    if c.left is not None:
        c.left.v = 77
    return a == b, a == c, a != c, a.left == b.left, a.left == c.right


def visits(n):
    seen = {}
    for i in range(n):
        v = Visit(Place(i % 2, i if i % 5 else None) if i % 3 else None, (i % 2, "ab"))
        seen[v] = seen.get(v, 0) + 1
    whole = Visit(Place(1), (1, "ab"))
    return list(seen.values()), whole in seen, hash(whole) == hash((Place(1), (1, "ab"), 0.5))


def of_parts(n):
    same = hash((Declines(n), 3)) == hash((n, 3)), hash((1, (Declines(2), 5))) == hash((1, (2, 5)))
    return same, hash(frozenset([n, 2, 1])), hash(frozenset([1.5])), hash(complex(n, 2.5)), hash(n)


def of_members(n):
    d = {}
    for i in range(n):
        c = Card(Suit.RED if i % 2 else Suit.BLACK, Level.HIGH, Own.B)
        d[c] = d.get(c, 0) + 1
    names = hash(Suit.RED) == hash("RED"), hash((Suit.RED, n)) == hash(("RED", n))
    values = hash(Shade.DARK) == hash("dark"), hash(Level.HIGH), hash((Level.LOW, n)), hash(Own.B)
    bits = hash(Bits.A) == hash("A"), hash((Bits.A | Bits.B, n)) == hash(("A|B", n))
    return list(d.values()), names, values, bits


@pytest.mark.parametrize("n", [0, 1, 12])
@pytest.mark.parametrize("f", [declining, asking, equal_to_none, own_unequal])
def test_equality_asks_the_method_where_one_is_none(f, n):
    assert njit(f)(n) == f(n)


def test_both_operands_are_evaluated_once_and_in_order():
    assert njit(in_order)(3) == in_order(3)


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_dataclasses_with_fields_that_may_be_none_are_equal(depth):
    assert njit(trees)(depth) == trees(depth)


@pytest.mark.parametrize("n", [0, 1, 17])
def test_frozen_dataclasses_of_dataclasses_and_none_are_keys(n):
    assert njit(visits)(n) == visits(n)


@pytest.mark.parametrize("f", [of_parts, of_members])
@pytest.mark.parametrize("n", [3, 0])
def test_hash_of_parts(f, n):
    assert njit(f)(n) == f(n)
