# SPDX-License-Identifier: BSD-3-Clause
"""The order of two numbers, one of them complex: of some pairs NumPy makes arrays first."""

from __future__ import annotations

import numpy as np
import pytest

import swathe

NAN = np.nan
COMPLEX = [complex(-1, NAN), complex(1, NAN), complex(1, 0), complex(NAN, 0), complex(1, 1)]
REAL = [np.bool_, bool, np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, int]
REAL += [float, np.float16, np.float32, np.float64]


def order(a, b):
    return a >= b, a > b, a <= b, a < b


def values(of):
    kind = np.dtype(of).kind
    return [of(v) for v in (COMPLEX if kind == "c" else (1.0, NAN) if kind == "f" else (1, 0))]


@pytest.mark.parametrize("of", [np.complex64, np.complex128, complex], ids=lambda t: t.__name__)
@pytest.mark.parametrize(
    "other", [*REAL, np.complex64, np.complex128, complex], ids=lambda t: t.__name__
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_order(of, other):
    compiled = swathe.njit(order)
    for z in values(of):
        for x in values(other):
            for args in ((x, z), (z, x)):
                try:
                    want = order(*args)
                except TypeError:
                    with pytest.raises(TypeError):
                        compiled(*args)
                    continue
                assert tuple(map(bool, compiled(*args))) == tuple(map(bool, want)), args
