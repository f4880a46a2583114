# SPDX-License-Identifier: BSD-3-Clause
"""Methods of Python's classes that are named without a value, as in `key=str.lower`."""

# ruff: noqa: D103


def named_int_bit_length(self):
    return self.bit_length()


def named_int_bit_count(self):
    return self.bit_count()


def named_float_is_integer(self):
    return self.is_integer()


def named_list_copy(self):
    return self.copy()


def named_list_count(self, value):
    return self.count(value)


def named_list_index(self, value):
    return self.index(value)


def named_dict_keys(self):
    return self.keys()


def named_dict_values(self):
    return self.values()


def named_dict_items(self):
    return self.items()


def named_dict_copy(self):
    return self.copy()


def named_dict_get(self, key):
    return self.get(key)


def named_set_copy(self):
    return self.copy()


def named_set_union(self, other):
    return self.union(other)


def named_set_intersection(self, other):
    return self.intersection(other)


def named_set_difference(self, other):
    return self.difference(other)


def named_set_symmetric_difference(self, other):
    return self.symmetric_difference(other)


def named_set_issubset(self, other):
    return self.issubset(other)


def named_set_issuperset(self, other):
    return self.issuperset(other)


def named_set_isdisjoint(self, other):
    return self.isdisjoint(other)
