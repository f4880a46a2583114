# SPDX-License-Identifier: BSD-3-Clause
"""bytes: an array of uint8 that nobody changes. What a str does alike is in str.py and
characters.py."""

# ruff: noqa: SIM113

from array import array

import numpy as np

from swathe import static_fail
from swathe._objects import asked, chars, index_of, text
from swathe.lib.texts import _hex_digit

# ---- made of others


def _bytes_of(v):
    if isinstance(v, bytes):
        return v
    if isinstance(v, bytearray):
        return text(chars(v).copy())
    if isinstance(v, (array, memoryview)):
        return v.tobytes()
    if v is None:
        static_fail("cannot convert 'NoneType' object to bytes", True)
    if isinstance(v, (int, np.integer)):
        n = index_of(v)
        if n < 0:
            raise ValueError("negative count")
        return text(np.zeros(n, np.uint8))
    if isinstance(v, (float, np.floating)):
        static_fail("cannot convert 'float' object to bytes", True)
    if isinstance(v, np.ndarray):
        if v.dtype != np.uint8:
            static_fail("bytes(x) takes arrays of uint8 in compiled code: x.view(np.uint8)")
        return text(v.flatten())
    if isinstance(v, (list, tuple, range)):
        return _of_ints(v)
    return _of_ints(list(v))


def _of_ints(v):
    r = np.empty(len(v), np.uint8)
    i = 0
    for c in v:
        k = index_of(c)
        if k < 0 or k > 255:
            raise ValueError("bytes must be in range(0, 256)")
        r[i] = k
        i += 1
    return text(r)


# ---- hexadecimal digits


def bytes_hex(self, sep=None, bytes_per_sep=1):
    x = chars(self)
    if sep is None:
        return _hex_digits(x)
    else:
        return _hex_groups(x, _separator(sep), index_of(bytes_per_sep))


def _separator(sep):
    if not isinstance(sep, (str, bytes)):
        static_fail("sep must be str or bytes.", True)
    if len(sep) != 1:
        raise ValueError("sep must be length 1.")
    c = int(chars(sep)[0])
    if c > 127:
        raise ValueError("sep must be ASCII.")
    return c


def _hex_groups(x, sep, by):
    """A separator behind every so many bytes, counted from the right end, or from the left."""
    n = len(x)
    size = abs(by)
    if n == 0 or size == 0 or size >= n:
        return _hex_digits(x)
    r = np.empty(2 * n + (n - 1) // size, np.uint32)
    ahead = n % size if by > 0 else 0
    k = 0
    for i in range(n):
        if i > 0 and (i - ahead) % size == 0:
            r[k] = sep
            k += 1
        r[k] = _hex_digit(x[i] >> 4)
        r[k + 1] = _hex_digit(x[i] & 15)
        k += 2
    return text(r)


def _hex_digits(x):
    r = np.empty(2 * len(x), np.uint32)
    for i in range(len(x)):
        r[2 * i] = _hex_digit(x[i] >> 4)
        r[2 * i + 1] = _hex_digit(x[i] & 15)
    return text(r)


# ---- translate


def bytes_translate(self, table, delete=b""):
    x = chars(self)
    y = chars(delete)
    gone = np.zeros(256, np.bool_)
    for c in y:
        gone[c] = True
    r = np.empty(len(x), np.uint8)
    k = 0
    if table is None:
        for c in x:
            if not gone[c]:
                r[k] = c
                k += 1
    else:
        z = chars(table)
        if len(z) != 256:
            raise ValueError("translation table must be 256 characters long")
        for c in x:
            if not gone[c]:
                r[k] = z[c]
                k += 1
    return text(r[:k])


# ---- encodings


def _codec(name):
    """0: UTF-8, 1: ASCII, 2: Latin-1."""
    if name is None or name == "utf-8" or name == "utf8" or name == "UTF-8" or name == "utf_8":
        return 0
    if name == "ascii" or name == "us-ascii" or name == "ASCII":
        return 1
    if (
        name == "latin-1"
        or name == "latin1"
        or name == "iso-8859-1"
        or name == "iso8859-1"
        or name == "latin_1"
    ):
        return 2
    return 3


def _on_error(name):
    """0: it is raised, 1: left out, 2: something in its place."""
    if name is None or name == "strict":
        return 0
    if name == "ignore":
        return 1
    if name == "replace":
        return 2
    return 3


def _wrong(codec, s, i, j, why):
    """UnicodeDecodeError, with what it says behind its arguments."""
    if j == i + 1:
        x = chars(s)
        says = f"'{codec}' codec can't decode byte 0x{int(x[i]):02x} in position {i}: {why}"
    else:
        says = f"'{codec}' codec can't decode bytes in position {i}-{j - 1}: {why}"
    raise UnicodeDecodeError(codec, s, i, j, why, says)


def _encode_fails(codec, s, i, j, why):
    if j == i + 1:
        c = int(chars(s)[i])
        name = f"x{c:02x}" if c < 256 else f"u{c:04x}" if c < 65536 else f"U{c:08x}"
        says = f"'{codec}' codec can't encode character '\\{name}' in position {i}: {why}"
    else:
        says = f"'{codec}' codec can't encode characters in position {i}-{j - 1}: {why}"
    raise UnicodeEncodeError(codec, s, i, j, why, says)


def str_encode(self, encoding="utf-8", errors="strict"):
    codec = _codec(encoding)
    handle = _on_error(errors)
    if codec == 3 or handle == 3:
        return text(asked("str.encode", self, _named(encoding, "utf-8"), errors).astype(np.uint8))
    if codec == 0:
        return _to_utf8(self, handle)
    return _to_narrow(self, codec, handle)


def _named(name, default):
    return default if name is None else name


def _to_narrow(s, codec, handle):
    x = chars(s)
    most = 128 if codec == 1 else 256
    r = np.empty(len(x), np.uint8)
    k = 0
    for i in range(len(x)):
        c = x[i]
        if c >= most:
            if handle == 1:
                continue
            if handle == 0:
                j = i + 1
                while j < len(x) and x[j] >= most:
                    j += 1
                if codec == 1:
                    _encode_fails("ascii", s, i, j, "ordinal not in range(128)")
                _encode_fails("latin-1", s, i, j, "ordinal not in range(256)")
            c = np.uint32(63)
        r[k] = c
        k += 1
    return text(r[:k])


def _is_half(c):
    return c >= 0xD800 and c <= 0xDFFF


def _to_utf8(s, handle):
    x = chars(s)
    n = 0
    for i in range(len(x)):
        c = x[i]
        n += 1 if c < 0x80 else 2 if c < 0x800 else 3 if c < 0x10000 else 4
        if handle == 0 and _is_half(c):
            j = i + 1
            while j < len(x) and _is_half(x[j]):
                j += 1
            _encode_fails("utf-8", s, i, j, "surrogates not allowed")
    r = np.empty(n, np.uint8)
    k = 0
    for i in range(len(x)):
        c = x[i]
        if _is_half(c):
            if handle == 1:
                continue
            c = np.uint32(63)
        if c < 0x80:
            r[k] = c
            k += 1
        elif c < 0x800:
            r[k] = 0xC0 | c >> 6
            r[k + 1] = 0x80 | c & 63
            k += 2
        elif c < 0x10000:
            r[k] = 0xE0 | c >> 12
            r[k + 1] = 0x80 | c >> 6 & 63
            r[k + 2] = 0x80 | c & 63
            k += 3
        else:
            r[k] = 0xF0 | c >> 18
            r[k + 1] = 0x80 | c >> 12 & 63
            r[k + 2] = 0x80 | c >> 6 & 63
            r[k + 3] = 0x80 | c & 63
            k += 4
    return text(r[:k])


def bytes_decode(self, encoding="utf-8", errors="strict"):
    codec = _codec(encoding)
    handle = _on_error(errors)
    if codec == 3 or handle == 3:
        return text(asked("bytes.decode", self, _named(encoding, "utf-8"), errors))
    if codec == 0:
        return _from_utf8(self, handle)
    x = chars(self)
    r = np.empty(len(x), np.uint32)
    k = 0
    for i in range(len(x)):
        c = np.uint32(x[i])
        if codec == 1 and c >= 128:
            if handle == 0:
                _wrong("ascii", self, i, i + 1, "ordinal not in range(128)")
            if handle == 1:
                continue
            c = np.uint32(0xFFFD)
        r[k] = c
        k += 1
    return text(r[:k])


def _continues(x, i):
    return i < len(x) and x[i] & 0xC0 == 0x80


def _good(x, i):
    """How many bytes from i on are right: all of a character, or those before what is wrong, less
    16."""
    c = x[i]
    if c < 0x80:
        return 1
    if c < 0xC2 or c > 0xF4:
        return -16
    more = 1 if c < 0xE0 else 2 if c < 0xF0 else 3
    if i + 1 >= len(x):
        return 1 - 16
    least = 0xA0 if c == 0xE0 else 0x90 if c == 0xF0 else 0x80
    most = 0x9F if c == 0xED else 0x8F if c == 0xF4 else 0xBF
    if x[i + 1] < least or x[i + 1] > most:
        return 1 - 16
    for k in range(2, more + 1):
        if not _continues(x, i + k):
            return k - 16
    return more + 1


def _decode_fails(s, i, good):
    x = chars(s)
    if good == 0:
        _wrong("utf-8", s, i, i + 1, "invalid start byte")
    elif i + good >= len(x):
        _wrong("utf-8", s, i, len(x), "unexpected end of data")
    else:
        _wrong("utf-8", s, i, i + good, "invalid continuation byte")


def _from_utf8(s, handle):
    x = chars(s)
    r = np.empty(len(x), np.uint32)
    k = 0
    i = 0
    while i < len(x):
        n = _good(x, i)
        if n < 0:
            if handle == 0:
                _decode_fails(s, i, n + 16)
            if handle == 2:
                r[k] = 0xFFFD
                k += 1
            i += max(n + 16, 1)
            continue
        c = np.uint32(x[i])
        if n > 1:
            c &= np.uint32(0xFF >> (n + 1))
            for j in range(1, n):
                c = c << 6 | np.uint32(x[i + j] & 63)
        r[k] = c
        k += 1
        i += n
    return text(r[:k])
