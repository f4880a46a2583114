# SPDX-License-Identifier: BSD-3-Clause
"""Arrays as elements of lists and dicts: as CPython does, down to which ndarray is which."""

from __future__ import annotations

import gc
import inspect
import itertools
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import prange


def told(value: Any, seen: dict[int, int], arrays: list[np.ndarray]) -> str:
    """With types, and a number for each list, dict and array."""
    if isinstance(value, (list, dict, np.ndarray)):
        if id(value) in seen:
            return f"#{seen[id(value)]}"
        seen[id(value)] = len(seen)
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return f"{value.dtype}{value.shape}{value.tolist()} {value.flags.writeable}"
    if isinstance(value, dict):
        inside = [f"{told(k, seen, arrays)}: {told(v, seen, arrays)}" for k, v in value.items()]
        return f"{{{', '.join(inside)}}}"
    if isinstance(value, (list, tuple)):
        inside = [told(v, seen, arrays) for v in value]
        return f"{type(value).__name__}({', '.join(inside)})"
    return f"{type(value).__name__} {value!r}"


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """Arguments after the call, the result or the error, and which arrays share memory."""
    try:
        got = ("returns", f(*args))
    except swathe.errors.TypingError:
        raise
    except Exception as e:
        got = (type(e).__name__, str(e).split("\n")[0])
    arrays: list[np.ndarray] = []
    seen: dict[int, int] = {}
    text = f"{told(args, seen, arrays)}\n{told(got, seen, arrays)}\n"
    text = re.sub(r" of '\w+' with", " with", text).replace('"', "'")
    pairs = itertools.combinations(range(len(arrays)), 2)
    return text + str([p for p in pairs if np.shares_memory(arrays[p[0]], arrays[p[1]])])


def check(f: Callable[..., Any], make: Callable[[], tuple[Any, ...]], **options: Any) -> None:
    want = outcome(f, make())
    assert outcome(swathe.njit(**options)(f), make()) == want


def three() -> list[np.ndarray]:
    return [np.arange(3.0), np.arange(4.0) * 10, np.full(2, 7.5)]


def twice() -> list[np.ndarray]:
    a = np.arange(4.0)
    return [a, a[1:], a, a[::-1]]


def pairs() -> list[tuple[np.ndarray, np.ndarray]]:
    a = np.arange(3.0)
    return [(a, np.ones(3)), (np.arange(2.0), a), (a, a)]


def planes() -> list[np.ndarray]:
    a = np.arange(24).reshape(4, 6)
    return [a, a.T, a[::2, ::-1], np.zeros((0, 3), np.int64)]


# ---- lists -----------------------------------------------------------------------------------


def build(n):
    x = []
    for i in range(n):
        x.append(np.full(i, float(i)))
    return x


def append_and_read(x, v):
    x.append(v)
    s = 0.0
    for a in x:
        s += a.sum()
    return x, x[0], x[-1], len(x), s


def store_through(x):
    x[0][1] = 5.0
    x[-1][:] = x[0][:2].sum()
    a = x[1]
    a[0] = -1.0
    return a


def in_place(x):
    x[0] += 1
    x[1] *= 2.0
    a = x[0]
    a -= x[1][0]
    x[-1] += x[0][0]
    return a


def rebind(x):
    a = x[0]
    a = a + 1
    x[0] = a
    x[1] = x[0]
    return a, x[1]


def slices(x):
    return x[:], x[1:], x[::-1], x[:0], x[-2:], x * 2, x + x[:1], [v for v in x if len(v) > 2]


def methods(x):
    a = x.pop()
    x.insert(0, a)
    x.insert(1, x[0])
    x.reverse()
    b = x.pop(0)
    x.extend(x)
    y = x.copy()
    del x[1]
    del x[::2]
    y[1:2] = x
    return a, b, x, y


def cleared(x):
    a = x[0]
    x.clear()
    x.append(a)
    return a


def unpacked(x):
    a, b, c = x
    a[0] = b[0] + c[0]
    return c, b, a


def swapped(x):
    x[0], x[-1] = x[-1], x[0]
    return x[0]


def chosen(x, c):
    y = [np.zeros(1)]
    if c:
        y = x
    return y[0], y


def displays(a, b):
    x = [a, b, a]
    x[2][0] = 9.0
    return x, [a[1:], b], [a * 2, b + a[0]], [a] * 3, list((a, b))


def views(a):
    rows = [a[i] for i in range(len(a))]
    rows[0][1] = 50
    rows.append(a[:, 0])
    rows.append(a[0, ::-2])
    return rows


def enumerated(x):
    s = 0.0
    for i, a in enumerate(x):
        s += i * a[0]
    for a, b in zip(x, reversed(x)):
        s += a[0] * b[-1]
    for a in reversed(x):
        s -= a[-1]
    return s, sum(a[0] for a in x), max([a.sum() for a in x])


def grow_while_iterating(x):
    s = 0.0
    for a in x:
        s += a[0]
        if len(x) < 8:
            x.append(a * 2)
    return s


def total(x):
    s = 0.0
    for a in x:
        s += a.sum()
    return s


def added(x, v):
    x.append(v)
    return x


def by_helpers(x, v):
    y = added(x, v)
    return total(x), y, added([v], v)


def nested(x):
    x[0].append(x[1][0])
    x.append([x[0][0], x[0][0] * 2])
    x[-1][0][0] = 11.0
    return x[0], x


def while_popping(x):
    s = 0.0
    while x:
        a = x.pop()
        s = s * 2 + a.sum()
    return s


def fails_half_way(x, v):
    x.append(v)
    x[0][0] = 3.0
    x[7] = v
    return x


def out_of_bounds(x, i, j):
    return x[i][j]


def caught(x, v):
    try:
        x.append(v)
        return x[5]
    except IndexError:
        x.insert(0, v)
    return x[0]


def aliased(x, y, a):
    x.append(a)
    a[0] = 100.0
    y[0][1] = 200.0
    s = x[-1][0] + x[0][1]
    a[:] = x[0][:1] + a
    return s, x is y


def overlapping(x):
    a = x[0]
    b = x[1]
    b[:] = a[: len(b)] * 2
    x[0][1:] = x[0][:-1] + 1
    return a, b


def none_shared(n):
    x = [np.zeros(n) for _ in range(3)]
    y = [np.zeros(n)] * 3
    x[0][:] = 1
    y[0][:] = 1
    return x, y, x[1].sum(), y[1].sum()


LISTS: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    (build, lambda: (0,)),
    (build, lambda: (5,)),
    (append_and_read, lambda: (three(), np.arange(6.0)[::2])),
    (append_and_read, lambda: (twice(), np.zeros(0))),
    (append_and_read, lambda: (lambda x: (x, x[0]))(three())),
    (append_and_read, lambda: ([], np.arange(3.0))),
    (store_through, lambda: (three(),)),
    (store_through, lambda: (twice(),)),
    (in_place, lambda: (three(),)),
    (in_place, lambda: (twice(),)),
    (rebind, lambda: (three(),)),
    (rebind, lambda: (twice(),)),
    (slices, lambda: (three(),)),
    (slices, lambda: (planes(),)),
    (methods, lambda: (three(),)),
    (methods, lambda: (twice(),)),
    (cleared, lambda: (three(),)),
    (unpacked, lambda: (three(),)),
    (unpacked, lambda: (twice(),)),
    (swapped, lambda: (three(),)),
    (chosen, lambda: (three(), True)),
    (chosen, lambda: (three(), False)),
    (displays, lambda: (np.arange(3.0), np.ones(3))),
    (displays, lambda: (lambda a: (a, a))(np.arange(3.0))),
    (views, lambda: (np.arange(12).reshape(3, 4),)),
    (views, lambda: (np.asfortranarray(np.arange(12).reshape(4, 3)),)),
    (enumerated, lambda: (three(),)),
    (enumerated, lambda: (twice()[:1],)),
    (grow_while_iterating, lambda: (three(),)),
    (total, lambda: (three(),)),
    (by_helpers, lambda: (three(), np.ones(2))),
    (nested, lambda: ([three(), twice()],)),
    (nested, lambda: (lambda x: ([x, x],))(three())),
    (while_popping, lambda: (three(),)),
    (fails_half_way, lambda: (three(), np.ones(2))),
    (fails_half_way, lambda: (twice(), np.ones(2))),
    (out_of_bounds, lambda: (three(), 1, 9)),
    (out_of_bounds, lambda: (three(), 3, 0)),
    (out_of_bounds, lambda: (three(), -3, -3)),
    (caught, lambda: (three(), np.ones(1))),
    (aliased, lambda: (lambda x: (x, x, x[0]))(three())),
    (aliased, lambda: (lambda x: (x, list(x), x[0]))(twice())),
    (aliased, lambda: (three(), twice(), np.zeros(3))),
    (overlapping, lambda: (three(),)),
    (overlapping, lambda: (twice(),)),
    (none_shared, lambda: (4,)),
]


def ids(v: object) -> str:
    return getattr(v, "__name__", "")


@pytest.mark.parametrize("f, make", LISTS, ids=ids)
def test_lists(f, make):
    check(f, make)
    check(f, make, parallel=True)


# ---- tuples of arrays ------------------------------------------------------------------------


def dots(ps):
    s = 0.0
    for a, b in ps:
        s += a[0] * b[0]
        b[0] += 1
    return s


def pairs_made(n):
    ps = []
    for i in range(n):
        a = np.arange(float(i))
        ps.append((a, a * 2))
    return ps, [(b, a) for a, b in ps]


def pairs_changed(ps, c):
    a, b = ps[0]
    ps.append((b, a))
    ps[1] = (a, c)
    (u, v), w = ps[0], ps[-1]
    u[0] = 20.0
    ps.reverse()
    return w, v, ps.pop()


def mixed_pairs(ps):
    s = 0
    for k, (a, m) in enumerate(ps):
        s += k * int(a.sum()) + m[0, 0]
    ps.append((ps[0][0], ps[-1][1] + 1))
    return s


def numbered(xs):
    for i, (k, a) in enumerate(xs):
        a[k] = i
    return [k for k, _ in xs], [a for _, a in xs]


TUPLES: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    (dots, lambda: (pairs(),)),
    (pairs_made, lambda: (0,)),
    (pairs_made, lambda: (3,)),
    (pairs_changed, lambda: (pairs(), np.zeros(5))),
    (mixed_pairs, lambda: ([(np.arange(3), np.ones((1, 2)))] * 2,)),
    (numbered, lambda: ([(0, np.zeros(2)), (1, np.ones(3))],)),
]


@pytest.mark.parametrize("f, make", TUPLES, ids=ids)
def test_tuples_of_arrays(f, make):
    check(f, make)
    check(f, make, parallel=True)


# ---- dicts -----------------------------------------------------------------------------------


def grouped(x):
    d = {}
    for a in x:
        d.setdefault(len(a), []).append(a)
    return d


def dict_changes(d, v):
    d[9] = v
    d[1][0] = 4.0
    d[1] += 1.0
    a = d.pop(2)
    b = d.get(5, v)
    c = d.get(1, v)
    d[3] = d[1]
    s = 0.0
    for k, u in d.items():
        s += k * u[0]
    for u in d.values():
        s += u.sum()
    del d[1]
    return a, b, c, s, 9 in d, len(d), d.copy(), list(d.values())


def dict_made(n):
    d = {k: np.full(k, k) for k in range(n)}
    e = {0: np.zeros(2, np.int64), 4: np.ones(1, np.int64)}
    e.update(d)
    return d, e, {1: (np.zeros(1), 2)}


def missing(d, k):
    return d[k]


def dict_of_lists(d, v):
    d[0].append(v)
    d[7] = d[0]
    d[7][0][0] = 8.0
    return d.pop(0), d


def of_dicts(x):
    x[0][1] = x[1][2]
    return x[0][1]


def two() -> dict[int, np.ndarray]:
    return {1: np.arange(3.0), 2: np.ones(2)}


DICTS: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    (grouped, lambda: (three(),)),
    (grouped, lambda: (twice(),)),
    (dict_changes, lambda: (two(), np.full(2, 3.0))),
    (dict_changes, lambda: (lambda d: (d, d[1]))(two())),
    (dict_made, lambda: (4,)),
    (missing, lambda: (two(), 1)),
    (missing, lambda: (two(), 3)),
    (dict_of_lists, lambda: ({0: three(), 1: twice()}, np.zeros(1))),
    (of_dicts, lambda: ([two(), two()],)),
]


@pytest.mark.parametrize("f, make", DICTS, ids=ids)
def test_dicts(f, make):
    check(f, make)
    check(f, make, parallel=True)


# ---- parallel loops --------------------------------------------------------------------------


def sums(x, out):
    for i in prange(len(x)):
        out[i] = x[i].sum()


def each_changed(x):
    s = 0.0
    for i in prange(len(x)):
        a = x[i]
        for j in range(len(a)):
            a[j] += 1.0
        s += a[0]
    return s


def two_at_once(ps, out):
    for i in prange(len(out)):
        a, b = ps[i % len(ps)]
        out[i] = a[0] * 2.0 + b[-1]


def rows_of(x, out):
    for i in prange(len(out)):
        out[i] = x[0][i] + x[1][i]


def from_dict(d, out):
    for i in prange(len(out)):
        out[i] = d[i % 2 + 1][i % 2]


def lists_of_lists(x, out):
    for i in prange(len(x)):
        s = 0.0
        for a in x[i]:
            s += a[0]
        out[i] = s


def own_lists(x, out):
    for i in prange(len(out)):
        t = [x[0], x[1]]
        t.append(x[0] * 2)
        out[i] = t[-1][0] + t[1][1] + i


def appended(x, n):
    for _ in prange(n):
        x.append(x[0])


def replaced(x):
    for i in prange(len(x)):
        x[i] = x[0]


PARALLEL: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    (sums, lambda: ([np.arange(float(k)) for k in range(40)], np.zeros(40))),
    (sums, lambda: (twice(), np.zeros(4))),
    (sums, lambda: (twice(), np.zeros(3))),
    (each_changed, lambda: ([np.full(k % 5 + 1, float(k)) for k in range(33)],)),
    (two_at_once, lambda: (pairs(), np.zeros(50))),
    (rows_of, lambda: ([np.arange(30.0), np.ones(30)], np.zeros(30))),
    (from_dict, lambda: (two(), np.zeros(9))),
    (lists_of_lists, lambda: ([three(), twice(), []] * 5, np.zeros(15))),
    (own_lists, lambda: (three(), np.zeros(12))),
    (appended, lambda: (three(), 20)),
    (replaced, lambda: (three(),)),
]


@pytest.mark.parametrize("f, make", PARALLEL, ids=ids)
def test_parallel_loops(f, make, monkeypatch):
    monkeypatch.setenv("SWATHE_GRAIN", "1")  # chunks
    before = live()["bytes"]
    for _ in range(3):
        check(f, make, parallel=True)
    check(f, make)
    assert live()["bytes"] == before


def test_who_reads_runs_on_workers():
    f = swathe.njit(parallel=True)(sums)
    f(three(), np.zeros(3))
    assert "parallel: in chunks" in str(f.explain())
    g = swathe.njit(parallel=True)(appended)
    g(three(), 2)
    line = (
        appended.__code__.co_firstlineno
        + [k for k, s in enumerate(inspect.getsource(appended).splitlines()) if ".append(" in s][0]
    )
    assert f"line {line}: it changes lists or dicts" in str(g.explain())


def too_far(x, out):
    for i in prange(len(out)):
        out[i] = x[i % 2][i]


def test_an_error_in_a_parallel_loop_loses_nothing(monkeypatch):
    monkeypatch.setenv("SWATHE_GRAIN", "1")
    f = swathe.njit(parallel=True)(too_far)
    x = [np.arange(90.0), np.arange(50.0)]
    before = live()["bytes"], [sys.getrefcount(a) for a in x]
    for _ in range(20):
        with pytest.raises(IndexError):
            f(x, np.zeros(90))
    assert (live()["bytes"], [sys.getrefcount(a) for a in x]) == before


# ---- refused ---------------------------------------------------------------------------------


def put_matrix(x):
    x.append(np.ones((2, 2)))


def put_float32(x):
    x[0] = np.ones(2, np.float32)


def put_number(x):
    x.append(1.0)


def put_readonly(x):
    x.append(np.broadcast_to(1.0, 3))


def dict_of_two(x):
    return {1: x[0], 2: np.ones(2, np.int8)}


def is_in(x):
    return x[0] in x


def equal(x):
    return x == x[1:]


def index(x):
    return x.index(x[0])


REFUSED = [
    (put_readonly, r"list\[float64\[:\]\] can't hold readonly float64\[:\]"),
    (is_in, r"'in' of list\[float64\[:\]\] would compare arrays"),
    (equal, r"'==' of list\[float64\[:\]\] would compare arrays"),
    (index, r"'index' of list\[float64\[:\]\] would compare arrays"),
]


@pytest.mark.parametrize("f", [put_matrix, put_float32, put_number, dict_of_two])
def test_arrays_of_unlike_types(f):
    x, y = three(), three()
    got, want = swathe.njit(f)(x), f(y)
    for a, b in zip([*x, *(got or {}).values()], [*y, *(want or {}).values()], strict=True):
        assert type(a) is type(b)
        assert getattr(a, "dtype", None) == getattr(b, "dtype", None)
        assert np.array_equal(a, b)


@pytest.mark.parametrize("f, text", REFUSED, ids=ids)
def test_refused(f, text):
    with pytest.raises(swathe.errors.CompileError, match=text):
        swathe.njit(f)(three())


def readonly() -> np.ndarray:
    a = np.arange(2.0)
    a.flags.writeable = False
    return a


@pytest.mark.parametrize(
    "other",
    [np.ones((2, 2)), np.ones(2, np.float32), np.array(1.0), 1.5, [1.0]],
    ids=["2-d", "float32", "0-d", "float", "list"],
)
def test_elements_of_another_kind(other):
    """Each stays what it is."""
    for x in ([np.ones(2), np.ones(3), other], {0: np.ones(2), 5: np.ones(1), 2: other}):
        assert swathe.njit(len_of)(x) == 3
        got = swathe.njit(elements)(x)
        assert all(v is w or v == w == 1.5 for v, w in zip(got, elements(x), strict=True))


def elements(x):
    return [v for v in (x.values() if isinstance(x, dict) else x)]


@pytest.mark.parametrize(
    "other, text",
    [
        (np.ones(2, ">f8"), "an array of dtype >f8 in a form that compiled code does not take"),
        (readonly(), "a (read-only )?float64 array with 1 axis"),
    ],
    ids=["swapped", "read-only"],
)
def test_elements_that_are_not_taken(other, text):
    said = rf"argument 'x' holds values of type .*float64\[:\], and its element \d is {text}"
    for x in ([np.ones(2), np.ones(3), other], {0: np.ones(2), 5: np.ones(1), 2: other}):
        with pytest.raises(swathe.errors.ArgumentTypeError, match=said):
            swathe.njit(len_of)(x)


def len_of(x):
    return len(x)


def write_first(x):
    x[0][0] = 1.0


def read_first(x):
    return x[0], x[0].sum()


def test_read_only_elements():
    check(read_first, lambda: ([readonly(), readonly()],))
    check(read_first, lambda: ([np.broadcast_to(np.arange(3.0), (2, 3)).T],))
    with pytest.raises(ValueError, match="read-only"):
        swathe.njit(write_first)([readonly()])


class Sub(np.ndarray):
    def __add__(self, other):
        return self


def subclass(x):
    return x[0].sum()


def test_elements_that_are_no_plain_arrays():
    f = swathe.njit(subclass)
    for a in (np.ones(2).view(Sub), np.ma.ones(2), np.array(["a"]), np.zeros(2, "i4,f8")):
        with pytest.raises(TypeError, match="first element compiled code does not know"):
            f([a])


# ---- what lives how long ---------------------------------------------------------------------


def kept_by_view(n):
    x = []
    for i in range(n):
        a = np.arange(i, i + 8.0)
        x.append(a[2:5])
    return x


def test_a_view_keeps_its_owner():
    before = live()["bytes"]
    x = swathe.njit(kept_by_view)(50)
    assert [v.tolist() for v in x] == [[i + 2.0, i + 3, i + 4] for i in range(50)]
    one = x[7]
    del x
    gc.collect()
    assert one.tolist() == [9, 10, 11]
    del one
    assert live()["bytes"] == before


def counts(f: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> list[int]:
    """How many references there are to each array of the arguments after a call."""
    args = make()
    arrays: list[np.ndarray] = []
    told(args, {}, arrays)
    kept = None
    try:
        kept = f(*args)
    except (IndexError, KeyError, ValueError):
        assert kept is None
    return [sys.getrefcount(a) for a in arrays]


@pytest.mark.parametrize("f, make", LISTS + TUPLES + DICTS, ids=ids)
def test_nothing_is_lost(f, make):
    g = swathe.njit(f)
    outcome(g, make())
    before = live()["bytes"]
    want = counts(f, make)
    for _ in range(5):
        assert counts(g, make) == want or (f, make) in TUPLES  # which are made anew
        outcome(g, make())
    assert live()["bytes"] == before
