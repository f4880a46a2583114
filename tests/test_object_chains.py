# SPDX-License-Identifier: BSD-3-Clause
"""Objects of plain classes that lead to each other in long chains, at the boundary: as arguments,
as results, as what a function hangs on its arguments. None takes stack by its length."""

from dataclasses import dataclass, field

from live_memory import live

import swathe

njit = swathe.njit
LONG = 60_000


class Node:
    def __init__(self, v, next=None):
        self.v = v
        self.next = next


@dataclass
class Link:
    v: int
    next: "Link | None" = None


@dataclass
class Twig:
    v: int
    kids: "list[Twig]" = field(default_factory=list)


@dataclass(frozen=True)
class Key:
    name: str
    n: int


@dataclass
class Held:
    key: Key
    by_key: dict[Key, int]


def chain(cls, n):
    h = None
    for i in range(n):
        h = cls(i, h)
    return h


def cut(h):
    """Let go of one after the other; how many are there?"""
    n = 0
    while h is not None:
        after = h.next
        h.next = None
        h = after
        n += 1
    return n


@njit
def nodes(n):
    h = None
    for i in range(n):
        h = Node(i, h)
    return h


@njit
def links(n):
    h = Link(0)
    for i in range(1, n):
        h = Link(i, h)
    return h


@njit
def twigs(n):
    h = Twig(0)
    for i in range(1, n):
        h = Twig(i, [h])
    return h


@njit
def add(h, x):
    t = 0
    while h is not None:
        t += h.v
        h.v += x
        h = h.next
    return t


@njit
def hang(h, n):
    for i in range(n):
        h.next = Link(-i, h.next)


def come_and_go(n):
    for make in (nodes, links):
        h = make(n)
        assert (h.v, h.next.v) == (n - 1, n - 2)
        assert add(h, 1) == n * (n - 1) // 2
        assert (h.v, h.next.v) == (n, n - 1)
        assert cut(h) == n
    for cls in (Node, Link):
        h = chain(cls, n)
        assert add(h, 2) == n * (n - 1) // 2
        assert h.next.next.v == n - 1
        assert cut(h) == n
    h = Link(7)
    hang(h, n)
    assert h.next.v == 1 - n
    assert cut(h) == n + 1


def test_long_chains_come_and_go():
    come_and_go(3)
    before = live()
    come_and_go(LONG)
    assert live() == before


def test_long_chains_of_lists():
    h, n = twigs(2000), 0
    while h.kids:
        h, n = h.kids[0], n + 1
    assert (h.v, n) == (0, 1999)


@njit
def held(n):
    k = Key("a", n)
    return Held(k, {k: 1, Key("b", n): 2})


def test_keys_are_whole_when_they_are_hashed():
    h = held(3)
    assert h.by_key == {Key("a", 3): 1, Key("b", 3): 2}
    assert next(iter(h.by_key)) is h.key


class Point:
    def __init__(self, x, y, name, tags):
        self.x, self.y, self.name, self.tags = x, y, name, tags


@njit
def shift(p, q):
    if q:
        p.x = p.y
        p.name = p.name + "!"
        p.tags = ["new"]
    return p.tags


def test_only_what_has_changed_is_set():
    name, tags, x = "n" * 100, ["t"], 1000.5
    p = Point(x, 5, name, tags)  # an int among floats stays one
    assert shift(p, False) is tags
    assert p.x is x and p.y == 5 and type(p.y) is int and p.name is name and p.tags is tags
    p = Point(1.0, 2.5, name, tags)
    assert shift(p, True) == ["new"]
    assert (p.x, p.name, p.tags, tags) == (2.5, name + "!", ["new"], ["t"])
