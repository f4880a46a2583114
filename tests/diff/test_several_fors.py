# SPDX-License-Identifier: BSD-3-Clause
"""Generator expressions of several `for` that are values: given on, held, asked in pieces."""

from __future__ import annotations

import pytest
from said import outcome

import swathe


def _total(g):
    t = 0
    for x in g:
        t += x
    return t


def _pairs(n):
    return ((i, j) for i in range(n) for j in range(i))


def _two(g, h):
    return next(g, None), sum(h), list(g)


class Box:
    def __init__(self, g):
        self.g = g

    def take(self):
        return next(self.g, None)


def from_a_helper(n):
    return list(_pairs(n)), len(list(_pairs(n)))


def two_that_read_a_variable(n, k):
    return _two(
        (i * k for i in range(n) for j in range(i)),
        (a - b * k for a in range(n) if a % 2 for b in range(a)),
    )


def of_characters(words):
    letters = (c for w in words for c in w if c != "a")
    first = next(letters, "?")
    rest = "".join(letters)
    return first, rest


def in_a_field(words):
    b = Box(c for w in words for c in w)
    out = []
    while (x := b.take()) is not None:
        out.append(x)
    return out


def left_and_gone_on_with(grid):
    cells = ((r, c, v) for r, row in enumerate(grid) for c, v in enumerate(row) if v)
    out = {}
    for r, c, v in cells:
        out[r, c] = v
        if v > 5:
            break
    return out, list(cells)


def over_a_dict(d):
    g = (k + str(x) for k, xs in d.items() for x in xs)
    return list(g), list(g)


def _first(g, default):
    for x in g:
        return x
    return default


def first_that_fits(n):
    return _first(
        (
            a * b * c
            for a in range(1, n)
            for b in range(a, n)
            for c in range(b, n)
            if a * a + b * b == c * c
        ),
        -1,
    )


def with_functions_around_it(n):
    f = lambda a, b: a * 10 + b

    def g(x):
        return x + n

    it = (g(f(i, j)) for i in range(n) for j in range(n) if i != j)
    return next(it, 0), _total(it)


def over_a_generator(words):
    def letters(w):
        for c in w:
            yield c

    it = (c for w in words for c in letters(w))
    return next(it, ""), list(it)


def two_in_a_list(n):
    gs = [(i + j for i in range(3) for j in range(i)), (i * j for i in range(3) for j in range(i))]
    return [list(g) for g in gs]


def in_a_dict(n):
    d = {
        "a": (i for i in range(n) for j in range(2)),
        "b": (i * 2 for i in range(n) for j in range(2)),
    }
    return {k: sum(v) for k, v in d.items()}


def beside_its_source(xs):
    it = iter(xs)
    g = ((a, b) for a in it for b in range(2))
    return next(g, None), next(it, None), list(g)


def divided(xs):
    g = (a // b for a in xs for b in xs)
    return next(g), _total(g)


def zipped(m):
    g = zip((x for row in m for x in row), (y for row in m for y in row[::-1]))
    next(g, None)
    return list(g)


def asked_for_its_next(n):
    g = (i * 10 + j for i in range(n) for j in range(i) if (i + j) % 2)
    first = next(g, -1)
    return first, list(g)


def as_a_tuple(n):
    a = tuple(i + j for i in range(n) for j in range(2))
    return a, len(a)


def a_list_of_them(n):
    return [next(g, -1) for g in [(i for i in range(k) for _ in range(2)) for k in range(n)]]


def where_it_stands(xs):
    total = 0
    for p in ((a, b) for a in xs for b in xs if a < b):
        total += p[0] * p[1]
    g = iter((a, b) for a in xs for b in xs)
    next(g, None)
    return total, len(list(g))


def with_tests(xs, lo):
    def ok(a):
        return a > lo

    g = (a * b for a in xs if ok(a) for b in xs if ok(b))
    out = []
    for v in g:
        if v > 10:
            break
        out.append(v)
    return out, sum(g)


def asked_in_turns(n):
    g = (x for r in [[1, 2], [3]] for x in r)
    return dict(zip(g, g)), list(g)


def unpacked(n):
    a, *rest = (i * j for i in range(1, n) for j in range(1, n))
    return a, rest


def ended_by_an_error(n):
    g = (i / (n - j) for i in range(3) for j in range(3))
    out = []
    try:
        for v in g:
            out.append(v)
    except ZeroDivisionError as e:
        return out, str(e), list(g)
    return out, "", list(g)


def late(n):
    k = 2
    g = (i * k for i in range(n) for j in range(2))
    k = 5
    return next(g, 0), list(g)


CASES = [
    (from_a_helper, (0,)),
    (from_a_helper, (4,)),
    (two_that_read_a_variable, (0, 1)),
    (two_that_read_a_variable, (5, 2)),
    (of_characters, ([],)),
    (of_characters, (["abc", "dea"],)),
    (in_a_field, (["ab", "", "c"],)),
    (in_a_field, ([],)),
    (left_and_gone_on_with, ([[0, 1], [7, 2]],)),
    (left_and_gone_on_with, ([[]],)),
    (over_a_dict, ({"a": [1, 2], "b": []},)),
    (over_a_dict, ({},)),
    (first_that_fits, (3,)),
    (first_that_fits, (14,)),
    (with_functions_around_it, (0,)),
    (with_functions_around_it, (3,)),
    (over_a_generator, (["ab", "c"],)),
    (two_in_a_list, (1,)),
    (in_a_dict, (3,)),
    (beside_its_source, ([1, 2, 3],)),
    (beside_its_source, ([],)),
    (divided, ([1, 2],)),
    (divided, ([],)),
    (zipped, ([[1, 2], [3]],)),
    (as_a_tuple, (0,)),
    (as_a_tuple, (2,)),
    (a_list_of_them, (0,)),
    (a_list_of_them, (3,)),
    (where_it_stands, ([1, 2, 3],)),
    (where_it_stands, ([],)),
    (with_tests, ([1, 2, 3, 4], 1)),
    (with_tests, ([], 0)),
    (asked_in_turns, (1,)),
    (unpacked, (2,)),
    (unpacked, (3,)),
    (unpacked, (1,)),
    (ended_by_an_error, (5,)),
    (ended_by_an_error, (1,)),
    (asked_for_its_next, (0,)),
    (asked_for_its_next, (5,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", None))
def test_as_python(f, args):
    assert outcome(swathe.njit(f), args) == outcome(f, args)


def test_a_variable_that_changes_behind_it_is_refused():
    with pytest.raises(swathe.errors.UnsupportedError, match="make a list of it"):
        swathe.njit(late)(3)
