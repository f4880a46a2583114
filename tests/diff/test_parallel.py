# SPDX-License-Identifier: BSD-3-Clause
"""Parallel loops return what the serial ones do, at any number of threads: see parallel.py."""

from __future__ import annotations

import concurrent.futures
import contextlib

import numpy as np
import pytest
from harness import ORACLE
from live_memory import live
from parallel import SIZES, THREADS, check, numbers, threads

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")


# ---- elements --------------------


def scale(x, a):
    y = np.empty_like(x)
    for i in prange(len(x)):
        y[i] = a * x[i] + 1
    return y


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.int8])
def test_elements(n, dtype):
    check(scale, numbers(n, dtype=dtype), dtype(3))


def steps(n, y):
    for i in prange(3, n, 7):
        y[i] = i
    for i in prange(n - 1, -1, -3):
        y[i] += 2 * i


@pytest.mark.parametrize("n", SIZES)
def test_steps(n):
    check(steps, n, np.zeros(n, np.int64))


def index_type(n):
    out = np.zeros(n)
    k = 0
    for i in prange(n):
        out[i] = i / 2 + i // 3
        k = i
    return out, k


@pytest.mark.parametrize("n", SIZES)
def test_index_has_the_type_of_a_serial_one(n):
    check(index_type, n)


def strided(x, y):
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] * 2


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (1, 1), (3, 5000), (997, 31), (2, 100_003)])
def test_layouts(shape):
    x = numbers(shape[0] * shape[1]).reshape(shape)
    wide = np.zeros((shape[0] * 2, shape[1] * 3))
    check(strided, x, np.zeros(shape))
    check(strided, np.asfortranarray(x), np.zeros(shape, order="F"))
    check(strided, x[::-1, ::-1], wide[::2, 1::3])


def branches(x, y, flag):
    if flag:
        for i in prange(len(x)):
            y[i] = x[i] + 1
    else:
        for i in prange(len(x)):
            y[i] = x[i] - 1
    return y


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("n", SIZES)
def test_a_loop_in_each_branch(n, flag):
    check(branches, numbers(n), np.zeros(n), flag)


def two_in_a_row(x):
    n = len(x)
    y = np.zeros(n)
    z = np.zeros(n)
    for i in prange(n):
        y[i] = x[i] * 2
    for i in prange(n):
        z[i] = y[n - 1 - i] + y[i]
    return z


@pytest.mark.parametrize("n", SIZES)
def test_a_loop_that_depends_on_the_one_before(n):
    check(two_in_a_row, numbers(n))


def in_a_loop(x, times):
    y = x.copy()
    for _ in range(times):
        z = np.empty_like(y)
        for i in prange(len(y)):
            z[i] = (y[i - 1] + y[i]) / 2
        y = z
    return y


@pytest.mark.parametrize("n", SIZES)
def test_a_loop_in_a_loop(n):
    check(in_a_loop, numbers(n), 5)


# ---- what is private, and what comes out --------------------


def set_inside(x):
    last = -1.0
    k = 0
    for i in prange(len(x)):
        t = x[i] * 2
        last = t + 1
        k = 2 * i
    return last, k


@pytest.mark.parametrize("n", SIZES)
def test_a_variable_read_after_the_loop(n):
    check(set_inside, numbers(n))


def inner_break(x, out):
    for i in prange(len(x)):
        n = 0
        v = x[i]
        while n < 50:
            v = v * 1.5 + 0.1
            if v > 4:
                break
            n += 1
        out[i] = n
    return out


@pytest.mark.parametrize("n", SIZES)
def test_while_and_break(n):
    check(inner_break, numbers(n), np.zeros(n, np.int64))


def skips(x, y):
    for i in prange(len(x)):
        if x[i] < 0:
            continue
        y[i] = np.sqrt(x[i])
    return y


@pytest.mark.parametrize("n", SIZES)
def test_continue(n):
    check(skips, numbers(n), np.zeros(n))


def row_buffers(x):
    out = np.zeros(len(x))
    for i in prange(len(x)):
        t = np.zeros(5)
        for k in range(5):
            t[k] = x[i] * k
        u = t[1:4]
        u += 1
        out[i] = t.sum()
    return out


@pytest.mark.parametrize("n", SIZES)
def test_an_array_of_each_iteration(n):
    check(row_buffers, numbers(n), close=True)


def row_views(x):
    out = np.zeros(x.shape[0])
    for i in prange(x.shape[0]):
        row = x[i]
        out[i] = row[0] - row[-1]
        row[0] = i
    return out


@pytest.mark.parametrize("n", SIZES)
def test_views_of_rows(n):
    check(row_views, numbers(3 * n).reshape(n, 3))


def nested(a, b):
    n, m = a.shape[0], b.shape[1]
    c = np.zeros((n, m))
    for i in prange(n):
        for j in prange(m):
            t = 0.0
            for k in range(a.shape[1]):
                t += a[i, k] * b[k, j]
            c[i, j] = t
    return c


@pytest.mark.parametrize("n", [0, 1, 3, 67, 130])
def test_nested(n):
    check(nested, numbers(n * 41).reshape(n, 41), numbers(41 * 53).reshape(41, 53), close=True)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


fib = swathe.njit(fib)


def recursion(n):
    out = np.zeros(n, np.int64)
    for i in prange(n):
        out[i] = fib(i % 15)
    return out


@pytest.mark.parametrize("n", [0, 1, 31, 997])
def test_recursion_in_a_body(n):
    check(recursion, n)


@swathe.njit(parallel=True)
def halves(x, lo, hi):
    """Sum by halves; each half sums its leaf in parallel."""
    if hi - lo < 2000:
        s = 0
        for i in prange(lo, hi):
            s += x[i]
        return s
    mid = (lo + hi) // 2
    return halves(x, lo, mid) + halves(x, mid, hi)


@pytest.mark.parametrize("n", SIZES)
def test_a_parallel_loop_in_a_recursive_function(n):
    x = numbers(n, dtype=np.int64)
    for k in THREADS:
        with threads(k):
            assert halves(x, 0, n) == x.sum()


# ---- shared memory --------------------


def shift(a):
    a[1:] = a[:-1]
    return a


def shift_back(a):
    a[:-1] = a[1:] * 2 + a[:-1]
    return a


@pytest.mark.parametrize("n", SIZES[1:])
def test_overlapping_slices(n):
    check(shift, numbers(n))
    check(shift_back, numbers(n))


def copy_into(x, y):
    for i in prange(len(x)):
        y[i] = x[i] + 1


@pytest.mark.parametrize("n", SIZES[1:])
def test_aliased_arguments(n):
    a = numbers(n)
    check(copy_into, a, a)
    base = numbers(n + 1)
    check(copy_into, base[1:], base[:-1])
    check(copy_into, base[:-1], base[1:])
    check(copy_into, a[::-1], a)


# ---- reductions --------------------


def total(x):
    s = 0
    for i in prange(len(x)):
        s += x[i]
    return s


def product(x):
    p = 1.0
    for i in prange(len(x)):
        p *= 1 + x[i] / len(x)
    return p


def extremes(x):
    lo = np.inf
    hi = -np.inf
    for i in prange(len(x)):
        lo = min(lo, x[i])
        hi = max(hi, x[i])
    return lo, hi


def conditional(x):
    s = 10.0
    n = 0
    for i in prange(len(x)):
        if x[i] > 0:
            s += x[i]
            n += 1
        else:
            s -= 2 * x[i]
    return s, n


def nested_sum(x):
    s = 0.0
    for i in prange(len(x)):
        for j in range(i % 7):
            s += x[i] * j
    return s


def bits(x):
    a = -1
    o = 0
    e = 0
    for i in prange(len(x)):
        a &= x[i]
        o |= x[i]
        e ^= x[i]
    return a, o, e


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("f", [total, product, extremes, conditional, nested_sum])
def test_reductions(f, n):
    check(f, numbers(n), close=True)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.uint32, np.complex128])
def test_sums_of_other_types(n, dtype):
    x = numbers(n, dtype=np.int8).astype(dtype)
    check(total, x, close=True)


@pytest.mark.parametrize("n", SIZES)
def test_bits(n):
    check(bits, numbers(n, dtype=np.int64) | 64)


@pytest.mark.parametrize("n", SIZES[1:])
def test_nan_in_a_minimum(n):
    x = numbers(n)
    x[n // 2] = np.nan
    check(total, x, close=True)


def histogram(x, bins):
    h = np.zeros(bins, np.int64)
    for i in prange(len(x)):
        h[x[i]] += 1
    return h


@pytest.mark.parametrize("n", SIZES)
def test_an_array_that_all_iterations_add_to(n):
    x = numbers(n, dtype=np.int64) % 10
    check(histogram, x, 10)


def columns(x):
    s = np.zeros(x.shape[1])
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            s[j] += x[i, j]
    return s


@pytest.mark.parametrize("n", SIZES)
def test_sums_of_columns(n):
    check(columns, numbers(n * 3).reshape(n, 3), close=True)


# ---- array expressions --------------------


def expressions(a, b):
    c = a * b + 2
    d = np.zeros_like(a)
    d[:] = np.sqrt(np.abs(c))
    return c, d, np.where(a > b, a, b)


@pytest.mark.parametrize("n", SIZES)
def test_array_expressions(n):
    check(expressions, numbers(n), numbers(n, 1))


def matrix_expression(a, row, col):
    return a * row + col


@pytest.mark.parametrize("shape", [(1, 1), (3, 50_000), (500, 31)])
def test_broadcasting(shape):
    n, m = shape
    check(matrix_expression, numbers(n * m).reshape(shape), numbers(m), numbers(n).reshape(n, 1))


def array_reductions(a, b):
    return a.sum(), a.mean(), np.dot(a, b), a.max(), (a * b).min(), a.var()


@pytest.mark.parametrize("n", SIZES[1:])
def test_array_reductions(n):
    check(array_reductions, numbers(n), numbers(n, 1), close=True)


def axes(a):
    return a.sum(axis=0), a.sum(axis=1), a.max(axis=1)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5000), (997, 31)])
def test_reductions_over_axes(shape):
    check(axes, numbers(shape[0] * shape[1]).reshape(shape), close=True)


# ---- exceptions --------------------


def out_of_bounds(x, index):
    out = np.zeros(len(index))
    for i in prange(len(index)):
        out[i] = x[index[i]]
    return out


def divides(x):
    out = np.zeros(len(x), np.int64)
    for i in prange(len(x)):
        out[i] = 100 // int(x[i])
    return out


def raises(x):
    s = 0
    for i in prange(len(x)):
        if x[i] == 77:
            raise ValueError("no seventy-seven")
        s += x[i]
    return s


@pytest.mark.parametrize("n", SIZES[1:])
def test_an_exception_of_one_iteration(n):
    for at in {0, n // 2, n - 1}:
        index = np.zeros(n, np.int64)
        index[at] = 5
        check(out_of_bounds, np.arange(4.0), index)
        x = np.ones(n, np.int64)
        x[at] = 0
        check(divides, x)
        x[at] = 77
        check(raises, x)


@pytest.mark.parametrize("n", SIZES[1:])
def test_the_first_of_many_exceptions(n):
    index = np.arange(n) + 4
    check(out_of_bounds, np.arange(4.0), index)


def caught(x):
    try:
        for i in prange(len(x)):
            x[i] = 10 // int(x[i] - 77)
    except ZeroDivisionError:
        return -1
    return 1


@pytest.mark.parametrize("n", SIZES[1:])
def test_a_loop_in_a_try(n):
    x = np.ones(n, np.int64)
    check(caught, x)
    x[n // 2] = 77
    for k in THREADS:
        with threads(k):
            assert swathe.njit(parallel=True)(caught)(x.copy()) == -1


def tries(x):
    out = np.zeros(len(x), np.int64)
    for i in prange(len(x)):
        try:
            out[i] = 10 // int(x[i])
        except ZeroDivisionError:
            out[i] = -1
    return out


@pytest.mark.parametrize("n", SIZES)
def test_a_try_in_a_loop(n):
    check(tries, numbers(n, dtype=np.int64) % 5)


def early(x):
    for i in prange(len(x)):
        if x[i] > 0.5:
            return i
    return -1


def test_a_return_out_of_a_loop():
    with pytest.raises(NotImplementedError, match="can't be left by return"):
        swathe.njit(parallel=True)(early)(numbers(5))


# ---- memory, threads of Python --------------------


@swathe.njit(parallel=True)
def buffers(x, bad):
    """Arrays in each iteration, in the loop's result, and an error in the midst of them."""
    out = np.zeros((len(x), 4))
    h = np.zeros(3)
    last = 0.0
    for i in prange(len(x)):
        t = np.ones(4) * x[i]
        u = t[1:]
        for k in range(4):
            out[i, k] = t[k]
        h[i % 3] += u[0]
        last = t[0]
        if i == bad:
            raise ValueError("bad")
    return out, h, last


@pytest.mark.parametrize("bad", [-1, 0, 500, 999])
def test_nothing_is_lost(bad):
    x = numbers(1000)
    call = buffers

    def run():
        with contextlib.suppress(ValueError):
            call(x, bad)

    for n in THREADS:
        with threads(n):
            run()
            before = live()["bytes"]
            for _ in range(50):
                run()
            assert live()["bytes"] == before


def test_two_threads_of_python_at_once():
    x = numbers(50_000)
    f = swathe.njit(parallel=True)(scale)
    want = f(x, 2.0)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for got in pool.map(lambda _: f(x, 2.0), range(100)):
            assert got.tobytes() == want.tobytes()
