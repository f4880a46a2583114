# SPDX-License-Identifier: BSD-3-Clause
"""copy.copy and copy.deepcopy in compiled code, beside CPython."""

import copy
from collections import deque
from copy import deepcopy

import numpy as np
import pytest
from live_memory import live

import swathe


def rows():
    x = [[1, 2], [3]]
    x.append(x[0])
    y, z = copy.deepcopy(x), copy.copy(x)
    y[0][0] = 9
    z[1][0] = 7
    board = [[0] * 2] * 3
    same = deepcopy(board)
    same[0][0] = 1
    return x, y, z, board, same


def arguments(a, d):
    b, c = copy.deepcopy(a), copy.copy(a)
    b[0], c[1] = 5, 6
    e, f = deepcopy(d), copy.copy(d)
    e["a"].append(1)
    f["a"].append(7)
    return b, c, e, f, b.flags.f_contiguous


def values(k):
    plain = deepcopy(k), deepcopy("a"), deepcopy((1, "b", (2.5, None))), deepcopy(None)
    flat = deepcopy({1: k}), deepcopy([1.5, 2.5]), deepcopy([(1, "a")]), deepcopy([None, k])
    held = (
        deepcopy([{1}, {k}]),
        deepcopy([{"a": k}]),
        deepcopy({1: [k], 2: [k]}),
        deepcopy([[1]][1:]),
    )
    return plain, flat, held, copy.copy({1, k}), copy.copy(deque([1, k])), copy.copy((1, [k]))


def shared_values(k):
    x = {1: [k]}
    x[2] = x[1]
    y = deepcopy(x)
    y[1].append(4)
    return x, y


def weights(ws):
    v = deepcopy(ws)
    for w in v:
        w *= 2
    return v


def down(board, k):
    b = deepcopy(board)
    for i in range(k):
        b[i][i] = i
    return b + down(b, k - 1) if k > 0 else b


@pytest.mark.parametrize(
    ("f", "args"),
    (
        (rows, ()),
        (arguments, (np.zeros((2, 3), order="F"), {"a": [1], "b": [2, 3]})),
        (values, (3,)),
        (shared_values, (3,)),
        (weights, ([np.ones(3), np.arange(2.0)],)),
        (weights, ([np.ones(3)[:1], np.ones(4)[::-1]],)),
        (down, ([[0] * 3 for _ in range(3)], 2)),
    ),
)
def test_copies(f, args):
    ours, theirs = deepcopy(args), deepcopy(args)
    g = swathe.njit(f)
    assert repr(g(*ours)) == repr(f(*theirs)) and repr(ours) == repr(theirs)
    before = live()
    g(*ours)
    assert live() == before


def test_views_of_one_array():
    a = np.arange(4.0)
    assert (
        repr(swathe.njit(weights)([a[:3], a[1:]])) == "[array([0., 2., 4.]), array([2., 4., 6.])]"
    )
    with pytest.raises(ValueError, match="an array twice"):
        swathe.njit(weights)([a, a])


@pytest.mark.parametrize(
    ("x", "told"),
    (
        ([[[1]]], "below two levels of containers"),
        ([(1, [2])], "a container of such values"),
        ((1, [2]), "of such a value"),
    ),
)
def test_what_is_refused(x, told):
    with pytest.raises(swathe.errors.CompileError, match=told):
        swathe.njit(lambda x: deepcopy(x))(x)
