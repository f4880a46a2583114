# SPDX-License-Identifier: BSD-3-Clause
"""Forms in which something was evaluated twice, not at all, or too late, or a name was taken to be
what it was before: each program is run by CPython and compiled, and its result compared by value
and type."""

import copy

import numpy as np
import pytest
from harness import define

import swathe

HEAD = """
import bisect
import heapq
from collections import deque, namedtuple
from typing import NamedTuple

import numpy as np

P = namedtuple("P", "x y")

def tr(log, v):
    log.append(v)
    return v

def bump(a):
    a[0] += 1
    a[1] += 1
    return 7

def h3(a, b, c):
    return a * 100 + b * 10 + c

def gen(a, b=3):
    for i in range(a, b):
        yield i

def odd_is_none(n):
    return None if n % 2 else n * 10

def makes(log, a, b):
    log.append(1)
    def inner(x):
        return x + a * b
    return inner

def makes_plain(log):
    log.append(1)
    def inner(x):
        return x + 1
    return inner
"""

PROGRAMS = {
    "ranges whose step is not known": """
    log = [n]
    for i in range(tr(log, 0), tr(log, 5), tr(log, n + 1)):
        log.append(i)
    else:
        log.append(-1)
    for i in range(tr(log, 0), tr(log, 9), tr(log, 2))[tr(log, 1) :: tr(log, n + 1)]:
        for j in range(tr(log, i), tr(log, 0), tr(log, -n - 1)):
            log.append(j)
    return log
""",
    "lists that one target takes apart and another keeps": """
    a, *b = c = [n, n + 1, n + 2]
    d = *e, f = [[n], [n + 1]]
    (s, *t), u = v = [[n, 2, 3], [3, 4]]
    b.append(9)
    d[0].append(5)
    t[0] = u[0] = 7
    x = [[], []]
    x[0] = *y, z = [n, 2, 3]
    y.append(4)
    return a, b, c, d, e, f, s, t, u, v, x, y, z
""",
    "annotated tuples": """
    t = (n, n + 1)
    t: tuple = (t[1], t[0])
    p = P(n, 5)
    p: P = P(p.y, p.x)
    return t, p
""",
    "places in a loop's target": """
    a = np.arange(4)
    for a[0], a[1] in zip(a, a[::-1]):
        pass
    x = [1, 2, 3]
    for x[0], x[2] in zip([5, 6], [x[1], x[0]]):
        n += x[0] * 10 + x[2]
    return a, x, n
""",
    "an assert's message": """
    try:
        assert n, (y := 3)
    except AssertionError:
        return y
    try:
        return y
    except UnboundLocalError:
        return -1
""",
    "a test that is known": """
    if n:
        while x := False:
            pass
    else:
        x = True
    return x
""",
    "unpacked before a call": """
    a = np.array([1, 2])
    return h3(*(a[0], a[1]), bump(a)), h3(a[0], *(a[1], bump(a))), h3(*(a[0],), bump(a), a[1])
""",
    "functions that calls yield": """
    log = []
    x = makes(log, 3, 4)(tr(log, 5)), makes_plain(log)(tr(log, 6))
    def pick():
        log.append(2)
        return np.float32
    return x, pick()(tr(log, 7)), log
""",
    "known strings": """
    log = []
    def yes():
        log.append(1)
        return True
    s = "a"
    s += "x" if yes() else "x"
    s += (t := "y")
    return s, t, log
""",
    "where a sum begins": """
    log = []
    a = np.array([1, 2])
    s = sum([tr(log, i) for i in range(3)], tr(log, 10))
    t = sum((tr(log, i) for i in (4, 5)), tr(log, 6))
    return s, t, log, sum([bump(a) for i in range(3)], a[0]), sum([bump(a) * 0.5 for _ in a], a[1])
""",
    "narrowed before a name is bound": """
    x = odd_is_none(n)
    try:
        if x is not None and ((x := odd_is_none(n + 1)) is None or n > 5):
            return x + 1
    except TypeError:
        return -5
    return -1
""",
    "narrowed by what is not so": """
    x = odd_is_none(n)
    try:
        if not (x is None or ((x := odd_is_none(n + 1)) is not None and n < 5)):
            return x + 1
    except TypeError:
        return -5
    y = odd_is_none(n)
    if y is None and (y := odd_is_none(n + 1)) is None:
        return 0
    return y + 1
""",
    "elements that may be None": """
    x = [1, None, 3]
    d = {1: None, 2: 5}
    d[2] += 1
    x[2] *= 2
    for k in range(1, 3):
        try:
            d[k] += n
            x[k] -= 1
        except TypeError as e:
            x[0] += 5
    t = [(1, None)]
    return x, d, t
""",
    "strings with NULs": """
    s = "a\\0b"
    return (
        "a\\0b" == "a\\0c", "a\\0b" < "a\\0c", "a\\0b" == "a", "a" < "a\\0", "a\\0b" != "a\\0b",
        s[-1], s[1], s[2], s[1:], len(s[1]), s[1] == "\\0",
    )
""",
    "membership of tuples": """
    return (
        (1,) in ((1.0,), 2), (1, 2) not in ((1.0, 2.0), (3, 4)), (True,) in ((1,),),
        ("a",) in (("a",), 1),
    )
""",
    "dtypes and strings": """
    a = np.zeros(n + 1)
    return (
        a.dtype == "float64", a.dtype != "f8", "float64" == a.dtype, a.dtype == "float32",
        a.dtype == float, a.dtype is None, a.dtype == (1, 2), a.dtype == np.float64,
        a.dtype in (int, float), a.dtype in ("f4", "f8"), a.dtype not in (np.float32, np.float64),
    )
""",
    "modules in Python": """
    x = [1, 2, 3]
    bisect.insort(x, 2, 0, -1)
    y = list(heapq.merge([3, 1], [2, 5, 0], [4], reverse=n > 0))
    return x, bisect.bisect([1, 2, 3], n, 0, -1), y, list(heapq.merge([n], [-1], key=abs))
""",
    "arguments of generators": """
    log = []
    x = [i for i in gen(b=tr(log, 4), a=tr(log, 1))]
    for i in gen(b=tr(log, 5), a=tr(log, 2)):
        x.append(i)
    for i, k in enumerate(gen(tr(log, 1)), tr(log, 7)):
        x.append(i * k)
    return x, log
""",
    "generators in variables": """
    a = [2]
    e = (x * 2 for x in gen(0, a[0]))
    g = gen(0, a[0])
    m = (x for x in (y + a[0] for y in range(a[0])))
    a[0] = 3
    return sum(e), list(g), list(m)
""",
    "the subject of match": """
    def sets():
        nonlocal y
        y = 5
        return False
    match n:
        case 1 if (n := 5) > 9:
            r = "a"
        case 5:
            r = "b"
        case _:
            r = "c"
    y = 1
    return r
""",
    "a subject that a function sets": """
    y = 1
    def sets():
        nonlocal y
        y = 5
        return False
    match y:
        case 1 if sets():
            return "a"
        case 5:
            return "b"
        case 1:
            return "c"
""",
    "lengths of extremes": """
    log, d = [], {5: (1, 2), 6: (0, 3)}
    x = [(v, 1.5) for v in range(n)]
    log.append(len(max(d.values(), key=lambda t: tr(log, t[0]))))
    log.append(len(min(d.items(), key=lambda t: t[0] // (n - 1))))
    log.append(len(max((v, 1) for v in range(n))))
    return log, len(min(x, default=(1, 2, 3)[:2])), len(sorted(x)[n - 2])
""",
    "sequences in match": """
    match deque([n, 2]):
        case [a, b]:
            n = a + b
    match (n, 2, 3):
        case [a, *b]:
            n += a
    match [4, 5, 6]:
        case [4, *c, _]:
            n += len(c)
    return n, b, c
""",
}


def run(f, args):
    try:
        return shown(f(*copy.deepcopy(args)))
    except Exception as e:
        return type(e)


def shown(v):
    if isinstance(v, np.ndarray):
        return v.dtype, v.tolist()
    if isinstance(v, dict):
        return {k: shown(x) for k, x in v.items()}
    return type(v), [shown(x) for x in v] if isinstance(v, (tuple, list)) else repr(v)


@pytest.mark.parametrize("what", list(PROGRAMS))
def test_program(what):
    f = define(f"{HEAD}\ndef f(n):{PROGRAMS[what]}", "f")
    g = swathe.njit(f)
    for n in (0, 1, 2):
        assert run(g, (n,)) == run(f, (n,)), n


REFUSED = {
    "[(y := x) for x in gen(2)]": "a name that := binds where a generator is gone through",
    "sum((y := x) for x in gen(2))": "a name that := binds where a generator is gone through",
    "np.zeros(2).dtype == 'no such'": "'==' of a dtype and this string",
    "np.zeros(2, R)[0] == (1, 2.0)": "'==' of records and other values",
}


def test_finally_in_finally():
    lines = ["def f(n):"]
    for k in range(8):
        lines += ["    " * (k + 1) + "try:", "    " * (k + 2) + "n += 1"]
        lines += ["    " * (k + 1) + "finally:"]
    f = swathe.njit(define("\n".join([*lines, "    " * 9 + "n += 1", "    return n\n"]), "f"))
    with pytest.raises(swathe.errors.CompileError, match="a finally so deep in others"):
        f(1)


@pytest.mark.parametrize("text", list(REFUSED))
def test_refused(text):
    head = HEAD + "R = np.dtype([('x', 'i8'), ('y', 'f8')])\n"
    f = swathe.njit(define(f"{head}\ndef f():\n    y = 0\n    return {text}, y\n", "f"))
    with pytest.raises(swathe.errors.CompileError, match=REFUSED[text]):
        f()
