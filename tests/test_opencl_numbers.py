# SPDX-License-Identifier: BSD-3-Clause
"""Numbers at the ends of their ranges, on an OpenCL device and on the CPU as a device."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors, gpu, njit, prange

try:
    OPENCL = swathe.Queue(DEVICE)
except errors.NoDeviceError as e:
    pytest.skip(str(e), allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def on(queue: Any, kernel: Any, threads: int, *args: Any) -> None:
    kernel[-(-threads // 32), 32, queue](*args)


# ---- dtypes that C makes wider ------------------------------------------------------------------


@gpu.jit
def choices(x: Any, y: Any, out: Any) -> None:
    i = gpu.grid(1)
    if i < x.size:
        a = x[i] if x[i] > y[i] else y[i]
        out[0, i] = min(a, y[i])
        out[1, i] = max(x[i] if i > 2 else y[i], a)
        out[2, i] = abs(a if i > 1 else x[i])
        out[3, i] = x[i] + x[i].imag


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "f2"])
def test_choices_of_narrow_numbers(dtype: str) -> None:
    x, y = np.arange(8).astype(dtype), (np.arange(8)[::-1] * 31).astype(dtype)
    got = [np.zeros((4, 8)) for _ in range(2)]
    for q, out in zip((None, OPENCL), got, strict=True):
        on(q, choices, 8, x, y, out)
    a = np.maximum(x, y)
    assert np.array_equal(got[0][0], np.minimum(a, y))
    assert np.array_equal(*got)


@gpu.jit
def least(x: Any, out: Any) -> None:
    i = gpu.grid(1)
    if i < x.size:
        a = abs(x[i])
        out[0, i] = 1 if a < 100 else 2
        out[1, i] = 1 if a >= 0 else 2
        out[2, i] = a
        out[3, i] = np.bitwise_count(x[i])
        out[4, i] = np.gcd(x[i], x[i] // 2 + 1)


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
def test_the_least_integer_has_no_absolute(dtype: Any) -> None:
    m = np.iinfo(dtype)
    x = np.array([m.min, m.min + 1, -1, 0, 5, m.max], dtype)
    a = np.abs(x)
    want = [np.where(a < 100, 1, 2), np.where(a >= 0, 1, 2), a, np.bitwise_count(x)]
    for q in (None, OPENCL):
        out = np.zeros((5, x.size), np.int64)
        on(q, least, x.size, x, out)
        assert np.array_equal(out, [*want, np.gcd(x, x // dtype(2) + dtype(1))])


@gpu.jit
def halves(x: Any, y: Any, out: Any) -> None:
    i = gpu.grid(1)
    if i < x.size:
        out[0, i] = x[i]
        h = np.float16(x[i])
        out[1, i] = np.spacing(h)
        out[2, i] = np.nextafter(h, np.float16(y[i]))


def test_halves_are_rounded_once() -> None:
    x = [1 + 2**-11 + 2**-30, 65519.999, 2.98e-8, 1e-9, 1.0, -1.0, 0.0, -0.0, np.inf, np.nan]
    x = np.array([*x, -65504.0, 6e-8])
    y = np.roll(x, 5)
    h = x.astype("f2")
    want = np.stack([h, np.spacing(h), np.nextafter(h, y.astype("f2"))])
    for q in (None, OPENCL):
        out = np.zeros((3, x.size), "f2")
        on(q, halves, x.size, x, y, out)
        np.testing.assert_array_equal(out, want)


# ---- loops and bits ------------------------------------------------------------------------------


@gpu.jit
def steps(lo: int, hi: int, out: Any) -> None:
    t = gpu.threadIdx.x
    k = 0
    for _ in range(lo, hi, 2):
        k += 1
        if k > 9:
            break
    n = 0
    for _ in range(hi - t, lo, -3):
        n += 1
        gpu.syncthreads()
        if n > 9:
            break
    m = 0
    for _ in range(lo + t, hi, 3):
        m += 1
        gpu.syncthreads()
        if m > 9:
            break
    if t < 2:
        out[t] = k + 10 * n + 100 * m


def test_loops_end_at_the_ends_of_int64() -> None:
    for lo, hi in ((2**63 - 5, 2**63 - 1), (-(2**63), 4 - 2**63), (7, 7)):
        want = []
        for t in range(2):
            down, up = len(range(hi - t, lo, -3)), len(range(lo + t, hi, 3))
            want.append(len(range(lo, hi, 2)) + 10 * down + 100 * up)
        for q in (None, OPENCL):
            out = np.zeros(2, np.int64)
            steps[1, 2, q](lo, hi, out)
            assert out.tolist() == want


@gpu.jit
def swaps(x: Any, out: Any) -> None:
    shared = gpu.shared.array(4, np.float64)
    own = gpu.local.array(4, np.float32)
    t = gpu.threadIdx.x
    if t < 4:
        shared[t] = x[t]
        own[t] = x[t]
        gpu.atomic.cas(shared, t, x[t + 4], 9.0)
        gpu.atomic.cas(own, t, np.float32(x[t + 4]), np.float32(9.0))
        out[t] = shared[t]
        out[t + 4] = own[t]


def test_cas_compares_bits_in_each_memory() -> None:
    x = np.array([0.0, np.nan, 1.0, -0.0, -0.0, np.nan, 1.0, -0.0])
    for q in (None, OPENCL):
        out = np.ones(8)
        on(q, swaps, 4, x, out)
        np.testing.assert_array_equal(out, [0, 9, 9, 9] * 2)


@gpu.jit
def shuffles(x: Any, masks: Any, out: Any) -> None:
    t = gpu.threadIdx.x
    j = 0
    for k in range(-5, 70, 9):
        out[t, j] = gpu.shfl_down_sync(0xFFFFFFFF, x[t], k)
        out[t, j + 1] = gpu.shfl_up_sync(0xFFFFFFFF, x[t], k)
        out[t, j + 2] = gpu.shfl_xor_sync(0xFFFFFFFF, x[t], k)
        out[t, j + 3] = gpu.shfl_sync(0xFFFFFFFF, x[t], k)
        j += 4
    if t < masks.size:
        out[t, 40] = gpu.ballot_sync(masks[t], x[t] > 2)


def test_distances_of_shuffles() -> None:
    got = [np.zeros((64, 41)) for _ in range(2)]
    for q, out in zip((None, OPENCL), got, strict=True):
        on(q, shuffles, 64, np.arange(64.0)[:64], np.full(8, 255), out)
    assert np.array_equal(*got)
    assert np.array_equal(got[0][:32, 0], np.arange(32))
    assert got[0][:8, 40].tolist() == [0b11111000] * 8


# ---- complex numbers -----------------------------------------------------------------------------


@gpu.jit
def functions(x: Any, y: Any, out: Any) -> None:
    i = gpu.grid(1)
    if i < x.size:
        a = x[i]
        out[0, i] = np.exp(a)
        out[1, i] = np.log(a)
        out[2, i] = np.sqrt(a)
        out[3, i] = np.sin(a)
        out[4, i] = np.cos(a)
        out[5, i] = a**3
        out[6, i] = np.power(a, y[i])
        out[7, i] = a.real if a == 1j else 2.0


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_complex_functions_do_not_overflow_on_the_way(dtype: Any) -> None:
    f = np.finfo(dtype)
    parts = [0.0, -0.0, 1, -1, 0.5, -7, f.max / 2, f.tiny, f.smallest_subnormal, 1e3, 1 + 1e-9]
    parts += [80.0, 720.0]
    x = np.array([complex(a, b) for a in parts for b in parts]).astype(dtype)
    y = np.array([complex(1 + i % 3, 0.25 * (i % 2)) for i in range(x.size)]).astype(dtype)
    got = np.zeros((8, x.size), dtype)
    on(OPENCL, functions, x.size, x, y, got)
    want = np.stack([np.exp(x), np.log(x), np.sqrt(x), np.sin(x), np.cos(x)])
    tol = 1e-11 if dtype == np.complex128 else 1e-4
    for r, g in zip(want, got, strict=False):
        m = tol * np.where(np.isfinite(np.abs(r)), np.abs(r), 0)
        for p, q in ((r.real, g.real), (r.imag, g.imag)):
            near = np.isclose(q, p, tol, 0, equal_nan=True) | (np.abs(p - q) <= m)
            assert near.all(), (x[~near], r[~near], g[~near])
    small = np.abs(x) < 100
    with np.errstate(all="ignore"):
        cube = np.array([v**3 for v in x[small]])
    np.testing.assert_allclose(got[5][small], cube, tol)
    np.testing.assert_allclose(got[6][small], np.power(x, y)[small], tol, f.tiny * 8)
    np.testing.assert_array_equal(got[7], np.where(x == 1j, 0, 2))


# ---- what lies between ---------------------------------------------------------------------------


@gpu.jit
def count(x: Any, m: int) -> None:
    i = gpu.grid(1)
    if i < x.size:
        v = x[i]
        for _ in range(m):
            v = v + 1.0
        x[i] = v


@njit(parallel=True)
def count_all(x: Any, m: int) -> None:
    for i in prange(x.size):
        v = x[i]
        for _ in range(m):
            v = v + 1.0
        x[i] = v


def test_threads_write_columns_of_one_array() -> None:
    def launch(q: Any, a: Any, m: int) -> None:
        on(q, count, a.size, a, m)

    def call(q: Any, a: Any, m: int) -> None:
        with swathe.device_context(DEVICE):
            count_all(a, m)

    queues = OPENCL, swathe.Queue(DEVICE)
    for how in (launch, call):
        how(OPENCL, np.zeros(4)[::2], 1)
        for k in range(6):
            x, n = np.zeros((5000, 2)), (100 + 400 * k, 2100 - 400 * k)
            views = x[:, 0], x[::-1, 1]
            work = [
                threading.Thread(target=how, args=a) for a in zip(queues, views, n, strict=True)
            ]
            for t in work:
                t.start()
            for t in work:
                t.join()
            assert (x == n).all()
