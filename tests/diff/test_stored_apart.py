# SPDX-License-Identifier: BSD-3-Clause
"""What is stored to an array that its own values or places may be a part of; what is left without
one place; sums over the first axes where the last one is short."""

import numpy as np
import pytest

import swathe

A = np.arange(12)
M = A % 3 == 0


def shared(x, y):
    near = np.may_share_memory(x, y), np.may_share_memory(x[:2], x[2:])
    return *near, np.may_share_memory(x, x + 1), np.may_share_memory(x[::2], x[1::2])


def at(x, i, v):
    np.add.at(x, i, v)
    np.maximum.at(x, i, 3)
    return x


def put(x, i, v):
    np.put(x, i, v)
    return x


def by_mask(x, m, v):
    np.putmask(x, m, v)
    np.place(x, x == 9, v)
    return x


def rows(x, i, m):
    x[i] = 7
    x[:, i] *= 2
    x[i, i] = x[0]
    x[m, 1:] = -x[m, 1:]
    return x


def without(x, k):
    return np.delete(x, k), np.delete(x, k, 0), np.delete(x, k, 1), np.delete(x, k, axis=-1)


def first_axes(t):
    whole = t.sum(axis=0), t.mean(axis=0), t.max(axis=0), t.sum(axis=0, keepdims=True)
    return *whole, t.std(axis=0), (t > 5).any(axis=0), np.add.reduce(t, axis=0), t.sum((0, 1))


compiled = {
    (f, p): swathe.njit(cache=False, parallel=p)(f)
    for f in (shared, at, put, by_mask, rows, without, first_axes)
    for p in (False, True)
}


def assert_same(f, make, parallel=False):
    """Results, what arguments hold afterwards, and the class of what is raised, as in NumPy."""
    ours, theirs = make(), make()
    try:
        want = f(*theirs)
    except (IndexError, ValueError) as e:
        with pytest.raises(type(e)):
            compiled[f, parallel](*ours)
    else:
        got = compiled[f, parallel](*ours)
        for g, w in zip(got, want, strict=True):
            assert np.shape(g) == np.shape(w) and np.asarray(g).dtype == np.asarray(w).dtype
            assert np.allclose(g, w, rtol=1e-6)
    for g, w in zip(ours, theirs, strict=True):
        assert np.allclose(g, w, rtol=1e-6)


def parts(name):
    """An array, and what is part of it."""
    x = A.copy()
    return {
        "apart": (x, np.array([1, 2, 1, -3]), np.array([5, 6, 7, 8])),
        "values": (x[:6], np.array([1, 2, 1, 0]), x[2:6]),
        "places": (x, x[:6], x[3:9]),
        "backwards": (x, x[::-1], x),
        "rows": (x.reshape(3, 4), np.array([0, 2]), x[4:8]),
        "outside": (x, np.array([0, 12]), x[:2]),
    }[name]


@pytest.mark.parametrize("name", ["apart", "values", "places", "backwards", "rows", "outside"])
@pytest.mark.parametrize("f", [at, put])
def test_places(f, name):
    assert_same(f, lambda: parts(name))


@pytest.mark.parametrize("k", range(6))
def test_masks(k):
    def given():
        x = A.copy()
        return [
            (x, M, np.arange(20, 32)),
            (x.reshape(3, 4), M.reshape(3, 4), np.array([5, 6])),
            (x.reshape(3, 4).T, M.reshape(4, 3), np.arange(20, 32)),
            (x, M, np.array([4])),
            (x, M.astype("i4") * 2, x[::-1].copy()),
            (x, M[:4], np.array([4])),
        ][k]

    assert_same(by_mask, given)


def test_what_may_be_shared():
    for y in (A[3:], A.copy(), A[:0], A.reshape(3, 4)[:, 1]):
        assert_same(shared, lambda y=y: (A, y))


@pytest.mark.parametrize("i", [[0, 2, 2, 1], [-1, 1, 0, 0], [0, 7, 1, 1]])
def test_rows(i):
    assert_same(rows, lambda: (np.arange(16.0).reshape(4, 4), np.array(i), M[:4].copy()))


@pytest.mark.parametrize("shape", [(4, 5), (1, 4), (3, 4, 5)])
def test_without_one_place(shape):
    x = np.arange(np.prod(shape)).reshape(shape)
    for k in (0, -1, 2, -4, 9):
        for given in (x, x.T, x[:, ::-1]):
            assert_same(without, lambda k=k, given=given: (given, k))


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("shape", [(3, 4, 5), (3, 0, 5), (1, 1, 1), (600, 2, 3)])
def test_first_axes(shape, parallel):
    x = np.random.default_rng(1).random(shape) * 10
    for t in (x, np.asfortranarray(x), x[::-1]):
        assert_same(first_axes, lambda t=t: (t,), parallel)
