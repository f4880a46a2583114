# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that the host makes, changes and reads between kernels: both sides see the same."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors, njit, prange

try:
    OPENCL = swathe.Device(DEVICE)
except errors.NoDeviceError as e:
    pytest.skip(str(e), allow_module_level=True)


@njit(parallel=True)
def made_in_loop(n: int) -> Any:
    a = np.zeros(n)
    for t in range(3):
        a = np.zeros(n)
        for j in range(n):
            a[j] = j * t + 1 + a[j - 1]
    b = np.empty(n)
    for i in prange(n):
        b[i] = a[i]
    return b


@njit(parallel=True)
def made_in_try(n: int, fails: int) -> Any:
    a = np.zeros(n)
    for i in prange(n):
        a[i] = i
    try:
        if fails:
            raise ValueError
        a = np.zeros(n)
        for i in range(1, n):
            a[i] = a[i - 1] + 1
    except ValueError:
        a[0] = 7
    b = np.empty(n)
    for i in prange(n):
        b[i] = a[i] * 2
    return b


@njit(parallel=True)
def perhaps_made(n: int, at: int) -> float:
    a = np.zeros(n)
    for i in prange(n):
        a[i] = i + 1.5
    s = 0.0
    for t in range(4):
        if t == at:
            a = np.ones(n)
        elif t > at:
            break
        s = s * 0.5 + a[t]
    return s


@njit
def run_down(n: int, m: int) -> Any:
    a = np.zeros(n)
    b = np.empty(n)
    for k in range(m):
        for j in range(1, n):
            a[j] = a[j - 1] * 0.5 + k
            if a[j] > 100:
                a[j] = 0
            elif a[j] > 10:
                b[j - 1] = a[j]
            if j % 3 == 0:
                a[j] += 2
            if j % 5 == 0:
                a[j] += 2
            if j % 7 == 0:
                a[j] -= 2
        for j in range(n):
            b[j] = a[j] + j
    return a, b


@njit(parallel=True)
def made_by_call(n: int, m: int) -> Any:
    a, b = run_down(n, m)
    c = np.empty(n)
    for i in prange(n):
        c[i] = a[i] + 2
    return c, b


@njit(parallel=True)
def names_change_places(n: int, m: int) -> Any:
    a, b = np.zeros(n), np.ones(n)
    for _ in range(m):
        for i in prange(n):
            b[i] = a[i] + 1
        a, b = b, a
        a[0] += b[1]
    return a, b


CALLS: list[tuple[Any, tuple[Any, ...]]] = [
    (made_in_loop, (10,)),
    (made_in_try, (10, 0)),
    (made_in_try, (10, 1)),
    (perhaps_made, (10, 9)),
    (perhaps_made, (10, 1)),
    (made_by_call, (30, 4)),
    (names_change_places, (10, 0)),
    (names_change_places, (10, 5)),
]


@pytest.mark.parametrize(("f", "args"), CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_both_sides_see_the_same(f: Any, args: tuple[Any, ...]) -> None:
    want = f.py_func(*copy.deepcopy(args))
    with swathe.device_context(OPENCL):
        got = f(*args)
    want, got = (x if isinstance(x, tuple) else (x,) for x in (want, got))
    for a, b in zip(want, got, strict=True):
        np.testing.assert_allclose(b, a)
