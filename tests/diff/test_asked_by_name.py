# SPDX-License-Identifier: BSD-3-Clause
"""What is written out before types are known: getattr with a default, setattr of what is evaluated,
map of a name that is set again, an attribute that is called flat as that of arrays is; and values
of a dict of which one is an empty tuple."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest
from said import outcome

import swathe


@dataclass
class Box:
    flat: list[int] = field(default_factory=list)
    n: int = 0
    seen: list[int] = field(default_factory=list)

    def bump(self) -> int:
        self.n += 1
        return self.n

    def see(self, k: int) -> int:
        self.seen.append(k)
        return k

    def me(self, k: int) -> Box:
        self.seen.append(k)
        return self


def t_default_is_evaluated(b, a):
    x = getattr(b, "flat", [b.bump()])
    y = getattr(b, "n", b.bump())
    z = [getattr(b, "other", b.bump()) for _ in range(2)]
    w = (lambda o: getattr(o, "n", o.bump()))(b)
    try:
        u = getattr(b, "n", a[0])
    except IndexError:
        u = -1
    return x, y, z, w, u, b.n


def t_default_without_effect(b, a):
    d = -1
    return getattr(b, "n", d), getattr(b, "flat", []), getattr(b, "x", None) is None, len(a)


def t_object_first(b, a):
    setattr(b.me(1), "n", b.see(2))
    objects = [b, b]
    setattr(objects.pop(), "n", b.see(len(objects)))
    for o in objects:
        setattr(o, "n", o.n + b.see(5))
    return b.n, b.seen


def t_flat_of_an_instance(b, a):
    old = b.flat
    c = Box([7])
    b.flat = c.flat
    c.flat.append(9)
    c.flat = [3]
    a.flat = 2
    return old, b.flat, c.flat, a


def t_islice_passes_over(b, a):
    it = iter([1, 2, 3, 4, 5])
    first = list(itertools.islice(it, 3, 2))
    return first, list(it)


def t_index(b, a):
    try:
        return [[1, 2]][-1].index(b.n + 5)
    except ValueError as e:
        return -1 if "list" in str(e) else -2


EXACT = [f for name, f in globals().items() if name.startswith("t_")]


@pytest.mark.parametrize("f", EXACT, ids=lambda f: f.__name__)
@pytest.mark.parametrize("size", [2, 0])
def test_as_in_python(f, size):
    args = Box([1, 2]), np.ones(size)
    assert outcome(swathe.njit(f, cache=False), args) == outcome(f, args)


def r_map(x):
    f = lambda v: v + 1  # noqa: E731
    m = map(f, x)
    f = lambda v: v * 100  # noqa: E731
    return list(m)


def r_map_of_method(x):
    b = [0]
    m = map(b.append, x)
    b = [7]
    return len(list(m)), b


def r_filter(x):
    d = {1: 2}
    m = filter(d.get, x)
    d = {2: 1}
    return list(m), d


def r_def(x):
    def f(v):
        return v + 1

    m = map(f, x)

    def f(v):
        return v * 100

    return list(m)


@pytest.mark.parametrize("f", [r_map, r_map_of_method, r_filter, r_def])
def test_functions_that_are_set_again(f):
    with pytest.raises(swathe.UnsupportedError, match="in a variable is not supported"):
        swathe.njit(f, cache=False)([1, 2])


def d_float():
    return {1: 1.0, 0: ()}


def d_list():
    return {1: [1], 0: (), 2: [2]}


def d_text(k):
    return {k: "x", 0: ()}


def d_pairs(k):
    return {1: (k, k), 0: (), 2: (k,)}


@pytest.mark.parametrize("f", [d_float, d_list, d_text], ids=lambda f: f.__name__)
def test_a_tuple_beside_other_values(f):
    args = (1,) * f.__code__.co_argcount
    with pytest.raises(swathe.TypingError, match="values of one type"):
        swathe.njit(f, cache=False)(*args)


def test_tuples_alone():
    assert swathe.njit(d_pairs, cache=False)(3) == d_pairs(3)
    units = swathe.njit(lambda: {1: (), 0: ()}, cache=False)
    assert units() == {1: (), 0: ()}
