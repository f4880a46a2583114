# SPDX-License-Identifier: BSD-3-Clause
"""The functions of CUDA's libdevice by name, on every device.

>>> from swathe.compat.numba.cuda import libdevice
>>> libdevice.rsqrtf(4.0)
np.float32(0.5)
>>> libdevice.dadd_ru(1.0, 1e-30)
np.float64(1.0000000000000002)

Each takes and returns what its C signature says: arguments are converted. No argument is an error:
outside of its domain a function returns NaN. Those that Numba declares to return signed bits of an
unsigned result (`double2uint_rn`, `umulhi`, ...) return it unsigned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import gpu
from swathe.compat.cudapy.names import MATH

from . import rounding

_F, _D, _I, _L = np.float32, np.float64, np.int32, np.int64
_U, _UL = np.uint32, np.uint64
_BOTH = ((_D, ""), (_F, "f"))


# ---- a function, converted to types -----------------------------------------------------------


def _one(f: Any, a: Any, to: Any) -> Any:
    def function(x):
        return to(f(a(x)))

    return function


def _two(f: Any, a: Any, b: Any, to: Any) -> Any:
    def function(x, y):
        return to(f(a(x), b(y)))

    return function


def _three(f: Any, a: Any, to: Any) -> Any:
    def function(x, y, z):
        return to(f(a(x), a(y), a(z)))

    return function


def _pair(f: Any, a: Any, to: Any, second: Any) -> Any:
    def function(x):
        p, q = f(a(x))
        return to(p), second(q)

    return function


def _cut(f: Any, a: Any, to: Any, low: float, high: float) -> Any:
    """A float to an integer: beyond its range the end of it, NaN to 0, as CUDA's cvt does."""
    least, most = np.iinfo(to).min, np.iinfo(to).max

    def function(x):
        v = np.float64(f(a(x)))
        if v != v:
            return to(0)
        if v < low:
            return to(least)
        return to(most) if v >= high else to(v)

    return function


# ---- integers ---------------------------------------------------------------------------------


def _abs(x):
    return -x if x < 0 else x


def _max(x, y):
    return x if x > y else y


def _min(x, y):
    return x if x < y else y


def _mulhi(x, y):
    return (np.int64(x) * np.int64(y)) >> 32


def _umulhi(x, y):
    return (np.uint64(x) * np.uint64(y)) >> np.uint64(32)


def _umul64hi(x, y):
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a, b, c, d = x >> half, x & low, y >> half, y & low
    middle = (b * d >> half) + (a * d & low) + (b * c & low)
    return a * c + (a * d >> half) + (b * c >> half) + (middle >> half)


def _mul64hi(x, y):
    high = np.int64(_umul64hi(np.uint64(x), np.uint64(y)))
    if x < 0:
        high -= y
    if y < 0:
        high -= x
    return high


def _mul24(x, y):
    return ((np.int64(x) << 40) >> 40) * ((np.int64(y) << 40) >> 40) & 0xFFFFFFFF


def _umul24(x, y):
    return (np.int64(x) & 0xFFFFFF) * (np.int64(y) & 0xFFFFFF) & 0xFFFFFFFF


def _hadd(x, y):
    return (np.int64(x) + np.int64(y)) >> 1


def _rhadd(x, y):
    return (np.int64(x) + np.int64(y) + 1) >> 1


def _sad(x, y, z):
    return (_abs(np.int64(x) - np.int64(y)) + np.int64(z)) & 0xFFFFFFFF


def byte_perm(x, y, s):
    """Pick four of the eight bytes of x and y, by the hexadecimal digits of s."""
    whole = (np.uint64(np.uint32(y)) << np.uint64(32)) | np.uint64(np.uint32(x))
    r = np.uint64(0)
    for k in range(4):
        digit = np.uint64((np.uint32(s) >> np.uint32(4 * k)) & np.uint32(15))
        byte = (whole >> ((digit & np.uint64(7)) * np.uint64(8))) & np.uint64(255)
        if digit & np.uint64(8):
            byte = np.uint64(255) if byte & np.uint64(128) else np.uint64(0)
        r |= byte << np.uint64(8 * k)
    return np.int32(np.uint32(r))


def _integers(names: dict[str, Any]) -> None:
    for ints, prefix in (((_I, _U), ""), ((_L, _UL), "ll")):
        i, u = ints
        names[prefix + "abs"] = _one(_abs, i, i)
        for name, f in (("max", _max), ("min", _min)):
            names[prefix + name] = _two(f, i, i, i)
            names["u" + prefix + name] = _two(f, u, u, u)
        for name, back in (("brev", i), ("clz", _I), ("ffs", _I), ("popc", _I)):
            names[name + prefix] = _one(getattr(gpu, name), i, back)
    names["mulhi"], names["umulhi"] = _two(_mulhi, _I, _I, _I), _two(_umulhi, _U, _U, _U)
    names["mul64hi"] = _two(_mul64hi, _L, _L, _L)
    names["umul64hi"] = _two(_umul64hi, _UL, _UL, _UL)
    names["mul24"], names["umul24"] = _two(_mul24, _I, _I, _low), _two(_umul24, _I, _I, _U)
    names["hadd"], names["uhadd"] = _two(_hadd, _I, _I, _I), _two(_hadd, _U, _U, _U)
    names["rhadd"], names["urhadd"] = _two(_rhadd, _I, _I, _I), _two(_rhadd, _U, _U, _U)
    names["sad"], names["usad"] = _three(_sad, _I, _low), _three(_sad, _U, _U)


def _low(x):
    """The lowest 32 bits, with a sign."""
    return np.int32(np.uint32(x))


# ---- functions on floats ----------------------------------------------------------------------

_ONE = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc erfcinv erfcx erfinv exp "
    "exp10 exp2 expm1 fabs floor j0 j1 lgamma log log10 log1p log2 logb nearbyint normcdf "
    "normcdfinv rcbrt rint round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1"
)
_TWO = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"


def _saturate(x):
    """x within 0 and 1; NaN is 0."""
    return _min(x, np.float32(1.0)) if x > 0 else np.float32(0.0)


def _powi(x, n):
    return np.power(np.float64(x), np.float64(n))


def _remquo(to: Any) -> Any:
    near = MATH["remainder"]

    def function(x, y):
        a, b = np.float64(to(x)), np.float64(to(y))
        r = near(a, b)
        q = np.float64(0.0)
        if b != 0.0 and np.isfinite(a) and np.isfinite(b):
            q = np.rint((np.fmod(a, 8.0 * b) - r) / b) if np.isfinite(8.0 * b) else (a - r) / b
        bits = np.int32(np.fmod(np.abs(q), 8.0))
        return to(r), np.int32(-bits if (a < 0) != (b < 0) else bits)

    return function


def _floats(names: dict[str, Any]) -> None:
    for t, f in _BOTH:
        for name in _ONE.split():
            names[name + f] = _one(MATH[name], t, t)
        for name in _TWO.split():
            names[name + f] = _two(MATH[name], t, t, t)
        for name in ("llrint", "llround"):
            names[name + f] = _one(MATH[name], t, _L)
        names["ilogb" + f] = _one(MATH["ilogb"], t, _I)
        names["fma" + f] = _three(gpu.fma, t, t)
        for name in ("ldexp", "scalbn"):
            names[name + f] = _two(MATH[name], t, _I, t)
        names["powi" + f] = _two(_powi, t, _I, t)
        for name in ("jn", "yn"):
            names[name + f] = _two(MATH[name], _I, t, t)
        for name in ("sincos", "sincospi", "modf"):
            names[name + f] = _pair(MATH[name], t, t, t)
        names["frexp" + f] = _pair(np.frexp, t, t, _I)
        names["remquo" + f] = _remquo(t)
        for name, g in (("isnan", np.isnan), ("isinf", np.isinf), ("signbit", np.signbit)):
            names[name + (f or "d")] = _one(g, t, _I)
    names["finitef"], names["isfinited"] = _one(np.isfinite, _F, _I), _one(np.isfinite, _D, _I)
    for name in ("cos", "exp10", "exp", "log10", "log2", "log", "sin", "tan"):
        names[f"fast_{name}f"] = names[name + "f"]
    names["fast_powf"], names["fast_sincosf"] = names["powf"], names["sincosf"]
    names["fast_fdividef"] = _two(np.divide, _F, _F, _F)
    names["saturatef"] = _one(_saturate, _F, _F)
    names["frsqrt_rn"] = _one(MATH["rsqrt"], _F, _F)


# ---- conversions ------------------------------------------------------------------------------

_ROUNDED = {"rn": np.rint, "rd": np.floor, "ru": np.ceil, "rz": np.trunc}
_WHOLE = {
    "int": (_I, -(2.0**31), 2.0**31),
    "uint": (_U, 0.0, 2.0**32),
    "ll": (_L, -(2.0**63), 2.0**63),
    "ull": (_UL, 0.0, 2.0**64),
}


def _bits(a: Any, to: Any) -> Any:
    def function(x):
        return a(x).view(to)

    return function


def double2hiint(x):
    """The upper half of the bits."""
    return np.int32(np.float64(x).view(np.int64) >> 32)


def double2loint(x):
    """The lower half of the bits."""
    return np.int32(np.uint32(np.float64(x).view(np.uint64)))


def hiloint2double(high, low):
    """The float64 of these bits."""
    upper = np.uint64(np.uint32(np.int32(high))) << np.uint64(32)
    return (upper | np.uint64(np.uint32(np.int32(low)))).view(np.float64)


def half2float(x):
    """The float32 of a float16's bits."""
    return np.float32(np.int16(x).view(np.float16))


def float2half_rn(x):
    """The bits of a float16."""
    return np.float16(np.float32(x)).view(np.int16)


def _conversions(names: dict[str, Any]) -> None:
    for mode, f in _ROUNDED.items():
        for name, t in (("double", _D), ("float", _F)):
            for whole, (to, low, high) in _WHOLE.items():
                names[f"{name}2{whole}_{mode}"] = _cut(f, t, to, low, high)
    names["double_as_longlong"], names["longlong_as_double"] = _bits(_D, _L), _bits(_L, _D)
    names["float_as_int"], names["int_as_float"] = _bits(_F, _I), _bits(_I, _F)


def _all() -> dict[str, Any]:
    names: dict[str, Any] = {}
    _integers(names)
    _floats(names)
    _conversions(names)
    names.update(rounding.functions())
    return names


globals().update(_all())
