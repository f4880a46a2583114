# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of a few elements made in loops, narrow elements, and numbers that a loop hands on."""

import numpy as np
import pytest
from harness import check

PLAIN = ("plain",)


def _slope(s):
    x, y, z = s[0], s[1], s[2]
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.5 * z])


def steps_of_rows(n):
    path = np.empty((n + 1, 3))
    path[0] = 1.0
    for i in range(n):
        k = _slope(path[i])
        path[i + 1] = path[i] + 0.01 * (k + 2 * _slope(path[i] + 0.5 * k))
    return path


def rows_that_meet(n):
    a = np.arange(12.0)
    for i in range(n):
        a[i : i + 4] = a[i + 1 : i + 5] + a[i]
        a[i + 4 : i : -1] = a[i + 3 : i + 7] * 2
        a[i:i] = a[i + 1 : i + 1]
    return a


def kept_from_before(n):
    b = np.zeros(2)
    c = b
    for i in range(n):
        a = np.zeros(2)
        a[0] = b[0] + 1.0
        a[1] = c[1] + 2.0
        c = b
        b = a
    return b[0], b[1], c[0]


def given_and_listed(n):
    all_of_them = []
    last = np.zeros(3)
    for i in range(n):
        w = np.zeros(3)
        v = w[1:]
        v[0] = i
        if i % 2:
            all_of_them.append(w)
        else:
            last = w[::-1]
    return all_of_them, last


def raised_half_way(n, out):
    for i in range(n):
        w = np.ones((2, 2))
        w[1] *= i
        t = w.T
        out[i] = t[0, 1] + w[1, 0]
    return out


def window(image):
    h, m = image.shape
    out = image.copy()
    for i in range(1, h - 1):
        for j in range(1, m - 1):
            w = np.empty(9, image.dtype)
            n = 0
            for a in range(-1, 2):
                for b in range(-1, 2):
                    v = image[i + a, j + b]
                    k = n
                    while k > 0 and w[k - 1] > v:
                        w[k] = w[k - 1]
                        k -= 1
                    w[k] = v
                    n += 1
            out[i, j] = w[4]
    return out


def depth(n):
    w = np.zeros(3)
    w[n % 3] = n
    return w[n % 3] + (depth(n - 1) if n > 0 else 0.0) + w.sum()


@pytest.mark.parametrize("f", [steps_of_rows, rows_that_meet, kept_from_before, given_and_listed])
def test_small_arrays(f):
    for n in (0, 1, 5):
        check(f, n, modes=PLAIN)


def test_small_arrays_of_other_forms():
    for n in (0, 2, 4):
        check(raised_half_way, n, np.zeros(3), modes=PLAIN, raises=IndexError if n > 3 else None)
    rng = np.random.default_rng(1)
    for shape in ((2, 5), (6, 7)):
        check(window, rng.integers(0, 256, shape).astype(np.uint8), modes=PLAIN)
    check(depth, 40, modes=PLAIN)


def blend(a, b, t, out):
    for i in range(a.shape[0]):
        x, y, z = int(a[i]), int(b[i]), int(t[i])
        out[i] = (x * z + y * (255 - z) + 127) // 255
    return out


def differ(a, b, t, out):
    total = 0
    for i in range(a.shape[0]):
        d = int(a[i]) - int(b[i])
        out[i] = d >> 1 if d > 0 else d % 7
        total += d * d + (int(t[i]) << 3) // 5
        if d * int(t[i]) > 1000:
            total -= int(a[i]) ^ 85
    return total, out


@pytest.mark.parametrize("d", ["uint8", "int8", "int16", "uint16"])
@pytest.mark.parametrize("f", [blend, differ])
def test_narrow_elements(f, d):
    rng, ends = np.random.default_rng(2), np.iinfo(d)
    for n in (0, 3, 300):
        args = [rng.integers(ends.min, ends.max + 1, n).astype(d) for _ in range(3)]
        args[2] //= np.array(2, d)
        check(f, *args, np.zeros(n, d), modes=PLAIN, raises=...)
        check(f, *args, np.zeros(n, np.int32), modes=PLAIN, raises=...)


def generator(n, s):
    hits = np.zeros(16, np.int64)
    inside = 0
    for _ in range(n):
        s = (1103515245 * s + 12345) & 0x7FFFFFFF
        x = s / 2147483648.0
        s = (1103515245 * s + 12345) & 0x7FFFFFFF
        y = s / 2147483648.0
        hits[int(x * 16)] += 1
        inside += x * x + y * y < 1.0
    return hits, inside, s


def masks(n, s):
    for _ in range(n):
        s = (((5 * s + 3) & 0xFFFF) * 7 - 11) & 0xFF
        s = (9 - ((s & 0xF) * 3)) & 0x3F
    return s


def wider(n, s):
    for _ in range(n):
        s = ((s * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFF) * 3
        s = 17 - s * 11 & 0xFFFFFF
    return s


@pytest.mark.parametrize("f", [generator, masks, wider])
def test_numbers_that_are_handed_on(f):
    for n in (0, 1, 2, 50):
        check(f, n, 12345, modes=PLAIN)


def counts(a):
    return np.bincount(a)


@pytest.mark.parametrize("d", ["uint8", "int8", "uint16", "int64"])
def test_counts_of_the_greatest(d):
    greatest = min(np.iinfo(d).max, 70000)
    check(counts, np.array([greatest, 3], d), modes=PLAIN)
    check(counts, np.array([], d), modes=PLAIN)
    if d.startswith("i"):
        check(counts, np.array([3, -1], d), modes=PLAIN, raises=ValueError)


def places(a, k):
    p = np.argpartition(a, k)
    v = a[p[k]]
    return v, np.sort(p), np.sum(a[p[:k]] > v), np.sum(a[p[k:]] < v)


@pytest.mark.parametrize("d", ["float64", "float32", "int32", "uint64"])
def test_places_of_the_kth(d):
    a = (np.random.default_rng(3).random(500) * 90).astype(d)
    if d.startswith("f"):
        a[::50] = np.nan
    for x in (a, a[::-3], np.ones(40, d)):
        for k in (0, 7, len(x) - 1, -2):
            check(places, x, k, modes=PLAIN)
