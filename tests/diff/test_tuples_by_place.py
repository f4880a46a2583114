# SPDX-License-Identifier: BSD-3-Clause
"""Elements of tuples at places that only the run tells, and counts of bits by sums of fields."""

from __future__ import annotations

import numpy as np
import pytest
from harness import check

STEPS = (1, 2, 2, 1, -1, -2, -2, -1)
MIXED = (1, 2.5, 3, 4, 5, 6)


def of_local(k):
    d = (3, 1, 4, 1, 5, 9, 2)
    return d[k], d[-k]


def of_four(k):
    d = (3, 1, 4, 1)
    return d[k]


def of_global(k):
    return STEPS[k] * 10 + STEPS[7 - k]


def of_mixed(k):
    return MIXED[k] * 2


def of_floats(k):
    w = (0.5, 0.25, -1.0, 1e300, np.inf)
    return w[k] / 2


def of_bools(k):
    return (True, False, False, True, True)[k]


def rebound(k):
    d = (1, 2, 3, 4, 5)
    if k > 2:
        d = (5, 4, 3, 2, 1)
    return d[k]


def with_values(k):
    d = (k, 2, k + 1, 4, 5, 6)
    return d[k]


def moves(k):
    dx = (1, 2, 2, 1, -1, -2, -2, -1)
    dy = (2, 1, -1, -2, -2, -1, 1, 2)
    a = np.zeros((12, 12), np.int64)
    for x in range(12):
        for i in range(len(dx)):
            u = x + dx[i]
            v = k + dy[i]
            if 0 <= u < 12 and 0 <= v < 12:
                a[u, v] += x + i
    return a


PLACES = [of_local, of_four, of_global, of_mixed, of_floats, of_bools, rebound, with_values, moves]


@pytest.mark.parametrize("f", PLACES, ids=lambda f: f.__name__)
def test_places(f):
    for k in range(-9, 9):
        check(f, k, raises=..., promoted=True)


def bits64(a):
    n = 0
    for x in a:
        x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
        x = (x & np.uint64(0x3333333333333333)) + (
            (x >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        n += int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return n


def bits32(a):
    n = 0
    for i in range(len(a)):
        x = int(a[i]) & 0xFFFFFFFF
        x = x - ((x >> 1) & 0x55555555)
        x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
        x = (x + (x >> 4)) & 0x0F0F0F0F
        n += ((x * 0x01010101) & 0xFFFFFFFF) >> 24
    return n


def rotated(a):
    h = np.uint32(1)
    for x in a:
        h = ((h << np.uint32(5)) | (h >> np.uint32(27))) ^ x
    return h


def test_bits():
    rng = np.random.default_rng(3)
    for n in (0, 1, 7, 8, 9, 100):
        with np.errstate(over="ignore"):
            check(bits64, rng.integers(0, 2**64, n, dtype=np.uint64))
            check(bits32, rng.integers(-(2**31), 2**31, n))
            check(rotated, rng.integers(0, 2**32, n, dtype=np.uint32))
