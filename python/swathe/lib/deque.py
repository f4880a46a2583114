# SPDX-License-Identifier: BSD-3-Clause
"""collections.deque: columns (group 0) as a ring. Word 0 counts the elements, word 1 says where the
first is, word 2 is one more than maxlen (0: None), word 3 counts changes of length or order."""

from swathe._objects import (
    at,
    clear,
    fill,
    grow,
    index_of,
    new,
    put,
    rare,
    room,
    same,
    same_class,
    set_word,
    word,
)


def _deque_changed(self):
    set_word(self, 3, word(self, 3) + 1)


def _deque_place(self, k):
    i = word(self, 1) + k
    m = room(self, 0)
    return i - m if i >= m else i


def _deque_at(self, k):
    return at(self, 0, _deque_place(self, k))


def _deque_room(self):
    """For one more; those that stand before the first one move behind the others."""
    m = room(self, 0)
    if rare(len(self) >= m):
        first = word(self, 1)
        grow(self, 0, 2 * m + 8)
        for i in range(first):
            put(self, 0, m + i, at(self, 0, i))
            clear(self, 0, i)


def deque_append(self, v):
    limit = word(self, 2)
    if limit > 0:
        if limit == 1:
            return
        if len(self) + 1 >= limit:
            _deque_drop(self, 0)
    _deque_room(self)
    n = len(self)
    fill(self, 0, _deque_place(self, n), v)
    set_word(self, 0, n + 1)
    _deque_changed(self)


def deque_appendleft(self, v):
    limit = word(self, 2)
    if limit > 0:
        if limit == 1:
            return
        if len(self) + 1 >= limit:
            _deque_drop(self, len(self) - 1)
    _deque_room(self)
    i = word(self, 1) - 1
    if i < 0:
        i += room(self, 0)
    fill(self, 0, i, v)
    set_word(self, 1, i)
    set_word(self, 0, len(self) + 1)
    _deque_changed(self)


def _deque_drop(self, k):
    """The first or the last one goes."""
    i = _deque_place(self, k)
    n = len(self)
    clear(self, 0, i)
    if k == 0:
        i += 1
        set_word(self, 1, 0 if i == room(self, 0) else i)
    set_word(self, 0, n - 1)
    _deque_changed(self)


def deque_pop(self):
    n = len(self)
    if n == 0:
        raise IndexError("pop from an empty deque")
    v = at(self, 0, _deque_place(self, n - 1))
    _deque_drop(self, n - 1)
    return v


def deque_popleft(self):
    if len(self) == 0:
        raise IndexError("pop from an empty deque")
    i = word(self, 1)
    v = at(self, 0, i)
    clear(self, 0, i)
    i += 1
    set_word(self, 1, 0 if i == room(self, 0) else i)
    set_word(self, 0, len(self) - 1)
    _deque_changed(self)
    return v


def _deque_limit(self, maxlen):
    """What its constructor does with the elements: only the last ones stay."""
    if maxlen is not None:
        most = index_of(maxlen)
        if most < 0:
            raise ValueError("maxlen must be non-negative")
        while len(self) > most:
            _deque_drop(self, 0)
        set_word(self, 2, most + 1)


def _deque_list(self):
    return [_deque_at(self, k) for k in range(len(self))]


def deque_extend(self, other):
    if _deque_is_same(self, other):
        for v in _deque_list(self):
            deque_append(self, v)
    else:
        for v in other:
            deque_append(self, v)


def deque_extendleft(self, other):
    if _deque_is_same(self, other):
        for v in _deque_list(self):
            deque_appendleft(self, v)
    else:
        for v in other:
            deque_appendleft(self, v)


def _deque_is_same(self, other):
    if same_class(self, other):
        return same(self, other)
    else:
        return False


def deque_copy(self):
    r = new(self)
    set_word(r, 2, word(self, 2))
    for k in range(len(self)):
        deque_append(r, _deque_at(self, k))
    return r


def _deque_add(self, other):
    r = deque_copy(self)
    deque_extend(r, other)
    return r


def _deque_iadd(self, other):
    deque_extend(self, other)


def deque_clear(self):
    for k in range(len(self)):
        clear(self, 0, _deque_place(self, k))
    set_word(self, 0, 0)
    set_word(self, 1, 0)
    _deque_changed(self)


def deque_rotate(self, n=1):
    size = len(self)
    if size > 1:
        by = index_of(n) % size
        if by > size // 2:
            by -= size
        for _ in range(by):
            v = deque_pop(self)
            deque_appendleft(self, v)
        for _ in range(-by):
            v = deque_popleft(self)
            deque_append(self, v)


def _deque_index_of(self, index):
    n = len(self)
    i = index_of(index)
    if i < 0:
        i += n
    if i < 0 or i >= n:
        raise IndexError("deque index out of range")
    return i


def _deque_getitem(self, index):
    return _deque_at(self, _deque_index_of(self, index))


def _deque_setitem(self, index, v):
    put(self, 0, _deque_place(self, _deque_index_of(self, index)), v)


def _deque_take(self, i):
    """The one at a place that is there goes."""
    n = len(self)
    if i < n // 2:
        for k in range(i, 0, -1):
            put(self, 0, _deque_place(self, k), _deque_at(self, k - 1))
        _deque_drop(self, 0)
    else:
        for k in range(i, n - 1):
            put(self, 0, _deque_place(self, k), _deque_at(self, k + 1))
        _deque_drop(self, n - 1)


def _deque_delitem(self, index):
    _deque_take(self, _deque_index_of(self, index))


def deque_insert(self, index, v):
    n = len(self)
    limit = word(self, 2)
    if limit > 0 and n + 1 >= limit:
        raise IndexError("deque already at its maximum size")
    i = index_of(index)
    if i < 0:
        i = max(i + n, 0)
    i = min(i, n)
    deque_append(self, v)
    for k in range(n, i, -1):
        put(self, 0, _deque_place(self, k), _deque_at(self, k - 1))
    put(self, 0, _deque_place(self, i), v)


def deque_remove(self, v):
    for k in range(len(self)):
        if _deque_at(self, k) == v:
            _deque_take(self, k)
            return
    raise ValueError(f"{v!r} is not in deque")


def deque_index(self, v, start=0, stop=9223372036854775807):
    n = len(self)
    i = index_of(start)
    if i < 0:
        i = max(i + n, 0)
    e = index_of(stop)
    if e < 0:
        e += n
    for k in range(i, min(e, n)):
        if _deque_at(self, k) == v:
            return k
    raise ValueError(f"{v!r} is not in deque")


def deque_count(self, v):
    r = 0
    for k in range(len(self)):
        if _deque_at(self, k) == v:
            r += 1
    return r


def deque_reverse(self):
    n = len(self)
    for k in range(n // 2):
        v = _deque_at(self, k)
        put(self, 0, _deque_place(self, k), _deque_at(self, n - 1 - k))
        put(self, 0, _deque_place(self, n - 1 - k), v)


def _deque_contains(self, v):
    return any(_deque_at(self, k) == v for k in range(len(self)))


def _deque_lacks(self, v):
    return not _deque_contains(self, v)


def _deque_is(self, other):
    return same(self, other)


def _deque_is_not(self, other):
    return not same(self, other)


def _deque_eq(self, other):
    if len(self) != len(other):
        return False
    return all(_deque_at(self, k) == _deque_at(other, k) for k in range(len(self)))


def _deque_ne(self, other):
    return not _deque_eq(self, other)


def _deque_lt(self, other):
    for k in range(min(len(self), len(other))):
        if _deque_at(self, k) != _deque_at(other, k):
            return _deque_at(self, k) < _deque_at(other, k)
    return len(self) < len(other)


def _deque_le(self, other):
    for k in range(min(len(self), len(other))):
        if _deque_at(self, k) != _deque_at(other, k):
            return _deque_at(self, k) <= _deque_at(other, k)
    return len(self) <= len(other)


def _deque_gt(self, other):
    return _deque_lt(other, self)


def _deque_ge(self, other):
    return _deque_le(other, self)


def _deque_print(self):
    print("deque([", end="")
    for k in range(len(self)):
        if k > 0:
            print(", ", end="")
        i = _deque_place(self, k)
        print(f"{at(self, 0, i)!r}", end="")
    limit = word(self, 2)
    if limit > 0:
        print("], maxlen=", end="")
        print(limit - 1, end="")
        print(")", end="")
    else:
        print("])", end="")
