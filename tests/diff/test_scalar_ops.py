# SPDX-License-Identifier: BSD-3-Clause
"""Binary operators over every pair of scalar types: Python's and NumPy's.

One case is an operator and two types; it tries all pairs of their values.  Left out are
the documented differences: results of Python ints beyond int64, and powers of Python
numbers whose type depends on the value.
"""

import math
from itertools import product

import numpy as np
import pytest
from harness import ALL, COMPLEX, DTYPES, FLOATS, PLAIN, Options, expression, mismatch

TYPES = ("bool", "int", "float", "complex", *DTYPES)
PYTHON = ("bool", "int", "float", "complex")
OPERATORS = ("a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "divmod(a, b)")
BITS = "a & b, a | b, a ^ b"
EQUAL = "a == b, a != b"
ORDER = "a < b, a <= b, a > b, a >= b"
NAN, INF = math.nan, math.inf


def values(kind):
    """Values of a type, edges included."""
    if kind == "bool":
        return (False, True)
    if kind == "int":
        return (0, 1, 7, -3, 100)
    if kind == "float":
        return (0.0, -0.0, 1.5, -2.25, 100.0, INF, -INF, NAN)
    if kind == "complex":
        return (0j, 1 + 2j, -1.5 + 0.5j)
    dtype = np.dtype(kind)
    if dtype.kind == "b":
        items = (False, True)
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        low = -7 if info.min else 5
        items = (0, 1, 3, low, info.min, info.max)
    elif dtype.kind == "f":
        items = (0.0, -0.0, 0.75, -2.5, 33.0, INF, -INF, NAN)
    else:
        items = (0j, 2 - 1j, -0.5 + 1.5j)
    return tuple(dtype.type(v) for v in items)


def is_unsigned(kind):
    return kind.startswith("u")


def pairs(left, right):
    """Pairs of values; a Python int that the other's type can't hold is left to
    `test_weak_int`."""
    for a, b in product(values(left), values(right)):
        if left == "int" and is_unsigned(right) and a < 0:
            continue
        if right == "int" and is_unsigned(left) and b < 0:
            continue
        yield a, b


def counts(left, right):
    """Operands of a shift: counts beyond the width are defined in NumPy."""
    python = left in PYTHON and right in PYTHON
    limit = 40 if python else 100
    for a in values(left):
        for b in (0, 1, 7, 8, 31, 40, 63, 64, 100, -1):
            if b > limit or (b < 0 and (is_unsigned(right) or is_unsigned(left))):
                continue
            if right == "bool" and b not in (0, 1):
                continue
            if left == "int" and is_unsigned(right) and a < 0:
                continue
            yield a, b if right in PYTHON else np.dtype(right).type(b)


def exponents(right):
    if right == "bool":
        return (False, True)
    if right in ("float", *FLOATS):
        items = (0.0, 1.0, 2.0, 3.0, -1.0, 0.5)
    elif right in ("complex", *COMPLEX):
        items = (0j, 2 + 0j, 0.5 + 0.25j)
    elif right == "?":
        items = (False, True)
    elif is_unsigned(right):
        items = (0, 1, 2, 3, 5)
    else:
        items = (0, 1, 2, 3, 5, -1)
    if right in PYTHON:
        return items
    return tuple(np.dtype(right).type(v) for v in items)


def powers(left, right):
    python = left in PYTHON and right in PYTHON
    for a in values(left):
        for b in exponents(right):
            if not np.isfinite(a) or (left == "int" and is_unsigned(right) and a < 0):
                continue
            if right == "int" and is_unsigned(left) and b < 0:
                continue
            if python and not isinstance(b, (float, complex)) and b < 0:
                if not isinstance(a, (float, complex)):
                    continue
            if python and not isinstance(a, complex) and a < 0 and b == 0.5:
                continue
            yield a, b


def run_all(text, left, right, operands, ulp=0, modes=PLAIN):
    f = expression(text, "a, b")
    o = Options(ulp=ulp, raises=..., modes=modes)
    reports = [mismatch(f, pair, o) for pair in operands]
    reports = [r for r in reports if r]
    if reports:
        first = "\n\n".join(reports[:3])
        pytest.fail(f"{len(reports)} pairs differ; the first:\n{first}", pytrace=False)


def is_complex(kind):
    return kind == "complex" or kind in COMPLEX


def modes_for(left, right):
    return ALL if left == right else PLAIN


each_pair = pytest.mark.parametrize(
    "left, right", [pytest.param(a, b, id=f"{a}-{b}") for a in TYPES for b in TYPES]
)


@each_pair
@pytest.mark.parametrize("text", OPERATORS)
def test_arithmetic(text, left, right):
    ulp = 4 if is_complex(left) or is_complex(right) else 0
    run_all(text, left, right, pairs(left, right), ulp, modes_for(left, right))


@each_pair
def test_power(left, right):
    ulp = 16 if is_complex(left) or is_complex(right) else 4
    run_all("a ** b", left, right, powers(left, right), ulp, modes_for(left, right))


@each_pair
@pytest.mark.parametrize("text", ["a << b", "a >> b"])
def test_shift(text, left, right):
    if "complex" in (left, right) or not {"float", "f2"}.isdisjoint((left, right)):
        operands = list(pairs(left, right))[:4]
    elif right in ("f4", "f8", "?", *COMPLEX):
        operands = list(pairs(left, right))[:4]
    else:
        operands = counts(left, right)
    run_all(text, left, right, operands, modes=modes_for(left, right))


@each_pair
def test_bits(left, right):
    run_all(BITS, left, right, pairs(left, right), modes=modes_for(left, right))


@each_pair
def test_equal(left, right):
    run_all(EQUAL, left, right, pairs(left, right), modes=modes_for(left, right))


@each_pair
def test_order(left, right):
    run_all(ORDER, left, right, pairs(left, right), modes=modes_for(left, right))


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("text", ["a + b", "b - a", "a * b", "a // b", "a & b"])
def test_weak_int(text, kind):
    """A Python int is cast to the other's type: out of its range is an OverflowError."""
    info = np.iinfo(kind)
    ints = [min(info.max + 1, 2**62), -1 if info.min == 0 else info.min - 1, 5]
    one = np.dtype(kind).type(3)
    run_all(text, kind, "int", [(one, b) for b in ints])


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "u1", "u2", "u4", "u8"])
def test_compare_weak_int(kind):
    """Comparisons with a Python int out of range are exact."""
    info = np.iinfo(kind)
    ints = [min(info.max + 1, 2**62), info.min - 1, info.max if kind != "u8" else 9]
    ends = [np.dtype(kind).type(v) for v in (info.min, info.max, 3)]
    run_all(f"{EQUAL}, {ORDER}", kind, "int", product(ends, ints))


AUGMENTED = ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^=")


@pytest.mark.parametrize("kind", ["bool", "int", "i1", "u2", "i8", "float", "f4", "f8"])
@pytest.mark.parametrize("op", AUGMENTED)
def test_augmented(op, kind):
    two = 3 if kind == "int" else 2.0 if kind == "float" else True
    two = two if kind in PYTHON else np.dtype(kind).type(2)
    text = f"a {op} b\nreturn a"
    operands = [(a, two) for a in values(kind)]
    run_all(text, kind, kind, operands, ulp=4 if op == "**=" else 0, modes=ALL)
