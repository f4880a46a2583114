# SPDX-License-Identifier: BSD-3-Clause
"""Powers of a known base: CPython's results of scalars, whatever LLVM would make of the call, and
within a unit in the last place in lanes."""

from __future__ import annotations

import numpy as np
import pytest

from swathe import njit

BASES = {
    2.0: lambda x: 2.0**x,
    4.0: lambda x: 4.0**x,
    8.0: lambda x: 8.0**x,
    0.5: lambda x: 0.5**x,
    0.125: lambda x: 0.125**x,
    10.0: lambda x: 10.0**x,
    1.5: lambda x: 1.5**x,
}
X = (np.random.default_rng(11).random(4000) * 60 - 30).tolist()
X += [0.0, -0.0, 1.0, -3.0, 0.5, float("inf"), float("-inf"), -300.0]


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize("base", BASES)
def test_scalars(base, kind):
    f = BASES[base]
    compiled = njit(f)
    assert [compiled(kind(x)) for x in X] == [f(kind(x)) for x in X]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("base", BASES)
def test_lanes(base, dtype):
    def f(a, r):
        for i in range(len(a)):
            r[i] = base ** a[i]
        return r

    a = np.array(X[:-3], dtype)
    got, want = njit(f)(a, np.empty_like(a)), f(a, np.empty_like(a))
    assert (abs(got - want) <= np.spacing(want)).all()
