# SPDX-License-Identifier: BSD-3-Clause
"""`while k < n: ...; k += 1` is a loop over a range: results, what k is behind it, and errors."""

import numpy as np
import pytest

from swathe import njit


def doubled(a, o):
    i = 0
    while i < len(a):
        o[i] = a[i] * 2
        i += 1
    return i


def to_the_end(a, o):
    i = 3
    while i <= len(a) - 2:
        o[i] = a[i] + a[i + 1]
        i += 1
    return i


def turned(a, o):
    i = -2
    while len(a) > i:
        o[i] += 1
        i = i + 1
    return i * 10


def beyond(a, o):
    i = 0
    while i < len(a) + 2:
        o[i] = i
        i += 1
    return i


def caught(a, o):
    i = 0
    try:
        while i < 1000:
            o[i] = i
            i += 1
    except IndexError:
        pass
    return i


def skips(a, o):
    i = 0
    while i < len(a):
        if a[i] > 5:
            i += 1
            continue
        o[i] = 1
        i += 1
    return i


def stops(a, o):
    i = 0
    while i < len(a):
        if a[i] > 8:
            break
        o[i] = i
        i += 1
    return i


def moves_the_end(a, o):
    i = 0
    n = len(a)
    while i < n:
        o[i] = n
        if a[i] > 4:
            n -= 1
        i += 1
    return i * 1000 + n


def leaves(a, o):
    i = 0
    while i < len(a):
        o[i] = 7
        if a[i] > 7:
            return i + 100
        i += 1
    return i


def nested(a, o):
    i = 0
    while i < len(a):
        j = 0
        while j < i:
            o[j] += a[i]
            j += 1
        i += 1
        o[i - 1] += j
    return i + j if len(a) else i


def by_two(a, o):
    i = 0
    while i < len(a):
        o[i] = i
        i += 2
    return i


def of_element(a, o):
    k = 0
    while k < a[0]:
        o[k % len(o)] += k
        k += 1
    return k


FORMS = [doubled, to_the_end, turned, beyond, caught, skips, stops, moves_the_end, leaves, nested]


@pytest.mark.parametrize("dtype", ["u1", "i8", "f8"])
@pytest.mark.parametrize("f", [*FORMS, by_two, of_element])
def test_counts(f, dtype):
    compiled = njit(f)
    for n in (0, 1, 2, 5, 100, 240):
        a = np.random.default_rng(n).integers(0, 10, n).astype(dtype)
        results = []
        for g in (compiled, f):
            o = np.zeros(n, dtype)
            try:
                value = g(a, o)
            except (IndexError, OverflowError) as e:
                value = type(e)
            results.append((value, o.tolist()))
        assert results[0] == results[1], n


def test_bounds_of_any_size():
    def count(k, n):
        c = 0
        while k < n:
            c += k & 3
            k += 1
        return c, k

    def count_to(k, n):
        c = 0
        while k <= n:
            c += 1
            k += 1
        return c, k

    for f in (count, count_to):
        compiled = njit(f)
        for k, n in [(0, 5), (5, 0), (-3, 3), (2**63 - 5, 2**63 - 2), (-(2**63), -(2**63) + 4)]:
            assert compiled(k, n) == f(k, n)
