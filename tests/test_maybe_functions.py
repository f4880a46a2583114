# SPDX-License-Identifier: BSD-3-Clause
"""Functions that may be None: arguments, fields, variables, elements and results, against what
CPython does."""

from __future__ import annotations

from collections import deque

import pytest
from live_memory import live

import swathe


class Box:
    def __init__(self, f=None):
        self.f = f
        self.n = 0

    def run(self, x):
        return -1 if self.f is None else self.f(x)

    def bump(self, k):
        self.n += k
        return self.n

    def put(self, k):
        self.f = lambda x: x + k
        return 5

    def reset(self):
        self.f = None
        return 3


class Button:
    def __init__(self):
        self.f = None


def add_one(x):
    return x + 1


def maker(i, k):
    if i % 2:
        return lambda x: x + k
    return None


def walk(n, visit=None, depth=0):
    if visit is not None:
        visit(n, depth)
    if n > 1:
        walk(n // 2, visit, depth + 1)
        walk(n - n // 2 - 1, visit, depth + 1)


def noted(x, log):
    log.append(x)
    return x


def as_argument():
    seen = []
    for i in range(8):
        walk(i, (lambda n, d: seen.append((n, d))) if i % 2 else None)
    walk(3)
    return seen


def in_a_field():
    boxes = [Box(), Box(), Box()]
    log, total = [], 0
    for i in range(30):
        total += boxes[i % 3].run(i)
        if i == 10:
            boxes[1].f = add_one
        if i == 20:
            boxes[1].f = None
    button = Button()
    button.f = lambda v: log.append(v)
    for b in (button, Button()):
        if b.f is not None:
            b.f(total)
    return total, log


def bound_methods():
    total, boxes = Box(), [Box() for _ in range(3)]
    boxes[1].f = total.bump
    boxes[2].f = boxes[1].f
    boxes[1].f = None
    for b in boxes:
        act = b.f
        if act:
            act(5)
            b.f(7)
    return total.n


def in_a_variable(n):
    k, total, f = 4, 0, None
    for i in range(50):
        if i == n:
            f = lambda x: x + k  # noqa: E731
        total += f(i) if f else 1
        if f is not None:
            k = i
    return total, f is None


def taken_late():
    f, text = None, []
    for i in range(20):
        if i == 7:
            k = "k" * i
            f = lambda x: k + str(x)  # noqa: E731, B023
        if f is not None:
            text.append(f(i))
    return text


def in_containers():
    k = [3]
    f = lambda x: x * len(k)  # noqa: E731
    d, q, out = {}, deque(), []
    for i in range(10):
        d[i] = f if i % 2 else None
        q.append(d[i])
    pairs = [("a", f), ("b", None), ("c", f)]
    rows = [(i, add_one if i % 2 else None) for i in range(6)]
    table = [None] * 4
    table[2] = lambda: k.append(4)
    for t in table:
        if t is not None:
            t()
    while q:
        g = q.popleft()
        if g:
            out.append(g(len(q)))
    for i in range(12):
        g = d.get(i)
        out.append(g(i) if g is not None else 0)
    out.extend(g(2) if g is not None else 0 for _, g in pairs)
    out.extend(g(i) for i, g in rows if g)
    return out, d.pop(33, None) is None, table.count(None) if k is None else len(k)


def as_result():
    total = 0
    for i in range(20):
        f, g = maker(i, i * 10), maker(i + i // 4, 1)
        if f is not None and g is not None:
            total += f(g(i))
    made = [maker(i, i) for i in range(10)]
    return total, [f(1) for f in made if f is not None]


def read_before_arguments():
    b = Box()
    b.put(3)
    kept = b.f(b.put(9))
    return kept, b.f(1), b.f(b.reset()), b.f is None


def is_none(n):
    log, f = [], None
    for i in range(5):
        if i == n:
            f = add_one
    try:
        f(noted(n, log))
    except TypeError as e:
        return str(e), log
    return "", log


def is_none_of_its_own(n):
    log, k, f, b = [], 4, None, Box()
    for i in range(5):
        if i == n:
            f = lambda x: x + k  # noqa: E731
            b.f = lambda x: x - k
    try:
        if n > 10:
            f(noted(n, log))
        else:
            b.f(noted(n, log))
    except TypeError as e:
        return str(e), log
    return "", log


def of_python(n):
    b, c, log, boxes = Button(), Button(), [], [Button() for _ in range(4)]
    b.f = abs
    if n > 3:
        boxes[2].f = abs
    log.append(b.f(-n))
    for x in boxes:
        if x.f:
            log.append(x.f(-7))
    try:
        boxes[2].f(n)
    except TypeError as e:
        return str(e), log, c.f is None
    return "", log, c.f is None


PROGRAMS = [
    (as_argument, ()), (in_a_field, ()), (bound_methods, ()), (in_a_variable, (7,)),
    (in_a_variable, (70,)), (taken_late, ()), (in_containers, ()), (as_result, ()),
    (read_before_arguments, ()), (is_none, (3,)), (is_none, (9,)), (is_none_of_its_own, (3,)),
    (of_python, (2,)), (of_python, (4,)), (is_none_of_its_own, (9,)), (is_none_of_its_own, (19,)),
]  # fmt: skip
COMPILED = {f: swathe.njit(f) for f in dict.fromkeys(f for f, _ in PROGRAMS)}


@pytest.mark.parametrize(
    ("f", "args"), PROGRAMS, ids=[f.__name__ + "".join(map(str, a)) for f, a in PROGRAMS]
)
def test_as_in_python(f, args):
    assert COMPILED[f](*args) == f(*args)
    before = live()
    for _ in range(3):
        assert COMPILED[f](*args) == f(*args)
    assert live() == before


def test_one_that_a_function_inside_takes():
    @swathe.njit
    def f(n):
        k, g = 5, None
        if n > 3:
            g = lambda x: x + k  # noqa: E731

        def inside(x):
            return g(x) if g is not None else -1

        return inside(3)

    assert [f(3), f(4)] == [f.py_func(3), f.py_func(4)] == [-1, 8]


def read(k):
    f = None
    if k:
        f = float
    g = len if k else float
    return f("3.5"), g("2.5"), f("inf")


def counted(k):
    f = None
    if k:
        f = int
    return f(" 35 "), f(True)


@pytest.mark.parametrize("f", [read, counted], ids=lambda f: f.__name__)
def test_texts_become_numbers_once_none_is_ruled_out(f):
    g = swathe.njit(opt_level=0)(f)
    assert g(1) == f(1)
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        g(0)
