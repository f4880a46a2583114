"""Tuples are ordered by their first parts that differ, whatever stands behind these."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from swathe import njit


@dataclass
class Task:
    name: str
    size: int


@dataclass
class Rank:
    v: int

    def __lt__(self, other):
        return self.v < other.v


def dicts(n):
    h = []
    for i in range(n):
        heapq.heappush(h, (i % 3, i, {"k": i}))
    return [heapq.heappop(h)[2]["k"] for _ in range(n)]


def tasks(n):
    h = []
    k = itertools.count()
    for i in range(n):
        heapq.heappush(h, (i % 3, next(k), Task(f"t{i}", i)))
    return [heapq.heappop(h)[2].name for _ in range(n)]


def arrays(n):
    h = []
    for i in range(n):
        heapq.heappush(h, (-i, np.arange(i)))
    return [heapq.heappop(h)[1].sum() for _ in range(n)]


def ranks(n):
    t = sorted([(i % 2, Rank(-i), i) for i in range(n)])
    return [x[2] for x in t], max((i % 3, Rank(i % 5)) for i in range(n))[1].v


def sets(n):
    return [a for a, _ in sorted([(n - i, {i, 1}) for i in range(n)])]


def nothing(n):
    return sorted([(i, None if i % 2 else i, 2.5) for i in range(n, 0, -1)])


def nested(n):
    return sorted([(1, (n - i, [i], {1: 2})) for i in range(n)])[0][1][1], (1, [2]) < (1, [2, 0])


def each(n):
    a, b = (n, np.arange(n)), (n + 1, np.arange(n))
    return a < b, a <= b, a > b, a >= b, min(a, b)[0], (0, Task("a", n)) == (0, Task("a", n))


def equal(n):
    t = (1, Task("a", n), [n])
    return t == (1, Task("a", n), [n]), t != (1, Task("a", n), [n]), t == (1, Task("b", n), [n])


def tied_tasks(n):
    return sorted([(i % 2, Task("x", i)) for i in range(n)])[0][0]


def tied_none(n):
    return sorted([(i % 2, None if i == 1 else i) for i in range(n)])[0][0]


def tied_dicts(n):
    return max((i % 2, {1: i}) for i in range(n))[0]


def complexes(n):
    h = []
    for i in range(n):
        heapq.heappush(h, (i % 3, i, complex(0, i)))
    a = [(i, None if i % 2 else 1j * i) for i in range(n, 0, -1)]
    return [heapq.heappop(h)[2] for _ in range(n)], sorted(a), max((n + 1, 2j), (2, 1j))


def tied_complexes(n):
    return sorted([(i % 3, 1j * i) for i in range(n)])


@pytest.mark.parametrize(
    "f",
    [complexes, dicts, tasks, arrays, ranks, sets, nothing, nested, each, equal],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("n", [2, 7])
def test_is_ordered_as_by_python(f, n):
    assert njit(f)(n) == f(n)


@pytest.mark.parametrize(
    "f", [tied_tasks, tied_none, tied_dicts, tied_complexes], ids=lambda f: f.__name__
)
def test_what_has_no_order_is_an_error_where_it_decides(f):
    compiled = njit(f)
    assert compiled(2) == f(2)
    errors = []
    for g in (compiled, f):
        with pytest.raises(TypeError) as e:
            g(6)
        errors.append(str(e.value).split("\n")[0])
    if f is not tied_none:  # which of both is None is not told
        assert errors[0] == errors[1]


def test_arrays_that_decide():
    def f(n):
        return sorted([(i % 2, np.arange(3)) for i in range(n)])[0][0]

    assert njit(f)(2) == 0
    with pytest.raises(ValueError, match="ambiguous"):
        njit(f)(4)
