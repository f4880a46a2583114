# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: C409
"""A tuple whose length only the run tells is an index of all axes, not an array of places."""

import numpy as np
import pytest
from live_memory import live
from said import outcome

import swathe
from swathe import prange


def numbers(g, p):
    t = tuple(p)
    return g[t], g[tuple(p.tolist())], g[tuple([int(v) for v in p])], g[tuple(v - 1 for v in p)]


def displays(g, p):
    return g[(*p,)], g[(*p.tolist(),)], g[tuple(p), 0], g[0][tuple(p[:1])]


def stores(g, p):
    g[tuple(p)] = 7
    g[tuple(p - 1)] += 5
    g[(*p,)] -= 1
    for i in np.argwhere(g > 8):
        g[tuple(i)] = 0
    return g


def rows(g, p):
    at = np.argwhere(g > 5)
    g[tuple(at.T)] += g[tuple(at[::-1].T)]
    g[tuple(at[:2].T)] = [1, 2]
    return g, g[tuple([p, p - 1])], np.ravel_multi_index(tuple(at.T), g.shape)


def added(g, p):
    np.add.at(g, tuple(p), 1)
    np.subtract.at(g, (*p,), 0.5)
    np.multiply.at(g, tuple(np.argwhere(g > 3).T), 2)
    np.add.at(g[0], tuple(p[:1]), g[2, 3])
    return g


def grown(g, p):
    t = ()
    for v in p:
        t += (v,)
    best = max((tuple(x) for x in np.argwhere(g < 9)), key=lambda t: g[t])
    return g[t], g[best], np.ravel_multi_index(tuple(p), g.shape, order="F")


def caught(g, p):
    n = 0
    try:
        g[tuple(p * 9)] = 1
    except IndexError:
        n += 1
    try:
        g[tuple(np.append(p, p))] += 1
    except IndexError:
        n += 1
    return n, g


def too_many(g, p):
    return g[tuple(np.append(p, 1))]


def at_once(g, p):
    out = np.zeros(len(g))
    at = np.argwhere(g > -1)
    for k in prange(len(g)):
        out[k] = g[tuple(at[k * 4])]
    return out


PROGRAMS = [numbers, displays, stores, rows, added, grown, caught, too_many, at_once]


def arguments():
    return np.arange(12.0).reshape(3, 4), np.array([1, 2])


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_numpy(f):
    assert outcome(swathe.njit(f), arguments()) == outcome(f, arguments())


def test_records():
    r = np.zeros((2, 2), [("x", "f8"), ("y", "i4")])
    r["x"] = [[1, 2], [3, 4]]

    @swathe.njit
    def f(r, p):
        r[tuple(p)].y = 5
        return r[tuple(p)].x, r[tuple(p)]["y"]

    assert f(r, np.array([1, 0])) == (3, 5)
    assert r["y"].tolist() == [[0, 0], [5, 0]]


def test_fewer_than_axes():
    @swathe.njit
    def f(g, p):
        return g[tuple(p)]

    with pytest.raises(IndexError, match="must index all 2 axes of the array, and it has 1"):
        f(np.ones((2, 2)), np.array([1]))


def test_nothing_is_left():
    f = swathe.njit(rows)
    f(*arguments())
    before = live()
    for _ in range(3):
        f(*arguments())
    assert live() == before
