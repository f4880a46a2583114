# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the classes str and bytes, and of int that make one of the other, for compiled code
that mentions them."""

# ruff: noqa: D103

from array import array


def maketrans(x, y=None, z=None):
    """str.maketrans"""
    if y is None:
        return {(ord(k) if isinstance(k, str) else k): v for k, v in x.items()}
    if len(x) != len(y):
        raise ValueError("the first two maketrans arguments must have equal length")
    if z is None:
        table = {}
        for i in range(len(x)):
            table[ord(x[i])] = ord(y[i])
        return table
    dropped = {0: None}
    dropped.clear()
    for i in range(len(x)):
        dropped[ord(x[i])] = ord(y[i])
    for a in z:
        dropped[ord(a)] = None
    return dropped


def maketrans_bytes(frm, to):
    """bytes.maketrans"""
    if len(frm) != len(to):
        raise ValueError("maketrans arguments must have same length")
    table = list(range(256))
    for i in range(len(frm)):
        table[frm[i]] = to[i]
    return bytes(table)


def _digit(c):
    if 48 <= c <= 57:
        return c - 48
    c |= 32
    return c - 87 if 97 <= c <= 102 else -1


def fromhex(string):
    """bytes.fromhex"""
    r = []
    n = len(string)
    i = 0
    while i < n:
        c = ord(string[i])
        if c == 32 or 9 <= c <= 13:
            i += 1
            continue
        high = _digit(c) if c < 128 else -1
        if high < 0:
            raise ValueError(f"non-hexadecimal number found in fromhex() arg at position {i}")
        c = ord(string[i + 1]) if i + 1 < n else 32
        low = _digit(c) if c < 128 else -1
        if low < 0:
            raise ValueError(f"non-hexadecimal number found in fromhex() arg at position {i + 1}")
        r.append(16 * high + low)
        i += 2
    return bytes(r)


def bytearray_fromhex(string):
    """bytearray.fromhex"""
    return bytearray(fromhex(string))


def from_bytes(bytes, byteorder="big", *, signed=False):
    """int.from_bytes"""
    if byteorder != "big" and byteorder != "little":
        raise ValueError("byteorder must be either 'little' or 'big'")
    if isinstance(bytes, (array, memoryview)):
        return from_bytes(bytes.tobytes(), byteorder, signed=signed)
    n = len(bytes)
    r = 0
    for k in range(n):
        c = bytes[k] if byteorder == "big" else bytes[n - 1 - k]
        if k == 0 and signed and c >= 128:
            r = -1
        if r >= 1 << 55 or r < -(1 << 55):
            raise OverflowError("Python int too large to convert to C long")
        r = r * 256 + c
    return r


def bound_get(x):
    """x.get as a key: what is not there can't be compared."""
    return lambda k: _found(x.get(k))


def _found(v):
    if v is None:
        raise TypeError("'<' not supported between instances of 'NoneType' and other values")
    return v


def bound_getitem(x):
    return lambda k: x[k]


def bound_index(x):
    return lambda k: x.index(k)


def bound_count(x):
    return lambda k: x.count(k)


def bound_find(x):
    return lambda k: x.find(k)
