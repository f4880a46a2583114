# SPDX-License-Identifier: BSD-3-Clause
"""Instances of classes with an __iter__ that yields, which may be None, and `in` by it, beside
CPython."""

import pytest

import swathe


class Node:
    def __init__(self, k, l=None, r=None):
        self.k, self.l, self.r = k, l, r

    def __iter__(self):
        if self.l is not None:
            yield from self.l
        yield self.k
        if self.r is not None:
            yield from self.r


class Box:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        for x in self.xs:
            yield x

    def __contains__(self, x):
        return x == 99


def build(xs):
    if not xs:
        return None
    m = len(xs) // 2
    return Node(xs[m], build(xs[:m]), build(xs[m + 1 :]))


def depth_first(n, d=0):
    if n is None:
        return
    yield d, n.k
    for c in (n.l, n.r):
        yield from depth_first(c, d + 1)


def listed(n):
    return list(build(list(range(n))))


def summed(n):
    t = build(list(range(n)))
    s = 0
    for x in t:
        s += x
    return s, sum(t), max(t), sorted(t, reverse=True), [x + 1 for x in t], list(enumerate(t))


def deep(n):
    return [f"{'  ' * d}{k}" for d, k in depth_first(build(list(range(n))))]


def found(n):
    t = build(list(range(n)))
    return 2 in t, n not in t, 0 in build([n]), 7 in Node(7), [x for x in range(9) if x in t]


def found_by_method(n):
    b = Box([1, n])
    return n in b, 99 in b, 99 not in Box([2]), list(b)


def caught(n):
    try:
        return sum(build(list(range(n))))
    except TypeError as e:
        return -len(str(e))


def failed(n):
    raise ValueError(f"no {n}")


def chosen(n):
    a = [n, 1] if n > 0 else failed(n)
    b = failed(n) if n > 5 else n
    return a, b + 1


@pytest.mark.parametrize(
    "f", (listed, summed, deep, found, found_by_method, caught, chosen), ids=lambda f: f.__name__
)
def test_gone_through(f):
    g = swathe.njit(f)
    for n in (4, 1, 0, 7):
        try:
            want = f(n)
        except (TypeError, ValueError) as e:
            with pytest.raises(type(e)) as ours:
                g(n)
            assert str(ours.value).split("\n")[0] == str(e)
        else:
            assert repr(g(n)) == repr(want)
