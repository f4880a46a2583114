# SPDX-License-Identifier: BSD-3-Clause
"""Indices that are numbers, made in ways that no proof follows: by loops, branches,
helpers and tables. No content of an array is involved, so that nobody has promised
anything: such a loop runs serially where it isn't proven, or a test before it fails. See
parallel.py."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE
from parallel import check, ones

from swathe import njit, prange
from swathe.errors import RaceError

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")


@njit
def at_most_50(i):
    if i > 50:
        return 50
    return i


def of_a_tuple(a, b):
    for i in prange(len(a) - 1):
        for j in (i, i + 1):
            a[j] = a[j] * 0.5 + i


def counted_on(a, b):
    for i in prange(len(a)):
        j = i
        while j < len(a):
            a[j] = i
            j += 50000


def slices_moved_by_while(a, b):
    for i in prange(len(a) - 5):
        lo = i
        while lo % 3:
            lo -= 1
        a[lo : lo + 2] = i


def a_counted_trip(a, b):
    for i in prange(len(a)):
        n = 0
        t = i
        while t > 0:
            t //= 10
            n += 1
        for j in range(n):
            a[j] = i


def a_float_that_shrinks(a, b):
    for i in prange(len(a)):
        x = float(i)
        while x > 50.0:
            x *= 0.5
        a[int(x)] = i


def clipped(a, b):
    for i in prange(len(a)):
        for di in range(-1, 2):
            ii = i + di
            if ii < 0:
                ii = 0
            if ii > 99:
                ii = 99
            b[ii] = a[i] * 0.5 + i


def a_table_of_constants(a, b):
    o = (0, -1, 1)
    for i in prange(1, len(a) - 1):
        for k in range(3):
            a[i + o[k]] = a[i + o[k]] * 0.5 + i


def an_optional(a, b):
    for i in prange(len(a)):
        j = None
        if i % 2:
            j = i // 4
        if j is not None:
            a[j] = i


def by_a_helper(a, b):
    for i in prange(len(a)):
        a[at_most_50(i)] = i


def by_a_helper_with_a_loop(a, b):
    for i in prange(len(a)):
        a[ones(i)] = i


def one_or_the_other(a, b):
    for i in prange(len(a)):
        if i % 2:
            j = i
        else:
            j = i // 2
        a[j] = i


def by_match(a, b):
    for i in prange(len(a)):
        match i % 3:
            case 0:
                j = 0
            case 1:
                j = i
            case _:
                j = 2
        a[j] = i


def under_continue(a, b):
    for i in prange(len(a)):
        j = i
        if j > 50:
            j = 50
        if j == 3:
            continue
        a[j] = i


def one_view_or_another(a, b):
    for i in prange(len(a) - 8):
        v = a[i : i + 4]
        if i % 2:
            v = a[i + 1 : i + 5]
        v[0] = i


def under_a_condition(a, b):
    for i in prange(len(a)):
        j = i
        if i % 3 == 1:
            j = i - 1
        if i % 2:
            a[j] = a[j] * 0.5 + i


def a_view_of_a_view(a, b):
    for i in prange(len(a) - 8):
        v = a[i:]
        n = 0
        while n < i % 3:
            v = v[1:]
            n += 1
        v[0] = i


def two_steps_at_once(a, b):
    for i in prange(len(a) - 2):
        j = i
        for _ in range(2):
            a[j] = a[j] * 0.5 + i
            j += 1


SERIAL = [
    counted_on,
    slices_moved_by_while,
    a_counted_trip,
    a_float_that_shrinks,
    clipped,
    a_table_of_constants,
    an_optional,
    by_a_helper_with_a_loop,
    one_or_the_other,
    by_match,
    under_continue,
    one_view_or_another,
    under_a_condition,
    a_view_of_a_view,
]


def arguments(f, n):
    return np.arange(n) * 1.0, np.zeros(100)


@pytest.mark.parametrize("f", SERIAL)
def test_nothing_was_promised(f):
    check(f, *arguments(f, 5003))


@pytest.mark.parametrize("f", SERIAL)
def test_it_runs_serially(f):
    compiled = njit(parallel=True)(f)
    compiled(*arguments(f, 300))
    said = str(compiled.explain())
    in_order = "runs serially" in said or "where it fails, iterations run in order" in said
    assert in_order and "not proven" not in said


@pytest.mark.parametrize("f", [two_steps_at_once, of_a_tuple, by_a_helper])
def test_the_race_shows(f):
    with pytest.raises(RaceError):
        njit(parallel=True)(f)(*arguments(f, 300))


# ---- assigned anew in a row --------------------------------------------------------------


def doubled(a, b):
    for i in prange(len(a) // 2):
        j = i
        j *= 2
        a[j] = i


def halves(a, b):
    for i in prange(len(a)):
        j = i
        j //= 2
        a[j] = i


def neighbours(a, b):
    for i in prange(len(a) - 1):
        j = i
        a[j] = i
        j += 1
        a[j] = i + 1


def modulo(a, b):
    for i in prange(len(a)):
        j = i * 7
        j %= 100
        a[j] = a[j] * 0.5 + i


def modulo_a_number(a, k):
    for i in prange(len(a)):
        j = i * 7
        j %= k
        a[j] = a[j] * 0.5 + i


def test_values_in_a_row_are_followed():
    compiled = njit(parallel=True)(doubled)
    compiled(*arguments(doubled, 300))
    assert "in chunks, on all workers" in str(compiled.explain())
    check(doubled, *arguments(doubled, 5003))
    check(modulo_a_number, np.arange(5003.0), 100)
    check(modulo_a_number, np.arange(5003.0), 5003)


@pytest.mark.parametrize("f", [halves, neighbours, modulo])
def test_and_found_to_meet(f):
    with pytest.raises(RaceError):
        njit(parallel=True)(f)(*arguments(f, 300))


# ---- what is promised, and what is proven, as before -----------------------------------


def clipped_contents(a, k):
    for i in prange(len(k)):
        j = k[i]
        if j < 0:
            j = 0
        a[j] = i


def searched_contents(a, k):
    for i in prange(len(k)):
        j = i
        while k[j] < 0:
            j += 1
        a[j] = i


def chosen_by_contents(a, k):
    for i in prange(len(k)):
        j = i
        if k[i] < 0:
            j = 0
        a[j] = i


def left_by_contents(a, k):
    for i in prange(len(k)):
        n = 0
        for j in range(i, len(k)):
            if k[j] == i:
                break
            n += 1
        a[i + n] = i


def counted_by_contents(a, k):
    for i in prange(len(k)):
        n = 0
        for j in range(k[i]):
            n += 1
        a[n] = i


PROMISED = [
    clipped_contents,
    searched_contents,
    chosen_by_contents,
    left_by_contents,
    counted_by_contents,
]


@pytest.mark.parametrize("f", PROMISED)
def test_contents_are_promised(f):
    compiled = njit(parallel=True)(f)
    compiled(np.zeros(300), np.arange(300))
    assert "not proven" in str(compiled.explain())


def rows_by_while(m):
    for i in prange(m.shape[0]):
        j = 0
        while j < m.shape[1]:
            m[i, j] = m[i, j] * 0.5 + i
            j += 1


def own_by_while(m):
    for i in prange(m.shape[0]):
        row = np.zeros(3)
        j = 0
        while j < 3:
            row[j] = i
            j += 1
        m[i, 0] = row[2]


@pytest.mark.parametrize("f", [rows_by_while, own_by_while])
def test_what_is_proven_stays_parallel(f):
    check(f, np.ones((501, 4)))
    compiled = njit(parallel=True)(f)
    compiled(np.ones((50, 4)))
    said = str(compiled.explain())
    assert "in chunks, on all workers" in said and "not proven" not in said


# ---- tested before the loop --------------------------------------------------------------


def not_below(a, k):
    for i in prange(len(a) - 1):
        a[max(i, k)] = i


def not_above(a, k):
    for i in prange(len(a)):
        a[min(i, k)] = i


def before(a, k):
    for i in prange(len(a)):
        if i < k:
            a[0] = i


@pytest.mark.parametrize("f", [not_below, not_above, before])
def test_a_number_may_be_small(f):
    """What hangs on a number that is passed is no error."""
    for k in (0, 1, 3, 299, 400):
        check(f, np.zeros(401), k)


# ---- more than is looked at ----------------------------------------------------------------


def rows_of_many(a, c):
    for i in prange(len(a) - 9):
        j = i
        if i % 3:
            j = i // 3
        a[j] = a[j + 1] + a[j + 2] + a[j + 3] + a[j + 4] + a[j + 5] + a[j + 6] + a[j + 7]
        a[j + 1] = a[j] + a[j + 2] + a[j + 3] + a[j + 4] + a[j + 5] + a[j + 6] + a[j + 7]
        a[j + 2] = a[j] + a[j + 1] + a[j + 3] + a[j + 4] + a[j + 5] + a[j + 6] + a[j + 7]
        a[j + 3] = a[j] + a[j + 1] + a[j + 2] + a[j + 4] + a[j + 5] + a[j + 6] + a[j + 7]


def test_many_accesses():
    compiled = njit(parallel=True)(rows_of_many)
    compiled(np.zeros(300), 0)
    assert "runs serially" in str(compiled.explain())


def eight(a, b, c, d, e, f, g, h):
    for i in prange(len(b)):
        a[i] = e[i] + f[i] + g[i] + h[i]
        b[i] = a[i] + c[i]
        c[i] = b[i] - d[i]
        d[i] = e[i] * 2
        e[i] = f[i] + 1
        f[i] = g[i] - 1


def test_many_arrays_that_share_memory():
    """Each pair of them is tested."""
    compiled = njit(parallel=True)(eight)
    for shared in range(7):
        arrays = [[np.arange(20_000.0) % 7 for _ in range(8)] for _ in range(2)]
        for made in arrays:
            x = np.arange(20_001.0) % 5
            made[shared], made[shared + 1] = x[1:], x[:-1]
        eight_serial(*arrays[0])
        compiled(*arrays[1])
        for got, want in zip(arrays[1], arrays[0], strict=True):
            assert (got == want).all()


eight_serial = njit(eight)
