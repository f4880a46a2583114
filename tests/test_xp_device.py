# SPDX-License-Identifier: BSD-3-Clause
"""Lazy arrays on a device: the functions of test_xp.py there, queues, and what goes between."""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import test_xp as on_cpu
from chosen import DEVICE

import swathe
from swathe import errors, xp
from swathe._device_array import DeviceArray
from swathe._lazy import dtypes, graph

try:
    THERE = swathe.Device(DEVICE)
except errors.NoDeviceError as e:
    pytest.skip(str(e), allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
MADE = {"asarray", "eye", "arange", "linspace", "full", "zeros", "fftfreq", "rfftfreq"}


class Placed:
    """A namespace whose new arrays are on the device."""

    def __init__(self, module: Any = xp) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.module, name)
        if isinstance(found, ModuleType):
            return Placed(found)
        if name in MADE:
            return lambda *args, **names: found(*args, **names, device=THERE)
        return found


there: Any = Placed()


def same(got: Any, want: Any, what: str) -> None:
    """It is on the device, and NumPy's."""
    assert got.device is THERE, what
    on_cpu.same(got.to_device("cpu"), want, what)


@pytest.mark.parametrize("dtype", [dtypes.float64, dtypes.int16, dtypes.complex64], ids=str)
def test_functions_of_elements(dtype: np.dtype) -> None:
    calls = on_cpu._calls(dtype)[2::6]
    for n in (12, 0):
        x, y = on_cpu.sample(dtype, n, 1), on_cpu.sample(dtype, n, 2)
        if dtype.kind in "iu":
            y = np.abs(y) % dtype.type(7)
        a, b = there.asarray(x), there.asarray(y)
        lazies = [getattr(xp, op)(*(a, b)[:k]) for op, k in calls]
        xp.compute(*lazies)
        for (op, k), got in zip(calls, lazies, strict=True):
            same(got, getattr(np, op)(*(x, y)[:k]), f"{op} of {n} {dtype}")


def test_reductions() -> None:
    x = on_cpu._f((5, 12))
    d = there.asarray(x)
    s = xp.sum(d, axis=0)
    e = xp.exp(d - xp.max(d, axis=1, keepdims=True))
    want = np.exp(x - x.max(1, keepdims=True))
    same(e / xp.sum(e, axis=1, keepdims=True), want / want.sum(1, keepdims=True), "softmax")
    lazies = s, xp.mean(d), xp.argmax(d, axis=1), xp.any(d > 10, axis=(0, 1), keepdims=True)
    xp.compute(*lazies)
    wants = x.sum(0), x.mean(), x.argmax(1), (x > 10).any(keepdims=True)
    for k, (got, want) in enumerate(zip(lazies, wants, strict=True)):
        same(got, np.asarray(want), str(k))
    same(s * lazies[1], x.sum(0) * x.mean(), "a number that was computed")


NAMES = ["concat", "reshape_of_view", "steps", "index", "mask", "rows", "full", "matmul", "take",
         "sort", "cumulative_more", "cross", "irfft", "hfft", "ihfft", "eye",
         "slogdet"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_functions_that_move_elements(name: str) -> None:
    f, x = (on_cpu.MOVES | on_cpu.CALLS)[name]
    same(f(there, there.asarray(x)), np.asarray(f(np, x)), name)


def test_a_loop_over_steps_compiles_once(monkeypatch: Any) -> None:
    monkeypatch.setattr(graph, "_plans", {})
    x = np.linspace(0.0, 1.0, 40)
    d = there.asarray(x)
    for k in range(2, 6):
        d = (d * (0.5 / k))[1:] + float(k)
        x = (x * (0.5 / k))[1:] + float(k)
        d.compute()
    same(d, x, "steps")
    (plan,) = graph._plans.values()
    assert plan.launches == 4 and not plan.refused


def test_assignments() -> None:
    x = np.zeros((4, 6))
    d = there.zeros((4, 6))
    view = d[1:, ::2]
    for a in (x, d):
        a[1:3, 2:] = 5.0
        a[0] = a[2] * 2.0
        a[a > 9] -= 1.0
    same(d, x, "the array")
    same(view, x[1:, ::2], "a view")


def test_where_arrays_are() -> None:
    """Operations are where their operands are; results stay there; two places are an error."""
    queue = swathe.Queue(THERE)
    x = np.arange(6.0).reshape(2, 3)
    here, d, own = swathe.lazy(x), there.asarray(x), swathe.lazy(queue.to_device(x))
    assert (here.device, d.device, own.device) == ("cpu", THERE, queue)
    assert d.queue is THERE.queue and own.queue is queue and here.queue is None
    assert (d * 2.0).device is THERE and xp.zeros_like(own).device is queue
    assert xp.sum(own).device is queue and xp.asarray([d, d]).device is THERE
    for make in (
        lambda: d + here,
        lambda: d * own,
        lambda: xp.where(d > 1, d, here),
        lambda: xp.concat([here, own]),
        lambda: d @ own.T,
        lambda: xp.asarray([d, own]),
        lambda: d.__setitem__(0, here[0]),
        lambda: d[xp.asarray([0])],
    ):
        with pytest.raises(errors.ExecutionPlacementError, match="operands are on"):
            make()
    back = d.to_device("cpu")
    assert back.device == "cpu" and np.array_equal(back + here, x * 2)
    assert d.to_device(THERE) is d and d.to_device(queue).device is queue
    assert d.to_device(THERE, stream=queue).queue is queue
    same(d.to_device(queue).to_device(THERE) + d, x * 2, "between queues")
    a, b, c = xp.compute(here + 1.0, d + 1.0, xp.max(own))
    assert isinstance(a, np.ndarray) and b.queue is THERE.queue and c == 5.0
    same(np.float64(2.0) * d, x * 2, "NumPy's number")
    assert xp.asarray(d, dtype=xp.float32, device="cpu").dtype == xp.float32


def test_values() -> None:
    """What asks for them, and what has no meaning on a device."""
    x = np.arange(4.0)
    d = there.asarray(x) * 2.0
    assert repr(d) == repr(swathe.lazy(x) * 2.0) and str(d) == "[0. 2. 4. 6.]"
    assert float(d[1]) == 2.0 and int(xp.sum(d)) == 12 and bool(xp.all(d >= 0))
    assert [float(v) for v in d] == [0, 2, 4, 6] and f"{xp.max(d):.1f}" == "6.0"
    found = d.compute()
    assert isinstance(found, DeviceArray)
    with pytest.raises(ValueError, match="read-only"):
        found.fill(1.0)
    with pytest.raises(TypeError, match=r'x.to_device\("cpu"\)'):
        np.asarray(d)
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(d)
    assert np.array_equal(np.from_dlpack(d.to_device("cpu")), x * 2)
    if THERE.backend == "opencl":
        with pytest.raises(BufferError):
            d.__dlpack__()
    with pytest.raises(IndexError, match="out of bounds"):
        xp.take(d, there.asarray([1, 4])).compute()
    with pytest.raises(ValueError, match="no device"):
        xp.zeros(2, device="cuda:97")
    with pytest.raises(ValueError, match="device="):
        xp.zeros(2, device=3)
    assert THERE in xp.__array_namespace_info__().devices()


def test_by_hand() -> None:
    """Functions that are fused take arrays of the device; schedules, and nothing fused."""
    x = np.arange(600.0).reshape(20, 30)
    total = swathe.fuse(lambda a, by: a * by - xp.mean(a), xp.sum)
    got = total(THERE.queue.to_device(x), 2.0)
    assert got == pytest.approx((x * 2.0 - x.mean()).sum())
    d = there.asarray(x)
    with swathe.no_fuse():
        same(d * 2.0 + 1.0, x * 2 + 1, "apart")
    schedule = swathe.par({"axis0": swathe.threads(8), "axis1": swathe.seq()})
    found = (d * 3.0 + 1.0).compute(schedule=schedule)
    assert np.array_equal(found.copy_to_host(), x * 3 + 1)
    assert "np.sin(a0)" in xp.sin(d).explain() and "<svg" in str(xp.sin(d).graph())
    text = xp.matmul(d, d.T).explain()
    assert "library call: matmul" in text


def test_queues_without_order() -> None:
    """Calls that are several pieces of work need a queue in order: libraries, and graphs."""
    from swathe.vendor import blas, fft, random, sorting, sparse

    queue = swathe.Queue(THERE, in_order=False)
    x = queue.to_device(np.ones((4, 4)))
    for call in (
        lambda: sorting.sort(x[0]),
        lambda: fft.fft(x),
        lambda: blas.matmul(x, x),
        lambda: random.Generator(1).uniform(x),
        lambda: sparse.to_device(np.eye(3), queue),
        lambda: swathe.lazy(x),
        lambda: xp.ones(3, device=queue),
        lambda: xp.ones(3).to_device(THERE, stream=queue),
    ):
        with pytest.raises(errors.QueueError, match="in_order=False"):
            call()
    same(xp.asarray(x, device=THERE) * 2.0, np.full((4, 4), 2.0), "the device's own queue")
