# SPDX-License-Identifier: BSD-3-Clause
"""Long tuples of like values as arguments: code is not made for their lengths."""

import numpy as np
import pytest
from live_memory import live

from swathe import njit, objmode


@njit
def numbers(t):
    total = t[0]
    for x in t[1:]:
        total += x
    return total, t[3], t[-1], len(t), max(t), 5 in t, t[2:5], np.array(t).sum(), t


def test_numbers():
    for make in (int, float):
        for n in (65, 100, 1000):
            t = tuple(make(i) for i in range(n))
            got = numbers(t)
            assert got == numbers.py_func(t)
            assert got[-1] is t
    assert numbers.stats["compiled"] + numbers.stats["cache_hits"] == 2


@njit
def whole(t, u):
    a, b, *c = t
    key = hash(t) == hash(u), t is u, t == u, t < u, {t: 1}[t], t in {t}
    return key, a + b + len(c), t + (1, 2), [x * 2 for x in t], t.index(5), t.count(3)


def test_as_a_whole():
    t = tuple(range(90))
    for u in (t, tuple(range(100)), (1, 2, 3)):
        assert whole(t, u) == whole.py_func(t, u)


def count(*args):
    return len(args)


def test_functions_that_need_the_length():
    f = njit(lambda t: count(*t))
    assert f(tuple(range(70))) == 70
    assert f(tuple(range(80))) == 80


def test_texts():
    f = njit(lambda t: ("".join(t), t[0], "a" in t))
    t = tuple("abcdefghijklmnopqrst")
    assert f(t) == ("".join(t), "a", True)


class A:
    def __init__(self, x):
        self.x = x


class B(A):
    pass


@njit
def counted(t):
    for o in t:
        o.x += 1
    return t[0], sum([o.x for o in t]), [type(o).__name__ for o in t]


def test_objects():
    kinds = (A, A), (A, B)
    for kind in kinds:
        counted(tuple(kind[i % 2](i) for i in range(20)))
    before = live()
    for kind in kinds:
        t = tuple(kind[i % 2](i) for i in range(30))
        first, total, names = counted(t)
        assert first is t[0]
        assert [o.x for o in t] == [i + 1 for i in range(30)]
        assert total == sum(range(31))
        assert names == [type(o).__name__ for o in t]
    del first, t
    assert live() == before


@njit
def up(t):
    with objmode(n="int64"):
        n = len(t) + t[1]
    return n


def test_blocks_in_python():
    assert up(tuple(range(70))) == 71


def test_errors():
    f = njit(lambda t: t[200])
    with pytest.raises(IndexError, match="tuple index out of range"):
        f(tuple(range(70)))
    with pytest.raises(OverflowError):
        f(tuple(2**70 for _ in range(70)))
