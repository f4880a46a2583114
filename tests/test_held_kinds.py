# SPDX-License-Identifier: BSD-3-Clause
"""Fields that a plain class declares as a kind of container, with nothing said of what it holds."""

import collections
import typing
from dataclasses import dataclass, field

import pytest

import swathe


@dataclass
class Holder:
    ident: int
    stops: set = field(default_factory=set)
    queue: collections.deque = field(default_factory=collections.deque)
    counts: collections.Counter = field(default_factory=collections.Counter)
    ranks: collections.defaultdict = field(default_factory=lambda: collections.defaultdict(int))
    last: "collections.OrderedDict[str, int]" = field(default_factory=collections.OrderedDict)
    words: typing.Set[str] = field(default_factory=set)  # noqa: UP006
    parent: "Holder | None" = None


class Written:
    seen: set

    def __init__(self):
        self.seen = set()
        self.steps: collections.deque = collections.deque(maxlen=2)


def made(n):
    h = Holder(n)
    for i in range(n):
        h.stops.add((i, i % 2))
        h.queue.append(str(i))
        h.counts.update("ab"[: i % 3])
        h.ranks[i % 2] += i
        h.last[str(i % 3)] = i
        h.words.add("x" * i)
    h.parent = Holder(n + 1)
    w = Written()
    for i in range(4):
        w.seen.add(i * 0.5)
        w.steps.append(i)
    return (
        sorted(h.stops), list(h.queue), sorted(h.counts.items()), sorted(h.ranks.items()),
        list(h.last.items()), sorted(h.words), h.parent.ident, sorted(w.seen), list(w.steps),
    )  # fmt: skip


def changed(w):
    w.seen.add(7)
    return len(w.seen)


def test_made():
    g = swathe.njit(made)
    for n in (0, 5):
        assert g(n) == made(n)


def test_argument():
    @dataclass
    class Sets:
        seen: set = field(default_factory=set)

    @dataclass
    class Queues:
        seen: collections.deque = field(default_factory=collections.deque)

    s = Sets({1, 2})
    assert swathe.njit(changed)(s) == 3
    assert s.seen == {1, 2, 7}
    with pytest.raises(TypeError, match="field 'seen' of .*is or holds a deque"):
        swathe.njit(changed)(Queues(collections.deque([1])))
