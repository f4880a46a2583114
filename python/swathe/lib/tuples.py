# SPDX-License-Identifier: BSD-3-Clause
"""Tuples with parts that only the library compares, one after the other, and their methods."""

import numpy as np

from swathe._objects import index_of, ordered
from swathe.lib.stack import _each


def _tuple_eq(a, b):
    if len(a) == 0 or len(b) == 0:
        return len(a) == len(b)
    else:
        return a[0] == b[0] and _tuple_eq(a[1:], b[1:])


def _tuple_ne(a, b):
    return not _tuple_eq(a, b)


def _tuple_count(self, value):
    n = len(self)
    if n == 0:
        return 0
    elif n == 1:
        return 1 if self[0] == value else 0
    else:
        return _tuple_count(self[: n // 2], value) + _tuple_count(self[n // 2 :], value)


def _tuple_find(t, value, first, start, stop):
    """The place of the value, or -1; t's elements are those from the first on."""
    n = len(t)
    if n == 0:
        return -1
    elif n == 1:
        return first if start <= first < stop and t[0] == value else -1
    else:
        k = _tuple_find(t[: n // 2], value, first, start, stop)
        return k if k >= 0 else _tuple_find(t[n // 2 :], value, first + n // 2, start, stop)


def _tuple_index(self, value, start=0, stop=9223372036854775807):
    n = len(self)
    i = index_of(start)
    if i < 0:
        i = max(i + n, 0)
    e = index_of(stop)
    if e < 0:
        e += n
    k = _tuple_find(self, value, 0, i, e)
    if k < 0 and isinstance(self, tuple):
        raise ValueError("tuple.index(x): x not in tuple")
    if k < 0:
        raise ValueError("list.index(x): x not in list")
    return k


def _no_order(a, b, op):
    """All before these was equal."""
    if isinstance(a, np.ndarray):
        raise ValueError("The truth value of an array in a tuple is ambiguous: compare its parts")
    raise TypeError(
        f"'{op}' not supported between instances of '{type(a).__name__}' and '{type(b).__name__}'"
    )


def _tuple_lt(a, b):
    if len(a) == 0 or len(b) == 0:
        return len(a) < len(b)
    elif ordered(a[0], b[0], 0):
        x = a[0]
        y = b[0]
        return x < y if x != y else _tuple_lt(a[1:], b[1:])
    else:
        _no_order(a[0], b[0], "<")
        return False


def _tuple_le(a, b):
    if len(a) == 0 or len(b) == 0:
        return len(a) <= len(b)
    elif ordered(a[0], b[0], 1):
        x = a[0]
        y = b[0]
        return x <= y if x != y else _tuple_le(a[1:], b[1:])
    else:
        _no_order(a[0], b[0], "<=")
        return False


def _tuple_gt(a, b):
    if len(a) == 0 or len(b) == 0:
        return len(a) > len(b)
    elif ordered(a[0], b[0], 2):
        x = a[0]
        y = b[0]
        return x > y if x != y else _tuple_gt(a[1:], b[1:])
    else:
        _no_order(a[0], b[0], ">")
        return False


def _tuple_ge(a, b):
    if len(a) == 0 or len(b) == 0:
        return len(a) >= len(b)
    elif ordered(a[0], b[0], 3):
        x = a[0]
        y = b[0]
        return x >= y if x != y else _tuple_ge(a[1:], b[1:])
    else:
        _no_order(a[0], b[0], ">=")
        return False


def _tuple_from(t, k, n):
    if k == n:
        return ()
    else:
        return (t[k],) + _tuple_from(t, k + 1, n)


def _tuple_parts(t, n):
    """The index of an array with n axes that a tuple is whose length only the run tells."""
    if len(t) > n:
        raise IndexError(
            f"too many indices for array: array is {n}-dimensional, but {len(t)} were indexed"
        )
    if len(t) < n:
        raise IndexError(
            f"too few indices: a tuple whose length only the run tells must index all {n} axes "
            f"of the array, and it has {len(t)}"
        )
    return _tuple_from(t, 0, n)


def _list_sizes(sizes, n):
    """A list of n sizes as a tuple."""
    if len(sizes) != n:
        raise ValueError(
            f"a list of {len(sizes)} sizes, which was taken for one of {n} when it was compiled: "
            "write a tuple"
        )
    return _tuple_from(sizes, 0, n)


def _tuple_array(t, dtype):
    """np.array of a tuple of arrays."""
    return np.array(t, dtype)


def _rows_array(t, dtype):
    """np.array of a tuple of lists."""
    return np.array(_each(np.asarray, t), dtype)
