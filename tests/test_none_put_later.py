# SPDX-License-Identifier: BSD-3-Clause
"""Containers that were filled with other things first, and are given None later."""

from collections import deque

import numpy as np
import pytest

import swathe


class Slots:
    def __init__(self):
        self.of = [1, 2, 3]
        self.by_name = {"a": 1.5}
        self.seen = [0]

    def clear(self, i):
        self.of[i] = None

    def find(self, name):
        v = self.by_name.get(name)
        self.seen.append(1 if v is None else None)
        return v


class Item:
    def __init__(self, v):
        self.v = v


def appended(k):
    x = [1, 2, 3]
    x.append(None)
    return x, x[0] + k, x.count(None), None in x


def stored(k):
    x, y = [0] * 4, [i * i for i in range(k)]
    x[1] = y[-1] = None
    return x, y, sum(v for v in y if v is not None)


def floats(k):
    x = [1.5] * k
    x.insert(0, None)
    return x


def of_dicts(k):
    d = {"a": k}
    d["b"] = None
    e = {1: [1]}
    e[2] = None
    return d, e, [n for n, v in e.items() if v is None]


def of_tuples(k):
    x, y = [(1, 2)], [(1, k)]
    x.append(None)
    y.append((k, None))
    return x, y, sum(a if b is None else a + b for a, b in y)


def strings(k):
    x = ["a"] * k
    x.append(None)
    return x, [v or "-" for v in x]


def lists(k):
    grid = [[0] * k for _ in range(2)]
    grid[0][1] = None
    rows = [[1, 2], [3]]
    rows[0] = None
    rows.append([4])
    return grid, rows, sum(len(r) for r in rows if r is not None)


def arrays(k):
    x = [np.ones(k), np.zeros(2)]
    x[0] = None
    return x


def truths(k):
    x = [True, False] * k
    x[0] = None
    return x


def instances(k):
    x = [Item(k), Item(2)]
    x.append(None)
    return [v.v if v else 0 for v in x]


def queued(k):
    q = deque([1, 2])
    q.appendleft(None)
    q.append(k)
    return list(q)


def put(x, v):
    x.append(v)


def by_a_function(k):
    x = [k]
    put(x, None)
    y = x
    y.append(4)
    return x


def in_fields(k):
    s = Slots()
    s.clear(k % 3)
    return s.of, s.find("a"), s.find("b"), s.seen


def some(k):
    x = [3]
    for i in range(k):
        x.append(i if i % 2 else None)
    return x


def looked_up(k):
    d, x = {1: 5}, [k]
    for i in range(3):
        x.append(d.get(i))
    return x


def slices(k):
    x = [1, 2, k]
    x[0:2] = [None, None]
    y = [1, 2] + [None]
    y += [None]
    y.extend([None, k])
    return x, y


def never_none(k):
    """Yield what the program of ints alone would: nothing that is put there is None."""
    best, x = None, [0]
    for i in range(k):
        if best is None or i > best:
            best = i
        x.append(best)
    return x, x[0] + x[1], np.array(x).sum()


def remembered(k):
    memo = {1: 1}

    def half(n):
        if n in memo:
            return memo[n]
        memo[n] = None if n % 2 else n // 2
        return memo[n]

    return half(k), half(k + 1), half(k), half(1)


def with_floats(k):
    x = [0.5, 1.5]
    x.append(None)
    x.append(k)
    return x


CASES = [
    appended,
    stored,
    floats,
    of_dicts,
    of_tuples,
    strings,
    lists,
    arrays,
    truths,
    instances,
    queued,
    by_a_function,
    in_fields,
    some,
    looked_up,
    slices,
    never_none,
    remembered,
]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("k", [3, 4])
def test_none_that_comes_later(f, k):
    assert repr(swathe.njit(f)(k)) == repr(f(k))


def test_none_beside_floats():
    assert swathe.njit(with_floats)(3) == [0.5, 1.5, None, 3.0]


def of_argument(x, i):
    x.append(None)
    x[i] = None
    return x


@pytest.mark.parametrize("x", [[1, 2], [1.5, 2.0], ["a", "b"], [(1, 2), (3, 4)], [[1], [2]]])
def test_a_list_that_is_an_argument(x):
    got, want = list(x), list(x)
    f = swathe.njit(of_argument)
    assert f(got, 0) == of_argument(want, 0)
    assert got == want
    assert f(got, 1) == of_argument(want, 1)


def of_a_set(k):
    s, v = {1, 2}, None
    for i in range(k):
        s.add(v)
        v = i
    return len(s)


def test_a_set_of_ints_takes_no_none():
    with pytest.raises(TypeError, match="None as an element"):
        swathe.njit(of_a_set)(3)


def in_order(x, late, down):
    y = x[:]
    if late:
        y.append(None)
    y.sort(reverse=down)
    return y, sorted(x)


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("n", [0, 1, 3, 40, 100])
@pytest.mark.parametrize("kind", [int, float, str])
def test_order_asks_whether_there_is_none(kind, n, down):
    x, f = [kind(i * 7 % 31) for i in range(n)], swathe.njit(in_order)
    assert f(x, False, down) == in_order(x, False, down)
    if n == 0:
        assert f(x, True, down) == in_order(x, True, down)
        return
    with pytest.raises(TypeError) as want:
        in_order(x, True, down)
    with pytest.raises(TypeError) as got:
        f(x, True, down)
    assert str(got.value).split("\n")[0] in (str(want.value), turned(str(want.value)))


def turned(message):
    """Which of two is asked first is a matter of how it sorts."""
    a, b = message.split("'")[3], message.split("'")[5]
    return message.replace(f"'{a}' and '{b}'", f"'{b}' and '{a}'")


class Point:
    def __init__(self, x):
        self.x = x


class First:
    def __init__(self, x):
        self.of = next(upto([None], 0), 0)


def upto(x, n=0, *, step=1):
    i = 0
    while x:
        yield x[i]


def wrong_elsewhere(p):
    kind = Point
    first = First(0)
    for _w in filter(lambda x: False, 0):
        pass
    return kind, first


def test_what_is_wrong_is_told_though_none_came_late():
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        swathe.njit(wrong_elsewhere)(Point(0))
