# SPDX-License-Identifier: BSD-3-Clause
"""Tuples unpacked into arguments: f(*t), of functions, of NumPy's and of Python's own."""

import numpy as np
import pytest

import swathe


def named_and_further(t):
    def f(a, b=2, *c, d=5):
        return a + 10 * b + 100 * len(c) + 1000 * d + 10000 * sum(c)

    return f(*t), f(9, *t), f(9, 8, *t), f(9, 8, 7, *t), f(*t, d=1), f(*t, 4, 5, d=3), f(9, *t, 3)


def further_only(t):
    def f(*c, d=5):
        return len(c) * d

    return f(*t), f(1, *t, 2, d=4), f(*())


def named_only(t):
    def f(a, *, k=1):
        return a * k

    def g(a, b, c):
        return a - b * c

    return f(*t[:1]), f(*t[:1], k=7), g(*t), g(t[0], *t[1:]), g(*t[:2], c=4), g(*t[:1], c=1, b=2)


def of_numpy(t):
    return np.clip(*t), np.add(*t[:2]), np.arange(*t).sum(), np.zeros(*((2,),)).size


def pair():
    return 7, 2


def of_python(t):
    s = 0
    for i in range(*t):
        s = s * 10 + i
    nested = max(*t, min(*t[:2], 3)), divmod(*divmod(*pair()))
    return s, nested, max(1, *t), min(*t), pow(*t[:2]), abs(*t[:1]), len(*((1, 2),)), round(*t[1:])


@pytest.mark.parametrize("t", [(1, 7, 2), (3, 9, 3)])
@pytest.mark.parametrize(
    "f",
    [named_and_further, further_only, named_only, of_numpy, of_python],
    ids=lambda f: f.__name__,
)
def test_as_python(f, t):
    assert swathe.njit(f)(t) == f(t)


def reverse(t):
    for a in reversed(*(t,)):
        return a


def added(t):
    return sum(*(t,))


@pytest.mark.parametrize("f", [reverse, added])
def test_what_is_refused(f):
    with pytest.raises(swathe.errors.UnsupportedError, match="unpacked tuple as arguments of"):
        swathe.njit(f)((1, 2, 3))


def missing(t):
    def f(a, b, *c, d):
        return a

    return f(*t)


def too_many(t):
    def f(a, b):
        return a

    return f(*t)


def twice(t):
    def f(a, b, c, d=1):
        return a

    return f(*t, b=1)


@pytest.mark.parametrize("f", [missing, too_many, twice])
def test_a_wrong_call_is_a_type_error(f):
    with pytest.raises(TypeError):
        f((1, 2, 3))
    with pytest.raises(TypeError):
        swathe.njit(f)((1, 2, 3))


def endless():
    i = 0
    while True:
        i += 1
        yield i


class Endless:
    def __init__(self):
        self.i = 0

    def __iter__(self):
        while True:
            self.i += 1
            yield self.i


def too_many(kind):
    e = Endless()
    it = iter([1, 2, 3, 4, 5])
    g = endless()
    try:
        if kind == 0:
            a, b = e
        elif kind == 1:
            a, b = it
        elif kind == 2:
            a, b = g
        else:
            a, b = endless()
    except ValueError as x:
        return e.i, next(it), next(g), str(x)
    return a, b, 0, ""


@pytest.mark.parametrize("kind", range(4))
def test_as_many_as_are_wanted_are_asked_for(kind):
    assert swathe.njit(too_many)(kind) == too_many(kind)


class Kept:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return iter(self.x)


def kept(x):
    a, b = Kept(x)
    c, *d = Kept(x)
    return a, b, c, d


def test_an_iter_that_is_no_generator():
    assert swathe.njit(kept)([1, 2]) == kept([1, 2])
    with pytest.raises(ValueError, match="too many values to unpack"):
        swathe.njit(kept)([1, 2, 3])
