# SPDX-License-Identifier: BSD-3-Clause
"""match: each kind of pattern on each kind of subject, with guards, captures and jumps; what the
subject's type tells is known when the function is compiled."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from harness import define

import swathe

P = namedtuple("P", "x y")
LIMIT = 7

PATTERNS = {
    "3": "1",
    "-2": "1",
    "2.5": "1",
    "'x'": "1",
    "None": "1",
    "True": "1",
    "math.pi": "1",
    "1 | 2 | None": "1",
    "y": "1",
    "y if k": "1",
    "_": "1",
    "_ if k": "1",
    "int(y)": "y + 1",
    "bool()": "2",
    "float() as y": "y * 2",
    "int() | float()": "3",
    "int() | float() as y if y > 2": "y",
    "str()": "1",
    "()": "1",
    "(y,)": "1",
    "(0, y)": "y",
    "(y, 0) if y > 2": "y",
    "(y, z)": "1",
    "[1 | 3, int(y)]": "y",
    "(y, (z, w))": "z * w",
    "(_, (1, w)) | (w, 1)": "0",
    "[y, *z]": "len(z)",
    "[*_, 4]": "4",
    "[y, *z, w] if w > k": "w + sum(z)",
    "[_, *_, 3] | [5]": "5",
    "P(y, z)": "y * 10 + z",
    "P(x=3, y=z)": "z",
    "P(y=0) | P(3)": "8",
    "P()": "9",
    "tuple(y)": "len(y)",
    "(P(x=y), *_)": "y",
    "{1: y}": "y",
    "{1: 2, 2: y} if y > k": "y",
    "{}": "6",
    "dict(y)": "len(y)",
    "list()": "7",
}
SUBJECTS = [
    3, 1, 0, -2, 2.5, 3.5, "x", "y", None, True, False, (), (3,), (0, 4), (3, 0), (1, 0), (1, 7),
    (3, (1, 2)), (2, (2, 3)), (1, 2, 3), (5, 6, 4), P(3, 5), P(4, 0), (P(1, 2), 3), [3], [],
    [1, 2, 4], [5, 6], {1: 2}, {1: 2, 2: 9}, {3: 4}, np.float64(3), np.int64(3), np.ones(3), np.pi,
]  # fmt: skip


def indented(text, by=1):
    return "".join("    " * by + line + "\n" for line in text.splitlines())


def outcome(f, *args):
    try:
        return f(*args)
    except swathe.CompileError:
        raise
    except Exception as e:
        return type(e)


def same(f, *args, **options):
    want, got = outcome(f, *args), outcome(swathe.njit(**options)(f), *args)
    assert repr(want) == repr(got) or (isinstance(got, float) and want == got)


def compiled_alone(pattern):
    text = f"import math\ndef f(m, k):\n    match m:\n        case {pattern}:\n"
    f = define(text + f"            return {PATTERNS[pattern]}\n    return -1\n", "f")
    f.__globals__["P"] = P
    return f


CAPTURED = {"(_, (1, w)) | (w, 1)"}


@pytest.mark.parametrize("pattern", [p for p in PATTERNS if p not in CAPTURED])
def test_one(pattern):
    f = compiled_alone(pattern)
    for m in SUBJECTS:
        whole = pattern.partition(" ")[0]
        if isinstance(m, np.ndarray) and whole in ("3", "-2", "2.5", "'x'", "math.pi", "1"):
            continue
        if isinstance(m, list) and not m:  # of no type
            continue
        for k in (0, 3):
            try:
                same(f, m, k)
            except swathe.CompileError as e:  # -1 and what is bound have no common type
                assert "return" in str(e) or "compar" in str(e)


FIRST = ["3", "y if k and y == 3", "None", "(0, y)", "P(x=3, y=z)", "int(y)", "{1: 2, 2: y} if k"]
THEN = ["1 | 2 | None", "[y, *z]", "(y, z) if k", "float() as y", "_ if k", "P()"]


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("then", THEN)
def test_several(first, then):
    text = f"""
def f(m, k, n):
    t = 0
    for i in range(n):
        match m:
            case {first}:
                t += 1
                if i == 2:
                    break
            case {then}:
                t += 10
                continue
            case 99:
                return -t
            case _:
                t += 100
        t += 1000
    else:
        t = -t
    return t
"""
    f = define(text, "f")
    f.__globals__["P"] = P
    for m in (3, 1, None, (0, 4), (5, 6), P(3, 5), {1: 2, 2: 9}, 2.5, "x", True):
        if isinstance(m, np.ndarray):
            continue
        for k in (0, 1):
            for options in ({}, {"debug": True}):
                same(f, m, k, 4, **options)


def narrowed(x, k):
    best = None
    for v in x:
        match best:
            case None:
                best = v
            case b if v > b:
                best = v
    match best:
        case None:
            return -1.0
        case _:
            return best + k


def rebound(m, k):
    match m:
        case (m, 0) if k:
            return m
        case (a, m):
            return a * m + k
        case _:
            return 0


def in_a_prange(m, k):
    out = np.zeros(20)
    for i in swathe.prange(20):
        match (i % 3, i):
            case (0, j):
                out[i] = j
            case (1, j) if j > k:
                out[i] = -j
            case _:
                out[i] = k
    return out


def steps(n):
    for i in range(n):
        match i % 4:
            case 0:
                yield i
            case 1 if i > 3:
                yield -i
            case 2:
                continue
            case _:
                yield 100


def of_a_generator(m, k):
    return sum(steps(k + 9)), list(steps(k))


def test_more():
    for k in (0, 1, 5):
        same(narrowed, np.array([1.0, 5.0, 2.0]), k)
        same(narrowed, np.zeros(0), k)
        same(rebound, (4, 0), k)
        same(rebound, (4, 3), k)
        same(of_a_generator, 0, k)
        for options in ({}, {"parallel": True}):
            same(in_a_prange, 0, k, **options)


REFUSED = {
    "case (1, y) | (y, 1):\n    return y": "an alternative of a pattern binds",
    "case {1: 2, **rest}:\n    return 1": "the rest of a mapping",
    "case int(x, y):\n    return 1": "more than one positional",
    "case (a, b):\n    return a + None": "",
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    f = define(f"def f(m):\n    match m:\n{indented(case, 2)}    return 0\n", "f")
    with pytest.raises(swathe.CompileError) as e:
        swathe.njit(f)((1, 2))
    assert REFUSED[case] in str(e.value)


class Turned(NamedTuple):
    x: int
    y: float


Turned.__match_args__ = ("y", "x")


def test_places_that_a_class_orders_by_itself():
    def by_place(m):
        match m:
            case Turned(a, b):
                return a - b
        return 0

    def by_name(m):
        match m:
            case Turned(x=a, y=b):
                return a - b
        return 0

    with pytest.raises(swathe.CompileError, match="__match_args__ of its own"):
        swathe.njit(by_place)(Turned(1, 2.5))
    same(by_name, Turned(1, 2.5))
