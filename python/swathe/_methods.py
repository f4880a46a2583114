# SPDX-License-Identifier: BSD-3-Clause
"""Methods of Python's classes that are named without a value, as in `key=str.lower`."""

# ruff: noqa: D103


def named_str_upper(self):
    return self.upper()


def named_str_lower(self):
    return self.lower()


def named_str_title(self):
    return self.title()


def named_str_capitalize(self):
    return self.capitalize()


def named_str_swapcase(self):
    return self.swapcase()


def named_str_casefold(self):
    return self.casefold()


def named_str_isalpha(self):
    return self.isalpha()


def named_str_isdigit(self):
    return self.isdigit()


def named_str_isalnum(self):
    return self.isalnum()


def named_str_isspace(self):
    return self.isspace()


def named_str_isupper(self):
    return self.isupper()


def named_str_islower(self):
    return self.islower()


def named_str_isnumeric(self):
    return self.isnumeric()


def named_str_isdecimal(self):
    return self.isdecimal()


def named_str_isidentifier(self):
    return self.isidentifier()


def named_str_istitle(self):
    return self.istitle()


def named_str_isascii(self):
    return self.isascii()


def named_str_isprintable(self):
    return self.isprintable()


def named_str_strip(self, chars=None):
    return self.strip() if chars is None else self.strip(chars)


def named_str_lstrip(self, chars=None):
    return self.lstrip() if chars is None else self.lstrip(chars)


def named_str_rstrip(self, chars=None):
    return self.rstrip() if chars is None else self.rstrip(chars)


def named_str_split(self, sep=None):
    return self.split() if sep is None else self.split(sep)


def named_str_startswith(self, prefix):
    return self.startswith(prefix)


def named_str_endswith(self, suffix):
    return self.endswith(suffix)


def named_str_join(self, iterable):
    return self.join(iterable)


def named_str_count(self, sub):
    return self.count(sub)


def named_str_find(self, sub):
    return self.find(sub)


def named_str_index(self, sub):
    return self.index(sub)


def named_str_removeprefix(self, prefix):
    return self.removeprefix(prefix)


def named_str_removesuffix(self, suffix):
    return self.removesuffix(suffix)


def named_str_zfill(self, width):
    return self.zfill(width)


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
