"""f(*x) and (*x, 1) of what isn't a tuple: lists, arrays, ranges, sets, texts, generators."""

from __future__ import annotations

import copy
import math
import re
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from live_memory import live

import swathe

Pair = namedtuple("Pair", "a b")
Third = namedtuple("Third", "a b c", defaults=(7,))


@dataclass
class Item:
    name: str
    value: str
    unit: str = "m"


class Vector:
    def __init__(self, *parts):
        self.parts = parts

    def __add__(self, other):
        return Vector(*(a + b for a, b in zip(self.parts, other.parts)))


def volume(a, b, c):
    return a * b - c


def scaled(a, b=3, c=5):
    return a * b + c


def total(*xs):
    t = 0
    for x in xs:
        t += x
    return t, len(xs)


def led(a, *xs, k=2):
    return a * k + len(xs) + sum(xs)


def said(log, x):
    log.append(x)
    return x


def fixed(x, text):
    return (
        volume(*x),
        volume(*x[:2], 9),
        volume(4, *x[1:]),
        volume(*map(int, text.split("x"))),
        volume(*(int(p) + 1 for p in text.split("x"))),
        volume(*range(2, 5)),
        np.hypot(*x[:2]),
        Pair(*text.split("x")[:2]),
        Pair._make(x[1:]),
        [Pair._make(int(p) for p in row.split()) for row in ("1 2", "3 4")],
    )


def optional(x, text):
    return (
        [scaled(*x[:n]) for n in range(1, 4)],
        [str(Item(*line.split())) for line in (text, text + " km")],
        [Third(*x[:n]) for n in (2, 3)],
        [len(range(*x[:n])) for n in (1, 2, 3)],
        max(*x),
        min(*[v - 1 for v in x]),
        [math.gcd(*x[:n]) for n in range(4)],
        [math.lcm(*x[:n]) for n in range(4)],
        [math.hypot(*x[:n]) for n in range(4)],
    )


def rest(x, text):
    log = [0]
    return (
        total(*x),
        total(*x[:0]),
        led(1, *x),
        led(said(log, 1), *[said(log, v) for v in (5, 6)], k=said(log, 4)),
        log,
        (Vector(*x) + Vector(*x)).parts,
        (*x, 4),
        (*text, "!", *text.split("x")),
    )


@pytest.mark.parametrize(
    "x",
    [[1, 2, 3], np.array([1, 2, 3]), np.arange(1, 7)[::2], (1, 2, 3)],
    ids=["list", "array", "strided", "tuple"],
)
@pytest.mark.parametrize("f", [fixed, rest], ids=["fixed", "rest"])
def test_of_any_kind(f, x):
    assert swathe.njit(f)(x, "3x4x5") == f(x, "3x4x5")


def test_of_functions_with_defaults():
    assert swathe.njit(optional)([1, 8, 3], "width 3") == optional([1, 8, 3], "width 3")


@pytest.mark.parametrize("n", [0, 1, 2, 4, 5])
@pytest.mark.parametrize("kind", [list, np.array, lambda v: {k: 0 for k in v}])
@pytest.mark.parametrize("made", [volume, scaled, Pair, Third], ids=["all", "some", "two", "three"])
def test_another_number(made, kind, n):
    def f(x):
        return made(*x)

    def outcome(g):
        try:
            return tuple(g(x)) if made in (Pair, Third) else g(x)
        except TypeError as e:
            return str(e).splitlines()[0]

    x = kind(list(range(n))) if n else kind([1])
    assert outcome(swathe.njit(f)) == outcome(f)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_extremes_of_few(n):
    def f(x):
        return max(*x[:n])

    def outcome(g):
        try:
            return g([3, 5])
        except TypeError as e:
            return str(e).splitlines()[0]

    assert outcome(swathe.njit(f)) == outcome(f)


def test_rows_of_a_table_and_of_lists():
    def f(a, rows):
        return [volume(*r) for r in a], [scaled(*r) for r in rows], [total(*r) for r in rows]

    a, rows = np.arange(6.0).reshape(2, 3), [[1, 2], [3], [4, 5, 6]]
    assert swathe.njit(f)(a, rows) == f(a, rows)


def test_none_is_kept():
    def f(words):
        held = [(*words, w) for w in words]
        if len(total(*[1, 2])) > 5:
            raise ValueError(held[0][0])
        return Pair(*held[:2])

    def wrong(words):
        return volume(*words)

    words = ["a" * 40, "b" * 40]
    f, wrong = swathe.njit(f), swathe.njit(wrong)
    f(words)
    with pytest.raises(TypeError):
        wrong(words)
    before = live()
    for _ in range(20):
        f(words)
        with pytest.raises(TypeError):
            wrong(words)
    assert live() == before


def before_rest(x, text):
    def inner(a, b, *xs):
        return a, b, xs

    return (
        led(*x),
        led(*x, k=3),
        led(*range(4)),
        led(7, *x),
        inner(*x),
        inner(9, *text),
        inner(9, *[1.5, 2.5]),
        inner(*zip(x, text)),
        inner(*(v * 2 for v in x)),
        (lambda a, *xs: (a, len(xs)))(*{"k": 1, "l": 2}),
        Leading(*x).n,
    )


def several(x, text):
    t = (4, 5)
    log = [0]
    return (
        volume(*x[:2], *x[2:]),
        volume(*t, *x[:1]),
        scaled(*x[:1], *t),
        scaled(2, *x[1:]),
        scaled(*t, 3),
        total(*x, *t, 9),
        total(*t, *t),
        led(said(log, 1), *[said(log, v) for v in x], said(log, 8), k=said(log, 9)),
        log,
        max(*x, *t),
        min(*x, 0),
        max(*(v for v in x), 2),
        math.gcd(*x, 12, *t),
        math.hypot(*x[:1], *t),
        list(zip(*[x, x[1:]], text)),
    )


class Leading:
    def __init__(self, first, *others):
        self.n = first * 10 + len(others)


@pytest.mark.parametrize("f", [before_rest, several], ids=["before_rest", "several"])
def test_more_than_one_star_and_rest(f):
    assert str(swathe.njit(f)([1, 2, 3], "abc")) == str(f([1, 2, 3], "abc"))


def test_no_argument_becomes_another():
    def f(x):
        return total(*x, 2)

    assert str(swathe.njit(f)([1, 3])) == str(f([1, 3]))
    with pytest.raises(swathe.CompileError, match="can be unpacked into arguments"):
        swathe.njit(f)([1.5])


def test_counts_of_several_are_told():
    def few(x):
        return led(*x)

    def many(x, y):
        return volume(*x, *y)

    def none(x, y):
        return max(*x, *y)

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        swathe.njit(few)([])
    wide = swathe.njit(many)
    assert wide([1], [2, 3]) == volume(1, 2, 3)
    for x, y, said_of in (
        ([1], [2], "'c'"),
        ([1, 2], [3, 4], "takes 3 positional arguments but 4"),
    ):
        with pytest.raises(TypeError, match=said_of):
            wide(x, y)
    with pytest.raises(TypeError, match="max expected at least 1 argument, got 0"):
        swathe.njit(none)([], [])


def into_format(x, text):
    t = (1.5, x[0], text)
    return (
        "{} {} {}".format(*x),
        "{2:>5} {0:.3f} {1!r}".format(*t),
        "{:>{}}|".format(*x),
        "{}{}".format(7, *x),
        "{1}{1}".format(*text),
        "; ".join("{:d}-{:02d}".format(*p) for p in zip(x, x)),
        "{0[1]}".format(*[x]),
        "{}{}{}".format(*x[:1], *x[1:]),
    )


def test_format_of_what_is_unpacked():
    def f(x):
        return "{} {}".format(*x)

    f, x = swathe.njit(f), [1, 2, 3]
    assert swathe.njit(into_format)(x, "ab") == into_format(x, "ab")
    with pytest.raises(IndexError, match="Replacement index 1 out of range for positional args"):
        f([5])
    before = live()
    for _ in range(5):
        f(x)
        with pytest.raises(IndexError):
            f([5])
    assert live() == before


def turned(x, y):
    a, b = zip(*zip(x, y))
    c, d = zip(*((v, w) for v, w in zip(x, y)))
    e, g = zip(*enumerate(x))
    h, i = zip(*reversed(list(zip(x, y))))
    return a, b, c, d, e, g, h, i


def test_columns_of_iterators():
    for x, y in (([1, 2], ["a", "b"]), ([1.5], ["c"])):
        assert swathe.njit(turned)(x, y) == turned(x, y)


def test_empty_rows_as_keys():
    def merge(d, n):
        d.update({(): n})

    def unite(s):
        s |= set([()])

    def collect(d, n):
        d.update({(): [n]})

    def gather(d, n):
        d.update({(): [[]], (1,): [[n]]})

    given = ((merge, ({}, 1)), (unite, (set(),)), (collect, ({}, 1)), (gather, ({}, 1)))
    for f, args in given:
        got, want = copy.deepcopy(args), copy.deepcopy(args)
        swathe.njit(f)(*got)
        f(*want)
        assert got == want


def strict_sums(rows):
    return [sum(c) for c in zip(*rows, strict=True)]


def strict_tuples(rows):
    return list(zip(*rows, strict=True))


def strict_pair(rows):
    x, y = zip(*rows, strict=True)
    return x, y


def strict_until(rows):
    seen = []
    try:
        for c in zip(*rows, strict=True):
            seen.append(c[0])
    except ValueError as e:
        return seen, str(e)
    return seen, ""


def loose_sums(rows):
    return [sum(c) + len(c) for c in zip(*rows, strict=False)]


ROWS = [
    [[1, 2], [3, 4]],
    [[1, 2], [3]],
    [[1], [3, 4]],
    [[1, 2], [3, 4, 5], [5]],
    [[1, 2], [3, 4, 5], [5, 6, 7]],
    [[1, 2], [1], []],
    [[1, 2, 3], [1, 2], [1, 2]],
    [[1, 2], [3, 4], [5, 6, 7]],
    [[], [1]],
    [[1, 2, 3]],
    ([1, 2], [3, 4]),
    ([1, 2], [3]),
]


@pytest.mark.parametrize("f", [strict_sums, strict_tuples, strict_pair, strict_until, loose_sums])
def test_strict_zip_of_rows(f):
    compiled = swathe.njit(cache=False)(f)
    for rows in ROWS:
        try:
            want = f(rows)
        except ValueError as e:
            with pytest.raises(ValueError, match=re.escape(str(e))):
                compiled(rows)
        else:
            assert compiled(rows) == want, rows


def columns_unpacked(rows):
    t = 0
    for p, q in zip(*rows):
        t = t * 3 + p * q
    for i, (p, q) in enumerate(zip(*rows)):
        t += i * p - q
    return t, [q for p, q in zip(*rows)], {p: q for p, q in zip(*rows)}, dict(zip(*rows))


def three_unpacked(rows):
    return [(c, a, b) for a, b, c in zip(*rows)], sum(a + b - c for a, b, c in zip(*rows))


def four_unpacked(rows):
    out = []
    for a, (b, c), d, e in zip(*rows):
        out.append((e, d, c, b, a))
    return out


def a_dict(rows):
    return dict(zip(*rows))


def letters(words):
    return [a + b for a, b in zip(*words.split())]


def columns_of_columns(rows):
    return [a - b for a, b in zip(*list(zip(*rows)))]


@pytest.mark.parametrize(
    "f,rows",
    [
        (columns_unpacked, [[1, 2, 3], [4, 5, 6]]),
        (columns_unpacked, [[1, 2, 3], [4]]),
        (columns_unpacked, [[1], []]),
        (columns_unpacked, ([1, 2], [2.5, 3.5])),
        (columns_unpacked, [(1, 2), (3, 4)]),
        (columns_unpacked, ((1, 2), (3.5, 4.5))),
        (columns_unpacked, [[1, 2]]),
        (columns_unpacked, [[1], [2], [3]]),
        (columns_unpacked, [[1], [], [3]]),
        (a_dict, [["a", "b"], ["c", "d"]]),
        (a_dict, [[1, 2]]),
        (a_dict, [[1], [2], [3]]),
        (three_unpacked, [[1, 2], [3, 4], [5, 6]]),
        (three_unpacked, [[1, 2], [3, 4]]),
        (four_unpacked, ([1, 2], [(3, 4), (5, 6)], [0.5, 1.5], "ab")),
        (letters, "abc de"),
        (letters, "abc d e"),
        (columns_of_columns, [[1, 2], [3, 5]]),
    ],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_columns_that_are_unpacked(f, rows):
    try:
        want = repr(f(rows))
    except ValueError as e:
        with pytest.raises(ValueError) as got:
            swathe.njit(f)(rows)
        assert str(got.value).split("\n")[0] == str(e)
    else:
        assert repr(swathe.njit(f)(rows)) == want


def test_columns_of_an_array():
    rows = np.arange(6.0).reshape(2, 3)
    is_ = swathe.njit(columns_unpacked)(rows)
    assert repr(is_) == repr(columns_unpacked(rows))
