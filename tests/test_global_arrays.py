# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are globals keep the order of their elements in memory."""

import numpy as np
import pytest

import swathe

ROWS = np.arange(6.0).reshape(2, 3)
COLUMNS = np.asfortranarray(ROWS)
TURNED = np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2)
CUBE = np.asfortranarray(np.arange(24).reshape(2, 3, 4))
GAPS = np.arange(12).reshape(3, 4)[::2, 1::2]
BACK = np.arange(5)[::-1]
EMPTY = np.zeros((0, 3), order="F")
ONE = np.ones((1, 1), order="F")


def rows(k):
    return ROWS, ROWS.strides, ROWS.T.ravel(), ROWS[k], ROWS.sum(axis=0), ROWS + 1


def columns(k):
    return COLUMNS, COLUMNS.strides, COLUMNS.T.ravel(), COLUMNS[k], COLUMNS.sum(axis=0), COLUMNS + 1


def turned(k):
    return TURNED, TURNED.strides, TURNED.T.ravel(), TURNED[k], TURNED.sum(axis=0)


def cube(k):
    return CUBE, CUBE.strides, CUBE.T.ravel(), CUBE[k], CUBE.sum(axis=0), CUBE + 1


def gaps(k):
    return GAPS, GAPS.T.ravel(), GAPS[k], GAPS.sum(axis=0)


def back(k):
    return BACK, BACK[k], BACK.sum(), BACK[::2]


def others(k):
    return EMPTY, EMPTY.sum(), ONE, ONE[k - 1]


def ordered():
    return COLUMNS.ravel(order="A"), COLUMNS.reshape(-1, order="A"), np.copy(COLUMNS).strides


@pytest.mark.parametrize("f", [rows, columns, turned, cube, gaps, back, others])
@pytest.mark.parametrize("parallel", [False, True])
def test_globals(f, parallel):
    got = swathe.njit(cache=False, parallel=parallel)(f)(1)
    for w, g in zip(f(1), got, strict=True):
        assert np.array_equal(w, g), (w, g)
    assert f in (gaps, back, others) or got[0].strides == f(1)[0].strides


def test_order_of_memory():
    for w, g in zip(ordered(), swathe.njit(cache=False)(ordered)(), strict=True):
        assert np.array_equal(w, g)


def test_a_changed_global_is_seen():
    f = swathe.njit(cache=False)(columns)
    before = COLUMNS[0, 1]
    try:
        f(0)
        COLUMNS[0, 1] = 77.0
        assert f(0)[3][1] == 77.0
    finally:
        COLUMNS[0, 1] = before
    assert f(0)[3][1] == before
