# SPDX-License-Identifier: BSD-3-Clause
"""str: its code points are an array that nobody changes, so that a slice is a view of it. What
bytes do alike is here, too: chars() of bytes is an array of uint8.

`s[i]`, len and iteration are the compiler's own (`lower/text.c`), and so is the choice of a helper
for an operator or a comparison. Here are these helpers and the methods; those that look at each
character by itself are in characters.py.
"""

# ruff: noqa: SIM110

import numpy as np

from swathe import _kernels, static_fail
from swathe._objects import alike, chars, index_of, longer, paste, text
from swathe.lib.characters import _space

MOST = 1 << 58  # characters, at most
APPENDED = 32  # from so many on, what is added is put behind them where there is room


# ---- operators


def _str_eq(a, b):
    x = chars(a)
    y = chars(b)
    n = len(y)  # b is more often a constant
    return len(x) == n and alike(x, y, n)


def _str_own(a):
    """In memory of its own, for an object that may outlive the code whose constant it is."""
    x = chars(a)
    r = np.empty(len(x), x.dtype)
    paste(r, 0, x)
    return text(r)


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
    if n < APPENDED or isinstance(a, bytes):
        return text(_both(x, y, n + m))
    room = _kernels.text_append(x, y)
    if room == 1:
        return text(longer(x, m))
    r = _both(x, y, 2 * (n + m) if room == 2 else n + m)
    _kernels.text_appended(r, n + m)
    return text(r[: n + m])


def _both(x, y, size):
    r = np.empty(size, x.dtype)
    paste(r, 0, x)
    paste(r, len(x), y)
    return r


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
    r = np.empty(n * times, x.dtype)
    paste(r, 0, x)
    done = n
    while done < len(r):
        more = min(done, len(r) - done)
        paste(r, done, r[:more])
        done += more
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
    while m == 1 and i < hi:
        if x[i] == first:
            return i
        i += 1
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


def _byte_in(a, b):
    y = chars(b)
    return _find(y, _needle(y, a), 0, len(y)) >= 0


def _needle(x, sub):
    """What is looked for in x: bytes may be asked for a number."""
    if isinstance(sub, (int, np.integer)):
        if x.dtype != np.uint8:
            static_fail("must be str, not int", True)
        given = np.empty(1, np.int64)  # not known: what is sure to raise would have no type
        given[0] = index_of(sub)
        if given[0] < 0 or given[0] > 255:
            raise ValueError("byte must be in range(0, 256)")
        return given.astype(np.uint8)
    y = chars(sub)
    if x.dtype != y.dtype:
        static_fail("a str in bytes, or bytes in a str, can't be asked for", True)
    return y


def _not_found(x):
    if x.dtype == np.uint8:
        raise ValueError("subsection not found")
    raise ValueError("substring not found")


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
    return _find(x, _needle(x, sub), _from(start, len(x)), _to(end, len(x)))


def str_rfind(self, sub, start=None, end=None):
    x = chars(self)
    return _rfind(x, _needle(x, sub), _from(start, len(x)), _to(end, len(x)))


def str_index(self, sub, start=None, end=None):
    k = str_find(self, sub, start, end)
    if k < 0:
        _not_found(chars(self))
    return k


def str_rindex(self, sub, start=None, end=None):
    k = str_rfind(self, sub, start, end)
    if k < 0:
        _not_found(chars(self))
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
    return _count(x, _needle(x, sub), _from(start, len(x)), _to(end, len(x)))


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


def _char_among(c, y):
    for i in range(len(y)):
        if y[i] == c:
            return True
    return False


def _stripped_of(x, y, left, right):
    i = 0
    j = len(x)
    if left:
        while i < j and _char_among(x[i], y):
            i += 1
    if right:
        while j > i and _char_among(x[j - 1], y):
            j -= 1
    return text(x[i:j])


def _stripped(x, of, left, right):
    if of is not None:
        return _stripped_of(x, chars(of), left, right)
    i = 0
    j = len(x)
    if left:
        while i < j and _space(x[i]):
            i += 1
    if right:
        while j > i and _space(x[j - 1]):
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
    r = np.empty(left + n + right, x.dtype)
    for i in range(left):
        r[i] = fill
    paste(r, left, x)
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
    r = np.empty(len(x) + more, x.dtype)
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
    r = np.empty(n, x.dtype)
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


def _words(x, left):
    n = len(x)
    r = []
    i = 0
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
    return r


def _parts(x, y, left):
    """What stands between y in x: of one separator as of another, so that all share one unit."""
    n = len(x)
    r = []
    i = 0
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


def str_split(self, sep=None, maxsplit=-1):
    x = chars(self)
    left = index_of(maxsplit)
    if sep is None:
        return _words(x, left)
    return _parts(x, chars(sep), left)


def _word_begin(s, at):
    """Where the next word begins, from a place on; len(s) where there is none."""
    x = chars(s)
    n = len(x)
    i = at
    while i < n and _space(x[i]):
        i += 1
    return i


def _word_end(s, at):
    x = chars(s)
    n = len(x)
    i = at + 1
    while i < n and not _space(x[i]):
        i += 1
    return i


def _part_end(s, sep, at):
    """Where the next separator begins, or len(s)."""
    x = chars(s)
    i = _find(x, chars(sep), at, len(x))
    return i if i >= 0 else len(x)


def _last_words(x, left):
    r = []
    j = len(x)
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
    r.reverse()
    return r


def _last_parts(x, y, left):
    r = []
    j = len(x)
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


def str_rsplit(self, sep=None, maxsplit=-1):
    x = chars(self)
    left = index_of(maxsplit)
    if sep is None:
        return _last_words(x, left)
    return _last_parts(x, chars(sep), left)


def _ends_line(c):
    if isinstance(c, np.uint8):
        return c == 10 or c == 13
    return (c >= 10 and c <= 13) or (c >= 28 and c <= 30) or c == 0x85 or c == 0x2028 or c == 0x2029


def str_splitlines(self, keepends=False):
    x = chars(self)
    r = []
    i = 0
    while i < len(x):
        end = _line_end(self, i)
        j = _line_behind(self, end)
        r.append(text(x[i : j if keepends else end]))
        i = j
    return r


def _line_end(s, at):
    """Where what ends the line begins, or len(s)."""
    x = chars(s)
    n = len(x)
    j = at
    while j < n and not _ends_line(x[j]):
        j += 1
    return j


def _line_behind(s, end):
    x = chars(s)
    n = len(x)
    if end >= n:
        return n
    return end + 2 if x[end] == 13 and end + 1 < n and x[end + 1] == 10 else end + 1


def _length_of(sep, of):
    n = 0
    for s in of:
        n += len(s) + sep
    return n - sep if len(of) > 0 else 0


def _joined(sep, of):
    y = chars(sep)
    m = len(y)
    r = np.empty(_length_of(m, of), y.dtype)
    k = 0
    for s in of:
        x = chars(s)
        paste(r, k, x)
        k += len(x)
        if k < len(r):
            if m == 1:
                r[k] = y[0]
            else:
                paste(r, k, y)
            k += m
    return text(r)


def str_join(self, iterable):
    if isinstance(iterable, list):
        return _joined(self, iterable)
    return _joined(self, list(iterable))


def _replaced(self, y, z, left):
    x = chars(self)
    n = len(x)
    if left < 0:
        left = n + 1
    times = min(_count(x, y, 0, n), left)
    if times == 0:
        return self
    r = np.empty(n + times * (len(z) - len(y)), x.dtype)
    i = 0
    k = 0
    for t in range(times):
        j = _find(x, y, i, n) if len(y) > 0 else t
        for c in range(i, j):
            r[k] = x[c]
            k += 1
        paste(r, k, z)
        k += len(z)
        i = j + len(y)
    for c in range(i, n):
        r[k] = x[c]
        k += 1
    return text(r)


def str_replace(self, old, new, count=-1):
    return _replaced(self, chars(old), chars(new), index_of(count))


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
