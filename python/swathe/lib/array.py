# SPDX-License-Identifier: BSD-3-Clause
"""array.array: a list (list.py) whose numbers lie in a column of the typecode's dtype, where what a
store puts there is tested."""

from array import array

import numpy as np

from swathe import static_fail
from swathe._objects import at, chars, column, new, put, set_word, text
from swathe.lib.list import (
    _list_bounds,
    _list_contains,
    _list_cut,
    _list_delslice,
    _list_eq,
    _list_imul,
    _list_is,
    _list_le,
    _list_lt,
    _list_repeat,
    _list_replace,
    _list_reserve,
    _list_slice,
    _list_take,
    list_append,
    list_reverse,
)
from swathe.lib.texts import _str_repr


def _array_made(typecode, initializer):
    r = array(typecode)
    if initializer is None:
        static_fail("'NoneType' object is not iterable", True)
    elif isinstance(initializer, (bytes, bytearray)):
        array_frombytes(r, initializer)
    elif isinstance(initializer, str):
        static_fail(
            "cannot use a str to initialize an array with typecode '" + typecode + "'", True
        )
    elif isinstance(initializer, array):
        for k in range(len(initializer)):
            list_append(r, at(initializer, 0, k))
    else:
        for v in initializer:
            list_append(r, v)
    return r


def _array_view(self, dtype):
    """What NumPy makes of one: it is where it was."""
    return column(self, 0)[: len(self)]


def _array_copy(self, dtype):
    """np.array of one."""
    return np.array(column(self, 0)[: len(self)], dtype)


def _array_put_behind(self, other):
    n = len(self)
    m = len(other)  # of itself, too: what is there now
    if m > 0:
        _list_reserve(self, n + m)
        x = column(self, 0)
        y = column(other, 0)
        for k in range(m):
            x[n + k] = y[k]
        set_word(self, 0, n + m)


# ---- operators


def _array_add(a, b):
    if a.typecode != b.typecode:
        static_fail("bad argument type for built-in operation: arrays of one typecode", True)
    r = new(a)
    _list_reserve(r, len(a) + len(b))
    _array_put_behind(r, a)
    _array_put_behind(r, b)
    return r


def _array_iadd(self, other):
    if not isinstance(other, array):
        static_fail("can only extend array with array", True)
    array_extend(self, other)


def _array_repeat(self, by):
    return _list_repeat(self, by)


def _array_imul(self, by):
    _list_imul(self, by)


def _array_contains(self, v):
    return _list_contains(self, v)


def _array_lacks(self, v):
    return not _list_contains(self, v)


def _array_is(self, other):
    return _list_is(self, other)


def _array_is_not(self, other):
    return not _list_is(self, other)


def _array_eq(a, b):
    return _list_eq(a, b)


def _array_ne(a, b):
    return not _list_eq(a, b)


def _array_lt(a, b):
    return _list_lt(a, b)


def _array_le(a, b):
    return _list_le(a, b)


def _array_gt(a, b):
    return _list_lt(b, a)


def _array_ge(a, b):
    return _list_le(b, a)


def _array_print(self):
    print(_str_repr(self), end="")


# ---- parts


def _array_slice(self, start, stop, step):
    return _list_slice(self, start, stop, step)


def _array_setslice(self, start, stop, step, values):
    if not isinstance(values, array):
        static_fail("can only assign array to array slice", True)
    if self.typecode != values.typecode:
        static_fail("bad argument type for built-in operation: arrays of one typecode", True)
    other = _list_slice(values, None, None, None)  # of itself, too
    first, by, count = _list_bounds(len(self), start, stop, step)
    if by == 1:
        _list_replace(self, first, count, other)
    elif len(other) == 0:
        _list_delslice(self, start, stop, step)
    else:
        if len(other) != count:
            raise ValueError(
                f"attempt to assign array of size {len(other)} to extended slice of size {count}"
            )
        for i in range(count):
            put(self, 0, first + i * by, at(other, 0, i))


def _array_delslice(self, start, stop, step):
    _list_delslice(self, start, stop, step)


def _array_delitem(self, index):
    n = len(self)
    i = index + n if index < 0 else index
    if i < 0 or i >= n:
        raise IndexError("array assignment index out of range")
    _list_take(self, i)


# ---- methods


def array_append(self, v):
    list_append(self, v)


def array_extend(self, other):
    if isinstance(other, array):
        if self.typecode != other.typecode:
            static_fail("can only extend with array of same kind", True)
        _array_put_behind(self, other)
    else:
        for v in other:
            list_append(self, v)


def array_insert(self, index, v):
    list_append(self, v)  # which looks at it before anything moves
    n = len(self) - 1
    i = max(index + n, 0) if index < 0 else index
    last = at(self, 0, n)
    for k in range(n, i, -1):
        put(self, 0, k, at(self, 0, k - 1))
    if i < n:
        put(self, 0, i, last)


def array_pop(self, index=-1):
    n = len(self)
    if n == 0:
        raise IndexError("pop from empty array")
    i = index + n if index < 0 else index
    if i < 0 or i >= n:
        raise IndexError("pop index out of range")
    return _list_take(self, i)


def array_remove(self, v):
    for i in range(len(self)):
        if at(self, 0, i) == v:
            _list_take(self, i)
            return
    raise ValueError("array.remove(x): x not in array")


def array_index(self, v, start=0, stop=9223372036854775807):
    n = len(self)
    i = max(start + n, 0) if start < 0 else start
    e = stop + n if stop < 0 else stop
    for k in range(i, min(e, n)):
        if at(self, 0, k) == v:
            return k
    raise ValueError("array.index(x): x not in array")


def array_count(self, v):
    r = 0
    for k in range(len(self)):
        if at(self, 0, k) == v:
            r += 1
    return r


def array_reverse(self):
    list_reverse(self)


def array_tolist(self):
    return [v for v in self]  # noqa: C416 (of an object that only compiled code has)


def array_fromlist(self, other):
    if not isinstance(other, list):
        static_fail("arg must be list", True)
    n = len(self)
    try:
        for v in other:
            list_append(self, v)
    except OverflowError:
        _list_cut(self, n)
        raise


def array_tobytes(self):
    return text(column(self, 0)[: len(self)].copy().view(np.uint8))


def array_frombytes(self, buffer):
    if not isinstance(buffer, (bytes, bytearray)):
        static_fail("a bytes-like object is required", True)
    x = chars(buffer)
    n = len(self)
    size = self.itemsize
    m = len(x) // size
    if m * size != len(x):
        raise ValueError("bytes length not a multiple of item size")
    if m > 0:
        _list_reserve(self, n + m)
        to = column(self, 0)[n : n + m].view(np.uint8)
        for k in range(len(x)):
            to[k] = x[k]
        set_word(self, 0, n + m)


def array_byteswap(self):
    size = self.itemsize
    x = column(self, 0)[: len(self)].view(np.uint8)
    for i in range(0, len(x), size):
        for k in range(size // 2):
            v = x[i + k]
            x[i + k] = x[i + size - 1 - k]
            x[i + size - 1 - k] = v
