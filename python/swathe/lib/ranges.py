# SPDX-License-Identifier: BSD-3-Clause
"""Ranges and slices as values."""


def _range_place(k, n, least, most):
    if k < 0:
        k += n
    return max(least, min(k, most))


def _range_slice(r, start, stop, step):
    n = len(r)
    by = 1 if step is None else step
    if by == 0:
        raise ValueError("slice step cannot be zero")
    least = 0 if by > 0 else -1
    most = n if by > 0 else n - 1
    first = least if by > 0 else most
    if start is not None:
        first = _range_place(start, n, least, most)
    last = most if by > 0 else least
    if stop is not None:
        last = _range_place(stop, n, least, most)
    return range(r.start + first * r.step, r.start + last * r.step, r.step * by)


def _range_contains(r, x):
    """Whether it has a number that is no int."""
    if x.imag != 0 or not abs(x.real) < 9223372036854775808.0:
        return False
    k = int(x.real)
    return k == x.real and k in r


def _range_lacks(r, x):
    return not _range_contains(r, x)


def _range_index(r, value):
    if value not in r:
        raise ValueError(f"{value} is not in range")
    return (value - r.start) // r.step


def _range_count(r, value):
    return 1 if value in r else 0


def _slice_indices(s, n):
    if n < 0:
        raise ValueError("length should not be negative")
    step = 1 if s.step is None else s.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    least, most = (0, n) if step > 0 else (-1, n - 1)
    start = _slice_bound(s.start, n, least, most, least if step > 0 else most)
    return start, _slice_bound(s.stop, n, least, most, most if step > 0 else least), step


def _slice_bound(k, n, least, most, none):
    return none if k is None else max(k + n, least) if k < 0 else min(k, most)


def _slice_eq(a, b):
    return (a.start, a.stop, a.step) == (b.start, b.stop, b.step)


def _slice_ne(a, b):
    return (a.start, a.stop, a.step) != (b.start, b.stop, b.step)


def _range_eq(a, b):
    n = len(a)
    return n == len(b) and (n == 0 or (a[0] == b[0] and (n == 1 or a.step == b.step)))


def _range_ne(a, b):
    return not _range_eq(a, b)
