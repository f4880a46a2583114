# SPDX-License-Identifier: BSD-3-Clause
"""Loops whose indices are counters, stacks, bits of small ints, or steps that hang on data."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def fill(counts, out, k):
    for v in range(len(counts)):
        for _ in range(counts[v]):
            out[k] = v
            k += 1
    return k


def backwards(x, out, k):
    for i in range(len(x) - 1, -1, -1):
        out[k] = x[i]
        k -= 2
        out[k + 1] = i
    return k


def until(x, out):
    k = 0
    for v in x:
        if v > 6:
            break
        out[k] = v
        k += 1
    return k


def caught(x, out):
    k = 0
    try:
        for v in x:
            out[k] = v
            k += 1
    except IndexError:
        return -k
    return k


def knapsack(weights, values, best):
    for i in range(len(weights)):
        for c in range(len(best) - 1, weights[i] - 1, -1):
            if best[c - weights[i]] + values[i] > best[c]:
                best[c] = best[c - weights[i]] + values[i]
    return best[-1]


def lowest(x, least):
    for i in range(len(x)):
        if x[i] < least[i]:
            least[i] = x[i]
    return 0


def nibbles(x, counts):
    for v in x:
        counts[v >> 4, (v ^ 7) & 3] += 1
    return counts[0, 0]


def increasing(a, best):
    for i in range(len(a)):
        longest = 1
        for j in range(i):
            if a[j] < a[i] and best[j] + 1 > longest:
                longest = best[j] + 1
        best[i] = longest
    return best.max()


def letters(x):
    n = i = 0
    while i < len(x):
        if x[i] < 128:
            i += 1
        elif x[i] < 224:
            i += 2
        else:
            i += 3
        n += 1
    return n


def filled(grid, ys, xs):
    top = count = 0
    ys[0] = xs[0] = 1
    grid[1, 1] = 2
    top = 1
    h, w = grid.shape
    while top > 0:
        top -= 1
        y = ys[top]
        x = xs[top]
        count += 1
        if y > 0 and grid[y - 1, x] == 0:
            grid[y - 1, x] = 2
            ys[top] = y - 1
            xs[top] = x
            top += 1
        if not (y + 1 >= h or grid[y + 1, x] != 0):
            grid[y + 1, x] = 2
            ys[top] = y + 1
            xs[top] = x
            top += 1
        if x < w - 1 and grid[y, x + 1] == 0:
            grid[y, x + 1] = 2
            ys[top] = y
            xs[top] = x + 1
            top += 1
    return count


def ints(*shape, dtype=np.int64, most=9, seed=1):
    return np.random.default_rng(seed).integers(0, most, shape).astype(dtype)


def zeros(*shape, dtype=np.int64):
    return np.zeros(shape, dtype)


def asked_twice(x, out):
    done = False
    for i in range(len(x)):
        if not done:
            done = x[i] > 6 and out[i] == 0
        if not done:
            out[i] = 1
        if not (done and out[i] == 1) and x[i] == 3:
            out[i] = 7
    return done


CALLS = [
    *[(asked_twice, ints(n), zeros(n)) for n in (0, 1, 30)],
    *[(fill, ints(n), zeros(size), k) for n in (0, 1, 9) for size in (5, 60) for k in (0, 3, -4)],
    (fill, ints(9) - 4, zeros(60), 0),
    *[(backwards, ints(n), zeros(40), k) for n in (0, 1, 7, 40) for k in (20, 39, 5)],
    *[(until, ints(n), zeros(size)) for n in (0, 1, 30) for size in (0, 2, 30)],
    *[(caught, ints(n), zeros(size)) for n in (0, 1, 30) for size in (0, 2, 30)],
    *[(knapsack, ints(9) + low, ints(9, seed=2), zeros(n)) for low in (0, 1, -2) for n in (1, 60)],
    (knapsack, ints(9), ints(9, seed=2), ints(9).astype(float)),
    *[(lowest, ints(70), ints(n, seed=2)) for n in (0, 70, 71)],
    (lowest, np.array([np.nan, 1.0, -0.0, np.nan] * 9), np.array([1.0, np.nan, 0.0, np.nan] * 9)),
    *[
        (nibbles, ints(50, dtype=t, most=99), zeros(n, 4))
        for t in (np.uint8, np.int8, np.uint16)
        for n in (16, 3)
    ],
    *[(increasing, ints(n, most=500), zeros(n)) for n in (1, 2, 127, 300)],
    (increasing, ints(300), zeros(290)),
    *[(letters, ints(n, dtype=np.uint8, most=250)) for n in (0, 1, 90)],
    *[(filled, ints(12, 11, most=3) // 2, zeros(n), zeros(m)) for n in (3, 99) for m in (3, 4, 99)],
]


def outcome(f, args):
    """Return what the call leaves: its value or error, and its arrays."""
    args = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    try:
        value = f(*args)
    except IndexError:
        value = "IndexError"
    return value, [a.tobytes() for a in args if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("call", CALLS, ids=lambda c: c[0].__name__)
def test_as_python(call):
    f, *args = call
    assert outcome(swathe.njit(f), args) == outcome(f, args)


def test_array_stored_to_and_read_as_bounds():
    """Weights that are the row of best sums itself: nothing may be read once."""
    x = ints(12) + 1
    got, want = x.copy(), x.copy()
    swathe.njit(knapsack)(got, got, got)
    knapsack(want, want, want)
    np.testing.assert_array_equal(got, want)
