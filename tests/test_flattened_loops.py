"""Loops over the elements of an array by one number, whose digits are the indices."""

import re

import numpy as np
import pytest

from swathe import njit, prange


def plain(o, n, m):
    for k in prange(n * m):
        i = k // m
        j = k % m
        o[i, j] = k + 1


def pair(o, n, m):
    for k in prange(len(o) * o.shape[1]):
        i, j = divmod(k, o.shape[1])
        o[i, j] = 2 * o[i, j] + k


def turned(o, n, m):
    for k in prange(n * m):
        o[k % n, k // n] = k + 1


def shifted(o, n, m):
    for k in prange(3, n * m):
        o[(k - 3) // m, (k - 3) % m] = k + 1


def down(o, n, m):
    for k in prange(n * m - 1, -1, -1):
        o[k // m, k % m] = k + 1


def by_two(o, n, m):
    for k in prange(0, n * m, 2):
        o[k // m, k % m] = k + 1


def inner(o, n, m):
    for k in prange((n - 1) * (m - 1)):
        o[k // (m - 1) + 1, k % (m - 1) + 1] = k + 1


def below(o, n, m):
    for k in prange(-3, n * m - 3):
        o[k // m, k % m] = k + 1


def unlike(o, n, m):
    for k in prange(n * m):
        o[k // (m + 1), k % m] = k + 1


def half(o, n, m):
    for k in prange(n * m):
        o[k // m // 2, k % m] = k + 1


def by_helper(o, n, m):
    for k in prange(n * m):
        i, j = place(k, m)
        o[i, j] = k + 1


def place(k, m):
    return k // m, k % m


TWO = [plain, pair, turned, shifted, down, by_two, inner, below, unlike, half, by_helper]
AT_ONCE = [plain, pair, turned, shifted, down, by_two, inner, by_helper]


def outcome(f, *args):
    try:
        f(*args)
    except (IndexError, ZeroDivisionError) as e:
        return type(e)
    return None


@pytest.mark.parametrize("f", TWO, ids=lambda f: f.__name__)
def test_two_digits(f):
    g = njit(parallel=True)(f)
    for n, m in [(40, 30), (30, 40), (1, 9), (9, 1), (5, 0), (0, 5), (7, -3), (-2, -2), (60, 45)]:
        a, b = np.zeros((64, 64)), np.zeros((64, 64))
        wrong = outcome(f, a, n, m)
        assert outcome(g, b, n, m) is wrong
        assert wrong or (a == b).all()


def three(o, n, m, p):
    for k in prange(n * m * p):
        i = k // (m * p)
        j = (k // p) % m
        q = k % p
        o[i, j, q] = k + 1


def chained(o, n, m, p):
    for k in prange(n * m * p):
        o[k // p // m, k // p % m, k % p] = k + 1


def rest(o, n, m, p):
    for k in prange(n * m * p):
        r = k % (m * p)
        o[k // (m * p), r // p, r % p] = k + 1


def swapped(o, n, m, p):
    for k in prange(n * m * p):
        o[k % n, k // n % m, k // (n * m)] = k + 1


def lost(o, n, m, p):
    for k in prange(n * m * p):
        o[k // (m * p), 0, k % p] = k + 1


@pytest.mark.parametrize("f", [three, chained, rest, swapped, lost], ids=lambda f: f.__name__)
def test_three_digits(f):
    g = njit(parallel=True)(f)
    for n, m, p in [(12, 11, 10), (1, 13, 12), (9, 1, 7), (0, 3, 3), (5, 0, 2), (4, -2, -3)]:
        a, b = np.zeros((13, 13, 13)), np.zeros((13, 13, 13))
        wrong = outcome(f, a, n, m, p)
        assert outcome(g, b, n, m, p) is wrong
        assert wrong or (a == b).all()


@pytest.mark.parametrize("f", AT_ONCE, ids=lambda f: f.__name__)
def test_no_base_has_to_be_one(f):
    g = njit(parallel=True)(f)
    g(np.zeros((64, 64)), 40, 30)
    assert "in chunks, on all workers" in g.explain()
    text = "".join(g.inspect_ir().values())
    assert not re.search(r"le\((\w+|\w+\([^()]*\)), 1\)", text), text
