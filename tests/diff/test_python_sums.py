# SPDX-License-Identifier: BSD-3-Clause
"""Python's sum() of what is no number, zip() of an unpacked tuple, and dtypes of several values."""

import numpy as np
import pytest
from harness import PLAIN, check

import swathe

A = np.arange(12.0).reshape(4, 3) % 5
SMALL = (np.arange(12, dtype=np.int8) * 11).reshape(4, 3)


@swathe.jitclass
class Vector:
    x: float
    y: float

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)


def neighbours(a):
    near = (-1, 0, 1)
    return sum(np.roll(np.roll(a, i, 0), j, 1) for i in near for j in near if (i, j) != (0, 0))


def of_arrays(a, k):
    rows = [a[i] for i in range(k)]
    return sum(rows), sum(a[i] * a[i + 1] for i in range(k)), sum([a, a + 1, 2 * a]), sum(rows, 1)


def of_unlike(a, k):
    return sum((a, a[0], 2)), sum((a[:k] > 1, a[:k] > 2)), sum(((a[0] > 1), 2.5))


def from_an_array(a, k):
    return sum((a[i] for i in range(k)), np.zeros(3)), sum([a[0]], np.ones((2, 1)))


def of_lists(xs):
    return sum(xs, []), sum([[1, 2], [3]], [0]), sum((xs, xs), [])


def of_objects(n):
    v = sum([Vector(float(i), i * 2.0) for i in range(n)], Vector(0.5, 0.25))
    return v.x, v.y


@pytest.mark.parametrize("a", [A, SMALL, A[::-1, ::2], A > 1])
def test_arrays(a):
    for f in (neighbours, of_arrays, of_unlike):
        if f is not of_arrays or a.dtype != bool:
            check(f, *((a,) if f is neighbours else (a, 2)), modes=PLAIN)


def test_starts():
    for k in (0, 1, 3):
        check(from_an_array, A, k, modes=PLAIN)
        check(of_objects, k, modes=PLAIN)
    check(of_lists, [[1, 2], [], [3]], modes=PLAIN)


def test_nothing_is_no_array():
    with pytest.raises(ValueError, match="give it a start"):
        swathe.njit(of_arrays)(A, 0)
    with pytest.raises(swathe.errors.CompileError, match="can't sum strings"):
        swathe.njit(lambda: sum(["a", "b"]))()


def pairs(m):
    found = [(int(i), int(j)) for i, j in zip(*np.nonzero(m))]
    for p in zip(*np.where(m), strict=True):
        found.append((int(p[0]), -1))
    rows = (m[0], m[1], range(3))
    it = zip(*rows)
    least = np.int64(0)
    for k, i, j in zip(range(2), *np.nonzero(m)):
        least += k * i + j
    for _ in zip(*()):
        least += 1
    return found, next(it)[2], len(list(zip(*rows))), least, max(*np.shape(m))


@pytest.mark.parametrize("m", [A > 2, A > 9, SMALL > 3])
def test_zip_of_an_unpacked_tuple(m):
    check(pairs, m, modes=PLAIN)


def dtypes(a, b):
    d = np.result_type(a, b)
    return (np.zeros(2, d), np.ones(2, np.promote_types(a.dtype, np.int8)), d == np.float64,
            np.empty(0, np.result_type(a, 1.0)), np.zeros(1, np.result_type(1, True)),
            np.zeros(1, np.result_type(1, "f2", np.int64)))  # fmt: skip


@pytest.mark.parametrize("a", [A, SMALL, A.astype(np.float32), A > 1])
@pytest.mark.parametrize("b", [2, 2.5, np.arange(3, dtype=np.int16), np.uint8(3), True])
def test_dtypes(a, b):
    check(dtypes, a, b, modes=PLAIN)
