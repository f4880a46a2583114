# SPDX-License-Identifier: BSD-3-Clause
"""type(x) of named tuples, the least of several tuples, and comprehensions that are statements."""

from typing import NamedTuple

import numpy as np
import pytest

import swathe


class Point(NamedTuple):
    x: int
    y: float = 2.5


class Side(Point):
    def area(self):
        return self.x * self.y


class Held(NamedTuple):
    rows: list
    at: np.ndarray


def moved(p):
    return type(p)(p.x + 1, p.y)


def by_name(p):
    return type(p)(y=p.y, x=3)


def spread(p):
    return type(p)(*p)


def of_variable(p):
    cls = type(p)
    return [cls(k, p.y) for k in range(p.x)]


def asked(p):
    return type(p) is Point, type(p) == Side, isinstance(p, type(p)), p.__class__._fields


@pytest.mark.parametrize("f", [moved, by_name, spread, of_variable, asked])
@pytest.mark.parametrize("p", [Point(1, 2.0), Side(3, 4.5)])
def test_types_of_named_tuples(f, p):
    got = swathe.njit(f)(p)
    assert got == f(p) and type(got) is type(f(p)) and repr(got) == repr(f(p))


def test_fields_that_change_their_types():
    f = swathe.njit(lambda w: type(w)(w.rows + [1], w.at * 2))
    got = f(Held([3], np.ones(2)))
    assert type(got) is Held and got.rows == [3, 1] and got.at.tolist() == [2, 2]


def test_defaults_are_not_known_by_a_type():
    with pytest.raises(swathe.errors.UnsupportedError, match="field 'y' of Point is not known by"):
        swathe.njit(lambda p: type(p)(1))(Point(1, 2.0))


def ends(rows):
    return min(rows), max(rows)


@pytest.mark.parametrize(
    "rows",
    [((1, 2), (0, 5)), ((1, 2.5), (1, 2.0)), ((1, "a"), (1, "b"), (0, "c")), ((4, 4),)],
)
def test_ends_of_tuples_of_tuples(rows):
    assert swathe.njit(ends)(rows) == ends(rows)


def shown(a, b):
    return min([(a, b), (b, a)]), max([(a, b), (b, a), (a, a)]), max(((a,), (b,)))


@pytest.mark.parametrize("ab", [(1, 2), (2, 1), (1.5, -0.5), (1.5, float("nan"))])
def test_ends_of_displays(ab):
    assert repr(swathe.njit(shown)(*ab)) == repr(shown(*ab))


def effects(n):
    out, seen = [], set()
    [out.append(i * i) for i in range(n) if i % 2]
    [[out.append(j) for j in range(i)] for i in range(n)]
    [seen.add(i) for i in out]
    [i for i in range(n)]
    [1, n]
    return out, sorted(seen)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_comprehensions_as_statements(n):
    assert swathe.njit(effects)(n) == effects(n)


def test_what_such_comprehensions_raise():
    def f(xs):
        [1 // x for x in xs]
        return 1

    assert swathe.njit(f)([1, 2]) == swathe.njit(f)([]) == 1
    with pytest.raises(ZeroDivisionError):
        swathe.njit(f)([1, 0])


def test_str_of_nothing():
    def f(xs):
        whole = str()
        for x in xs:
            whole += str(x)
        return whole, str(), [str() for _ in xs], len(str())

    for xs in ([1, 2], [0], [5, 6, 7]):
        assert swathe.njit(f)(xs) == f(xs)
