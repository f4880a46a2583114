# SPDX-License-Identifier: BSD-3-Clause
"""Loops whose bodies ask where the loop variable is return what CPython returns, cut or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import ORACLE, check

import swathe
from swathe import prange

MODES = ("plain", "unchecked", "parallel")
SIZES = [0, 1, 2, 3, 4, 5, 9, 40]
FAR = 2**63 - 1
POINTS = [0, 1, 3, 5, 9, 100, -1, -4, FAR, -FAR - 1, FAR - 1]

# ---- one axis: what stands in the loop; a and b have n elements, k is any number ----------------


def boundary(a, b, k):
    n = len(a)
    for i in range(n):
        if i > 0 and i < n - 1:
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3
        else:
            b[i] = a[i]


def chained(a, b, k):
    n = len(a)
    for i in range(n):
        if 1 < i < n - 2:
            b[i] = a[i - 2] - a[i + 2]


def first_and_last(a, b, k):
    n = a.shape[0]
    for i in range(n):
        if i == 0:
            b[i] = a[1 % n]
        elif i == n - 1:
            b[i] = a[i - 1]
        else:
            b[i] = a[i - 1] + a[i + 1]


def clamped(a, b, k):
    n = len(a)
    for i in range(n):
        b[i] = a[max(i - 1, 0)] + a[min(i + 1, n - 1)]


def modular(a, b, k):
    n = len(a)
    for i in range(n):
        b[i] = a[(i + 1) % n] - a[(i - 1) % n] + a[(i - 1 + n) % n]


def periodic(a, b, k):
    n = len(a)
    for i in range(n):
        right = i + 1 if i + 1 < n else 0
        left = i - 1 if i > 0 else n - 1
        b[i] = a[right] - a[left]


def from_the_end(a, b, k):
    for i in range(len(a)):
        b[i] = a[i] - a[i - 1]


def at_k(a, b, k):
    for i in range(len(a)):
        if i == k:
            b[i] = 7.0
        else:
            b[i] = a[i] * 2


def but_k(a, b, k):
    s = 0.0
    for i in range(len(a)):
        if i != k:
            s += 1.0 / (a[i] + 0.5)
    return s


def before_k(a, b, k):
    for i in range(len(a)):
        b[i] = a[i] if i < k else b[i] * 2


def three_points(a, b, k):
    for i in range(len(a)):
        if i <= k:
            b[i] = a[i]
        if i >= 3:
            b[i] += 1
        if i == len(a) - 1 or i > 6:
            b[i] -= a[0]


def many_points(a, b, k):
    for i in range(len(a)):
        c = 0
        if i > 0:
            c += 1
        if i > 2:
            c += 2
        if i > k:
            c += 4
        if i >= 6:
            c += 8
        if i == len(a) - 2:
            c += 16
        if i < len(a) - 1:
            c += 32
        b[i] = c


def falling(a, b, k):
    n = len(a)
    for i in range(n - 1, -1, -1):
        if i < k:
            b[i] = a[i]
        elif i > 0:
            b[i] = b[i - 1] + a[i]


def falling_from(a, b, k):
    for i in range(len(a) - 1, 1, -1):
        b[i] = b[i - 1] + a[min(i + 1, len(a) - 1)] if i > 2 else a[i]


def steps(a, b, k):
    n = len(a)
    for i in range(0, n, 3):
        if i > 5 and i < n - 1:
            b[i] = a[i - 1] + a[i + 1]
        else:
            b[i] = i


def steps_at(a, b, k):
    for i in range(1, len(a), 2):
        if i == k:
            b[i] = 100
        elif i < k:
            b[i] = -1


def moved(a, b, k):
    n = len(a)
    for i in range(n):
        if i + k < n:
            b[i] = a[i]
        if i - 2 >= k:
            b[i] += 1


def mirrored(a, b, k):
    n = len(a)
    for i in range(n):
        j = n - 1 - i
        if j > 1:
            b[i] = a[j - 2]
        b[i] += a[abs(i - 2) % n]


def kept(a, b, k):
    last = -1
    x = 0.0
    for i in range(len(a)):
        last = i
        if i > 0:
            x = a[i - 1]
        if i == len(a) - 1:
            x += 1
    return last, x


def left(a, b, k):
    found = -1
    for i in range(len(a)):
        if i > 1 and a[i] > 9:
            found = i
            break
        if i < 3:
            continue
        b[i] = a[i - 3]
    return found


def raising(a, b, k):
    n = len(a)
    for i in range(n):
        if i < 3:
            b[i] = a[i]
        else:
            b[i] = a[i + 2 - n // 5]


def raising_at(a, b, k):
    for i in range(len(a)):
        if i == k:
            raise ValueError("found")
        b[i] = a[i]


def dividing(a, b, k):
    for i in range(len(a)):
        b[i] = a[i] if i == 2 else 6 // (i - 2)


def chosen(a, b, k):
    b[:] = np.where(np.arange(len(a)) < k, a, b + 1)


def whole_numbers(a, b, k):
    s = 0
    for i in range(len(a)):
        s += min(i, k) * max(i - 3, 0) + (1 if i < k else 2)
    return s


def parallel_boundary(a, b, k):
    n = len(a)
    for i in prange(n):
        if i > 0 and i < n - 1:
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3
        elif i == 0:
            b[i] = a[n - 1]
        else:
            b[i] = a[0]


def parallel_sum(a, b, k):
    s = 0
    for i in prange(len(a)):
        if i != k:
            s += int(a[i])
    return s


ONE = [
    boundary, chained, first_and_last, clamped, modular, periodic, from_the_end, at_k, but_k,
    before_k, three_points, many_points, falling, falling_from, steps, steps_at, moved,
    mirrored, kept, left, raising, raising_at, dividing, chosen, whole_numbers,
    parallel_boundary, parallel_sum,
]  # fmt: skip


@pytest.mark.parametrize("f", ONE, ids=lambda f: f.__name__)
def test_one_axis(f):
    for n in SIZES:
        near = n not in (5, 9) or f in (moved, whole_numbers)  # sums would wrap
        for k in POINTS[:3] if near else POINTS:
            a, b = np.arange(n) * 1.5, np.ones(n)
            check(f, a, b, k, modes=MODES, raises=..., promoted=True)


def test_lengths_and_overlap():
    a = np.arange(12.0)
    for f in (boundary, clamped, periodic, modular, at_k, falling):
        check(f, a, np.ones(7), 3, modes=MODES, raises=...)
        check(f, a[1:], a[:-1], 3, modes=("plain", "unchecked"))
        check(f, a[::2], np.ones(12)[::2], 3, modes=MODES)
        check(f, a.astype(np.float32), np.ones(12, np.float32), 3, modes=MODES)


# ---- two axes ------------------------------------------------------------------------------------


def edges(a, b):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            if 0 < i < n - 1 and 0 < j < m - 1:
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
            else:
                b[i, j] = a[i, j]


def edges_or(a, b):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            if i == 0 or j == 0 or i == n - 1 or j == m - 1:
                b[i, j] = -a[i, j]
            else:
                b[i, j] = a[i - 1, j - 1] + a[i + 1, j + 1]


def lower(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if j <= i:
                b[i, j] = a[i, j]
            else:
                b[i, j] = 0


def lower_sum(a, b):
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            if j < i:
                s += a[i, j]
            elif j == i:
                s *= 2
        b[i, 0] = s


def neighbours(a, b):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            s = 0.0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    ii = i + di
                    jj = j + dj
                    if ii >= 0 and ii < n and jj >= 0 and jj < m and (di != 0 or dj != 0):
                        s += a[ii, jj]
            b[i, j] = s


def windows(a, b):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            s = 0.0
            c = 0
            for ii in range(max(i - 1, 0), min(i + 2, n)):
                for jj in range(max(0, j - 1), min(m, j + 2)):
                    s += a[ii, jj]
                    c += 1
            b[i, j] = s / c


def torus(a, b):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            b[i, j] = a[i - 1, j] + a[(i + 1) % n, j] + a[i, j - 1] + a[i, (j + 1) % m]


def pairs(a, b):
    n = a.shape[0]
    for i in range(n):
        f = 0.0
        for j in range(n):
            if j != i:
                f += a[j, 0] / (1.0 + abs(a[i, 0] - a[j, 0]))
        b[i, 0] = f


def eliminate(a, b):
    n = a.shape[0]
    for k in range(min(n, a.shape[1])):
        for i in range(n):
            if i != k:
                f = a[i, k] / (1.0 + abs(a[k, k]))
                for j in range(a.shape[1]):
                    if j >= k:
                        a[i, j] -= f * a[k, j]
    b[:, :] = a


def parallel_edges(a, b):
    n, m = a.shape
    for i in prange(n):
        for j in range(m):
            if i > 0 and i + 1 < n and j > 0 and j + 1 < m:
                b[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
            else:
                b[i, j] = a[i, j]


TWO = [
    edges, edges_or, lower, lower_sum, neighbours, windows, torus, pairs, eliminate, parallel_edges,
]  # fmt: skip


@pytest.mark.parametrize("f", TWO, ids=lambda f: f.__name__)
def test_two_axes(f):
    for n, m in [(0, 3), (1, 1), (1, 4), (2, 2), (3, 3), (4, 1), (5, 9), (9, 5), (20, 21)]:
        for dtype in (np.float64, np.float32, np.int64):
            a = (np.arange(n * m).reshape(n, m) * 7 % 11).astype(dtype)
            if dtype is np.int64 and f is eliminate:
                continue
            check(f, a, np.ones((n, m), dtype), modes=MODES, raises=..., promoted=True)


# ---- what it is for ------------------------------------------------------------------------------


def remarks(f, *args):
    g = swathe.jit(f)
    g(*args)
    return str(g.explain())


@pytest.mark.skipif(ORACLE, reason="looks at what the compiler says")
@pytest.mark.parametrize("f", [boundary, clamped, modular, periodic, from_the_end, at_k, before_k])
def test_parts(f):
    assert "in none of which what the body asks of i changes" in remarks(
        f, np.ones(50), np.ones(50), 3
    )


@pytest.mark.skipif(ORACLE, reason="looks at what the compiler says")
@pytest.mark.parametrize("f", [edges, lower, neighbours, windows, torus])
def test_parts_of_nests(f):
    assert "what the body asks of j changes" in remarks(f, np.ones((9, 9)), np.ones((9, 9)))


@pytest.mark.skipif(ORACLE, reason="looks at what the compiler says")
def test_lanes_keep_their_masks():
    """Rows side by side in lanes would be cut at a place of their own each."""
    assert "what the body asks of j" not in remarks(pairs, np.ones((90, 1)), np.ones((90, 1)))


@pytest.mark.skipif(ORACLE, reason="holds passes against the interpreter")
def test_interpreted():
    """SWATHE_CHECK=2 runs each pass on arguments of all kinds."""
    names = ", ".join(f.__name__ for f in ONE + TWO if f not in (left, kept))
    code = (
        f"import numpy as np, swathe\nfrom test_index_split import {names}, ONE, TWO\n"
        "for f in ONE:\n    swathe.jit(f)(np.arange(9.), np.ones(9), 4) if f.__name__ not in "
        "('raising', 'raising_at') else None\n"
        "for f in TWO:\n    swathe.jit(f)(np.ones((5, 6)), np.ones((5, 6)))\n"
    )
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "SWATHE_CHECK": "2", "SWATHE_CACHE_SIZE": "0", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
