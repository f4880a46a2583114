# SPDX-License-Identifier: BSD-3-Clause
"""Displays of lists that Python's builtins go through hold these lists, not arrays of them."""

from __future__ import annotations

import pytest

import swathe


def backwards():
    v, w = [], [1]
    for x in reversed([v, w]):
        x.append(9)
    return list(reversed([v])), v, w, [a + b for a, b in zip(reversed([v, w]), [[1], [2]])]


def extremes():
    v, w = [2], [1, 5]
    return max([v, w]), min((v, w)), min([v, w, [0]]), max([v, w], key=len), sum([v, w], [])


def others():
    v, w = [2], [1, 5]
    return any([[], v]), all([[], v]), sorted([v, w]), list(enumerate([v])), list(zip([v], [1]))


@pytest.mark.parametrize("f", [backwards, extremes, others])
def test_as_python(f):
    assert swathe.njit(f)() == f()
