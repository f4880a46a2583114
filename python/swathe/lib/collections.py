# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: SIM108, SIM110, SIM113
"""Counter, OrderedDict, defaultdict and frozenset: dicts and sets (dict.py, set.py) with what they
do otherwise."""

from swathe import static_fail
from swathe._objects import at, default_of, hash_of, new, put, set_word, word
from swathe.lib.dict import (
    _dict_add,
    _dict_entry,
    _dict_eq,
    _dict_find,
    _dict_first,
    _dict_print,
    _dict_rebuild,
    _dict_setitem,
    _dict_take,
    dict_items,
    dict_popitem,
)
from swathe.lib.set import _set_print
from swathe.lib.texts import PAIRS, _class_text


def _frozenset_print(self):
    if len(self) == 0:
        print("frozenset()", end="")
    else:
        print("frozenset(", end="")
        _set_print(self)
        print(")", end="")


# ---- OrderedDict


def OrderedDict_move_to_end(self, key, last=True):
    h = hash_of(self, key)
    e = _dict_find(self, key, h)
    if e < 0:
        raise KeyError(key)
    if last:
        if e < word(self, 1) - 1:
            k = at(self, 1, e)
            _dict_add(self, k, _dict_take(self, e), h)
    elif e > 0:
        k = at(self, 1, e)
        v = _dict_take(self, e)
        _dict_rebuild(self, 1)
        for i in range(len(self), 0, -1):
            put(self, 1, i, at(self, 1, i - 1))
            put(self, 2, i, at(self, 2, i - 1))
            put(self, 3, i, at(self, 3, i - 1))
        put(self, 1, 0, k)
        put(self, 2, 0, v)
        put(self, 3, 0, h)
        n = len(self) + 1
        set_word(self, 0, n)
        set_word(self, 1, n)
        _dict_rebuild(self, 0)


def OrderedDict_popitem(self, last=True):
    if len(self) == 0:
        raise KeyError("dictionary is empty")
    if last:
        return dict_popitem(self)
    e = _dict_first(self)
    k = at(self, 1, e)
    v = _dict_take(self, e)
    return k, v


def _OrderedDict_eq(self, other):
    if not _dict_eq(self, other):
        return False
    e = 0
    o = 0
    for _ in range(len(self)):
        while at(self, 3, e) < 0:
            e += 1
        while at(other, 3, o) < 0:
            o += 1
        if not (at(self, 1, e) == at(other, 1, o)):  # noqa: SIM201
            return False
        e += 1
        o += 1
    return True


def _OrderedDict_ne(self, other):
    return not _OrderedDict_eq(self, other)


def _OrderedDict_print(self):
    if len(self) == 0:
        print("OrderedDict()", end="")
    elif PAIRS:
        print("OrderedDict([", end="")
        n = 0
        for e in range(word(self, 1)):
            if at(self, 3, e) >= 0:
                if n > 0:
                    print(", ", end="")
                print(f"({at(self, 1, e)!r}, {at(self, 2, e)!r})", end="")
                n += 1
        print("])", end="")
    else:
        print("OrderedDict(", end="")
        _dict_print(self)
        print(")", end="")


# ---- defaultdict


def _defaultdict_getitem(self, k):
    h = hash_of(self, k)
    e = _dict_find(self, k, h)
    if e < 0:
        v = default_of(self)  # which may change the dict
        _dict_setitem(self, k, v)
        e = _dict_find(self, k, h)
    return at(self, 2, e)


def _defaultdict_print(self):
    print("defaultdict(<class '", end="")
    print(_class_text(default_of(self)), end="")
    print("'>, ", end="")
    _dict_print(self)
    print(")", end="")


def _defaultdict_of_print(self):
    static_fail("the text of a defaultdict with a function is not supported: write dict(d)")


# ---- Counter


def _Counter_count(self, k, unit):
    h = hash_of(self, k)
    e = _dict_find(self, k, h)
    if e >= 0:
        put(self, 2, e, at(self, 2, e) + 1)
    else:
        _dict_add(self, k, 1, h)


def _Counter_of(self, k):
    e = _dict_entry(self, k)
    return at(self, 2, e) if e >= 0 else 0


def _Counter_getitem(self, k):
    return _Counter_of(self, k)


def _Counter_delitem(self, k):
    e = _dict_entry(self, k)
    if e >= 0:
        _dict_take(self, e)


def Counter_update(self, iterable=()):
    _Counter_merge(self, iterable)


def _Counter_merge(self, iterable):
    if isinstance(iterable, dict):
        for k, v in dict_items(iterable):
            _dict_setitem(self, k, v + _Counter_of(self, k))
    else:
        for k in iterable:
            _Counter_count(self, k, ())


def Counter_subtract(self, iterable=()):
    if isinstance(iterable, dict):
        for k, v in dict_items(iterable):
            _dict_setitem(self, k, _Counter_of(self, k) - v)
    else:
        for k in iterable:
            _dict_setitem(self, k, _Counter_of(self, k) - 1)


def Counter_total(self):
    r = 0
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0:
            r += at(self, 2, e)
    return r


def Counter_elements(self):
    return [k for k, v in dict_items(self) for _ in range(v)]


def Counter_most_common(self, n=None):
    r = dict_items(self)
    r.sort(key=lambda t: t[1], reverse=True)
    if n is not None:
        del r[max(n, 0) :]
    return r


def _Counter_put(self, k, v):
    if v > 0:
        _dict_setitem(self, k, v)


def _Counter_add(self, other):
    r = new(self)
    for k, v in dict_items(self):
        _Counter_put(r, k, v + _Counter_of(other, k))
    for k, v in dict_items(other):
        if _dict_entry(self, k) < 0:
            _Counter_put(r, k, v)
    return r


def _Counter_sub(self, other):
    r = new(self)
    for k, v in dict_items(self):
        _Counter_put(r, k, v - _Counter_of(other, k))
    for k, v in dict_items(other):
        if _dict_entry(self, k) < 0:
            _Counter_put(r, k, -v)
    return r


def _Counter_or(self, other):
    r = new(self)
    for k, v in dict_items(self):
        _Counter_put(r, k, max(v, _Counter_of(other, k)))
    for k, v in dict_items(other):
        if _dict_entry(self, k) < 0:
            _Counter_put(r, k, v)
    return r


def _Counter_and(self, other):
    r = new(self)
    for k, v in dict_items(self):
        _Counter_put(r, k, min(v, _Counter_of(other, k)))
    return r


def _Counter_keep(self):
    """Only what there is of stays."""
    for e in range(word(self, 1)):
        if at(self, 3, e) >= 0 and at(self, 2, e) <= 0:
            _dict_take(self, e)


def _Counter_iadd(self, other):
    for k, v in dict_items(other):
        _dict_setitem(self, k, _Counter_of(self, k) + v)
    _Counter_keep(self)


def _Counter_isub(self, other):
    for k, v in dict_items(other):
        _dict_setitem(self, k, _Counter_of(self, k) - v)
    _Counter_keep(self)


def _Counter_ior(self, other):
    for k, v in dict_items(other):
        if v > _Counter_of(self, k):
            _dict_setitem(self, k, v)
    _Counter_keep(self)


def _Counter_iand(self, other):
    for k, v in dict_items(self):
        w = _Counter_of(other, k)
        if w < v:
            _dict_setitem(self, k, w)
    _Counter_keep(self)


def _Counter_eq(self, other):
    return _Counter_le(self, other) and _Counter_le(other, self)


def _Counter_ne(self, other):
    return not _Counter_eq(self, other)


def _Counter_le(self, other):
    for k, v in dict_items(self):
        if v > _Counter_of(other, k):
            return False
    for k, v in dict_items(other):
        if _Counter_of(self, k) > v:
            return False
    return True


def _Counter_lt(self, other):
    return _Counter_le(self, other) and _Counter_ne(self, other)


def _Counter_ge(self, other):
    return _Counter_le(other, self)


def _Counter_gt(self, other):
    return _Counter_lt(other, self)


def _Counter_print(self):
    if len(self) == 0:
        print("Counter()", end="")
    else:
        print("Counter({", end="")
        n = 0
        for k, v in Counter_most_common(self):
            if n > 0:
                print(", ", end="")
            print(f"{k!r}: {v!r}", end="")
            n += 1
        print("})", end="")
