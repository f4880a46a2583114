# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic of float16 by the names of CUDA's intrinsics; ``a + b`` and the rest do as well.

>>> import numpy as np
>>> from swathe.compat.numba.cuda import fp16
>>> fp16.hfma(np.float16(2), np.float16(3), np.float16(1))
np.float16(7.0)

Each result is that of the exact operation, rounded to float16; functions are computed in float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import gpu

_H, _F = np.float16, np.float32


def _one(f: Any) -> Any:
    def function(a):
        return np.float16(f(np.float32(np.float16(a))))

    return function


def _two(f: Any, to: Any) -> Any:
    def function(a, b):
        return to(f(np.float32(np.float16(a)), np.float32(np.float16(b))))

    return function


def hfma(a, b, c):
    """a * b + c."""
    x, y, z = np.float64(np.float16(a)), np.float64(np.float16(b)), np.float64(np.float16(c))
    return np.float16(gpu.fma(x, y, z))


def _exp10(x):
    return np.power(np.float64(10.0), np.float64(x))


hadd = _two(np.add, _H)
hsub = _two(np.subtract, _H)
hmul = _two(np.multiply, _H)
hdiv = _two(np.divide, _H)
hmin, hmax = _two(np.fmin, _H), _two(np.fmax, _H)
heq, hne = _two(np.equal, np.bool_), _two(np.not_equal, np.bool_)
hlt, hle = _two(np.less, np.bool_), _two(np.less_equal, np.bool_)
hgt, hge = _two(np.greater, np.bool_), _two(np.greater_equal, np.bool_)
hneg, habs = _one(np.negative), _one(np.absolute)
hsin, hcos = _one(np.sin), _one(np.cos)
hexp, hexp2, hexp10 = _one(np.exp), _one(np.exp2), _one(_exp10)
hlog, hlog2, hlog10 = _one(np.log), _one(np.log2), _one(np.log10)
hsqrt, hrsqrt, hrcp = _one(np.sqrt), _one(gpu.rsqrt), _one(np.reciprocal)
hfloor, hceil, hrint, htrunc = _one(np.floor), _one(np.ceil), _one(np.rint), _one(np.trunc)
