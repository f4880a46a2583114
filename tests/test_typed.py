# SPDX-License-Identifier: BSD-3-Clause
"""swathe.typed: lists and dicts that live in compiled code, beside Python's own."""

import copy
import enum
import gc
import operator
import pickle
import threading
import warnings

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import types
from swathe.typed import Dict, List


@swathe.njit
def total(xs):
    s = 0
    for x in xs:
        s += x
    return s


@swathe.njit
def change(xs, v):
    xs.append(v)
    xs[0] = v
    return xs


@swathe.njit
def put(d, k, v):
    d[k] = v
    return len(d)


@swathe.njit
def flat(rows):
    return sum([sum(r) for r in rows])


def lives(c):
    """In compiled code, without a conversion for each call."""
    return c._slot is not None


# ---- lists ----

VALUES = {
    "int": [3, 1, 2, 1],
    "float": [3.5, -0.0, 2.0, 2.0],
    "bool": [True, False, True],
    "complex": [1j, 2 + 0j],
    "int32": [np.int32(3), np.int32(1)],
    "float32": [np.float32(3), np.float32(1)],
    "tuple": [(1, 2.5), (0, 0.5), (1, 2.5)],
    "str": ["a", "bc", ""],
}

STEPS = [
    lambda x: len(x),
    lambda x: x[0],
    lambda x: x[-1],
    lambda x: x[99],
    lambda x: x[1:],
    lambda x: x[::-1],
    lambda x: x[5:1],
    lambda x: x[-2:0:-1],
    lambda x: x.append(x[0]),
    lambda x: x.insert(1, x[-1]),
    lambda x: x.insert(-99, x[-1]),
    lambda x: x.extend([x[0], x[1]]),
    lambda x: x.extend(x),
    lambda x: x.__setitem__(-1, x[0]),
    lambda x: x.__setitem__(99, x[0]),
    lambda x: x.__setitem__(slice(1, 2), [x[0], x[0], x[1]]),
    lambda x: x.__delitem__(0),
    lambda x: x.__delitem__(slice(0, 3, 2)),
    lambda x: x.index(x[1]),
    lambda x: x.count(x[0]),
    lambda x: x[0] in x,
    lambda x: "nothing" in x,
    lambda x: x.reverse(),
    lambda x: list(reversed(x)),
    lambda x: x.remove(x[1]),
    lambda x: x.pop(),
    lambda x: x.pop(0),
    lambda x: x.pop(99),
    lambda x: x.__iadd__([x[0]]),
    lambda x: x == list(x),
    lambda x: [v for v in x],
    lambda x: x.copy(),
    lambda x: x.clear(),
    lambda x: x.pop(),
    lambda x: x[0],
]


def outcome(step, x):
    try:
        r = step(x)
    except Exception as e:
        return type(e).__name__, str(e).partition("\n")[0]
    r = r.tolist() if isinstance(r, List) else r
    return repr(r), repr(list(x))


@pytest.mark.parametrize("kind", VALUES)
def test_a_list_is_pythons(kind):
    plain, mine = list(VALUES[kind]), List(VALUES[kind])
    assert lives(mine) == (kind != "str")
    for i, step in enumerate(STEPS):
        assert outcome(step, mine) == outcome(step, plain), i
    assert lives(mine) == (kind != "str")


@pytest.mark.parametrize("kind", ["int", "float", "bool", "int32", "tuple"])
def test_sort(kind):
    for reverse in (False, True):
        mine = List(VALUES[kind])
        mine.sort(reverse=reverse)
        assert mine == sorted(VALUES[kind], reverse=reverse)
    mine = List([3, -1, 2])
    mine.sort(key=lambda v: v * v, reverse=True)
    assert mine == [3, 2, -1]


def test_calls_share_it():
    xs = List([1, 2, 3])
    assert total(xs) == 6
    assert change(xs, 10) is xs
    assert xs == [10, 2, 3, 10] and total(xs) == 25
    assert swathe.njit(lambda a, b: a is b)(xs, xs)
    assert swathe.njit(lambda t: t[1] + len(t[0]))((xs, 1)) == 5


def test_an_error_half_way_keeps_what_was_done():
    @swathe.njit
    def bad(xs):
        xs.append(7)
        raise ValueError("no")

    xs = List([1])
    with pytest.raises(ValueError, match="no"):
        bad(xs)
    assert xs == [1, 7]


def test_the_first_value_tells():
    xs = List()
    assert not lives(xs) and repr(xs) == "List([])"
    xs.append(1.5)
    xs.append(2)
    xs.append(np.float64(3))
    assert lives(xs) and [type(v) for v in xs] == [float, float, float]
    for bad in ("a", 1j, None, [1.0], (1.0,)):
        with pytest.raises(TypeError, match="a typed list of float can't hold a value of type"):
            xs.append(bad)
    assert xs == [1.5, 2.0, 3.0]


def test_a_function_that_makes_another_list_of_it():
    with pytest.raises(TypeError, match="a typed container, whose values stay of one type"):
        change(List([1]), 2.5)


def test_empty_of_a_type():
    for t, v in [(float, 1.0), (types.int64, 2), (np.int16, np.int16(3)), ("float32", 4)]:
        xs = List.empty_list(t)
        assert lives(xs) and len(xs) == 0 and total(xs) == 0
        xs.append(v)
        assert xs == [v]
    a = List.empty_list(types.float64[:])
    a.append(np.arange(3.0))
    assert lives(a) and a[0].tolist() == [0, 1, 2]
    nested = List.empty_list(list[int])
    nested.append(List([1, 2]))
    assert lives(nested) and nested == [[1, 2]]
    with pytest.raises(TypeError, match="is no type of which"):
        List.empty_list(object)


def test_lists_in_it_are_shared():
    rows = List([[1, 2], [3]])
    rows[0].append(100)
    row = rows[1]
    change(row, 7)
    assert rows == [[1, 2, 100], [7, 7]] and flat(rows) == 117
    assert rows.pop() == [7, 7] and row == [7, 7]
    table = Dict({1: [1, 2]})
    table[1].append(3)
    assert table == {1: [1, 2, 3]} and isinstance(table[1], List)


def test_arrays_in_it():
    a = np.zeros(3)
    xs = List([a])

    @swathe.njit
    def more(xs, a):
        xs[0][1] = 5
        xs.append(a)
        xs.append(a[::2])

    for i in range(20):
        more(xs, np.full(3, float(i)))
    gc.collect()
    assert a.tolist() == [0, 5, 0]
    assert [x.sum() for x in xs] == [5.0] + [v for i in range(20) for v in (3.0 * i, 2.0 * i)]


def test_a_list_of_pythons_is_not_kept():
    @swathe.njit
    def keep(rows, row):
        rows.append(row)

    rows = List([[1]])
    with pytest.raises(TypeError, match="a typed container keeps a list that came from Python"):
        keep(rows, [2])
    keep(rows, List([2]))
    assert rows[-1] == [2]


def test_an_instance_may_have_it():
    @swathe.jitclass
    class Bag:
        xs: list[int]

        def __init__(self, xs):
            self.xs = xs

        def add(self, v):
            self.xs.append(v)

    xs = List([1])
    b = Bag(xs)
    b.add(2)
    xs.append(3)
    assert b.xs == (1, 2, 3) and xs == [1, 2, 3]


def test_python_code_sees_it():
    @swathe.njit
    def up(xs):
        with swathe.objmode():
            xs.append(7)
        return len(xs), xs[-1]

    assert up(List([1, 2])) == (3, 7)


def test_a_generator_goes_through_it():
    @swathe.njit
    def twice(xs):
        for x in xs:
            yield x * 2

    xs = List([1, 2])
    g = twice(xs)
    assert next(g) == 2
    xs.append(5)
    assert list(g) == [4, 10]


def test_parallel():
    @swathe.njit(parallel=True)
    def double(xs):
        out = np.zeros(len(xs))
        for i in swathe.prange(len(xs)):
            out[i] = 2 * xs[i]
        return out

    assert double(List([1.0, 2.0])).tolist() == [2, 4]


# ---- dicts ----


def test_a_dict_is_pythons():
    for plain in ({1: 0.5, 2: 1.5}, {(1, 2): 3, (0, 0): 4}, {"a": 1.0}):
        plain = dict(plain)
        mine = Dict(plain)
        assert lives(mine) == ("a" not in plain)
        k, v = next(iter(plain.items()))
        for step in (
            lambda d: d[k],
            lambda d: d["none"],
            lambda d: d.get("none", 5),
            lambda d: (k in d, "none" in d, len(d)),
            lambda d: d.__setitem__(k, v + v),
            lambda d: list(d.items()),
            lambda d: sorted(d.values()),
            lambda d: d == {k: v},
            lambda d: d.setdefault(k, v),
            lambda d: d.update({k: v}),
            lambda d: d.pop(k),
            lambda d: d.pop(k, 3),
            lambda d: d.__delitem__(k),
            lambda d: d.clear(),
            lambda d: list(d),
        ):
            assert outcome(step, mine) == outcome(step, plain)


class Level(enum.IntEnum):
    LOW = 3


def test_a_dict_in_calls():
    d = Dict.empty(types.int64, types.float64)
    assert put(d, 3, 1.5) == 1 and put(d, 4, 2.5) == 2
    assert d == {3: 1.5, 4: 2.5} and d[3.0] == 1.5 and d[Level.LOW] == 1.5 and d[np.int64(4)] == 2.5
    with pytest.raises(TypeError, match="a typed dict with keys of int"):
        d["a"] = 1.0
    with pytest.raises(TypeError, match="a typed dict with values of float"):
        d[1] = "a"
    with pytest.raises(TypeError, match="unhashable"):
        d[[1]]
    names = Dict({"a": 1})
    assert put(names, "b", 2) == 2 and names == {"a": 1, "b": 2}


# ---- both ----


def test_copies():
    for c in (List([1, 2]), List(["a"]), List(), Dict({1: [2]}), List([[1], [2]]), Dict()):
        for made in (copy.copy(c), copy.deepcopy(c), c.copy(), pickle.loads(pickle.dumps(c))):
            assert made == c and made is not c and lives(made) == lives(c)
            assert repr(made) == repr(c)
    empty = List.empty_list(float)
    assert lives(pickle.loads(pickle.dumps(empty)))
    with pytest.raises(TypeError, match="unhashable"):
        hash(empty)


def test_threads():
    @swathe.njit
    def grow(xs, n):
        for i in range(n):
            xs.append(i)

    xs = List([0])
    all_ = [threading.Thread(target=grow, args=(xs, 20000)) for _ in range(4)]
    for t in all_:
        t.start()
    for t in all_:
        t.join()
    assert len(xs) == 80001


def test_nothing_is_lost():
    def use():
        xs = List(range(100))
        total(xs)
        change(xs, 3)
        d = Dict({i: [i] for i in range(10)})
        d[3].append(4)
        a = List([np.ones(3)])
        a.append(np.ones(5))
        a[0], a.pop(), xs[3:5], flat(List([[1], [2]]))

    use()
    before = live()
    for _ in range(20):
        use()
    assert live() == before


# ---- what a conversion costs ----


def test_it_is_told_once():
    f = swathe.njit(lambda x: len(x))
    big = [(0.5, "a", 1)] * 400000  # tens of times what is told of
    with pytest.warns(swathe.errors.ConversionWarning, match=r"pass arrays, or a swathe\.typed"):
        f(big)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(big), f(List(big)), swathe.njit(lambda x: len(x))(big[:100])
        numbers = List([0.5] * 4000000)  # its methods don't tell, and a call converts nothing
        swathe.njit(lambda x: len(x))(numbers)
    assert "swathe.typed.List" in f.explain()
    assert "swathe.typed.List" not in total_of_array().explain()


def total_of_array():
    f = swathe.njit(lambda x: x.sum())
    f(np.ones(3))
    return f


@pytest.mark.parametrize("step", [None, -3, -1, 1, 2])
def test_slices_of_lists(step):
    plain = list(range(10))
    xs = swathe.typed.List(plain)
    bounds = [None, *range(-13, 14)]
    for start in bounds:
        for stop in bounds:
            assert list(xs[start:stop:step]) == plain[start:stop:step], (start, stop)


def test_orders_of_lists():

    for a in ([], [1], [1, 2], [2]):
        for b in ([], [1], [1, 2], [2]):
            for order in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq):
                assert order(List(a), List(b)) == order(a, b)
                assert order(List(a), b) == order(a, b)
    with pytest.raises(TypeError, match="not supported between instances"):
        List([1]) < 1  # noqa: B015


def test_what_the_methods_of_dicts_return():
    def program(new_list, new_dict):
        d = new_dict({1: [1], 2: [2], 5: [5]})
        d.setdefault(7, [7]).append(8)
        d.setdefault(2, [0]).append(9)
        key, last = d.popitem()
        last.append(key)
        e, f = d.copy(), new_dict(d)
        e[1].append(3)
        f[1].append(4)
        both = d | {9: [9]}
        both[2].append(6)
        d |= {3: [3]}
        left = {k: list(v) for k, v in d.items()}
        return key, list(last), left, list(reversed(d)), list(both), list({4: [4]} | both)

    assert program(List, Dict) == program(list, dict)
    for d in (Dict({1: 2.0}), Dict({"a": "b"}), Dict()):
        while d:
            assert d.popitem() in ((1, 2.0), ("a", "b"))
        with pytest.raises(KeyError):
            d.popitem()


def test_copies_of_lists_share_what_is_in_them():
    def program(new):
        xs = new([[1], [2]])
        ys, zs, ws = xs.copy(), new(xs), new([[0]])
        ws.extend(xs)
        for k, c in enumerate((ys, zs, ws)):
            c[1].append(k)
        ys.append([5])
        return [[list(x) for x in c] for c in (xs, ys, zs, ws)]

    assert program(List) == program(list)
    xs = List([np.zeros(2)])
    xs.copy()[0][1] = 3
    assert xs[0][1] == 3


def test_a_dict_that_changes_as_it_is_gone_through():
    for d in (Dict({1: 2.0}), {1: 2.0}):
        with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
            for k in d:
                d[k + 1] = 2.0
