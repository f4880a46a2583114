"""int() of floats that are made of small integers: without a test where it always fits, with
Python's errors where it may not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from swathe import njit


def gray(s, d):
    for i in range(len(d)):
        d[i] = int(0.299 * s[i, 0] + 0.587 * s[i, 1] + 0.114 * s[i, 2])
    return d


def bright(s, d):
    for i in range(len(d)):
        d[i] = int(0.5 * s[i, 0] + 0.6 * s[i, 1])
    return d


def stored(s, d):
    for i in range(len(d)):
        d[i] = 0.25 * s[i, 0] + 0.75 * s[i, 1]
    return d


def dark(s, d):
    for i in range(len(d)):
        d[i] = 0.5 * s[i, 0] - s[i, 1] / 2.0
    return d


def forms(s, d):
    n = 0
    for i in range(len(d)):
        x, y = s[i, 0], s[i, 1]
        n += int(math.sqrt(float(x) * float(x) + float(y) * float(y)))
        n += int(abs(x * 0.5 - y * 0.25)) * 3 + int(-(x / 3.0))
        n += int(np.floor(x * 0.1)) + int(np.float32(x) * np.float32(0.3)) * 5
        n += int((x > y) * 2.5) + int(x * 0.7 if x > y else y * -0.3)
        n += int(x * 1e6) % 7 + int(x / 255.0 * 65535.0) + int(y * 1e9) % 11
        d[i] = n % 100
    return d, n


def pixels(dtype):
    info = np.iinfo(dtype)
    ends = [info.min, info.max, 0, 1, info.max - 1, info.max // 2]
    some = np.random.default_rng(1).integers(info.min, info.max, 63, endpoint=True)
    return np.array([*ends, *some], dtype).reshape(23, 3)


@pytest.mark.parametrize("f", [gray, bright, stored, dark, forms], ids=lambda f: f.__name__)
def test_pixels(f):
    compiled = njit(f)
    for dtype in (np.uint8, np.int8, np.uint16):
        for to in (np.uint8, np.int16) if dtype is not np.uint16 else (np.uint16,):
            s = pixels(dtype)
            for table in (s, s[:, ::-1], s % 64, s[:0]):
                want, got = np.zeros(len(table), to), np.zeros(len(table), to)
                try:
                    expected = f(table, want)
                except (OverflowError, ValueError) as e:
                    with pytest.raises(type(e)):
                        compiled(table, got)
                else:
                    np.testing.assert_equal(compiled(table, got), expected)
                np.testing.assert_array_equal(got, want)


def test_no_tests_are_left():
    f = njit(gray)
    f(pixels(np.uint8), np.zeros(23, np.uint8))
    assert "deferred" not in f.explain()  # those of int() and of the store would be


def test_not_numbers():
    """What may be NaN or too large is tested as ever."""

    def f(x, s):
        return int(min(x, 0.5 * s[0, 0])), int(s[0, 0] * 1e300 * x)

    s = pixels(np.uint8)
    for x in (0.5, 2.0, math.nan, math.inf, -math.inf):
        try:
            with np.errstate(invalid="ignore"):
                want = f(x, s)
        except (OverflowError, ValueError) as e:
            with pytest.raises(type(e)):
                njit(f)(x, s)
        else:
            assert njit(f)(x, s) == want
