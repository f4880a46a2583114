# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the module struct. What types there are hangs on the format: it is a literal or a
global, whose layout Python has found out before (py/pattern_in.c): how long all is, whether the
high byte stands first, and kind, place and length of each value."""

import math
from array import array

import numpy as np

from swathe import static_fail
from swathe._objects import asked, chars, index_of, is_object, text

_INT, _UNSIGNED, _BOOL, _FLOAT, _CHAR, _BYTES = 0, 1, 2, 3, 4, 5


def _error(message):
    import struct

    raise struct.error(message)


def _refuse(name):
    static_fail(
        "the format of struct."
        + name
        + "() must be a literal or a global, a right one, of at most 64 values, without 'p'"
    )


# ---- values read


def _bits(x, at, size, big):
    v = 0
    for k in range(size):
        v |= int(x[at + (size - 1 - k if big else k)]) << 8 * k
    return v


def _real(bits, size):
    if size == 8:
        wide = np.empty(1, np.int64)
        wide[0] = bits
        return float(wide.view(np.float64)[0])
    if size == 4:
        word = np.empty(1, np.uint32)
        word[0] = bits
        return float(word.view(np.float32)[0])
    half = np.empty(1, np.uint16)
    half[0] = bits
    return float(half.view(np.float16)[0])


def _value(x, at, kind, size, big):
    if kind == 5:
        return text(x[at : at + size].copy())
    elif kind == 4:
        return text(x[at : at + 1].copy())
    elif kind == 3:
        return _real(_bits(x, at, size, big), size)
    elif kind == 2:
        return bool(x[at] != 0)
    elif kind == 1:
        v = _bits(x, at, size, big)
        if size == 8 and v < 0:
            raise OverflowError("struct: a number from 2**63 up does not fit in int64")
        return v
    else:
        v = _bits(x, at, size, big)
        return v if size == 8 else (v ^ 1 << 8 * size - 1) - (1 << 8 * size - 1)


def _values(x, at, big, items):
    if len(items) == 0:
        return ()
    else:
        kind, place, size, code = items[0]
        return (_value(x, at + place, kind, size, big), *_values(x, at, big, items[1:]))


def _memory(buffer):
    if isinstance(buffer, (bytes, bytearray)):
        return chars(buffer)
    elif isinstance(buffer, array):
        return np.frombuffer(buffer, np.uint8)
    elif isinstance(buffer, memoryview):
        return np.frombuffer(buffer._memory(), np.uint8)
    elif isinstance(buffer, np.ndarray):
        if buffer.dtype != np.uint8 or buffer.ndim != 1:
            static_fail("struct: an array must be a vector of uint8 in compiled code")
        return buffer
    elif isinstance(buffer, str):
        static_fail("a bytes-like object is required, not 'str': s.encode()", True)
    else:
        static_fail("a bytes-like object is required", True)


def unpack_of(layout, buffer):
    x = _memory(buffer)
    if len(x) != layout[0]:
        _error(f"unpack requires a buffer of {layout[0]} bytes")
    return _values(x, 0, layout[1], layout[2])


def _place(size, offset, n, packs):
    """Where so many bytes begin in a buffer of n; packs: they are written, else read."""
    at = index_of(offset)
    if at < 0:
        if at + size > 0:
            if packs:
                _error(f"no space to pack {size} bytes at offset {at}")
            else:
                _error(f"not enough data to unpack {size} bytes")
        if at + n < 0:
            _error(f"offset {at} out of range for {n}-byte buffer")
        at += n
    if n - at < size:
        if packs:
            _error(
                f"pack_into requires a buffer of at least {size + at} bytes for packing {size} "
                f"bytes at offset {at} (actual buffer size is {n})"
            )
        else:
            _error(
                f"unpack_from requires a buffer of at least {size + at} bytes for unpacking {size} "
                f"bytes at offset {at} (actual buffer size is {n})"
            )
    return at


def unpack_from_of(layout, buffer, offset=0):
    x = _memory(buffer)
    at = _place(layout[0], offset, len(x), False)
    return _values(x, at, layout[1], layout[2])


def iter_unpack_of(layout, buffer):
    x = _memory(buffer)
    size = layout[0]
    if size == 0:
        _error("cannot iteratively unpack with a struct of length 0")
    if len(x) % size != 0:
        _error(f"iterative unpacking requires a buffer of a multiple of {size} bytes")
    n = len(x)
    for at in range(0, n, size):
        now = _memory(buffer)  # which the loop may have changed
        if len(now) != n:
            raise BufferError("Existing exports of data: object cannot be re-sized")
        yield _values(now, at, layout[1], layout[2])


def calcsize_of(layout):
    return layout[0]


# ---- values written


def _put_bits(x, at, size, big, v):
    for k in range(size):
        x[at + (size - 1 - k if big else k)] = v >> 8 * k & 255


def _put_int(x, at, kind, size, big, code, v):
    if (
        v is None
        or isinstance(v, (float, np.floating, str, bytes, bytearray, tuple))
        or is_object(v)
    ):
        _error("required argument is not an integer")
    else:
        k = index_of(v)
        if kind == 1:
            bad = k < 0 or (size < 8 and k >> 8 * size != 0)
        else:
            bad = size < 8 and (k < -(1 << 8 * size - 1) or k >= 1 << 8 * size - 1)
        if bad:
            _error(text(asked("struct.fails", code, k)))
        _put_bits(x, at, size, big, k)


def _put_real(x, at, size, big, v):
    if v is None or isinstance(v, (str, bytes, bytearray, tuple)) or is_object(v):
        _error("required argument is not a float")
    else:
        r = float(v)
        if size == 8:
            wide = np.empty(1, np.float64)
            wide[0] = r
            _put_bits(x, at, 8, big, int(wide.view(np.int64)[0]))
        elif size == 4:
            word = np.empty(1, np.float32)
            word[0] = r
            if math.isinf(word[0]) and not math.isinf(r):
                raise OverflowError("float too large to pack with f format")
            _put_bits(x, at, 4, big, int(word.view(np.uint32)[0]))
        else:
            half = np.empty(1, np.float16)
            half[0] = r
            if math.isinf(half[0]) and not math.isinf(r):
                raise OverflowError("float too large to pack with e format")
            _put_bits(x, at, 2, big, int(half.view(np.uint16)[0]))


def _put(x, at, item, big, v):
    kind, place, size, code = item
    if kind == 5:
        if not isinstance(v, (bytes, bytearray)):
            _error("argument for 's' must be a bytes object")
        else:
            y = chars(v)
            n = min(len(y), size)
            x[at + place : at + place + n] = y[:n]
    elif kind == 4:
        if not isinstance(v, bytes):
            _error("char format requires a bytes object of length 1")
        else:
            y = chars(v)
            if len(y) != 1:
                _error("char format requires a bytes object of length 1")
            x[at + place] = y[0]
    elif kind == 3:
        _put_real(x, at + place, size, big, v)
    elif kind == 2:
        x[at + place] = 1 if v else 0
    else:
        _put_int(x, at + place, kind, size, big, code, v)


def _put_all(x, at, big, items, v):
    if len(items) > 0:
        _put(x, at, items[0], big, v[0])
        _put_all(x, at, big, items[1:], v[1:])


def pack_of(layout, *v):
    if len(v) != len(layout[2]):
        _error(f"pack expected {len(layout[2])} items for packing (got {len(v)})")
    else:
        x = np.zeros(layout[0], np.uint8)
        _put_all(x, 0, layout[1], layout[2], v)
        return text(x)


def pack_into_of(layout, buffer, offset, *v):
    if isinstance(buffer, bytes):
        static_fail("read-write bytes-like object expected", True)
    x = _memory(buffer)
    if len(v) != len(layout[2]):
        _error(f"pack_into expected {len(layout[2])} items for packing (got {len(v)})")
    else:
        size = layout[0]
        at = _place(size, offset, len(x), True)
        x[at : at + size] = 0
        _put_all(x, at, layout[1], layout[2], v)


# ---- of a format that is not known


def pack(format, *v):
    _refuse("pack")


def pack_into(format, buffer, offset, *v):
    _refuse("pack_into")


def unpack(format, buffer):
    _refuse("unpack")


def unpack_from(format, buffer, offset=0):
    _refuse("unpack_from")


def iter_unpack(format, buffer):
    _refuse("iter_unpack")


def calcsize(format):
    _refuse("calcsize")
