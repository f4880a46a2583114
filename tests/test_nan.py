# SPDX-License-Identifier: BSD-3-Clause
"""debug=True: where a NaN comes from numbers that are none."""

import numpy as np
import pytest

import swathe
from swathe import prange

INF = float("inf")


def roots(a):
    s = 0.0
    for i in range(len(a)):
        s += np.sqrt(a[i])
    return s


def difference(a):
    return a - a[::-1]


def in_parallel(a):
    for i in prange(len(a)):
        a[i] = np.log(a[i])


def twice(x):
    return x - x


def through_a_call(a):
    return twice(a[0])


def passed(a):
    return same(a[0] - a[0])


def same(x):
    return x


@pytest.mark.parametrize(
    "f, a, text",
    [
        (roots, [1.0, -1.0], "s += np.sqrt(a[i])"),
        (difference, [INF, 1.0, INF], "return a - a[::-1]"),
        (in_parallel, [1.0, -2.0], "a[i] = np.log(a[i])"),
        (through_a_call, [INF], "return x - x"),
        (passed, [INF], "return same(a[0] - a[0])"),
    ],
)
@pytest.mark.parametrize("parallel", [False, True])
def test_a_nan_is_told_with_its_line(f, a, text, parallel):
    a = np.array(a)
    with pytest.raises(FloatingPointError, match="a NaN comes from numbers that are none") as e:
        swathe.njit(debug=True, parallel=parallel)(f)(a.copy())
    assert text in str(e.value)
    swathe.njit(parallel=parallel)(f)(a.copy())  # without debug=True it is as in NumPy


def left_out(a):
    return np.where(a > 0, np.log(a), 0.0)


def chosen(a):
    x = a[0]
    y = np.sqrt(x) if x > 0 else 0.0
    return y, np.maximum(a, 0).sum(), np.abs(-a), np.sign(a)


def taken_along(a):
    b = a * 2 + 1
    s = 0.0
    for x in b:
        s += x
    return s, np.sum(b), b.max(), -b, np.sin(b)


def caught(a):
    try:
        return a[0] - a[0]
    except FloatingPointError:
        return -1.0


def masked(a):
    r = np.zeros_like(a)
    np.divide(a - a, a, out=r, where=a != 0)
    np.log(a, out=r, where=a > 0)
    return r


def plain(a):
    return np.exp(a), a / (a * a + 1), np.std(a), a.mean()


@pytest.mark.parametrize(
    "f, a",
    [
        (left_out, [1.0, -1.0]),
        (masked, [1.0, 0.0, -2.0]),
        (chosen, [-1.0, -2.0]),
        (taken_along, [1.0, np.nan]),
        (plain, [1.0, 2.0, -3.0]),
        (plain, [np.nan, 2.0]),
    ],
)
def test_nothing_is_told_of_other_nans(f, a):
    a = np.array(a)
    with np.errstate(all="ignore"):
        want = f(a.copy())
    got = swathe.njit(debug=True)(f)(a.copy())
    want, got = ((x,) if not isinstance(x, tuple) else x for x in (want, got))
    for w, g in zip(want, got, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-14)


def test_it_can_be_caught():
    assert swathe.njit(debug=True)(caught)(np.array([INF])) == -1.0
