# SPDX-License-Identifier: BSD-3-Clause
"""Sums, products and greatest values into elements of arrays, by an index made in several
steps, of an inner loop, row by row, and through views: each is a reduction, and no race under
debug=True. See parallel.py."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE
from parallel import check, ones

from swathe import njit, prange
from swathe.errors import RaceError

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")


@njit
def which(v):
    if v < 1:
        return 0
    if v < 2:
        return 1
    return 2


def clipped(h, k, x):
    for i in prange(len(k)):
        j = int(k[i])
        if j > 1:
            j = 1
        h[j] += x[i]


def modulo(h, k, x):
    for i in prange(len(k)):
        j = k[i]
        j %= 3
        h[j] += 1


def nested_choices(h, k, x):
    for i in prange(len(k)):
        j = 0 if k[i] < 1 else (1 if k[i] < 2 else 2)
        h[j] += x[i]


def by_a_helper(h, k, x):
    for i in prange(len(k)):
        h[which(k[i])] += x[i]


def by_a_helper_with_a_loop(h, k, x):
    for i in prange(len(k)):
        h[ones(i & 3)] += x[i]


def by_searchsorted(h, k, x):
    e = np.array([0.5, 1.5])
    for i in prange(len(k)):
        h[np.searchsorted(e, k[i])] += x[i]


def by_argmin(h, k, x):
    e = np.ones((len(k), 3))
    for i in prange(len(k)):
        e[i, k[i]] = 0
    for i in prange(len(k)):
        h[np.argmin(e[i])] += x[i]


def counted_by_while(h, k, x):
    for i in prange(len(k)):
        n = 0
        while n < k[i]:
            n += 1
        h[n] += x[i]


def left_a_loop_with(h, k, x):
    for i in prange(len(k)):
        j = 0
        for j in range(3):
            if j == k[i]:
                break
        h[j] += x[i]


def noted_before_break(h, k, x):
    for i in prange(len(k)):
        b = 2
        for j in range(3):
            if j >= k[i]:
                b = j
                break
        h[b] += x[i]


def of_a_tuple(h, k, x):
    for i in prange(len(k)):
        h[(k[i], 0)[i % 2]] += x[i]


def written_out(h, k, x):
    for i in prange(len(k)):
        j = k[i]
        if j > 1:
            j = 1
        h[j] = h[j] + x[i]


def greatest(h, k, x):
    for i in prange(len(k)):
        j = k[i]
        if j > 1:
            j = 1
        h[j] = max(h[j], x[i])


def greatest_if(h, k, x):
    for i in prange(len(k)):
        j = k[i]
        if j > 1:
            j = 1
        if x[i] > h[j]:
            h[j] = x[i]


def two_arrays(h, g, k, x):
    for i in prange(len(k)):
        j = k[i]
        if j > 1:
            j = 1
        h[j] += x[i]
        g[j] += 1


def in_three_statements(h, k, x):
    for i in prange(len(k)):
        j = k[i]
        j %= 3
        t = h[j]
        t += x[i]
        h[j] = t


def sums_of_rows(m, k, a):
    for i in prange(len(k)):
        for j in range(a.shape[1]):
            m[k[i], j] += a[i, j]


def sums_by_a_name(m, k, a):
    for i in prange(len(k)):
        c = k[i]
        for j in range(a.shape[1]):
            m[c, j] += a[i, j]


def sums_of_columns(m, k, a):
    for i in prange(len(k)):
        for j in range(3):
            m[j, k[i]] += a[i, j]


def sums_row_by_row(m, k, a):
    for i in prange(len(k)):
        for j in range(a.shape[1]):
            m[k[i]][j] += a[i, j]


def greatest_of_rows(m, k, a):
    for i in prange(len(k)):
        for j in range(a.shape[1]):
            m[k[i], j] = max(m[k[i], j], a[i, j])


def differences(m, k, a):
    for i in prange(len(k)):
        for j in range(a.shape[1]):
            m[k[i], j] -= a[i, j]


def greatest_of_rows_if(m, k, a):
    for i in prange(len(k)):
        for j in range(a.shape[1]):
            if a[i, j] > m[k[i], j]:
                m[k[i], j] = a[i, j]


def sums_written_out(m, k, a):
    for i in prange(len(k)):
        for j in range(a.shape[1]):
            m[k[i], j] = m[k[i], j] + a[i, j]


def products(m, k, a):
    for i in prange(len(k)):
        for j in range(a.shape[1]):
            m[k[i], j] *= 1 + (a[i, j] > 1e9)


def three_axes(m, k, a):
    for i in prange(len(k)):
        for j in range(a.shape[1]):
            for l in range(2):
                m[k[i], j, l] += a[i, j]


def whole_rows(m, k, a):
    for i in prange(len(k)):
        m[k[i]] += a[i]


def whole_rows_sliced(m, k, a):
    for i in prange(len(k)):
        m[k[i], :] += a[i, :]


def whole_columns(m, k, a):
    for i in prange(len(k)):
        m[:, k[i]] += a[i]


def a_row_by_name(m, k, a):
    for i in prange(len(k)):
        row = m[k[i]]
        for j in range(len(row)):
            row[j] += a[i, j]


def whole_rows_written_out(m, k, a):
    for i in prange(len(k)):
        m[k[i]] = m[k[i]] + a[i]


def whole_rows_by_add(m, k, a):
    for i in prange(len(k)):
        np.add(m[k[i]], a[i], m[k[i]])


def whole_rows_clipped(m, k, a):
    for i in prange(len(k)):
        c = k[i]
        if c > 1:
            c = 1
        m[c] += a[i]


def shifted_inside(h, k, x):
    for i in prange(len(k) - 3):
        for j in range(1):
            h[k[i] + j] = h[k[i] + j] + x[i]


def greatest_inside(h, k, x):
    for i in prange(len(k) - 3):
        for j in range(i, i + 3):
            h[k[j]] = max(h[k[j]], x[j])


def into_a_row(m, k, x):
    h = m[1]
    for i in prange(len(k)):
        h[k[i]] += x[i]


def into_a_reversed_view(h, k, x):
    g = h[::-1]
    for i in prange(len(k)):
        g[k[i]] += x[i]


def into_a_reshaped_view(m, k, x):
    g = m.reshape(9)
    for i in prange(len(k)):
        g[k[i]] += x[i]


def into_two_views_of_one_row(m, k, x):
    g = m[1]
    h = m[1]
    for i in prange(len(k)):
        g[k[i]] += x[i]
        h[k[i]] += 1


def into_the_transpose(m, k, x):
    g = m.T
    for i in prange(len(k)):
        g[k[i], k[i]] += x[i]


def by_np_add(h, k, x):
    for i in prange(len(k)):
        j = k[i]
        if j > 1:
            j = 1
        h[j] = np.add(h[j], x[i])


def bits_or(b, k, x):
    for i in prange(len(k)):
        for j in range(3):
            b[k[i], j] |= i


def bits_xor(b, k, x):
    for i in prange(len(k)):
        for j in range(3):
            b[k[i], j] ^= i


def clamped_stencil(h, k, x):
    n = len(x)
    for i in prange(n):
        for di in range(-1, 2):
            ii = i + di
            if ii < 0:
                ii = 0
            if ii > n - 1:
                ii = n - 1
            x[ii] += 1.0


def by_an_array_of_its_own(h, k, x):
    for i in prange(len(k)):
        e = np.array([k[i], 0])
        for j in range(2):
            h[e[j]] = h[e[j]] + x[i]


UPDATES = [
    clipped,
    modulo,
    nested_choices,
    by_a_helper,
    by_a_helper_with_a_loop,
    by_searchsorted,
    by_argmin,
    counted_by_while,
    left_a_loop_with,
    noted_before_break,
    of_a_tuple,
    written_out,
    greatest,
    greatest_if,
    two_arrays,
    in_three_statements,
    sums_of_rows,
    sums_by_a_name,
    sums_of_columns,
    sums_row_by_row,
    greatest_of_rows,
    differences,
    greatest_of_rows_if,
    sums_written_out,
    products,
    three_axes,
    whole_rows,
    whole_rows_sliced,
    whole_columns,
    a_row_by_name,
    whole_rows_written_out,
    whole_rows_by_add,
    whole_rows_clipped,
    shifted_inside,
    greatest_inside,
    into_a_row,
    into_a_reversed_view,
    into_a_reshaped_view,
    into_two_views_of_one_row,
    into_the_transpose,
    by_np_add,
    bits_or,
    bits_xor,
    clamped_stencil,
    by_an_array_of_its_own,
]


def arguments(f, n):
    r = np.random.default_rng(1)
    into = {by_name: np.ones((3, 3)) for by_name in ("products",)} | {
        "three_axes": np.zeros((3, 3, 2))
    }
    some = {
        "h": np.zeros(3),
        "g": np.zeros(3),
        "m": into.get(f.__name__, np.zeros((3, 3))),
        "b": np.zeros((3, 3), np.int64),
        "k": r.integers(0, 3, n),
        "x": r.integers(0, 9, n).astype(float),
        "a": r.integers(0, 9, (n, 3)).astype(float),
    }
    return [some[v] for v in f.__code__.co_varnames[: f.__code__.co_argcount]]


@pytest.mark.parametrize("n", [31, 9973])
@pytest.mark.parametrize("f", UPDATES)
def test_updates(f, n):
    check(f, *arguments(f, n))


@pytest.mark.parametrize("f", UPDATES)
def test_they_are_reductions(f):
    compiled = njit(parallel=True)(f)
    compiled(*arguments(f, 50))
    said = str(compiled.explain())
    assert "partial results combined: " in said
    assert "not proven" not in said and "runs serially" not in said


@pytest.mark.parametrize("f", UPDATES)
def test_they_are_no_race(f):
    njit(parallel=True, debug=True)(f)(*arguments(f, 50))


# ---- what looks like one ---------------------------------------------------------------


def moved_between(h, k, x):
    for i in prange(len(k)):
        j = i % 2
        t = h[j]
        if x[i] > 0:
            j = 2
        h[j] = t + x[i]


def moved_by_a_loop(h, k, x):
    for i in prange(len(k)):
        t = 0.0
        for j in range(2):
            t = h[min(k[i], 1) + j]
        for j in range(2):
            h[min(k[i], 1) + j] = t + 1


def another_row(m, k, a):
    for i in prange(len(k)):
        row = m[i % 2]
        for j in range(3):
            t = row[j]
            if j > 0:
                row = m[2]
            row[j] = t + a[i, j]


def of_two_whiles(h, k, x):
    for i in prange(len(k)):
        n = 0
        while n < 1:
            n += 1
        t = h[n]
        while n < 2:
            n += 1
        h[n] = t + x[i]


def an_own_array_that_changes(h, k, x):
    for i in prange(len(k)):
        e = np.zeros(1, np.int64)
        t = h[e[0]]
        e[0] = 2
        h[e[0]] = t + x[i]


def spread_by_a_row_of_one(m, k, a):
    for i in prange(len(k)):
        m[k[i], :] = m[k[i], :1] + a[i]


@pytest.mark.parametrize(
    "f",
    [
        moved_between,
        moved_by_a_loop,
        another_row,
        an_own_array_that_changes,
        spread_by_a_row_of_one,
    ],
)
def test_another_element(f):
    """What is loaded is not what is stored to."""
    compiled = njit(parallel=True)(f)
    compiled(*arguments(f, 50))
    assert "partial results combined" not in str(compiled.explain())


def test_one_element_that_whiles_lead_to():
    """Loops that count one by one are known to end there: each iteration stores to it."""
    with pytest.raises(RaceError, match="each writes the same element of 'h'"):
        njit(parallel=True)(of_two_whiles)(*arguments(of_two_whiles, 50))


def products_of_real_parts(z, k, x):
    for i in prange(len(k)):
        z.real[k[i]] *= x[i]


def test_parts_of_complex_numbers():
    """A product into the real part is none of the whole number."""
    z, k = np.full(3, 2 + 3j), np.arange(20_000) % 3
    compiled = njit(parallel=True)(products_of_real_parts)
    compiled(z, k, np.ones(len(k)))
    assert (z == 2 + 3j).all()
    assert "partial results combined" not in str(compiled.explain())
