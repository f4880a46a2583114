"""Where the least or greatest of a few elements, or of many, is: what loops keep beside it."""

import numpy as np
import pytest

import swathe


def by_index(a, m):
    for j in range(len(a)):
        if a[j] < a[m]:
            m = j
    return m


def by_value(a, used):
    best = 3.0
    at = -1
    last = 0.0
    for j in range(len(a)):
        if used[j] == 0 and a[j] <= best:
            best = a[j]
            at = j
            last = a[j] * 2
    return best, at, last


def pivot(a, m):
    for j in range(m + 1, len(a)):
        if abs(a[j]) > abs(a[m]):
            m = j
    return m


def of_rows(x, y, at):
    for i in range(x.shape[0]):
        best = 1e300
        for j in range(y.shape[0]):
            d = (x[i, 0] - y[j, 0]) ** 2 + (x[i, 1] - y[j, 1]) ** 2
            if d < best:
                best = d
                at[i] = j
        for j in range(y.shape[0]):
            if y[j, 1] > y[at[i], 1]:
                at[i] = j


def triangle(a):
    more = 0
    least = 9
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            if a[i] > a[j]:
                more += 1
            least = min(least, a[j] - a[i])
    return more, least


sizes = [0, 1, 2, 3, 7, 8, 9, 33, 255, 2047, 2048, 2300]


def numbers(n, seed):
    r = np.random.RandomState(seed)
    a = r.choice([0.0, -0.0, 1.5, np.nan, np.inf, -2.5, 2.5], n)
    return a, r.randint(0, 2, n)


def same(f, g, *args):
    ours, theirs = g(*args), f(*args)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


def test_values():
    f = swathe.njit(by_value)
    for n in sizes:
        for seed in range(3):
            same(by_value, f, *numbers(n, seed))


def test_indices():
    f = swathe.njit(by_index)
    for n in sizes[1:]:
        for m in (0, -1, n - 1, n // 2, -n):
            same(by_index, f, numbers(n, n)[0], m)
        with pytest.raises(IndexError):
            f(numbers(n, n)[0], n)
    assert f(np.zeros(0), 5) == 5


def test_pivots():
    f = swathe.njit(pivot)
    for n in sizes[1:]:
        for m in (0, n - 1, n // 2):
            same(pivot, f, numbers(n, n)[0], m)
            same(pivot, f, np.random.RandomState(n).randint(-99, 99, n), m)
    assert f(np.array([1, -(2**63), 5]), 0) == 2


def test_rows():
    f = swathe.njit(of_rows)
    for n in (0, 1, 5, 40, 700):
        r = np.random.RandomState(n)
        x, y = r.randint(0, 9, (9, 2)) / 2, r.randint(0, 9, (n, 2)) / 2
        ours, theirs = np.zeros(9, np.int64), np.zeros(9, np.int64)
        f(x, y, ours)
        of_rows(x, y, theirs)
        assert ours.tolist() == theirs.tolist()


def test_triangle():
    f = swathe.njit(triangle)
    for n in (0, 1, 2, 7, 8, 9, 17, 60, 130):
        a = np.random.RandomState(n).randint(-4, 5, n)
        same(triangle, f, a)
