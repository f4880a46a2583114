# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the class str, for compiled code that mentions them."""

# ruff: noqa: D103


def maketrans(x, y=None, z=None):
    """str.maketrans"""
    if y is None:
        return {(ord(k) if isinstance(k, str) else k): v for k, v in x.items()}
    if len(x) != len(y):
        raise ValueError("the first two maketrans arguments must have equal length")
    if z is None:
        table = {}
        for i in range(len(x)):
            table[ord(x[i])] = ord(y[i])
        return table
    dropped = {0: None}
    dropped.clear()
    for i in range(len(x)):
        dropped[ord(x[i])] = ord(y[i])
    for a in z:
        dropped[ord(a)] = None
    return dropped


def bound_get(x):
    """x.get as a key: what is not there can't be compared."""
    return lambda k: _found(x.get(k))


def _found(v):
    if v is None:
        raise TypeError("'<' not supported between instances of 'NoneType' and other values")
    return v


def bound_getitem(x):
    return lambda k: x[k]


def bound_index(x):
    return lambda k: x.index(k)


def bound_count(x):
    return lambda k: x.count(k)


def bound_find(x):
    return lambda k: x.find(k)
