# SPDX-License-Identifier: BSD-3-Clause
"""list: how many elements there are, and columns (group 0) that grow by half when they are full.

`x[i]`, len, iteration and displays are the compiler's own (`lower/heap.c`); all else is here,
compiled with the function that uses it. Indices are tested here: `at`, `put` and `clear` test
nothing.
"""

import sys
from array import array

import numpy as np

from swathe import _kernels
from swathe._objects import (
    at,
    chars,
    clear,
    column,
    fill,
    grow,
    hash_of,
    index_of,
    is_object,
    may_be_none,
    new,
    put,
    rare,
    room,
    same,
    same_class,
    set_word,
)

_SAYS = "iterable argument is empty" if sys.version_info >= (3, 12) else "arg is an empty sequence"
_NO_MAX, _NO_MIN = f"max() {_SAYS}", f"min() {_SAYS}"


def list_append(self, v):
    n = len(self)
    if rare(n >= room(self, 0)):
        grow(self, 0, n + (n >> 1) + 8)
    fill(self, 0, n, v)
    set_word(self, 0, n + 1)


def _list_reserve(self, n):
    """Room for n elements in all; a list that grows again and again has more."""
    if n > room(self, 0):
        grow(self, 0, max(n, len(self) + (len(self) >> 1)))


def _list_cut(self, n):
    """Only the first n elements stay."""
    old = len(self)
    set_word(self, 0, n)
    for i in range(n, old):
        clear(self, 0, i)


def list_extend(self, other):
    if same_class(self, other):
        m = len(other)  # of itself, too: what is there now
        n = len(self)
        _list_reserve(self, n + m)
        for i in range(m):
            put(self, 0, n + i, at(other, 0, i))
        set_word(self, 0, n + m)
    else:
        for v in other:
            k = len(self)
            if rare(k >= room(self, 0)):
                grow(self, 0, k + (k >> 1) + 8)
            fill(self, 0, k, v)
            set_word(self, 0, k + 1)


def _list_iadd(self, other):
    list_extend(self, other)


def list_copy(self):
    r = new(self)
    list_extend(r, self)
    return r


def _list_add(self, other):
    r = new(self)
    _list_reserve(r, len(self) + len(other))
    list_extend(r, self)
    list_extend(r, other)
    return r


def _list_add_none(self, other):
    """Where elements of the other one alone may be None."""
    r = new(other)
    _list_reserve(r, len(self) + len(other))
    list_extend(r, self)
    list_extend(r, other)
    return r


def _list_repeat(self, by):
    times = index_of(by)
    r = new(self)
    n = len(self)
    if times > 0 and n > 0:
        if times > (1 << 56) // n:
            raise MemoryError
        grow(r, 0, n * times)
        if n == 1:
            v = at(self, 0, 0)
            for k in range(times):
                put(r, 0, k, v)
        else:
            for k in range(times):
                for i in range(n):
                    put(r, 0, k * n + i, at(self, 0, i))
        set_word(r, 0, n * times)
    return r


def _list_imul(self, by):
    times = index_of(by)
    n = len(self)
    if times <= 0:
        _list_cut(self, 0)
    elif n > 0:
        if times > (1 << 56) // n:
            raise MemoryError
        _list_reserve(self, n * times)
        for k in range(1, times):
            for i in range(n):
                put(self, 0, k * n + i, at(self, 0, i))
        set_word(self, 0, n * times)


def list_insert(self, index, v):
    n = len(self)
    i = index_of(index)
    if i < 0:
        i = max(i + n, 0)
    i = min(i, n)
    _list_reserve(self, n + 1)
    for k in range(n, i, -1):
        put(self, 0, k, at(self, 0, k - 1))
    put(self, 0, i, v)
    set_word(self, 0, n + 1)


def _list_take(self, i):
    """What was at a place that is there; those behind it move up."""
    n = len(self)
    v = at(self, 0, i)
    for k in range(i, n - 1):
        put(self, 0, k, at(self, 0, k + 1))
    clear(self, 0, n - 1)
    set_word(self, 0, n - 1)
    return v


def list_pop(self, index=...):
    n = len(self)
    if n == 0:
        raise IndexError("pop from empty list")
    if index is ...:
        v = at(self, 0, n - 1)
        clear(self, 0, n - 1)
        set_word(self, 0, n - 1)
        return v
    else:
        i = index_of(index)
        if i < 0:
            i += n
        if i < 0 or i >= n:
            raise IndexError("pop index out of range")
        return _list_take(self, i)


def _list_delitem(self, index):
    n = len(self)
    i = index_of(index)
    if i < 0:
        i += n
    if i < 0 or i >= n:
        raise IndexError("list assignment index out of range")
    _list_take(self, i)


def list_remove(self, v):
    for i in range(len(self)):
        if at(self, 0, i) == v:
            _list_take(self, i)
            return
    raise ValueError("list.remove(x): x not in list")


def list_clear(self):
    _list_cut(self, 0)


def list_index(self, v, start=0, stop=9223372036854775807):
    n = len(self)
    i = index_of(start)
    if i < 0:
        i = max(i + n, 0)
    e = index_of(stop)
    if e < 0:
        e += n
    for k in range(i, min(e, n)):
        if at(self, 0, k) == v:
            return k
    if isinstance(self, tuple):
        raise ValueError("tuple.index(x): x not in tuple")
    else:
        raise ValueError("list.index(x): x not in list")


def list_count(self, v):
    r = 0
    for k in range(len(self)):
        if at(self, 0, k) == v:
            r += 1
    return r


def list_reverse(self):
    n = len(self)
    for i in range(n // 2):
        v = at(self, 0, i)
        put(self, 0, i, at(self, 0, n - 1 - i))
        put(self, 0, n - 1 - i, v)


def _list_contains(self, v):
    return any(at(self, 0, k) == v for k in range(len(self)))


def _list_lacks(self, v):
    return not _list_contains(self, v)


def _maybe_eq(a, b):
    """Of lists and dicts, one of which may be None."""
    if a is None or b is None:
        return a is None and b is None
    return a == b


def _maybe_ne(a, b):
    return not _maybe_eq(a, b)


def _maybe_is(a, b):
    if a is None or b is None:
        return a is None and b is None
    return a is b


def _maybe_is_not(a, b):
    return not _maybe_is(a, b)


def _list_is(self, other):
    return same(self, other)


def _list_is_not(self, other):
    return not same(self, other)


def _list_eq(self, other):
    if len(self) != len(other):
        return False
    return all(at(self, 0, k) == at(other, 0, k) for k in range(len(self)))


def _list_ne(self, other):
    return not _list_eq(self, other)


def _eq_parts(self, t, first):
    n = len(t)
    if n == 0:
        return True
    if n == 1:
        return at(self, 0, first) == t[0]
    return _eq_parts(self, t[: n // 2], first) and _eq_parts(self, t[n // 2 :], first + n // 2)


def _list_eq_fixed(self, t):
    """t: a list that cannot change, of elements of any types."""
    return len(self) == len(t) and _eq_parts(self, t, 0)


def _list_ne_fixed(self, t):
    return not _list_eq_fixed(self, t)


def _iter_contains(it, v):
    return any(x == v for x in it)


def _iter_lacks(it, v):
    return not _iter_contains(it, v)


def _fixed_contains(t, v):
    n = len(t)
    if n == 0:
        return False
    if n == 1:
        return t[0] == v
    return _fixed_contains(t[: n // 2], v) or _fixed_contains(t[n // 2 :], v)


def _fixed_lacks(t, v):
    return not _fixed_contains(t, v)


def _fill(r, t):
    n = len(t)
    if n == 1:
        if isinstance(t[0], list) and not is_object(t[0]):
            r.append(_list_passing(t[0], None))
        else:
            r.append(t[0])  # a list that can change stays the same one
    elif n > 1:
        _fill(r, t[: n // 2])
        _fill(r, t[n // 2 :])


def _list_passing(t, _):
    """Of a list that cannot change, one that nobody keeps."""
    if len(t) and isinstance(t[0], list):
        r = []
        _fill(r, t)
        return r
    return list(t)


def _list_lt(self, other):
    n = min(len(self), len(other))
    for k in range(n):
        if at(self, 0, k) != at(other, 0, k):
            return at(self, 0, k) < at(other, 0, k)
    return len(self) < len(other)


def _list_le(self, other):
    n = min(len(self), len(other))
    for k in range(n):
        if at(self, 0, k) != at(other, 0, k):
            return at(self, 0, k) <= at(other, 0, k)
    return len(self) <= len(other)


def _list_gt(self, other):
    return _list_lt(other, self)


def _list_ge(self, other):
    return _list_le(other, self)


def _list_bounds(n, start, stop, step):
    """Of a slice: where it begins, how far it is from element to element, how many there are."""
    by = 1
    if step is not None:
        by = max(index_of(step), -9223372036854775807)  # as its negative is needed
    if by == 0:
        raise ValueError("slice step cannot be zero")
    low = 0 if by > 0 else -1
    high = n if by > 0 else n - 1
    first = low if by > 0 else high
    if start is not None:
        first = index_of(start)
        if first < 0:
            first += n
        first = min(max(first, low), high)
    last = high if by > 0 else low
    if stop is not None:
        last = index_of(stop)
        if last < 0:
            last += n
        last = min(max(last, low), high)
    count = 0
    if by > 0 and first < last:
        count = (last - first - 1) // by + 1
    elif by < 0 and first > last:
        count = (first - last - 1) // -by + 1
    return first, by, count


def _list_slice(self, start, stop, step):
    first, by, count = _list_bounds(len(self), start, stop, step)
    r = new(self)
    if count > 0:
        grow(r, 0, count)
        for k in range(count):
            put(r, 0, k, at(self, 0, first + k * by))
        set_word(r, 0, count)
    return r


def _list_between(self, first, behind):
    """A new list of what stands from the first place on, without so many at the end."""
    n = len(self) - behind - first
    if isinstance(self, (bytearray, array)):
        return [at(self, 0, first + k) for k in range(n)]
    r = new(self)
    if n > 0:
        grow(r, 0, n)
        for k in range(n):
            put(r, 0, k, at(self, 0, first + k))
        set_word(r, 0, n)
    return r


def _list_delslice(self, start, stop, step):
    first, by, count = _list_bounds(len(self), start, stop, step)
    if count == 0:
        return
    if by < 0:
        first = first + (count - 1) * by
        by = -by
    n = len(self)
    to = first
    for i in range(first, n):
        off = i - first
        if off % by != 0 or off // by >= count:
            put(self, 0, to, at(self, 0, i))
            to += 1
    _list_cut(self, to)


def _list_replace(self, first, count, other):
    """The elements of another list stand where count others stood."""
    n = len(self)
    m = len(other)
    if m > count:
        _list_reserve(self, n + m - count)
        for i in range(n - 1, first + count - 1, -1):
            put(self, 0, i + m - count, at(self, 0, i))
        set_word(self, 0, n + m - count)
    elif m < count:
        for i in range(first + count, n):
            put(self, 0, i + m - count, at(self, 0, i))
        _list_cut(self, n + m - count)
    for i in range(m):
        put(self, 0, first + i, at(other, 0, i))


def _list_setslice(self, start, stop, step, values):
    other = new(self)
    list_extend(other, values)  # of itself, too
    first, by, count = _list_bounds(len(self), start, stop, step)
    if by == 1:
        _list_replace(self, first, count, other)
        return
    if len(other) != count:
        raise ValueError(
            f"attempt to assign sequence of size {len(other)} to extended slice of size {count}"
        )
    for i in range(count):
        put(self, 0, first + i * by, at(other, 0, i))


def _list_print(self):
    print("[", end="")
    for k in range(len(self)):
        if k > 0:
            print(", ", end="")
        print(f"{at(self, 0, k)!r}", end="")
    print("]", end="")


def _tuple_print(self):
    print("(", end="")
    for k in range(len(self)):
        if k > 0:
            print(", ", end="")
        print(f"{at(self, 0, k)!r}", end="")
    print(",)" if len(self) == 1 else ")", end="")


def _tuple_hash(self):
    h = np.uint64(len(self))
    for k in range(len(self)):
        h = (h ^ np.uint64(hash_of(self, at(self, 0, k)))) * np.uint64(0x9E3779B97F4A7C15)
    return int((h >> np.uint64(1)).astype(np.int64))


def _tuple_plus(a, b):
    """Of a tuple whose length is known and one of which only the run tells it."""
    return tuple([*a, *b])  # noqa: C409 (a display has a known length)


def _tuples_eq(a, b):
    return len(a) == len(b) and [*a] == [*b]


def _tuples_ne(a, b):
    return not _tuples_eq(a, b)


def _tuples_lt(a, b):
    return [*a] < [*b]


def _tuples_le(a, b):
    return [*a] <= [*b]


def _tuples_gt(a, b):
    return [*a] > [*b]


def _tuples_ge(a, b):
    return [*a] >= [*b]


def _list_array(self, dtype):
    """np.array of a list of numbers, or of tuples of them, which are rows."""
    return np.array([v for v in self], dtype)  # noqa: C416


def _range_array(self, dtype):
    """np.array of a range."""
    return np.arange(self.start, self.stop, self.step, dtype)


def _list_table(self, dtype):
    """np.array of a list of lists of numbers."""
    return np.array([[v for v in row] for row in self], dtype)  # noqa: C416


def _list_block(self, dtype):
    """np.array of a list of lists of lists of numbers."""
    return np.array([[[v for v in row] for row in rows] for rows in self], dtype)  # noqa: C416


def _comes_first(a, b, keyed):
    """Asked as Python's sort asks it: of keys alone, and by nothing but `<`."""
    return a[0] < b[0] if keyed else a < b


def _list_merge(a, b, lo, mid, hi, reverse, keyed):
    """b[lo:hi] is what the sorted a[lo:mid] and a[mid:hi] hold, in order and stable."""
    i = lo
    j = mid
    for k in range(lo, hi):
        if i >= mid:
            first = False
        elif j >= hi:
            first = True
        elif reverse:
            first = not _comes_first(at(a, 0, i), at(a, 0, j), keyed)
        else:
            first = not _comes_first(at(a, 0, j), at(a, 0, i), keyed)
        if first:
            put(b, 0, k, at(a, 0, i))
            i += 1
        else:
            put(b, 0, k, at(a, 0, j))
            j += 1


def _list_insertion(a, lo, hi, reverse, keyed):
    for i in range(lo + 1, hi):
        v = at(a, 0, i)
        k = i
        while k > lo and (
            _comes_first(at(a, 0, k - 1), v, keyed)
            if reverse
            else _comes_first(v, at(a, 0, k - 1), keyed)
        ):
            put(a, 0, k, at(a, 0, k - 1))
            k -= 1
        put(a, 0, k, v)


def _text_order(self):
    """Strings, by a kernel that sees all their characters."""
    n = len(self)
    ends = np.empty(n, np.int64)
    k = 0
    for i in range(n):
        k += len(at(self, 0, i))
        ends[i] = k
    points = np.empty(k, np.uint32)
    k = 0
    for i in range(n):
        x = chars(at(self, 0, i))
        for j in range(len(x)):
            points[k + j] = x[j]
        k += len(x)
    order = np.empty(n, np.int64)
    _kernels.text_order(points, ends, order)
    old = list_copy(self)
    for i in range(n):
        put(self, 0, i, at(old, 0, order[i]))


def _list_order(self, reverse):
    """Stable: runs of 16 by insertion, then merged two by two; numbers and strings by kernels."""
    n = len(self)
    if n > 16:
        first = at(self, 0, 0)
        if may_be_none(first):
            pass
        elif isinstance(first, str):
            if reverse:
                list_reverse(self)
            _text_order(self)
            if reverse:
                list_reverse(self)
            return
    if n > 64:
        first = at(self, 0, 0)
        if may_be_none(first):
            pass
        elif isinstance(first, (int, float, np.bool_, np.integer, np.floating)) and not isinstance(
            first, np.timedelta64
        ):
            if reverse:  # so that equal ones end as they stood
                list_reverse(self)
            _kernels.sort(column(self, 0)[:n])
            if reverse:
                list_reverse(self)
            return
    _list_merged(self, reverse, False)


def _list_merged(self, reverse, keyed):
    n = len(self)
    for lo in range(0, n, 16):
        _list_insertion(self, lo, min(lo + 16, n), reverse, keyed)
    if n > 16:
        other = new(self)
        grow(other, 0, n)
        width = 16
        while width < n:
            for lo in range(0, n, 2 * width):
                mid = min(lo + width, n)
                _list_merge(self, other, lo, mid, min(lo + 2 * width, n), reverse, keyed)
            for i in range(n):
                put(self, 0, i, at(other, 0, i))
            width *= 2


def _list_by_key(self, reverse, key):
    """Of a list that no key can see."""
    order = [(key(at(self, 0, i)), i) for i in range(len(self))]
    _list_merged(order, reverse, True)
    old = list_copy(self)
    for k in range(len(old)):
        put(self, 0, k, at(old, 0, order[k][1]))


def list_sort(self, *, reverse=False, key=None):
    down = index_of(reverse) != 0
    if key is None:
        _list_order(self, down)
    else:
        own = list_copy(self)
        list_clear(self)  # so keys see it, as in CPython
        changed = False
        try:
            _list_by_key(own, down, key)
        finally:
            changed = len(self) > 0
            list_clear(self)
            list_extend(self, own)
        if changed:
            raise ValueError("list modified during sort")


def _beats(a, b, least):
    return a < b if least else a > b


def _extreme(self, key, least):
    """The first least or greatest element; there is one. A key may change the list."""
    best = at(self, 0, 0)
    if key is None:
        for k in range(1, len(self)):
            v = at(self, 0, k)
            if _beats(v, best, least):
                best = v
    else:
        most = key(best)
        k = 1
        while k < len(self):
            v = at(self, 0, k)
            of = key(v)
            if _beats(of, most, least):
                best = v
                most = of
            k += 1
    return best


def _list_max(self, key, default, given):
    if len(self) == 0:
        if given:
            return default
        raise ValueError(_NO_MAX)
    return _extreme(self, key, False)


def _list_sum(self, start):
    if len(self) == 0:
        raise ValueError("sum() of nothing is a number, and no array: give it a start of one")
    total = start + self[0]
    for k in range(1, len(self)):
        total = total + self[k]
    return total


def _tuple_sum(self, start):
    return _tuple_sum(self[1:], start + self[0]) if len(self) > 0 else start


def _list_sum_from(self, start):
    total = start
    for x in self:
        total = total + x
    return total


def _list_min(self, key, default, given):
    if len(self) == 0:
        if given:
            return default
        raise ValueError(_NO_MIN)
    return _extreme(self, key, True)
