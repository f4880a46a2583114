# SPDX-License-Identifier: BSD-3-Clause
"""Forms in which classes are written and used: each yields what CPython yields."""

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from enum import IntEnum

import pytest

import swathe

njit = swathe.njit


def holds(f, *args):
    """Hold a function against itself in Python: its result, or what it raises."""
    found = []
    for g in (f, njit(f)):
        try:
            found.append((repr(g(*args)), ""))
        except (TypeError, KeyError, ValueError) as e:
            found.append((type(e).__name__, str(e).split("\n")[0]))
    assert found[1] == found[0]


# ---- what a function is known to return, as an argument ----


def say(k):
    return "Quack"


def loud(out, k):
    out.append(k)
    return "Loud"


class Speaker:
    def speak(self):
        return "Woof"

    def __getitem__(self, k):
        return k + "!"

    def __call__(self, a, *rest, **more):
        return a + "-".join(rest) + str(len(more))


def joined(a, *rest):
    return a + "".join(rest)


def known_texts(n):
    s = Speaker()
    out = [say(n)]
    out.append(say(n))
    out.insert(0, s.speak())
    d = {}
    d.setdefault(s.speak(), say(n))
    f = joined if n else say
    return out, d, s[say(1)], s(say(1), s.speak(), b=say(n)), joined(*(say(1), "x")), f(say(2))


def known_texts_with_effects(n):
    seen = [0]
    out = ["x"]
    out.append(loud(seen, 1))
    t = joined(loud(seen, 2), loud(seen, 3))
    return out, t, seen, list(map(joined, [loud(seen, 4)]))


def test_texts_that_functions_are_known_to_return_are_arguments():
    holds(known_texts, 1)
    holds(known_texts_with_effects, 1)


# ---- bases of which there are no instances ----


class Account(ABC):
    made = 0

    def __init__(self, balance):
        Account.made += 1
        self.balance = balance

    def withdraw(self, x):
        if x > self.available():
            raise ValueError("too much")
        self.balance -= x

    @abstractmethod
    def available(self): ...


class Checking(Account):
    def __init__(self, balance, more):
        super(Checking, self).__init__(balance)
        self.more = more

    def available(self):
        return self.balance + self.more


class Savings(Account):
    def available(self):
        return self.balance


class Shape:
    count = 0

    def __init__(self, size):
        Shape.count += 1
        self.size = size

    def area(self):
        pass


class Square(Shape):
    def area(self):
        return self.size * self.size


class Circle(Shape):
    def area(self):
        return 3.0 * self.size


def accounts(x):
    found = {1: Checking(50.0, 100.0), 2: Savings(70.0)}
    for a in found.values():
        a.withdraw(x)
    return [a.balance for a in found.values()], Account.made


def areas(n):
    shapes = []
    for i in range(n):
        shapes.append(Square(i) if i % 2 else Circle(i))
    return sum(s.area() for s in shapes), Shape.count


def test_bases_that_are_only_named_are_no_class_of_a_value():
    for f, x in ((accounts, 60.0), (accounts, 90.0), (areas, 5)):
        Account.made = Shape.count = 0
        want = njit_or_error(f, x)
        Account.made = Shape.count = 0
        assert njit_or_error(njit(f), x) == want


def njit_or_error(f, x):
    try:
        return f(x)
    except ValueError as e:
        return str(e).split("\n")[0]


# ---- indices that may be None ----


def stored(n):
    _, m = (1, 2) if n else (3, None)
    x = [0, 1, 2, 3]
    x[m] = 7
    x[m] += 4
    del x[m - 1]
    return x[m]


def stored_in_ring(n):
    m = 1 if n else None
    d = deque([1, 2, 3])
    d[m] = 4
    d[m] += 5
    return list(d)


def deleted(n):
    m = 1 if n else None
    x = {1: 2}
    try:
        del x[m]
    except KeyError as e:
        return str(e)
    return str(len(x))


def deleted_of_none(n):
    x = [3] if n else None
    try:
        del x[0]
    except TypeError:
        return "no"
    return str(x)


@pytest.mark.parametrize("n", [0, 1])
def test_places_whose_index_may_be_none(n):
    for f in (stored, stored_in_ring, deleted, deleted_of_none):
        holds(f, n)


# ---- members of an IntEnum in fields ----


class Rank(IntEnum):
    TWO = 2
    ACE = 14


@dataclass(frozen=True, order=True)
class Card:
    rank: Rank
    suit: str


def best(cards):
    return max(cards).suit, cards[0].rank + 1, Card(Rank.ACE, "s") > cards[0]


def test_fields_that_are_members_of_an_int_enum():
    cards = [Card(Rank.TWO, "a"), Card(Rank.ACE, "b")]
    holds(best, cards)
    assert cards[0].rank is Rank.TWO
