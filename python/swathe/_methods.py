# SPDX-License-Identifier: BSD-3-Clause
"""Methods of Python's classes that are named without a value, as in `key=str.lower`."""

# ruff: noqa: D103, E302, E305, E704

from swathe import static_fail


# fmt: off
def named_str_capitalize(self, *args): return self.capitalize(*args)
def named_str_casefold(self, *args): return self.casefold(*args)
def named_str_center(self, *args): return self.center(*args)
def named_str_count(self, *args): return self.count(*args)
def named_str_encode(self, *args): return self.encode(*args)
def named_str_endswith(self, *args): return self.endswith(*args)
def named_str_expandtabs(self, *args): return self.expandtabs(*args)
def named_str_find(self, *args): return self.find(*args)
def named_str_index(self, *args): return self.index(*args)
def named_str_isalnum(self, *args): return self.isalnum(*args)
def named_str_isalpha(self, *args): return self.isalpha(*args)
def named_str_isascii(self, *args): return self.isascii(*args)
def named_str_isdecimal(self, *args): return self.isdecimal(*args)
def named_str_isdigit(self, *args): return self.isdigit(*args)
def named_str_isidentifier(self, *args): return self.isidentifier(*args)
def named_str_islower(self, *args): return self.islower(*args)
def named_str_isnumeric(self, *args): return self.isnumeric(*args)
def named_str_isprintable(self, *args): return self.isprintable(*args)
def named_str_isspace(self, *args): return self.isspace(*args)
def named_str_istitle(self, *args): return self.istitle(*args)
def named_str_isupper(self, *args): return self.isupper(*args)
def named_str_join(self, *args): return self.join(*args)
def named_str_ljust(self, *args): return self.ljust(*args)
def named_str_lower(self, *args): return self.lower(*args)
def named_str_lstrip(self, *args): return self.lstrip(*args)
def named_str_partition(self, *args): return self.partition(*args)
def named_str_removeprefix(self, *args): return self.removeprefix(*args)
def named_str_removesuffix(self, *args): return self.removesuffix(*args)
def named_str_replace(self, *args): return self.replace(*args)
def named_str_rfind(self, *args): return self.rfind(*args)
def named_str_rindex(self, *args): return self.rindex(*args)
def named_str_rjust(self, *args): return self.rjust(*args)
def named_str_rpartition(self, *args): return self.rpartition(*args)
def named_str_rsplit(self, *args): return self.rsplit(*args)
def named_str_rstrip(self, *args): return self.rstrip(*args)
def named_str_split(self, *args): return self.split(*args)
def named_str_splitlines(self, *args): return self.splitlines(*args)
def named_str_startswith(self, *args): return self.startswith(*args)
def named_str_strip(self, *args): return self.strip(*args)
def named_str_swapcase(self, *args): return self.swapcase(*args)
def named_str_title(self, *args): return self.title(*args)
def named_str_translate(self, *args): return self.translate(*args)
def named_str_upper(self, *args): return self.upper(*args)
def named_str_zfill(self, *args): return self.zfill(*args)
# fmt: on


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


def named_dict_get(self, key, default=None):
    return self.get(key, default)


def named_set_copy(self):
    return self.copy()


def named_set_union(self, *others):
    return self.union(*others)


def named_set_intersection(self, *others):
    return self.intersection(*others)


def named_set_difference(self, *others):
    return self.difference(*others)


def named_frozenset_union(self, *others):
    return self.union(*others)


def named_frozenset_intersection(self, *others):
    return self.intersection(*others)


def named_frozenset_difference(self, *others):
    return self.difference(*others)


def named_set_symmetric_difference(self, other):
    return self.symmetric_difference(other)


def named_set_issubset(self, other):
    return self.issubset(other)


def named_set_issuperset(self, other):
    return self.issuperset(other)


def named_set_isdisjoint(self, other):
    return self.isdisjoint(other)


# ---- what stands on the right side of "..." % x


def percent_element(x, k, n):
    if not isinstance(x, tuple):
        static_fail("not enough arguments for format string", True)
        return 0
    else:
        if len(x) < n:
            raise TypeError("not enough arguments for format string")
        if len(x) > n:
            raise TypeError("not all arguments converted during string formatting")
        return x[k]


def percent_spread(x, k):
    if len(x) <= k:
        raise IndexError(f"Replacement index {k} out of range for positional args tuple")
    return x[k]


def percent_entry(x, key):
    if not isinstance(x, dict):
        static_fail("format requires a mapping", True)
        return 0
    else:
        return x[key]


def percent_char(x):
    if isinstance(x, str):
        if len(x) != 1:
            raise TypeError("%c requires int or char")
        return x
    else:
        return chr(x)


def percent_wrong(message):
    static_fail(message, True)
