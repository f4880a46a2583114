"""swathe.compat.dpctl: devices, queues, events, memory, arrays."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors
from swathe.compat import dpctl
from swathe.compat import numba_dpex as dpex
from swathe.compat.dpctl import memory as dpm
from swathe.compat.dpctl import tensor as dpt


@dpex.kernel
def axpy(item, a, x, y):
    i = item.get_id(0)
    y[i] += a * x[i]


@dpex.kernel
def past_the_end(item, x):
    x[item.get_id(0) + 1] = 0


@pytest.fixture(params=["native", DEVICE])
def queue(request: Any) -> Iterator[dpctl.SyclQueue]:
    try:
        yield dpctl.SyclQueue(request.param, property=["in_order", "enable_profiling"])
    except dpctl.SyclQueueCreationError as e:
        pytest.skip(str(e))


# ---- devices -----------------------------------------------------------------------------------


def test_devices() -> None:
    found = dpctl.get_devices()
    assert dpctl.get_num_devices() == len(found) > 0
    assert dpctl.SyclDevice("native") in found and dpctl.has_cpu_devices()
    assert dpctl.has_gpu_devices() == any(d.is_gpu for d in found)
    assert dpctl.has_accelerator_devices() == any(d.is_accelerator for d in found)
    assert dpctl.select_default_device() == found[0]
    assert dpctl.select_cpu_device().is_cpu
    native = dpctl.get_devices(backend=dpctl.backend_type.native, device_type="cpu")
    assert native == [dpctl.SyclDevice("native:cpu:0")]
    for d in found:
        assert dpctl.SyclDevice(d.filter_string) == d == dpctl.SyclDevice(d)
        assert hash(dpctl.SyclDevice(d.filter_string)) == hash(d)
        assert dpctl.SyclDevice(d.get_filter_string(include_backend=False)) == d
        assert dpctl.SyclDevice(d.get_filter_string(include_device_type=False)) == d
        assert dpctl.SyclDevice(str(d.get_device_id())) == d
        assert d.sycl_platform in dpctl.get_platforms() and d in d.sycl_platform.get_devices()
        assert d.has_aspect_cpu == d.is_cpu and d.has_aspect_fp64 in (True, False)
        assert d.max_work_item_sizes1d == d.max_work_item_sizes3d[:1] and d.max_work_item_dims == 3
        assert d.name in repr(d) and d.max_compute_units >= 1 and d.parent_device is None
        with pytest.raises(AttributeError):
            _ = d.has_aspect_speed


def test_no_such_device() -> None:
    for name in ("level_zero:gpu:0", "gpu:77", "toaster"):
        with pytest.raises(dpctl.SyclDeviceCreationError, match="native:cpu:0"):
            dpctl.SyclDevice(name)
        with pytest.raises(errors.Error):
            dpctl.SyclQueue(name)
    for bad in (3, b"cpu", 1.5):
        with pytest.raises(TypeError):
            dpctl.SyclDevice(bad)
    with pytest.raises(ValueError):
        dpctl.get_devices(backend="abacus")
    with pytest.raises(AttributeError):
        dpctl.select_device_with_aspects("speed")
    with pytest.raises(dpctl.SyclDeviceCreationError):
        dpctl.select_device_with_aspects(["cpu", "gpu"])
    assert dpctl.select_device_with_aspects("cpu", "gpu").is_cpu


def test_parts() -> None:
    device = dpctl.SyclDevice("native")
    if device.max_compute_units < 2:
        pytest.skip("one core")
    parts = device.create_sub_devices(partition=1)
    assert len(parts) == device.max_compute_units and parts[0].parent_device == device
    assert dpctl.SyclContext(parts).device_count == len(parts)
    q = dpctl.SyclQueue(dpctl.SyclContext(parts), parts[1])
    x = dpt.ones(8, sycl_queue=q)
    dpex.call_kernel(axpy, dpex.Range(8), 2.0, x, x)
    assert (dpt.asnumpy(x) == 3).all()
    with pytest.raises(dpctl.SyclSubDeviceCreationError):
        device.create_sub_devices(partition=10**6)
    with pytest.raises(TypeError):
        _ = parts[0].filter_string


def test_list(capsys: Any) -> None:
    for verbosity in (0, 1, 2):
        dpctl.lsplatform(verbosity)
    dpctl.SyclDevice("native").print_device_info()
    assert "native:cpu:0" in capsys.readouterr().out


# ---- queues and events -------------------------------------------------------------------------


def test_queue(queue: dpctl.SyclQueue) -> None:
    q = queue
    assert q.is_in_order and q.has_enable_profiling and q == dpctl.SyclQueue(q)
    assert q.sycl_context == dpctl.SyclContext(q.sycl_device)
    assert q.backend is q.sycl_device.backend and q.name == q.sycl_device.name
    assert "in_order" in repr(q) and q.driver_version
    x = dpt.asarray(np.arange(10.0), sycl_queue=q)
    y = dpt.zeros_like(x)
    first = q.submit(axpy, [2.0, x, y], [10])
    second = q.submit_async(axpy, [2.0, x, y], [10], None, [first])
    assert [e.execution_status for e in second.get_wait_list()] == [
        dpctl.event_status_type.complete
    ] or q.backend is not dpctl.backend_type.native
    second.wait()
    dpctl.SyclEvent.wait_for([first, second])
    assert second.execution_status is dpctl.event_status_type.complete
    assert second.profiling_info_submit <= second.profiling_info_start <= second.profiling_info_end
    assert second.backend is q.backend
    np.testing.assert_array_equal(dpt.asnumpy(y), 4 * np.arange(10))
    q.submit_barrier([first]).wait()
    q.submit_barrier().wait()
    timer = dpctl.SyclTimer(time_scale=1e3)
    with timer(q):
        q.submit(axpy, [2.0, x, y], [10])
    assert timer.dt.host_dt > 0 and timer.dt.device_dt >= 0 and len(timer.dt) == 2
    q.wait()


def test_what_a_queue_refuses(queue: dpctl.SyclQueue) -> None:
    x = dpt.zeros(4, sycl_queue=queue)
    with pytest.raises(dpctl.SyclKernelSubmitError):
        queue.submit(len, [x], [4])
    for shape in ([], [1, 2, 3, 4], [-1], ["4"]):
        with pytest.raises(dpctl.SyclKernelInvalidRangeError):
            queue.submit(past_the_end, [x], shape)
    with pytest.raises(errors.LaunchError):
        queue.submit(past_the_end, [x], [4], [3])
    with pytest.raises(TypeError):
        queue.submit(past_the_end, [x, x, x], [4])
    with pytest.raises(TypeError):
        queue.submit(past_the_end, [x], [4], None, [3])
    with pytest.raises(IndexError, match="index 4"):
        queue.submit(past_the_end, [x], [4])
        queue.wait()
    for args in ((queue, queue), (1,), ("native", "native")):
        with pytest.raises((TypeError, errors.Error)):
            dpctl.SyclQueue(*args)
    with pytest.raises(ValueError):
        dpctl.SyclQueue("native", property="fast")
    with pytest.raises(TypeError):
        dpctl.SyclEvent.wait_for([3])
    with pytest.raises(RuntimeError), dpctl.SyclTimer():
        pass
    with pytest.raises(ValueError):
        dpctl.SyclTimer()(dpctl.SyclQueue("native"))
    assert dpctl.SyclEvent().execution_status is dpctl.event_status_type.complete


def test_contexts(queue: dpctl.SyclQueue) -> None:
    assert not dpctl.is_in_device_context()
    with dpctl.device_context(queue) as inside:
        assert dpctl.is_in_device_context() and dpctl.get_current_queue() == inside == queue
        assert dpctl.get_current_backend() is queue.backend
        assert dpctl.get_current_device_type() is queue.sycl_device.device_type
        assert dpt.zeros(3).sycl_queue == queue
        seen = []
        t = threading.Thread(target=lambda: seen.append(dpctl.is_in_device_context()))
        t.start()
        t.join()
        assert seen == [False]
    assert not dpctl.is_in_device_context()

    async def task(where: Any) -> bool:
        with dpctl.device_context(where) as q:
            await asyncio.sleep(0.01)
            return dpctl.get_current_queue() == q

    async def both() -> list[bool]:
        return await asyncio.gather(task(queue), task("native"), task(queue))

    assert asyncio.run(both()) == [True] * 3


# ---- memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [dpm.MemoryUSMDevice, dpm.MemoryUSMHost, dpm.MemoryUSMShared])
def test_memory(queue: dpctl.SyclQueue, cls: Any) -> None:
    m = cls(16, queue=queue)
    assert m.nbytes == m.size == len(m) == 16 and m.sycl_device == queue.sycl_device
    m.memset(7)
    assert m.tobytes() == b"\7" * 16
    m.copy_from_host(bytes(range(8)))
    out = bytearray(16)
    assert m.copy_to_host(out) is out and bytes(out) == bytes(range(8)) + b"\7" * 8
    other = dpm.MemoryUSMDevice(8, queue=queue)
    other.memset(1)
    m.copy_from_device(other)
    assert m.tobytes() == b"\1" * 8 + b"\7" * 8
    queue.memcpy(other, m, 8)
    queue.memcpy(out, m, 16)
    queue.memcpy_async(m, bytes(16), 16).wait()
    assert bytes(out)[8:] == b"\7" * 8 and m.tobytes() == bytes(16)
    assert cls(m, copy=True).tobytes() == bytes(16) and cls(m).reference_obj is m.reference_obj
    if cls is dpm.MemoryUSMDevice:
        for use in (memoryview, bytes, np.frombuffer):
            with pytest.raises(TypeError):
                use(m)
    else:
        memoryview(m)[3] = 9
        assert m.tobytes()[3] == 9 and bytes(m) == m.tobytes()
        assert np.frombuffer(m, np.int32).shape == (4,)
    assert m.__sycl_usm_array_interface__["shape"] == (16,)
    assert m.get_usm_type() in repr(m).lower()
    for bad in (lambda: m.copy_from_host(bytes(17)), lambda: queue.memcpy(m, out, 17)):
        with pytest.raises(ValueError):
            bad()
    with pytest.raises(TypeError):
        queue.memcpy(b"constant", m, 4)


def test_memory_that_there_is_not(queue: dpctl.SyclQueue) -> None:
    for bad in (0, -4):
        with pytest.raises(ValueError):
            dpm.MemoryUSMShared(bad, queue=queue)
    for bad in ("4", 1.5, True):
        with pytest.raises(TypeError):
            dpm.MemoryUSMShared(bad, queue=queue)
    with pytest.raises(MemoryError):
        dpm.MemoryUSMDevice(1 << 60, queue=queue)
    with pytest.raises(TypeError):
        dpm.MemoryUSMHost(dpm.MemoryUSMShared(4, queue=queue))
    with pytest.raises(TypeError):
        dpm.as_usm_memory(3)
    assert issubclass(dpm.USMAllocationError, errors.Error)


def test_memory_is_freed() -> None:
    try:
        q = dpctl.SyclQueue(DEVICE)
    except dpctl.SyclQueueCreationError as e:
        pytest.skip(str(e))
    gc.collect()
    device = swathe.Device(DEVICE)
    before = device.live_bytes
    m = dpm.MemoryUSMShared(1 << 20, queue=q)
    x = dpt.zeros((512, 512), sycl_queue=q)
    part, raw = x[3:7, ::2], x.usm_data
    assert device.live_bytes - before >= 3 << 20
    del m, x, part
    assert device.live_bytes - before >= 2 << 20
    del raw
    gc.collect()
    assert device.live_bytes == before


# ---- arrays ------------------------------------------------------------------------------------


@pytest.mark.parametrize("usm_type", ["device", "shared", "host"])
def test_arrays(queue: dpctl.SyclQueue, usm_type: str) -> None:
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x = dpt.asarray(a, usm_type=usm_type, sycl_queue=queue)
    assert isinstance(x, dpt.usm_ndarray) and x.usm_type == usm_type and x.sycl_queue == queue
    assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes) == (a.shape, a.dtype, 3, 24, 96)
    assert x.strides == (12, 4, 1) and len(x) == 2 and x.device == dpt.Device(queue)
    np.testing.assert_array_equal(dpt.to_numpy(x), a)
    np.testing.assert_array_equal(dpt.asnumpy(x[1, ::2, 1:]), a[1, ::2, 1:])
    np.testing.assert_array_equal(dpt.asnumpy(x.mT), a.swapaxes(1, 2))
    np.testing.assert_array_equal(dpt.asnumpy(dpt.reshape(x, (6, 4)).T), a.reshape(6, 4).T)
    np.testing.assert_array_equal(
        dpt.asnumpy(dpt.reshape(x[:, 1:], (4, 4))), a[:, 1:].reshape(4, 4)
    )
    x[0] = 5
    x[1, 0] = dpt.asarray(np.ones(4, np.float32), sycl_queue=queue)
    a[0], a[1, 0] = 5, 1
    np.testing.assert_array_equal(dpt.asnumpy(x), a)
    assert float(x[1, 2, 3]) == 23 and int(x[0, 0, 0]) == 5 and bool(x[0, 0, 1])
    raw = dpt.asarray(a, usm_type=usm_type, sycl_queue=queue).usm_data
    assert raw.tobytes() == a.tobytes() and raw.get_usm_type() == usm_type
    assert "usm_ndarray([" in repr(x[0, 0])
    f = dpt.asarray(np.asfortranarray(a[0]), sycl_queue=queue)
    assert f.flags.f_contiguous and f.strides == (1, 3)
    if queue.backend is dpctl.backend_type.native or usm_type != "device":
        np.testing.assert_array_equal(np.from_dlpack(x), a)
    with pytest.raises(TypeError):
        np.asarray(x)
    moved = x.to_device("native")
    np.testing.assert_array_equal(dpt.asnumpy(moved), a)


@pytest.mark.parametrize("cls", [dpm.MemoryUSMDevice, dpm.MemoryUSMShared])
def test_arrays_over_memory(queue: dpctl.SyclQueue, cls: Any) -> None:
    m = cls(100, queue=queue)
    m.memset(0)
    for order in "CF":
        x = dpt.usm_ndarray((2, 3), dtype="i4", buffer=m, order=order)
        assert x.usm_type == m.get_usm_type() and x.sycl_queue == queue and x.shape == (2, 3)
        x[:] = np.arange(6, dtype="i4").reshape(2, 3)
        want = np.arange(6, dtype="i4").reshape(2, 3).tobytes(order)
        assert m.tobytes()[:24] == want and m.tobytes()[24:] == bytes(76)
    assert dpt.usm_ndarray(12, buffer=m).dtype == np.float64
    with pytest.raises(ValueError, match="fit"):
        dpt.usm_ndarray(13, buffer=m)


def test_making(queue: dpctl.SyclQueue) -> None:
    o = {"sycl_queue": queue}
    assert dpt.empty((2, 3), **o).dtype == np.float64
    assert (dpt.asnumpy(dpt.full(3, 7, dtype="i4", **o)) == 7).all()
    np.testing.assert_array_equal(dpt.asnumpy(dpt.arange(2, 8, 3, **o)), [2, 5])
    x = dpt.ones((2, 2), dtype=dpt.float32, usm_type="shared", **o)
    for make, value in ((dpt.zeros_like, 0), (dpt.ones_like, 1)):
        y = make(x)
        assert y.usm_type == "shared" and y.dtype == np.float32 and y.sycl_queue == queue
        assert (dpt.asnumpy(y) == value).all()
    assert (dpt.asnumpy(dpt.full_like(x, 4)) == 4).all() and dpt.empty_like(x).shape == (2, 2)
    assert dpt.asarray(x) is x and dpt.asarray(x, copy=True) is not x
    assert dpt.asnumpy(dpt.copy(x)).shape == (2, 2)
    assert dpt.asarray(x, dtype="f8").dtype == np.float64
    assert dpt.from_dlpack(np.ones(3)).shape == (3,) and dpt.from_numpy(np.ones(3), **o).size == 3
    for bad in ({"usm_type": "paper"}, {"sycl_queue": 3}, {"device": "toaster"}):
        with pytest.raises((TypeError, ValueError, errors.Error)):
            dpt.empty(3, **bad)
    with pytest.raises(TypeError):
        dpt.asarray(np.array([None]), **o)


def test_compute_follows_data() -> None:
    try:
        there = dpctl.SyclQueue(DEVICE)
    except dpctl.SyclQueueCreationError as e:
        pytest.skip(str(e))
    here = dpctl.SyclQueue("native")
    x, y = dpt.ones(4, sycl_queue=there), dpt.ones(4, sycl_queue=here)
    with pytest.raises(dpctl.ExecutionPlacementError):
        dpex.call_kernel(axpy, dpex.Range(4), 1.0, x, y)
    with pytest.raises(dpctl.ExecutionPlacementError):
        x[:2] = y[:2]
    z = y.to_device(there)
    dpex.call_kernel(axpy, dpex.Range(4), 1.0, x, z)
    assert (dpt.asnumpy(z) == 2).all() and z.sycl_device == there.sycl_device
    assert dpctl.utils.get_execution_queue([there, there]) == there
    assert dpctl.utils.get_execution_queue([there, here]) is None
    assert dpctl.utils.get_coerced_usm_type(["host", "shared"]) == "shared"
    with pytest.raises(ValueError):
        dpctl.utils.validate_usm_type("paper")


@pytest.mark.parametrize("device", ["native", DEVICE])
def test_arrays_of_one_device_go_together(device: str) -> None:
    """However they were made; a comparison is of their elements."""
    try:
        there = dpctl.SyclDevice(device)
    except dpctl.SyclDeviceCreationError as e:
        pytest.skip(str(e))
    first = dpt.full(4, 3.0, device=device)
    with dpctl.device_context(device):
        inside = dpt.ones(4)
    made = [
        dpt.ones(4, device=there),
        dpt.ones(4, device=first.device),
        dpt.ones(4, sycl_queue=dpctl.SyclQueue(there)),
        dpt.asarray(np.ones(4), sycl_queue=dpctl.SyclQueue(there, property="in_order")),
        dpt.ones_like(first),
        inside,
    ]
    assert first.sycl_queue == inside.sycl_queue == made[0].sycl_queue == made[1].sycl_queue
    for x in made:
        dpex.call_kernel(axpy, dpex.Range(4), 2.0, first, x)
        assert dpt.asnumpy(x).tolist() == [7.0] * 4
        for found, want in ((x == 7, True), (x != first, True), (x <= first, False)):
            assert found.dtype == np.bool_ and found.sycl_device == there
            assert dpt.asnumpy(found).tolist() == [want] * 4
    assert dpt.ones(3).sycl_queue == dpt.ones(3, device=dpt.ones(3).sycl_device).sycl_queue
    assert (first[:1] == 3.0) and not (first[:1] > 3)
    for bad in (None, "3", np.ones(4), [3.0] * 4, first._swathe_base):
        with pytest.raises(TypeError):
            first == bad  # noqa: B015
    with pytest.raises(TypeError):
        hash(first)


def test_arrays_of_devices_are_not_equal_in_silence() -> None:
    import swathe

    try:
        a = swathe.Queue(DEVICE).zeros(3)
    except swathe.errors.NoDeviceError as e:
        pytest.skip(str(e))
    for other in (0, 0.0, np.zeros(3), np.float64(0), a[:], a.queue.zeros(3)):
        for compare in (lambda x, y: x == y, lambda x, y: x != y):
            with pytest.raises(TypeError, match="copy_to_host"):
                compare(a, other)
    assert a == a and a in [a] and a != "a" and {a: 1}[a] == 1
