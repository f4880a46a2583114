# SPDX-License-Identifier: BSD-3-Clause
"""dict: entries in the order in which they came (group 1 keys, 2 values, 3 hashes), and an index of
open addressing (group 0). That holds the number of an entry plus one, below the high bits of its
hash, so that what has another hash is passed by without a look at its entry; 0 where none was ever,
-1 where one was deleted. Word 0 counts what is there, word 1 all entries, with the deleted ones,
whose hash is -1; hashes are not negative. At most two thirds of the index are in use."""

import numpy as np

from swathe._objects import (
    at,
    clear,
    fill,
    grow,
    hash_of,
    list_of,
    new,
    put,
    rare,
    room,
    same,
    same_class,
    set_word,
    word,
)

ENTRY = (1 << 40) - 1  # bits of the index


def _dict_find(self, k, h):
    """The number of a key's entry, or -1."""
    m = room(self, 0)
    if m == 0:
        return -1
    i = h & (m - 1)
    while True:
        e = at(self, 0, i)
        if e == 0:
            return -1
        if (e ^ h) >> 40 == 0:
            e = (e & ENTRY) - 1
            if at(self, 1, e) == k:
                return e
        i = (i + 1) & (m - 1)


def _dict_slot(self, e):
    """Where the index tells of an entry that is there: of the entry, for no key equals a NaN."""
    m = room(self, 0)
    i = at(self, 3, e) & (m - 1)
    while at(self, 0, i) & ENTRY != e + 1:
        i = (i + 1) & (m - 1)
    return i


def _dict_free(self, i):
    """Empties a place of the index and leaves no mark: what was looked for beyond it moves up.
    So there are never more places in use than entries, whatever is popped and added again."""
    m = room(self, 0)
    j = (i + 1) & (m - 1)
    while at(self, 0, j) != 0:
        e = at(self, 0, j)
        home = at(self, 3, (e & ENTRY) - 1) & (m - 1) if e > 0 else i
        if ((j - home) & (m - 1)) >= ((j - i) & (m - 1)):
            put(self, 0, i, e)
            i = j
        j = (j + 1) & (m - 1)
    put(self, 0, i, 0)


def _dict_last(self):
    """The last entry that is there; there is one."""
    e = word(self, 1) - 1
    while at(self, 3, e) < 0:
        e -= 1
    return e


def _dict_first(self):
    """The first entry that is there; there is one. The hash of entry 0, where it is gone, says how
    far those that are gone go at least, for who takes the first one again and again."""
    e = 0
    h = at(self, 3, 0)
    if h < 0:
        e = max(-1 - h, 1)
        while at(self, 3, e) < 0:
            e += 1
        put(self, 3, 0, -1 - e)
    return e


def _dict_entry(self, k):
    return _dict_find(self, k, hash_of(self, k))


def _dict_rebuild(self, more):
    """Without what was deleted, and with room for so many more."""
    n = 0
    old = word(self, 1)
    if old > len(self):
        for e in range(old):
            if at(self, 3, e) >= 0:
                if n < e:
                    put(self, 1, n, at(self, 1, e))
                    put(self, 2, n, at(self, 2, e))
                    put(self, 3, n, at(self, 3, e))
                n += 1
        for e in range(n, old):
            clear(self, 2, e)
        set_word(self, 1, n)
    n = len(self)
    m = 8
    while m < 2 * (n + more):
        m *= 2
    if m > room(self, 0):
        grow(self, 0, m)
    m = room(self, 0)
    for i in range(m):
        put(self, 0, i, 0)
    if room(self, 1) < m // 3 * 2 + 2:
        grow(self, 1, m // 3 * 2 + 2)
        grow(self, 2, m // 3 * 2 + 2)
        grow(self, 3, m // 3 * 2 + 2)
    for e in range(n):
        h = at(self, 3, e)
        i = h & (m - 1)
        while at(self, 0, i) != 0:
            i = (i + 1) & (m - 1)
        put(self, 0, i, h & ~ENTRY | (e + 1))


def _dict_add(self, k, v, h):
    """A key that is not there."""
    if rare(3 * (word(self, 1) + 1) > 2 * room(self, 0)):
        _dict_rebuild(self, max(len(self), 1))
    m = room(self, 0)
    e = word(self, 1)
    i = h & (m - 1)
    while at(self, 0, i) > 0:
        i = (i + 1) & (m - 1)
    put(self, 1, e, k)
    fill(self, 2, e, v)
    put(self, 3, e, h)
    put(self, 0, i, h & ~ENTRY | (e + 1))
    set_word(self, 1, e + 1)
    set_word(self, 0, len(self) + 1)


def _dict_setitem(self, k, v):
    h = hash_of(self, k)
    e = _dict_find(self, k, h)
    if e >= 0:
        put(self, 2, e, v)
    else:
        _dict_add(self, k, v, h)


def _dict_getitem(self, k):
    e = _dict_entry(self, k)
    if e < 0:
        if isinstance(k, (np.datetime64, np.timedelta64)):  # which have no text here
            raise KeyError(k.astype(np.int64))
        raise KeyError(k)
    return at(self, 2, e)


def _dict_take(self, e):
    """The value of an entry that is there, which goes."""
    v = at(self, 2, e)
    put(self, 0, _dict_slot(self, e), -1)
    put(self, 3, e, -1)
    clear(self, 2, e)
    set_word(self, 0, len(self) - 1)
    return v


def _dict_delitem(self, k):
    e = _dict_entry(self, k)
    if e < 0:
        if isinstance(k, (np.datetime64, np.timedelta64)):  # which have no text here
            raise KeyError(k.astype(np.int64))
        raise KeyError(k)
    _dict_take(self, e)


def dict_pop(self, key, default=...):
    e = _dict_entry(self, key)
    if default is ...:
        if e < 0:
            if isinstance(key, (np.datetime64, np.timedelta64)):  # which have no text here
                raise KeyError(key.astype(np.int64))
            raise KeyError(key)
        return _dict_take(self, e)
    else:
        return _dict_take(self, e) if e >= 0 else default


def dict_get(self, key, default=None):
    e = _dict_entry(self, key)
    return at(self, 2, e) if e >= 0 else default


def dict_setdefault(self, key, default):
    h = hash_of(self, key)
    e = _dict_find(self, key, h)
    if e < 0:
        _dict_add(self, key, default, h)
        e = word(self, 1) - 1
    return at(self, 2, e)


def _dict_contains(self, k):
    return _dict_entry(self, k) >= 0


def _dict_lacks(self, k):
    return _dict_entry(self, k) < 0


def _dict_is(self, other):
    return same(self, other)


def _dict_is_not(self, other):
    return not same(self, other)


def _dict_eq(self, other):
    if len(self) != len(other):
        return False
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            o = _dict_entry(other, at(self, 1, e))
            if o < 0 or not (at(self, 2, e) == at(other, 2, o)):  # noqa: SIM201, of NaNs
                return False
    return True


def _dict_ne(self, other):
    return not _dict_eq(self, other)


def dict_keys(self):
    r = list_of(self, 1)
    n = 0
    grow(r, 0, len(self))
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            put(r, 0, n, at(self, 1, e))
            n += 1
    set_word(r, 0, n)
    return r


def dict_values(self):
    r = list_of(self, 2)
    n = 0
    grow(r, 0, len(self))
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            put(r, 0, n, at(self, 2, e))
            n += 1
    set_word(r, 0, n)
    return r


def dict_items(self):
    r = list_of(self, 12)
    n = 0
    grow(r, 0, len(self))
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            put(r, 0, n, (at(self, 1, e), at(self, 2, e)))
            n += 1
    set_word(r, 0, n)
    return r


def _list_itself(self):
    """list(d.keys()): dict_keys has made one already."""
    return self


def dict_clear(self):
    for e in range(word(self, 1)):
        clear(self, 2, e)
    for i in range(room(self, 0)):
        put(self, 0, i, 0)
    set_word(self, 0, 0)
    set_word(self, 1, 0)


def _dict_fill(r, self):
    """The entries of another one, for one without room: nobody need look for them."""
    old = word(self, 1)
    if old > len(self):  # with gaps
        _dict_rebuild(r, len(self))
        for e in range(old):
            if at(self, 3, e) >= 0:
                _dict_add(r, at(self, 1, e), at(self, 2, e), at(self, 3, e))
    elif old > 0:
        m = room(self, 0)
        n = m // 3 * 2 + 2
        grow(r, 0, m)
        grow(r, 1, n)
        grow(r, 2, n)
        grow(r, 3, n)
        for i in range(m):
            put(r, 0, i, at(self, 0, i))
        for e in range(old):
            put(r, 1, e, at(self, 1, e))
            fill(r, 2, e, at(self, 2, e))
            put(r, 3, e, at(self, 3, e))
        set_word(r, 0, old)
        set_word(r, 1, old)


def dict_copy(self):
    r = new(self)
    _dict_fill(r, self)
    return r


def _dict_plain(self):
    """A dict, of one that is of another class."""
    r = {}
    _dict_merge(r, self)
    return r


def dict_update(self, other=(), **more):
    _dict_merge(self, other)
    for k, v in more.items():
        _dict_setitem(self, k, v)


def _dict_merge(self, other):
    if same_class(self, other):
        if room(self, 0) == 0:
            _dict_fill(self, other)
            return
        for e in range(word(other, 1)):
            if at(other, 3, e) >= 0:
                _dict_setitem(self, at(other, 1, e), at(other, 2, e))
    elif isinstance(other, list):
        for i, pair in enumerate(other):
            if len(pair) != 2:
                raise ValueError(
                    f"dictionary update sequence element #{i} has length {len(pair)}; 2 is required"
                )
            _dict_setitem(self, pair[0], pair[1])
    else:
        for k, v in other:
            _dict_setitem(self, k, v)


def dict_popitem(self):
    if len(self) == 0:
        raise KeyError("popitem(): dictionary is empty")
    e = _dict_last(self)
    if word(self, 1) - e > 64:  # not to be gone through each time
        _dict_rebuild(self, 0)
        e = _dict_last(self)
    k = at(self, 1, e)
    v = at(self, 2, e)
    _dict_free(self, _dict_slot(self, e))
    put(self, 3, e, -1)
    clear(self, 2, e)
    set_word(self, 0, len(self) - 1)
    set_word(self, 1, word(self, 1) - 1)
    return k, v


def _dict_or(self, other):
    r = dict_copy(self)
    _dict_merge(r, other)
    return r


def _dict_ior(self, other):
    _dict_merge(self, other)


def _dict_print(self):
    print("{", end="")
    n = 0
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            if n > 0:
                print(", ", end="")
            print(f"{at(self, 1, e)!r}: {at(self, 2, e)!r}", end="")
            n += 1
    print("}", end="")
