# SPDX-License-Identifier: BSD-3-Clause
"""What a loop has set when an iteration goes on early, when an error leaves it, or where a part of
it did not run: no pass may have set more, or less, than the program has by then. Loops are cut in
chunks of one iteration, so that a value that one iteration leaves to the next is not there by
chance."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with CPython's")


def outcome(f, *args):
    args = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
    try:
        return f(*args), args
    except (IndexError, ZeroDivisionError) as e:
        return type(e), args


def same(f, *cases, **options):
    call = swathe.njit(**options)(f)
    for args in cases:
        (mine, x), (theirs, y) = outcome(call, *args), outcome(f, *args)
        assert mine == theirs
        for a, b in zip(x, y):
            np.testing.assert_array_equal(a, b)


# ---- an iteration that goes on: what stands behind that is not set ----


def chain_of_choices(x, y):
    s = -1.0
    for i in prange(len(x)):
        t = max(s, x[i])
        if y[i] < 0:
            continue
        s = max(t, y[i])
    return s


def chain_with_a_name(x, y):
    s = -1.0
    for i in prange(len(x)):
        t = max(s, x[i])
        if y[i] < 0:
            continue
        u = max(t, y[i])
        s = u
    return s


def one_branch_goes_on(x, y):
    s = 0.0
    for i in prange(len(x)):
        if x[i] > 0.5:
            t = s + x[i]
            if y[i] < 0:
                continue
        else:
            t = s
        s = t
    return s


def caught_in_the_loop(x, y):
    s = 0.0
    for i in prange(len(x)):
        try:
            if x[i] > 0.25:
                t = s + x[i]
                y[i + 4] = 1.0
            else:
                t = s + 1.0
            s = t
        except IndexError:
            pass
    return s


@pytest.mark.parametrize(
    "f", (chain_of_choices, chain_with_a_name, one_branch_goes_on, caught_in_the_loop)
)
def test_goes_on(monkeypatch, f):
    monkeypatch.setenv("SWATHE_GRAIN", "1")
    x, y = np.arange(64) / 64, (np.arange(64) % 7 - 3) / 4
    try:
        same(f, (x, y), (x[::-1].copy(), y), parallel=True)
    except swathe.errors.RaceError:
        pass  # it carries a value along


# ---- an error: what stands behind it is not set ----


def set_before_a_store(x, y, n):
    v = 0
    try:
        for i in prange(len(x)):
            if x[i] > 0:
                if x[i] > 5:
                    t = i
                    y[x[i]] = 3
                else:
                    t = -i
                v = t
    except IndexError:
        return v
    if n > 3:
        v = 5
    return v


def test_not_in_parallel():
    x = np.arange(40) % 11
    same(
        set_before_a_store,
        (x, np.zeros(8), 5),
        (x, np.zeros(80), 5),
        (x[::-1].copy(), np.zeros(8), 5),
        parallel=True,
    )


def lanes(x, index, out):
    s = -1.0
    try:
        for i in range(len(index)):
            a = x[index[i]]
            s = 0.0
            for _ in range(200):
                s = s * 0.5 + a
            out[i] = s
    except IndexError:
        return s
    return 1.0


def test_lanes():
    """The group of lanes in which an iteration fails runs again: what the one before has left is
    still read."""
    x = np.arange(1.0, 50.0)
    for bad in (3, 8, 16, 17, 39, 40):
        index = np.arange(40)
        index[min(bad, 39)] = 1000 if bad < 40 else 0
        same(lanes, (x, index, np.zeros(40)))


def tiles(a, b, c, m):
    t = -1.0
    n, p = c.shape
    q = a.shape[1]
    try:
        for i in range(n):
            for k in range(q):
                for j in range(p):
                    t = a[i, k] * b[k, j]
                    c[i, j] += t
        if m > 3:
            raise IndexError("m")
    except IndexError:
        return t
    return 0.0


def test_tiles():
    a = np.arange(1600.0).reshape(40, 40) % 7
    same(tiles, (a, a.T.copy(), np.zeros((40, 40)), 5), (a, a, a * 0, 1), parallel=True)


# ---- an error that no iteration of the loop as a whole meets ----


def divides_where_greatest(x, index, p, q):
    m, k = -1.0, 0
    for i in prange(len(x)):
        if x[i] > m:
            m = x[i]
            k = p // (i - q)
    return m, k


def follows_where_greatest(x, index, p, q):
    m, k = -1.0, 0
    for i in prange(len(x)):
        if x[i] > m:
            m = x[i]
            k = index[index[i]]
    return m, k


def test_branch_taken_more_often(monkeypatch):
    """A chunk begins with what the extreme was before the loop."""
    monkeypatch.setenv("SWATHE_GRAIN", "1")
    x, index = np.linspace(1, 0, 96), np.arange(96) + 96
    index[0] = 5
    for f in (divides_where_greatest, follows_where_greatest):
        cases = [(y, index, 7, q) for y in (x, x[::-1].copy()) for q in range(1, 96, 5)]
        same(f, *cases, parallel=True)


@swathe.njit
def marks(x, out, i):
    out[i] = 1
    return x[i] < 50


def all_of_calls(x, out, index):
    ok = True
    for i in prange(len(x)):
        ok = ok and marks(x, out, i)
    return ok


def all_of_elements(x, out, index):
    ok = True
    for i in prange(len(x)):
        ok = ok and out[index[i]] == 0
    return ok


def any_of_quotients(x, out, index):
    bad = False
    for i in prange(len(x)):
        bad = bad or 100 // int(index[i] - 999) > 50
    return bad


def counted(x, out, index):
    n, ok = 0, True
    for i in prange(len(x)):
        t = ok
        if ok:
            n += 1
            t = x[i] < 50
        ok = t
    return ok, n


def all_small(x, out, index):
    ok = True
    for i in prange(len(x)):
        ok = ok and x[i] < 50 and np.sqrt(x[i]) < 100
    return ok


@pytest.mark.parametrize("f", (all_of_elements, any_of_quotients, all_small))
def test_rest_of_a_condition(monkeypatch, f):
    """A chunk that begins anew evaluates what the loop as a whole doesn't come to."""
    monkeypatch.setenv("SWATHE_GRAIN", "1")
    x, index, out = np.arange(96), np.arange(96), np.zeros(96)
    index[60:] = 999
    out[55] = 1
    if f is any_of_quotients:
        index = np.where(np.arange(96) > 60, 999, 1000)
    same(f, (x, out, index), (x % 50, np.zeros(96), np.arange(96)), parallel=True)


@pytest.mark.parametrize("f", (all_of_calls, counted))
def test_rest_with_effects(f):
    with pytest.raises(swathe.errors.RaceError):
        swathe.njit(parallel=True)(f)(np.arange(96), np.zeros(96), np.arange(96))


# ---- a variable that is set under a condition, and read where a flag says that it holds ----


def try_that_fails(x, g, out):
    c = 0
    for i in prange(len(x)):
        f = i % 3 != 0
        try:
            if x[i] > 5:
                raise ValueError("large")
            if f:
                c = i
        except ValueError:
            pass
        if f:
            out[i] = c
    return out.sum()


def flag_in_a_branch(x, g, out):
    c = 0
    for i in prange(len(x)):
        v = x[i]
        t = v < 2
        if g[i] > 0:
            t = v > 3
        if v > 3:
            c = v * 2
        if t:
            out[i] = c
    return out.sum()


def flag_in_a_loop(x, g, out):
    c = 0
    for i in prange(len(x)):
        v = x[i]
        t = v < 2
        for _ in range(g[i]):
            t = v > 3
        if v > 3:
            c = v * 2
        if t:
            out[i] = c
    return out.sum()


def flag_in_a_try(x, g, out):
    c = 0
    for i in prange(len(x)):
        v = x[i]
        t = v < 2
        try:
            if g[i] == 0:
                raise ValueError("none")
            t = v > 3
        except ValueError:
            pass
        if v > 3:
            c = v * 2
        if t:
            out[i] = c
    return out.sum()


def still_known(x, g, out):
    c = 0
    for i in prange(len(x)):
        v = x[i]
        t = v > 3
        if t:
            c = v * 2
        if g[i] > 0:
            out[i] = 1
        if t:
            out[i] += c
    return out.sum()


@pytest.mark.parametrize("f", (try_that_fails, flag_in_a_branch, flag_in_a_loop, flag_in_a_try))
def test_flags(monkeypatch, f):
    monkeypatch.setenv("SWATHE_GRAIN", "1")
    x, g = np.arange(66) % 11, np.arange(66) % 3
    with pytest.raises(swathe.errors.RaceError):
        same(f, (x, g, np.zeros(66, np.int64)), parallel=True)


def test_flag_that_holds(monkeypatch):
    monkeypatch.setenv("SWATHE_GRAIN", "1")
    x, g = np.arange(66) % 11, np.arange(66) % 3
    same(still_known, (x, g, np.zeros(66, np.int64)), parallel=True)


# ---- more iterations than an int64 counts, of which the first few run ----


def ends_with_an_error(lo, hi, k):
    for i in range(lo, hi):
        t = 0.0
        for _ in range(50):
            t = t * 0.5 + i % 7
        if i > lo + k:
            raise IndexError("end")
    return t


def test_longest_range():
    most = 2**63 - 1
    cases = ((-most - 1, most), (-5, most), (most - 200, most), (most - 101, most))
    same(ends_with_an_error, *((lo, hi, 100) for lo, hi in cases))


# ---- elements that nobody uses are looked at all the same, and in order ----


def looked_at_in_a_try(a, b, at):
    k = missed = 0
    for t in range(len(at)):
        k = -t
        try:
            a[at[t]]
            k = 2 * t + 1
            b[at[t] + 1]
            k = 99
        except IndexError:
            missed = missed * 5 + k
    return k, missed


def looked_at_in_a_loop_in_a_try(a, b, at):
    k, t = 0, 0
    try:
        while t < len(at):
            i = int(at[t])
            a[i]
            k = i
            a[i + 1]
            k += 10
            b[k % 7]
            t += 1
    except IndexError:
        k = -k
    return k, t


def looked_at_with_a_finally(a, b, at):
    k = n = 0
    for t in range(len(at)):
        try:
            i = int(at[t])
            a[i]
            k = i
            b[i - 1]
            k = i * 7
        except IndexError:
            n += 1
        finally:
            n = n * 3 + k % 5
    return k, n % 1009


@pytest.mark.parametrize(
    "f", [looked_at_in_a_try, looked_at_in_a_loop_in_a_try, looked_at_with_a_finally]
)
def test_elements_that_nobody_uses(f):
    a, b = np.arange(5.0), np.arange(6.0)
    places = ([0, 1, 9, 2, 3, 4, -5, -6, -7, 5], [4, 5], [5, 4], [-5, -6, 0], [0, 1, 2, 3, 4], [])
    same(f, *((a, b, np.array(p, np.int64)) for p in places))
