# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: SIM108, SIM110
"""Functions of the module bisect, on lists, tuples and arrays."""


def _end(a, lo, hi):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None or hi == -1:  # as the module in C has it
        return len(a)
    return hi


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    """Where x belongs, before those that are equal."""
    end = _end(a, lo, hi)
    while lo < end:
        mid = (lo + end) // 2
        if key is None:
            before = a[mid] < x
        else:
            before = key(a[mid]) < x
        if before:
            lo = mid + 1
        else:
            end = mid
    return lo


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    """Where x belongs, behind those that are equal."""
    end = _end(a, lo, hi)
    while lo < end:
        mid = (lo + end) // 2
        if key is None:
            behind = x < a[mid]
        else:
            behind = x < key(a[mid])
        if behind:
            end = mid
        else:
            lo = mid + 1
    return lo


def insort_left(a, x, lo=0, hi=None, *, key=None):
    """Put x where it belongs, before those that are equal."""
    if key is None:
        a.insert(bisect_left(a, x, lo, hi), x)
    else:
        a.insert(bisect_left(a, key(x), lo, hi, key=key), x)


def insort_right(a, x, lo=0, hi=None, *, key=None):
    """Put x where it belongs, behind those that are equal."""
    if key is None:
        a.insert(bisect_right(a, x, lo, hi), x)
    else:
        a.insert(bisect_right(a, key(x), lo, hi, key=key), x)
