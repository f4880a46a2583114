# SPDX-License-Identifier: BSD-3-Clause
"""Comprehensions run their generators once, as in CPython: a counter in an argument sees how
often, and in which order, each part has run.  Counts lie on both sides of where an array that
grows needs new memory."""

import numpy as np
from harness import Corpus, define

case = Corpus(views=False)

HELPERS = """
def tick(c, v):
    c[0] = c[0] * 3 + v
    return c[0]


def upto(c, n):
    c[0] += 1
    return range(n)


def odd(c, v):
    c[1] += 1
    return (v + c[1]) % 2 == 1


"""
# generators (over n and a counter c) and the variable that the element may use
GENERATORS = {
    "for i in range(n)": "i",
    "for i in range(n, 0, -1)": "i",
    "for i in range(tick(c, 1) * 0 + n)": "i",
    "for i in range(n) if i % 3": "i",
    "for i in range(n) if odd(c, i)": "i",
    "for i in range(n) if odd(c, i) if tick(c, i) % 2": "i",
    "for j in range(3) for i in range(n)": "i + j",
    "for j in range(n) for i in range(j % 4)": "i + 10 * j",
    "for j in range(3) if odd(c, j) for i in range(n) if odd(c, i)": "i + 10 * j",
    "for j in range(tick(c, 1) % 3 + 2) for i in range(tick(c, j) % 3 + n)": "i - j",
    "for i in x[:n]": "i",
    "for i, j in zip(x[:n], range(n))": "i * j",
    "for i, v in enumerate(x[:n]) if v > 1": "i * v",
    "for i in reversed(range(n))": "i",
}
# element of an array, in terms of the value v
ELEMENTS = ["v", "tick(c, 2) % 101 + v * 0.5", "(v, 2 * v)", "[v, tick(c, 1) % 7]", "x[:3] * v"]
FOLDS = ["sum({})", "max({})", "min({})"]
FOLDS += ["any(v > 2 {})", "all(v < 3 {})", "any(odd(c, v) {})", "all(odd(c, v) {})"]
X = np.array([3, 1, 2, 5, 4, 0] * 8)


def function(text):
    return define(f"{HELPERS}def f(n, x, c):\n    return {text}\n", "f")


for text, value in GENERATORS.items():
    for e, element in enumerate(ELEMENTS):
        body = element.replace("v", f"({value})")
        f = function(f"np.array([{body} {text}])")
        for n in (1, 2, 15, 16, 17, 33, 40):
            if n > 2 and e > 1 and n != 17:
                continue
            if np.size(f(n, X, np.zeros(2, "i8"))):  # an empty list makes float64 in NumPy
                case.add(f, n, X, np.zeros(2, "i8"), id=f"{text}-{element}-{n}")
    for fold in FOLDS:
        inner = fold.format(text) if " {}" in fold else fold.format(f"{value} {text}")
        inner = inner.replace("(v ", f"({value} ").replace("v)", f"{value})")
        for n in (0, 1, 5):
            options = {"raises": ..., "promoted": True}
            case.add(function(inner), n, X, np.zeros(2, "i8"), id=f"{inner}-{n}", **options)


@case(5, np.arange(4.0))
def ragged(n, x):
    return np.array([x[:2] for i in range(n)])


@case(3, np.arange(4.0), raises=ValueError)
def inhomogeneous(n, x):
    return np.array([x[:i] for i in range(n)])


@case(6)
def nested(n):
    return np.array([[i * j for j in range(4)] for i in range(n) if i != 2])


@case(20, np.zeros(2, "i8"), raises=ZeroDivisionError)
def fails_on_the_way(n, c):
    for k in range(2):
        c[1] = len(np.array([k + 100 // (17 - i) for i in range(n) if i % 2]))
        c[0] += 1
    return c


# Rows of NumPy's numbers and Python's: the dtype of an array of both holds all of them, and each
# fits or does not fit in the dtype that is asked for, as it would alone.
MIXED = {
    "(np.int8(k), k + 300)": "int8, uint8, int64, float32, None",
    "(np.uint8(k), -1)": "uint8, int8, None",
    "((np.int16(-1), k), (k, 2 - k))": "uint8, int64, None",
    "(np.uint8(200), k)": "int8, uint8, None",
    "(np.float32(0.1), 0.1)": "float64, float32, None",
    "(np.float32(0.1), 2**24 + 1 + k)": "float64, float32, None",
    "(np.float16(0.1), 1j)": "complex64, None",
    "(np.uint64(2**64 - 1), k)": "uint64",
    "(np.uint64(k), -1)": "uint64",
    "(np.int64(-3), True)": "uint8, None",
}
for row, dtypes in MIXED.items():
    for dtype in dtypes.split(", "):
        asked = "" if dtype == "None" else f", np.{dtype}"
        for body in (f"np.array([{row} for k in range(n)]{asked})", f"np.array(x{asked})"):
            text = body if "for" in body else f"x = [{row} for k in range(n)]\nreturn {body}"
            case.expr(text, 3, names="n", raises=...)

test_case = case.test()
