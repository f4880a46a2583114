# SPDX-License-Identifier: BSD-3-Clause
"""Functions, builtins and classes as keys of dicts and elements of sets."""

import math
from collections import defaultdict

import pytest

import swathe


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


class Left:
    def __init__(self):
        self.x = 1


class Right:
    def __init__(self):
        self.x = 2


def looked_up(n):
    d = {add: "add", sub: "sub"}
    return d[add if n else sub], d.get(mul, "none"), len(d), add in d, mul in d


def elements(n):
    s = set()
    for f in (add, sub, add):
        s.add(f)
    if n:
        s.add(mul)
    return len(s), add in s, mul in s, sub in frozenset([add])


def put_later(n):
    d = {}
    for f in [add, sub, mul]:
        d[f] = f(n, 2)
    return d[sub], [f(3, 4) for f in d], sum(d.values())


def counted(n):
    c = defaultdict(int)
    for i in range(n):
        c[add if i % 3 else mul] += 1
    return c.get(add, 0), c.get(mul, 0), c.get(sub, 0)


def of_builtins(n):
    d = {math.sin: n, math.cos: n + 1}
    return d[math.cos], math.tan in d


def of_classes(n):
    d = {Left: n, Right: n + 1}
    return d[Left], d[Right], Left in d


def beside_others(n):
    d = {(add, 1): n, (sub, 1): 3}
    return d[(sub, 1)], (add, 1) in d, (add, 2) in d, (mul, 1) in d


def remembered(n):
    memo = {}

    def call(f, x):
        if (f, x) not in memo:
            memo[(f, x)] = f(x, x)
        return memo[(f, x)]

    return call(add, n), call(mul, n), call(add, n), len(memo)


def missed(n):
    d = {add: n}
    del d[add]
    d[mul] = 5
    try:
        return d[sub]
    except KeyError:
        return len(d)


def same(n):
    fs = {add, sub}
    return (
        sorted(f(n, 1) for f in fs),
        fs == {sub, add},
        fs | {mul} == {add, sub, mul},
        fs - {add} == {sub},
    )


@pytest.mark.parametrize(
    "f",
    [looked_up, elements, put_later, counted, of_builtins, of_classes, beside_others]
    + [remembered, missed, same],
)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_keys(f, n):
    assert swathe.njit(f)(n) == f(n)


def test_a_key_that_is_not_there():
    def f(n):
        d = {add: n, sub: n}
        return d[mul if n else add]

    assert swathe.njit(f)(0) == 0
    with pytest.raises(KeyError, match="<function>"):
        swathe.njit(f)(1)


def test_functions_made_in_the_function():
    def f(n):
        def inner(x):
            return x + n

        return {inner: 1}[inner]

    with pytest.raises(swathe.CompileError, match="dict of function"):
        swathe.njit(f)(1)
