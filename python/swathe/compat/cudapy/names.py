# SPDX-License-Identifier: BSD-3-Clause
"""The names that a kernel knows without importing them: this interface's one table of them.

To add one, add it to `GEOMETRY`, `KERNEL` or `MATH`. Every name of `MATH` is there with an ``f`` at
its end, too: the same in single precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import gpu

from . import cmath

# name -> (index of the block, threads of a block, index in the block)
INDEX: dict[str, tuple[Any, Any, Any]] = {
    f"id{a}": (getattr(gpu.blockIdx, a), getattr(gpu.blockDim, a), getattr(gpu.threadIdx, a))
    for a in "xyz"
}

CASTS: dict[str, Any] = {
    "bool": np.bool_,
    "int": np.int32,
    "long": np.int64,
    "float": np.float32,
    "double": np.float64,
}

KERNEL: dict[str, Any] = {
    "gridDim": gpu.gridDim,
    "blockDim": gpu.blockDim,
    "blockIdx": gpu.blockIdx,
    "threadIdx": gpu.threadIdx,
    "warpSize": gpu.warpsize,
    "shared": gpu.shared,
    "local": gpu.local,
    "syncthreads": gpu.syncthreads,
    "__syncthreads": gpu.syncthreads,
    "syncthreads_count": gpu.syncthreads_count,
    "syncthreads_and": gpu.syncthreads_and,
    "syncthreads_or": gpu.syncthreads_or,
    "threadfence": gpu.threadfence,
    "threadfence_block": gpu.threadfence_block,
    "atomicAdd": gpu.atomic.add,
    "atomicSub": gpu.atomic.sub,
    "atomicMin": gpu.atomic.min,
    "atomicMax": gpu.atomic.max,
    "atomicAnd": gpu.atomic.and_,
    "atomicOr": gpu.atomic.or_,
    "atomicXor": gpu.atomic.xor,
    "atomicExch": gpu.atomic.exch,
    "atomicCAS": gpu.atomic.cas,
    "xrange": range,
}

# C's name -> NumPy's, which keeps single precision single, as C++ does.
_NUMPY = {
    **{n: n for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log")},
    **{n: n for n in ("log2", "log10", "log1p", "sqrt", "cbrt", "fabs", "floor", "ceil", "trunc")},
    **{n: n for n in ("rint", "fmod", "hypot", "copysign", "nextafter", "fmax", "fmin", "ldexp")},
    **{n: n for n in ("isnan", "isinf", "isfinite", "signbit", "frexp", "modf")},
    **{"a" + n: "arc" + n for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "atan2": "arctan2",
    "nearbyint": "rint",
}

_OWN = (
    "erf erfc erfinv erfcinv erfcx normcdf normcdfinv tgamma lgamma rsqrt rcbrt fma exp10 sinpi "
    "cospi fdim fdivide pow remainder round lround lrint logb ilogb scalbn rhypot norm3d norm4d "
    "rnorm3d rnorm4d sincos sincospi j0 j1 jn y0 y1 yn cyl_bessel_i0 cyl_bessel_i1"
)

MATH: dict[str, Any] = {
    **{c: getattr(np, name) for c, name in _NUMPY.items()},
    **{name: getattr(cmath, name) for name in _OWN.split()},
    "llround": cmath.lround,
    "llrint": cmath.lrint,
    "scalbln": cmath.scalbn,
}

# Arguments that are whole numbers, by place: they stay so in single precision.
WHOLE = {"ldexp": {1}, "scalbn": {1}, "scalbln": {1}, "jn": {0}, "yn": {0}}


def single(name: str) -> str | None:
    """Return the name in double precision of ``sinf``; None when it is no such name."""
    base = name[:-1]
    return base if name.endswith("f") and base in MATH and name not in MATH else None
