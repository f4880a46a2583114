# SPDX-License-Identifier: BSD-3-Clause
"""Every operator over corner values of every pair of scalar types, as parameters, as constants
in the source, and behind identities that a compiler folds.

SWATHE_CORNERS=1 takes all values and pairs (minutes); without it a sample that differs by
operator and types, but not from run to run.
"""

import os
import re
from itertools import product

import numpy as np
import pytest
from corners import (
    COMPLEXES,
    PYTHON,
    REALS,
    TINY,
    TYPES,
    WHOLE,
    behind,
    corners,
    differs,
    literal,
    program,
)
from harness import define

ALL = "SWATHE_CORNERS" in os.environ
ARITHMETIC = ("a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "divmod(a, b)", "a ** b")
BITS = ("a << b", "a >> b", "a & b", "a | b", "a ^ b")
ORDER = ("a == b", "a != b", "a < b", "a <= b", "a > b", "a >= b")
OPERATORS = (*ARITHMETIC, *BITS, *ORDER, "max(a, b)", "min(a, b)")
WHOLE_CONSTANTS = (0, 1, -1, 2, 255, 256, -129, 300, 2**31, 2**53 + 1, 2**63 - 1, -(2**63))
WHOLE_CONSTANTS += (2**63, 2**64 - 1, 2**64, 10**30)
REAL_CONSTANTS = (0.0, -0.0, 1.0, 2.0, 0.5, -1.0, 300.0, 2.0**53, 2.0**63, 1e300, TINY)
REAL_CONSTANTS += (float("inf"), float("nan"), float("-inf"))
CONSTANTS = (*WHOLE_CONSTANTS, *REAL_CONSTANTS, True, 1e300 + 0j)


def sample(values, n, salt):
    """At most n of the values, other ones for another salt."""
    if ALL or len(values) <= n:
        return values
    step = len(values) / n
    shift = sum(map(ord, salt)) % len(values)
    return [values[(shift + int(k * step)) % len(values)] for k in range(n)]


def is_complex(kind):
    return kind == "complex" or kind.startswith("c")


def left_out(op, a, b):
    """What takes forever, or is told of in docs/semantics.md."""
    python = isinstance(a, int) and isinstance(b, int)
    number = isinstance(a, (complex, np.complexfloating)) or isinstance(
        b, (complex, np.complexfloating)
    )
    if op in ("a << b", "a ** b") and python and max(a, b) > 1000:
        return True
    if op == "a / b":
        return python and max(abs(a), abs(b)) > 2**53
    if op == "a ** b" and number:
        small = 1e-9 < abs(complex(a)) < 10 and abs(complex(b)) < 3
        return not small
    if op in ORDER[2:] and number:
        return bool(np.isnan(complex(a)) or np.isnan(complex(b)))
    return False


def ulp_of(op, *kinds):
    if op == "a ** b":
        return 500 if any(map(is_complex, kinds)) else 16
    return 4 if any(map(is_complex, kinds)) else 0


def with_operands(op, a, b):
    return re.sub(r"\b[ab]\b", lambda m: a if m.group() == "a" else b, op)


class Report:
    def __init__(self):
        self.found = []

    def see(self, what, text, args):
        if what:
            self.found.append(f"{text} of {args}: {what}")

    def end(self):
        if self.found:
            many = f"{len(self.found)} differ; the first:\n"
            pytest.fail(many + "\n".join(self.found[:8]), pytrace=False)


@pytest.mark.parametrize("op", OPERATORS)
def test_values(op):
    report = Report()
    for left, right in product(TYPES, TYPES):
        f = program(op)
        some = [sample(corners(k), 7, op + left + right) for k in (left, right)]
        for a, b in product(*some):
            if not left_out(op, a, b):
                found = differs(f, (a, b), ulp_of(op, left, right), op[0] == "m")
                report.see(found, op, (a, b))
    report.end()


@pytest.mark.parametrize("op", OPERATORS)
def test_constants(op):
    """Python's constants on either side."""
    report = Report()
    for kind in ("bool", "int", "float", "?", "i1", "i8", "u1", "u8", "f8", "f4"):
        for c in sample(CONSTANTS, 6, op + kind):
            for text, swap in (
                (with_operands(op, "a", literal(c)), 0),
                (with_operands(op, literal(c), "a"), 1),
            ):
                f = program(text, "a")
                for a in sample(corners(kind), 8, text):
                    if not left_out(op, *((c, a) if swap else (a, c))):
                        report.see(
                            differs(
                                f,
                                (a,),
                                ulp_of(op, kind, "c" if isinstance(c, complex) else "f"),
                                op[0] == "m",
                            ),
                            text,
                            (a,),
                        )
    report.end()


@pytest.mark.parametrize("op", OPERATORS)
def test_behind(op):
    """An operand whose value the compiler may know all the same keeps its checks."""
    report = Report()
    forms = [(k, form) for k in TYPES for form in behind(k)]
    for (left, form), right in product(
        sample(forms, 14, op), ("bool", "int", "float", "i1", "u1", "u8", "f8")
    ):
        x = "(" + form.format(*["a"] * form.count("{")) + ")"
        for text in (with_operands(op, x, "b"), with_operands(op, "b", x)):
            f = program(text)
            for a, b in product(sample(corners(left), 5, text), sample(corners(right), 4, text)):
                if not behind_left_out(op, left, right, a, b):
                    report.see(
                        differs(f, (a, b), ulp_of(op, left, right), op[0] == "m"), text, (a, b)
                    )
    report.end()


def behind_left_out(op, left, right, a, b):
    if left == right == "int" or (left == "int" and right == "bool"):
        return op in ("a / b", "a ** b", "a << b") and max(abs(a), abs(b)) > 100
    return False


CASTS = [f"np.{np.dtype(k).name}" for k in TYPES if k[0] in "iuf" and k[1:].isdigit()]
CONVERSIONS = [f"{c}(X)" for c in ("int", "float", "bool", "round", "abs", "math.trunc", *CASTS)]
CONVERSIONS += ["a.astype(np.uint64)", "np.full(9, a).astype(np.int8)[3]", "int(np.uint64(X))"]
UNDER = ("a", "a * math.nan", "a * math.inf", "a * 0", "a - a - 1", "~(a & 0)", "-1 | a")


@pytest.mark.parametrize("text", CONVERSIONS)
def test_conversions(text):
    """From every type, and of what a compiler may know to be NaN, infinite or -1."""
    report = Report()
    for x in UNDER if "X" in text else "a":
        f = program(text.replace("X", x), "a")
        for kind in TYPES:
            for a in corners(kind):
                if not conversion_left_out(text, x, kind, a):
                    report.see(differs(f, (a,), 4), text.replace("X", x), (a,))
    report.end()


def conversion_left_out(text, x, kind, a):
    """What C leaves undefined, NumPy's NaN and what does not fit, depends on the instruction."""
    if kind in PYTHON:
        return "a.astype" in text or wraps(kind, x, a) or ("uint32" in text and a == 2.0**63)
    if kind == "?" or not ("np.int" in text or "np.uint" in text):
        return kind == "?"
    if "math" in x:
        return True
    value = complex(a).real
    small = -128 <= value <= 127 and (value >= 0 or "uint" not in text)
    return np.dtype(kind).kind in "fc" and not (small and x == "a") and "uint64" not in text


def wraps(kind, x, a):
    return kind == "int" and x in ("a - a - 1",) and abs(a) > 2**62


STORES = ("a[0] = b", "a[:] = b", "a.fill(b)", "a[1:] = b")


@pytest.mark.parametrize("text", STORES)
def test_stores(text):
    """NumPy's scalars and Python's numbers in elements of every dtype."""
    report = Report()
    f = define(f"def f(a, b):\n    {text}\n    return a\n")
    for to, kind in product(("i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8"), TYPES):
        for b in () if is_complex(kind) else corners(kind):
            if not (to == "u4" and b == 2.0**63):
                report.see(differs(f, (np.zeros(3, to), b)), text + " in " + to, (b,))
    report.end()


def test_the_values_are_corners():
    """The tables hold what they are for."""
    assert 2**63 - 1 in WHOLE and -(2**63) in WHOLE and TINY in REALS
    assert len(COMPLEXES) == 64 and set(PYTHON) < set(TYPES)
