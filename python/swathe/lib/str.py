# SPDX-License-Identifier: BSD-3-Clause
"""str: its code points are an array that nobody changes, so that a slice is a view of it.

`s[i]`, len and iteration are the compiler's own (`lower/text.c`), and so is the choice of a helper for
an operator or a comparison. Here are these helpers and the methods. What ASCII does not tell is asked
of CPython, by a kernel.
"""

import numpy as np

from swathe import _kernels
from swathe._objects import chars, index_of, rare, text

ONES = np.arange(256, dtype=np.uint32)  # the first characters, for which no memory is taken
MOST = 1 << 58  # characters, at most


# ---- operators


def _str_eq(a, b):
    x = chars(a)
    y = chars(b)
    n = len(x)
    if n != len(y):
        return False
    for i in range(n):
        if x[i] != y[i]:
            return False
    return True


def _str_order(a, b):
    """Negative, 0, positive: a before b, equal, behind."""
    x = chars(a)
    y = chars(b)
    for i in range(min(len(x), len(y))):
        if x[i] != y[i]:
            return -1 if x[i] < y[i] else 1
    return len(x) - len(y)


def _str_add(a, b):
    x = chars(a)
    y = chars(b)
    n = len(x)
    m = len(y)
    if n == 0:
        return b
    if m == 0:
        return a
    r = np.empty(n + m, np.uint32)
    for i in range(n):
        r[i] = x[i]
    for i in range(m):
        r[n + i] = y[i]
    return text(r)


def _str_mul(a, by):
    times = index_of(by)
    x = chars(a)
    n = len(x)
    if times == 1 or n == 0:
        return a
    if times <= 0:
        return text(x[:0])
    if times > MOST // n:
        raise MemoryError
    r = np.empty(n * times, np.uint32)
    if n == 1:
        r[:] = x[0]
    else:
        for k in range(times):
            for i in range(n):
                r[k * n + i] = x[i]
    return text(r)


def _str_slice(s, start, stop, step):
    x = chars(s)
    if step is None:
        return text(x[start:stop])
    if step == 0:
        raise ValueError("slice step cannot be zero")
    return text(x[start:stop:step].copy())


def _find(x, y, lo, hi):
    """Where y begins in x[lo:hi], or -1."""
    m = len(y)
    if m == 0:
        return lo if lo <= hi else -1
    first = y[0]
    i = lo
    while i + m <= hi:
        if x[i] == first:
            k = 1
            while k < m and x[i + k] == y[k]:
                k += 1
            if k == m:
                return i
        i += 1
    return -1


def _rfind(x, y, lo, hi):
    m = len(y)
    if m == 0:
        return hi if lo <= hi else -1
    i = hi - m
    while i >= lo:
        k = 0
        while k < m and x[i + k] == y[k]:
            k += 1
        if k == m:
            return i
        i -= 1
    return -1


def _str_in(a, b):
    y = chars(b)
    return _find(y, chars(a), 0, len(y)) >= 0


# ---- characters


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
        most |= x[i]
    return bool(most < 128)


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
    """What CPython's method makes of it."""
    r = np.empty(3 * len(x), np.uint32)
    n = _kernels.text_method(x, which, r)
    if n < 0:
        raise MemoryError
    return text(r[:n])


def _tells(x, which):
    """What CPython's method says of it."""
    r = np.empty(1, np.uint32)
    n = _kernels.text_method(x, which, r)
    if n < 0:
        raise MemoryError
    return n == 1


def str_upper(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
        return _asked(x, 0)
    r = np.empty(len(x), np.uint32)
    for i in range(len(x)):
        c = x[i]
        r[i] = c - 32 if _is_lower(c) else c
    return text(r)


def str_lower(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
        return _asked(x, 1)
    r = np.empty(len(x), np.uint32)
    for i in range(len(x)):
        c = x[i]
        r[i] = c + 32 if _is_upper(c) else c
    return text(r)


def str_casefold(self):
    x = chars(self)
    return _asked(x, 2) if rare(not _is_ascii(x)) else str_lower(self)


def str_swapcase(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
        return _asked(x, 3)
    r = np.empty(len(x), np.uint32)
    for i in range(len(x)):
        c = x[i]
        r[i] = c ^ 32 if _is_alpha(c) else c
    return text(r)


def str_title(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
        return _asked(x, 4)
    r = np.empty(len(x), np.uint32)
    inside = False
    for i in range(len(x)):
        c = x[i]
        letter = _is_alpha(c)
        if letter:
            c = c | 32 if inside else c & ~np.uint32(32)
        inside = letter
        r[i] = c
    return text(r)


def str_capitalize(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
        return _asked(x, 5)
    r = np.empty(len(x), np.uint32)
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
    if rare(not _is_ascii(x)):
        return _tells(x, 6)
    for i in range(len(x)):
        if not _is_alpha(x[i]):
            return False
    return len(x) > 0


def str_isdigit(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
        return _tells(x, 7)
    for i in range(len(x)):
        if not _is_digit(x[i]):
            return False
    return len(x) > 0


def str_isdecimal(self):
    x = chars(self)
    return _tells(x, 8) if rare(not _is_ascii(x)) else str_isdigit(self)


def str_isnumeric(self):
    x = chars(self)
    return _tells(x, 9) if rare(not _is_ascii(x)) else str_isdigit(self)


def str_isalnum(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
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
    if rare(not _is_ascii(x)):
        return _tells(x, 11)
    some = False
    for i in range(len(x)):
        if _is_lower(x[i]):
            return False
        some |= _is_upper(x[i])
    return bool(some)


def str_islower(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
        return _tells(x, 12)
    some = False
    for i in range(len(x)):
        if _is_upper(x[i]):
            return False
        some |= _is_lower(x[i])
    return bool(some)


def str_istitle(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
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
    if rare(not _is_ascii(x)):
        return _tells(x, 14)
    for i in range(len(x)):
        c = x[i]
        if not (_is_alpha(c) or c == 95 or (i > 0 and _is_digit(c))):
            return False
    return len(x) > 0


def str_isprintable(self):
    x = chars(self)
    if rare(not _is_ascii(x)):
        return _tells(x, 15)
    for i in range(len(x)):
        if x[i] < 32 or x[i] > 126:
            return False
    return True


def str_isascii(self):
    return _is_ascii(chars(self))


# ---- searches


def _from(start, n):
    k = 0 if start is None else index_of(start)
    if k < 0:
        k = max(k + n, 0)
    return k


def _to(end, n):
    k = n if end is None else index_of(end)
    if k < 0:
        k = max(k + n, 0)
    return min(k, n)


def str_find(self, sub, start=None, end=None):
    x = chars(self)
    return _find(x, chars(sub), _from(start, len(x)), _to(end, len(x)))


def str_rfind(self, sub, start=None, end=None):
    x = chars(self)
    return _rfind(x, chars(sub), _from(start, len(x)), _to(end, len(x)))


def str_index(self, sub, start=None, end=None):
    k = str_find(self, sub, start, end)
    if k < 0:
        raise ValueError("substring not found")
    return k


def str_rindex(self, sub, start=None, end=None):
    k = str_rfind(self, sub, start, end)
    if k < 0:
        raise ValueError("substring not found")
    return k


def _count(x, y, lo, hi):
    m = len(y)
    if m == 0:
        return max(hi - lo + 1, 0)
    n = 0
    while True:
        lo = _find(x, y, lo, hi)
        if lo < 0:
            return n
        n += 1
        lo += m


def str_count(self, sub, start=None, end=None):
    x = chars(self)
    return _count(x, chars(sub), _from(start, len(x)), _to(end, len(x)))


def _begins(x, y, lo, hi):
    m = len(y)
    if lo > hi or hi - lo < m:
        return False
    for i in range(m):
        if x[lo + i] != y[i]:
            return False
    return True


def _begins_any(x, of, lo, hi):
    if len(of) == 0:
        return False
    return _begins(x, chars(of[0]), lo, hi) or _begins_any(x, of[1:], lo, hi)


def _ends_any(x, of, lo, hi):
    if len(of) == 0:
        return False
    y = chars(of[0])
    return (hi - len(y) >= lo and _begins(x, y, hi - len(y), hi)) or _ends_any(x, of[1:], lo, hi)


def str_startswith(self, prefix, start=None, end=None):
    x = chars(self)
    lo = _from(start, len(x))
    hi = _to(end, len(x))
    if isinstance(prefix, tuple):
        return _begins_any(x, prefix, lo, hi)
    return _begins(x, chars(prefix), lo, hi)


def str_endswith(self, suffix, start=None, end=None):
    x = chars(self)
    lo = _from(start, len(x))
    hi = _to(end, len(x))
    if isinstance(suffix, tuple):
        return _ends_any(x, suffix, lo, hi)
    y = chars(suffix)
    return lo <= hi and hi - len(y) >= lo and _begins(x, y, hi - len(y), hi)


def str_removeprefix(self, prefix):
    x = chars(self)
    y = chars(prefix)
    return text(x[len(y) :]) if _begins(x, y, 0, len(x)) else self


def str_removesuffix(self, suffix):
    x = chars(self)
    y = chars(suffix)
    k = len(x) - len(y)
    return text(x[:k]) if k >= 0 and _begins(x, y, k, len(x)) else self


# ---- ends and fields


def _is_among(c, of):
    if of is None:
        return _space(c)
    y = chars(of)
    for i in range(len(y)):
        if y[i] == c:
            return True
    return False


def _stripped(x, of, left, right):
    i = 0
    j = len(x)
    if left:
        while i < j and _is_among(x[i], of):
            i += 1
    if right:
        while j > i and _is_among(x[j - 1], of):
            j -= 1
    return text(x[i:j])


def str_strip(self, chars_=None):
    return _stripped(chars(self), chars_, True, True)


def str_lstrip(self, chars_=None):
    return _stripped(chars(self), chars_, True, False)


def str_rstrip(self, chars_=None):
    return _stripped(chars(self), chars_, False, True)


def _padded(x, left, right, fill):
    n = len(x)
    r = np.empty(left + n + right, np.uint32)
    for i in range(left):
        r[i] = fill
    for i in range(n):
        r[left + i] = x[i]
    for i in range(right):
        r[left + n + i] = fill
    return text(r)


def _fill_of(fillchar):
    y = chars(fillchar)
    if len(y) != 1:
        raise TypeError("The fill character must be exactly one character long")
    return y[0]


def str_ljust(self, width, fillchar=" "):
    fill = _fill_of(fillchar)
    more = index_of(width) - len(self)
    return _padded(chars(self), 0, more, fill) if more > 0 else self


def str_rjust(self, width, fillchar=" "):
    fill = _fill_of(fillchar)
    more = index_of(width) - len(self)
    return _padded(chars(self), more, 0, fill) if more > 0 else self


def str_center(self, width, fillchar=" "):
    fill = _fill_of(fillchar)
    w = index_of(width)
    more = w - len(self)
    if more <= 0:
        return self
    left = more // 2 + (more & w & 1)
    return _padded(chars(self), left, more - left, fill)


def str_zfill(self, width):
    x = chars(self)
    more = index_of(width) - len(x)
    if more <= 0:
        return self
    r = np.empty(len(x) + more, np.uint32)
    sign = 1 if len(x) > 0 and (x[0] == 43 or x[0] == 45) else 0
    for i in range(sign):
        r[i] = x[i]
    for i in range(more):
        r[sign + i] = 48
    for i in range(sign, len(x)):
        r[more + i] = x[i]
    return text(r)


def str_expandtabs(self, tabsize=8):
    x = chars(self)
    tab = index_of(tabsize)
    n = 0
    col = 0
    for i in range(len(x)):
        if x[i] == 9:
            more = tab - col % tab if tab > 0 else 0
            n += more
            col += more
        else:
            n += 1
            col = 0 if x[i] == 10 or x[i] == 13 else col + 1
    r = np.empty(n, np.uint32)
    k = 0
    col = 0
    for i in range(len(x)):
        if x[i] == 9:
            more = tab - col % tab if tab > 0 else 0
            for _ in range(more):
                r[k] = 32
                k += 1
            col += more
        else:
            r[k] = x[i]
            k += 1
            col = 0 if x[i] == 10 or x[i] == 13 else col + 1
    return text(r)


# ---- pieces


def str_split(self, sep=None, maxsplit=-1):
    x = chars(self)
    n = len(x)
    left = index_of(maxsplit)
    r = []
    i = 0
    if sep is None:
        while True:
            while i < n and _space(x[i]):
                i += 1
            if i == n:
                break
            j = i
            if left == 0:
                r.append(text(x[i:n]))
                break
            left -= 1
            while j < n and not _space(x[j]):
                j += 1
            r.append(text(x[i:j]))
            i = j
    else:
        y = chars(sep)
        if len(y) == 0:
            raise ValueError("empty separator")
        while True:
            j = _find(x, y, i, n) if left != 0 else -1
            if j < 0:
                break
            left -= 1
            r.append(text(x[i:j]))
            i = j + len(y)
        r.append(text(x[i:n]))
    return r


def str_rsplit(self, sep=None, maxsplit=-1):
    x = chars(self)
    left = index_of(maxsplit)
    r = []
    j = len(x)
    if sep is None:
        while True:
            while j > 0 and _space(x[j - 1]):
                j -= 1
            if j == 0:
                break
            i = j
            if left == 0:
                r.append(text(x[:j]))
                break
            left -= 1
            while i > 0 and not _space(x[i - 1]):
                i -= 1
            r.append(text(x[i:j]))
            j = i
    else:
        y = chars(sep)
        if len(y) == 0:
            raise ValueError("empty separator")
        while True:
            i = _rfind(x, y, 0, j) if left != 0 else -1
            if i < 0:
                break
            left -= 1
            r.append(text(x[i + len(y) : j]))
            j = i
        r.append(text(x[:j]))
    r.reverse()
    return r


def _ends_line(c):
    return (c >= 10 and c <= 13) or (c >= 28 and c <= 30) or c == 0x85 or c == 0x2028 or c == 0x2029


def str_splitlines(self, keepends=False):
    x = chars(self)
    n = len(x)
    r = []
    i = 0
    while i < n:
        j = i
        while j < n and not _ends_line(x[j]):
            j += 1
        end = j
        if j < n:
            j += 2 if x[j] == 13 and j + 1 < n and x[j + 1] == 10 else 1
        r.append(text(x[i : j if keepends else end]))
        i = j
    return r


def _length_of(sep, of):
    n = 0
    for s in of:
        n += len(s) + sep
    return n - sep if len(of) > 0 else 0


def _joined(sep, of):
    y = chars(sep)
    m = len(y)
    r = np.empty(_length_of(m, of), np.uint32)
    k = 0
    for s in of:
        x = chars(s)
        for i in range(len(x)):
            r[k + i] = x[i]
        k += len(x)
        if k < len(r):
            for i in range(m):
                r[k + i] = y[i]
            k += m
    return text(r)


def str_join(self, iterable):
    if isinstance(iterable, list):
        return _joined(self, iterable)
    return _joined(self, list(iterable))


def str_replace(self, old, new, count=-1):
    x = chars(self)
    y = chars(old)
    z = chars(new)
    n = len(x)
    left = index_of(count)
    if left < 0:
        left = n + 1
    times = min(_count(x, y, 0, n), left)
    if times == 0:
        return self
    r = np.empty(n + times * (len(z) - len(y)), np.uint32)
    i = 0
    k = 0
    for t in range(times):
        j = _find(x, y, i, n) if len(y) > 0 else t
        for c in range(i, j):
            r[k] = x[c]
            k += 1
        for c in range(len(z)):
            r[k + c] = z[c]
        k += len(z)
        i = j + len(y)
    for c in range(i, n):
        r[k] = x[c]
        k += 1
    return text(r)


def str_partition(self, sep):
    x = chars(self)
    y = chars(sep)
    if len(y) == 0:
        raise ValueError("empty separator")
    k = _find(x, y, 0, len(x))
    if k < 0:
        return self, text(x[:0]), text(x[:0])
    return text(x[:k]), sep, text(x[k + len(y) :])


def str_rpartition(self, sep):
    x = chars(self)
    y = chars(sep)
    if len(y) == 0:
        raise ValueError("empty separator")
    k = _rfind(x, y, 0, len(x))
    if k < 0:
        return text(x[:0]), text(x[:0]), self
    return text(x[:k]), sep, text(x[k + len(y) :])


# ---- texts of values


def _str_concat(of):
    """An f-string, of its parts."""
    r = np.empty(_length_all(of), np.uint32)
    _put_all(r, 0, of)
    return text(r)


def _length_all(of):
    if len(of) == 0:
        return 0
    return len(of[0]) + _length_all(of[1:])


def _put_all(r, k, of):
    if len(of) > 0:
        x = chars(of[0])
        for i in range(len(x)):
            r[k + i] = x[i]
        _put_all(r, k + len(x), of[1:])


def _of_int(v):
    """Digits from the last to the first."""
    r = np.empty(20, np.uint32)
    k = 20
    if isinstance(v, np.uint64):
        big = v
        while True:
            k -= 1
            r[k] = np.uint32(big % np.uint64(10)) + 48
            big //= np.uint64(10)
            if big == 0:
                break
        return text(r[k:])
    n = int(v)
    left = -n if n > 0 else n  # there is one more below 0
    while True:
        k -= 1
        q = (left + 9) // 10
        r[k] = 48 + 10 * q - left
        left = q
        if left == 0:
            break
    if n < 0:
        k -= 1
        r[k] = 45
    return text(r[k:])


def _formatted_int(v, spec):
    y = chars(spec)
    r = np.empty(64, np.uint32)
    n = _kernels.text_of_int(y, v, r)
    if n > len(r):
        r = np.empty(n, np.uint32)
        n = _kernels.text_of_int(y, v, r)
    if n < 0:
        raise MemoryError
    return text(r[:n])


def _formatted_float(v, spec):
    y = chars(spec)
    x = np.empty(1)
    x[0] = v
    r = np.empty(32, np.uint32)
    n = _kernels.text_of_float(x, y, r)
    if n > len(r):
        r = np.empty(n, np.uint32)
        n = _kernels.text_of_float(x, y, r)
    if n < 0:
        raise MemoryError
    return text(r[:n])


def _str_format(v, spec):
    if isinstance(v, str):
        return _laid_out(v, spec)
    if isinstance(v, (float, np.floating)):
        return _formatted_float(float(v), spec)
    return _formatted_int(int(v), spec)


def _laid_out(s, spec):
    """[[fill]align][width][.precision][s], which has been read when it was compiled."""
    x = chars(s)
    y = chars(spec)
    fill = np.uint32(32)
    align = np.uint32(60)
    k = 0
    if len(y) > 1 and (y[1] == 60 or y[1] == 62 or y[1] == 94):
        fill = y[0]
        align = y[1]
        k = 2
    elif len(y) > 0 and (y[0] == 60 or y[0] == 62 or y[0] == 94):
        align = y[0]
        k = 1
    if k < len(y) and y[k] == 48:
        if k == 0:
            fill = np.uint32(48)
        k += 1
    width = 0
    while k < len(y) and _is_digit(y[k]):
        width = width * 10 + int(y[k]) - 48
        k += 1
    if k < len(y) and y[k] == 46:
        k += 1
        most = 0
        while k < len(y) and _is_digit(y[k]):
            most = most * 10 + int(y[k]) - 48
            k += 1
        x = x[:most]
    more = max(width - len(x), 0)
    left = 0 if align == 60 else more if align == 62 else more // 2
    return _padded(x, left, more - left, fill)


def _str_of(v):
    if v is None:
        return "None"
    if isinstance(v, str):
        return v
    if isinstance(v, (bool, np.bool_)):
        return "True" if v else "False"
    if isinstance(v, (float, np.floating)):
        return _short(v)
    if isinstance(v, (int, np.integer)):
        return _of_int(v)
    return _str_repr(v)


def _short(v):
    return _formatted_float(float(v), "")


def _str_repr(v):
    if v is None:
        return "None"
    if isinstance(v, str):
        return _quoted(v)
    if isinstance(v, tuple):
        return _repr_tuple(v)
    if isinstance(v, list):
        return _repr_list(v)
    return _str_of(v)


def _repr_parts(v):
    if len(v) == 0:
        return ()
    return (_str_repr(v[0]), *_repr_parts(v[1:]))


def _repr_tuple(v):
    if len(v) == 1:
        return _str_concat(("(", _str_repr(v[0]), ",)"))
    return _str_concat(("(", str_join(", ", [*_repr_parts(v)]), ")"))


def _repr_list(v):
    return _str_concat(("[", str_join(", ", [_str_repr(e) for e in v]), "]"))


def _quoted(s):
    x = chars(s)
    plain = True
    for i in range(len(x)):
        if x[i] < 32 or x[i] > 126 or x[i] == 39 or x[i] == 92:
            plain = False
    if plain:
        return _str_concat(("'", s, "'"))
    r = np.empty(10 * len(x) + 2, np.uint32)
    n = _kernels.text_method(x, 16, r)
    if n < 0:
        raise MemoryError
    return text(r[:n])


def _str_note(s):
    n = _kernels.text_note(chars(s))
    if n < 0:
        raise MemoryError
    return n


def _str_note_repr(s):
    return _str_note(_quoted(s))


# ---- numbers from texts


def _str_int(s, base):
    x = chars(s)
    n = len(x)
    by = 10 if base is None else index_of(base)
    i = 1 if n > 0 and (x[0] == 45 or x[0] == 43) else 0
    if by == 10 and n > i and n - i <= 18:
        v = 0
        fine = True
        for k in range(i, n):
            fine &= _is_digit(x[k])
            v = v * 10 + int(x[k]) - 48
        if fine:
            return -v if x[0] == 45 else v
    r = np.empty(1, np.int64)
    if by != 0 and (by < 2 or by > 36):
        raise ValueError("int() base must be >= 2 and <= 36, or 0")
    status = _kernels.text_int(x, by, r)
    if status == 1:
        raise ValueError(f"invalid literal for int() with base {by}: {s!r}")
    if status == 2:
        raise OverflowError("Python int too large to convert to C long")
    if status < 0:
        raise MemoryError
    return int(r[0])


def _str_float(s):
    r = np.empty(1)
    status = _kernels.text_float(chars(s), r)
    if status == 1:
        raise ValueError(f"could not convert string to float: {s!r}")
    if status < 0:
        raise MemoryError
    return float(r[0])
