"""What an inner loop reads in each iteration is read once where arrays lie apart: not where it
stores to what it reads."""

from __future__ import annotations

import numpy as np
import pytest

from swathe import njit


def knapsack(best, weight, value, limit):
    for k in range(len(weight)):
        for j in range(limit, weight[k] - 1, -1):
            best[j] = max(best[j], best[j - weight[k]] + value[k])
    return best[limit]


def coins(ways, coin, value, limit):
    for k in range(len(coin)):
        for j in range(coin[k], limit + 1):
            ways[j] += ways[j - coin[k]] * value[k]
    return ways[limit]


def shifted(to, by, value, limit):
    for k in range(len(by)):
        start = by[k]
        for j in range(start, limit):
            to[j - start] = to[j] + by[k] - value[k]
        for j in range(by[k]):
            to[j] -= by[k]


def named(to, by, value, limit):
    k = 0
    while k < len(by):
        b = by[k]
        k += 1
        for j in range(b, limit):
            to[j] += by[k - 1] + value[k - 1]


@pytest.mark.parametrize("f", [knapsack, coins, shifted, named], ids=lambda f: f.__name__)
def test_read_again(f):
    compiled = njit(f)

    def apart(n):
        return np.arange(n) % 7, np.array([3, 1, 9, 2]), np.array([5, 2, 8, 1])

    def one(n):
        a = np.arange(n) % 5 + 1
        return a, a, a

    def within(n):
        a = np.arange(n) % 5 + 1
        return a, a[2:6], a[4:8]

    def narrow(n):
        a, b, c = apart(n)
        return a.astype(np.int32), b.astype(np.int32), c * 0 + 1

    def bad(n):
        return np.arange(n), np.array([2, -3, n, n + 9]), np.array([5, 2, 8, 1])

    for make in [apart, one, within, bad, narrow]:
        for limit in [29, 8, 1, 0]:
            want, got = make(30), make(30)
            try:
                result = f(*want, limit)
            except IndexError:
                with pytest.raises(IndexError):
                    compiled(*got, limit)
            else:
                assert compiled(*got, limit) == result
            for a, b in zip(want, got, strict=True):
                np.testing.assert_array_equal(a, b)
