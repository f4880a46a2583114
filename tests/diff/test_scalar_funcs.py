# SPDX-License-Identifier: BSD-3-Clause
"""Unary operators, casts, and Python's numeric built-ins over every scalar type."""

import math

import numpy as np
import pytest
from harness import ALL, DTYPES, PLAIN, Corpus, Options, expression, mismatch
from test_scalar_ops import PYTHON, TYPES, values

corpus = Corpus()
case, add, expr = corpus, corpus.add, corpus.expr

UNARY = (
    "-a",
    "+a",
    "~a",
    "not a",
    "abs(a)",
    "bool(a)",
    "complex(a)",
    "a.real, a.imag",
    "a.conjugate()",
    "a if a else -1",
    "1 if not a else 0",
    "(not a) == (not not a)",
)


def each_value(text, operands, **options):
    f = expression(text, "a")
    o = Options(raises=..., **options)
    reports = [r for r in (mismatch(f, (v,), o) for v in operands) if r]
    if reports:
        pytest.fail("\n\n".join(reports[:3]), pytrace=False)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("text", UNARY)
def test_unary(text, kind):
    joins = text == "a if a else -1"
    each_value(text, values(kind), ulp=4 * ("abs" in text), promoted=joins)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("text", ["int(a)", "float(a)"])
def test_cast_python(text, kind):
    operands = values(kind)
    if kind == "u8" and text == "int(a)":
        operands = operands[:4]  # above int64
    each_value(text, operands)


CASTS = (
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
)
CASTS += ("float16", "float32", "float64", "complex64", "complex128")


def fits(value, to):
    """Whether C defines the conversion to an integer type."""
    if np.dtype(to).kind not in "iu" or not isinstance(value, (float, np.floating)):
        return True
    info = np.iinfo(to)
    return math.isfinite(value) and info.min <= float(value) <= info.max


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("to", CASTS)
def test_cast_numpy(to, kind):
    operands = [v for v in values(kind) if fits(v, to)]
    each_value(f"np.{to}(a)", operands)


@pytest.mark.parametrize("kind", ["int", "float", *DTYPES[1:]])
@pytest.mark.parametrize("text", ["round(a)", "round(a, 1)", "round(a, 0)", "round(a, -1)"])
def test_round(text, kind):
    operands = [v for v in values(kind) if kind[0] not in "ui" or abs(int(v)) < 100]
    each_value(text, operands, ulp=2)


HALVES = (0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 4503599627370497.0)
DECIMALS = (2.675, 1.005, 0.125, 1e15 + 0.3, -3.14159, 1234567.891)


def test_round_half_even():
    each_value("round(a)", HALVES)
    each_value("round(a)", [np.float32(h) for h in HALVES])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, -2])
def test_round_decimals(n):
    each_value(f"round(a, {n})", DECIMALS)


@pytest.mark.parametrize("kind", [k for k in TYPES if "c" not in k])
@pytest.mark.parametrize("name", ["min", "max"])
def test_min_max(name, kind):
    """The operand itself comes back: the first of equals, and NaN by position."""
    f = expression(f"{name}(a, b), {name}(b, a), {name}(a, b, a)", "a, b")
    reports = [
        mismatch(f, (a, b), Options(modes=ALL if kind in PYTHON else PLAIN))
        for a in values(kind)
        for b in values(kind)
    ]
    assert not any(reports), next(r for r in reports if r)


@pytest.mark.parametrize("kind", TYPES)
def test_and_or(kind):
    """`and` and `or` return an operand."""
    f = expression("a and b, a or b, a and b or a, not (a and b), (a or b) and b", "a, b")
    pairs = [(a, b) for a in values(kind)[:4] for b in values(kind)[:4]]
    reports = [mismatch(f, p, Options(modes=PLAIN)) for p in pairs]
    assert not any(reports), next(r for r in reports if r)


# --- a negative power of Python ints: a constant gives a float, a variable raises -----

expr("a ** -1", 4)
expr("a ** -2", -3)
expr("a ** -1", 0, raises=ZeroDivisionError)
expr("2 ** a", -2, instead=ValueError)
expr("a ** b", 5, -1, instead=ValueError)
expr("a ** b", np.int64(5), np.int64(-1), raises=ValueError)
expr("a ** b", np.int32(5), -1, raises=ValueError)
expr("pow(a, 3)", 5)
expr("pow(a, b)", 2.5, 3.0)
expr("pow(a, b)", 2.5, 3)
expr("pow(a, b, c)", 7, 5, 13)
expr("pow(a, b, c)", -7, 5, 13)
expr("pow(a, b, c)", 7, 0, 1)
expr("pow(a, b, c)", 7, 5, 0, raises=ValueError)

# --- integers at their limits ---------------------------------------------------------

for dtype in ("i1", "i2", "i4", "i8"):
    kind = np.dtype(dtype).type
    low, one = kind(np.iinfo(dtype).min), kind(-1)
    for text in ("a // b", "a % b", "a * b", "a - b", "divmod(a, b)"):
        expr(text, low, one)
    for text in ("-a", "abs(a)", "~a", "a - a"):
        expr(text, low)
for text in ("a // b", "a % b", "divmod(a, b)", "a / b", "a - b"):
    expr(text, 2**62, -3)
    expr(text, -(2**62), 7)
    expr(text, 2**53 + 1, 1)
    expr(text, -1, 2**62)
expr("a / b", 2**62 + 1, 2**61 + 1)
expr("a / b", 9007199254740993, 3, ulp=1)  # operands beyond 2**53 are rounded first
expr("-9223372036854775808 + a", 1)
expr("a >> b", -5, 100)
expr("a >> b", 5, 64)
expr("a << b", 0, 62)
expr("a << b", -1, 62)
expr("a << 0, a >> 0", -(2**63))
expr("a & 0xFF, a | 0x100, a ^ -1, ~a", -12345)
expr("0b1010 + 0o17 + 0xFF + 1_000", id="literals")
expr("1e3, 1.5e-3, 2j, 0x7FFFFFFFFFFFFFFF", id="literals-float")
expr("a / 2**53, a * 2.0**-1074, a * 1e308", 5.0)

# --- chains, ternaries, walrus --------------------------------------------------------

for a, b, c in ((1, 2, 3), (3, 2, 1), (2, 2, 2), (1, 3, 2)):
    expr("a < b < c, a <= b <= c, a < b > c, a == b == c, a != b != c", a, b, c)
    expr("a < b < c, a <= b <= c", float(a), np.float32(b), np.int8(c))
    expr("(x := a + b) * x + (y := c) - y", a, b, c)
    expr("a if b > c else b if a > c else c", a, b, c)
    # `not a or b` is a bool on one path and an int on the other: one type here
    expr("a and b or c, a or b and c, not a or b", a - 2, b - 2, c - 2, promoted=True)
    expr("(a < b) + (b < c) + (a == c)", a, b, c)
    expr("(a < b) & (b < c) | (a == c)", a, b, c)
expr("a < b < a", math.nan, 1.0)
expr("a == a, a != a, a < a", math.nan)
expr("a == b", -0.0, 0.0)
expr("a is None, a is not None", 1)
expr("None")
expr("a is None", None)
expr("1 if a else 2.5", 1, promoted=True)
expr("1 if a else 2.5", 0)
expr("a if a > b else b", 1, 2.5)
expr("a if a > b else b", 3, 2.5, promoted=True)
expr("a or b", 0, 2.5)
expr("a or b", 3, 2.5, promoted=True)
expr("min(a, b)", 3, 2.5)
expr("min(a, b)", 1, 2.5, promoted=True)
expr("max(a, b, c)", np.float32(1), 2.5, 7, promoted=True)
expr("min(a, b), max(a, b)", math.nan, 1.0)
expr("min(a, b), max(a, b)", 1.0, math.nan)
expr("min((a, b, c)), max((a, b, c))", 3, 1, 2)
expr("sum((a, b, c))", 3, 1, 2)
expr("sum((a, b, c), 10)", 3, 1, 2)
expr("sum((a, b))", 0.5, 0.25)
expr("any((a, b)), all((a, b))", 0, 2)
expr("bool(a), bool(b), int(c)", 0.0, math.nan, True)
expr("int(a), int(-a)", 2.99)
expr("int(a)", math.nan, raises=ValueError)
expr("int(a)", math.inf, raises=OverflowError)
expr("int(a)", np.float64("nan"), raises=ValueError)
expr("int()", id="int()")
expr("float(), bool(), complex(), 0 + int()", id="float()")
expr("complex(a, b)", 1, 2.5)
expr("complex(a, b)", -0.0, -0.0)
expr("complex(a, b)", 1j, 2j)
expr("float('inf'), float('nan'), float('-inf')", id="float-of-text")
expr("1.0 / a", 0.0, raises=ZeroDivisionError)
expr("1 // a", 0, raises=ZeroDivisionError)
expr("1 % a", 0, raises=ZeroDivisionError)
expr("1.0 % a", 0.0, raises=ZeroDivisionError)
expr("divmod(1.0, a)", 0.0, raises=ZeroDivisionError)
expr("1.0 / a", np.float64(0))
expr("1 // a, 1 % a", np.int64(0))
expr("a / 0", np.float32(1))
expr("0.0 ** a", -1.0, raises=ZeroDivisionError)
expr("a ** 400.0", 10.0, raises=OverflowError)
expr("a * 1e200 * 1e200", 1.0)
expr("a // 0.1, a % 0.1", 1.0)
expr("a % 3, a % -3, a // 3, a // -3", -7)
expr("a % 3, a % -3, a // 3, a // -3", -7.5)
expr("a % math.inf, a // math.inf, -a % math.inf, -a // math.inf", 2.5)
expr("(a % 5.0, a % -5.0)", 0.0)
expr("(a % 5.0, a % -5.0)", -0.0)
expr("np.float32(a) + 1, np.float32(a) + 1.5, np.float32(a) + np.float64(1)", 0.1)
expr("np.uint8(a) + 1, np.uint8(a) * np.int8(2), np.int32(a) / np.int32(2)", 200)
expr("np.uint8(a)", 300, raises=OverflowError)
expr("np.uint8(a)", -1, raises=OverflowError)
expr("np.uint8(a), np.int8(a)", np.int64(300))
expr("np.int64(a) + np.uint64(b)", 3, 4)
expr("np.float16(a) * np.float16(b)", 300.0, 300.0)
expr("np.float64(a), np.int8(a)", 1)
expr("a.real + a.imag, a * a.conjugate(), abs(a)", 3 + 4j, ulp=2)
expr("isinstance(a, int), isinstance(a, float), isinstance(a, (int, float))", True)
expr("isinstance(a, int), isinstance(a, float), isinstance(a, (int, float))", 1.5)
expr("isinstance(a, np.floating), isinstance(a, float)", np.float64(1))
expr("isinstance(a, np.floating), isinstance(a, float)", np.float32(1))
expr("isinstance(a, np.ndarray), isinstance(a, tuple)", np.zeros(2))
expr("isinstance(a, np.integer), isinstance(a, int), isinstance(a, complex)", np.int8(1))

for text in ("a << b", "a & b", "a @ b"):
    expr(text, 1.5, 2, raises=TypeError)
for text in ("a < b", "a // b", "a % b"):
    expr(text, 1j, 2.0, raises=TypeError)
expr("-a", np.bool_(True), raises=TypeError)
expr("a - b", np.bool_(True), np.bool_(False), raises=TypeError)
expr("float(a)", 1j, raises=TypeError)
expr("a + None", 1, raises=TypeError)
expr("a()", 1, raises=TypeError)
expr("a[0]", 1, raises=TypeError)
expr("a.nothing", 1, raises=AttributeError)
expr("len(a)", 1, raises=TypeError)


# ---- the bits of a number as another dtype ----------------------------------------------

SAME_SIZE = {
    "int8 uint8": "int8 uint8",
    "int16 uint16 float16": "int16 uint16 float16",
    "int32 uint32 float32": "int32 uint32 float32",
    "int64 uint64 float64": "int64 uint64 float64",
}


@pytest.mark.parametrize(
    ("kind", "to"),
    [(k, t) for ks, ts in SAME_SIZE.items() for k in ks.split() for t in ts.split()],
)
def test_view(kind, to):
    operands = [np.dtype(kind).type(v) for v in (0, 1, 77)]
    if kind[0] == "f":
        operands += [np.dtype(kind).type(v) for v in (-0.0, -1.5, np.inf, 0.1)]
    elif kind[0] == "i":
        operands += [np.dtype(kind).type(-5)]
    each_value(f"a.view(np.{to})", operands)


def view_each(x):
    out = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        out[i] = (x[i] * 2).view(np.int64) ^ (x[i] > 0)
    return out


case(view_each, np.linspace(-3, 3, 50))


test_case = corpus.test()
