# SPDX-License-Identifier: BSD-3-Clause
"""Array expressions: operators, broadcasting, promotion, Python scalars, clashes."""

import math

import numpy as np
from harness import DTYPES, PLAIN, Corpus, layouts, sample

corpus = Corpus()
case, expr = corpus, corpus.expr

X, Y = sample("f8", 7), sample("f8", 7, 3)
M, N = sample("f8", (3, 4)), sample("f8", (3, 4), 2)

# --- every operator over every dtype and its neighbours ---------------------------------

ARITHMETIC = ("a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "divmod(a, b)")
COMPARE = ("a == b", "a != b", "a < b", "a <= b", "a > b", "a >= b")
BITS = ("a & b", "a | b", "a ^ b", "a << b", "a >> b")
UNARY = ("-a", "+a", "~a", "abs(a)", "a ** 2", "a ** 0.5", "2 ** abs(a)", "a.conj()")
UNARY += ("a.real + a.imag", "round(a, 1)")

for dtype in DTYPES:
    kind = np.dtype(dtype).kind
    ulp = 16 if kind == "c" else 0
    a = sample(dtype, 9, 0, edges=True)
    b = sample(dtype, 9, 1, edges=True)
    options = {"ulp": ulp, "raises": ...}
    for text in (*ARITHMETIC, *COMPARE, *BITS):
        expr(text, a, b, **options)
    for text in (*ARITHMETIC, *COMPARE):
        expr(text, a, 3, modes=PLAIN, **options)
        expr(text, 2.5, a, modes=PLAIN, **options)
        expr(text, a, b[2], modes=PLAIN, **options)
    for text in UNARY:
        expr(text, sample(dtype, 9), raises=..., ulp=max(ulp, 6), zeros=False)
    expr("a ** b", sample(dtype, 9), np.abs(sample(dtype, 9, 2)), **{**options, "ulp": 32})
    for other in ("?", "i1", "u1", "i4", "u8", "f2", "f4", "f8", "c8"):
        c = sample(other, 9, 2)
        mixed = 16 if "c" in (kind, c.dtype.kind) else 0
        for text in ("a + b", "a * b", "a / b", "a - b", "a < b"):
            expr(text, sample(dtype, 9), c, raises=..., ulp=mixed, modes=PLAIN)

# NumPy's operator makes np.square of `a ** 2`, whose first loop takes int8.
flags = np.array([True, False, True])
for text in (
    "a ** 2",
    "pow(a, 2)",
    "(a > 0) ** 2",
    "a ** 2 + 1",
    "np.power(a, 2)",
    "a ** 3",
    "a ** True",
    "a ** np.int8(2)",
):
    for a in (flags, np.array(True), np.bool_(True), True, flags[:0]):
        expr(text, a, raises=..., modes=PLAIN)

for text in ("a + b", "b - a", "a * b", "a / b", "a // b", "a % b", "a < b", "a == b"):
    for b in (
        True,
        2,
        1.5,
        1j,
        np.float32(1.5),
        np.int8(3),
        np.uint64(3),
        np.bool_(True),
    ):
        for dtype in ("i4", "u1", "f4", "f8"):
            a = np.arange(1, 6).astype(dtype)
            expr(text, a, b, raises=..., ulp=4 if b == 1j else 0, modes=PLAIN)

expr("a + b", np.arange(4, dtype="u1"), 300, raises=OverflowError)
expr("a + b", np.arange(4, dtype="u1"), -1, raises=OverflowError)
expr("a < b, a == b, a > b", np.arange(4, dtype="u1"), 300)
expr("a >= b, a != b", np.arange(4, dtype="u4"), -1)
expr("a + b", np.arange(4, dtype="u8"), np.arange(4))
expr("a == b, a < b", np.arange(4, dtype="u8"), np.arange(4) - 2)
expr("a ** b", np.arange(4), -1, raises=ValueError)
expr("a ** -1", np.arange(1, 4), raises=ValueError)
expr("a ** -1.0, a ** -1", np.arange(1.0, 4))
expr("a ** b", np.arange(4.0), 0.5)
expr("a ** 2, a ** 3, a ** 0.5, a ** 0, a ** 1, a ** -2", np.arange(1.0, 5), ulp=2)
expr("a @ b", X, Y, ulp=8, scale=8.0)
expr("a and b", X, Y, raises=ValueError)
expr("not a", X, raises=ValueError)
expr("a < b < a", X, Y, raises=ValueError)
expr("a << b", X, 1, raises=TypeError)
expr("a + None", X, raises=TypeError)
expr("a + 'text'", X, raises=TypeError)
expr("a - b", sample("?", 4), sample("?", 4, 1), raises=TypeError)
expr("-a", sample("?", 4), raises=TypeError)

# --- layouts and broadcasting -----------------------------------------------------------

for where, m in layouts("f8", (3, 4)).items():
    for text in ("a + b", "b - a", "a * b + a", "(a < b) & (b > 0)", "-a", "a.T + b.T"):
        expr(text, m, N, id=f"{text}-{where}")
    expr("a + a.T[:3, :3].sum() * 0 + b", m, N[0], id=f"row-{where}")
    expr("a * b[:, None]", m, N[:, 0], id=f"column-{where}")

SHAPES = (
    ((), ()),
    ((), (3,)),
    ((1,), (3,)),
    ((3,), (1,)),
    ((0,), (1,)),
    ((0,), (0,)),
    ((3, 1), (4,)),
    ((3, 1), (1, 4)),
    ((1, 4), (3, 4)),
    ((4,), (3, 4)),
    ((2, 3, 4), (3, 1)),
    ((2, 1, 4), (3, 4)),
    ((1, 1, 1), (2, 3, 4)),
    ((2, 3, 4), ()),
    ((2, 0, 4), (1, 4)),
    ((2, 1, 2, 1), (3, 1, 2)),
)
for left, right in SHAPES:
    a, b = sample("f8", left), sample("f4", right, 1)
    for text in (
        "a + b",
        "b * a - a",
        "a < b",
        "np.maximum(a, b)",
        "np.where(a > b, a, b)",
    ):
        expr(text, a, b)
for left, right in (((3,), (4,)), ((3, 4), (3,)), ((2, 3), (3, 2)), ((0,), (2,))):
    for text in ("a + b", "a * b", "a < b", "np.add(a, b)", "1 + a * 2 - b"):
        expr(text, sample("f8", left), sample("f8", right), raises=ValueError)

# --- larger expressions -----------------------------------------------------------------

GAUSS = "np.exp(-a * a / 2) / np.sqrt(2 * np.pi)"
expr(GAUSS, sample("f8"), ulp=16)
expr(GAUSS, sample("f4"), ulp=2**31)  # exp in float32, its error in a float64 result

for text in (
    "a * b + np.sin(a)",
    "np.sin(a) ** 2 + np.cos(a) ** 2",
    "np.sqrt(np.abs(a * b)) + np.log1p(np.abs(a)) - np.tanh(b)",
    "np.where(a > 0, np.sqrt(np.abs(a)), -a)",
    "(a - a.mean()) / a.std()",
    "a / np.sqrt((a * a).sum())",
    "np.exp(a - a.max()) / np.exp(a - a.max()).sum()",
    "1 / (1 + np.exp(-a))",
    "np.maximum(0, a) + 0.1 * np.minimum(0, a)",
    "np.clip(a, -1, 1) * np.sign(b)",
    "2 * a[1:] - a[:-1]",
    "(a[2:] - 2 * a[1:-1] + a[:-2]) / 0.01",
    "(a > 0) & (b < 1) | ~(a == b)",
    "((a > 0) ^ (b > 0)).sum()",
    "a[::-1] * b[::2][0] + len(a)",
    "np.float32(2) * a + np.float64(1)",
    "a.sum() + b.max() * a",
    "np.sum((a - b) ** 2)",
    "np.hypot(a, b) * np.arctan2(a, b)",
    "a + b + a * b - a / (b * b + 1) + 3",
    "(a + 1j * b) * (a - 1j * b)",
    "np.abs(a + 1j * b)",
    "a % 1 + a // 1 - a",
    "np.floor(a) + np.ceil(a) - np.rint(a) * np.trunc(a)",
    "a if a[0] > 0 else b",
    "math.pi * a ** 2",
    "x = a + b\ny = x * x\nreturn x / (y + 1) - x",
    "x = a * 2\nx += b\nx *= x\nreturn x",
    "t = a + b\na[:] = t * 2\nb[:] = t\nreturn t",
    "s = 0.0\nfor i in range(3):\n    s = s + (a * i).sum()\nreturn s",
    "for i in range(3):\n    a = a * 0.5 + b\nreturn a",
):
    expr(text, X, Y, ulp=16, scale=4.0)
    if "return a" not in text:
        expr(text, X.astype("f4"), Y.astype("f4")[::-1], ulp=16, scale=4.0)
    expr(text, X[::-2], Y[::-2], ulp=16, scale=4.0)

for text in (
    "a @ b.T",
    "a * b[0] + b[:, :1]",
    "a - a.mean(axis=0)",
    "a / a.sum(axis=1, keepdims=True)",
    "(a - a.mean(axis=1)[:, None]) ** 2",
    "np.sqrt((a ** 2).sum(axis=-1))",
    "np.exp(a - a.max(axis=1, keepdims=True))",
    "a[:, None, :] - b[None, :, :]",
    "((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)",
    "a.T * b.T + 1",
    "a[1:, 1:] - a[:-1, :-1]",
    "np.outer(a[0], b[0])",
    "a[0][:, None] * b[:, 0][None, :]",
    "(a > b).any(axis=0), (a > b).all(axis=1)",
):
    expr(text, M, N, ulp=16, scale=8.0)
    expr(text, np.asfortranarray(M), N[::-1, ::-1], ulp=16, scale=8.0, id=text + "-FS")


@case(X, 2.0)
@case(X, 2)
@case(X.astype("f4"), 2.0)
@case(X.astype("f4"), np.float64(2))
@case(np.arange(5), 2.0)
@case(np.arange(5, dtype="u1"), 2)
def scale_and_shift(x, k):
    return k * x + k, x / k, x**k, k - x


@case(X)
def loop_and_expression(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] ** 2
    y = y + x * 2
    y[0] = y.sum()
    return y


@case(X, Y)
def expression_into_slice(x, y):
    out = np.empty(len(x))
    out[:3] = x[:3] * y[:3]
    out[3:] = x[3:] - y[3:]
    return out


@case(0.5, X)
def scalar_function_of_array(k, x):
    def f(v):
        return v * k + math.sqrt(k)

    return f(x), f(k)


@case(np.array(2.5), np.array(3))
def nought_d_gives_scalar(a, b):
    return a + b, a * 2, -a, a[()] + b, np.sqrt(a), a < b


@case(np.array([1.0, np.nan, -0.0, np.inf]))
def specials(a):
    return a == a, a != a, a * 0, -a, a - a, np.isnan(a / a), abs(a), a < np.inf


@case(np.array([0, 1, -1, 5]), np.array([0, 0, 0, 2]))
def integer_division_by_zero(a, b):
    return a // b, a % b, a / b


test_case = corpus.test()
