# SPDX-License-Identifier: BSD-3-Clause
"""Dicts: each function here does what CPython does, to its result, its arguments and its error."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from live_memory import live
from test_lists import check

import swathe


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


def other_key(d):
    return d[2.5]


def list_as_key():
    return {[1]: 2}


def test_refused():
    for f, args in ((other_key, ({1: 1},)), (list_as_key, ())):
        with pytest.raises((TypeError, NotImplementedError)):
            swathe.njit(f)(*args)
    for d in ({1: 2, 2.5: 2}, {1: object()}, {"a": 1}):
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
    before = live()
    for _ in range(5):
        run()
    assert live() == before


# ---- changes while a loop goes through a dict -----------------------------------------------


def add_key(d, n):
    for k in d:
        if k == n:
            d[k + 100] = 1
    return d


def delete_key(d, n):
    for k in d.keys():
        if k == n:
            del d[k]
    return d


def pop_at_end(d, n):
    s = 0
    for k, v in d.items():
        s += v
        if k == n:
            d.pop(k)
    return s


def change_values(d, n):
    s = []
    for k, v in d.items():
        d[n] = v + 10
        s.append((k, v))
    for v in d.values():
        d[n] += v
        s.append((0, v))
    for k in d:
        d[k] *= 2
        if k == n:
            break
    else:
        s.append((-1, -1))
    return s, d


def after_deletions(d, n):
    e = {i: i for i in range(20)}
    for i in range(0, 20, 3):
        del e[i]
    t = []
    for k, v in e.items():
        if k == 5:
            continue
        e[n] = k
        t.append((k, v))
        if len(t) > 10:
            break
    return t, e


def in_a_list(ds, n):
    for d in ds:
        for k in d:
            d[k] += n
    for k, v in ds[0].items():
        ds[0][n] = v
    return ds


def emptied(d, n):
    for _ in d:
        d.clear()
    return d


CHANGES = (add_key, delete_key, pop_at_end, change_values, emptied)


@pytest.mark.parametrize("f", CHANGES)
@pytest.mark.parametrize("n", (1, 2, 3, 7))
def test_changes_in_a_loop(f, n):
    check(f, {1: 10, 2: 20, 3: 30}, n)
    check(f, {1: 10}, n)
    if f is not change_values:  # of which nothing tells the types
        check(f, {}, n)


def test_changes_after_deletions():
    check(after_deletions, {1: 1}, 19)
    check(in_a_list, [{1: 1, 2: 2}, {2: 1}], 1)
    check(in_a_list, [{1: 1, 2: 2}, {2: 1}], 5)


def exchanged(d):
    for k in d:
        d[k + 10] = 1
        del d[k]


def test_a_key_for_another_in_a_loop():
    """CPython's order hangs on its tables; compiled code says so."""
    with pytest.raises(RuntimeError, match="dictionary keys changed during iteration"):
        swathe.njit(exchanged)({1: 1, 2: 2})


def groups_in_a_loop(g):
    for k, x in g.items():
        x.append(k)
        g[k] = [x[0]]
    return g


# ---- popitem, |, update -------------------------------------------------------------------------


def pop_all(d):
    x = []
    while d:
        x.append(d.popitem())
    return x, d


def pop_all_numbers(d):
    x = []
    while d:
        x.append(d.popitem())
    d[5] = 1
    return x, d, 5 in d, 1 in d


def pop_and_add(d, n):
    for i in range(n):
        d[i * 7] = i
        k, v = d.popitem()
        d[k + 1] = v
        if i % 5 == 0:
            del d[k + 1]
    return d, [k in d for k in range(n)]


def pop_behind_gap(n):
    d = {i: i for i in range(n)}
    for i in range(n // 2, n):
        del d[i]
    x = [d.popitem()]
    d[-1] = 5
    x.append(d.popitem())
    for i in range(n // 2 - 1):
        x.append(d.popitem())
    return x, d, [i in d for i in range(n)]


def churn(n):
    d = {0: 0}
    for i in range(n):
        d[i + 1] = i
        d.popitem()
    return d, 10**6 in d


def union(a, b):
    c = a | b
    c[77] = 1
    a |= b
    return a, b, c


def update_pairs(d, x):
    d.update(x)
    d.update(((1, 5), (2, 6)))
    d.update([(9, 9)])
    return d


def test_popitem():
    for d in ({1: 2}, {1: 2, 3: 4, 5: 6}, {k: k for k in range(50)}):
        check(pop_all, d)
        check(pop_all_numbers, d)
    check(pop_all, {(1, 2.5): [1], (2, 2.5): [2]})
    for n in (0, 1, 5, 40, 300):
        check(pop_and_add, {1: 1}, n)
        check(churn, n)
    for n in (4, 100, 300):
        check(pop_behind_gap, n)
    with pytest.raises(KeyError, match=r"popitem\(\): dictionary is empty"):
        swathe.njit(lambda d: d.popitem())({})


def test_popitem_of_nan():
    d = {float("nan"): 1, 2.5: 2, float("inf"): 3}
    f = swathe.njit(lambda d: (d.popitem(), d.popitem(), d.popitem(), len(d)))
    assert repr(f(d)) == "((inf, 3), (2.5, 2), (nan, 1), 0)"


def test_union_and_update():
    check(union, {1: 1, 2: 2}, {2: 3, 4: 5})
    check(union, {}, {2: 3})
    check(update_pairs, {1: 1}, [(3, 4), (1, 2)])
    check(groups_in_a_loop, {1: [1], 2: [2]})


def test_nothing_leaks_from_popitem_and_loops():
    f, g = swathe.njit(groups_in_a_loop), swathe.njit(pop_all)
    h = swathe.njit(emptied)

    def run():
        f({1: [1], 2: [2]})
        g({k: [k] for k in range(40)})
        with pytest.raises(RuntimeError):
            h({1: [1], 2: [2]}, 1)

    def settle():
        run()
        return live()

    settle()
    before = settle()
    for _ in range(4):
        settle()
    assert live() == before


def test_a_string_is_found_nowhere_among_ints():
    @swathe.njit
    def looked_up(x):
        r = {1: x}
        return r.get("a", 3), "a" in r

    @swathe.njit
    def item(x):
        return {1: x}["a"]

    assert looked_up(1) == (3, False)
    with pytest.raises(KeyError, match="'a'"):
        item(1)


def test_nothing_tells_what_it_holds():
    def made(p):
        return len(dict(zip(p, [])))  # noqa: B905

    with pytest.raises(swathe.errors.CompileError, match="nothing tells what this is to hold"):
        swathe.njit(made)([])


def updated(k):
    d = {"a": 1}
    d.update(v=7)
    d.update({"b": 2}, c=k, a=5)
    d.update([("z", 1)], y=len(d))
    d.update(**{"q": 4})
    e = {}
    e.update(x=k * 0.5, w=1)
    return d, e


def test_update_by_names():
    assert swathe.njit(updated)(3) == updated(3)
    with pytest.raises(swathe.CompileError):
        swathe.njit(lambda d: d.update(x=1))({1: 2})


def paired(lines):
    d = dict(x.split(": ") for x in lines)
    d.update([x.split(": ") for x in lines])
    return d, dict([x.split(": ") for x in lines]), dict(map(str.split, ["a b", "c d"]))


def test_pairs_that_are_lists():
    f = swathe.njit(paired)
    assert f(["a: 1", "b: 2", "a: 3"]) == paired(["a: 1", "b: 2", "a: 3"])
    for wrong in (["a: 1", "b"], ["a: 1: 2"]):
        with pytest.raises(ValueError) as ours:
            f(wrong)
        with pytest.raises(ValueError) as cpythons:
            paired(wrong)
        assert str(ours.value).split("\n")[0] == str(cpythons.value)


# ---- copies, which take over what is there


def copies_with_gaps(n):
    d = {i: str(i) for i in range(n)}
    for k in list(d):
        if k % 3 == 0:
            del d[k]
    c = d.copy()
    c[0] = "new"
    e = {}
    e.update(c)
    e |= {7: "seven"}
    f = dict(e)
    f.pop(7)
    items, keys, values = list(d.items()), list(d.keys()), list(d.values())
    items.append((0, "own"))
    keys.append(-1)
    values.append("own")
    return d, c, e, f, {**c, 1: "one"}, list(reversed(c)), items, keys, values


def copied_sets(n):
    s = set(range(n))
    s.discard(2)
    t, u, v = set(s), s.copy(), frozenset(s)
    s.add(n + 1)
    t.add(2)
    u |= {n + 7}
    return s, t, u, sorted(v), sorted(frozenset(v)), set().union(s), len(set(set()))


def copied_kinds(n):
    d = defaultdict(list)
    d[n].append(1)
    c = d.copy()
    c[n].append(2)
    c[n + 1].append(7)
    q = Counter("hello")
    r = q.copy()
    r.update("zz")
    return dict(c), dict(d), dict(q), dict(r), list({n: 1}), list({}.copy())


@pytest.mark.parametrize("f", [copies_with_gaps, copied_sets, copied_kinds])
def test_copies_take_over_what_is_there(f):
    compiled = swathe.njit(f)
    for n in (0, 1, 2, 3, 12, 100):
        assert compiled(n) == f(n)
    before = live()
    for _ in range(3):
        compiled(50)
    assert live() == before
