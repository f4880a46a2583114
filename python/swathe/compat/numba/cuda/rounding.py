# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic that rounds as it is told: the functions of libdevice that end in _rn, _rd, _ru, _rz.

Each operation yields the nearest float64 and the sign of what is missing from it: the exact error
of a sum or a product is a float, too, and that of a quotient or a root has the sign of a remainder.
From the two follows the neighbour that lies to the wanted side, in float64 or in float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swathe import gpu

_F, _D = np.float32, np.float64


def _beyond(s, rest, finite):
    """What is missing where finite operands overflow is of the other sign."""
    return -s if finite and np.isinf(s) else rest


def _sum(x, y):
    s = x + y
    back = s - x
    rest = (x - (s - back)) + (y - back)
    return s, _beyond(s, rest, np.isfinite(x) and np.isfinite(y))


def _difference(x, y):
    return _sum(x, -y)


def _product(x, y):
    p = x * y
    if np.abs(p) < 2.0**-900:  # the error might be too small for a float
        a, b = (x, y) if np.abs(x) < np.abs(y) else (y, x)
        return p, gpu.fma(a * 2.0**600, b, -(p * 2.0**600))
    return p, _beyond(p, gpu.fma(x, y, -p), np.isfinite(x) and np.isfinite(y))


def _quotient(x, y):
    q = np.divide(x, y)
    k = 2.0**400 if np.abs(x) < 2.0**-500 else 1.0
    rest = gpu.fma(-(q * k), y, x * k)
    rest = rest if y > 0 else -rest
    if not np.isfinite(x) or y == 0 or np.isinf(y):
        rest = q * 0.0
    return q, _beyond(q, rest, np.isfinite(x) and y != 0)


def _inverse(x):
    return _quotient(np.float64(1.0), x)


def _root(x):
    r = np.sqrt(x)
    if x < 2.0**-900:
        return r, gpu.fma(-(r * 2.0**300), r * 2.0**300, x * 2.0**600)
    return r, gpu.fma(-r, r, x) if np.isfinite(x) else r * 0.0


def _product_and_sum(x, y, z):
    s = gpu.fma(x, y, z)
    p, low = _product(x, y)
    a, a_low = _sum(z, low)
    b, b_low = _sum(p, a)
    rest = ((b - s) + b_low) + a_low
    return s, _beyond(s, rest, np.isfinite(x) and np.isfinite(y) and np.isfinite(z))


def _same(x):
    return x, x * 0.0


def _whole(x):
    """An integer of 64 bits, as two floats that are exact."""
    return _sum(np.float64(x >> 32) * 4294967296.0, np.float64(x & 0xFFFFFFFF))


def _natural(x):
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    return _sum(np.float64(x >> half) * 4294967296.0, np.float64(x & low))


def _side(mode: str, to: Any) -> Any:
    """Return what rounds s and the sign of its rest to a float of a type."""
    down, up, zero = mode == "rd", mode == "ru", mode == "rz"
    low, high = to(-np.inf), to(np.inf)

    def function(s, rest):
        r = to(s)
        wide = np.float64(r)
        more = rest if wide == s else s - wide
        if more < 0 and (down or (zero and r > 0)):
            return np.nextafter(r, low)
        if more > 0 and (up or (zero and r < 0)):
            return np.nextafter(r, high)
        return r

    return function


def _made(f: Any, count: int, take: Any, finish: Any) -> Any:
    """The function of `count` arguments; inner ones convert and round."""

    def one(x):
        s, rest = f(take(x))
        return finish(s, rest)

    def two(x, y):
        s, rest = f(take(x), take(y))
        return finish(s, rest)

    def three(x, y, z):
        s, rest = f(take(x), take(y), take(z))
        return finish(s, rest)

    return (one, two, three)[count - 1]


def _single(x):
    return np.float64(np.float32(x))


def _int(x):
    return np.int64(np.int32(x))


def _unsigned(x):
    return np.int64(np.uint32(x))


def _nearest(take: Any, to: Any) -> Any:
    def function(x):
        return to(take(x))

    return function


def _fma_single(x, y, z):
    return gpu.fma(np.float32(x), np.float32(y), np.float32(z))


_ARITHMETIC = {
    "add": (_sum, 2),
    "sub": (_difference, 2),
    "mul": (_product, 2),
    "div": (_quotient, 2),
    "rcp": (_inverse, 1),
    "sqrt": (_root, 1),
}
_INTEGERS = {
    "int": (_whole, _int),
    "uint": (_whole, _unsigned),
    "ll": (_whole, np.int64),
    "ull": (_natural, np.uint64),
}


def functions() -> dict[str, Any]:
    """Return the functions by their names."""
    names: dict[str, Any] = {}
    for mode in ("rn", "rd", "ru", "rz"):
        single, double = _side(mode, _F), _side(mode, _D)
        for name, (f, count) in _ARITHMETIC.items():
            names[f"d{name}_{mode}"] = _made(f, count, _D, double)
            names[f"f{name}_{mode}"] = _made(f, count, _single, single)
        names[f"fma_{mode}"] = _made(_product_and_sum, 3, _D, double)
        names[f"fmaf_{mode}"] = _made(_product_and_sum, 3, _single, single)
        names[f"double2float_{mode}"] = _made(_same, 1, _D, single)
        for name, (f, take) in _INTEGERS.items():
            if mode == "rn":  # rounded once
                names[f"{name}2float_rn"] = _nearest(take, _F)
                names[f"{name}2double_rn"] = _nearest(take, _D)
                continue
            names[f"{name}2float_{mode}"] = _made(f, 1, take, single)
            names[f"{name}2double_{mode}"] = _made(f, 1, take, double)
    names["fmaf_rn"] = _fma_single
    return names
