# SPDX-License-Identifier: BSD-3-Clause
"""Objects that lead to each other in circles are let go of when nothing else leads to them."""

import threading

import pytest

import swathe
from swathe import _core, jitclass, njit


class Link:
    def __init__(self, v):
        self.v = v
        self.before = None
        self.after = None


class Vertex:
    def __init__(self, k):
        self.k = k
        self.near = []
        self.by_name = {}


@jitclass
class Kept:
    v: int
    me: "Kept | None"
    more: "list[Kept]"
    numbers: list[float]

    def __init__(self, v):
        self.v = v
        self.me = None
        self.more = []
        self.numbers = [1.0, 2.0]


@njit
def ring(n):
    first = Link(0)
    last = first
    for i in range(1, n):
        x = Link(i)
        x.before = last
        last.after = x
        last = x
    last.after = first
    first.before = last
    total = 0
    x = first
    for _ in range(2 * n):
        total += x.v
        x = x.after
    return total


@njit
def graph(n):
    vertices = [Vertex(i) for i in range(n)]
    for a in vertices:
        for b in vertices:
            if (a.k + b.k) % 3:
                a.near.append(b)
                a.by_name[str(b.k)] = b
    return sum([len(x.near) for x in vertices])


@njit
def pair(n):
    a, b = Kept(n), Kept(n + 1)
    a.me, b.me = b, a
    for i in range(n):
        c = Kept(i)
        c.more.append(c)
        c.me = a
    return a


@njit
def values(k):
    return k.v, k.me.v, len(k.more), k.numbers[1]


def held():
    _core.collect()
    return _core.live()["bytes"]


def test_circles_go():
    ring(3), graph(3)
    before = held()
    assert ring(200) == 2 * sum(range(200))
    assert graph(30) == sum((a + b) % 3 > 0 for a in range(30) for b in range(30))
    assert _core.live()["bytes"] > before
    assert held() == before


def test_memory_is_bounded_without_being_asked():
    ring(100)
    before, most = held(), 0
    for _ in range(400):
        ring(100)
        most = max(most, _core.live()["bytes"] - before)
    assert most < 2_000_000
    assert held() == before


def test_what_python_has_stays():
    pair(1)
    before = held()
    k = pair(50)
    all_of_it = held() - before
    assert 0 < all_of_it < 1000
    assert values(k) == (50, 51, 0, 2.0)
    other = k.me
    del k
    assert held() - before == all_of_it
    assert (other.v, other.me.v, other.me.me is other, list(other.numbers)) == (
        51,
        50,
        True,
        [1.0, 2.0],
    )
    del other
    assert held() == before


def test_threads():
    @swathe.njit(nogil=True)
    def rings(n, times):
        total = 0
        for _ in range(times):
            total += ring(n)
        return total

    rings(3, 1)
    kept = [pair(3) for _ in range(20)]
    before, found = held(), []

    def work():
        for _ in range(15):
            found.append(rings(60, 10))
            a = pair(20)
            assert a.me.me is a

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert set(found) == {10 * 2 * sum(range(60))} and len(found) == 60
    assert [k.me.v for k in kept] == [4] * 20
    assert held() == before


@pytest.mark.parametrize("n", [0, 1])
def test_an_error_on_the_way(n):
    @njit
    def fails(n):
        x = Link(1)
        x.after = x
        y = Vertex(2)
        y.near.append(y)
        return 1 // n + x.v + y.k

    before = held()
    if n:
        assert fails(n) == 4
    else:
        with pytest.raises(ZeroDivisionError):
            fails(n)
    assert held() == before
