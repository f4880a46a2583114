# SPDX-License-Identifier: BSD-3-Clause
"""Programs as people write them for numba-dpex, written anew, on the CPU and on OpenCL."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import errors, gpu
from swathe.compat import dpctl
from swathe.compat import numba_dpex as dpex
from swathe.compat.dpctl import tensor as dpt
from swathe.compat.numba_dpex import kernel_api as kapi
from swathe.compat.numba_dpex.kernel_api import (
    AddressSpace,
    AtomicRef,
    Item,
    LocalAccessor,
    MemoryOrder,
    MemoryScope,
    NdItem,
    NdRange,
    PrivateArray,
    Range,
    group_barrier,
)

rng = np.random.default_rng(7)


@pytest.fixture(params=["native", "opencl"])
def q(request: Any) -> Iterator[dpctl.SyclQueue]:
    try:
        yield dpctl.SyclQueue(request.param)
    except dpctl.SyclQueueCreationError as e:
        pytest.skip(str(e))


def put(a: Any, q: dpctl.SyclQueue) -> dpt.usm_ndarray:
    return dpt.asarray(a, sycl_queue=q)


# ---- matrices by tiles ---------------

TILE = 8


@dpex.kernel
def gemm(nditem: NdItem, a, b, c, at, bt):
    i, j = nditem.get_global_id(0), nditem.get_global_id(1)
    ti, tj = nditem.get_local_id(0), nditem.get_local_id(1)
    gr = nditem.get_group()
    acc = np.float32(0)
    for m in range(a.shape[1] // TILE):
        at[ti, tj] = a[i, m * TILE + tj]
        bt[ti, tj] = b[m * TILE + ti, j]
        group_barrier(gr)
        for k in range(TILE):
            acc += at[ti, k] * bt[k, tj]
        group_barrier(gr, fence_scope=MemoryScope.WORK_GROUP)
    c[i, j] = acc


def test_matrix_product(q: dpctl.SyclQueue) -> None:
    a = rng.random((16, 24), np.float32)
    b = rng.random((24, 32), np.float32)
    c = dpt.zeros((16, 32), dtype=dpt.float32, sycl_queue=q)
    tiles = [LocalAccessor((TILE, TILE), dtype=dpt.float32) for _ in range(2)]
    dpex.call_kernel(gemm, NdRange((16, 32), (TILE, TILE)), put(a, q), put(b, q), c, *tiles)
    np.testing.assert_allclose(dpt.asnumpy(c), a @ b, rtol=1e-5)


# ---- reductions and scans ---------------


@dpex.kernel
def sum_step(item: Item, a, stride):
    i = item.get_id(0)
    a[i] += a[i + stride]


def test_sum_by_halves(q: dpctl.SyclQueue) -> None:
    x = rng.random(256)
    a, n = put(x, q), 256
    while n > 1:
        n //= 2
        dpex.call_kernel(sum_step, Range(n), a, n)
    np.testing.assert_allclose(float(a[0]), x.sum())


@dpex.kernel
def scan_groups(nd: NdItem, x, out, totals, slm):
    gr, lid, n = nd.get_group(), nd.get_local_id(0), nd.get_local_range(0)
    slm[lid] = x[nd.get_global_id(0)]
    group_barrier(gr)
    step = 1
    while step < n:
        v = slm[lid]
        if lid >= step:
            v += slm[lid - step]
        group_barrier(gr)
        slm[lid] = v
        group_barrier(gr)
        step *= 2
    out[nd.get_global_id(0)] = slm[lid]
    if lid == n - 1:
        totals[gr.get_group_id(0)] = slm[lid]


@dpex.kernel
def add_before(nd: NdItem, out, totals):
    before = out[0] * 0
    for g in range(nd.get_group().get_group_id(0)):
        before += totals[g]
    out[nd.get_global_id(0)] += before


def test_prefix_sum(q: dpctl.SyclQueue) -> None:
    x = rng.integers(0, 100, 128)
    out, totals = dpt.empty(128, dtype="i8", sycl_queue=q), dpt.empty(8, dtype="i8", sycl_queue=q)
    over = NdRange((128,), (16,))
    slm = LocalAccessor((16,), dtype=dpt.int64)
    _, first = dpex.call_kernel_async(scan_groups, over, (), put(x, q), out, totals, slm)
    _, second = dpex.call_kernel_async(add_before, over, (first,), out, totals)
    second.wait()
    np.testing.assert_array_equal(dpt.asnumpy(out), x.cumsum())


# ---- atomics ---------------


@dpex.kernel
def histogram(nd: NdItem, data, bins, slm):
    gr, lid = nd.get_group(), nd.get_local_id(0)
    if lid < slm.shape[0]:
        slm[lid] = 0
    group_barrier(gr)
    mine = AtomicRef(
        slm,
        data[nd.get_global_id(0)],
        memory_order=MemoryOrder.RELAXED,
        memory_scope=MemoryScope.WORK_GROUP,
        address_space=AddressSpace.LOCAL,
    )
    mine.fetch_add(1)
    group_barrier(gr)
    if lid < slm.shape[0]:
        AtomicRef(bins, lid).fetch_add(slm[lid])


def test_histogram(q: dpctl.SyclQueue) -> None:
    data = rng.integers(0, 10, 512)
    bins = dpt.zeros(10, dtype=dpt.int32, sycl_queue=q)
    slm = LocalAccessor(10, dpt.int32)
    dpex.call_kernel(histogram, NdRange((512,), (64,)), put(data, q), bins, slm)
    np.testing.assert_array_equal(dpt.asnumpy(bins), np.bincount(data, minlength=10))


@dpex.kernel
def extremes(item: Item, x, out):
    i = item.get_id(0)
    AtomicRef(out, 0).fetch_min(x[i])
    AtomicRef(out, index=1).fetch_max(x[i])
    total = AtomicRef(out, 2)
    expected = PrivateArray(1, np.float64)
    expected[0] = total.load()
    while not total.compare_exchange(expected, expected[0] + x[i], 0):
        pass


def test_extremes_and_a_sum_by_exchange(q: dpctl.SyclQueue) -> None:
    x = np.round(rng.random(100) * 64)
    out = put(np.array([np.inf, -np.inf, 0]), q)
    dpex.call_kernel(extremes, Range(100), put(x, q), out)
    assert dpt.asnumpy(out).tolist() == [x.min(), x.max(), x.sum()]


# ---- functions that kernels call ---------------


@dpex.device_func
def cndf(x):
    return 0.5 + 0.5 * math.erf(x * 0.7071067811865476)


@dpex.func
def discounted(strike, rate, t):
    return strike * math.exp(-rate * t)


@dpex.kernel
def black_scholes(item: Item, price, strike, t, rate, vol, call, put_):
    i = item.get_id(0)
    a = math.log(price[i] / strike[i]) + (rate + 0.5 * vol * vol) * t[i]
    b = vol * math.sqrt(t[i])
    d1, d2 = a / b, a / b - b
    later = discounted(strike[i], rate, t[i])
    call[i] = price[i] * cndf(d1) - later * cndf(d2)
    put_[i] = call[i] - price[i] + later


def test_black_scholes(q: dpctl.SyclQueue) -> None:
    n = 300
    price, strike, t = rng.random(n) + 1, rng.random(n) + 1, rng.random(n) + 0.1
    call, put_ = dpt.empty(n, sycl_queue=q), dpt.empty(n, sycl_queue=q)
    dpex.call_kernel(
        black_scholes, Range(n), put(price, q), put(strike, q), put(t, q), 0.1, 0.2, call, put_
    )
    b = 0.2 * np.sqrt(t)
    d1 = (np.log(price / strike) + (0.1 + 0.02) * t) / b
    erf = np.vectorize(math.erf)
    later = strike * np.exp(-0.1 * t)
    want = price * (0.5 + 0.5 * erf(d1 / 2**0.5)) - later * (0.5 + 0.5 * erf((d1 - b) / 2**0.5))
    np.testing.assert_allclose(dpt.asnumpy(call), want, rtol=1e-9)
    np.testing.assert_allclose(dpt.asnumpy(put_), want - price + later, rtol=1e-9, atol=1e-12)


@dpex.device_func
def row_of(item):
    return item.get_id(0)


@dpex.device_func
def escape(re, im, most):
    x, y = 0.0, 0.0
    for k in range(most):
        if x * x + y * y > 4.0:
            return k
        x, y = x * x - y * y + re, 2 * x * y + im
    return most


@dpex.kernel
def mandelbrot(item: Item, image, most):
    i, j = row_of(item), item.get_id(1)
    re = -2.0 + 3.0 * j / item.get_range(1)
    im = -1.0 + 2.0 * i / item.get_range(0)
    image[i, j] = escape(re, im, most)


def test_mandelbrot(q: dpctl.SyclQueue) -> None:
    image = dpt.zeros((30, 45), dtype="i4", sycl_queue=q)
    dpex.call_kernel(mandelbrot, Range(30, 45), image, 50)
    want = np.array(
        [[escape(-2 + 3 * j / 45, -1 + 2 * i / 30, 50) for j in range(45)] for i in range(30)]
    )
    np.testing.assert_array_equal(dpt.asnumpy(image), want)


# ---- programs of several kernels ---------------


@dpex.kernel
def nearest(item: Item, points, centres, label):
    i = item.get_id(0)
    best, where = math.inf, -1
    for c in range(centres.shape[0]):
        d = 0.0
        for k in range(points.shape[1]):
            d += (points[i, k] - centres[c, k]) ** 2
        if d < best:
            best, where = d, c
    label[i] = where


@dpex.kernel
def gather(item: Item, points, label, sums, count):
    i = item.get_id(0)
    c = label[i]
    for k in range(points.shape[1]):
        AtomicRef(sums, (c, k)).fetch_add(points[i, k])
    AtomicRef(count, c).fetch_add(1)


@dpex.kernel
def divide(item: Item, sums, count, centres):
    c, k = item.get_id(0), item.get_id(1)
    centres[c, k] = sums[c, k] / max(count[c], 1)


def test_k_means(q: dpctl.SyclQueue) -> None:
    true = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 5.0]])
    points = true[np.arange(150) % 3] + rng.integers(-8, 8, (150, 2)) / 16
    p, centres = put(points, q), put(points[:3], q)
    label = dpt.empty(150, dtype="i8", sycl_queue=q)
    for _ in range(4):
        sums, count = dpt.zeros((3, 2), sycl_queue=q), dpt.zeros(3, dtype="i8", sycl_queue=q)
        dpex.call_kernel(nearest, Range(150), p, centres, label)
        dpex.call_kernel(gather, Range(150), p, label, sums, count)
        dpex.call_kernel(divide, Range(3, 2), sums, count, centres)
    np.testing.assert_array_equal(dpt.asnumpy(label), np.arange(150) % 3)
    np.testing.assert_allclose(
        dpt.asnumpy(centres), [points[k::3].mean(axis=0) for k in range(3)], rtol=1e-12
    )


@dpex.kernel
def blur(nd: NdItem, image, out, halo):
    """A stencil whose groups share their tile and the cells around it."""
    gr, n = nd.get_group(), nd.get_local_range(0)
    lid, i = nd.get_local_id(0), nd.get_global_id(0)
    halo[lid + 1] = image[i]
    if lid == 0:
        halo[0] = image[max(i - 1, 0)]
    if lid == n - 1:
        halo[n + 1] = image[min(i + 1, image.size - 1)]
    group_barrier(gr)
    w = PrivateArray(3, dtype=np.float64)
    w[0], w[1], w[2] = 0.25, 0.5, 0.25
    s = 0.0
    for k in range(3):
        s += w[k] * halo[lid + k]
    out[i] = s


def test_stencil_with_halo(q: dpctl.SyclQueue) -> None:
    image = rng.random(96)
    out = dpt.empty(96, sycl_queue=q)
    halo = LocalAccessor((18,), np.float64)
    dpex.call_kernel(blur, NdRange((96,), (16,)), put(image, q), out, halo)
    wide = np.pad(image, 1, mode="edge")
    want = 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]
    np.testing.assert_allclose(dpt.asnumpy(out), want, rtol=1e-14)


# ---- by functions, as numba-dpex was before ---------------


@dpex.kernel
def pairwise(x, d):
    i, j = dpex.get_global_id(0), dpex.get_global_id(1)
    s = 0.0
    for k in range(x.shape[1]):
        t = x[i, k] - x[j, k]
        s += t * t
    d[i, j] = math.sqrt(s)


@dpex.kernel
def reduce_groups(x, out):
    slm = dpex.local.array(32, dtype=dpex.float64)
    lid, size = dpex.get_local_id(0), dpex.get_local_size(0)
    slm[lid] = x[dpex.get_global_id(0)]
    half = size // 2
    while half > 0:
        dpex.barrier(dpex.LOCAL_MEM_FENCE)
        if lid < half:
            slm[lid] += slm[lid + half]
        half >>= 1
    if lid == 0:
        out[dpex.get_group_id(0)] = slm[0]
        dpex.atomic.add(out, dpex.get_num_groups(0), slm[0])


def test_by_work_items() -> None:
    for where in ("native", "opencl"):
        try:
            context = swathe.device_context(where)
            with context:
                x = rng.random((20, 3))
                d = np.zeros((20, 20))
                pairwise[dpex.Range(20, 20)](x, d)
                want = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=-1))
                np.testing.assert_allclose(d, want, rtol=1e-12)
                y, out = np.arange(128.0), np.zeros(5)
                reduce_groups[dpex.NdRange(dpex.Range(128), dpex.Range(32))](y, out)
                np.testing.assert_array_equal(out, [*y.reshape(4, 32).sum(axis=1), y.sum()])
        except errors.NoDeviceError:
            continue


# ---- dpjit, three dimensions, mistakes ---------------


@gpu.jit
def doubled(a, out):
    i = gpu.grid(1)
    if i < a.size:
        out[i] = 2 * a[i]


@dpex.dpjit
def l2_norm(a, out):
    for i in dpex.prange(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j] * a[i, j]
        out[i] = np.sqrt(s)


def test_dpjit(q: dpctl.SyclQueue) -> None:
    a = rng.random((50, 4))
    x, out = put(a, q), dpt.empty(50, sycl_queue=q)
    l2_norm(x, out)  # compute follows data
    np.testing.assert_allclose(dpt.asnumpy(out), np.linalg.norm(a, axis=1), rtol=1e-12)
    twice = dpt.zeros(50, sycl_queue=q)
    doubled[1, 64, q._swathe_queue](out, twice)
    np.testing.assert_array_equal(dpt.asnumpy(twice), 2 * dpt.asnumpy(out))


@dpex.kernel
def box(nd: NdItem, out):
    i, j, k = nd.get_global_id(0), nd.get_global_id(1), nd.get_global_id(2)
    gr = nd.get_group()
    out[i, j, k] = (
        gr.get_group_id(0) * 100
        + gr.get_group_id(1) * 10
        + gr.get_group_id(2)
        + 1000 * gr.get_group_linear_id()
        + 100000 * nd.get_local_linear_id()
    )


def test_three_dimensions(q: dpctl.SyclQueue) -> None:
    out = dpt.zeros((4, 6, 8), dtype="i8", sycl_queue=q)
    dpex.call_kernel(box, NdRange((4, 6, 8), (2, 3, 4)), out)
    i, j, k = np.indices((4, 6, 8))
    gi, gj, gk = i // 2, j // 3, k // 4
    local = (i % 2 * 3 + j % 3) * 4 + k % 4
    want = gi * 100 + gj * 10 + gk + 1000 * ((gi * 2 + gj) * 2 + gk) + 100000 * local
    np.testing.assert_array_equal(dpt.asnumpy(out), want)


@dpex.kernel
def no_item(item, a):
    a[item.get_id(0)] = item.get_local_id(0)


@dpex.kernel
def wrong_index(nd: NdItem, a, slm):
    slm[nd.get_local_id(0) + 1] = 1.0
    a[nd.get_global_id(0)] = slm[0]


def test_mistakes(q: dpctl.SyclQueue) -> None:
    a = dpt.zeros(8, sycl_queue=q)
    with pytest.raises(errors.CompileAttributeError, match="get_local_id"):
        dpex.call_kernel(no_item, Range(8), a)
    with pytest.raises(IndexError, match="slm") as e:
        dpex.call_kernel(wrong_index, NdRange((8,), (4,)), a, LocalAccessor(4, np.float64))
    assert "slm[nd.get_local_id(0) + 1] = 1.0" in str(e.value)
    with pytest.raises(dpex.UnsupportedGroupWorkItemSizeError):
        NdRange((9,), (4,))
    with pytest.raises(errors.Error):
        dpex.call_kernel(gemm, Range(8), a, a, a, a, a)
    with pytest.raises(TypeError):
        kapi.call_kernel(wrong_index, 8, np.zeros(8))
