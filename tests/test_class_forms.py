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


def shown(card):
    return f"{card}", repr(card)


def test_fields_that_are_members_of_an_int_enum():
    cards = [Card(Rank.TWO, "a"), Card(Rank.ACE, "b")]
    holds(best, cards)
    assert cards[0].rank is Rank.TWO
    holds(shown, cards[1])


# ---- instances that are equal to themselves alone, as keys ----


class Node:
    def __init__(self, v):
        self.v = v
        self.adj = []


class Unhashable:
    __hash__ = None

    def __init__(self, v):
        self.v = v


@dataclass
class Compared:
    v: int


@dataclass(eq=False)
class Itself:
    v: int


def walked(n):
    nodes = [Node(i) for i in range(n)]
    for i in range(n):
        nodes[i].adj += [nodes[(i * 3 + 1) % n], nodes[(i * 5 + 2) % n]]
    seen, depth, todo = set(), {nodes[0]: 0}, [nodes[0]]
    while todo:
        x = todo.pop(0)
        seen.add(x)
        for y in x.adj:
            if y not in depth:
                depth[y] = depth[x] + 1
                todo.append(y)
    for x in nodes[::2]:
        seen.discard(x)
    gone = depth.pop(nodes[0])
    rest = set(nodes) - {nodes[1]}
    return [depth.get(x, -1) for x in nodes], len(seen), gone, len(rest), nodes[1] in rest


def itself(n):
    return len({Itself(1), Itself(1)}) + n


def walked_given(graph, start, weights):
    seen, todo, out = {start}, [start], []
    while todo:
        x = todo.pop()
        out.append(x.v)
        weights[x] += 1
        for y in graph[x]:
            if y not in seen:
                seen.add(y)
                todo.append(y)
    new = Node(9)
    weights[new] = 5
    del weights[start]
    return out, new, len(weights), seen


def given_graph():
    a, b, c = Node(1), Node(2), Node(3)
    return {a: [b, c], b: [c], c: [a]}, a, {c: 1, a: 2, b: 3}


def test_instances_are_keys_by_what_they_are():
    holds(walked, 9)
    holds(itself, 2)
    found = []
    for f in (walked_given, njit(walked_given)):
        graph, start, weights = given_graph()
        out, new, n, seen = f(graph, start, weights)
        assert list(weights)[-1] is new and start not in weights and new not in graph
        assert seen == set(graph) and {id(x) for x in seen} == {id(x) for x in graph}
        found.append((out, n, [(k.v, v) for k, v in weights.items()]))
    assert found[0] == found[1]


@pytest.mark.parametrize("cls", [Unhashable, Compared])
def test_instances_without_a_hash_are_no_keys(cls):
    def keys(n):
        return len({cls(n)})

    with pytest.raises((TypeError, swathe.errors.CompileError)):
        njit(keys)(1)


# ---- x.a += v, where x is no name, or a is a property ----


class Vec:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Vec(self.x + other.x)


class Sum(Vec):
    def __iadd__(self, other):
        self.x += other.x
        return self


class Part:
    def __init__(self, v):
        self.items = []
        self.vec = Vec(v)
        self.sum = Sum(v)
        self._left = v
        self.reads = 0

    @property
    def left(self):
        self.reads += 1
        return self._left

    @left.setter
    def left(self, v):
        if v < 0:
            raise ValueError("negative")
        self._left = v

    def me(self, out):
        out.append(self._left)
        return self


def added_to(parts, n):
    out = []
    kept = parts[0].sum
    for p in parts:
        p.left -= n
    parts[0].items += [n, 1]
    parts[-1].me(out).items += parts[0].items
    parts[0].me(out).left += 2
    parts[0].vec += Vec(3)
    parts[0].sum += Sum(4)
    told = [(p.items, p.vec.x, p.sum.x, p.left, p.reads) for p in parts]
    return told, out, kept is parts[0].sum


def added(n):
    return added_to([Part(3), Part(4)], n)


def test_attributes_are_added_to_once():
    holds(added, 2)
    holds(added, 4)
    told = []
    for f in (added_to, njit(added_to)):
        one = Part(5)
        parts = [one, one, Part(6)]
        told.append((f(parts, 1), [(p.items, p.left, p.reads) for p in parts], parts[0] is one))
    assert told[0] == told[1]


# ---- instances that are unpacked ----


class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        return iter((self.x, self.y))


class Yields(Pair):
    def __iter__(self):
        yield self.x
        yield self.y


class Gives(Pair):
    def __iter__(self):
        return (v for v in (self.x, self.y))


def unpacked(n):
    a, b = Pair(n, 2)
    p = Gives(3, n)
    c, *d = p
    e, f = Yields(n, b)
    return a, b, c, d, e, f


def unpacked_given(p):
    x, y = p
    p.x, p.y = y, x
    return x - y


def unpacked_wrong(n):
    a, b, c = Pair(n, 2)
    return a


def test_instances_are_unpacked():
    holds(unpacked, 1)
    holds(unpacked_wrong, 1)
    for p in (Pair(1, 2), Gives(1, 2), Yields(1, 2)):
        assert njit(unpacked_given)(p) == -1 and (p.x, p.y) == (2, 1)


class Named(Pair):
    def name(self):
        return type(self).__name__ + self.__class__.__name__


def names(n):
    return Named(n, 1).name(), tuple(Named(n, 2))


def test_classes_that_are_gone_through_have_names():
    holds(names, 1)


# ---- None, where it is no key ----


def looked_for(n):
    k = 0 if n else None
    s = "a" if n else None
    d, t = {0: 2, 1: 5}, {"a": 1}
    a, b = Node(1), Node(2)
    nodes = {a: 3}
    x = a if n else None
    names = {"a"}
    names.discard(s)
    found = [k in d, k in {0}, s in t, x in nodes, x in {b}]
    return found, d.get(k, 7), d.pop(k, 9), t.get(s, 4), nodes.get(x, 8), len(d), len(names)


def no_key(n):
    d = {1: 2}
    k = 1 if n else None
    try:
        d[k] = 3
    except TypeError:
        return str(len(d)) + str(d[1])
    return str(len(d))


def test_none_is_not_found_where_it_is_no_key():
    holds(looked_for, 0)
    holds(looked_for, 1)
    assert njit(no_key)(0) == "12" and njit(no_key)(1) == "1"
