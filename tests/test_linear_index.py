# SPDX-License-Identifier: BSD-3-Clause
"""Indices that go by equal steps of a length that is known at run time only."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def up(a, out, n, step, start):
    for k in range(n):
        out[k] = a[start + k * step] + a[k * step]


def down(a, out, n, step, start):
    for k in range(n - 1, -1, -1):
        out[k] = a[start - step * k]


FUNCTIONS = {f.__name__: (f, swathe.njit(f)) for f in (up, down)}
M = 2**62


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("n", "step", "start"),
    [
        (0, 5, 0),
        (1, 2**63 - 1, 0),
        (70, 1, 0),
        (100, 3, 2),
        (100, -3, 10),
        (100, 0, 299),
        (100, 3, 3),
    ]
    + [(4, M, 0), (5, M, 1), (3, M * 2 - 1, 3), (100, 4, 0), (2, 2**31, 0), (90, -2, -1)],
)
def test_ends(name, n, step, start):
    f, jit = FUNCTIONS[name]
    a = np.arange(300.0)
    results = []
    for g in (f, jit):
        out = np.zeros(128)
        try:
            g(a, out, n, step, start)
            results.append((None, out.tolist()))
        except (IndexError, OverflowError) as error:
            results.append((IndexError, out.tolist()))
    if step * n < M:  # beyond, Python's int does not wrap
        assert results[0] == results[1]
