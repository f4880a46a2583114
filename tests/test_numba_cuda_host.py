"""swathe.compat.numba.cuda for the host: devices, streams, events, memory, reductions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors
from swathe.compat.numba import cuda


@cuda.jit
def scale(x, k):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= k


@cuda.jit
def past_the_end(x):
    x[x.size + cuda.grid(1)] = 0


@cuda.reduce
def total(a, b):
    return a + b


@cuda.reduce
def most(a, b):
    return max(a, b)


@cuda.Reduce
def last(a, b):
    """Associative, and not commutative: b, unless it is a hole."""
    return a if b == 0 else b


@pytest.fixture(params=["native", DEVICE])
def where(request: Any) -> Iterator[str]:
    try:
        with swathe.device_context(request.param):
            yield request.param
    except errors.NoDeviceError as e:
        pytest.skip(str(e))


# ---- devices -----------------------------------------------------------------------------------


def test_devices(capsys: Any) -> None:
    assert cuda.is_available() and len(cuda.gpus) >= 1 and cuda.list_devices() is cuda.gpus
    for i, d in enumerate(cuda.gpus):
        assert d.id == i and d == cuda.gpus[i] and hash(d) == hash(cuda.gpus[i])
        assert d.name in repr(d) and d.WARP_SIZE == 32 and d.MAX_THREADS_PER_BLOCK >= 1024
        assert d.MULTIPROCESSOR_COUNT >= 1 and len(d.compute_capability) == 2
        assert d.MAX_BLOCK_DIM_X >= 1024 and d.MAX_GRID_DIM_Y >= 65535
        assert d.MAX_SHARED_MEMORY_PER_BLOCK >= 48 << 10
    assert cuda.detect() in (True, False)
    assert "id 0" in capsys.readouterr().out
    with pytest.raises(errors.NoDeviceError, match="device number 99"):
        cuda.gpus[99]
    with pytest.raises(errors.NoDeviceError):
        cuda.select_device(-1)


def test_current_device(where: str) -> None:
    assert cuda.get_current_device()._swathe_device is swathe.Device(where)
    context = cuda.current_context()
    info = context.get_memory_info()
    assert 0 < info.free <= info.total == cuda.current_context().get_memory_info()[1]
    context.deallocations.clear()
    with context.deallocations.disable():
        assert len(context.deallocations) == 0 and not context.deallocations.is_disabled
    context.synchronize()
    assert context.device.get_primary_context().device == context.device
    context.create_stream().synchronize()


def test_select_device() -> None:
    chosen = cuda.select_device(0)
    assert chosen.device == cuda.gpus.current == cuda.gpus[0]
    x = np.ones(4)
    scale[1, 4](x, 2.0)
    assert (x == 2).all()
    cuda.close()
    with cuda.gpus[0] as context:
        assert context.device == cuda.get_current_device()

    @cuda.require_context
    def needs() -> int:
        return 3

    assert needs() == 3


# ---- streams and events ------------------------------------------------------------------------


def test_streams_and_events(where: str) -> None:
    s = cuda.stream()
    begin, end = cuda.event(), cuda.event()
    x = cuda.to_device(np.ones(1000), stream=s)
    begin.record(s)
    scale[4, 256, s](x, 3.0)
    end.record(s)
    end.synchronize()
    assert end.query() and cuda.event_elapsed_time(begin, end) >= 0
    assert begin.elapsed_time(end) >= 0
    begin.wait()
    end.wait(cuda.stream())
    with s.auto_synchronize():
        scale[4, 256, s](x, 2.0)
    assert (x.copy_to_host(stream=s) == 6).all()
    first, second = cuda.event(), cuda.event()
    first.record()
    second.record()
    assert first.elapsed_time(second) >= 0
    told = []
    s.add_callback(lambda *a: told.append(a), 5)
    assert told == [(s, 0, 5)]
    assert asyncio.run(s.async_done()) is s and "Stream" in repr(s)
    cuda.default_stream().synchronize()
    with pytest.raises(RuntimeError):
        cuda.event().elapsed_time(end)
    quick = cuda.event(timing=False)
    quick.record(s)
    with pytest.raises(RuntimeError):
        quick.elapsed_time(end)


def test_errors_of_a_stream(where: str) -> None:
    s = cuda.stream()
    x = cuda.to_device(np.ones(8))
    with pytest.raises(IndexError, match="index 8"):
        past_the_end[1, 1, s](x)
        s.synchronize()
    s.synchronize()


# ---- memory ------------------------------------------------------------------------------------


def test_host_arrays_come_back(where: str) -> None:
    x = np.ones(10)
    scale[1, 32](x, 2.0)
    assert (x == 2).all()
    scale[1, 32](cuda.In(x), 2.0)
    assert (x == 2).all()
    scale[1, 32](cuda.InOut(x), 2.0)
    scale[1, 32](cuda.Out(x), 2.0)
    assert (x == 8).all()


def test_shared_kinds(where: str) -> None:
    p = cuda.pinned_array((3, 4), np.float32, order="F")
    assert isinstance(p, np.ndarray) and p.flags.f_contiguous
    p[:] = 1
    for make in (cuda.mapped_array, cuda.managed_array):
        m = make(10, np.float64)
        np.asarray(m)[:] = np.arange(10)
        scale[1, 32](m, 2.0)
        cuda.synchronize()
        np.testing.assert_array_equal(np.asarray(m), 2 * np.arange(10))
        np.testing.assert_array_equal(m.copy_to_host(), 2 * np.arange(10))
        assert memoryview(m)[3] == 6
    assert cuda.mapped_array_like(p).shape == cuda.pinned_array_like(p).shape == (3, 4)
    x = np.ones(10)
    with cuda.pinned(x), cuda.defer_cleanup():
        d = cuda.to_device(x)
    with cuda.mapped(x) as view:
        scale[1, 32](view, 3.0)
    assert (x == 3).all() and (d.copy_to_host() == 1).all()
    with cuda.mapped(x, d.copy_to_host()) as (a, b):
        scale[1, 32](a, 2.0)
        assert b.shape == (10,)
    assert (x == 6).all()


def test_device_arrays(where: str) -> None:
    a = np.arange(24.0).reshape(4, 6)
    d = cuda.to_device(a)
    assert d[1, 2] == a[1, 2] and d[2, 3:].copy_to_host().tolist() == a[2, 3:].tolist()
    d[0, 0] = 7
    d[1] = 5.0
    d[:, 5] = np.arange(4.0)
    a[0, 0], a[1], a[:, 5] = 7, 5, np.arange(4)
    np.testing.assert_array_equal(d.copy_to_host(), a)
    np.testing.assert_array_equal(d.T.copy_to_host(), a.T)
    np.testing.assert_array_equal(d.reshape(8, 3).copy_to_host(), a.reshape(8, 3))
    np.testing.assert_array_equal(d.ravel().copy_to_host(), a.ravel())
    np.testing.assert_array_equal(d.view(np.int64).copy_to_host(), a.view(np.int64))
    np.testing.assert_array_equal(d.view(np.int32).copy_to_host(), a.view(np.int32))
    np.testing.assert_array_equal(d.reshape(4, 1, 6).squeeze().copy_to_host(), a)
    assert d.is_c_contiguous() and not d.is_f_contiguous()
    f = cuda.to_device(np.asfortranarray(a))
    assert f.is_f_contiguous() and cuda.device_array_like(f).is_f_contiguous()
    np.testing.assert_array_equal(f.copy_to_host(), a)
    out = np.zeros_like(a)
    assert d.copy_to_host(out) is out
    d.copy_to_device(out * 2)
    np.testing.assert_array_equal(d.copy_to_host(), 2 * a)
    e = cuda.device_array((4, 6), np.float64)
    e.copy_to_device(d)
    np.testing.assert_array_equal(e.copy_to_host(), 2 * a)
    assert cuda.is_cuda_array(d) and not cuda.is_cuda_array(a)
    assert cuda.as_cuda_array(d) is d
    with pytest.raises((IndexError, ValueError)):
        d[4, 0]


class OnCuda:
    __cuda_array_interface__ = {
        "shape": (4,),
        "typestr": "<f8",
        "data": (4096, False),
        "version": 3,
    }


def test_arrays_of_others(where: str) -> None:
    assert cuda.is_cuda_array(OnCuda())
    with pytest.raises((TypeError, errors.QueueError)):
        cuda.as_cuda_array(OnCuda())
    with pytest.raises((TypeError, errors.QueueError)):
        cuda.from_cuda_array_interface(OnCuda.__cuda_array_interface__)
    with pytest.raises(TypeError):
        cuda.as_cuda_array([1, 2, 3])
    if where == "native":
        a = np.zeros(3)
        cuda.as_cuda_array(a)[1] = 4
        assert a[1] == 4


# ---- reductions --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2, 127, 128, 129, 5000, 40_000])
def test_reduce(n: int) -> None:
    a = np.random.default_rng(n).integers(-99, 99, n)
    assert total(a) == a.sum() and type(total(a)) is np.int64
    assert total(a, init=10) == a.sum() + 10 and total(a, size=n // 2) == a[: n // 2].sum()
    assert most(a, init=-500) == (a.max() if n else -500)
    holes = a * (a % 3 == 0)
    full = holes[holes != 0]
    assert last(holes) == (full[-1] if full.size else 0)


def test_reduce_on_a_device(where: str) -> None:
    a = np.arange(3000.0)
    d, res = cuda.to_device(a), cuda.to_device(np.zeros(2))
    assert total(d) == a.sum() and total(a) == a.sum()
    assert total(d, res=res) is None and res.copy_to_host()[0] == a.sum()
    assert total(d[::2]) == a[::2].sum()
    with pytest.raises(TypeError):
        total(a.reshape(30, 100))
    with pytest.raises(ValueError):
        total(a, size=5000)


def test_what_arrays_hold(where: str) -> None:
    for given in (np.arange(5), [1.0, 2.0], 5, np.float32(3), np.zeros((2, 3), order="F"), (1, 2)):
        np.testing.assert_array_equal(cuda.to_device(given).copy_to_host(), np.asarray(given))
    for refused in (np.array(["a", None], object), "abc", np.zeros(2, "M8[s]")):
        with pytest.raises(TypeError, match="can't hold"):
            cuda.to_device(refused)
    with pytest.raises(TypeError, match="can't hold"):
        cuda.device_array(3, "U2")
    d, out = cuda.to_device(np.arange(6.0)), np.zeros(6)
    assert d.copy_to_host(ary=out, stream=0) is out and out[5] == 5


def test_keywords_and_records(where: str) -> None:
    @cuda.jit
    def put(a, r, k=2.0):
        i = cuda.grid(1)
        a.x[i] = r.y + k * i
        if i == 0:
            r["n"] += 1

    a = np.recarray(4, [("x", "f4"), ("y", "f4"), ("n", "i4")])
    a.x, a.y, a.n = 0, 1, 0
    put[1, 4](a, a[1])
    assert a.x.tolist() == [1, 3, 5, 7] and a.n.tolist() == [0, 1, 0, 0]
    put[1, 4](k=1.0, r=a[0], a=a)
    assert a.x.tolist() == [1, 2, 3, 4] and a.n.tolist() == [1, 1, 0, 0]
    with pytest.raises(TypeError, match="nope"):
        put[1, 4](a, a[0], nope=1)
