"""f(*x) and (*x, 1) of what isn't a tuple: lists, arrays, ranges, sets, texts, generators."""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import swathe
from swathe import _core

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
    before = _core.live() | {"cached": 0}
    for _ in range(20):
        f(words)
        with pytest.raises(TypeError):
            wrong(words)
    assert _core.live() | {"cached": 0} == before


def test_order_that_is_not_supported_says_so():
    def f(x):
        return led(*x)

    with pytest.raises(swathe.CompileError, match="can be unpacked into arguments"):
        swathe.njit(f)([1, 2])
