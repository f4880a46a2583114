# SPDX-License-Identifier: BSD-3-Clause
"""Parallel loops on a device, the hard ones: rows, what is combined into elements, exceptions.

Each runs on the CPU and on the device: the results, what was written, and the class and line of an
exception are the same. What has to stay on the CPU says why.
"""

from __future__ import annotations

import copy
import math
import signal
import threading
import time
import traceback
from typing import Any

import numpy as np
import pytest
from test_offload import OPENCL, on_device, remarks, same

import swathe
from swathe import njit, prange

rng = np.random.default_rng(5)
A, B = rng.random((31, 17)), rng.random((31, 17))
I = rng.integers(0, 100, 1000)  # noqa: E741
x1 = rng.random(1000)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def blank() -> np.ndarray:
    return np.zeros_like(A)


# ---- rows ----------------------------------------------------------------------------------------


def rows(a, o):
    for i in prange(a.shape[0]):
        o[i, :] = a[i, :] * 2 + a[i, ::-1]


def columns(a, b):
    for j in prange(a.shape[1]):
        a[:, j] = b[:, j] * 2 - b[::-1, j]


def rows_of_rows(a, b, c, o):
    for i in prange(a.shape[0]):
        o[i, :] = a[i, :] * c + b[i, :]
        o[i, 1:] += a[i, :-1]
        o[i, 0] = c.sum()


def in_place(a, b):
    for i in prange(a.shape[0]):
        a[i] += b[i]


def blocks(a, o):
    for i in prange(a.shape[0] // 2):
        o[2 * i : 2 * i + 2, :] = a[2 * i : 2 * i + 2, ::-1] * 3


def three_loops(a, o):
    for i in prange(a.shape[0]):
        for j in prange(a.shape[1]):
            o[i, j] = a[i] * 2


def ragged(a, o):
    for i in prange(o.shape[0]):
        o[i, :i] = a[i, :i]
        o[i, i:] = 0


def softmax(x, o):
    for i in prange(x.shape[0]):
        m = np.max(x[i])
        o[i] = np.exp(x[i] - m)
        o[i] /= o[i].sum()


def own_rows(o):
    for i in prange(o.shape[0]):
        t = np.full(5, i)
        u = t * 2 + np.arange(5)
        o[i] = u.max()


def shifted(a):
    for i in prange(a.shape[0]):
        a[i, 1:] = a[i, :-1] + 1


ROWS = [
    (rows, (A, blank()), "two loops"),
    (rows, (A[::-1, ::2], np.zeros((31, 9))), "two loops"),
    (columns, (A, B), "two loops"),
    (rows_of_rows, (A, B, A[0].copy(), blank()), "runs"),
    (rows_of_rows, (A, B, np.ones(1), blank()), "runs"),
    (in_place, (A, B), "two loops"),
    (blocks, (A, blank()), "runs"),
    (three_loops, (A, np.zeros((31, 17, 17))), "three loops"),
    (ragged, (A, np.ones((17, 17))), "runs"),
    (softmax, (A, blank()), "runs"),
    (own_rows, (np.zeros(70),), "runs"),
    (shifted, (A,), "may need a copy"),
]


@pytest.mark.parametrize("case", ROWS, ids=lambda c: c[0].__name__)
def test_rows(case: Any) -> None:
    f, args, how = njit(parallel=True)(case[0]), case[1], case[2]
    same(f, *args)
    assert how in remarks(f)


@pytest.mark.parametrize("f", [rows, columns, in_place, blocks], ids=lambda f: f.__name__)
@pytest.mark.parametrize("first", [0, 1, 9])
def test_rows_of_one_array(f: Any, first: int) -> None:
    """Arguments that share memory: the test before the loop sends it to the CPU."""
    one = np.arange(40.0 * 17).reshape(40, 17)
    two = one.copy()
    part = slice(first, first + 31) if first < 2 else slice(first + 30, first - 1, -1)
    if (first == 1 and f is not blocks) or (first == 9 and f in (rows, in_place)):
        pytest.skip("the iterations depend on each other")
    f = njit(parallel=True)(f)
    f(one[:31], one[part])
    on_device(f, two[:31], two[part])
    np.testing.assert_allclose(two, one)


# ---- what is combined into elements of an array --------------------------------------------------


def sum_of_rows(a, b, s):
    for i in prange(a.shape[0]):
        s += a[i] * b[i]


def greatest_of_rows(a, s):
    for i in prange(a.shape[0]):
        s[:] = np.maximum(s, a[i])


def counts(x, h):
    for i in prange(x.size):
        h[x[i] & 7] += 1


def greatest(x, h):
    for i in prange(x.size):
        h[x[i] & 7] = max(h[x[i] & 7], x[i])


def several(x, h, g):
    n = 0
    for i in prange(x.size):
        h[x[i] & 7] += x[i]
        g[x[i] & 3] |= x[i]
        n += 1
    return n


def two_axes(x, y, h):
    for i in prange(x.size):
        h[x[i] & 7, y[i] & 3] -= 2


def floats(x, h):
    for i in prange(x.size):
        h[int(x[i] * 8)] += x[i]


def greatest_if(x, h):
    for i in prange(x.size):
        if x[i] > h[x[i] & 7]:
            h[x[i] & 7] = x[i]


i8 = I.astype(np.int8)
COMBINED = [
    (sum_of_rows, (A, B, A[0].copy()), "through the loop in order"),
    (greatest_of_rows, (A, np.zeros(17)), "through the loop in order"),
    *((counts, (I, np.zeros(8, d)), "runs") for d in "bBhHiIqQ"),
    (counts, (I, np.zeros(16, np.int16)[::-2]), "runs"),
    (greatest, (I, np.zeros(8, np.int64)), "runs"),
    (greatest, (i8, np.zeros(16, np.int8)[::2]), ""),
    (several, (I, np.zeros(8, np.int32), np.zeros(4, np.int64)), "runs"),
    (two_axes, (I, I[::-1], np.zeros((8, 4), np.uint32)), "runs"),
    (floats, (x1, np.zeros(8)), "combines floats into elements"),
    (greatest_if, (I, np.zeros(8, np.int64)), "as no one atomic operation does"),
]


@pytest.mark.parametrize("case", COMBINED, ids=lambda c: f"{c[0].__name__}-{c[1][-1].dtype}")
def test_combined_into_elements(case: Any) -> None:
    f, args, how = njit(parallel=True)(case[0]), case[1], case[2]
    same(f, *args)
    assert how in remarks(f)


# ---- exceptions ----------------------------------------------------------------------------------


@njit
def deep(v):
    if v > 0.99:
        raise ArithmeticError("deep")
    return v * 2


def divides(a, b):
    for i in prange(a.size):
        a[i] = 7 // int(b[i])


def reaches_out(a, o):
    for i in prange(o.size):
        for j in range(a.shape[1] + 1):
            o[i] += a[i, j]


def from_the_end(x, n):
    for i in prange(n):
        x[-1 - i] = 1


def raises(x):
    for i in prange(x.size):
        if x[i] > 0.99:
            raise OverflowError(f"at {i}")


def asserts(x):
    s = 0.0
    for i in prange(x.size):
        assert x[i] < 0.99, "big"
        s += x[i]
    return s


def in_a_call(x):
    for i in prange(x.size):
        x[i] = deep(x[i])


def root(x):
    for i in prange(x.size):
        x[i] = math.sqrt(x[i] - 0.5)


def exponential(x):
    for i in prange(x.size):
        x[i] = math.exp(x[i] * 10000)


def shifts(a):
    for i in prange(a.size):
        a[i] = 1 << int(a[i] - 50)


def powers(a):
    for i in prange(a.size):
        a[i] = float(a[i]) ** -1.0


def to_int(x, o):
    for i in prange(x.size):
        o[i] = int(x[i])


def shapes(a, b):
    a[:] = a + b


def shapes_of_rows(a, b):
    for i in prange(a.shape[0]):
        a[i, :] = b


def second_loop(x):
    for i in prange(x.size):
        x[i] += 1
    y = x[5]
    for i in prange(x.size):
        if i == 7:
            raise ValueError("seven")
    return y


def caught(x):
    k = 0
    for t in range(5):
        try:
            for i in prange(x.size):
                if x[i] > t:
                    raise ValueError("more")
        except ValueError:
            k += 1
    return k


def no_step(x, s):
    for i in prange(0, 5, s):
        x[i] = 1


near = np.full(50, 0.6)
near[7] = 0.1
RAISED = [
    (divides, (np.ones(500), np.arange(500)[::-1]), ZeroDivisionError),
    (reaches_out, (A, np.zeros(31)), IndexError),
    (from_the_end, (np.zeros(5), 6), IndexError),
    (raises, (np.linspace(0, 1, 300),), OverflowError),
    (asserts, (np.linspace(0, 1, 300),), AssertionError),
    (in_a_call, (np.linspace(0, 1, 300),), ArithmeticError),
    (root, (near,), ValueError),
    (exponential, (near,), OverflowError),
    (shifts, (np.arange(100)[::-1],), ValueError),
    (powers, (np.arange(10.0)[::-1],), ZeroDivisionError),
    (to_int, (np.array([1, np.inf]), np.zeros(2, int)), OverflowError),
    (to_int, (np.array([1, np.nan]), np.zeros(2, int)), ValueError),
    (shapes, (A, A[:, 0].copy()), ValueError),
    (shapes_of_rows, (A, A[:, 0].copy()), ValueError),
    (second_loop, (x1,), ValueError),
    (no_step, (np.zeros(5), 0), ValueError),
]


def raised(f: Any, args: Any) -> tuple[type, int, str]:
    with pytest.raises(Exception) as e:
        f(*copy.deepcopy(args))
    at = traceback.extract_tb(e.value.__traceback__)[-1]
    return type(e.value), at.lineno, str(e.value).split("\n")[0]


@pytest.mark.parametrize("case", RAISED, ids=lambda c: f"{c[0].__name__}-{c[2].__name__}")
def test_exceptions(case: Any) -> None:
    f, args, expected = njit(parallel=True)(case[0]), case[1], case[2]
    want = raised(f, args)
    with swathe.device_context(OPENCL):
        got = raised(f, args)
    assert got[0] is expected and got == want


def test_an_exception_may_be_caught() -> None:
    f = njit(parallel=True)(caught)
    assert same(f, np.full(10, 2.5)) == 3


# ---- interruption --------------------------------------------------------------------------------


def test_ctrl_c_between_kernels() -> None:
    @njit(parallel=True)
    def f(x, n):
        for _ in range(n):
            for i in prange(x.size):
                x[i] += 1

    x = np.zeros(64)
    on_device(f, x, 3)
    timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        on_device(f, x, 1 << 60)
    timer.join()
    assert x.min() == x.max() > 3 and time.monotonic() > start
    on_device(f, x, 1)


# ---- tests of the iteration stay in it: what they ask is not known before the loop ---------------


def from_the_end(a, n, m):
    for i in prange(n):
        for j in prange(m):
            a[i - n, j - m] = i + 2 * j


def from_the_end_in_order(a, n, m):
    for i in prange(n):
        for j in range(m):
            a[i - n, j] += j


def from_the_end_and_combined(a, n, m):
    most = 0.0
    for i in prange(n):
        for j in prange(m):
            a[i - n, j - m] *= 2
            most = max(most, a[i - n, j])
    return most


def behind_a_place(a, n, m):
    for i in prange(n):
        for j in prange(i, m):
            a[i - n, j - i] = i - j


@pytest.mark.parametrize(
    "f", [from_the_end, from_the_end_in_order, from_the_end_and_combined, behind_a_place]
)
@pytest.mark.parametrize("order", "CF")
def test_places_that_count_from_the_end(f: Any, order: str) -> None:
    compiled = njit(parallel=True)(f)
    for n, m in ((7, 5), (64, 8), (1, 3), (0, 3)):
        around = [np.zeros((3 * n, m), order=order) for _ in range(2)]
        rows = [x[n : 2 * n] for x in around]
        for x in rows:
            x[...] = np.arange(n * m).reshape(n, m) % 7
        assert f(rows[0], n, m) == on_device(compiled, rows[1], n, m)
        np.testing.assert_array_equal(around[0], around[1])
