"""swathe.compat.numba_dpex: kernels by work item and by object, against NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors
from swathe.compat import numba
from swathe.compat import numba_dpex as dpex
from swathe.compat.numba_dpex import kernel_api as kapi


@pytest.fixture(params=["native", DEVICE])
def where(request: Any) -> Iterator[str]:
    try:
        with swathe.device_context(request.param):
            yield request.param
    except errors.NoDeviceError as e:
        pytest.skip(str(e))


# ---- by object ---------------------------------------------------------------------------------


@dpex.kernel
def add(item: kapi.Item, a, b, c):
    i = item.get_id(0)
    c[i] = a[i] + b[i]


@pytest.mark.parametrize("n", [1, 7, 256, 1000])
def test_range(n: int) -> None:
    a, b, c = np.arange(float(n)), np.ones(n), np.zeros(n)
    dpex.call_kernel(add, kapi.Range(n), a, b, c)
    np.testing.assert_array_equal(c, a + b)
    kapi.call_kernel(add, kapi.Range(n), c, b, c)
    np.testing.assert_array_equal(c, a + 2)


def test_range_on_a_device(where: str) -> None:
    a, b, c = np.arange(300.0), np.ones(300), np.zeros(300)
    dpex.call_kernel(add, kapi.Range(300), a, b, c)
    np.testing.assert_array_equal(c, a + b)


@dpex.kernel
def place2(item, a):
    i, j = item.get_id(0), item.get_id(1)
    a[i, j] = i * 1000 + j + item.get_linear_id() * item.get_range(0) + item.dimensions


@dpex.kernel
def place3(item, a):
    i, j, k = item.get_id(0), item.get_id(1), item.get_id(2)
    n = item.get_range(1) * 100 + item.get_range(2) + item.get_range(0)
    a[i, j, k] = item.get_linear_id() * n + item.get_linear_range() + item.ndim


def test_range_2d_and_3d() -> None:
    m = np.zeros((37, 53))
    dpex.call_kernel(place2, kapi.Range(37, 53), m)
    i, j = np.indices(m.shape)
    np.testing.assert_array_equal(m, i * 1000 + j + (i * 53 + j) * 37 + 2)
    c = np.zeros((5, 6, 7))
    dpex.call_kernel(place3, kapi.Range(5, 6, 7), c)
    np.testing.assert_array_equal(c.ravel(), np.arange(210) * 612 + 210 + 3)
    long = np.zeros((200_000, 2))
    dpex.call_kernel(place2, kapi.Range(200_000, 2), long)
    assert long[-1, -1] == 199_999_001 + 399_999 * 200_000 + 2


@dpex.kernel
def block_sums(nd, x, out, scratch, told):
    group = nd.get_group()
    lid = nd.get_local_id(0)
    scratch[lid] = x[nd.get_global_id(0)]
    kapi.group_barrier(group, kapi.MemoryScope.WORK_GROUP)
    s = nd.get_local_range(0) // 2
    while s > 0:
        if lid < s:
            scratch[lid] += scratch[lid + s]
        kapi.group_barrier(group)
        s //= 2
    p = kapi.PrivateArray(2, np.float64)
    p[0] = scratch[0]
    if group.leader:
        total = kapi.AtomicRef(
            out,
            index=0,
            memory_order=kapi.MemoryOrder.RELAXED,
            memory_scope=kapi.MemoryScope.DEVICE,
            address_space=kapi.AddressSpace.GLOBAL,
        )
        total.fetch_add(p[0])
        told[group.get_group_id(0)] = (
            group.get_group_linear_id() * 10000
            + group.get_group_range(0) * 1000
            + group.get_local_range(0) * 10
            + group.dimensions
        )
        kapi.atomic_fence(kapi.MemoryOrder.ACQ_REL, kapi.MemoryScope.DEVICE)


def test_ndrange_with_local_memory(where: str) -> None:
    x, out, told = np.arange(256.0), np.zeros(1), np.zeros(8, np.int64)
    accessor = kapi.LocalAccessor(32, np.float64)
    dpex.call_kernel(block_sums, kapi.NdRange((256,), (32,)), x, out, accessor, told)
    assert out[0] == x.sum()
    np.testing.assert_array_equal(told, np.arange(8) * 10000 + 8321)


@dpex.kernel
def tiles(nd, a, out, tile):
    i, j = nd.get_local_id(0), nd.get_local_id(1)
    tile[i, j] = a[nd.get_global_id(0), nd.get_global_id(1)]
    group = nd.get_group()
    kapi.group_barrier(group)
    r = group.get_group_id(1) * nd.get_local_range(1) + i
    c = group.get_group_id(0) * nd.get_local_range(0) + j
    out[r, c] = tile[j, i] + 0 * nd.get_global_linear_id() * nd.get_local_linear_id()


def test_transpose_by_tiles(where: str) -> None:
    a = np.arange(16.0 * 32).reshape(16, 32)
    out = np.zeros((32, 16))
    tile = kapi.LocalAccessor((8, 8), np.float64)
    dpex.call_kernel(tiles, kapi.NdRange((16, 32), (8, 8)), a, out, tile)
    np.testing.assert_array_equal(out, a.T)


@dpex.kernel
def linear_ids(nd, out):
    k = nd.get_global_linear_id()
    out[k, 0] = nd.get_local_linear_id()
    out[k, 1] = nd.get_global_range(0) * 100 + nd.get_global_range(1)
    out[k, 2] = nd.get_group().get_group_linear_id()
    out[k, 3] = nd.get_group().get_local_linear_range() + nd.ndim
    out[k, 4] = nd.get_global_linear_range() * 100 + nd.get_local_linear_range()


def test_linear_ids() -> None:
    out = np.zeros((24, 5), np.int64)
    dpex.call_kernel(linear_ids, kapi.NdRange((4, 6), (2, 3)), out)
    i, j = (v.ravel() for v in np.indices((4, 6)))
    np.testing.assert_array_equal(out[:, 0], i % 2 * 3 + j % 3)
    assert (out[:, 1] == 406).all() and (out[:, 3] == 8).all() and (out[:, 4] == 2406).all()
    np.testing.assert_array_equal(out[:, 2], i // 2 * 2 + j // 3)


@pytest.mark.parametrize(("grid", "group"), [((24,), (4,)), ((2, 3, 4), (1, 3, 2))])
def test_linear_ranges(grid: tuple[int, ...], group: tuple[int, ...]) -> None:
    @dpex.kernel
    def told(nd, out):
        item = nd.get_global_linear_range() * 100 + nd.get_local_linear_range()
        out[nd.get_global_linear_id()] = item

    out = np.zeros(24, np.int64)
    dpex.call_kernel(told, kapi.NdRange(grid, group), out)
    np.testing.assert_array_equal(out, np.full(24, 2400 + math.prod(group)))


@dpex.device_func(numba.int32(numba.int32))
def next_int(x):
    return x + 1


@dpex.device_func(["int32(int32)", "float64(float64)"])
def next_of_two(x):
    return x + 1


def test_signatures_of_device_functions(where: str) -> None:
    @dpex.kernel
    def k(item, x, out):
        i = item.get_id(0)
        own = kapi.PrivateArray(3, np.float64, fill_zeros=True)
        more = kapi.PrivateArray(shape=(2, 2), dtype=x.dtype)
        more[1, 0] = next_of_two(x[i])
        out[i, 0], out[i, 1] = next_int(x[i]), own[i] + more[1, 0]

    out = np.zeros((3, 2))
    dpex.call_kernel(k, dpex.Range(3), np.full(3, 1.5), out)
    np.testing.assert_array_equal(out, [[2, 2.5]] * 3)


@dpex.kernel
def every_atomic(item, a, wins):
    i = item.get_id(0)
    kapi.AtomicRef(a, 0).fetch_add(i)
    kapi.AtomicRef(a, 1).fetch_sub(1)
    kapi.AtomicRef(a, 2).fetch_min(i)
    kapi.AtomicRef(a, 3).fetch_max(i)
    kapi.AtomicRef(a, 4).fetch_and(~(1 << i))
    kapi.AtomicRef(a, 5).fetch_or(1 << i)
    kapi.AtomicRef(a, 6).fetch_xor(1 << i)
    expected = kapi.PrivateArray(1, np.int64)
    expected[0] = 77
    if kapi.AtomicRef(a, 7).compare_exchange(expected, i, 0):
        kapi.AtomicRef(wins).fetch_add(1)
    else:
        wins[1 + i] = expected[0]
    if kapi.AtomicRef(a, 8).exchange(5) == 4:
        kapi.AtomicRef(a, 9).store(kapi.AtomicRef(a, 8).load())


def test_atomics(where: str) -> None:
    a = np.array([0, 0, 99, -1, -1, 0, 0, 77, 4, 0], np.int64)
    wins = np.full(11, -1, np.int64)
    wins[0] = 0
    dpex.call_kernel(every_atomic, kapi.Range(10), a, wins)
    assert a[:7].tolist() == [45, -10, 0, 9, ~1023, 1023, 1023]
    assert wins[0] == 1 and 0 <= a[7] < 10
    assert a[8] == 5 and a[9] == 5
    others = [w for i, w in enumerate(wins[1:]) if i != a[7]]
    assert others == [a[7]] * 9


@dpex.kernel
def exchanged(item, a, wanted, won):
    i = item.get_id(0)
    won[i] = kapi.AtomicRef(a, i).compare_exchange(wanted, 9.0, i)


def test_exchanges_compare_bits() -> None:
    a = np.array([0.0, -0.0, 1.0, 2.0, np.nan])
    wanted, won = np.array([-0.0, -0.0, 1.0, 3.0, np.nan]), np.zeros(5, bool)
    dpex.call_kernel(exchanged, kapi.Range(5), a, wanted, won)
    assert won.tolist() == [False, True, True, False, True]
    np.testing.assert_array_equal(a, [0, 9, 9, 2, 9])
    assert not np.signbit(wanted[0]) and wanted[3] == 2


@dpex.device_func
def scaled(item, x, k):
    return x[item.get_id(0)] * k


@dpex.kernel(debug=True)
def calls(item, x, k):
    x[item.get_id(0)] = scaled(item, x, k) + plain(k)


def plain(k):
    return k + 1


def test_device_functions() -> None:
    x = np.arange(9.0)
    calls[dpex.Range(9)](x, 3.0)
    np.testing.assert_array_equal(x, np.arange(9.0) * 3 + 4)


# ---- by work item ------------------------------------------------------------------------------


@dpex.kernel
def ramp(a):
    i = dpex.get_global_id(0)
    a[i] += i


@dpex.kernel
def sizes(a):
    i = dpex.get_global_id(0)
    a[i] = dpex.get_global_size(0) * 10000 + dpex.get_local_size(0) * dpex.get_num_groups(0)


@dpex.kernel
def where2(a):
    i, j = dpex.get_global_id(0), dpex.get_global_id(1)
    a[i, j] = i * 100 + j


@dpex.kernel
def turned(a, count):
    s = dpex.local.array(16, np.float64)
    p = dpex.private.array(1, np.float64)
    t = dpex.get_local_id(0)
    i = dpex.get_group_id(0) * dpex.get_local_size(0) + t
    s[t] = a[i]
    dpex.barrier(dpex.LOCAL_MEM_FENCE)
    p[0] = s[15 - t]
    dpex.mem_fence(dpex.GLOBAL_MEM_FENCE)
    a[dpex.get_global_id(0)] = p[0]
    dpex.atomic.add(count, 0, 0.5)


@pytest.mark.parametrize("n", [1, 7, 1009, 5000])
def test_work_items(n: int) -> None:
    a = np.zeros(n)
    dpex.call_kernel(ramp, dpex.Range(n), a)
    ramp[dpex.Range(n)](a)
    ramp[n,](a)
    np.testing.assert_array_equal(a, 3 * np.arange(n))
    dpex.call_kernel(sizes, dpex.Range(n), a)
    assert (a == n * 10001).all()


def test_work_items_2d() -> None:
    a = np.zeros((13, 70))
    dpex.call_kernel(where2, dpex.Range(13, 70), a)
    np.testing.assert_array_equal(a, np.add.outer(np.arange(13) * 100, np.arange(70)))


def test_work_items_in_groups(where: str) -> None:
    a, count = np.arange(64.0), np.zeros(1)
    want = a.reshape(4, 16)[:, ::-1].ravel()
    dpex.call_kernel(turned, dpex.NdRange((64,), (16,)), a, count)
    np.testing.assert_array_equal(a, want)
    assert count[0] == 32


def test_global_and_local_in_brackets() -> None:
    a, count = np.arange(64.0), np.zeros(1)
    turned[64, 16](a, count)
    assert a[1] == 14
    turned[dpex.NdRange(dpex.Range(64), dpex.Range(16))](a, count)
    assert a[1] == 1


# ---- asynchronous, and what is wrong -------------------------------------------------------------


def test_async() -> None:
    for name in ("native", DEVICE):
        try:
            q = swathe.Queue(name)
        except errors.NoDeviceError:
            continue
        a = q.to_device(np.zeros(100))
        host, event = dpex.call_kernel_async(ramp, dpex.Range(100), (), a)
        _, later = dpex.call_kernel_async(ramp, dpex.Range(100), [event], a)
        later.wait()
        host.wait()
        np.testing.assert_array_equal(a.copy_to_host(), 2 * np.arange(100))


def test_nothing_to_do() -> None:
    dpex.call_kernel(ramp, dpex.Range(0), np.zeros(0))
    dpex.call_kernel_async(ramp, dpex.Range(4, 0), (), np.zeros(0))[1].wait()


def test_compute_follows_data() -> None:
    try:
        q, other = swathe.Queue(DEVICE), swathe.Queue(DEVICE)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))
    a, b, c = q.to_device(np.ones(8)), q.to_device(np.ones(8)), other.zeros(8)
    dpex.call_kernel(add, dpex.Range(8), a, b, c)  # of one device: its queues wait for each other
    assert (c.copy_to_host() == 2).all()
    dpex.call_kernel(add, dpex.Range(8), a, b, a)
    assert (a.copy_to_host() == 2).all()


def test_wrong_ranges() -> None:
    with pytest.raises(dpex.UnmatchedNumberOfRangeDimsError):
        dpex.NdRange((4, 4), (4,))
    with pytest.raises(dpex.UnsupportedGroupWorkItemSizeError, match="dimension 1"):
        dpex.NdRange((4, 5), (4, 2))
    for bad in ((), (1, 2, 3, 4), (1.5,), ("4",), (True,)):
        with pytest.raises(TypeError):
            dpex.Range(*bad)
    with pytest.raises(ValueError):
        dpex.Range(-1)
    for bad in (3, "n", None):
        with pytest.raises(TypeError):
            dpex.call_kernel(ramp, bad, np.zeros(3))
        with pytest.raises(TypeError):
            dpex.NdRange(bad, (1,))
    with pytest.raises(errors.LaunchError):
        dpex.call_kernel(turned, dpex.NdRange((4096,), (4096,)), np.zeros(4096), np.zeros(1))
    r = dpex.Range(2, 3)
    assert (r.size(), r.dim0, r.dim1, r.dim2, r.ndim, r.get(1)) == (6, 2, 3, -1, 2, 3)
    assert dpex.NdRange((4,), (2,)) == dpex.NdRange([4], [2])


def test_wrong_arguments() -> None:
    a = np.zeros(8)
    with pytest.raises(TypeError, match="item, a, b, c"):
        dpex.call_kernel(add, dpex.Range(8), a)
    with pytest.raises(TypeError):
        dpex.call_kernel(ramp, dpex.Range(8), "a")
    with pytest.raises(TypeError):
        dpex.call_kernel(plain, dpex.Range(8), a)
    with pytest.raises(TypeError):
        dpex.kernel(len)
    with pytest.raises(errors.LaunchError, match="range"):
        ramp(a)
    with pytest.raises(IndexError, match=r"index 8 .*\n.*\n?.*in ramp|in ramp"):
        dpex.call_kernel(ramp, dpex.Range(9), a)
    with pytest.raises(IndexError, match="axis 0 of 'b' with size 8"):  # as the kernel calls it
        dpex.call_kernel(add, dpex.Range(9), np.zeros(9), a, np.zeros(9))
    for shape in (0, -1, 1.5, (1, 2, 3, 4), "3"):
        with pytest.raises(TypeError):
            dpex.LocalAccessor(shape, np.float32)
    with pytest.raises(TypeError):
        dpex.LocalAccessor(4, object)
    with pytest.raises(NotImplementedError):
        dpex.LocalAccessor(4, np.float32)[0]


@dpex.kernel
def returns(item, a):
    return a[item.get_id(0)]


def test_a_kernel_that_returns_something() -> None:
    with pytest.raises(errors.TypingError, match="returns nothing"):
        dpex.call_kernel(returns, dpex.Range(3), np.zeros(3))


@dpex.kernel
def no_such_axis(item, a):
    a[item.get_id(1)] = 0


def test_no_such_dimension() -> None:
    with pytest.raises((ValueError, errors.CompileError), match="dimension"):
        dpex.call_kernel(no_such_axis, dpex.Range(3), np.zeros(3))
