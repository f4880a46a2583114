# SPDX-License-Identifier: BSD-3-Clause
"""Floats stored into integer elements one by one, in loops short and long: results, what was stored
before an error, and the error are CPython's."""

import numpy as np
import pytest

from swathe import njit


def store(to, x):
    for i in range(len(x)):
        to[i] = x[i]


def difference(to, x):
    for i in range(len(x)):
        if i > 0:
            to[i] -= x[i - 1]
        if i < len(x) - 1:
            to[i] += x[i + 1]


def as_int(to, x):
    for i in range(len(x)):
        to[i] = int(x[i])


def rounded_where(to, x):
    for i in range(len(x)):
        if x[i] > -1e300:
            to[i] = int(round(x[i] * 0.5))


def clamped(to, x):
    for i in range(len(x)):
        v = int(x[i])
        if v < 0:
            v = 0
        elif v > 100:
            v = 100
        to[i] = v


def one_of_two(to, x):
    for i in range(len(x)):
        v = int(x[i])
        if v > 7:
            to[i] = v
        else:
            to[i] = v // 2


def outcome(f, to, x):
    try:
        with np.errstate(all="ignore"):
            f(to, x)
    except (ValueError, OverflowError) as e:
        return to.tolist(), type(e), str(e).split("\n")[0]
    return to.tolist(), None, ""


def edges(dtype):
    info = np.iinfo(dtype)
    top, low = float(info.max), float(info.min)
    beyond = [np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0**63, -(2.0**63), 2.0**64]
    return [None, *beyond, top, top + 0.9, top + 1, low, low - 0.5, low - 1, -0.9, 3.7]


@pytest.mark.parametrize("f", [store, difference, as_int, rounded_where, clamped, one_of_two])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_errors_are_those_of_one_by_one(f, dtype):
    compiled, rng = njit(f), np.random.default_rng(1)
    for n in (0, 1, 7, 100, 1024, 1030):
        for edge in edges(dtype):
            for place in {0, n // 2, n - 1}:
                x = rng.random(n) * 30
                if edge is not None and n:
                    x[place] = edge
                to = np.full(n, 50, dtype)
                got, want = outcome(compiled, to.copy(), x), outcome(f, to.copy(), x)
                if got[1] is OverflowError and edge and abs(edge) >= 2.0**63:
                    assert edge in x  # int() of such a float has no int64
                else:
                    assert got == want


@pytest.mark.parametrize("f", [as_int, clamped, one_of_two])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "i8"])
def test_float32(f, dtype):
    compiled, rng = njit(f), np.random.default_rng(2)
    for n in (3, 200, 2100):
        for edge in edges(dtype):
            x = (rng.random(n) * 30).astype(np.float32)
            if edge is not None:
                with np.errstate(all="ignore"):
                    x[n // 2] = edge
            to = np.full(n, 50, dtype)
            got, want = outcome(compiled, to.copy(), x), outcome(f, to.copy(), x)
            if not (got[1] is OverflowError and abs(x[n // 2]) >= 2.0**63):
                assert got == want
