"""Devices, queues, events and device arrays; launches on PoCL; what is refused, and how."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors, gpu

try:
    OPENCL = swathe.Device(DEVICE)
except errors.NoDeviceError as e:
    pytest.skip(str(e), allow_module_level=True)


@gpu.jit
def saxpy(a, x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@gpu.jit
def one_over(x, y):
    i = gpu.grid(1)
    y[i] = x[i + 3]


@pytest.fixture
def queue() -> Any:
    return swathe.Queue(OPENCL, profiling=True)


# ---- which there are ---------------------------------------------------------------------------


def test_list() -> None:
    found = swathe.devices()
    assert any(d.is_native for d in found) and OPENCL in found
    for d in found:
        assert swathe.Device(d.filter_string) is d
        assert d.compute_units > 0 and d.global_mem_size > 0 and d.max_work_group_size > 0
        assert d.kind in d.aspects and d.name and d.vendor


@pytest.mark.parametrize(
    "selector", ["opencl", "opencl:cpu", "opencl:0", "OpenCL:*:0", "gpu:7,opencl", "opencl:cpu:0"]
)
def test_selectors(selector: str) -> None:
    assert swathe.Device(selector) is OPENCL


def test_native() -> None:
    assert swathe.Device("native").is_native
    assert swathe.select_cpu_device().is_native
    assert "fp64" in swathe.select_device_with_aspects(["fp64", "cpu"]).aspects
    assert swathe.Queue("native").device.is_native
    assert swathe.Device(0) is swathe.Device("0") is swathe.devices()[0]
    for bad in (True, 1.5, b"cpu"):
        with pytest.raises(TypeError):
            swathe.Device(bad)


@pytest.mark.parametrize("selector", ["opencl:99", "accelerator:5", "opencl:gpu:9"])
def test_no_such_device(selector: str) -> None:
    with pytest.raises(errors.NoDeviceError, match="native:cpu:0"):
        swathe.Device(selector)


@pytest.mark.parametrize("selector", ["", "fpga", "opencl:fast", "opencl;cpu"])
def test_bad_selector(selector: str) -> None:
    if selector == "":
        assert swathe.Device("*") is swathe.devices()[0]
        return
    with pytest.raises(errors.NoDeviceError, match="selector"):
        swathe.Device(selector)
    with pytest.raises(ValueError, match="aspect"):
        swathe.select_device_with_aspects("quick")


@pytest.mark.parametrize(
    ("name", "value", "names"),
    [
        ("SWATHE_DEVICE", "opencl:cpu", {"opencl"}),
        ("SYCL_DEVICE_FILTER", "native", {"native"}),
        ("ONEAPI_DEVICE_SELECTOR", "opencl:cpu", {"opencl"}),
        ("ONEAPI_DEVICE_SELECTOR", "!opencl:*", {"native"}),
        ("ONEAPI_DEVICE_SELECTOR", "*:gpu", set()),
    ],
)
def test_filters(monkeypatch: Any, name: str, value: str, names: set[str]) -> None:
    monkeypatch.setenv(name, value)
    found = {d.backend for d in swathe.devices()} - {"cuda"}
    assert found == names
    if not names:
        with pytest.raises(errors.NoDeviceError):
            swathe.select_cpu_device()


def run_python(*args: str) -> str:
    return subprocess.run(
        [sys.executable, *args], capture_output=True, text=True, check=True, timeout=120
    ).stdout


def test_command_line() -> None:
    assert "opencl:cpu:0" in run_python("-m", "swathe", "devices")
    assert "compute units" in run_python("-m", "swathe", "devices", "-v")


def test_nothing_is_opened_before() -> None:
    code = "import swathe, sys\nfrom swathe import gpu\nmaps = open('/proc/self/maps').read()\n"
    code += "print('OpenCL' in maps or 'libcuda' in maps or 'swathe.devices' in sys.modules)"
    assert run_python("-c", code).strip() == "False"


# ---- memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f2", "i4", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("order", "CF")
def test_round_trip(queue: Any, dtype: str, order: str) -> None:
    a = np.asarray(np.arange(24).reshape(2, 3, 4) % 2, dtype, order)
    d = queue.to_device(a)
    assert d.shape == a.shape and d.dtype == a.dtype and d.nbytes == a.nbytes
    back = d.copy_to_host()
    assert back.flags.f_contiguous == a.flags.f_contiguous
    np.testing.assert_array_equal(back, a)


def test_views(queue: Any) -> None:
    a = np.arange(60.0).reshape(3, 4, 5)
    d = queue.to_device(a)
    for key in (1, (1, 2), (slice(None), 2), np.s_[::-1, 1:3, ::2], np.s_[..., -1], (None, 0)):
        np.testing.assert_array_equal(d[key].copy_to_host(), a[key])
    np.testing.assert_array_equal(d.T.copy_to_host(), a.T)
    np.testing.assert_array_equal(d.reshape(12, -1).copy_to_host(), a.reshape(12, 5))
    np.testing.assert_array_equal(d[1].ravel().copy_to_host(), a[1].ravel())
    with pytest.raises(ValueError, match="copy"):
        d[:, 1:2].reshape(15)
    with pytest.raises(IndexError):
        d[7]
    with pytest.raises(TypeError):
        d[[0, 1]]


def test_set_and_fill(queue: Any) -> None:
    a, d = np.zeros((4, 5)), queue.zeros((4, 5))
    for target in (a, d):
        target[1] = 3.0
        target[:, 2] = [1.0, 2.0, 3.0, 4.0]
        target[2:, ::2] = 7
    d[0] = d[1]
    a[0] = a[1]
    np.testing.assert_array_equal(d.copy_to_host(), a)
    np.testing.assert_array_equal(d.copy().copy_to_host(), a)


def test_not_for_numpy(queue: Any) -> None:
    d = queue.zeros(3)
    for use in (np.asarray, memoryview, bytes):
        with pytest.raises(TypeError):
            use(d)
    with pytest.raises(ValueError):
        d.copy_to_host(np.zeros(4))
    with pytest.raises(TypeError):
        queue.empty(3, object)
    with pytest.raises(ValueError):
        queue.empty(-1)


def test_shared_memory(queue: Any) -> None:
    if "svm_fine" not in OPENCL.aspects:
        pytest.skip("no fine-grained shared memory")
    d = queue.empty(8, np.float32, space="shared")
    d.host[:] = np.arange(8)
    x = queue.to_device(np.ones(8, np.float32))
    saxpy[1, 8, queue](np.float32(2), x, d)
    queue.sync()
    np.testing.assert_array_equal(d.host, np.arange(8) + 2)
    memoryview(d.host)


def test_memory_is_freed(queue: Any) -> None:
    gc.collect()
    before = OPENCL.live_bytes
    d = queue.zeros(1 << 18)
    part = d[5:9]
    assert OPENCL.live_bytes - before >= 1 << 21
    del d
    assert OPENCL.live_bytes - before >= 1 << 21
    del part
    gc.collect()
    assert OPENCL.live_bytes == before
    x = np.ones(100)
    for _ in range(5):
        saxpy[1, 128, queue](1.0, x, x.copy())
    used = OPENCL.live_bytes
    for _ in range(50):
        saxpy[1, 128, queue](1.0, x, x.copy())
    gc.collect()
    assert OPENCL.live_bytes == used


def test_freed_array(queue: Any) -> None:
    d = queue.zeros(4)
    d.free()
    for use in (d.copy_to_host, lambda: d[1:], lambda: saxpy[1, 4, queue](1.0, d, d)):
        with pytest.raises(errors.QueueError, match="freed"):
            use()


def test_too_much_memory(queue: Any) -> None:
    with pytest.raises(errors.DeviceMemoryError):
        queue.empty(1 << 50, np.uint8)
    with pytest.raises(MemoryError):
        queue.empty(OPENCL.props["max_alloc"] + 1, np.uint8)


# ---- launches ----------------------------------------------------------------------------------


def test_host_arrays_are_copied_back(queue: Any) -> None:
    x, y = np.arange(100.0), np.ones(100)
    saxpy[4, 32, queue](2.0, x, y)
    np.testing.assert_array_equal(y, 1 + 2 * np.arange(100))
    base = np.arange(40.0)  # overlapping, strided both ways
    want = base.copy()
    saxpy[1, 32, queue](1.0, base[::2], base[1::2])
    saxpy[1, 32](1.0, want[::2], want[1::2])
    np.testing.assert_array_equal(base, want)
    flipped = np.arange(6.0)
    saxpy[1, 32, queue](1.0, np.ones(6), flipped[::-1])
    np.testing.assert_array_equal(flipped, np.arange(6) + 1)


def test_device_and_host_mixed(queue: Any) -> None:
    x, y = queue.to_device(np.arange(10.0)), np.zeros(10)
    saxpy[1, 32, queue](3.0, x, y)
    np.testing.assert_array_equal(y, 3 * np.arange(10))


def test_events(queue: Any) -> None:
    x, y = queue.to_device(np.ones(1000)), queue.zeros(1000)
    first = queue.launch(saxpy, 8, 128, (1.0, x, y))
    second = queue.launch(saxpy, 8, 128, (1.0, x, y), after=first)
    second.wait()
    assert first.done and second.status == "done"
    t = second.times
    assert t["queued"] <= t["submitted"] <= t["started"] <= t["ended"]
    assert first.times["ended"] <= t["started"]
    assert (y.copy_to_host() == 2).all()
    with swathe.Timer(queue) as timer:
        saxpy[8, 128, queue](1.0, x, y)
    assert timer.host_dt > 0


def test_two_queues() -> None:
    a, b = swathe.Queue(OPENCL, in_order=False), swathe.Queue(OPENCL)
    x, y = a.to_device(np.ones(5000)), a.zeros(5000)
    done = None
    for _ in range(10):
        for q in (a, b):
            done = q.launch(saxpy, 40, 128, (1.0, x, y), after=done or ())
    done.wait()
    assert (y.copy_to_host() == 20).all()
    out = np.zeros(5000)
    event = b.copy(out, y, after=done, block=False)
    event.wait()
    assert (out == 20).all()
    with pytest.raises(errors.QueueError, match="times|does not profile"):
        _ = event.times


def test_kernel_fails(queue: Any) -> None:
    x = np.arange(8.0)
    with pytest.raises(IndexError, match=r"index 8 .*\(in block \(1, 0, 0\), thread \(1, 0, 0\)\)"):
        one_over[2, 4, queue](x[:8], np.zeros(6))
    d, y = queue.to_device(x), queue.zeros(8)
    one_over[2, 4, queue](d, y)  # nothing yet
    with pytest.raises(IndexError, match="in one_over"):
        queue.sync()
    queue.sync()
    event = queue.launch(one_over, 2, 4, (d, y))
    with pytest.raises(IndexError):
        event.wait()
    one_over[2, 4, queue](d, y)
    with pytest.raises(IndexError):
        y.copy_to_host()
    saxpy[1, 8, queue](0.0, d, y)
    y.copy_to_host()


def test_many_launches_that_may_fail(queue: Any) -> None:
    x, y = queue.to_device(np.zeros(16)), queue.zeros(13)
    for _ in range(300):
        one_over[1, 13, queue](x, y)
    queue.sync()


def test_refused(queue: Any) -> None:
    x = np.ones(4)
    with pytest.raises(errors.LaunchError):
        saxpy[1, 2048, queue](1.0, x, x)
    with pytest.raises(errors.LaunchError):
        saxpy[0, 4, queue]
    with pytest.raises(errors.LaunchError):
        saxpy[1, 4, "queue"]
    with pytest.raises(TypeError):
        saxpy[1, 4, queue](1.0, x)
    with pytest.raises(TypeError):
        saxpy[1, 4, queue](1.0, x, "y")
    with pytest.raises(TypeError):
        saxpy[1, 4](1.0, x, queue.to_device(x))
    with pytest.raises(errors.Error):
        saxpy[1, 4, queue](1.0, x, 2.0)
    with pytest.raises(TypeError):
        queue.launch(saxpy, 1, 4, (1.0, x, x), after=[3])


def test_unsupported(queue: Any) -> None:
    @gpu.jit
    def allocates(x):
        y = np.zeros(x.size)
        x[0] = y[0]

    with pytest.raises(errors.UnsupportedError, match="allocate"):
        allocates[1, 1, queue](np.ones(3))


# ---- contexts -----------------------------------------------------------------------------------


def test_context(queue: Any) -> None:
    x, y = np.ones(10), np.zeros(10)
    with swathe.device_context(DEVICE) as inside:
        assert swathe.current_queue() is inside is OPENCL.queue
        d = gpu.to_device(x)
        assert d.device is OPENCL
        saxpy[1, 32](1.0, d, y)
        with swathe.device_context("native"):
            assert swathe.current_queue() is None
            saxpy[1, 32](1.0, x, y)
        with swathe.device_context(queue):
            assert swathe.current_queue() is queue
    assert swathe.current_queue() is None
    assert (y == 2).all()
    with pytest.raises(IndexError), swathe.device_context(DEVICE):
        one_over[1, 4](gpu.to_device(x[:4]), gpu.to_device(y))


def test_contexts_of_threads_and_tasks() -> None:
    seen: dict[str, Any] = {}

    def elsewhere() -> None:
        seen["thread"] = swathe.current_queue()

    async def task(name: str, where: str) -> None:
        with swathe.device_context(where):
            await asyncio.sleep(0.01)
            seen[name] = swathe.current_queue()
            await asyncio.sleep(0.01)

    async def both() -> None:
        await asyncio.gather(task("a", DEVICE), task("b", "native"))

    with swathe.device_context(DEVICE):
        t = threading.Thread(target=elsewhere)
        t.start()
        t.join()
    asyncio.run(both())
    assert seen["thread"] is None and seen["b"] is None and seen["a"] is OPENCL.queue


def test_threads_launch() -> None:
    results = []

    def work(k: int) -> None:
        q = swathe.Queue(OPENCL)
        x, y = q.to_device(np.full(500, float(k))), q.zeros(500)
        for _ in range(20):
            saxpy[4, 128, q](1.0, x, y)
        results.append((y.copy_to_host() == 20 * k).all())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 6 and all(results)
