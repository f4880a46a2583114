"""Variables that branches set anew are what Python has behind them."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def after_one(a, n):
    x = a[0]
    if n > 2:
        x = x + n
    return x


def after_both(a, n):
    if n % 2:
        x = a[1]
        y = n
    else:
        y = n + 1
        x = a[2] * y
    return x - y


def nested(a, n):
    x = 1.5
    y = n
    if n > 1:
        x = a[0]
        if n > 3:
            x = x * 2
            if n > 5:
                y = y + 7
                x = x - y
        else:
            x = -x
    else:
        y = -n
    return x + y


def in_loop(a, n):
    s = 0.0
    for i in range(len(a)):
        x = a[i]
        k = i
        if x > 0.5:
            x = 1.0 - x
            if i == n:
                continue
            k = k + 1
        elif i == n + 4:
            break
        s += x * k
    return s


def carried(a, n):
    x = 0.0
    for i in range(n):
        if i % 2:
            y = x + a[i]
        else:
            y = x - a[i]
        if y > 1:
            x = y - 1
        else:
            x = y + a[0]
    return x


def in_while(a, n):
    x = float(n)
    while x > 1:
        y = x
        if y > 4:
            y = y / 2
        else:
            y = y - a[0] - 0.5
        x = y - 0.25
    return x


def leaves(a, n):
    x = n
    if n == 1:
        raise ValueError("one")
    elif n == 2:
        return a[0]
    elif n == 3:
        x = 30
    if x > 4:
        x = x - 4
        if x > 8:
            return a[1] + x
    return x * 2.0


def chain(a, n):
    if n < 1:
        x = a[0]
    elif n < 2:
        x = a[1]
    elif n < 3:
        x = a[2]
    elif n < 4:
        x = a[3]
    else:
        x = a[4]
    return x


def arrays(a, n):
    b = a
    if n > 1:
        b = b[n:]
        if n > 4:
            b = b * 2.0
    else:
        b = np.zeros(3)
    s = 0.0
    for i in range(b.shape[0]):
        s += b[i] * (i + 1)
    return s + len(b)


def views(a, n):
    if n % 3 == 0:
        b = a[::2]
    elif n % 3 == 1:
        b = a[1:7]
    else:
        b = a[n:n]
    return b.sum() + len(b)


def handled(a, n):
    x = 1.0
    y = 2.0
    try:
        if n > 2:
            x = 3.0
            y = a[n * 2]
        x = x + y
    except IndexError:
        x = x * 100
    if n > 6:
        y = x
    return x + y


def parameter(a, n):
    if n > 3:
        n = n - 3
        a = a[n:]
    for i in range(n):
        if a[i % len(a)] > 0.3:
            n = n + 1
    return a[0] * n


def complexes(a, n):
    z = complex(a[0], n)
    w = 1j
    if n > 2:
        z = z * w
        if n > 4:
            w = z.conjugate()
    return abs(z) + w.imag


def deep(a, n):
    x = n
    if n > 0:
        if n > 1:
            if n > 2:
                if n > 3:
                    if n > 4:
                        if n > 5:
                            if n > 6:
                                if n > 7:
                                    if n > 8:
                                        x = x + 90
                                    else:
                                        x = x + 80
                                else:
                                    x = x + 70
    return x


FUNCTIONS = [
    after_one, after_both, nested, in_loop, carried, in_while, leaves, chain, arrays, views,
    handled, parameter, complexes, deep,
]  # fmt: skip


def outcome(function, a, n):
    """Return a call's value, or its error."""
    try:
        return function(a.copy(), n)
    except ValueError as e:
        return str(e).splitlines()[0]


@pytest.mark.parametrize("options", [{}, {"opt_level": 0}, {"parallel": True}], ids=str)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_is_what_python_has(function, options):
    compiled = swathe.njit(**options)(function)
    a = np.random.default_rng(3).random(10)
    for n in range(11):
        expected, got = outcome(function, a, n), outcome(compiled, a, n)
        if isinstance(expected, str):
            assert got == expected
        else:
            assert got == pytest.approx(expected, rel=1e-12), n
