# SPDX-License-Identifier: BSD-3-Clause
"""Characters: ord, chr, and the methods of str that look at each one by itself. What ASCII does not
tell is asked of CPython, by a kernel."""

# ruff: noqa: SIM110

import numpy as np

from swathe import _kernels
from swathe._objects import chars, index_of, rare, text

ONES = np.arange(256, dtype=np.uint32)  # the first characters, for which no memory is taken


def _str_ord(c):
    x = chars(c)
    if len(x) != 1:
        raise TypeError(f"ord() expected a character, but string of length {len(x)} found")
    return int(x[0])


def _str_chr(i):
    k = index_of(i)
    if k < 0 or k > 0x10FFFF:
        raise ValueError("chr() arg not in range(0x110000)")
    if k < 256:
        return text(ONES[k : k + 1])
    r = np.empty(1, np.uint32)
    r[0] = k
    return text(r)


def _space(c):
    if isinstance(c, np.uint8):
        return c == 32 or (c >= 9 and c <= 13)
    if c <= 32:
        return c == 32 or (c >= 9 and c <= 13) or c >= 28
    if c < 128:
        return False
    return (
        c == 0x85
        or c == 0xA0
        or c == 0x1680
        or (c >= 0x2000 and c <= 0x200A)
        or c == 0x2028
        or c == 0x2029
        or c == 0x202F
        or c == 0x205F
        or c == 0x3000
    )


def _is_ascii(x):
    most = np.uint32(0)
    for i in range(len(x)):
        most |= np.uint32(x[i])
    return bool(most < 128)


def _is_plain(x):
    """Does each character say what it is? A byte has no more than ASCII's letters."""
    return True if x.dtype == np.uint8 else _is_ascii(x)


def _is_lower(c):
    return c >= 97 and c <= 122


def _is_upper(c):
    return c >= 65 and c <= 90


def _is_alpha(c):
    return _is_lower(c | 32)


def _is_digit(c):
    return c >= 48 and c <= 57


# ---- cases


def _asked(x, which):
    """What CPython's method makes of it. Bytes never get here."""
    if x.dtype == np.uint8:
        return text(x)
    r = np.empty(3 * len(x), np.uint32)
    n = _kernels.text_method(x, which, r)
    if n < 0:
        raise MemoryError
    return text(r[:n])


def _tells(x, which):
    """What CPython's method says of it."""
    if x.dtype == np.uint8:
        return False
    r = np.empty(1, np.uint32)
    n = _kernels.text_method(x, which, r)
    if n < 0:
        raise MemoryError
    return n == 1


def str_upper(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _asked(x, 0)
    r = np.empty(len(x), x.dtype)
    for i in range(len(x)):
        c = x[i]
        r[i] = c - 32 if _is_lower(c) else c
    return text(r)


def str_lower(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _asked(x, 1)
    r = np.empty(len(x), x.dtype)
    for i in range(len(x)):
        c = x[i]
        r[i] = c + 32 if _is_upper(c) else c
    return text(r)


def str_casefold(self):
    x = chars(self)
    return _asked(x, 2) if rare(not _is_plain(x)) else str_lower(self)


def str_swapcase(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _asked(x, 3)
    r = np.empty(len(x), x.dtype)
    for i in range(len(x)):
        c = x[i]
        r[i] = c ^ 32 if _is_alpha(c) else c
    return text(r)


def str_title(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _asked(x, 4)
    r = np.empty(len(x), x.dtype)
    inside = False
    for i in range(len(x)):
        c = x[i]
        letter = _is_alpha(c)
        if letter:
            c = c | 32 if inside else c & ~x.dtype.type(32)
        inside = letter
        r[i] = c
    return text(r)


def str_capitalize(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _asked(x, 5)
    r = np.empty(len(x), x.dtype)
    for i in range(len(x)):
        c = x[i]
        if i == 0 and _is_lower(c):
            c = c - 32
        elif i > 0 and _is_upper(c):
            c = c + 32
        r[i] = c
    return text(r)


# ---- what they are made of


def str_isalpha(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _tells(x, 6)
    for i in range(len(x)):
        if not _is_alpha(x[i]):
            return False
    return len(x) > 0


def str_isdigit(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _tells(x, 7)
    for i in range(len(x)):
        if not _is_digit(x[i]):
            return False
    return len(x) > 0


def str_isdecimal(self):
    x = chars(self)
    return _tells(x, 8) if rare(not _is_plain(x)) else str_isdigit(self)


def str_isnumeric(self):
    x = chars(self)
    return _tells(x, 9) if rare(not _is_plain(x)) else str_isdigit(self)


def str_isalnum(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _tells(x, 10)
    for i in range(len(x)):
        if not (_is_alpha(x[i]) or _is_digit(x[i])):
            return False
    return len(x) > 0


def str_isspace(self):
    x = chars(self)
    for i in range(len(x)):
        if not _space(x[i]):
            return False
    return len(x) > 0


def str_isupper(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _tells(x, 11)
    some = False
    for i in range(len(x)):
        if _is_lower(x[i]):
            return False
        some |= _is_upper(x[i])
    return bool(some)


def str_islower(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _tells(x, 12)
    some = False
    for i in range(len(x)):
        if _is_upper(x[i]):
            return False
        some |= _is_lower(x[i])
    return bool(some)


def str_istitle(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _tells(x, 13)
    some = False
    inside = False
    for i in range(len(x)):
        c = x[i]
        if _is_upper(c) if inside else _is_lower(c):
            return False
        inside = _is_alpha(c)
        some |= inside
    return bool(some)


def str_isidentifier(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _tells(x, 14)
    for i in range(len(x)):
        c = x[i]
        if not (_is_alpha(c) or c == 95 or (i > 0 and _is_digit(c))):
            return False
    return len(x) > 0


def str_isprintable(self):
    x = chars(self)
    if rare(not _is_plain(x)):
        return _tells(x, 15)
    for i in range(len(x)):
        if x[i] < 32 or x[i] > 126:
            return False
    return True


def str_isascii(self):
    return _is_ascii(chars(self))
