# SPDX-License-Identifier: BSD-3-Clause
"""Where the compiler knows a value (a type, a length, a truth), what the value is asked of is
evaluated all the same: it may change an array, or raise."""

import numpy as np
import pytest
from harness import ORACLE, define, run

import swathe

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython itself")

HELPERS = """def g(x, k):
    x[0] += 1
    return x[k]


def m(x, k):
    x[0] += 1
    return x[k:]


"""
ASKED = ["g(x, 1)", "g(x, 9)", "x[9]", "math.sqrt(x[3])", "m(x, 1)[9]", "1 // int(x[4])"]
VALUES = [
    *("isinstance({}, int)", "isinstance({}, (int, float))", "isinstance(({}, 1), tuple)"),
    *("type({}) is float", "({}).imag", "({}).ndim", "({}).size", "({}).itemsize", "({}).nbytes"),
    *("({}).dtype == np.float64", "({}).dtype.itemsize", "np.dtype(type({})).itemsize"),
    *("len(({}, 2))", "({}, 1) == 3", "3 != ({},)", "({}) is None", "None is not ({})"),
    *("1 if ({}, 1) else 2", "not ({},)", "bool(({},))", "[{}] == 3", "({},) == ()"),
    *("np.ndim({})", "np.empty_like({}).dtype == np.float64", "f'{{({})}}' is None"),
    *("({}).conjugate() is None", "[5 for q in ({},)]"),
    *(
        "isinstance({}, float) and x[1] > 0",
        "isinstance({}, str) or x[1]",
        "isinstance({}, str) or 5",
    ),
    *(
        "x[1] > 5 and isinstance({}, float)",
        "(not isinstance({}, str)) + 1",
        "len(({},)) < x[1] < 3",
    ),
    *("x[1] if isinstance({}, str) else x[2]", "3 if True else isinstance({}, int)"),
    *("False and len(({},))", "True or isinstance({}, int)", "1 < len(({},)) < 0"),
    *("np.zeros(3, ({}).dtype)[0]", "np.zeros(3, dtype=type({})).size", "x.astype(({}).dtype)[1]"),
    *("(4, 5)[len(({},)) - 1]", "x[len(({},))]", "x[:len(({},))].size", "x[({}, 1)[1]]"),
    *("np.full(2, len(({},))).sum()", "x[1:3][0 * ({}).ndim]"),
    *("sum((1, len(({},))))", "np.sum(x, axis=0 * len(({},)))", "(lambda q: 3)({})"),
]
STATEMENTS = [
    "if isinstance({}, float):\n        r = 1",
    "if ({}, 1):\n        r = 1",
    "while not ({},):\n        r = 1",
    "assert len(({},))",
    "isinstance({}, int)",
    "({}).ndim",
    "type({})",
    "if isinstance({}, int) or x[1] > 0:\n        r = 6",
    "if x[1] > 0 and not isinstance({}, int):\n        r = 6",
    "for q in range(len(({},))):\n        r += 1",
    "r, q = len(({},)), 2",
    "r += ({}).ndim",
    "x[len(({},))] = 7",
    "try:\n        r = ({}).ndim\n    except (IndexError, ValueError):\n        r = 7",
]


def check(body: str) -> int:
    f = define(f"{HELPERS}def f(x):\n    {body}\n    return r\n", "f")
    theirs, ours = np.array([1.0, 2, 3, -4, 0]), np.array([1.0, 2, 3, -4, 0])
    want, got = run(f, (theirs,), {}), run(swathe.njit(cache=False)(f), (ours,), {})
    if isinstance(got.error, swathe.errors.CompileError) or isinstance(want.error, AttributeError):
        return 0
    assert (got.error is None) == (want.error is None), body
    if want.error is not None:
        assert isinstance(got.error, type(want.error)), body
    np.testing.assert_array_equal(ours, theirs, err_msg=body)
    return 1


@pytest.mark.parametrize("form", VALUES)
def test_known_values_of_what_must_be_evaluated(form):
    assert sum(check(f"r = {form.format(asked)}") for asked in ASKED) >= 3


@pytest.mark.parametrize("form", STATEMENTS)
def test_statements_with_known_values(form):
    assert sum(check(f"r = 5\n    {form.format(asked)}") for asked in ASKED) >= 3


def test_no_array_is_computed_for_its_type():
    def f(a, b):
        return (a * b).dtype.itemsize, (a + b).ndim

    compiled = swathe.njit(cache=False)(f)
    assert compiled(np.ones((2, 3)), np.ones(3)) == (8, 2)
    assert "alloc" not in swathe.dump(compiled, (np.ones((2, 3)), np.ones(3)), stage="ir")


@pytest.mark.parametrize(
    "text",
    [
        "isinstance([x[q] for q in range({})], list)",
        "[x[q] for q in range({})] is None",
        "isinstance((x[q] for q in range({})), list)",
        "isinstance({{q: x[q] for q in range({})}}, dict)",
        "isinstance([[x[p] for p in range(q)] for q in range({})], list)",
        "isinstance([q for q in x if x[int(q) % {}] > 0], list)",
        "len(([x[q] for q in range({})], 2))",
        "type(sum(x[q] for q in range({}))) is float",
        "np.array([x[q] for q in range({})]).ndim",
        "isinstance(lambda q: x[q + {}], int)",
    ],
)
def test_comprehensions_in_known_values(text):
    """What they yield is evaluated for each of what they go through; a generator is not."""
    assert check(f"r = {text.format(3)}") and check(f"r = {text.format(9)}")
