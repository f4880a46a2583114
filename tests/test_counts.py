# SPDX-License-Identifier: BSD-3-Clause
"""Reference counts: changed in place in short loops, by calls where code would grow; texts of views
that need none."""

import re

import numpy as np
from live_memory import live

from swathe import njit


def doubled(x, n):
    rows = [[k] for k in range(n)]
    out = []
    for i in range(n):
        out.append(rows[i])
    return out


def many(n):
    a, b, c, d = [], [], [], []
    for i in range(n):
        if i % 4 == 0:
            a.append([i])
            b.append(a[-1])
        elif i % 4 == 1:
            c.append((str(i), [i]))
            d.append(c[-1])
        elif i % 4 == 2:
            a.append([i, i])
            c.append((f"{i}!", [i]))
            d.append(c[0])
        else:
            b = [a[0], *b]
            d = [c[-1], *d]
    return a, b, c, d


def labels(name, n):
    total = 0
    for i in range(n):
        text = f"{name}: {i}!"
        total += len(text)
    return total


def rows_of(x, n):
    last = x[0]
    total = 0.0
    for i in range(n):
        made = np.arange(4.0) + i
        part = made[1:]
        total += part.sum() + last[0]
        last = x[i % len(x)]
        if i % 2:
            x = x.copy()
    return total, last.copy()


def in_place(f, *args):
    g = njit(f)
    g(*args)
    (text,) = g.inspect_llvm().values()
    return len(re.findall(r"^alone", text, re.MULTILINE))


def test_short_loops_count_in_place():
    assert 0 < in_place(doubled, 0, 3) <= 40


def test_long_ones_call():
    assert in_place(many, 9) <= 8


def test_views_of_what_is_made_need_no_count():
    assert in_place(labels, "a", 3) <= 6


def test_the_same_either_way():
    x = np.arange(12.0).reshape(3, 4)
    for f, args in [(doubled, (0,)), (many, ()), (labels, ("ab",)), (rows_of, (x,))]:
        g = njit(f)
        for n in (0, 1, 2, 5, 40) if f is not many else (4, 9, 40):
            want, got = f(*args, n), g(*args, n)
            if f is rows_of:
                assert want[0] == got[0]
                assert (want[1] == got[1]).all()
            else:
                assert want == got


def test_nothing_is_left():
    g = njit(many)
    g(9)
    before = live()
    for _ in range(3):
        g(40)
    assert live() == before


def test_shared_elements_stay_shared():
    a, b, c, d = njit(many)(9)
    assert any(x is y for x in a for y in b)
    assert any(x[1] is y[1] for x in c for y in d)
