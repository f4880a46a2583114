"""A variable that is a range first and a list later, where nobody can tell them apart."""

from __future__ import annotations

import pytest

import swathe


def distance(a, b):
    if len(a) < len(b):
        return distance(b, a)
    before = range(len(b) + 1)
    for i, c in enumerate(a):
        now = [i + 1]
        for j, d in enumerate(b):
            now.append(min(before[j + 1] + 1, now[j] + 1, before[j] + (c != d)))
        before = now
    return before[-1]


def on_one_path(n):
    r = range(n)
    if n > 2:
        r = [4, 5]
    return sum(r), len(r), [x for x in r], sorted(r), max(r) if len(r) else 0


def in_turn(n):
    r, k = range(1, 10, 3), 0
    s = range(3)
    for i in range(n):
        s = [v + i for v in s]
        for v in s:
            k += v
    while k < n:
        k += max(r)
        r = [v + 1 for v in r]
    return k, r[0], s[-1]


@pytest.mark.parametrize("n", range(5))
def test_one_or_the_other(n):
    assert swathe.njit(on_one_path)(n) == on_one_path(n)
    assert swathe.njit(in_turn)(n) == in_turn(n)


def test_distance():
    f = swathe.njit(distance)
    for a, b in (("kitten", "sitting"), ("", ""), ("abc", ""), ("rosettacode", "raisethysword")):
        assert f(a, b) == distance(a, b)


def test_what_tells_them_apart_stays_refused():
    def f(n):
        r = range(n)
        if n > 2:
            r = [4, 5]
        return r

    def g(n):
        r = range(n)
        if n > 2:
            r = [4, 5]
        r[0] = 3
        return n

    for wrong in (f, g):
        with pytest.raises(swathe.CompileError, match="type of 'r' changes"):
            swathe.njit(wrong)(1)
