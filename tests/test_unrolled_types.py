# SPDX-License-Identifier: BSD-3-Clause
"""A loop that is written out for one call's types, in a function that other types reach, too: each
call has the rounds of its own, whichever comes first."""

import numpy as np
import pytest

import swathe


def total(v):
    if isinstance(v, float):
        return v
    return v.sum()


def over(t):
    s = 0.0
    for a in t:
        s += total(a)
    return s


def over_a_range(t):
    s = 0.0
    for k in range(len(t)):
        s += total(t[k]) * 10.0**k
    return s


def numbered(t):
    s = 0.0
    for k, a in enumerate(t, len(t)):
        s += total(a) * 10.0**k
    return s


def side_by_side(t):
    s = 0.0
    for a, b in zip(t, t[1:]):
        s += total(a) * total(b)
    return s


def in_steps(t):
    s = 0.0
    for k in range(len(t) - 1, -1, -2):
        s = s * 10.0 + total(t[k])
    return s


def nested(t):
    if isinstance(t, tuple):
        s = 0.0
        for a in t:
            s = 2.0 * s + nested(a)
        return s
    return total(t)


def with_effect(t, seen):
    s = 0.0
    for a in noted(t, seen):
        s += total(a)
    return s


def noted(t, seen):
    seen[0] += 1
    return t


def after(t):
    last = 7.0
    for a in t:
        last = total(a)
    return last


def twice(t):
    s = 0.0
    for a in t:
        for b in t:
            s += total(a) * total(b)
    return s


X = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    "f",
    [over, over_a_range, numbered, side_by_side, in_steps, after, twice],
    ids=lambda f: f.__name__,
)
def test_of_each_length(f):
    """One way round, and the other."""

    def each(x):
        return (f((2.0, x)), f((x, 3.0, 2.0)), f((x,)), f((1.0, 2.0, x, 3.0, x)), f((4.0, 5.0)))

    def back(x):
        return (f((4.0, 5.0)), f((1.0, 2.0, x, 3.0, x)), f((x,)), f((x, 3.0, 2.0)), f((2.0, x)))

    assert swathe.njit(each)(X) == each(X)
    assert swathe.njit(back)(X) == back(X)


@pytest.mark.parametrize(
    "t",
    [(2.0, (X, 3.0, 4.0)), ((2.0, X, 3.0), 4.0), (X, (2.0, (X, 3.0))), ((X,), 2.0), (2.0, (X,))],
)
def test_that_calls_itself(t):
    assert swathe.njit(nested)(t) == nested(t)


def test_what_is_gone_through_is_evaluated_once():
    def each(x):
        seen = np.zeros(1)
        return with_effect((2.0, x), seen) + with_effect((x, 3.0, 2.0), seen), seen[0]

    assert swathe.njit(each)(X) == each(X)


def test_what_is_no_tuple():
    def each(x):
        ranges = over_a_range((1.0, x)), over_a_range(x), over_a_range([x, x, x])
        return over((1.0, x)), over([1.0, 2.0, 3.0]), over(x), over({1.0, 4.0}), ranges

    def back(x):
        return over(x), over([x, x, x]), over((x, x[None], 1.0)), over((x, 1.0))

    assert swathe.njit(each)(X) == each(X)
    assert swathe.njit(back)(X) == back(X)


def axes(x):
    for k in range(x.ndim):
        x = np.cumsum(x, axis=k)
    return x.sum()


def test_axes():
    def each(x):
        return axes(x), axes(x[None]), axes(x[None, None]), axes(x[0])

    x = np.arange(6.0).reshape(2, 3)
    assert swathe.njit(each)(x) == each(x)


def of_all(t):
    return sum([total(a) for a in t])


def others(x, axis):
    return np.zeros(tuple([x.shape[k] for k in range(x.ndim) if k != axis]))


def more(x):
    return tuple([n + 1 for n in x.shape])


def test_comprehensions():
    """Either as Python has it, or an error: never the rounds of another call."""

    def each(x):
        return of_all((2.0, x)), of_all((x, 3.0, 2.0))

    def shapes(x):
        return others(x, 0).shape, others(x, 1).shape, others(x[None], 1).shape

    def ranks(x):
        return more(x), more(x[None]), more(x[None, None])

    for f, x in ((each, X), (shapes, np.ones((2, 3))), (ranks, X)):
        try:
            got = swathe.njit(f)(x)
        except swathe.errors.CompileError:
            continue
        assert got == f(x)
