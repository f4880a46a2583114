# SPDX-License-Identifier: BSD-3-Clause
"""format() with a specification that isn't known before the call, and bin, oct, hex."""

import numpy as np

from swathe import _kernels
from swathe._objects import chars, index_of, text
from swathe.lib.characters import _is_digit
from swathe.lib.texts import _laid_out, _str_of

BAD_SPEC = (1 << 63) - 1  # in place of a length


def _str_formatted(v, spec):
    if len(chars(spec)) == 0:
        return _str_of(v)
    if isinstance(v, str):
        _check_layout(spec)
        return _laid_out(v, spec)
    if isinstance(v, (float, np.floating)):
        return _checked(float(v), spec, "float")
    return _checked(int(v), spec, "int")


def _checked(v, spec, kind):
    y = chars(spec)
    r = np.empty(64, np.uint32)
    n = _written(v, y, r)
    if n == BAD_SPEC:
        raise ValueError(f"Invalid format specifier '{spec}' for object of type '{kind}'")
    if n > len(r):
        r = np.empty(n, np.uint32)
        n = _written(v, y, r)
    return text(r[:n])


def _written(v, spec, r):
    if isinstance(v, float):
        x = np.empty(1)
        x[0] = v
        return _kernels.text_of_float(x, spec, r)
    return _kernels.text_of_int(spec, v, r)


def _check_layout(spec):
    """Of a string: [[fill]align][0][width][.precision][s]."""
    y = chars(spec)
    n = len(y)
    k = 0
    if n > 1 and (y[1] == 60 or y[1] == 62 or y[1] == 94):
        k = 2
    elif n > 0 and (y[0] == 60 or y[0] == 62 or y[0] == 94):
        k = 1
    first = k
    while k < n and _is_digit(y[k]):
        k += 1
    digits = k - first
    if k < n and y[k] == 46:
        first = k + 1
        k = first
        while k < n and _is_digit(y[k]):
            k += 1
        if k == first:
            raise ValueError("Format specifier missing precision")
        digits = max(digits, k - first)
    if digits > 18:
        raise ValueError("Too many decimal digits in format string")
    if k < n and y[k] == 115:
        k += 1
    if k < n:
        raise ValueError(f"Invalid format specifier '{spec}' for object of type 'str'")


def _str_bin(i):
    return _in_base(i, 1, 98)


def _str_oct(i):
    return _in_base(i, 3, 111)


def _str_hex(i):
    return _in_base(i, 4, 120)


def _in_base(i, bits, letter):
    v = index_of(i)
    negative = v < 0
    rest = np.uint64(-(v + 1)) + np.uint64(1) if negative else np.uint64(v)
    r = np.empty(67, np.uint32)
    k = len(r)
    while rest != 0 or k == len(r):
        digit = rest & np.uint64((1 << bits) - 1)
        k -= 1
        r[k] = digit + (48 if digit < 10 else 87)
        rest >>= np.uint64(bits)
    r[k - 1] = letter
    r[k - 2] = 48
    k -= 2
    if negative:
        k -= 1
        r[k] = 45
    return text(r[k:].copy())
