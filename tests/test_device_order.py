# SPDX-License-Identifier: BSD-3-Clause
"""What comes after what on devices, whose errors are raised where, and how queues end."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import errors, gpu, njit, prange

try:
    OPENCL = swathe.Device("opencl")
except errors.NoDeviceError as e:
    pytest.skip(str(e), allow_module_level=True)


@gpu.jit
def saxpy(a, x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@gpu.jit
def shift(x, y):
    i = gpu.grid(1)
    y[i] = x[i + 3]


@gpu.jit
def slow(x, n):
    i = gpu.grid(1)
    s = x[i]
    for k in range(n):
        s = s * 0.5 + (k & 1)
    x[i] = x[i] + 1 + 0 * s


@njit(parallel=True)
def total(x):
    s = 0.0
    for i in prange(x.size):
        s += x[i] * 2
    return s


LONG = 5_000_000


# ---- one queue after another -----------------------------------------------------------------


@pytest.mark.parametrize("in_order", [True, False])
def test_queues_that_share_memory(in_order: bool) -> None:
    """Without a word about events, the order of the program holds."""
    a, b = swathe.Queue(OPENCL, in_order=in_order), swathe.Queue(OPENCL, in_order=in_order)
    x = a.zeros(2)
    slow[1, 2, a](x, 10)
    slow[1, 2, b](x, 10)
    a.sync()
    b.sync()
    x.fill(0)
    slow[1, 2, a](x, LONG)
    slow[1, 2, b](x, 10)  # after what the other queue writes
    assert x.copy_to_host().tolist() == [2, 2]  # by the array's own queue, a
    slow[1, 2, b](x, LONG)
    x[:] = 7.0
    b.sync()
    assert x.copy_to_host().tolist() == [7, 7]
    slow[1, 2, b](x, LONG)
    y = a.to_device(np.ones(2))
    y[:] = x[:]
    assert y.copy_to_host().tolist() == [8, 8]
    slow[1, 1, b](y[:1], LONG)
    with swathe.device_context(a):
        assert total(y) == 34.0


def test_readers_do_not_wait_for_each_other() -> None:
    a, b = swathe.Queue(OPENCL), swathe.Queue(OPENCL)
    x, y, z = a.to_device(np.ones(8)), a.zeros(8), b.zeros(8)
    for _ in range(3):
        saxpy[1, 8, a](1.0, x, y)
        saxpy[1, 8, b](1.0, x, z)
    assert x._uses.writer is a._ref and x._uses.readers == (b._ref,)
    assert y._uses.writer is a._ref and y._uses.readers == ()
    assert z._uses.writer is b._ref
    b.fill(x, 5)
    assert x._uses.writer is b._ref and x._uses.readers == ()
    saxpy[1, 8, a](1.0, x, y)
    assert (y.copy_to_host() == 8).all() and (z.copy_to_host() == 3).all()
    del b
    z.fill(1)
    gc.collect()
    saxpy[1, 8, a](1.0, z, y)
    assert (y.copy_to_host() == 9).all()


def test_many_events() -> None:
    a, b = swathe.Queue(OPENCL), swathe.Queue(OPENCL, in_order=False)
    x = a.zeros(8)
    events = [a.launch(saxpy, 1, 8, (0.0, x, x)) for _ in range(150)]
    b.launch(saxpy, 1, 8, (0.0, x, x), after=events).wait()
    b.fill(x, 2, after=events).wait()
    b.copy(np.zeros(8), x, after=events, block=False).wait()
    b.wait_for(*events)
    assert all(e.done for e in events)
    np.testing.assert_array_equal(x.copy_to_host(), np.full(8, 2.0))


def test_fill_of_a_part_waits() -> None:
    q = swathe.Queue(OPENCL, in_order=False)
    x = q.zeros((2, 2))
    event = q.launch(slow, 1, 2, (x.reshape(4), LONG))
    q.fill(x[:, ::2], 5, after=event)
    assert event.done
    assert x.copy_to_host()[0, 0] == 5
    with pytest.raises(TypeError):
        q.fill(x[:, ::2], 5, after=[3])


def test_launches_return_at_once() -> None:
    from swathe.compat import dpctl
    from swathe.compat import numba_dpex as dpex

    @dpex.kernel
    def later(item, x, n):
        s = x[item.get_id(0)]
        for k in range(n):
            s = s * 0.5 + (k & 1)
        x[item.get_id(0)] += 1 + 0 * s

    q = swathe.Queue(OPENCL)
    d = dpctl.SyclQueue(q)
    x = q.zeros(2)
    d.submit(later, [x, 1], [2]).wait()
    for launch in (
        lambda: q.launch(slow, 1, 2, (x, 10 * LONG)),
        lambda: d.submit_async(later, [x, 10 * LONG], [2]),
        lambda: dpex.call_kernel_async(later, dpex.Range(2), (), x, 10 * LONG)[1],
    ):
        slow[1, 2, q](x, 1)
        q.sync()
        event = launch()
        status = getattr(event, "status", None) or event.execution_status.name
        assert status in ("waiting", "submitted", "running")
        event.wait()
    assert x.copy_to_host().tolist() == [7, 7]


# ---- whose errors -------------------------------------------------------------------------------


def fails() -> None:
    shift[1, 8](gpu.to_device(np.ones(8)), gpu.to_device(np.ones(8)))


def test_errors_of_threads_do_not_mix() -> None:
    launched, ended = threading.Event(), threading.Event()

    def bad() -> str:
        with pytest.raises(IndexError, match="index 8"), swathe.device_context("opencl"):
            fails()
            launched.set()
            ended.wait(60)
        return "bad"

    def good() -> str:
        launched.wait(60)
        with swathe.device_context("opencl"):
            d = gpu.to_device(np.ones(8))
            saxpy[1, 8](1.0, d, d)
            assert (d.copy_to_host() == 2).all()
            swathe.current_queue().sync()
        ended.set()
        return "good"

    with ThreadPoolExecutor(2) as pool:
        assert [f.result(60) for f in (pool.submit(bad), pool.submit(good))] == ["bad", "good"]
    OPENCL.queue.sync()


def test_errors_of_tasks_do_not_mix() -> None:
    async def bad() -> None:
        with pytest.raises(IndexError), swathe.device_context("opencl"):
            fails()
            await asyncio.sleep(0.05)

    async def good() -> Any:
        await asyncio.sleep(0.01)
        with swathe.device_context("opencl"):
            d = gpu.to_device(np.ones(8))
            await asyncio.sleep(0)
            saxpy[1, 8](1.0, d, d)
            return d.copy_to_host().sum()

    async def both() -> None:
        assert (await asyncio.gather(bad(), good(), good()))[1:] == [16, 16]

    asyncio.run(both())


def test_a_context_within_a_context() -> None:
    with pytest.raises(IndexError), swathe.device_context("opencl"):
        fails()
        with swathe.device_context("opencl") as q:
            q.sync()  # the outer one's error, too
    with pytest.raises(IndexError), swathe.device_context("opencl"):
        with swathe.device_context("opencl"):
            fails()
        pytest.fail("the inner context raises")


def test_a_context_that_ends_with_an_error() -> None:
    with pytest.raises(KeyError, match="mine") as caught, swathe.device_context("opencl"):
        fails()
        raise KeyError("mine")
    notes = "".join(getattr(caught.value, "__notes__", ["IndexError: index 8"]))
    assert "IndexError: index 8" in notes
    with swathe.device_context("opencl"):
        saxpy[1, 8](1.0, gpu.to_device(np.ones(8)), gpu.to_device(np.ones(8)))
    OPENCL.queue.sync()


def test_offloaded_errors_and_contexts() -> None:
    @njit(parallel=True)
    def past(x, y):
        for i in prange(y.size):
            y[i] = x[i + 3]

    x = np.ones(100)
    with pytest.raises(IndexError, match="index 100"), swathe.device_context("opencl"):
        past(x, np.zeros(100))
    q = swathe.Queue(OPENCL)
    with pytest.raises(IndexError, match="past"), swathe.device_context(q):
        past(q.to_device(x), q.zeros(100))

    async def task(where: str) -> set[Any]:
        seen = set()
        with swathe.device_context(where):
            for _ in range(10):
                await asyncio.sleep(0)
                seen.add((total(x), repr(swathe.current_queue())))
        return seen

    async def tasks() -> Any:
        return await asyncio.gather(task("opencl"), task("native"), task("opencl"))

    there, here = {(200.0, repr(OPENCL.queue))}, {(200.0, "None")}
    assert asyncio.run(tasks()) == [there, here, there]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core")
def test_a_context_of_some_cores() -> None:
    part, before = swathe.Device("native").create_sub_devices([1])[0], swathe.get_num_threads()
    seen = []

    @njit(parallel=True)
    def threads(out):
        for i in prange(out.size):
            out[i] = swathe.get_num_threads()

    with swathe.device_context(part):
        assert swathe.current_queue().device is part
        x = np.ones(1000)
        assert total(x) == 2000
        saxpy[8, 128](1.0, x, x)
        assert (x == 2).all()
        call = swathe._native_queue._core.set_num_threads
        swathe._native_queue._core.set_num_threads = lambda n: (seen.append(n), call(n))[1]
        try:
            total(x)
            saxpy[8, 128](1.0, x, x)
        finally:
            swathe._native_queue._core.set_num_threads = call
        with swathe.device_context("native"):
            assert swathe.current_queue() is None
    assert seen == [1, before, 1, before] and swathe.get_num_threads() == before


# ---- how queues end -----------------------------------------------------------------------------


def run(code: str) -> subprocess.CompletedProcess[str]:
    head = (
        "import gc, os, signal, sys\nimport numpy as np, swathe\nfrom swathe import errors, gpu\n"
    )
    head += "from test_device_order import saxpy, shift, slow\nq = swathe.Queue('opencl')\n"
    env = os.environ | {"PYTHONPATH": os.path.dirname(__file__)}
    return subprocess.run(
        [sys.executable, "-c", head + code], env=env, capture_output=True, text=True, timeout=120
    )


def test_the_process_ends_while_kernels_run() -> None:
    r = run(f"slow[1, 2, q](q.zeros(2), {20 * LONG})\nprint('end')")
    assert (r.returncode, r.stdout, r.stderr) == (0, "end\n", "")


def test_errors_that_nobody_waits_for_are_told() -> None:
    """On stderr, and by the status of the process, which doesn't say that all went well."""
    fails = "shift[1, 8, q](q.zeros(8), q.zeros(8))\n"
    for code, status in (
        ("", 1),
        ("del q\ngc.collect()\n", 1),
        ("sys.exit(3)", 3),
        ("raise SystemExit", 1),
        ("x = q.zeros(8)\ndel q\n", 1),
        ("os.fork() or os._exit(5)\nos.wait()\n", 1),
        ("import threading\nt = threading.Thread(target=q.zeros, args=(8,))\nt.start()\n", 1),
    ):  # fmt: skip
        r = run(fails + code)
        assert (r.returncode, r.stderr.count("IndexError: index 8")) == (status, 1), (code, r)
    r = run("with swathe.device_context(q):\n    " + fails)
    assert r.returncode == 1 and "IndexError: index 8" in r.stderr
    r = run("p = swathe.Queue('opencl')\n" + fails + fails.replace("q", "p"))
    assert r.returncode == 1 and r.stderr.count("IndexError: index 8") == 2
    r = run(f"def f():\n    global q\n    {fails}import threading\n"
            "t = threading.Thread(target=f)\nt.start()\n")  # fmt: skip
    assert r.returncode == 1 and r.stderr.count("IndexError: index 8") == 1
    for seen in ("q.sync()", "q.mark().wait()", "q.zeros(8).copy_to_host()"):
        r = run(fails + f"try:\n    {seen}\nexcept IndexError:\n    print('end')")
        assert (r.returncode, r.stdout, r.stderr) == (0, "end\n", ""), seen


def test_shared_memory_is_freed_after_a_queue_that_uses_it() -> None:
    other = swathe.Queue(OPENCL)
    for space in ("shared", "host"):
        q = swathe.Queue(OPENCL)
        x = other.empty(2, space=space)
        x.host[:] = 1
        slow[1, 2, q](x, 5 * LONG)
        began = time.perf_counter()
        del q
        gc.collect()
        assert (x.host == 2).all(), began  # the queue has waited
        del x
        gc.collect()


def test_a_child_of_fork() -> None:
    code = """
x = q.to_device(np.ones(8)); saxpy[1, 8, q](1.0, x, x); q.sync()
slow[1, 2, q](x, 10_000_000)
child = os.fork()
if child == 0:
    signal.alarm(60)
    for use in (lambda: saxpy[1, 8, q](1.0, x, x), x.copy_to_host, q.sync, q.mark,
                lambda: swathe.Queue("opencl"), lambda: q.zeros(3)):
        try:
            use()
        except errors.DeviceLostError as e:
            assert "fork" in str(e)
        else:
            os._exit(7)
    y = np.ones(8)
    saxpy[1, 8](1.0, y, y)
    assert (y == 2).all()
    del x, q
    gc.collect()
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), x.copy_to_host()[0])
"""
    r = run(code)
    assert (r.stdout, r.stderr) == ("5 3.0\n", "")


# ---- what is asked for that there is not ---------------------------------------------------------


@pytest.mark.parametrize("name", ["SWATHE_DEVICE", "SYCL_DEVICE_FILTER", "ONEAPI_DEVICE_SELECTOR"])
def test_what_the_environment_leaves_out_is_told(name: str, monkeypatch: Any) -> None:
    monkeypatch.delenv("SWATHE_DEVICE", raising=False)
    monkeypatch.setenv(name, "accelerator:5")
    told = f"{name}='accelerator:5' leaves out .*native:cpu:0"
    for use in (swathe.Device, lambda: swathe.Device("cpu"), lambda: swathe.Queue("opencl")):
        with pytest.raises(errors.NoDeviceError, match=told):
            use()
    assert swathe.devices() == []
    r = subprocess.run(
        [sys.executable, "-m", "swathe", "devices"], env=os.environ, capture_output=True, text=True
    )
    assert r.stdout.startswith("no device\n") and "leaves out" in r.stdout and r.returncode == 0


def test_arrays_that_can_not_be_written() -> None:
    q = swathe.Queue(OPENCL)
    x, y = np.ones(8), np.zeros(8)
    y.flags.writeable = False
    d = q.to_device(x)
    for use in (
        lambda: saxpy[1, 8, q](1.0, x, y),
        lambda: saxpy[1, 8, q](1.0, d, np.frombuffer(bytes(64))),
        lambda: saxpy[1, 8, q](1.0, d, np.broadcast_to(1.0, 8)),
        lambda: d.copy_to_host(y),
        lambda: q.copy(y, d),
    ):
        with pytest.raises(ValueError, match="read-only"):
            use()
    with pytest.raises(TypeError):
        d.copy_to_host([0] * 8)
    assert (y == 0).all()
    out = np.zeros(8)
    saxpy[1, 8, q](1.0, y, out)
    saxpy[1, 8, q](1.0, np.broadcast_to(2.0, 8), out)
    assert (out == 2).all()
