# SPDX-License-Identifier: BSD-3-Clause
"""set: a dict whose values are nothing (group 2 has no columns), so that what finds, adds and takes
keys is that of dict.py. Elements stay in the order in which they came."""

import numpy as np

from swathe._objects import at, new, put, room, same, same_class, set_word, word
from swathe.lib.dict import (
    _dict_add,
    _dict_entry,
    _dict_fill,
    _dict_find,
    _dict_free,
    _dict_last,
    _dict_rebuild,
    _dict_setitem,
    _dict_slot,
    _dict_take,
    dict_clear,
)


def _set_hash(self):
    """Of a frozenset: the same in whichever order its elements came (py/heap.c has it, too)."""
    h = np.uint64(0)
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            h += np.uint64(at(self, 3, e))
    return int(h.astype(np.int64))


def set_add(self, v):
    _dict_setitem(self, v, ())


def _as_member(v):
    """A set is looked for as the frozenset that equals it."""
    return frozenset(v) if isinstance(v, set) else v


def set_remove(self, v):
    e = _dict_entry(self, _as_member(v))
    if e < 0:
        raise KeyError(v)
    _dict_take(self, e)


def set_discard(self, v):
    e = _dict_entry(self, _as_member(v))
    if e >= 0:
        _dict_take(self, e)


def set_pop(self):
    """The youngest: Python promises none."""
    if len(self) == 0:
        raise KeyError("pop from an empty set")
    e = _dict_last(self)
    if word(self, 1) - e > 64:  # not to be gone through each time
        _dict_rebuild(self, 0)
        e = _dict_last(self)
    k = at(self, 1, e)
    _dict_free(self, _dict_slot(self, e))
    put(self, 3, e, -1)
    set_word(self, 0, len(self) - 1)
    set_word(self, 1, word(self, 1) - 1)
    return k


def set_clear(self):
    dict_clear(self)


def set_copy(self):
    r = new(self)
    _dict_fill(r, self)
    return r


def set_update(self, other=(), *others):
    _set_merge(self, other)
    if len(others) > 0:
        set_update(self, *others)


def _set_merge(self, other):
    if same_class(self, other):
        if room(self, 0) == 0:
            _dict_fill(self, other)
            return
        for e in range(word(other, 1)):
            if at(other, 3, e) >= 0:
                k = at(other, 1, e)
                h = at(other, 3, e)
                if _dict_find(self, k, h) < 0:
                    _dict_add(self, k, (), h)
    else:
        for k in other:
            _dict_setitem(self, k, ())


def _set_keep(self, other, wanted):
    """A set of those that are in another one, or are not."""
    r = new(self)
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            k = at(self, 1, e)
            h = at(self, 3, e)
            if (_dict_find(other, k, h) >= 0) == wanted:
                _dict_add(r, k, (), h)
    return r


def _set_drop(self, other, wanted):
    """Takes out those that are in another one, or are not."""
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            k = at(self, 1, e)
            if (_dict_find(other, k, at(self, 3, e)) >= 0) == wanted:
                _dict_take(self, e)


def _set_from(self, other):
    """What another iterable yields, as a set of the same type."""
    r = new(self)
    set_update(r, other)
    return r


def set_union(self, other=(), *others):
    r = set_copy(self)
    set_update(r, other, *others)
    return r


def set_intersection(self, other=..., *others):
    if other is ...:
        return set_copy(self)
    else:
        r = _set_both(self, other)
    if len(others) > 0:
        return set_intersection(r, *others)
    else:
        return r


def _set_both(self, other):
    if same_class(self, other):
        return _set_keep(self, other, True)
    else:
        return _set_keep(self, _set_from(self, other), True)


def set_intersection_update(self, other=..., *others):
    if other is ...:
        return
    elif len(others) > 0:
        _set_drop(self, set_intersection(self, other, *others), False)
    elif same_class(self, other):
        _set_drop(self, other, False)
    else:
        _set_drop(self, _set_from(self, other), False)


def set_difference(self, other=(), *others):
    if len(others) > 0:
        return set_difference(set_difference(self, other), *others)
    elif same_class(self, other):
        return _set_keep(self, other, False)
    else:
        r = set_copy(self)
        for k in other:
            set_discard(r, k)
        return r


def set_difference_update(self, other=(), *others):
    _set_take_out(self, other)
    if len(others) > 0:
        set_difference_update(self, *others)


def _set_take_out(self, other):
    if same_class(self, other):
        if same(self, other):
            dict_clear(self)
        else:
            _set_drop(self, other, True)
    else:
        for k in other:
            set_discard(self, k)


def _set_flip(self, other):
    """Adds those of another set that are not there, and takes out those that are."""
    if same(self, other):
        dict_clear(self)
        return
    for e in range(word(other, 1)):
        if at(other, 3, e) >= 0:
            k = at(other, 1, e)
            h = at(other, 3, e)
            own = _dict_find(self, k, h)
            if own >= 0:
                _dict_take(self, own)
            else:
                _dict_add(self, k, (), h)


# ---- s.union(*x) and its kin, of what isn't a tuple


def _set_update_each(self, *others):
    for other in others:
        _set_merge(self, other)


def _set_union_each(self, *others):
    r = set_copy(self)
    for other in others:
        _set_merge(r, other)
    return r


def _set_intersection_each(self, *others):
    r = set_copy(self)
    for other in others:
        set_intersection_update(r, other)
    return r


def _set_intersection_update_each(self, *others):
    _set_drop(self, _set_intersection_each(self, *others), False)


def _set_difference_each(self, *others):
    r = set_copy(self)
    for other in others:
        _set_take_out(r, other)
    return r


def _set_difference_update_each(self, *others):
    for other in others:
        _set_take_out(self, other)


def set_symmetric_difference(self, other):
    r = set_copy(self)
    set_symmetric_difference_update(r, other)
    return r


def set_symmetric_difference_update(self, other):
    if same_class(self, other):
        _set_flip(self, other)
    else:
        _set_flip(self, _set_from(self, other))


def _set_common(self, other):
    """How many are in another one, too."""
    n = 0
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0 and _dict_find(other, at(self, 1, e), at(self, 3, e)) >= 0:
            n += 1
    return n


def set_isdisjoint(self, other):
    if same_class(self, other):
        return _set_common(self, other) == 0
    else:
        for k in other:  # noqa: SIM110, which no iterable of any kind takes
            if _dict_entry(self, k) >= 0:
                return False
        return True


def set_issubset(self, other):
    if same_class(self, other):
        return _set_common(self, other) == len(self)
    else:
        return _set_common(self, _set_from(self, other)) == len(self)


def set_issuperset(self, other):
    if same_class(self, other):
        return _set_common(other, self) == len(other)
    else:
        for k in other:  # noqa: SIM110
            if _dict_entry(self, k) < 0:
                return False
        return True


def _set_contains(self, k):
    return _dict_entry(self, _as_member(k)) >= 0


def _set_lacks(self, k):
    return _dict_entry(self, _as_member(k)) < 0


def _set_is(self, other):
    return same(self, other)


def _set_is_not(self, other):
    return not same(self, other)


def _set_eq(self, other):
    return len(self) == len(other) and _set_common(self, other) == len(self)


def _set_ne(self, other):
    return not _set_eq(self, other)


def _set_le(self, other):
    return len(self) <= len(other) and _set_common(self, other) == len(self)


def _set_lt(self, other):
    return len(self) < len(other) and _set_common(self, other) == len(self)


def _set_ge(self, other):
    return _set_le(other, self)


def _set_gt(self, other):
    return _set_lt(other, self)


def _set_or(self, other):
    return set_union(self, other)


def _set_and(self, other):
    return _set_keep(self, other, True)


def _set_sub(self, other):
    return _set_keep(self, other, False)


def _set_xor(self, other):
    return set_symmetric_difference(self, other)


def _set_ior(self, other):
    set_update(self, other)


def _set_iand(self, other):
    _set_drop(self, other, False)


def _set_isub(self, other):
    set_difference_update(self, other)


def _set_ixor(self, other):
    _set_flip(self, other)


def _set_print(self):
    if len(self) == 0:
        print("set()", end="")
        return
    print("{", end="")
    n = 0
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            if n > 0:
                print(", ", end="")
            print(f"{at(self, 1, e)!r}", end="")
            n += 1
    print("}", end="")


# ---- d.keys() and d.items(), which are lists, beside each other and sets


def _views_and(a, b):
    return set(a) & set(b)


def _views_or(a, b):
    return set(a) | set(b)


def _views_sub(a, b):
    return set(a) - set(b)


def _views_xor(a, b):
    return set(a) ^ set(b)


def _views_eq(a, b):
    return set(a) == set(b)


def _views_ne(a, b):
    return set(a) != set(b)


def _views_lt(a, b):
    return set(a) < set(b)


def _views_le(a, b):
    return set(a) <= set(b)


def _views_gt(a, b):
    return set(a) > set(b)


def _views_ge(a, b):
    return set(a) >= set(b)
