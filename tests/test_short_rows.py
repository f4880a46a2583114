# SPDX-License-Identifier: BSD-3-Clause
"""Loops that take the elements of short rows one by one: points, colours."""

from __future__ import annotations

import re

import numpy as np
import pytest

import swathe


def turn(p, out):
    for i in range(p.shape[0] - 1):
        x, y, z = p[i, 0], p[i + 1, 1], p[i, 2]
        out[i, 2] = x - y
        out[i, 0] = z * 2 + p[0, 1]


def shift_in_place(p, out):
    for i in range(1, p.shape[0]):
        p[i, 0] += p[i - 1, 2]
        p[i, 1] = p[i - 1, 1] + 1
        p[i, 2] -= p[i - 1, 0]


def blend(p, out):
    image = p.reshape(-1, 1, p.shape[1])
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            out[i, 0] = image[i, j, 0] + 2 * image[i, j, 1]
            out[i, 1] = image[i, j, 2]


FUNCTIONS = {f: swathe.njit(f) for f in (turn, shift_in_place, blend)}


@pytest.mark.parametrize("width", [3, 4, 7])
@pytest.mark.parametrize("n", [0, 1, 2, 9, 40])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_rows(f, n, width):
    p = np.random.default_rng(n).integers(0, 100, (n, width)).astype(np.float64)
    for alias in (False, True):
        got, want = p.copy(), p.copy()
        outs = [got if alias else np.zeros((n, 3)), want if alias else np.zeros((n, 3))]
        FUNCTIONS[f](got, outs[0])
        f(want, outs[1])
        assert np.array_equal(got, want)
        assert np.array_equal(outs[0], outs[1])


def test_narrow_rows():
    p = np.zeros((5, 2))
    with pytest.raises(IndexError):
        FUNCTIONS[turn](p, np.zeros((5, 3)))


def grey(p, out):
    for i in range(p.shape[0]):
        for j in range(p.shape[1]):
            out[i, j] = p[i, j, 0] + p[i, j, 1] * np.float32(3) - p[i, j, 2]


@swathe.njit
def grey_called(p, out):
    grey_of(p, out)


grey_of = swathe.njit(grey)


@pytest.mark.parametrize("f", [grey_of, grey_called], ids=["plain", "called"])
def test_points_become_vectors(f):
    """All places of a point are read: a few points are loaded in one go."""
    for width in (3, 4, 5):
        p = np.random.default_rng(width).random((7, 41, width), dtype=np.float32)
        got, want = np.zeros((7, 41), np.float32), np.zeros((7, 41), np.float32)
        f(p, got)
        grey(p, want)
        np.testing.assert_array_equal(got, want)
    lanes = [int(n) for n in re.findall(r"vectorised: (\d+) lanes", grey_of.explain())]
    assert not lanes or max(lanes) >= 8


def deep_nest(depth: int) -> str:
    """A nest of loops of one or two steps over elements of short rows."""
    names = [f"i{k}" for k in range(depth)]
    loops = [f"{'    ' * (k + 1)}for i{k} in range({1 + (k < 3)}):" for k in range(depth)]
    line = f"{'    ' * (depth + 1)}s += p[{' + '.join(names)}, 0] * q[i0, 1] - p[i1, 2]"
    return "\n".join(["def f(p, q):", "    s = 0.0", *loops, line, "    return s", ""])


@pytest.mark.parametrize("depth", [11, 12, 13, 14, 19])
def test_many_short_loops_in_each_other(depth, tmp_path, monkeypatch):
    (tmp_path / f"nest_{depth}.py").write_text(deep_nest(depth))
    monkeypatch.syspath_prepend(tmp_path)
    f = __import__(f"nest_{depth}").f
    p, q = np.arange(24.0).reshape(8, 3), np.arange(16.0).reshape(8, 2) / 8
    assert swathe.njit(f)(p, q) == f(p, q)
    assert swathe.njit(f)(p[:, ::-1], q.T.copy().T) == f(p[:, ::-1], q.T.copy().T)
