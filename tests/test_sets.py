# SPDX-License-Identifier: BSD-3-Clause
"""Sets: each function here does what CPython does, to its result, its arguments and its error."""

from __future__ import annotations

import copy
import subprocess
import sys
import threading

import numpy as np
import pytest
from live_memory import live

import swathe


def outcome(f, args):
    try:
        return "ok", f(*args)
    except swathe.errors.TypingError:
        raise
    except Exception as e:
        return type(e).__name__, e.args[0] if type(e) is KeyError else str(e).split("\n")[0]


def typed(x):
    """Equal sets have equal forms, whatever their order."""
    if isinstance(x, (set, dict)):
        return type(x).__name__, sorted(map(typed, x.items() if isinstance(x, dict) else x))
    if isinstance(x, (tuple, list)):
        return type(x).__name__, [typed(v) for v in x]
    return type(x).__name__, repr(x)


def check(f, *args):
    plain, ours = copy.deepcopy(args), copy.deepcopy(args)
    want, got = outcome(f, plain), outcome(swathe.njit(f), ours)
    if want[0] == "KeyError" and isinstance(got[1], str):
        got = got[0], got[1].split("\n")[0]
        want = want[0], str(want[1])
    assert typed(got) == typed(want)
    assert typed(ours) == typed(plain)


def add(s, t, v):
    s.add(v)
    s.add(v)
    return s, len(s)


def remove(s, t, v):
    s.remove(v)
    return s


def remove_twice(s, t, v):
    s.discard(v)
    s.discard(v)
    s.remove(v)


def pop_all(s, t, v):
    n = 0
    r = [v]
    while s:
        r.append(s.pop())
        n += 1
    return n, sorted(r), s


def pop_empty(s, t, v):
    s.clear()
    return s.pop()


def copied(s, t, v):
    c = s.copy()
    c.add(v)
    return c, s, c is s, s is s, c is not t


def updated(s, t, v):
    s.update(t)
    s.update([v, v])
    s.update((v,))
    s.update({v: 1})
    s.update()
    return s


def unions(s, t, v):
    return s.union(t), s.union([v]), s.union(), s | t, s | s


def intersections(s, t, v):
    return s.intersection(t), s.intersection([v, v]), s.intersection({v: 1}), s & t, s & s


def differences(s, t, v):
    return s.difference(t), s.difference([v, v]), s.difference(), s - t, s - s


def symmetric(s, t, v):
    return s.symmetric_difference(t), s.symmetric_difference([v, v]), s ^ t, s ^ s


def kept(s, t, v):
    s.intersection_update(t)
    t.intersection_update([v, v])
    return s, t


def dropped(s, t, v):
    s.difference_update(t)
    t.difference_update([v, v])
    return s, t


def flipped(s, t, v):
    s.symmetric_difference_update(t)
    t.symmetric_difference_update([v, v])
    return s, t


def with_itself(s, t, v):
    a = s.copy()
    b = s.copy()
    a.update(a)
    b.difference_update(b)
    c = t.copy()
    c ^= c
    d = t.copy()
    d &= d
    return a, b, c, d


def relations(s, t, v):
    return (
        s.isdisjoint(t),
        s.issubset(t),
        s.issuperset(t),
        s.isdisjoint([v]),
        s.issubset([v, v]),
        s.issuperset([v]),
        s.issuperset(()),
    )


def comparisons(s, t, v):
    c = s.copy()
    return s == t, s != t, s < t, s <= t, s > t, s >= t, s == c, s < c, s <= c


def in_place(s, t, v):
    alias = s
    s |= t
    s -= {v}
    s ^= {v}
    s &= t
    return s, alias is s


def membership(s, t, v):
    return v in s, v not in s, v in (s | {v}), len(s), bool(s), bool(s - s)


def iteration(s, t, v):
    n = 0
    for x in s:
        for y in t:
            n += x == y
    for i, x in enumerate(s):
        n += i + (x == v)
    for a, b in zip(s, t):
        n += a == b
    return n, sorted(s), sorted([x for x in s if x in t]), len(list(s)), [v in s for x in t]


def reductions(s, t, v):
    return min(s), max(s), any(x > v for x in s), all(x == v for x in s), any([x == v for x in s])


def displays(s, t, v):
    return {v}, {v, v}, {*s, v}, {*s, *t}, {*()} | {v}, {x for x in t if x > v}


def comprehensions(s, t, v):
    return {x for x in s for y in t if x == y}, {(x, i) for i, x in enumerate(sorted(s))}


def made(s, t, v):
    return set(s), set([v, v]), set((v, v)), set(x for x in t), set({v: 1}), set(sorted(s))


def ask(s, t, v):
    return isinstance(s, set), isinstance(s, list), isinstance(v, set), isinstance(s, dict)


def perhaps(s, t, v):
    u = s if len(t) > 1 else None
    if u is None:
        return 0
    u.add(v)
    return len(u)


def in_a_list(s, t, v):
    x = [s, t]
    x[0].add(v)
    x.append({v})
    return x, len(x[1])


def in_a_dict(s, t, v):
    d = {1: s}
    d[2] = t
    d[1].add(v)
    d[3] = set()
    d[3].add(v)
    return d


def unpacked(s, t, v):
    first, *rest = sorted(s)
    return first, rest, [*s, v][-1], len([*t])


def changed_meanwhile(s, t, v):
    for x in s:
        s.discard(x)


def grown_meanwhile(s, t, v):
    n = 0
    s.discard(v)
    for x in s:
        if n == 0:
            s.add(v)
        n += 1
    return n


@swathe.njit
def helper(s, v):
    s.add(v)
    return s


def in_a_helper(s, t, v):
    return helper(s, v) is s, s


def built(s, t, v):
    u = set()
    w = set()
    for x in s:
        u.add((x, v))
    for x in t:
        w.add(x)
    return u, w


def gen(x):
    for v in x:
        yield v
        yield v


def from_a_generator(s, t, v):
    return {x for x in gen(sorted(s))}, set(gen([v])), len({*gen([v])})


def raised_half_way(s, t, v):
    u = {v}
    u.update(s)
    if v in u:
        raise ValueError("half way")
    return u


FORMS = [
    add, remove, remove_twice, pop_all, pop_empty, copied, updated, unions, intersections,
    differences, symmetric, kept, dropped, flipped, with_itself, relations, comparisons,
    in_place, membership, iteration, reductions, displays, comprehensions, made, ask, perhaps,
    in_a_list, in_a_dict, unpacked, changed_meanwhile, grown_meanwhile, in_a_helper, built,
    from_a_generator, raised_half_way,
]  # fmt: skip
KINDS = {
    "int": ([3, 1, 2, -5, 2**40], [2, 3, 77]),
    "many": (list(range(0, 300, 3)), list(range(0, 300, 2))),
    "one": ([7], [7]),
    "float": ([1.5, -0.5, 1e300, float("inf")], [1.5, 2.5]),
    "bool": ([True], [True, False]),
    "pair": ([(1, 2.5), (2, 0.5), (-1, 0.0)], [(2, 0.5)]),
    "deep": ([(1, (True, 2)), (1, (False, 2))], [(1, (True, 2)), (5, (True, 2))]),
    "float32": (list(np.array([1.5, 2.5], np.float32)), list(np.array([2.5], np.float32))),
    "int8": (list(np.array([1, -1], np.int8)), list(np.array([1, 127], np.int8))),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_forms(f, kind):
    s, t = KINDS[kind]
    for v in (s[0], t[-1]):
        check(f, set(s), set(t), v)


def test_an_empty_set_takes_its_type_from_use():
    f = swathe.njit(add)
    s = set()
    assert f(s, {1}, 5) == ({5}, 1) and s == {5}


def test_what_goes_in_comes_out():
    @swathe.njit
    def same(s, t):
        return s, t is s, [t]

    s = {1, 2}
    r, one, x = same(s, s)
    assert r is s and one and x[0] is s
    r, one, x = same({1}, s)
    assert not one and x[0] is s


def test_members_stay_the_objects_that_they_are():
    big = 10**15
    s = {big, 7}
    before = {id(x) for x in s}
    swathe.njit(lambda s: s.discard(7))(s)
    assert s == {big} and {id(x) for x in s} <= before
    swathe.njit(lambda s: s.add(8))(s)
    assert {id(x) for x in s if x == big} <= before


def test_written_back_after_an_error_and_through_lists():
    def f(x, v):
        x[0].add(v)
        x[1].discard(v)
        raise ValueError("no")

    a, b = {1}, {2, 5}
    with pytest.raises(ValueError, match="no"):
        swathe.njit(f)([a, b], 5)
    assert (a, b) == ({1, 5}, {2})


def test_the_order_is_that_of_insertion():
    @swathe.njit
    def order(x):
        s = set(x)
        s.discard(x[0])
        s.add(x[0])
        return list(s), [*s], [v for v in s]

    x = [50, 3, 99, -1, 3]
    assert order(x) == ([3, 99, -1, 50],) * 3


def test_print(capfd):
    def f(s):
        print(s, {1.5}, len(s), set([(1, True)]))
        print(s - s)

    swathe.njit(f)({3})
    assert capfd.readouterr().out == "{3} {1.5} 1 {(1, True)}\nset()\n"


@pytest.mark.parametrize(
    ("f", "args", "text"),
    [
        (lambda s: s[0], ({1},), "'set' object is not subscriptable"),
        (lambda s: s + s, ({1},), "unsupported operand type.*for +"),
        (lambda s: s.add(2.5), ({1},), r"the elements of set\[int\] are int, not float"),
        (lambda s: s.append(2), ({1},), "'set' object has no attribute 'append'"),
        (lambda s: s | [1], ({1},), r"for \|: 'set' and 'list'"),
        (lambda x: {x}, (np.ones(3),), "a set of float64"),
        (
            lambda x: {1, 2.5},
            (1,),
            "a set holds values of one type, and this one has int and float",
        ),
        (lambda x: {*x}, (1.5,), "'float' object is not iterable"),
        (lambda x: {*x}, (np.ones((2, 2)),), "a set of float64"),
        (lambda x: set(x), (1.5,), "set"),
        (lambda s: iter(s), ({1},), "iter.. of a set"),
    ],
)
def test_what_is_refused(f, args, text):
    with pytest.raises(swathe.errors.CompileError, match=text):
        swathe.njit(f)(*args)


@pytest.mark.parametrize(
    "bad",
    [{1, 2.5}, {object()}, frozenset({object()}), {(1, 2), (1, 2.5)}, {2**70}],
    ids=["two kinds", "an object", "a frozen one", "two kinds of tuples", "a great int"],
)
def test_arguments_that_are_refused(bad):
    f = swathe.njit(lambda s: len(s))
    with pytest.raises((TypeError, OverflowError)) as e:
        f(bad)
    assert "argument 's'" in str(e.value) or "int64" in str(e.value)


def test_a_set_that_is_assigned_to_is_refused():
    def f(s):
        s[0] = 1

    def g(s):
        del s[0]

    for h, text in ((f, "does not support item assignment"), (g, "doesn't support item deletion")):
        with pytest.raises(swathe.errors.TypingError, match=text):
            swathe.njit(h)({1})


def test_kernels_and_parallel_loops():
    @swathe.njit(parallel=True)
    def f(s, n):
        r = 0
        for i in swathe.prange(n):
            r += i in s
        return r

    assert f({1, 3, 500}, 100) == 2

    @swathe.njit(parallel=True)
    def own(n):
        r = 0
        for i in swathe.prange(n):
            u = {i % 3, i % 2}
            u.add(0)
            r += len(u)
        return r

    assert own(100) == own.py_func(100)


def test_nothing_is_left():
    def work(s, x, fail):
        u = {(v, 1) for v in s}
        w = [set(x), s]
        w[0].add(len(u))
        d = {1: w[0]}
        if fail:
            d[1].remove(-77)
        return u, w, d

    f = swathe.njit(work)

    def run(n):
        for i in range(n):
            try:
                f({1, 2, 3 + i % 5}, [i, i + 1], i % 2)
            except KeyError:
                pass

    run(10)
    before = live()["bytes"], sys.getrefcount(None)
    run(300)
    assert live()["bytes"] == before[0]
    assert abs(sys.getrefcount(None) - before[1]) < 100  # one lost in each call would be 300


def test_many_elements():
    def f(n):
        s = set()
        for i in range(n):
            s.add(i * 7919 % n)
        for i in range(0, n, 2):
            s.discard(i)
        t = s | {-1}
        while len(s) > 10:
            s.pop()
        return len(t), len(s), sum(t)

    check(f, 5000)


def test_another_thread_grows_it():
    """Never a crash: the elements are those of some moment, or it is Python's error."""
    f = swathe.njit(lambda s: len(s))
    s = {0}
    f(s)
    stop = threading.Event()

    def grow():
        i = 0
        while not stop.is_set():
            s.add(i % 1000)
            s.discard((i * 7) % 1000)
            i += 1

    t = threading.Thread(target=grow)
    t.start()
    try:
        for _ in range(300):
            try:
                f(s)
            except RuntimeError as e:
                assert "changed size" in str(e)
    finally:
        stop.set()
        t.join()


def test_the_cache_knows_them(tmp_path):
    program = (
        "import swathe\n@swathe.njit\ndef f(s):\n    s.add(5)\n    return {v * 2 for v in s}\n"
        "print(sorted(f({1, 2})), f.stats['compiled'] if 'compiled' in f.stats else '')\n"
    )
    (tmp_path / "p.py").write_text(program)
    for _ in range(2):
        out = subprocess.run(
            [sys.executable, str(tmp_path / "p.py")], capture_output=True, text=True, check=True
        )
        assert out.stdout.startswith("[2, 4, 10]")


def test_a_set_is_looked_for_as_a_frozenset():
    def f():
        a = {frozenset({1}), frozenset({2, 3})}
        r = [{1} in a, {1, 2} in a, {3, 2} not in a, set() in frozenset([frozenset([2])])]
        a.discard({9})
        a.remove({1})
        try:
            a.remove({7})
        except KeyError:
            r.append(len(a) == 1)
        return r, {3, 2} in a

    assert swathe.njit(f)() == f()
    with pytest.raises(TypeError, match="unhashable type: 'set'"):
        swathe.njit(lambda: {1} in {frozenset([1]): 2})()


def all_of(rows):
    return set(x for row in rows for x in row)  # noqa: C401


def pairs_apart(rows):
    return len(set((x, y) for row in rows for x in row for y in row if x != y))  # noqa: C401


def by_function_made_here(rows):
    def halved(k):
        return lambda x: x // k

    return [sorted(set(map(halved(2), row))) for row in rows]  # noqa: C417


def by_kind(rows):
    d = {i: set(row) for i, row in enumerate(rows)}
    return sorted(set(x for s in d.values() for x in s))  # noqa: C401


@pytest.mark.parametrize("f", [all_of, pairs_apart, by_function_made_here, by_kind])
def test_sets_of_nested_generators(f):
    for rows in ([[1, 2], [2, 3, 7]], [[5]], [[1], []]):
        assert swathe.njit(cache=False)(f)(rows) == f(rows)


# ---- s.union(*x), of as many as x holds


def one_of_all(groups):
    return set.union(*[set(g) for g in groups]), set.intersection(*map(set, groups))


def each_beside_one(groups):
    first = set(groups[0])
    rest = first.intersection(*groups[1:]), first.difference(*(g for g in groups[1:]))
    first.update(*groups)
    return first, rest, set().union(*groups)


def each_in_place(groups):
    a, b = set(groups[0]), set(groups[0])
    a.intersection_update(*groups)
    b.difference_update(*groups[1:])
    return a, b


def of_none(groups):
    a, f = set(groups[0]), frozenset(groups[0])
    b = a.intersection()
    a.intersection_update()
    b.add(99)
    return a, b, sorted(f.intersection())


def each_of_views(ds):
    names = set().union(*(d.keys() for d in ds))
    return {k: sum(d.get(k, 0) for d in ds) for k in sorted(names)}


def each_frozen(groups):
    f = frozenset().union(*groups)
    return sorted(f), sorted(frozenset.intersection(*[frozenset(g) for g in groups]))


def each_of_values(d, k):
    return set.union(*d.values()), set.union(set(), *d.values()), dict.get(d, k, {7})


@pytest.mark.parametrize("groups", [["abc", "bcd", "cde"], ["ab"], [[1, 2, 3], [2, 3], [3, 9, 3]]])
@pytest.mark.parametrize("f", [one_of_all, each_beside_one, each_in_place, each_frozen, of_none])
def test_methods_that_take_as_many_as_there_are(f, groups):
    check(f, groups)


def test_methods_that_take_views_and_values():
    check(each_of_views, [{"a": 1}, {"b": 2, "a": 3}])
    check(each_of_values, {1: {2, 3}, 4: {5}}, 4)
    check(each_of_values, {1: {2, 3}}, 2)


def test_methods_that_take_none_of_nothing():
    nothing = [[1]]
    nothing.clear()
    check(one_of_all, nothing)
