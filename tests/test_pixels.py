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
