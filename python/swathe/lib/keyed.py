# SPDX-License-Identifier: BSD-3-Clause
"""Dicts whose keys are known: `self.KEYS` and `self.VALUES` are tuples, which the compiler knows.

Keys are compared one by one; where the key is known, too, that is done when the program is
compiled.
"""

from swathe import static_fail
from swathe.lib.str import str_join
from swathe.lib.texts import _str_concat, _str_repr


def _keyed_find(keys, values, at, key, default):
    if at == len(keys):
        return default
    if keys[at] == key:
        return values[at]
    return _keyed_find(keys, values, at + 1, key, default)


def _keyed_get(self, key, default=None):
    return _keyed_find(self.KEYS, self.VALUES, 0, key, default)


def _keyed_item(keys, values, at, key):
    if at == len(keys):
        raise KeyError(key)
    if keys[at] == key:
        return values[at]
    return _keyed_item(keys, values, at + 1, key)


def _keyed_getitem(self, key):
    return _keyed_item(self.KEYS, self.VALUES, 0, key)


def _keyed_contains(self, key):
    return key in self.KEYS


def _keyed_lacks(self, key):
    return key not in self.KEYS


def _keyed_keys(self):
    return self.KEYS


def _keyed_values(self):
    return self.VALUES


def _keyed_pairs(keys, values, at):
    if at == len(keys):
        return ()
    return ((keys[at], values[at]), *_keyed_pairs(keys, values, at + 1))


def _keyed_items(self):
    return _keyed_pairs(self.KEYS, self.VALUES, 0)


def _keyed_copy(self):
    return {**self}


def _keyed_or(self, other):
    return {**self, **other}


def _keyed_setdefault(self, key, default=None):
    if key in self:
        return self[key]
    else:
        static_fail("setdefault() of a dict of unlike values sets no new key: d[key] = value does")


def _keyed_same(keys, values, other, at):
    if at == len(keys):
        return True
    if values[at] != other[keys[at]]:
        return False
    return _keyed_same(keys, values, other, at + 1)


def _keyed_all(keys, other, at):
    if at == len(keys):
        return True
    return keys[at] in other and _keyed_all(keys, other, at + 1)


def _keyed_eq(self, other):
    if len(self) != len(other) or not _keyed_all(self.KEYS, other, 0):
        return False
    return _keyed_same(self.KEYS, self.VALUES, other, 0)


def _keyed_ne(self, other):
    return not _keyed_eq(self, other)


def _keyed_index(keys, at, key):
    if at == len(keys):
        raise KeyError(key)
    if keys[at] == key:
        return at
    return _keyed_index(keys, at + 1, key)


def _keyed_texts(keys, values):
    if len(keys) == 0:
        return ()
    return (_str_item(keys[0], values[0]), *_keyed_texts(keys[1:], values[1:]))


def _str_item(key, value):
    return _str_concat((_str_repr(key), ": ", _str_repr(value)))


def _keyed_repr(self):
    return _str_concat(("{", str_join(", ", [*_keyed_texts(self.KEYS, self.VALUES)]), "}"))


def _tuple_asdict(self):
    return self.ITEMS
