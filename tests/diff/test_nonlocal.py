# SPDX-License-Identifier: BSD-3-Clause
"""Variables that nested functions assign by `nonlocal`."""

from __future__ import annotations

import numpy as np
import pytest
from harness import Corpus, define

import swathe

corpus = Corpus()
case = corpus
for n in (0, 1, 3):

    @case(n, id=f"counter{n}")
    def counter(n):
        x = 0

        def add(k):
            nonlocal x
            x += k
            return x

        add(1)
        add(n)
        return x

    @case(n, id=f"parameter{n}")
    def parameter(n):
        def add():
            nonlocal n
            n += 1

        add()
        add()
        return n

    @case(n, id=f"two{n}")
    def two(n):
        count = 0
        best = -1.0

        def visit(v, d):
            nonlocal count, best
            count += 1
            if v > best:
                best = v * 1.0
            if d < 3:
                visit(v * 2, d + 1)
                visit(v + 1, d + 1)

        visit(n, 0)
        return count, best

    @case(n, id=f"deep{n}")
    def deep(n):
        x = 1

        def outer():
            def inner():
                nonlocal x
                x *= 3 + n

            inner()
            return x

        return outer(), x

    @case(n, id=f"hidden{n}")
    def hidden(n):
        x = 1

        def outer():
            x = 10 + n

            def inner():
                nonlocal x
                x *= 3

            inner()
            return x

        return outer(), x

    @case(n, id=f"values{n}")
    def values(n):
        t = (1, 2)
        m = [1]
        a = np.zeros(3)

        def step(k):
            nonlocal t, m, a
            t = (k, t[0])
            m = [*m, k]
            a = a + k

        step(n)
        step(2)
        return t, m, a

    @case(n, id=f"places{n}")
    def places(n):
        i = 0

        def following():
            nonlocal i
            i += 1
            return i

        first = [following() for _ in range(n)]
        a, i = i, 7
        d = {following(): following()}
        return first, following(), i, a, d, i if following() else 0

    @case(n, id=f"unpacked{n}")
    def unpacked(n):
        x = 0

        def g():
            nonlocal x
            a, x = 1, n
            x, b = x + 1, 2
            return a + b

        return g(), x

    @case(n, id=f"left{n}")
    def left(n):
        depth = 0

        def down(k):
            nonlocal depth
            depth += 1
            try:
                if k == n:
                    raise ValueError("there")
                down(k + 1)
            finally:
                depth -= 10

        try:
            down(0)
        except ValueError:
            depth += 1000
        return depth

    @case(n, id=f"set_together{n}")
    def set_together(n):
        total, count = 0.0, -1
        low = high = 0.5

        def add(k):
            nonlocal total, count, high
            total += k
            count += 1
            high = max(high, k * 1.0)

        for k in range(n):
            add(k + low)
        return total, count, low, high

    @case(n, id=f"circle{n}")
    def circle(n):
        def a(k):
            return 1 if k <= 0 else b(k - 1) + 1

        def b(k):
            return 2 if k <= 0 else c(k - 1) * 2 + n

        def c(k):
            return 3 if k <= 0 else a(k - 1) + max(b(j) for j in range(k))

        last = c
        return a(2 * n), b(n), c(n + 1), last(n), (lambda k: b(k))(n)

    @case(n, id=f"circle_that_sets{n}")
    def circle_that_sets(n):
        calls = 0
        most = n * 0.5

        def a(k):
            return b(k - 1) + 1 if k > 0 else 0

        def b(k):
            nonlocal calls, most
            calls += 1
            most = max(most, k * 1.5)
            return a(k - 1) * 2 if k > 0 else n

        return a(n), b(n + 1), calls, most

    @case(n, id=f"parser{n}")
    def parser(n):
        text = [12, 1, 3, 13 + n, 1, 14, 4, 2, 12, 0]
        at = 0

        def sum_():
            nonlocal at
            v = product()
            while text[at] == 1:
                at += 1
                v = v + product()
            return v

        def product():
            nonlocal at
            v = factor()
            while text[at] == 2:
                at += 1
                v = v * factor()
            return v

        def factor():
            nonlocal at
            at += 1
            if text[at - 1] != 3:
                return number(text[at - 1])
            v = sum_()
            at += 1
            return v

        def number(k):
            return k - 10 if k > 10 else -sum_()

        return sum_(), at


test_case = corpus.test()


def test_a_circle_with_two_variables_of_one_name_is_refused():
    f = define(
        "def f(n):\n    x = 5\n    def a(k): return x if k <= 0 else b(k - 1)\n    def b(k):\n"
        "        x = 7\n        return x if k <= 0 else a(k - 1)\n    return a(n)\n",
        "f",
    )
    with pytest.raises(swathe.errors.UnsupportedError, match="another has that name"):
        swathe.njit(f)(3)


REFUSED = {
    "set by a loop": "x = 0\n    def g():\n        nonlocal x\n        for x in range(n): pass",
    "used before": "def g():\n        nonlocal x\n        x += 1\n    g()\n    x = 1",
    "on one path": "if n: x = 1\n    def g():\n        nonlocal x\n        x = 2",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_others_are_refused(body):
    f = define(f"def f(n):\n    {body}\n    g()\n    return x\n", "f")
    with pytest.raises(swathe.errors.UnsupportedError, match="outer scope"):
        swathe.njit(f)(1)


HEAD = "from swathe import prange\n"


@pytest.mark.parametrize("by", ["g(i)", "h(i)"])
def test_iterations_of_a_prange_share_none(by):
    f = define(
        HEAD + "def f(n):\n    x = 0\n    def g(k):\n        nonlocal x\n        x += k\n"
        f"    def h(k): g(k)\n    for i in prange(n):\n        {by}\n    return x\n",
        "f",
    )
    with pytest.raises(swathe.errors.UnsupportedError, match="assign 'x' by nonlocal"):
        swathe.njit(f, parallel=True)(10)


def test_a_function_that_has_its_own_may_run_in_a_prange():
    f = define(
        HEAD + "def f(n):\n    a = np.zeros(n)\n    def h(k):\n        x = 0\n        def g():\n"
        "            nonlocal x\n            x += k\n        g()\n        g()\n        return x\n"
        "    for i in prange(n):\n        a[i] = h(i)\n    return a\n",
        "f",
    )
    assert swathe.njit(f, parallel=True)(100).tolist() == [2.0 * i for i in range(100)]
