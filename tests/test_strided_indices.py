# SPDX-License-Identifier: BSD-3-Clause
"""Loops over flat arrays in which an index is a multiple of the loop's variable: pixels, pairs,
images as one row. What LLVM is told of such indices holds, and loads become vectors."""

from __future__ import annotations

import re

import numpy as np
import pytest

import swathe


def drop_alpha(a, o, n):
    for i in range(n):
        o[3 * i] = a[4 * i]
        o[3 * i + 1] = a[4 * i + 1]
        o[3 * i + 2] = a[4 * i + 2]


def from_place(a, o, n):
    for i in range(n):
        o[3 * i + 2] = a[4 * (i + 1) - 4]
        o[3 * i] = a[i * 4 + 3 - n % 2]


def downwards(a, o, n):
    for i in range(n - 1, -1, -1):
        o[i] = a[4 * i + 2] // 2 + a[-1 - 2 * i] // 2


def in_steps(a, o, n):
    k = 0
    for i in range(0, 4 * n, 4):
        o[k] = a[i + 1] // 2 + a[i] // 2
        k += 2


def as_rows(a, o, n):
    for y in range(1, n - 1):
        for x in range(1, n - 1):
            o[y * n + x] = a[(y - 1) * n + x] // 2 + a[y * n + x - 1] // 4 + a[y * n + x + 1] // 4


def last_of_pairs(a, o, n):
    i = 0
    while 2 * i + 1 < n:
        o[i] = a[2 * i + 1]
        i += 1


FUNCTIONS = (drop_alpha, from_place, downwards, in_steps, as_rows, last_of_pairs)


def outcome(call, a, o, n):
    try:
        call(a, o, n)
    except IndexError as e:
        return str(e).split(" for axis")[0], o
    return None, o


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_flat_arrays(f, dtype):
    compiled = swathe.njit(f)
    for n in (0, 1, 2, 9, 16, 67):
        for size in (4 * n, 4 * n - 1, 4 * n - 3, n * n):
            a = (np.arange(max(size, 0)) * 7 % 100).astype(dtype)
            for out in (3 * n, 3 * n - 1, n * n):
                o = np.zeros(max(out, 0), dtype)
                want, got = outcome(f, a, o.copy(), n), outcome(compiled, a, o.copy(), n)
                assert got[0] == want[0]
                np.testing.assert_array_equal(got[1], want[1])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_one_array_for_both(f):
    for n in (1, 9, 67):
        a, b = ((np.arange(5 * n + n * n) * 7 % 100).astype("uint8") for _ in range(2))
        f(a, a, n)
        swathe.njit(f)(b, b, n)
        np.testing.assert_array_equal(a, b)


def test_pixels_become_vectors():
    compiled = swathe.njit(drop_alpha)
    compiled(np.zeros(400, "uint8"), np.zeros(300, "uint8"), 100)
    text = next(iter(compiled.inspect_llvm().values()))
    assert re.search(r"load <\d+ x i8>", text)
    assert text.count("load i8") < 50


def colours(a, o):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            o[i, j, 0] = a[i, j, 2]
            o[i, j, 1] = a[i, j, 1]
            o[i, j, 2] = a[i, j, 0]


@pytest.mark.parametrize("first", [3, 4, 5])
def test_rows_as_long_as_in_the_first_call(first):
    compiled = swathe.njit(colours)
    for width in (first, 3, 4, 5, 8):
        for out in (3, 4):
            for shape in ((5, 40), (1, 3), (0, 2)):
                a = (np.arange(shape[0] * shape[1] * width) % 251).astype("uint8")
                a = a.reshape(*shape, width)
                want, got = np.zeros((2, *shape, out), "uint8")
                colours(a, want)
                compiled(a, got)
                np.testing.assert_array_equal(got, want)
