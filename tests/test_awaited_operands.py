"""Of a recurrence's operands the one that the next iteration waits for is joined last: the values
are Python's, whatever the order of the others."""

from __future__ import annotations

import numpy as np
import pytest

from swathe import njit


def distance(a, b, prev, cur):
    for j in range(len(b) + 1):
        prev[j] = j
    for i in range(1, len(a) + 1):
        cur[0] = i
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            cur[j] = min(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + cost)
        prev, cur = cur, prev
    return prev[len(b)]


def highest(a, b, prev, cur):
    best = 0
    x = y = 0
    for i in range(min(len(a), len(b))):
        x = max(max(x - 1, a[i] - b[i]), max(0, int(prev[i])))
        y = min(x, min(y + a[i], cur[i]), b[i] - y)
        best = max(best, x, y)
        cur[i] = x
        prev[i] = y
    return best, x, y


def sums(a, b, prev, cur):
    s, t, u = 0, 1, 7
    for i in range(min(len(a), len(b))):
        s = s + a[i] + b[i]
        t = ((t ^ a[i]) ^ (s ^ b[i])) & 255
        u = (u * (a[i] | 1)) * 3 + t
        cur[i] = s
        prev[i] = u & 1023
        u = u & 0xFFFFFF
    return s, t, u


def twice(a, b, prev, cur):
    x, y = 3, 5
    for i in range(min(len(a), len(b))):
        x, y = min(y + 1, a[i], x + b[i]), max(x, b[i], y - a[i])
        cur[i] = x - y
    return x, y


def nearest(a, b, prev, cur):
    """Places of least elements: what they are decides by way of memory what they become."""
    m, k, q = -1, 0, 0
    for j in range(min(len(a), len(b))):
        if b[j] % 2 == 0 and (m < 0 or a[j] < a[m]):
            m = j
        if a[j] < a[k] or (a[j] == a[k] and b[j] > b[k]):
            k = j
        q = q if a[j] != a[q] + 1 else j
        cur[j] = k
    return m, k, q


def words(n, bits, seed):
    return np.random.default_rng(seed).integers(0, 1 << bits, n)


@pytest.mark.parametrize("f", [distance, highest, sums, twice, nearest], ids=lambda f: f.__name__)
def test_recurrences(f):
    compiled = njit(f)
    for n, m, bits in [(0, 0, 2), (1, 1, 2), (7, 9, 1), (31, 8, 3), (33, 40, 20)]:
        made = [words(n, bits, n), words(m, bits, m + 1)]
        made += [np.arange(max(n, m) + 1) * 3 % 7, np.arange(max(n, m) + 1) % 5]
        want, got = [x.copy() for x in made], [x.copy() for x in made]
        assert f(*want) == compiled(*got)
        for x, y in zip(want, got, strict=True):
            np.testing.assert_array_equal(x, y)


def test_small_words():
    """Those of 32 bits wrap, in each order to the same."""

    def total(a, b):
        s = np.int32(1)
        for i in range(len(a)):
            s = s * a[i] * b[i] + b[i]
            s = np.minimum(np.minimum(s, b[i]), a[i]) + s
        return s

    a, b = words(40, 31, 1).astype(np.int32), words(40, 31, 2).astype(np.int32)
    with np.errstate(over="ignore"):
        assert total(a, b) == njit(total)(a, b)


def test_branches_come_back():
    def least(a, done):
        m = -1
        for j in range(len(a)):
            if not done[j] and (m < 0 or a[j] < a[m]):
                m = j
        return m

    a, f = np.random.default_rng(3).random(50), njit(least)
    for done in (a < 0.3, a > 2.0, a < 2.0):
        assert f(a, done) == least(a, done)
    text = "".join(f.inspect_llvm().values())
    assert any("select i1" in x and "!prof" in x for x in text.splitlines())
