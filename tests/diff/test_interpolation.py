# SPDX-License-Identifier: BSD-3-Clause
"""np.interp at repeated, infinite and missing points, and of complex values; np.cross of vectors of
two and three elements."""

import itertools

import numpy as np
import pytest
from harness import check, expression

MODES = ("plain", "unchecked")  # debug asks where NaN comes from
X = [-1.0, 0.5, 1.5, 2.0, np.nan, np.inf, np.array([0.0, 1.0, 1.5, 2.5, np.nan, 9.0, -np.inf]),
     np.array(1.5), np.array([[1, 2], [3, 4]]), (1.5, 2.5), np.zeros(0), True, np.float32(1.25),
     np.array([1j])]  # fmt: skip
XP = [np.array(x) for x in ([1.0, 2.0, 3.0], [1], [1.0, 1.0, 2.0], [0.0, np.inf, np.inf],
                            [-np.inf, 0.0, np.inf], [1j, 2, 3], [])]  # fmt: skip
FP = [np.array(f) for f in ([1.0, 2.0, 3.0], [np.inf] * 3, [1.0, np.inf, -np.inf], [np.nan, 1, 2],
                            [1j, 2 + 1j, 3], [7.0], [complex(1, np.inf), 2, complex(np.inf, 0)],
                            [200, 100, 3])]  # fmt: skip


@pytest.mark.parametrize("x", X, ids=repr)
def test_interp(x):
    for xp, fp in itertools.product(XP, FP):
        check(
            expression("np.interp(x, xp, fp)", "x, xp, fp"),
            x,
            xp,
            fp,
            raises=...,
            ulp=4,
            modes=MODES,
        )


SHAPES = [(3,), (2,), (4, 3), (4, 2), (1, 2), (0, 3), (4, 1, 2), (1, 3)]


def can_meet(a, b):
    try:
        return np.broadcast_shapes(a, b) is not None
    except ValueError:
        return False


@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.uint8, np.complex64])
def test_cross(dtype):
    for a, b in itertools.product(SHAPES, SHAPES):
        if a[-1] + b[-1] > 4 and can_meet(a[:-1], b[:-1]):
            x, y = (
                np.arange(k, np.prod(s) + k).reshape(s).astype(dtype) for k, s in ((1, a), (2, b))
            )
            check(expression("np.cross(x, y)", "x, y"), x, y, raises=...)
