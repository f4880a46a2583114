# SPDX-License-Identifier: BSD-3-Clause
"""Names: read before they are bound, and taken by functions that outlive an assignment."""

from __future__ import annotations

import functools
import math
import operator
import statistics

import numpy as np
import pytest
from diff.harness import define

import swathe


def outcome(f, x):
    try:
        return f(x)
    except NameError as e:
        return type(e).__name__, str(e).split("\n")[0]


# Each after `def f(x):`; the path that misses the name is taken for some x only.
UNBOUND = {
    "return": "    if x > 1:\n        return y\n    y = 1\n    return y",
    "in an expression": "    if x > 1:\n        z = y + x\n        return z\n    y = 1\n    return y",
    "augmented": "    if x > 1:\n        y += x\n    else:\n        y = 1\n    return y",
    "caught": "    try:\n        z = y\n    except NameError:\n        return 5\n    y = x\n    return y",
    "in a loop": "    for i in range(x):\n        if i == 2: return y\n    y = 1\n    return y",
    "while test": "    if x > 1:\n        while y < 3: x += 1\n    y = 1\n    return y",
    "range": "    if x > 1:\n        for k in range(y): x += 1\n    y = 1\n    return y",
    "if test": "    if x > 1:\n        if y: return 3\n    y = 1\n    return y",
    "index": "    a = np.ones(3)\n    if x > 1: a[y] = 2\n    y = 1\n    return a[0]",
    "deleted": "    a = np.ones(3)\n    if x > 1:\n        del a\n        return a[0]\n    return 1.0",
    "taken": "    def g(a): return a + k\n    if x < 2: k = 5\n    return g(x)",
}


@pytest.mark.parametrize("body", UNBOUND.values(), ids=UNBOUND.keys())
def test_unbound_on_a_path(body: str) -> None:
    f = define(f"def f(x):\n{body}\n", "f")
    c = swathe.njit(f)
    for x in (0, 1, 3):
        assert outcome(c, x) == outcome(f, x)


def test_surely_unbound_is_reported_at_once() -> None:
    f = define("def f(x):\n    z = x + y\n    y = 1\n    return z\n")
    with pytest.raises(swathe.errors.CompileUnboundLocalError):
        swathe.njit(f)(1)


# A function sees what a variable holds when it is called, however it got its name.
LATE = {
    "lambda": "    k = 1\n    g = lambda a: a + k\n    k = 10\n    return g(x)",
    "another name": "    k = 1\n    def g(a): return a + k\n    h = g\n    k = 10\n    return h(x)",
    "another type": "    k = 1\n    g = lambda a: a + k\n    k = 2.5\n    return g(x)",
    "own sum": "    s = 0\n    g = lambda a: a + s\n    for i in range(4): s += g(x)\n    return s",
    "passed on": "    k = 1\n    g = lambda a: a + k\n    k = 10\n    return apply(g, x)",
    "one in another": "    k = 1\n    g = lambda a: a + k\n    h = lambda a: g(a) * 2\n    k = 7\n"
    "    return h(x)",
    "returned": "    return make(x)(3)",
    "loop variable": "    s = 0\n    for i in range(4):\n        g = lambda a: a + i\n        s += g(x)\n"
    "    return s",
    "tuple": "    k = 10\n    t = (lambda a: a + k, lambda a: a - k)\n    return t[0](x) * t[1](x)",
}
HELPERS = """def apply(g, x):
    return g(x)
def make(n):
    g = lambda a: a + n
    n = 50
    return g
"""


@pytest.mark.parametrize("body", LATE.values(), ids=LATE.keys())
def test_late_binding(body: str) -> None:
    f = define(f"{HELPERS}def f(x):\n{body}\n", "f")
    assert swathe.njit(f)(3) == f(3)


@pytest.mark.parametrize(
    "body",
    [
        "    k = 1\n    t = (lambda a: a + k, 2)\n    k = 10\n    return t[0](x)",
        "    k = 1\n    t = (lambda a: a + k, 2)\n    for i in range(x):\n        k += t[0](x)\n"
        "    return k",
    ],
)
def test_taken_too_early_is_an_error(body: str) -> None:
    with pytest.raises(swathe.errors.UnsupportedError, match="took 'k' before"):
        swathe.njit(define(f"def f(x):\n{body}\n"))(3)


def test_returning_what_always_raises() -> None:
    source = """def fail(x):
    raise ValueError("no")
def deeper(x):
    return fail(x)
def unbound(x):
    return y
    y = 1
def f(x):
    if x > 2:
        return unbound(x)
    if x > 1:
        return deeper(x)
    elif x > 0:
        return fail(x)
    return 2.5
"""
    f = swathe.njit(define(source, "f"))
    assert f(0) == 2.5
    for x in (1, 2):
        with pytest.raises(ValueError, match="no"):
            f(x)
    with pytest.raises(UnboundLocalError, match="'y'"):
        f(3)
    with pytest.raises(ValueError, match="no"):
        swathe.njit(define(source, "deeper"))(1)


@functools.wraps(math.sqrt)
def root(x):
    return 0.0 if x < 0 else math.sqrt(x) + 1


@functools.wraps(abs)
def far(x):
    return abs(x) + 100


@functools.wraps(np.sum)
def total(x):
    return np.sum(x) * 2


@functools.wraps(statistics.mean)
def mean(x):
    return sum(x) / len(x) + 1


@functools.wraps(operator.add)
def times(a, b):
    return a * b


class Called:
    def __init__(self, f):
        functools.update_wrapper(self, f)

    def __call__(self, x):
        return -1.0


CALLED = Called(math.sin)


def wrapped(x):
    return root(-x), root(x), far(x), total(np.ones(3)), mean([x, 2]), times(x, 5), abs(-x)


def test_functions_that_go_by_the_name_of_others():
    assert swathe.njit(wrapped)(4) == wrapped(4)
    assert swathe.njit(lambda x: CALLED(x))(1.0) == -1.0
