# SPDX-License-Identifier: BSD-3-Clause
"""Every function of NumPy's table at its edges: ranks 0 to 6, axes of all kinds, empty arrays,
layouts, dtypes, and a wrong value for each parameter.  Each call ends as in NumPy, or is refused
when it is compiled; an error of NumPy's has NumPy's class and message.

SWATHE_EDGES=1 runs every call, not a fixed part of them.
"""

import os

import numpy as np
import pytest
import rows
from harness import PLAIN, Options, expression, is_ours, mismatch, run

import swathe

WHOLE = os.environ.get("SWATHE_EDGES") == "1"
# What is in a new array; which of equal elements comes first, where NumPy's sort isn't stable.
UNDEFINED = {"empty", "empty_like", "argsort"}
# Calls that end in another way than NumPy's, with the reason.
KNOWN = {
    "np.cross(a, b)": "vectors of two elements, which NumPy deprecates, are refused",
    "np.roll(a, 1, axis=())": "NumPy fails to unpack a shift for no axis; a copy is returned",
    "np.ascontiguousarray(a)": "of a 0-d array a copy, not a view, of one axis",
    "np.asfortranarray(a)": "of a 0-d array a copy, not a view, of one axis",
    "np.bincount(((1, 2), (3, 4)))": "the tuple is an array first",
}
# What NumPy's messages say of its own way there: np.average's name for the axis, and the axes
# that a generalised ufunc adds.
OWN_WORDS = ("axis: axis ", "newaxis")
SLACK = {"ulp": 4, "scale": 8.0}


def outcome(text, args, row):
    """What is wrong with one call, or None."""
    if row.id.startswith("random_"):  # streams are compared from a known state
        text = f"(np.random.seed(1), {text})[1]"
    f = expression(text, ", ".join("abcdefgh"[: len(args)]))
    o = Options(raises=..., modes=PLAIN, undefined=row.id in UNDEFINED, **SLACK)
    problem = mismatch(f, args, o)
    if not problem or text in KNOWN or any(words in problem for words in OWN_WORDS):
        return None
    got = run(swathe.njit(f), args, {})
    return None if got.error is not None and is_ours(got.error) else problem


def fail_if(problems):
    found = [p for p in problems if p]
    if found:
        first = "\n\n".join(found[:3])
        pytest.fail(f"{len(found)} calls differ; the first:\n{first}", pytrace=False)


@pytest.mark.parametrize("row", rows.table(), ids=lambda row: row.id)
def test_function(row):
    fail_if(outcome(text, args, row) for text, args in rows.calls(row, WHOLE))


@pytest.mark.parametrize("row", rows.ufuncs(), ids=lambda row: row.id)
def test_ufunc(row):
    """Operands of unequal shapes and kinds; values are other tests' matter."""
    shapes = ((), (3,), (3, 1), (0,), (2, 3, 4), (2, 1, 2, 1, 3, 1), (5,))
    ones = {s: np.ones(s, "i4") for s in shapes}
    wrong = (*rows.WRONG, "(1, 2, 3)", "((1, 2), (3, 4))", "()")
    n = len(row.params)
    for value in wrong:
        for k in range(n):
            given = ["a"] * n
            given[k] = value
            args = (ones[3,],) if n > 1 else ()
            fail_if([outcome(f"np.{row.id}({', '.join(given)})", args, row)])
    for left in ones.values():
        for right in ones.values() if n > 1 else (left,):
            fail_if([outcome(f"np.{row.id}({'a, b' if n > 1 else 'a'})", (left, right)[:n], row)])


BOOLS = np.array([True, False])
HALF = np.array(2.5)
KINDS = (TypeError, ValueError)
FEW = [
    *[(f"np.round(a{rest})", BOOLS) for rest in ("", ", 0", ", 1", ", -1", ", decimals=2")],
    *[(f"{form}", BOOLS) for form in ("a.round()", "a.round(1)", "np.around(a, 1)")],
    *[("np.round(a, 1)", v) for v in (True, np.True_, 1, np.zeros(0, bool))],
    *[(f"np.average(a, axis={x})", HALF) for x in ("0", "-1", "None", "(0,)", "1")],
    *[(f"np.average(a, axis={x}, weights=a)", HALF) for x in ("0", "-1", "None")],
    *[(f"np.diff(a, {n})", v) for n in (0, 1, -1) for v in (2.5, 3, np.float32(1), HALF, BOOLS)],
    ("np.diff(a, 0, axis=5)", 2.5),
]


@pytest.mark.parametrize(("text", "a"), FEW)
def test_few(text, a):
    """Numbers, 0-d arrays and bools, of which NumPy has rules of its own."""
    fail_if([outcome(text, (a,), rows.table()[0])])
    f = expression(text, "a")
    want, got = run(f, (a,), {}).error, run(swathe.njit(f), (a,), {}).error
    assert (want is None) == (got is None), got
    assert isinstance(got, tuple(c for c in KINDS if isinstance(want, c))) if want else True
