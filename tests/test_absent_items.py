# SPDX-License-Identifier: BSD-3-Clause
"""`n = d.get(k, ())`, `d[k] if k in d else ()`, `d.get(k) or ()`, of lists and sets: an empty one
where nobody asks which it was."""

import pytest

from swathe import njit

LISTS, SETS, TUPLES = {1: [2, 3], 5: []}, {1: {2, 3}, 5: set()}, {1: (2, 3), 5: (4, 5)}


def by_get(d, k):
    n = d.get(k, ())
    t = 0
    for x in n:
        t += x
    if not n:
        t -= 1
    return t, len(n), 3 in n, sorted(n), [x + 1 for x in n]


def by_or(d, k):
    n = d.get(k) or ()
    t = 0
    while n and t < 10:
        t += sum(n)
    return t, max(n, default=7)


def by_test(d, k):
    n = d[k] if k in d else ()
    m = () if k not in d else d[k]
    return list(n), [x * y for x in n for y in m]


def again(d, k):
    n = d.get(k, ())
    s = sum(n)
    n = d.get(k + 1, ())
    return s, sum(n)


def changed(d, k):
    n = d.get(k, ())
    if k in d:
        d[k].append(9)
    return sum(n), len(n)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("d", [LISTS, SETS, TUPLES], ids=["lists", "sets", "tuples"])
@pytest.mark.parametrize("f", [by_get, by_or, by_test, again])
def test_empty_ones_stand_in(f, d, k):
    assert njit(f)(d, k) == f(d, k)


@pytest.mark.parametrize("k", [1, 2])
def test_the_list_stays_that_of_the_dict(k):
    a, b = {1: [2, 3]}, {1: [2, 3]}
    assert njit(changed)(a, k) == changed(b, k)
    assert a == b


def reached(graph, start):
    seen = {start}
    todo = [start]
    while todo:
        out = graph.get(todo.pop(), ())
        for w in out:
            if w not in seen:
                seen.add(w)
                todo.append(w)
    return sorted(seen)


def test_graphs():
    for g in ({1: [2], 2: [3, 4], 4: [1]}, {"a": {"b"}, "b": {"c"}}):
        for start in g:
            assert njit(reached)(g, start) == reached(g, start)


def given_back(d, k):
    n = d.get(k, ())
    return n


def told_apart(d, k):
    n = d.get(k, ())
    return n == ()


@pytest.mark.parametrize("f", [given_back, told_apart])
def test_whoever_asks_gets_what_python_has(f):
    for k in (1, 99):
        got, want = njit(f)(LISTS, k), f(LISTS, k)
        assert type(got) is type(want)
        assert got == want
