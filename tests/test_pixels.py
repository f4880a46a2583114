# SPDX-License-Identifier: BSD-3-Clause
"""Integer expressions over elements of at most 16 bits, which are computed in 16 or 32 bits."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def mixed(a, b, c, d, t, u, o):
    for i in range(len(a)):
        o[i] = (int(a[i]) * t + int(b[i]) * (256 - t)) & 255
        u[i] = ((int(a[i]) * t - int(c[i]) * 3 + (int(d[i]) << 2)) >> 8) & 255


def signed(a, b, c, d, t, u, o):
    for i in range(len(a)):
        x = int(a[i]) - 2 * int(b[i]) + int(a[len(a) - 1 - i])
        u[i] = min(255, abs(x) + abs(int(b[i]) - int(a[i])))
        o[i] = (x >> 1) * 3 + max(x, -int(b[i]), -7)


def wide(a, b, c, d, t, u, o):
    for i in range(len(a)):
        x = int(c[i]) * 3 - int(d[i])
        y = int(c[i]) + int(d[i])
        u[i] = 255 if x > y else int(y < 0)
        o[i] = x // 7 + (y % 9) * 2 + (int(c[i]) * int(c[i]) >> 16) - (int(d[i]) * 40000)


def edges(a, b, c, d, t, u, o):
    for i in range(len(a)):
        x = int(c[i]) + 65535 if int(d[i]) < -32768 + 5 else int(d[i]) - 1
        u[i] = (int(a[i]) * 257 + 1 ^ int(c[i])) >> 8 & 255
        o[i] = abs(x) + (int(b[i]) | int(c[i])) - (int(d[i]) & int(a[i])) + abs(int(d[i]))


def summed(a, b, c, d, t, u, o):
    s = 0
    for i in range(len(a)):
        e = int(a[i]) - int(b[i])
        s += e * e + abs(int(c[i]) - int(d[i]))
    o[0] = s


FUNCTIONS = {f: swathe.njit(f) for f in (mixed, signed, wide, edges, summed)}


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_pixels(f):
    rng = np.random.default_rng(5)
    for n in (1, 15, 64, 133):
        given = []
        for dtype in (np.uint8, np.uint8, np.uint16, np.int16):
            ends = np.iinfo(dtype)
            x = rng.integers(ends.min, ends.max + 1, n).astype(dtype)
            x[rng.random(n) < 0.2] = ends.max
            x[rng.random(n) < 0.2] = ends.min
            given.append(x)
        for t in (100, -3, 2**40 + 1):
            got, want = np.zeros(n, np.int64), np.zeros(n, np.int64)
            small, expected = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
            FUNCTIONS[f](*given, t, small, got)
            f(*(x.astype(object) for x in given), t, expected, want)
            assert np.array_equal(got, want)
            assert np.array_equal(small, expected)


def test_padded_rows():
    def gray(image, out):
        for i in range(image.shape[0]):
            out[i] = int(image[i, 0]) * 77 + int(image[i, 1]) * 150 + int(image[i, 2]) * 29 >> 8

    f = swathe.njit(gray)
    for width in (3, 4, 5):
        for n in (0, 1, 31, 200):
            image = np.random.default_rng(n).integers(0, 256, (n, width)).astype(np.uint8)
            got, want = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
            f(image, got)
            gray(image, want)
            assert np.array_equal(got, want)


def int32_expressions(a, b, c, d, t, u, o):
    for i in range(len(a)):
        r, g, s = np.int32(a[i]), np.int32(b[i]), np.int32(c[i])
        o[i] = np.int8(((112 * r - 94 * g - 18 * np.int32(d[i]) + 128) >> 8) + s)
        u[i] = np.uint8(((66 * r + 129 * g + 25 * r + 128) >> 8) + 16)


def int32_that_wraps(a, b, c, d, t, u, o):
    for i in range(len(a)):
        s, e = np.int32(c[i]), np.int32(d[i])
        x = s * s * 3 - e * np.int32(40000)
        o[i] = np.int64(x >> 3) + abs(e - s)
        u[i] = np.uint8((x >> 8) + max(s, e) + (s % np.int32(7)) + (255 if x > s else 3))


@pytest.mark.parametrize("f", [int32_expressions, int32_that_wraps])
@pytest.mark.parametrize("n", [1, 15, 64, 211])
def test_numbers_of_32_bits(f, n):
    rng = np.random.default_rng(n)
    kinds = (np.uint8, np.uint8, np.uint16, np.int16)
    ends = [np.iinfo(k) for k in kinds]
    arrays = [rng.integers(e.min, e.max + 1, n).astype(e.dtype) for e in ends]
    for x, e in zip(arrays, ends, strict=True):
        x[::7], x[3::7] = e.min, e.max
    got = [np.zeros(n, np.uint8), np.zeros(n, np.int64)]
    want = [np.zeros(n, np.uint8), np.zeros(n, np.int64)]
    with np.errstate(all="ignore"):
        f(*arrays, 3, *want)
    swathe.njit(f)(*arrays, 3, *got)
    assert np.array_equal(got[0], want[0]) and np.array_equal(got[1], want[1])
