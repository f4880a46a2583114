"""Indices that are made of elements of constant arrays: in range, at the ends, and beyond."""

import numpy as np
import pytest

import swathe

PERM = np.random.RandomState(3).permutation(256)
SMALL = np.array([3, 0, -1, 2], np.int8)
WIDE = np.array([2**63, 1], np.uint64)
BOOLS = np.array([True, False])
SQUARE = np.arange(6, dtype=np.uint16).reshape(2, 3)
NONE = np.zeros(0, np.int64)
LOW = np.array([-(2**63), 2**63 - 1, 1])


def hashed(x, y):
    return PERM[(PERM[x & 255] + y) & 255] + PERM[PERM[y & 255]]


def steps(a):
    s = 0.0
    for i in range(1, len(a) - 1):
        for k in range(4):
            s += a[i + SMALL[k]] * k
    return s


def picked(a, i, j):
    return a[SQUARE[i, j] + SMALL[j]], a[BOOLS[i] + 1], a[LOW[2] - 1]


def beyond(a, i):
    return a[i + LOW[i]]


def empty(a, i):
    return a[NONE[i]]


def unsigned(a, i):
    return a[int(WIDE[i])]


def both(f, *args):
    found = []
    for g in f, swathe.njit(f):
        try:
            found.append(g(*args))
        except (IndexError, OverflowError) as error:
            found.append(type(error))
    return found


def test_hash():
    f = swathe.njit(hashed)
    for x, y in (0, 0), (255, 255), (-1, 77), (300, -300):
        assert f(x, y) == hashed(x, y)


def test_steps():
    g = swathe.njit(steps)
    for n in (0, 2, 3, 5, 9):
        a = np.arange(n) + 0.5
        try:
            want = steps(a)
        except IndexError:
            with pytest.raises(IndexError):
                g(a)
        else:
            assert g(a) == want


def test_ends():
    a = np.arange(4.0)
    for i in range(2):
        for j in range(3):
            ours, theirs = both(picked, a, i, j)
            assert ours == theirs
    for f, i in (beyond, 0), (beyond, 2), (empty, 0), (unsigned, 1), (unsigned, 0):
        ours, theirs = both(f, a, i)
        assert ours == theirs or {ours, theirs} == {IndexError, OverflowError}
