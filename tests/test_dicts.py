# SPDX-License-Identifier: BSD-3-Clause
"""Dicts: each function here does what CPython does, to its result, its arguments and its error."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from test_lists import check

import swathe

live = swathe._core.live


def read(d, k):
    return d[k], d.get(k, d[k]), k in d, k not in d


def write(d, k, v):
    d[k] = v
    return len(d)


def remove(d, k):
    del d[k]


def count(x):
    d = {}
    for v in x:
        d[v] = d.get(v, 0) + 1
    return d


def count_by_test(x):
    d = {}
    for v in x:
        if v in d:
            d[v] += 1
        else:
            d[v] = 1
    return d


KEYS = {
    "int": [3, 1, 2, 1, -5, 10**15, 2**40, 2**41],
    "float": [1.5, 2.5, 1.5, 0.0, -0.0, 1e300, float("inf")],
    "bool": [True, False, True],
    "tuple": [(1, 2), (2, 1), (1, 2), (0, 0)],
    "deep": [(1, (True, 2.5)), (1, (False, 2.5)), (1, (True, 2.5))],
    "float32": list(np.array([1.5, 2.5, 1.5], np.float32)),
    "int8": list(np.array([1, -1, 1], np.int8)),
}


@pytest.mark.parametrize("kind", KEYS)
def test_keys(kind):
    x = KEYS[kind]
    d = {k: i for i, k in enumerate(x)}
    check(count, x)
    check(count_by_test, x)
    for k in x:
        check(read, d, k)
        check(write, d, k, 77)
        check(remove, d, k)


def test_missing_keys():
    for f in (swathe.njit(read), swathe.njit(remove)):
        for d, k, text in (({1: 2}, 7, "7"), ({(1, 2.5): True}, (1, 7.5), "(1, 7.5)")):
            with pytest.raises(KeyError) as e:
                f(d, k)
            assert str(e.value.args[0]).split("\n")[0] == text


def mutate(n):
    d = {}
    for i in range(n):
        d[i] = i
    for i in range(n):
        if i % 3:
            del d[i]
    for i in range(n):
        d[i * 2] = -i
    x = []
    for k, v in d.items():
        x.append((k, v))
    return d, x, len(d)


@pytest.mark.parametrize("n", (0, 1, 4, 5, 6, 7, 8, 9, 20, 100, 1000))
def test_order_after_deletions(n):
    check(mutate, n)


def loops(d):
    s = 0.0
    for k, v in d.items():
        s += k * v
    for k in d:
        s += k
    for v in d.values():
        s += v
    return s, max(d.values()), sum(d.keys()), {k: v * 2 for k, v in d.items() if v > 1}


def nested(d):
    del d[3]
    d[0] = [1]
    d[1].append(5)
    return [d[1]]


def of_dicts(ds):
    t = 0
    for d in ds:
        for k in d:
            t += d[k]
    ds[0][99] = t
    return ds


def methods(d):
    d.update({5: 5})
    e = d.copy()
    d.clear()
    d[9] = 9
    e[1] += 3
    return d, e, e == d, d != e, d is d, e is not d, e.pop(1), e.pop(1, 5), e.setdefault(1, 8)


def groups(n):
    g = {}
    for i in range(n):
        if i % 3 not in g:
            g[i % 3] = []
        g[i % 3].append(i)
    return g


def displays(k):
    d = {k: 1.5, k + 1: 2.5, k + 0: 3.5}
    return d, {}, {(i, j): i * j for i in range(3) for j in range(i)}, {1: {2: 3}}


def fail_later(d):
    d[1] = 100
    return d[12345]


PROGRAMS = [
    (loops, ({3: 1.5, 5: 2.5},)), (nested, ({1: [1], 3: [3], 2: [2]},)), (write, ({}, 1, 2.5)),
    (of_dicts, ([{1: 2}, {3: 4}],)), (methods, ({1: 1, 2: 2},)), (groups, (10,)),
    (displays, (7,)), (count, ([],)), (write, ({1: 2, 3: 4}, 3, 4)),
]  # fmt: skip


@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs(f, args):
    check(f, *args)


def test_what_stays_the_same_object():
    a, b = 1e300, [1]
    d = {1: [2], 2: b}
    f = swathe.njit(lambda d: d)
    assert f(d) is d
    swathe.njit(write)(d, 3, b)
    assert d == {1: [2], 2: [1], 3: [1]} and d[2] is b and d[3] is b
    e = {1: a, 2: 2.5}
    swathe.njit(remove)(e, 2)
    assert e == {1: a} and e[1] is a


def test_changes_are_kept_when_it_fails():
    d = {1: 1}
    with pytest.raises(KeyError):
        swathe.njit(fail_later)(d)
    assert d == {1: 100}


def promoted(d):
    d[1] = 2.5


def other_key(d):
    return d[2.5]


def list_as_key():
    return {[1]: 2}


def test_refused():
    for f, args in ((promoted, ({1: 1},)), (other_key, ({1: 1},)), (list_as_key, ())):
        with pytest.raises((TypeError, NotImplementedError)):
            swathe.njit(f)(*args)
    for d in ({1: 2, 2: 2.5}, {1: 2, 2.5: 2}, {1: object()}, {"a": 1}):
        with pytest.raises(TypeError):
            swathe.njit(read)(d, 1)


def test_nothing_leaks():
    f, g, h = swathe.njit(groups), swathe.njit(nested), swathe.njit(fail_later)

    def run():
        f(1000)
        g({1: [1], 3: [3], 2: [2]})
        with pytest.raises(KeyError):
            h({1: 1})
        with pytest.raises(KeyError):
            g({1: [1]})

    run()
    gc.collect()
    before = live()
    for _ in range(5):
        run()
    gc.collect()
    assert live() == before
