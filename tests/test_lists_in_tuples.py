# SPDX-License-Identifier: BSD-3-Clause
"""Lists, dicts and sets inside of tuples and named tuples that are arguments."""

import collections

import numpy as np
import pytest

import swathe

Tree = collections.namedtuple("Tree", "offsets children size")


@swathe.njit
def grown(t):
    t.children.append(2)
    s = 0.0
    for x in t.offsets:
        s += x
    return s, len(t.children), t.size


@swathe.njit
def same(t, x):
    t[1][0] = 7.0
    x[1] = 9.0
    return t[0] is t[1], t[0] is x, len(t[0])


@swathe.njit
def mixed(t):
    return t[0][0], t[1][0].sum(), t[2]["a"], 2 in t[3], t[4]


@swathe.njit
def itself(t):
    return t


@swathe.njit
def half_way(t):
    t[0][0] = 5.0
    t[0].append(6.0)
    raise ValueError("late")


def test_changes_are_seen() -> None:
    offsets, children = [1.5, 2.5], [1]
    tree = Tree(offsets, children, 3)
    assert grown(tree) == (4.0, 2, 3) and children == [1, 2] and offsets == [1.5, 2.5]
    back = itself(tree)
    assert back.offsets is offsets and back.children is children and type(back) is Tree
    x = [1.0, 2.0]
    assert same((x, x), x) == (True, True, 2) and x == [7.0, 9.0]
    assert same((x, [0.0]), [1.0, 2.0]) == (False, False, 2)
    assert mixed(((1.5,), [np.ones(3)], {"a": 2}, {1, 2}, "b")) == (1.5, 3.0, 2, True, "b")
    with pytest.raises(ValueError, match="late"):
        half_way((x,))
    assert x == [5.0, 9.0, 6.0]
    empty: list[float] = []
    with pytest.raises(ValueError, match="late"):
        half_way(([0.0], empty))
    assert empty == []


def test_what_they_can_not_hold() -> None:
    with pytest.raises(TypeError, match="first element compiled code does not know"):
        itself(([object()], 1))


def test_flags_beside_numbers() -> None:
    x = [1, True]
    assert repr(itself((1, x))) == repr((1, [1, True])) and itself((1, x))[1] is x


@swathe.njit
def rows(a):
    ones, places = [], []
    for x in a:
        ones.append(1)
        places.append(x)
    return np.array([ones, places]), np.asarray([places, ones, places])


def test_rows_of_unlike_numbers() -> None:
    for a in (np.arange(3), np.arange(3, dtype=np.float32) / 2, np.arange(3, dtype=np.uint8)):
        for got, want in zip(rows(a), rows.py_func(a), strict=True):
            assert got.tolist() == want.tolist()
            assert got.dtype == want.dtype

    @swathe.njit
    def kept(a):
        x, y = [1], [a]
        both = [x, y]
        return both

    assert repr(kept(np.float32(1))) == repr([[1], [np.float32(1)]])

    @swathe.njit
    def ragged(a):
        x, y = [1, 2], [a]
        return np.array([x, y])

    with pytest.raises(ValueError, match=r"."):
        ragged(1.5)
