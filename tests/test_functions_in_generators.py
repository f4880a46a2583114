# SPDX-License-Identifier: BSD-3-Clause
"""Functions and generators that a generator defines, and uses behind a yield."""

import pytest
from live_memory import live

import swathe


def squares(n):
    k = 0

    def sq(x):
        return x * x + k

    for i in range(n):
        k += 1
        yield sq(i) + n


def even_or_odd(n):
    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    yield n
    for i in range(n):
        yield even(i)


def running(n):
    total = 0

    def add(x):
        nonlocal total
        total += x
        return total

    for i in range(n):
        yield add(i)


def permutations(xs):
    used = [False] * len(xs)
    cur = []

    def rec():
        if len(cur) == len(xs):
            yield tuple(cur)
            return
        for i, x in enumerate(xs):
            if not used[i]:
                used[i] = True
                cur.append(x)
                yield from rec()
                cur.pop()
                used[i] = False

    yield from rec()


def words(n, p):
    def walk(n, acc):
        if n > 0:
            yield acc
            yield from walk(n - 1, acc + "x")

    yield from walk(n, p)
    yield "-"
    yield from walk(1, "end")


def in_place(n):
    base = [n]

    def pairs(k):
        for j in range(k):
            yield (k, j + base[0])

    for i in range(n):
        for p in pairs(i):
            yield p
        base.append(i)


def later(n):
    yield 1
    k = n + 2

    def add(x):
        return x + k

    yield add(1)
    k = 100
    yield add(2)


class Node:
    def __init__(self, v):
        self.v = v
        self.left = None
        self.right = None


class Tree:
    def __init__(self):
        self.root = None

    def add(self, v):
        def put(n):
            if n is None:
                return Node(v)
            if v < n.v:
                n.left = put(n.left)
            else:
                n.right = put(n.right)
            return n

        self.root = put(self.root)

    def __iter__(self):
        def walk(n):
            if n is not None:
                yield from walk(n.left)
                yield n.v
                yield from walk(n.right)

        yield from walk(self.root)


def uses_squares(n):
    g = squares(n)
    t = 0
    for v in squares(n + 1):
        t = t * 3 + v
    return next(g, -1), list(g), t, sum(squares(n + 2))


def uses_even(n):
    g = even_or_odd(n)
    return next(g), list(g), [x for x in even_or_odd(2)]


def uses_running(n):
    g, h = running(n), running(n + 1)
    return next(g, -1), next(h), list(g), list(h)


def uses_permutations(n):
    g = permutations([k * 2 for k in range(n)])
    return next(g), list(g), sum(1 for _ in permutations([1, 2, 3]))


def uses_words(n):
    g = words(n, "a")
    return next(g), list(g), list(words(2, "b"))


def uses_in_place(n):
    g = in_place(n)
    return next(g, (0, 0)), list(g), list(in_place(2))


def uses_later(n):
    g = later(n)
    return next(g), list(g)


def uses_tree(n):
    t = Tree()
    for v in (5, 2, 8, n, 9):
        t.add(v)
    it = iter(t)
    return next(it), list(t), [v for v in t if v > 2], sum(t)


ALL = [uses_squares, uses_even, uses_running, uses_permutations, uses_words, uses_in_place]
ALL += [uses_later, uses_tree]


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_as_python(f):
    before = live()
    g = swathe.njit(f)
    for n in (1, 3):
        assert g(n) == f(n)
    del g
    assert live() == before


def set_again(n):
    k = 0

    def gen(m):
        yield k
        if m:
            yield from gen(m - 1)

    for _ in range(n):
        k += 1
        yield from gen(1)


def as_value(n):
    def gen(m):
        yield m
        if m:
            yield from gen(m - 1)

    f = gen
    yield 7
    yield from f(n)


def too_early(n):
    yield f(n)  # noqa: F821

    def f(x):
        return x


@pytest.mark.parametrize("gen", [set_again, as_value, too_early], ids=lambda f: f.__name__)
def test_refused(gen):
    def f(n):
        g = gen(n)
        return next(g), list(g)

    with pytest.raises((swathe.CompileError, UnboundLocalError)):
        swathe.njit(f)(3)
