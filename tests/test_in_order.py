# SPDX-License-Identifier: BSD-3-Clause
"""Independent iterations that store an element and read it again, with others beside it."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def again(f):
    for j in range(f.shape[1] // 2):
        r = f[0, 2 * j + 1]
        f[0, 2 * j] = r * 2
        f[1, j] = r + 1
        z = f[0, 2 * j]
        f[0, 2 * j + 1] = z + r


def planes(f):
    for j in range(f.shape[1] // 2):
        r = f[0, 2 * j] + f[0, 2 * j + 1]
        for k in range(3):
            f[k, 2 * j] = r * 2
            r += f[k, 2 * j + 1]
        for k in range(3):
            f[k, 2 * j + 1] = f[k, 2 * j] + r


def across(f):
    for j in range(f.shape[1] // 2):
        for k in range(3):
            f[k, 2 * j] += f[2 - k, 2 * j + 1]
            f[2 - k, 2 * j + 1] = f[k, 2 * j] * 2 + f[1, 2 * j]


def twice(f):
    for j in range(f.shape[1] // 2):
        f[0, 2 * j] = 3.0
        f[2, j] = f[0, 2 * j + 1]
        f[0, 2 * j + 1] = f[2, j] + 1
        f[0, 2 * j] = f[1, 2 * j] * 2


def four(f):
    for j in range(f.shape[1] // 4):
        for k in range(2):
            f[k, 4 * j] += f[1 - k, 4 * j + 1] + f[k, 4 * j + 2]
            f[k, 4 * j + 1] = f[1 - k, 4 * j] * 2
            f[k, 4 * j + 2] = f[0, 4 * j] - f[1, 4 * j + 1]
            f[k, 4 * j + 3] = f[k, 4 * j + 2]


def beside(f):
    for j in range(f.shape[1]):
        for k in range(3):
            f[k, j] += f[2 - k, j] * (k + 1)
            f[2 - k, j] = f[k, j] * 2


def swapped(f):
    for j in range(f.shape[1] // 2):
        for k in range(2):
            for m in range(2):
                f[k, 2 * j + m] += f[m, 2 * j + k]


def some(f):
    for j in range(f.shape[1] // 2):
        for k in range(2):
            if f[k, 2 * j] > 1:
                f[1 - k, 2 * j + 1] = f[k, 2 * j] * 0.5
            f[k, 2 * j] = f[k, 2 * j + 1] + f[1 - k, 2 * j + 1]


def columns(f):
    for i in range(f.shape[1] // 2):
        for c in range(2):
            f[c, 2 * i] += f[c, 2 * i + 1]
        f[2, i] = f[0, 2 * i] + f[1, 2 * i]
        for c in range(2):
            f[c, 2 * i + 1] = f[2, i] - f[c, 2 * i]


KERNELS = [again, planes, across, twice, four, beside, swapped, some, columns]
COMPILED = {f.__name__: swathe.njit(cache=False)(f) for f in KERNELS}
PARALLEL = {f.__name__: swathe.njit(cache=False, parallel=True)(f) for f in (again, across)}


@pytest.mark.parametrize("f", KERNELS, ids=lambda f: f.__name__)
def test_as_python(f):
    rng = np.random.default_rng(3)
    for n in (0, 1, 3, 8, 33, 100, 257):
        whole = rng.random((3, n + 3))
        views = [whole, whole[:, 3:], whole[::-1], np.broadcast_to(whole[:1], (3, n + 3)).copy()]
        for view in views:
            want, got = view.copy(), view.copy()
            f(want)
            for compiled in [COMPILED, PARALLEL]:
                if f.__name__ not in compiled:
                    continue
                got = whole.copy() if view.base is whole else view.copy()
                into = got[:, 3:] if view.shape != got.shape else got
                into[:] = view
                compiled[f.__name__](into)
                assert np.array_equal(into, want), n
