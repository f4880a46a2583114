"""The native CPU's queue, parts of devices, memory shared with the host, DLPack, bad input."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import errors, gpu


@gpu.jit
def saxpy(a, x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@gpu.jit
def shift(x, y):
    i = gpu.grid(1)
    y[i] = x[i + 3]


def opencl() -> Any:
    try:
        return swathe.Device(DEVICE)
    except errors.NoDeviceError as e:
        pytest.skip(str(e))


@pytest.fixture(params=["native", DEVICE])
def device(request: Any) -> Any:
    return opencl() if request.param == DEVICE else swathe.Device("native")


# ---- queues of every device --------------------------------------------------------------------


def test_queue(device: Any) -> None:
    q = swathe.Queue(device, profiling=True)
    assert q.device is device and "Queue" in repr(q)
    x, y = q.to_device(np.arange(100.0)), q.zeros(100)
    saxpy[1, 128, q](2.0, x, y)
    q.sync()
    np.testing.assert_array_equal(y.copy_to_host(), 2 * np.arange(100))
    y.copy_from_host(np.ones(100))
    q.fill(x, 3.0, block=True)
    event = q.launch(saxpy, 1, 128, (1.0, x, y))
    assert event.dependencies == ()
    later = q.launch(saxpy, 1, 128, (1.0, x, y), after=[event])
    assert later.dependencies == (event,)
    later.wait()
    assert later.status == "done" and later.done and "done" in repr(later)
    assert later.times["started"] <= later.times["ended"] and later.elapsed >= 0
    assert (y.copy_to_host() == 7).all()
    out = np.zeros(100)
    q.copy(out, y, after=later, block=False).wait()
    assert (out == 7).all()
    with swathe.Timer(q) as timer:
        saxpy[1, 128, q](1.0, x, y)
    assert timer.host_dt > 0


def test_queues_of_two_devices() -> None:
    there, here = swathe.Queue(opencl()), swathe.Queue("native")
    x, y = there.to_device(np.ones(64)), there.zeros(64)
    h = here.to_device(np.ones(64))
    first = there.launch(saxpy, 1, 64, (1.0, x, y))
    second = here.launch(saxpy, 1, 64, (1.0, h, h), after=first)
    third = there.launch(saxpy, 1, 64, (1.0, x, y), after=second)
    third.wait()
    there.wait_for(second)
    here.wait_for(third)
    assert (y.copy_to_host() == 2).all() and (h == 2).all()
    with pytest.raises(errors.QueueError, match="opencl|pthread|on "):
        saxpy[1, 64, here](1.0, x, h)
    with pytest.raises(errors.QueueError):
        here.fill(x, 1)
    with pytest.raises(errors.QueueError):
        other = swathe.Queue(there.device.create_sub_devices([1])[0])
        saxpy[1, 64, other](1.0, x, y)
    assert (here.to_device(y) == 2).all()


def test_native_errors() -> None:
    q = swathe.Queue("native")
    with pytest.raises(IndexError, match="thread"):
        shift[1, 8, q](np.zeros(8), np.zeros(8))
    for bad in (lambda: q.empty(3, object), lambda: q.wait_for(3), lambda: q.mark().times):
        with pytest.raises((TypeError, errors.QueueError)):
            bad()
    with pytest.raises(ValueError):
        q.copy(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError):
        q.empty(3, space="far")


def test_copies_within_one_array(device: Any) -> None:
    q = swathe.Queue(device)
    a, want = q.to_device(np.arange(10.0)), np.arange(10.0)
    for to, source in ((np.s_[1:], np.s_[:-1]), (np.s_[:7], np.s_[3:]), (np.s_[:], np.s_[:])):
        a[to] = a[source]
        want[to] = want[source].copy()
        np.testing.assert_array_equal(a.copy_to_host(), want)
    event = q.copy(a[2:], a[:-2], after=q.mark(), block=False)
    event.wait()
    want[2:] = want[:-2].copy()
    np.testing.assert_array_equal(a.copy_to_host(), want)


def test_one_element_and_copies() -> None:
    q = swathe.Queue(opencl())
    assert not q.zeros(1) and not q.zeros(()) and q.to_device(np.ones((1, 1)))
    one = q.to_device(np.array([2.5]))
    assert (float(one), int(one), complex(one)) == (2.5, 2, 2.5 + 0j)
    for n in (0, 2):
        for use in (bool, float):
            with pytest.raises(ValueError, match=f"{n} elements"):
                use(q.zeros(n))
    a = q.to_device(np.arange(3.0))
    for new in (copy.copy(a), copy.deepcopy([a])[0]):
        new[:] = 7
        assert a.copy_to_host().tolist() == [0, 1, 2] and new.copy_to_host().tolist() == [7, 7, 7]
    with pytest.raises(TypeError, match="copy_to_host"):
        pickle.dumps(a)
    for d in swathe.devices():
        assert pickle.loads(pickle.dumps(d)) is d is swathe.Device(d)
    with pytest.raises(TypeError, match="part"):
        pickle.dumps(swathe.Device("native").create_sub_devices([1])[0])
    assert swathe.Device(np.int64(0)) is swathe.Device(0)


# ---- parts ------------------------------------------------------------------------------------


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core")
def test_parts(device: Any) -> None:
    parts = device.create_sub_devices(1)
    assert len(parts) == device.compute_units
    assert device.create_sub_devices(1) == parts
    for part in parts[:2]:
        assert part.parent is device and part.compute_units == 1
        assert part.filter_string.startswith(device.filter_string)
        q = swathe.Queue(part)
        x, y = q.to_device(np.arange(100.0)), q.zeros(100)
        saxpy[1, 128, q](2.0, x, y)
        np.testing.assert_array_equal(y.copy_to_host(), 2 * np.arange(100))
    one, other = device.create_sub_devices([1, 1])
    assert one.compute_units == other.compute_units == 1
    threads = swathe.get_num_threads()
    with pytest.raises(IndexError):
        q = swathe.Queue(one)
        shift[1, 8, q](q.zeros(8), q.zeros(8))
        q.sync()
    assert swathe.get_num_threads() == threads


def test_parts_that_there_are_not(device: Any) -> None:
    for partition in ([1000, 1], 1000):
        with pytest.raises(errors.QueueError, match="cut"):
            device.create_sub_devices(partition)
    for partition in ("weekday", 0, [], [1, -1], 1.5, True):
        with pytest.raises((ValueError, TypeError)):
            device.create_sub_devices(partition)


# ---- memory ------------------------------------------------------------------------------------


def check_shared(space: str) -> None:
    """What host and device both see, whether the device has shared virtual memory or not."""
    device = opencl()
    gc.collect()
    before = device.live_bytes
    for in_order in (True, False):
        q = swathe.Queue(device, in_order=in_order)
        a, b = q.empty(8, np.float32, space=space), q.zeros(8, np.float32)
        a.host[:] = np.arange(8)
        assert memoryview(a).tolist() == list(range(8))
        q.launch(saxpy, 1, 8, (np.float32(2), a, a)).wait()
        np.testing.assert_array_equal(a.host, 3 * np.arange(8))
        e = q.launch(saxpy, 1, 8, (np.float32(2), a, b))
        q.copy(a, b, after=e, block=False).wait()
        np.testing.assert_array_equal(np.asarray(a), 6 * np.arange(8))
        a[2:4] = 7
        a[4:] = np.zeros(4, np.float32)
        np.testing.assert_array_equal(a.copy_to_host(), [0, 6, 7, 7, 0, 0, 0, 0])
        b[:] = a
        np.testing.assert_array_equal(b.copy_to_host(), a.host)
        np.testing.assert_array_equal(np.from_dlpack(a[1::2]), [6, 7, 0, 0])
        assert memoryview(a[1::2]).tolist() == [6, 7, 0, 0]
        np.asarray(a)[0] = 9
        view = a.host
        del a, b, e
        assert view[0] == 9
        del view, q
    gc.collect()
    assert device.live_bytes == before


@pytest.mark.parametrize("space", ["shared", "host"])
def test_shared(space: str) -> None:
    check_shared(space)


def test_without_shared_virtual_memory() -> None:
    opencl()
    code = (
        "import test_devices_more as t, swathe\n"
        "assert 'svm_fine' not in swathe.Device('opencl').aspects\n"
        "t.check_shared('shared')\nt.check_shared('host')\nprint('same')"
    )
    env = os.environ | {"SWATHE_OPENCL_SVM": "0", "PYTHONPATH": os.path.dirname(__file__)}
    r = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert r.stdout.strip() == "same", r.stderr


def test_memory_of_a_device_is_not_shown() -> None:
    q = swathe.Queue(opencl())
    d = q.zeros(4)
    for use in (memoryview, np.asarray, bytes):
        with pytest.raises(TypeError, match="copy_to_host"):
            use(d)
    with pytest.raises(BufferError):
        np.from_dlpack(d)
    assert hasattr(d, "__cuda_array_interface__") == (q.device.backend == "cuda")
    assert hasattr(d, "__sycl_usm_array_interface__") == (q.device.backend == "cuda")
    shared = q.empty(4, space="shared")
    if "svm_fine" in q.device.aspects:
        interface = shared.__sycl_usm_array_interface__
        assert interface["shape"] == (4,) and interface["data"][0]


class Theirs:
    """An array of another library: it only shows DLPack."""

    def __init__(self, array: Any, device: tuple[int, int] = (1, 0)) -> None:
        self.array, self.device = array, device

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class OnCuda:
    __cuda_array_interface__ = {
        "shape": (4,),
        "typestr": "<f8",
        "data": (4096, False),
        "version": 3,
    }


def test_arrays_of_others() -> None:
    q = swathe.Queue(opencl())
    x, y = np.ones(4), np.zeros(4)
    saxpy[1, 4, q](2.0, Theirs(x), Theirs(y))
    assert (y == 2).all()
    assert (q.asarray(Theirs(y)).copy_to_host() == 2).all()
    d = q.zeros(4)
    assert q.asarray(d) is d
    here = q.device.backend == "cuda"  # where NumPy can't tell what such an array would
    for other in (Theirs(y, (4, 0)),) if here else (Theirs(y, (2, 0)), Theirs(y, (4, 0)), OnCuda()):
        with pytest.raises(errors.QueueError, match="the queue of"):
            saxpy[1, 4, q](2.0, x, other)
    with pytest.raises(TypeError):
        saxpy[1, 4, q](2.0, x, object())


# ---- the list ----------------------------------------------------------------------------------


def test_properties(device: Any) -> None:
    assert all(n >= 1 for n in device.max_work_item_sizes + device.max_grid_sizes)
    assert 0 < device.max_alloc_size <= device.global_mem_size
    for name in ("fp16", "fp64", "atomic64"):
        assert getattr(device, f"has_{name}") == (name in device.aspects)
    free, total = device.memory_info()
    assert 0 < free <= total and device.live_bytes >= 0
    assert device.local_mem_size > 0 and device.driver_version


def test_no_device_is_left() -> None:
    code = (
        "import swathe\ntry:\n swathe.Device()\nexcept swathe.errors.NoDeviceError as e: print(e)"
    )
    env = os.environ | {"SWATHE_DEVICE": "accelerator:7", "SWATHE_OPENCL_LIB": "/nowhere.so"}
    r = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert "no device is left" in r.stdout and "/nowhere.so" in r.stdout, r.stdout + r.stderr


# ---- what is refused, before anything runs ------------------------------------------------------


@gpu.jit("void(float32[:], int32)")
def typed(x, n):
    x[gpu.grid(1)] = n


def refused(device: Any = None, other: Any = None) -> list[Any]:
    q = swathe.Queue(device or opencl())
    far = swathe.Queue(other or q.device.create_sub_devices([1])[0])
    d, h, f, gone = q.zeros(4), np.zeros(4), q.zeros(4, np.float32), q.zeros(4)
    gone.free()
    there = far.zeros(4)
    return [
        (errors.NotOnDeviceError, lambda: q.fill(h, 1)),
        (errors.NotOnDeviceError, lambda: q.copy(h, h)),
        (errors.NotOnDeviceError, lambda: q.copy(d, [1, 2])),
        (errors.NotOnDeviceError, lambda: swathe.Queue("native").fill([1], 1)),
        (errors.FreedMemoryError, lambda: gone.copy_to_host()),
        (errors.FreedMemoryError, lambda: gone[1:]),
        (errors.FreedMemoryError, lambda: saxpy[1, 4, q](1.0, gone, d)),
        (errors.FreedMemoryError, lambda: q.copy(d, gone)),
        (errors.QueueError, lambda: q.fill(there, 1)),
        (errors.QueueError, lambda: saxpy[1, 4, q](1.0, there, d)),
        (errors.QueueError, lambda: q.copy(there, d)),
        (errors.QueueError, lambda: saxpy[1, 4, swathe.Queue("native")](1.0, d, h)),
        (errors.ArgumentTypeError, lambda: typed[1, 4, q](d, 1)),
        (errors.ArgumentTypeError, lambda: typed[1, 4, q](f.reshape(2, 2), 1)),
        (errors.ArgumentTypeError, lambda: typed[1, 4, q](f, 1.5)),
        (errors.ArgumentTypeError, lambda: typed[1, 4](h, 1)),
        (errors.ArgumentTypeError, lambda: typed[1, 4](h, "n")),
        (errors.ArgumentTypeError, lambda: saxpy[1, 4](1.0, d, h)),
        (errors.ArgumentTypeError, lambda: saxpy[1, 4, q](1.0, object(), d)),
        (errors.ArgumentTypeError, lambda: saxpy[1, 4, q](1.0, np.array(["a"]), d)),
        (errors.ArgumentValueError, lambda: saxpy[1, 4, q](1.0, np.zeros(4, ">f8"), d)),
        (errors.LaunchError, lambda: saxpy[1, 2048, q](1.0, d, d)),
        (errors.LaunchError, lambda: saxpy[2**40, 1, q](1.0, d, d)),
        (errors.LaunchError, lambda: saxpy[1, 1, q, 1 << 30](1.0, d, d)),
        (errors.LaunchError, lambda: q.launch(saxpy, (1, 2, 3, 4), 1, (1.0, d, d))),
        (errors.LaunchError, lambda: saxpy[1, 1, "queue"](1.0, d, d)),
        (errors.DeviceMemoryError, lambda: q.empty(1 << 60)),
        (errors.DeviceMemoryError, lambda: q.empty(1 << 45, np.uint8)),
        (errors.DeviceMemoryError, lambda: swathe.Queue("native").empty(1 << 58)),
        (errors.NoDeviceError, lambda: swathe.Queue("gpu:55")),
        (TypeError, lambda: saxpy[1, 4, q](1.0, d)),
        (TypeError, lambda: q.empty(3, object)),
        (TypeError, lambda: q.to_device(np.array(["a"]))),
        (TypeError, lambda: q.launch(saxpy, 1, 4, (1.0, d, d), after=5)),
        (TypeError, lambda: q.wait_for("event")),
        (ValueError, lambda: q.empty(-1)),
        (ValueError, lambda: q.empty(3, order="Z")),
        (ValueError, lambda: q.copy(d, np.zeros(5))),
        (ValueError, lambda: d.view(np.complex128)[1:].view(np.dtype("V24"))),
    ]


@pytest.mark.parametrize("n", range(39))
def test_refused(n: int) -> None:
    kind, call = refused()[n]
    with pytest.raises(kind):
        call()


def test_refused_are_all_tried() -> None:
    assert len(refused()) == 39
    mine = (errors.LaunchError, errors.NotOnDeviceError, errors.FreedMemoryError)
    for kind in (*mine, errors.ArgumentError, errors.DeviceMemoryError, errors.DeviceLostError):
        assert issubclass(kind, errors.Error)
