# SPDX-License-Identifier: BSD-3-Clause
"""`[*x, 1]` and `{**d, k: v}`: what is unpacked into lists and dicts, as CPython does it."""

import re

import numpy as np
import pytest
from harness import ORACLE, check, define

import swathe

LISTS = """
[*x, 1] ; [1, *x] ; [*x] ; [*x, *x] ; [*range(n)] ; [*range(n), 7, *range(2)] ; [*t, 1] ; [*t]
[*()] ; [*(), 1] ; [*a] ; [v.sum() for v in [*b, a]] ; [*d] ; [*d.items()] ; [*d.values(), 1.5]
[*e] ; [*e, 1]
[*(i * 2 for i in x)] ; [*map(abs, x), 3] ; [*zip(x, x)] ; [*enumerate(a)] ; [*reversed(x)]
[*filter(None, x)] ; [*[1, 2], 3] ; [*[*x, 1], 2] ; [[*x, 1], [2]] ; [[*x], x] ; len([*x, 1])
sum([*x, 1]) ; sorted([*x, 1]) ; max([*x, 1]) ; [*x, 1][0] ; [*x, 1][-1] ; [*x, 1][1:]
[v * 2 for v in [*x, 1]] ; [*x, 1] + [2] ; [2] + [*x, 1] ; [*x] * 2 ; [*x, 1] == [*x, 1] ; [*x] == x
1 in [*x, 1] ; 99 in [*x] ; np.array([*x, 1]) ; np.array([*x, *t]) ; np.mean([*a, 1.0])
np.sum([*x, 1]) ; np.cumsum([1, *x]) ; np.sort([*x, 1])
np.maximum(a, [*a[::-1]]) ; np.where([*x], 1, 2)
[*x].pop() ; [*x].index(3) ; [*x, x.pop()] ; [x.pop(), *x] ; [*x, (x := [7])[0], *x] ; [*x, len(x)]
[*(x or e)] ; any([*x, 0]) ; all([*x, 0]) ; min([*x, 1], key=lambda q: -q) ; print([*x, 1])
{k: 1 for k in [*x, 9]} ; [*x[::-1], *x[1:]] ; [*m[0], *m[1]] ; [*m, [9]] ; [*m, x] ; x is [*x]
not [*e] ; 1 if [*x] else 2 ; [*gen(x), 5] ; [0, *gen(x), *gen(x[1:])] ; [*gen(x), x.pop()]
[*(v + 1 for v in gen(x))] ; [*d.items(), (5, 0.5)] ; [np.float32(1), *np.ones(2, np.float32)]
"""
DICTS = """
{**d} ; {**d, 9: 1.5} ; {9: 1.5, **d} ; {1: 7.0, **d} ; {**d, 1: 7.0} ; {**d, **d2} ; {**d2, **d}
{**d, **{}} ; {**{}} ; {**{}, **d} ; {**{}, 1: 2} ; {**{k: 0.5 for k in x}, **d} ; {**d}[4]
len({**d, 8: 1.0}) ; {**d} == d ; {**d} is d ; [*{**d}] ; {**d, n: float((n := 5)), n: 2.0}
{**d, 4: d.pop(1)} ; {4: d.pop(1), **d} ; {**dt, (5, 6): 1} ; {**dl, 5: [*x]} ; {**dl}[1] is dl[1]
{**(d if n else d2)} ; {**put(d), 5: 1.0} ; {k: v[0] for k, v in {**da, 3: a}.items()}
sorted({**d, 8: 1.0})
"""
STATEMENTS = [
    "y = [*x, 1]; x.append(8); r = y",
    "p, *q = [*x, 2]; r = q",
    "r = []; r += [*x, 1]",
    "x[1:] = [*x, 1]",
    "a[:2] = [*a[5:], 1.0]",
    "z = []; r = [*z, 1]",
    "z = []; z.append(2.5); r = [*z, 1.0]",
    "r = []; r = [*r, n]; r = [*r, n + 1]",
    "for i in range(5):\n    r = [*r, i]",
    "for i in range(n):\n    r = [*r, *r]",
    "r = g2(n, [*x, 4])",
    "r = [[*q, 0] for q in m]",
    "r = [*x, 1] if n > 1 else x",
    "it = iter(x); next(it); r = [*it, 1]",
    "r = [*x, *(y := [1, 2]), *y]",
    "try:\n    r = [*x, 1 // (n - n)]\nexcept ZeroDivisionError:\n    r = [0]",
    "try:\n    r = [*x, x[99]]\nexcept IndexError:\n    r = [0]",
    "u = {}; r = {**u}; r[1] = 2",
    "r = {0: 1}\nfor i in range(5):\n    r = {**r, i: i * i}",
    "r = {**d}; r[77] = 1.0; d[78] = 2.0",
    "d |= {**d, 9: 1.0}",
    "for k, v in {**d, 9: 1.0}.items():\n    n += k * int(v)",
    "o = None\nif n > 1:\n    o = d\nr = {**o}",
]
HEAD = """import numpy as np
def put(d):
    d[11] = 1.0
    return d
def g2(n, x):
    x.append(n)
    return x
def gen(x):
    for v in x:
        yield v * v
"""
BODY = """
def f(n, x0, t, a, b):
    d, d2 = {1: 2.0, 4: 3.0}, {1: 0.5, 7: 0.25}
    dt, dl, da = {(1, 2): 3}, {1: [1], 2: x0[:0]}, {1: a}
    e, m = x0[:0], [[1, 2], [3]]
    x = x0[:]
    r = [0]
"""


def args():
    return 3, [3, 1, 2], (5, 6), np.arange(1.0, 7.0), [np.ones(2), np.zeros(2)]


def program(text):
    body = "\n    ".join(text.replace("; ", "\n").split("\n"))
    return define(f"{HEAD}{BODY}    {body}\n    return r, n, x, a, d, m\n", "f")


@pytest.mark.parametrize("text", re.split(r" ; |\n", (LISTS + DICTS.lstrip()).strip()))
def test_displays(text):
    check(program(f"r = {text}"), *args())


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements(text):
    check(program(text), *args())


@pytest.mark.skipif(ORACLE, reason="of the compiler")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[*5]", "Value after \\* must be an iterable, not int"),
        ("[*None]", "Value after \\* must be an iterable, not NoneType"),
        ("{**x}", "object is not a mapping"),
        ("{**None}", "'NoneType' object is not a mapping"),
    ],
)
def test_what_is_wrong(text, message):
    with pytest.raises(TypeError, match=message):
        swathe.njit(cache=False)(program(f"r = {text}"))(*args())


def shown_and_unpacked(t):
    return str(t), f"{t}", [*t, "x"], [*t], list(t)


def test_an_empty_tuple_that_is_an_argument():
    assert swathe.njit(shown_and_unpacked)(()) == shown_and_unpacked(())
