# SPDX-License-Identifier: BSD-3-Clause
"""Displays of lists pass for tuples only where nobody can tell; dicts of nothing; sums of rows."""

import itertools

import numpy as np
import pytest
from harness import ORACLE, define, run

import swathe

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython itself")

TEXTS = [
    *("dict(())", "dict([])", "len(dict([]))", "dict(() + ())", "{1: 2} * 2", "{1: 2} + {3: 4}"),
    *("2 * {1: 2}", "{1: 2} | {3: 4}", "[1] + {1: 2}", "[3, 1, 2][1:]", "[3, 1, 2][::-1]"),
    *("([1] * 3)[1:]", "([1] + [2, 3])[:2]", "[3, 1, 2][1:][0]", "[1, 2, 3][:0]", "[][1:]"),
    *("[v, v][1:]", "[1] == (1,)", "[1] != (1,)", "(1,) == [1]", "(1,) != [1]", "[1] == [1]"),
    *("(1,) == (1,)", "[1] + (2,)", "(1,) + [2]", "[1] < (2,)", "(1,) < (2,)", "[1] < [2]"),
    *(
        "[[1, 2], [3]][1]",
        "[[1], [2]][0]",
        "[[1], [2]][v[0] - 1]",
        "[[1], []][1]",
        "([1, 2], 3)[0]",
    ),
    *("[(1, 2)][0]", "[[1, 2.5], [3, 4]][0][1]", "[1, 2][1:] + [3]", "[1, 2][1:] * 2"),
    *("5 in [1, 2, 5][1:]", "len([1, 2, 3][1:])", "[x for x in [1, 2, 3][1:]]", "sum([1, 2][1:])"),
    *(
        "np.array([1, 2, 3][1:])",
        "np.array([[1, 2], [3, 4]][1:])",
        "[4] + GLOBAL",
        "GLOBAL == (1, 2)",
    ),
    *(
        "GLOBAL == [1, 2]",
        "(1, 2) == GLOBAL",
        "GLOBAL + [4]",
        "[1] * 2 == [1, 1]",
        "[1] * 2 == (1, 1)",
    ),
    *("[1] + [2] == (1, 2)", "(1,) + (2,) == [1, 2]", "tuple([1]) == (1,)", "tuple([1]) == [1]"),
    *("[1, 2] in NEST", "(1, 2) in NEST", "[3] in NEST", "[1, 2] in PAIRS", "(1, 2) in PAIRS"),
]
GLOBALS = "GLOBAL = [1, 2]\nNEST = [[1, 2], [3]]\nPAIRS = ((1, 2), (3,))\n\n\n"
ROWS = [
    *("np.arange(6.0).reshape(2, 3)", "np.arange(6).reshape(2, 3)", "np.ones((2, 3), bool)"),
    *("np.full((3, 2), 200, np.uint8)", "np.ones((2, 2, 2), np.complex64)", "np.ones((2, 3)).T"),
    *("np.arange(6.0).reshape(2, 3)[::-1, ::-1]", "np.ones((1, 3), np.float16)", "np.ones((2, 0))"),
    *("np.arange(24, dtype=np.int8).reshape(2, 3, 4)[:, ::2]", "np.ones((40, 3), np.float32)"),
]


def same(want, got) -> bool:
    if isinstance(want, (list, tuple)):
        return type(want) is type(got) and len(want) == len(got) and all(map(same, want, got))
    if isinstance(want, np.ndarray):
        return want.dtype == got.dtype and np.array_equal(want, got)
    return type(want) is type(got) and want == got


@pytest.mark.parametrize("text", TEXTS)
def test_displays(text):
    f = define(f"{GLOBALS}def f(v):\n    return {text}\n", "f")
    want, got = run(f, ((1, 2),), {}), run(swathe.njit(cache=False)(f), ((1, 2),), {})
    if isinstance(got.error, swathe.errors.CompileError):
        assert want.error is not None or text == "GLOBAL + [4]", got.error
    else:
        assert want.error is None
        assert same(want.value, got.value), (want.value, got.value)


@pytest.mark.parametrize("rows", ROWS)
def test_sums_of_rows(rows):
    a = eval(rows)
    want, got = sum(a), swathe.njit(cache=False)(lambda a: sum(a))(a)
    assert same(want, got), (want, got)


@pytest.mark.parametrize("values", [(), (1, 2), [1.5], np.ones(3), np.ones((2, 2))])
@pytest.mark.parametrize("start", [np.zeros(0), np.zeros(2), np.zeros((2, 2))])
def test_sums_from_an_array(values, start):
    def f(v, s):
        return sum(v, s)

    want, got = run(f, (values, start), {}), run(swathe.njit(cache=False)(f), (values, start), {})
    assert type(want.error) is type(got.error)
    assert want.error is not None or same(want.value, got.value), (want.value, got.value)


NOTHING = ["(a, a)", "[a, a]", "[a]", "[[a]]", "((), ())", "((a, a), (a, a))", "a", "(a, (1, 2))"]


@pytest.mark.parametrize("text", NOTHING)
def test_arrays_of_empty_tuples(text):
    f = define(f"def f(a):\n    return np.array({text})\n")
    want, got = run(f, ((),), {}), run(swathe.njit(cache=False)(f), ((),), {})
    if want.error:
        assert isinstance(got.error, ValueError)
    else:
        assert got.value.shape == want.value.shape
        assert got.value.dtype == want.value.dtype


INTS = (-3, -1, 0, 2, 7, True, None)
KINDS_OF_INT = (int, np.int64, np.int8, np.uint16)


@pytest.mark.parametrize("kind", KINDS_OF_INT, ids=lambda k: k.__name__)
def test_slices_of_tuples_by_known_integers(kind):
    """Bounds and steps of every class of integers: of NumPy's only CPython's were looked at."""
    t = (5, 6.5, 7, 8)
    for start, stop, step in itertools.product(INTS, INTS, (-2, -1, 3, None)):
        parts = [
            p if p is None or isinstance(p, bool) or (kind is np.uint16 and p < 0) else kind(p)
            for p in (start, stop, step)
        ]
        a, b, c = parts
        assert swathe.njit(lambda: t[a:b:c])() == t[slice(*parts)], parts  # noqa: B023


def searched(t, x):
    return t.count(x), x in t, t.index(x)


def searched_from(t, x, start, stop):
    return t.index(x, start), t.index(x, start, stop)


def helped(x, y):
    s = np.zeros((2, 3)).shape
    return s.index(3), s.count(x), (x, y, x).count(x), ("k", x).index("k")


SEARCHED = [
    *(((1, 2, 1), 1), ((1, 2.5, 1), 2.5), ((2.5, "a", 1), "a"), (("b", "a"), "a"), ((), 3)),
    *((((1, 2), 3), 3), (((1, 2), (3, 4)), (3, 4)), ((float(2**53), 2**53 + 1), 2**53 + 1)),
    *(((None, 2), 2), ((1, 3), 2), ((1, 3), np.int64(3)), ((True, 1), 1), ((np.nan,), 1.0)),
]


def same_outcome(f, *args):
    want, got = run(f, args, {}), run(swathe.njit(cache=False)(f), args, {})
    assert type(got.error) is type(want.error), (args, got.error)
    assert got.value == want.value, args


def test_what_tuples_hold():
    for t, x in SEARCHED:
        same_outcome(searched, t, x)
    for start, stop in [(0, 3), (1, 3), (-2, 9), (-9, -1), (2, 2), (3, 0)]:
        same_outcome(searched_from, (5, 6, 5), 5, start, stop)
    same_outcome(helped, 2, 2.5)
