# SPDX-License-Identifier: BSD-3-Clause
"""Numbers, lists, tuples and arrays of classes that give operators a meaning of their own: refused,
as arguments and as constants, and never taken for what they are derived from."""

from __future__ import annotations

import enum
import time
from typing import Any

import numpy as np
import pytest

import swathe


class Length(float):
    def __add__(self, o):
        return 99.0


class Count(int):
    def __lt__(self, o):
        return True


class Phase(complex):
    def __bool__(self):
        return False


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Plain(float):
    def doubled(self):
        return self * 2


class Long(list):
    def __len__(self):
        return 9


class Fours(tuple):
    def __getitem__(self, k):
        return 4


class PlainList(list):
    pass


class Odd(np.ndarray):
    def __add__(self, o):
        return 5


def passed(x: Any) -> Any:
    return x


OWN = [Length(1.0), Count(2), Phase(1j)]
CONSTANTS = [
    *OWN,
    Long([1, 2]),
    Fours((1, 2)),
    np.arange(3).view(Odd),
    np.ma.array([1.0, 2.0], mask=[True, False]),
]


@pytest.mark.parametrize("x", OWN, ids=repr)
def test_arguments(x):
    for value in (x, (x, 1)):
        with pytest.raises(swathe.errors.ArgumentTypeError, match="operators of its own: pass"):
            swathe.njit(passed)(value)


def constant(x: Any) -> Any:
    return swathe.njit(lambda: x)


@pytest.mark.parametrize("x", CONSTANTS, ids=lambda x: type(x).__name__)
def test_constants(x):
    with pytest.raises(swathe.errors.UnsupportedError, match="whose operators are its own"):
        constant(x)()


def test_matrices_are_no_arrays():
    with pytest.warns(PendingDeprecationWarning):
        m = np.matrix([[1, 2], [3, 4]])
    with pytest.raises(swathe.errors.UnsupportedError, match="class matrix"):
        constant(m)()


def test_classes_without_operators_are_what_they_seem():
    @swathe.njit
    def two(x):
        return x * 2

    for x in (Plain(1.5), Level.HIGH, True):
        assert two(x) == x * 2
        assert constant(x)() == x
    assert constant(PlainList([1, 2]))() == [1, 2]
    assert constant(time.gmtime(0))()[0] == 1970
