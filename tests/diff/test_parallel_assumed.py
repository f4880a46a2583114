# SPDX-License-Identifier: BSD-3-Clause
"""Variables of a parallel loop that are set where something holds that no iteration changes: an
inner loop runs, a flag is set. The loop runs in parallel behind a test of it, and else in a version
that does not ask the flag, or in order."""

import numpy as np
import pytest

import swathe
from swathe import prange


def inner_loop(x, flag, m):
    n = len(x)
    d, t = np.zeros((n, n)), 5.0
    for i in prange(n):
        for j in range(i + 1, n):
            for k in range(m):
                t = x[j] * k
            d[i, j] = t
    return d


def a_flag(x, flag, m):
    n = len(x)
    d, b, k = np.zeros((n, n)), np.ones(3), 5
    for i in prange(n):
        for j in range(i + 1, n):
            if flag:
                b = np.full(3, x[j])
                k = j
            d[i, j] = b.sum() * x[i] + k
    return d


def no_flag(x, flag, m):
    c = 7
    for i in prange(len(x)):
        if not flag:
            c = i
        x[i] = c
    return c


def a_number(x, flag, m):
    c = 7
    for i in prange(len(x)):
        if m > 1:
            c = i
        else:
            x[i] += 1
        x[i] += c
    return x.copy()


def in_both(x, flag, m):
    c, e = 7, 3
    for i in prange(len(x)):
        if flag:
            c = i
        else:
            e = i
        x[i] = c * 10 + e
    return c, e


def a_sum(x, flag, m):
    s = 1.0
    for i in prange(len(x)):
        if flag:
            continue
        s += x[i]
    return s


def a_sum_beside(x, flag, m):
    s, c = 1.0, 2.0
    for i in prange(len(x)):
        if flag:
            c = x[i]
        s += c
    return s, c


def two_flags(x, flag, m):
    c, e, out = 7.0, 3.0, np.zeros(len(x))
    for i in prange(len(x)):
        if flag:
            c = x[i]
        if not (m > 1) or flag:
            e = x[i] + i
        elif m > 2 and i > 3:
            out[i] += 1
        out[i] += c * 10 + e
    return c, e, out.sum()


def a_race_else(x, flag, m):
    c, out = 1.0, np.zeros(len(x))
    for i in prange(len(x)):
        if flag:
            c = x[i]
        c = c + 1
        out[i] = c
    return c, out.sum()


def and_apart(x, flag, m):
    c, y = 1.0, x[m if 0 <= m < len(x) else 0 :]
    for i in prange(len(y)):
        if flag:
            c = y[i]
        x[i] = y[i] + c
    return c


VERSIONS = [a_flag, no_flag, a_number, in_both, a_sum_beside, two_flags]


@pytest.mark.parametrize("f", [*VERSIONS, a_sum, inner_loop, a_race_else, and_apart])
def test_assumed(f):
    compiled = swathe.njit(parallel=True)(f)
    before = swathe.get_num_threads()
    try:
        for threads in (1, 2):
            swathe.set_num_threads(min(threads, before))
            for n in (0, 1, 2, 5, 33):
                for flag in (False, True):
                    for m in (-1, 0, 1, 3):
                        want, got = np.arange(n) * 1.5, np.arange(n) * 1.5
                        r, s = f(want, flag, m), compiled(got, flag, m)
                        assert np.array_equal(r, s) and np.array_equal(want, got), (n, flag, m)
    finally:
        swathe.set_num_threads(before)
    told = "of a version for that run side by side" in str(compiled.explain())
    assert told == (f in VERSIONS or f is and_apart)


def by_element(x, flag):
    c = 7
    for i in prange(len(x)):
        if x[i] > 0:
            c = i
        x[i] = c
    return c


def read_first(x, flag):
    c = 7
    for i in prange(len(x)):
        x[i] = c
        if flag:
            c = i
    return c


def changed(x, flag):
    c = 7
    for i in prange(len(x)):
        if flag:
            c = i
        x[i] = c
        flag = not flag
    return c


@pytest.mark.parametrize("f", [by_element, read_first, changed])
def test_not_to_be_assumed(f):
    with pytest.raises(swathe.errors.RaceError):
        swathe.njit(parallel=True)(f)(np.zeros(3), True)
