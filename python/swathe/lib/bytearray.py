# SPDX-License-Identifier: BSD-3-Clause
"""bytearray: a list (list.py) whose ints lie in a column of bytes, where what a store puts there is
tested. What asks about bytes sees them where they are, as bytes that last no longer than the
function; what is yielded is copied."""

from array import array

import numpy as np

from swathe import static_fail
from swathe._objects import chars, column, index_of, same, set_word, text
from swathe.lib.bytes import _bytes_of, bytes_decode, bytes_hex, bytes_translate, str_encode
from swathe.lib.list import (
    _list_bounds,
    _list_cut,
    _list_delslice,
    _list_imul,
    _list_is,
    _list_replace,
    _list_reserve,
    _list_slice,
    list_append,
    list_insert,
    list_reverse,
)
from swathe.lib.texts import _str_repr

# ---- between bytes and bytearrays


def _as_bytes(v):
    if isinstance(v, bytearray):
        return text(chars(v))
    return v.tobytes() if isinstance(v, (array, memoryview)) else v


def _made(v):
    """A new one of some bytes."""
    r = bytearray()
    _put_behind(r, chars(v))
    return r


def _made_all(v):
    return [_made(x) for x in v]


def _put_behind(self, x):
    n = len(self)
    m = len(x)
    if m > 0:
        _list_reserve(self, n + m)
        column(self, 0)[n : n + m] = x
        set_word(self, 0, n + m)


def _bytearray_of(source):
    if isinstance(source, (bytes, bytearray)):
        return _made(source)
    if source is None:
        static_fail("cannot convert 'NoneType' object to bytearray", True)
    if isinstance(source, (float, np.floating)):
        static_fail("cannot convert 'float' object to bytearray", True)
    if isinstance(source, (int, np.integer, np.ndarray, array, memoryview)):
        return _made(_bytes_of(source))
    if isinstance(source, (list, tuple, range)):
        return _array_of_ints(source)
    return _array_of_ints(list(source))


def _array_of_ints(v):
    r = bytearray()
    for k in v:
        list_append(r, k)
    return r


def _bytearray_encoded(source, encoding="utf-8", errors="strict"):
    return _made(str_encode(source, encoding, errors))


def _bytes_plus(a, b):
    x = chars(a)
    y = chars(b)
    r = np.empty(len(x) + len(y), np.uint8)
    r[: len(x)] = x
    r[len(x) :] = y
    return text(r)


# ---- operators


def _bytearray_add(a, b):
    r = _made(a)
    _put_behind(r, chars(b))
    return r


def _bytearray_iadd(self, other):
    if isinstance(other, (array, memoryview)):
        other = other.tobytes()
    if not isinstance(other, (bytes, bytearray)):
        static_fail("can't concat what is neither bytes nor a bytearray to a bytearray", True)
    if isinstance(other, bytearray):
        _no_exports(self, other)
    _put_behind(self, chars(other))


def _no_exports(self, other):
    """CPython can't make room in what it is reading."""
    if same(self, other) and len(self) > 0:
        raise BufferError("Existing exports of data: object cannot be re-sized")


def _bytearray_repeat(self, by):
    return _made(_as_bytes(self) * index_of(by))


def _bytearray_imul(self, by):
    _list_imul(self, by)


def _bytearray_contains(self, v):
    return v in _as_bytes(self) if not isinstance(v, bytearray) else _as_bytes(v) in _as_bytes(self)


def _bytearray_lacks(self, v):
    return not _bytearray_contains(self, v)


def _bytearray_is(self, other):
    return _list_is(self, other)


def _bytearray_is_not(self, other):
    return not _list_is(self, other)


def _bytearray_eq(a, b):
    return _as_bytes(a) == _as_bytes(b)


def _bytearray_ne(a, b):
    return _as_bytes(a) != _as_bytes(b)


def _bytearray_lt(a, b):
    return _as_bytes(a) < _as_bytes(b)


def _bytearray_le(a, b):
    return _as_bytes(a) <= _as_bytes(b)


def _bytearray_gt(a, b):
    return _as_bytes(a) > _as_bytes(b)


def _bytearray_ge(a, b):
    return _as_bytes(a) >= _as_bytes(b)


def _bytearray_print(self):
    print(_str_repr(self), end="")


# ---- parts


def _bytearray_slice(self, start, stop, step):
    return _list_slice(self, start, stop, step)


def _bytearray_setslice(self, start, stop, step, values):
    if isinstance(values, (int, np.integer)):
        static_fail("can assign only bytes, buffers, or iterables of ints in range(0, 256)", True)
    other = _bytearray_of(values)  # of itself, too
    first, by, count = _list_bounds(len(self), start, stop, step)
    if by == 1:
        _list_replace(self, first, count, other)
        return
    if len(other) == 0:
        _list_delslice(self, start, stop, step)
        return
    if len(other) != count:
        raise ValueError(
            f"attempt to assign bytes of size {len(other)} to extended slice of size {count}"
        )
    x = column(self, 0)
    y = chars(other)
    for i in range(count):
        x[first + i * by] = y[i]


def _bytearray_delslice(self, start, stop, step):
    _list_delslice(self, start, stop, step)


def _bytearray_take(self, index, none):
    n = len(self)
    i = index_of(index)
    if i < 0:
        i += n
    if i < 0 or i >= n:
        raise IndexError("pop index out of range" if none else "bytearray index out of range")
    x = column(self, 0)
    v = int(x[i])
    for k in range(i, n - 1):
        x[k] = x[k + 1]
    set_word(self, 0, n - 1)
    return v


def _bytearray_delitem(self, index):
    _bytearray_take(self, index, False)


# ---- methods of lists


def bytearray_append(self, v):
    list_append(self, v)


def bytearray_extend(self, other):
    if isinstance(other, (bytes, bytearray, memoryview)):
        _bytearray_iadd(self, other)
    elif isinstance(other, (int, float, np.integer, np.floating)):
        static_fail("can't extend bytearray with a number", True)
    else:
        _put_behind(self, chars(_bytearray_of(other)))  # all of it or nothing


def bytearray_insert(self, index, v):
    k = index_of(v)
    if k < 0 or k > 255:
        raise ValueError("byte must be in range(0, 256)")
    list_insert(self, index, k)


def bytearray_pop(self, index=-1):
    if len(self) == 0:
        raise IndexError("pop from empty bytearray")
    return _bytearray_take(self, index, True)


def bytearray_remove(self, v):
    k = index_of(v)
    if k < 0 or k > 255:
        raise ValueError("byte must be in range(0, 256)")
    x = chars(self)
    for i in range(len(x)):
        if x[i] == k:
            _bytearray_take(self, i, False)
            return
    raise ValueError("value not found in bytearray")


def bytearray_clear(self):
    _list_cut(self, 0)


def bytearray_reverse(self):
    list_reverse(self)


def bytearray_copy(self):
    return _made(self)


# ---- methods of bytes


def bytearray_hex(self, sep=None, bytes_per_sep=1):
    return bytes_hex(_as_bytes(self), sep, bytes_per_sep)


def bytearray_decode(self, encoding="utf-8", errors="strict"):
    return bytes_decode(bytes(self), encoding, errors)


def bytearray_translate(self, table, delete=b""):
    return _made(bytes_translate(_as_bytes(self), _as_bytes(table), _as_bytes(delete)))


def bytearray_join(self, iterable):
    return _made(_as_bytes(self).join(iterable))


def bytearray_find(self, sub, start=None, end=None):
    return _as_bytes(self).find(sub, start, end)


def bytearray_rfind(self, sub, start=None, end=None):
    return _as_bytes(self).rfind(sub, start, end)


def bytearray_index(self, sub, start=None, end=None):
    return _as_bytes(self).index(sub, start, end)


def bytearray_rindex(self, sub, start=None, end=None):
    return _as_bytes(self).rindex(sub, start, end)


def bytearray_count(self, sub, start=None, end=None):
    return _as_bytes(self).count(sub, start, end)


def bytearray_startswith(self, prefix, start=None, end=None):
    return _as_bytes(self).startswith(prefix, start, end)


def bytearray_endswith(self, suffix, start=None, end=None):
    return _as_bytes(self).endswith(suffix, start, end)


def bytearray_upper(self):
    return _made(_as_bytes(self).upper())


def bytearray_lower(self):
    return _made(_as_bytes(self).lower())


def bytearray_swapcase(self):
    return _made(_as_bytes(self).swapcase())


def bytearray_title(self):
    return _made(_as_bytes(self).title())


def bytearray_capitalize(self):
    return _made(_as_bytes(self).capitalize())


def bytearray_isalpha(self):
    return _as_bytes(self).isalpha()


def bytearray_isdigit(self):
    return _as_bytes(self).isdigit()


def bytearray_isalnum(self):
    return _as_bytes(self).isalnum()


def bytearray_isspace(self):
    return _as_bytes(self).isspace()


def bytearray_isupper(self):
    return _as_bytes(self).isupper()


def bytearray_islower(self):
    return _as_bytes(self).islower()


def bytearray_istitle(self):
    return _as_bytes(self).istitle()


def bytearray_isascii(self):
    return _as_bytes(self).isascii()


def bytearray_removeprefix(self, prefix):
    return _made(_as_bytes(self).removeprefix(prefix))


def bytearray_removesuffix(self, suffix):
    return _made(_as_bytes(self).removesuffix(suffix))


def bytearray_strip(self, chars_=None):
    return _made(_as_bytes(self).strip(chars_))


def bytearray_lstrip(self, chars_=None):
    return _made(_as_bytes(self).lstrip(chars_))


def bytearray_rstrip(self, chars_=None):
    return _made(_as_bytes(self).rstrip(chars_))


def bytearray_ljust(self, width, fillchar=b" "):
    return _made(_as_bytes(self).ljust(width, fillchar))


def bytearray_rjust(self, width, fillchar=b" "):
    return _made(_as_bytes(self).rjust(width, fillchar))


def bytearray_center(self, width, fillchar=b" "):
    return _made(_as_bytes(self).center(width, fillchar))


def bytearray_zfill(self, width):
    return _made(_as_bytes(self).zfill(width))


def bytearray_expandtabs(self, tabsize=8):
    return _made(_as_bytes(self).expandtabs(tabsize))


def bytearray_split(self, sep=None, maxsplit=-1):
    return _made_all(_as_bytes(self).split(sep, maxsplit))


def bytearray_rsplit(self, sep=None, maxsplit=-1):
    return _made_all(_as_bytes(self).rsplit(sep, maxsplit))


def bytearray_splitlines(self, keepends=False):
    return _made_all(_as_bytes(self).splitlines(keepends))


def bytearray_replace(self, old, new, count=-1):
    return _made(_as_bytes(self).replace(old, new, count))


def bytearray_partition(self, sep):
    a, b, c = _as_bytes(self).partition(sep)
    return _made(a), _made(b), _made(c)


def bytearray_rpartition(self, sep):
    a, b, c = _as_bytes(self).rpartition(sep)
    return _made(a), _made(b), _made(c)
