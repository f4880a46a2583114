# SPDX-License-Identifier: BSD-3-Clause
"""The probes of tools/gpu_contact.py: `python contact.py PROBE` is one of them.

Ends with 0: as it should be, 3: there is no such thing here; else what went wrong is on stderr.
What a person wants to know goes out by `fact`.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

STANDIN = bool(os.environ.get("SWATHE_CUDA_LIB"))
PROBES: dict[str, Callable[[], None]] = {}


def probe(f: Callable[[], None]) -> Callable[[], None]:
    """Let a function be found by its name."""
    PROBES[f.__name__] = f
    return f


def fact(**what: Any) -> None:
    """Write down what was found."""
    print("FACT: " + json.dumps(what, default=str), flush=True)


def not_here(why: str) -> None:
    """End: there is nothing to try."""
    fact(missing=why)
    sys.exit(3)


def same(got: Any, want: Any, what: str = "") -> None:
    """Fail where they differ in any bit, and say where first."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes():
        return
    if got.shape == want.shape and np.array_equal(got, want, equal_nan=got.dtype.kind in "fc"):
        return
    where = np.argwhere(got != want)[:3].tolist() if got.shape == want.shape else "shapes"
    raise AssertionError(f"{what}: got {got.ravel()[:8]}, want {want.ravel()[:8]}, at {where}")


# ---- without swathe ------------------------------------------------------------------------------


@probe
def driver() -> None:
    """The driver's library is there, starts, and has devices."""
    name = os.environ.get("SWATHE_CUDA_LIB") or "libcuda.so.1"
    cuda = ctypes.CDLL(name)
    version, n = ctypes.c_int(), ctypes.c_int()
    assert cuda.cuInit(0) == 0, "cuInit"
    assert cuda.cuDriverGetVersion(ctypes.byref(version)) == 0
    assert cuda.cuDeviceGetCount(ctypes.byref(n)) == 0
    fact(library=name, version=version.value, devices=n.value)
    header = Path(__file__).resolve().parent.parent / "core/dev/cuda/cu.h"
    names = [
        s.split('"')[1] for s in header.read_text().splitlines() if s.lstrip().startswith("CU_FN(")
    ]
    missing = [s for s in names if not hasattr(cuda, s)]
    assert not missing, f"the driver lacks {missing}"
    assert n.value > 0, "there is no device"


if __name__ == "__main__" and sys.argv[1:] == ["driver"]:
    driver()
    sys.exit(0)

import numpy as np  # noqa: E402

import swathe  # noqa: E402
from swathe import _core, errors, gpu, njit, prange  # noqa: E402

if STANDIN:
    import standin

    standin.compute()
rng = np.random.default_rng(7)


@gpu.jit
def saxpy(a, x, y):
    """To be compiled."""
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]


def queue(**options: Any) -> Any:
    """Make a queue of the device."""
    return swathe.Queue("cuda", **options)


@probe
def properties() -> None:
    """What the device says of itself makes sense."""
    d = swathe.Device("cuda")
    fact(**d.props)
    p = d.props
    assert p["warp"] == 32 and p["max_threads"] >= 512 and p["arch"] >= 50, p
    assert p["compute_units"] > 0 and p["global_bytes"] > 1 << 28 and p["shared_bytes"] >= 48 << 10


@probe
def context() -> None:
    """A context and a queue can be made, and how long that takes."""
    began = time.perf_counter()
    d = swathe.Device("cuda")
    seen = time.perf_counter()
    q = swathe.Queue(d)
    made = time.perf_counter()
    q.sync()
    fact(driver_ms=1e3 * (seen - began), context_ms=1e3 * (made - seen), memory=d.memory_info())


@probe
def memory() -> None:
    """Bytes go there and back, fills fill, and the three kinds of memory are there."""
    q = queue()
    for n in (0, 1, 3, 1000, 1 << 20, (1 << 24) + 1):
        a = rng.integers(0, 256, n).astype(np.uint8)
        d = q.to_device(a)
        same(d.copy_to_host(), a, f"{n} bytes")
        same(d.copy().copy_to_host(), a, f"a copy of {n} bytes")
    for dtype in (np.uint8, np.float16, np.float32, np.int64, np.complex128):
        for value in (0, 1, -1 if dtype is not np.uint8 else 255, 77):
            d = q.empty(1001, dtype)
            d.fill(value)
            same(d.copy_to_host(), np.full(1001, value, dtype), f"fill {dtype.__name__} {value}")
            d[3:500].fill(5)
            want = np.full(1001, value, dtype)
            want[3:500] = 5
            same(d.copy_to_host(), want, "fill a part")
    for space in ("shared", "host"):
        d = q.empty(1000, np.float64, space=space)
        d.host[:] = np.arange(1000.0)
        saxpy[8, 128, q](2.0, d, d)
        q.sync()
        same(d.host, 3 * np.arange(1000.0), space)


@probe
def rows() -> None:
    """Views that are not in one piece: just their elements."""
    from test_device_rows import many

    many("cuda", 30, 11)


@probe
def launch() -> None:
    """A kernel, for some dtypes and sizes."""
    q = queue()
    for dtype in (np.float32, np.float64, np.int32, np.int64, np.complex64, np.complex128):
        for n in (1, 31, 128, 1000, 100_003):
            x, y = (rng.integers(-100, 100, n).astype(dtype) for _ in range(2))
            a, b = q.to_device(x), q.to_device(y)
            saxpy[-(-n // 128), 128, q](dtype(3), a, b)
            same(b.copy_to_host(), y + dtype(3) * x, f"{dtype.__name__} {n}")
    x = np.ones(1000)
    saxpy[8, 128, q](2.0, x, x)  # the host's own memory, copied there and back
    same(x, np.full(1000, 3.0), "an array of the host")
    view = q.to_device(np.arange(40.0).reshape(5, 8))
    saxpy[1, 32, q](1.0, view[3, ::-2], view[1, 1:5])
    want = np.arange(40.0).reshape(5, 8)
    want[1, 1:5] += want[3, ::-2].copy()
    same(view.copy_to_host(), want, "views")


@probe
def arguments() -> None:
    """Scalars of every dtype, tuples and records arrive as they are."""
    q = queue()

    @gpu.jit
    def give(v, out):
        out[gpu.grid(1)] = v

    names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64"
    for name in (names + " complex64 complex128").split():
        dtype = np.dtype(name)
        for v in (0, 1, 100, -3 if dtype.kind in "ifc" else 3):
            out = q.zeros(3, dtype)
            give[1, 3, q](dtype.type(v), out)
            same(out.copy_to_host(), np.full(3, v, dtype), f"{name} {v}")

    @gpu.jit
    def parts(t, out):
        i = gpu.grid(1)
        out[i] = t[0] * t[1][i] + t[2]

    out = q.zeros(4)
    parts[1, 4, q]((2, q.to_device(np.arange(4.0)), np.float32(0.5)), out)
    same(out.copy_to_host(), 2 * np.arange(4.0) + 0.5, "a tuple")


@probe
def grids() -> None:
    """Each thread of a grid of three dimensions runs once, and knows where it is."""
    q = queue()

    @gpu.jit
    def where(out):
        x, y, z = gpu.grid(3)
        if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
            out[x, y, z] += 1 + x + 100 * y + 10000 * z

    for grid, block in (((2, 3, 4), (4, 2, 2)), ((7, 1, 1), (33, 1, 1)), ((1, 5, 2), (1, 3, 64))):
        shape = tuple(g * b for g, b in zip(grid, block, strict=True))
        out = q.zeros(shape, np.int64)
        where[grid, block, q](out)
        x, y, z = np.indices(shape)
        same(out.copy_to_host(), 1 + x + 100 * y + 10000 * z, f"{grid} {block}")
    out = q.zeros((70_000 * 32, 1, 1), np.int64)
    where[(70_000, 1, 1), (32, 1, 1), q](out)
    same(out.copy_to_host()[:, 0, 0], 1 + np.arange(70_000 * 32), "many blocks")


# ---- errors --------------------------------------------------------------------------------------


@gpu.jit
def reach(x, y):
    """To be compiled: the last threads fail."""
    i = gpu.grid(1)
    y[i] = x[i + 3]


@probe
def error() -> None:
    """A thread that fails is named at the next wait, and the device goes on."""
    q = queue()
    x, y = q.zeros(128), q.zeros(128)
    for wait in (q.sync, lambda: q.mark().wait(), y.copy_to_host):
        reach[2, 64, q](x, y)
        try:
            wait()
        except IndexError as e:
            assert "block (1, 0, 0)" in str(e) and "with size 128" in str(e), e
        else:
            raise AssertionError("nothing was raised")
        saxpy[1, 128, q](1.0, x, y)
        q.sync()

    @gpu.jit
    def divide(a, x):
        x[gpu.grid(1)] = 7 // a

    divide[1, 1, q](0, q.zeros(1, np.int64))
    try:
        q.sync()
    except ZeroDivisionError:
        pass
    else:
        raise AssertionError("nothing was raised")


@probe
def error_unseen() -> None:
    """A process in which nobody has waited for a failing kernel ends with status 1."""
    code = (
        "import contact\nq = contact.queue()\ncontact.reach[2, 64, q](q.zeros(128), q.zeros(128))"
    )
    r = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True
    )
    assert r.returncode == 1 and "IndexError" in r.stderr, (r.returncode, r.stderr)


# ---- what kernels can do -------------------------------------------------------------------------


@probe
def math_functions() -> None:
    """Functions of both precisions, against NumPy's in longer numbers."""
    from test_cuda_device import functions

    q = queue()
    for dtype in (np.float64, np.float32):
        x = np.concatenate([rng.normal(size=4000) * 10, rng.normal(size=999) * 1e-3]).astype(dtype)
        out = np.zeros((16, x.size), dtype)
        gpu.jit(functions)[40, 128, q](x, out)
        w = x.astype(np.longdouble)
        a = abs(w)
        want = [np.exp(w), np.log(a), np.sin(w), np.cos(w), np.tan(w), np.arctan(w), np.tanh(w)]
        want += [np.cbrt(w), np.sqrt(a), np.expm1(w), np.log1p(a), w / 3, np.arcsinh(w)]
        want += [a ** np.longdouble(1.7), np.floor(w), np.hypot(w, 2)]
        ulps = []
        for g, e in zip(out, want, strict=True):
            off = abs(g.astype(np.longdouble) - e) / np.spacing(abs(e.astype(dtype))).astype(float)
            ulps.append(round(float(off.max()), 2))
        fact(dtype=dtype.__name__, ulps=ulps)
        assert max(ulps) <= 32, ulps


PROBES["math"] = PROBES.pop("math_functions")


@probe
def atomics() -> None:
    """Counts and sums of many threads are exact."""
    q, n = queue(), 100_000

    @gpu.jit
    def count(sums, low, high, v):
        i = gpu.grid(1)
        if i < v.size:
            gpu.atomic.add(sums, i % sums.size, v[i])
            gpu.atomic.min(low, 0, v[i])
            gpu.atomic.max(high, 0, v[i])

    for dtype in (np.int32, np.int64, np.uint32, np.float32, np.float64):
        v = rng.integers(0, 100, n).astype(dtype)
        sums = q.zeros(7, dtype)
        low, high = (q.to_device(np.full(1, k, dtype)) for k in (50, 50))
        count[-(-n // 256), 256, q](sums, low, high, q.to_device(v))
        want = np.array([v[k::7].sum(dtype=np.float64) for k in range(7)]).astype(dtype)
        same(sums.copy_to_host(), want, f"sums of {dtype.__name__}")
        same(low.copy_to_host()[0], min(v.min(), dtype(50)), f"min of {dtype.__name__}")
        same(high.copy_to_host()[0], max(v.max(), dtype(50)), f"max of {dtype.__name__}")

    @gpu.jit
    def tickets(next_, seen):
        seen[gpu.atomic.inc(next_, 0, np.uint32(1 << 30))] = 1

    next_, seen = q.zeros(1, np.uint32), q.zeros(5120, np.int32)
    tickets[20, 256, q](next_, seen)
    same(seen.copy_to_host(), np.ones(5120, np.int32), "tickets")


@probe
def shared() -> None:
    """Memory of a block, of fixed size and of the launch's, also more than 48 KiB."""
    q = queue()

    @gpu.jit
    def turn(x):
        t = gpu.shared.array(64, np.float64)
        i = gpu.threadIdx.x
        t[i] = x[gpu.grid(1)]
        gpu.syncthreads()
        x[gpu.grid(1)] = t[63 - i]

    a = rng.normal(size=64 * 50)
    d = q.to_device(a)
    turn[50, 64, q](d)
    same(d.copy_to_host(), a.reshape(50, 64)[:, ::-1].ravel(), "fixed")

    @gpu.jit
    def dynamic(x):
        t = gpu.shared.array(0, np.float64)
        i, n = gpu.threadIdx.x, gpu.blockDim.x
        for k in range(i, x.shape[1], n):
            t[k] = x[gpu.blockIdx.x, k]
        gpu.syncthreads()
        for k in range(i, x.shape[1], n):
            x[gpu.blockIdx.x, k] = t[x.shape[1] - 1 - k]

    for n in (100, 6144, 8000):
        a = rng.normal(size=(3, n))
        d = q.to_device(a)
        try:
            dynamic[3, 128, q, 8 * n](d)
        except errors.LaunchError as e:
            fact(refused=str(e))
            assert n > 6144
            continue
        same(d.copy_to_host(), a[:, ::-1], f"{8 * n} bytes")

    @gpu.jit
    def votes(x, out):
        out[gpu.grid(1)] = gpu.syncthreads_count(x[gpu.grid(1)] > 0)

    a = rng.normal(size=128)
    out = q.zeros(128, np.int64)
    votes[2, 64, q](q.to_device(a), out)
    same(out.copy_to_host(), np.repeat((a.reshape(2, 64) > 0).sum(1), 64), "votes")


@probe
def warps() -> None:
    """Shuffles and votes of a warp."""
    q = queue()

    @gpu.jit
    def shuffles(x, out):
        i = gpu.grid(1)
        out[0, i] = gpu.shfl_sync(0xFFFFFFFF, x[i], 5)
        out[1, i] = gpu.shfl_up_sync(0xFFFFFFFF, x[i], 1)
        out[2, i] = gpu.shfl_down_sync(0xFFFFFFFF, x[i], 1)
        out[3, i] = gpu.shfl_xor_sync(0xFFFFFFFF, x[i], 3)
        out[4, i] = gpu.ballot_sync(0xFFFFFFFF, x[i] > 0)

    for dtype in (np.float32, np.float64, np.int64):
        x = (rng.normal(size=64) * 100).astype(dtype)
        out = q.zeros((5, 64), np.float64)
        shuffles[1, 64, q](q.to_device(x), out)
        lanes, w = np.arange(32), x.reshape(2, 32)
        bits = ((w > 0) << lanes).sum(1)
        want = [w[:, [5] * 32], w[:, np.maximum(lanes - 1, 0)], w[:, np.minimum(lanes + 1, 31)]]
        want += [w[:, lanes ^ 3], np.repeat(bits, 32).reshape(2, 32)]
        same(out.copy_to_host(), np.array(want, np.float64).reshape(5, 64), dtype.__name__)


# ---- queues --------------------------------------------------------------------------------------


@gpu.jit
def slow(x, n):
    """To be compiled: takes as long as it is told."""
    i = gpu.grid(1)
    s = x[i]
    for k in range(n):
        s = s * 0.5 + (k & 1)
    x[i] = x[i] + 1 + 0 * s


@probe
def events() -> None:
    """An event is waited for alone, and times are those of the clock on the wall."""
    q = queue(profiling=True)
    x, y, n = q.zeros(32), q.zeros(32), 100 if STANDIN else 20_000_000
    slow[1, 32, q](x, 10)
    q.sync()
    early = q.launch(saxpy, 1, 32, (1.0, x, y))
    began = time.perf_counter()
    late = q.launch(slow, 1, 32, (x, n))
    early.wait()
    first = time.perf_counter() - began
    late.wait()
    took = time.perf_counter() - began
    fact(first_ms=1e3 * first, all_ms=1e3 * took, by_the_device_ms=late.elapsed)
    fact(between_ms=early.elapsed_time(late))
    if not STANDIN:
        assert first < took / 2, "an event waited for the whole queue"
        assert 0.5 * took < late.elapsed / 1e3 < 1.1 * took
        assert abs(early.elapsed_time(late) / late.elapsed - 1) < 0.1


@probe
def streams() -> None:
    """Queues that share memory wait for each other; others run side by side."""
    a, b = queue(), queue()
    n = 100 if STANDIN else 2_000_000
    x = a.zeros(32)
    for k in range(10):
        slow[1, 32, (a, b)[k % 2]](x, n)
    same(x.copy_to_host(), np.full(32, 10.0), "two queues in turn")
    times = []
    for pair in ((a, a), (a, b)):
        y, z = pair[0].zeros(32), pair[1].zeros(32)  # z is nobody else's
        a.sync(), b.sync()
        began = time.perf_counter()
        slow[1, 32, pair[0]](y, 10 * n)
        slow[1, 32, pair[1]](z, 10 * n)
        a.sync(), b.sync()
        times.append(time.perf_counter() - began)
    fact(one_queue_ms=1e3 * times[0], two_queues_ms=1e3 * times[1])


@probe
def reuse() -> None:
    """Temporary arrays of a loop don't make memory grow, and nobody sees another's."""
    q, rounds = queue(), 20 if STANDIN else 500
    x = q.zeros(1 << 20)
    free = [q.device.memory_info()[0]]
    for _ in range(rounds):
        t = q.empty(1 << 20)
        t.fill(1)
        saxpy[1 << 13, 128, q](1.0, t, x)
        del t
    same(x.copy_to_host(), np.full(1 << 20, float(rounds)), "sums")
    free.append(q.device.memory_info()[0])
    fact(free=free)
    assert free[0] - free[1] < 64 << 20, "memory grew"


# ---- the driver's compiler -----------------------------------------------------------------------

HEAD = ".version {}\n.target sm_{}\n.address_size 64\n.visible .entry k()\n{{\n ret;\n}}\n"


@probe
def ptx() -> None:
    """Which versions of PTX the driver's compiler takes, and that it takes ours."""
    device = swathe.Device("cuda")
    arch, taken = device.props["arch"], []
    versions = "6.0 6.5 7.0 7.1 7.4 7.8 8.0 8.2 8.4 8.5 8.6 8.7 8.8 9.0"
    for version in versions.split():
        try:
            text = HEAD.format(version, min(arch, 70)).encode()
            _core.dev_module(device._open(), text, True, None, "")
        except errors.DeviceBuildError as e:
            fact(refused=version, why=str(e).splitlines()[0])
        else:
            taken.append(version)
    fact(taken=taken, arch=arch)
    q = queue()
    x = q.to_device(np.ones(8))
    saxpy[1, 8, q](1.0, x, x)
    q.sync()
    fact(kernel={k: v for k, v in next(iter(saxpy._swathe_facts.values())).items()})


@probe
def binaries() -> None:
    """What the driver has compiled is kept on disk, and how much that saves."""
    code = (
        "import time, contact\nq = contact.queue()\nx = q.zeros(8)\nbegan = time.perf_counter()\n"
        "contact.saxpy[1, 8, q](1.0, x, x)\nq.sync()\nprint(1e3 * (time.perf_counter() - began))\n"
    )
    times = []
    for _ in range(3):
        r = subprocess.run(
            [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True
        )
        assert r.returncode == 0, r.stderr
        times.append(float(r.stdout.split()[-1]))
    fact(first_call_ms=times)


@probe
def loops() -> None:
    """Parallel loops of plain functions run there."""
    if STANDIN:
        not_here("launches out of compiled code don't compute on the stand-in")

    @njit(parallel=True)
    def total(x, y):
        s = 0.0
        for i in prange(x.size):
            y[i] = x[i] * 2 + i
            s += x[i]
        return s

    x, y = np.arange(100_000.0), np.zeros(100_000)
    with swathe.device_context("cuda"):
        s = total(x, y)
    assert math.isclose(s, x.sum()), s
    same(y, 3 * x, "a loop")


@probe
def recursion() -> None:
    """Functions that call themselves have the stack for it."""
    q = queue()

    @gpu.jit
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    @gpu.jit
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    @gpu.jit
    def both(out):
        i = gpu.grid(1)
        out[0, i] = fib(i % 16)
        out[1, i] = down(i % 120)

    out = q.zeros((2, 1200), np.int64)
    both[10, 120, q](out)
    fibs = [0, 1]
    while len(fibs) < 16:
        fibs.append(fibs[-1] + fibs[-2])
    i = np.arange(1200)
    same(out.copy_to_host(), [np.array(fibs)[i % 16], i % 120], "fib, depth")


@probe
def speed() -> None:
    """How fast a launch is, a copy, and memory."""
    q, n = queue(), 1 << 16 if STANDIN else 1 << 26
    x, y = q.empty(n, np.float32), q.empty(n, np.float32)
    small = q.zeros(32)
    x.fill(1), y.fill(2)
    for f in (
        lambda: saxpy[1, 32, q](1.0, small, small),
        lambda: saxpy[n // 256, 256, q](np.float32(1), x, y),
    ):
        f()
        q.sync()
        began, k = time.perf_counter(), 100
        for _ in range(k):
            f()
        issued = (time.perf_counter() - began) / k
        q.sync()
        fact(launch_us=1e6 * issued, each_us=1e6 * (time.perf_counter() - began) / k)
    fact(bytes_of_the_second=3 * 4 * n)


# ---- what may hang, or lose the device -----------------------------------------------------------


@gpu.jit
def rounds(x, y, n):
    """To be compiled: each round needs what all blocks did in the one before."""
    i = gpu.grid(1)
    for k in range(n):
        y[i] = x[(i + 1) % x.size]
        gpu.syncgrid()
        x[i] = y[i] + 1
        gpu.syncgrid()


def turned(a: Any, n: int) -> Any:
    """What `rounds` makes of an array."""
    return np.roll(a, -n) + n


@probe
def grid_barrier() -> None:
    """All blocks of a grid wait for each other."""
    q = queue()
    for blocks in (1, 2, 8):
        a = rng.normal(size=blocks * 64)
        x, y = q.to_device(a), q.zeros(a.size)
        rounds[blocks, 64, q](x, y, 5)
        want = a
        for _ in range(5):
            want = turned(want, 1)
        same(x.copy_to_host(), want, f"{blocks} blocks")


@probe
def grid_barriers_side_by_side() -> None:
    """Two such launches at once don't disturb each other."""
    queues = [queue(), queue()]
    arrays = [[q.to_device(np.arange(128.0)), q.zeros(128)] for q in queues]
    for _ in range(20):
        for q, (x, y) in zip(queues, arrays, strict=True):
            rounds[2, 64, q](x, y, 4)
    want = np.arange(128.0)
    for _ in range(80):
        want = turned(want, 1)
    for x, _ in arrays:
        same(x.copy_to_host(), want, "two queues")


@probe
def recursion_too_deep() -> None:
    """RecursionError, not a stack that overflows."""
    q = queue()

    @gpu.jit
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    @gpu.jit
    def kernel(out, n):
        out[gpu.grid(1)] = down(n + gpu.grid(1))

    out = q.zeros(256, np.int64)
    if STANDIN:
        fake = ctypes.CDLL(os.environ["SWATHE_CUDA_LIB"])
        fake.fake_fault(-3)
    kernel[4, 64, q](out, 0)
    try:
        q.sync()
    except RecursionError:
        pass
    else:
        raise AssertionError("nothing was raised")
    kernel[1, 64, q](out, 60)
    same(out.copy_to_host()[:64], 60 + np.arange(64), "and it goes on")


@probe
def lost() -> None:
    """A write where there is no memory is told, and not by a crash."""
    q = queue()

    @gpu.jit(boundscheck=False)
    def far(x, at):
        x[at] = 1

    if STANDIN:
        fake = ctypes.CDLL(os.environ["SWATHE_CUDA_LIB"])
        fake.fake_fail_of(b"cuStreamSynchronize", 700)
    else:
        far[1, 1, q](q.zeros(8), 1 << 50)
    try:
        q.sync()
    except errors.DeviceLostError as e:
        fact(told=str(e))
        return
    raise AssertionError("nothing was raised")


@probe
def grid_barrier_with_a_failure() -> None:
    """A block that fails before the barrier doesn't make the others wait for ever."""
    q = queue()

    @gpu.jit
    def fails(x, y, who):
        i = gpu.grid(1)
        y[i] = x[i + (x.size if i == who else 0)]
        gpu.syncgrid()
        x[i] = y[x.size - 1 - i]

    for who in (0, 1, 63, 64, 200, 511):
        x, y = q.zeros(512), q.zeros(512)
        fails[8, 64, q](x, y, who)
        try:
            q.sync()
        except IndexError as e:
            if not STANDIN:
                assert f"block ({who // 64}, 0, 0), thread ({who % 64}, 0, 0)" in str(e), e
        else:
            raise AssertionError("nothing was raised")
    fails[8, 64, q](x, y, -1)
    q.sync()


if __name__ == "__main__":
    import contact_more
    import contact_vendor

    assert contact_more.PROBES is contact_vendor.PROBES
    contact_more.PROBES[sys.argv[1]]()
