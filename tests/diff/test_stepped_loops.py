# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that go along with loops in steps other than 1 are what they are in CPython."""

from __future__ import annotations

import numpy as np
import pytest
from harness import check


def every_third(x, o, n):
    k = 0
    for i in range(0, n, 3):
        o[k] = x[i] + i
        k += 1
    return k


def pairs(x, o, n):
    k = 0
    for i in range(0, len(x) - 1, 2):
        o[k] = x[i] + x[i + 1]
        o[k + 1] = x[i] - x[i + 1]
        k += 2
    return k, o


def down(x, o, n):
    k = 0
    for i in range(len(x) - 1, -1, -2):
        o[k] = x[i]
        k += 1
    return k


def both_ways(x, o, n):
    k = len(x)
    j = 0
    for i in range(1, len(x) - 2, 4):
        k -= 3
        o[j] = x[k] * 2
        j += 1
        x[j] = o[j - 1] + i
    return k, j


def nested(x, o, n):
    k = 0
    for i in range(0, len(x), 2):
        for j in range(0, i, 3):
            o[k % len(o)] = x[j] + k
            k += 1
        k += 1
    return k


def two_of_them(x, o, n):
    a = 0
    b = 3
    for i in range(2, len(x), 5):
        o[a] += x[i]
        a += 1
        o[b] += x[i - 1]
        b += 2
    return a, b


def far(x, o, n):
    k = 0
    for i in range(0, min(n, 12), 4095):
        o[k] = i
        k += 2
    return k


LOOPS = [every_third, pairs, down, both_ways, nested, two_of_them, far]
ENDS = [-(2**63), -(2**63) + 1, -1, 0, 1, 2, 3, 4, 7, 40]


@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
def test_steps(f):
    for size in (0, 1, 2, 3, 4, 5, 8, 9, 40):
        for n in ENDS if f in (every_third, far) else [0]:
            for room in (3, 60):
                x = np.arange(size) * 7.0 % 5
                check(f, x, np.zeros(room), n, modes=("plain", "parallel"), raises=...)
