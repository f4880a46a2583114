# SPDX-License-Identifier: BSD-3-Clause
"""A list or tuple of arrays where NumPy takes an array, or stores one."""

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import prange


def asked(a, b, rows, pair):
    return (
        np.median([a, b], axis=0),
        np.cov([a[0], b[0]]),
        np.std(rows, axis=0),
        np.unique(pair),
        np.linalg.norm([x - rows[0] for x in rows], axis=1),
        np.percentile([x for x in a], 30, axis=0),  # noqa: C416
        np.average([a[0], b[0]], axis=0, weights=[1, 3]),
        np.linalg.det([a[0], b[1], a[2]]),
    )


def beside(a, b, rows, pair):
    return (
        a[:2] - rows,
        rows * a[:2],
        rows == a[:2],
        np.maximum(rows, 0.5),
        a @ np.array(pair).T,
        np.mean([rows, rows], axis=0),
        np.where(a[:2] > 0.5, rows, 0),
    )


def of_three_axes(a, b, rows, pair):
    x = [a, b]
    return (
        np.dot([a, b], [b, a]),
        np.dot(np.array([a, b]), [b, a]),
        np.dot((a, b), np.stack((b, a))),
        np.dot(x, x),
        a.dot([a, b]),
        np.dot([[a[0], b[0]], [a[1], b[1]]], a[0]),
        np.dot([a, b], [1, 2, 3]),
    )


def stored(a, b, rows, pair):
    n = np.zeros((3, 3), np.uint8)
    a[1:] = [b[0], b[1]]
    a[:2, 1:] += [b[0, :2], b[1, 1:]]
    b[:2] = rows
    b[1:] = pair
    b[[0, 2]] = [a[1], a[0]]
    n[:2] = [np.arange(3) + 300, np.arange(3)]
    n[2] = [b[0, 0] > 2, 3, 4]
    return a, b, n


def indices(a, b, rows, pair):
    i = np.array([[1, 2, 0], [0, 1, 2]])
    x = a[[i[0], i[1]]], a[[i[0], i[1]], 0], a[:, [i[0], i[1]]], a[[i[0], i[1]], [i[1], i[0]]]
    y = (
        a[[[0, 1], [1, i[0, 0]]]],
        a[[i[0] > 1, i[1] > 1, i[1] < 1]],
        a[[[i[0], i[1]], [i[1], i[0]]]],
    )
    a[[i[0], i[1]], 1] = [b[0], b[1]]
    a[[i[0][:2], i[1][1:]]] += 1
    return x + y + (a,)


def in_parallel(a, b, rows, pair):
    out = np.empty(len(a))
    for k in prange(len(a)):
        out[k] = np.median([a[k], rows[0], pair[1]])
    return out


def arguments():
    r = np.random.default_rng(4)
    rows = [r.random(3), r.random(3)]
    return r.random((3, 3)), r.random((3, 3)), rows, (r.random(3), r.random(3))


@pytest.mark.parametrize("f", (asked, beside, of_three_axes, stored, indices, in_parallel))
def test_as_numpy(f):
    want, got = f(*arguments()), swathe.njit(parallel=f is in_parallel)(f)(*arguments())
    for x, y in zip(want, got, strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(y, x, rtol=1e-12)


def test_unlike_lengths():
    @swathe.njit
    def f(a, rows):
        return np.median([a[0], rows[0][:1]])

    @swathe.njit
    def store(a):
        a[:2] = [a[0], a[1, :2]]

    @swathe.njit
    def too_many(a):
        a[:2] = [a[0], a[1], a[2]]

    a, _, rows, _ = arguments()
    for g, args in ((f, (a, rows)), (store, (a,))):
        with pytest.raises(ValueError, match="inhomogeneous"):
            g(*args)
    with pytest.raises(ValueError, match="could not broadcast"):
        too_many(a)


def test_nothing_is_left():
    f = swathe.njit(stored)
    f(*arguments())
    before = live()
    for _ in range(3):
        f(*arguments())
    assert live() == before
