# SPDX-License-Identifier: BSD-3-Clause
"""What views of dicts are not, attrgetter and methodcaller, and zip(*rows) of sets and dicts."""

import functools
import operator
from collections import OrderedDict, namedtuple
from operator import attrgetter, methodcaller

import pytest

import swathe

made = functools.cache(swathe.njit)
Person = namedtuple("Person", "name age")


class Owner:
    def __init__(self, x, person):
        self.x = x
        self.person = person

    def get(self, k=1):
        return self.x * k


def sorts():
    ps = [Person("b", 3), Person("a", 3), Person("c", 1)]
    qs = [Owner(3, ps[0]), Owner(1, ps[1])]
    b = sorted(ps, key=attrgetter("age", "name"))
    c = max(qs, key=attrgetter("person.name")).x, min(qs, key=methodcaller("get", -2)).x
    qs.sort(key=operator.attrgetter("x"))
    return b, c, [q.x for q in qs], sorted([3 + 1j, 2 + 2j], key=attrgetter("real"))


def calls():
    f = attrgetter("age")
    ps = [Person("b", 3), Person("a", 4)]
    a = list(map(methodcaller("upper"), ["x", "y"])), list(map(attrgetter("name"), ps))
    return a, [f(p) for p in ps], methodcaller("split", ",", maxsplit=1)("a,b,c")


def columns():
    a, b = zip(*{(1, "x"), (3, "y")})
    c, d = zip(*{(1, 2.5): 1, (3, 4.5): 2})
    e, f, g = zip(*frozenset([(1, "a", 2)]))
    h, i = map(list, zip(*{(1, 2): 1}.keys()))
    return sorted(a), sorted(b), c, d, e, f, g, h, i


@pytest.mark.parametrize("f", [sorts, calls, columns], ids=lambda f: f.__name__)
def test_results(f):
    assert made(f)() == f()


def index():
    return {1: 2}.keys()[0]


def index_of_name():
    d = {1: 2}
    k = d.keys()
    return k[0]


def part():
    d = {1: 2}
    return d.values()[-1:]


def of_ordered():
    d = OrderedDict({1: 2})
    return d.items()[0]


def stored():
    d = {1: 2}
    d.keys()[0] = 3


def deleted():
    d = {1: 2}
    del d.keys()[0]


def sort():
    d = {1: 2}
    k = d.keys()
    k.sort()


def append():
    d = {1: 2}
    d.values().append(3)


def added():
    d = {1: 2}
    return d.keys() + [1]


def times():
    d = {1: 2}
    return 2 * d.values()


NOT_LISTS = [index, index_of_name, part, of_ordered, stored, deleted, sort, append, added, times]


@pytest.mark.parametrize("f", NOT_LISTS, ids=lambda f: f.__name__)
def test_views_are_no_lists(f):
    with pytest.raises((TypeError, AttributeError)) as theirs:
        f()
    with pytest.raises(theirs.type) as ours:
        swathe.njit(f)()
    if f not in (added, times):
        assert str(ours.value).startswith(str(theirs.value))
