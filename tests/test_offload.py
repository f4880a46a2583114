# SPDX-License-Identifier: BSD-3-Clause
"""Parallel loops and array expressions on a device: the same results as on the CPU."""

from __future__ import annotations

import copy
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
from swathe import _offload, errors, njit, prange

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))
import kernels_py as bench  # noqa: E402

try:
    OPENCL = swathe.Device(DEVICE)
except errors.NoDeviceError as e:
    pytest.skip(str(e), allow_module_level=True)

rng = np.random.default_rng(3)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def remarks(f: Any) -> str:
    """What became of the loops on the device."""
    return "\n".join(r[2] for r in _offload.twin_of(f, OPENCL).call._remarks().values())


def on_device(f: Any, *args: Any, **names: Any) -> Any:
    with swathe.device_context(OPENCL):
        return f(*args, **names)


def same(f: Any, *args: Any, rtol: float = 1e-12, **names: Any) -> Any:
    """Call it here and there, and compare results and what was written."""
    here, there = copy.deepcopy(args), copy.deepcopy(args)
    want, got = f(*here, **names), on_device(f, *there, **names)
    parts = zip((*here, want), (*there, got), strict=True)
    for a, b in parts:
        if isinstance(a, tuple):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_allclose(y, x, rtol=rtol)
        elif a is not None and not callable(a):
            assert type(a) is type(b)
            np.testing.assert_allclose(b, a, rtol=rtol)
    return got


def test_packed_records_are_refused() -> None:
    @njit(parallel=True)
    def f(a: Any) -> None:
        for i in prange(len(a)):
            a[i]["x"] += 1

    a = np.zeros(2, [("t", "u1"), ("x", "f8")])
    with pytest.raises(errors.CompileError, match="not aligned in memory, on a device"):
        on_device(f, a)
    f(a)


@pytest.mark.parametrize("kernel", bench.KERNELS, ids=lambda k: k.name)
def test_kernels_of_the_benchmark(kernel: Any) -> None:
    f = njit(parallel=True)(bench.bind(kernel.function, prange))
    args = kernel.make(np.random.default_rng(1), 0.002)
    same(f, *args, rtol=max(kernel.rtol, 1e-6))
    text = remarks(f)
    if kernel.name not in ("prefix_sum", "histogram"):
        assert "runs on the device" in text


# ---- arrays ------------------------------------------------------------------------------------

x1 = rng.random(1000)
A = rng.random((30, 40))


@njit(parallel=True)
def whole(x: Any) -> Any:
    low, high = x.min(), x.max()
    return x.sum(), low, high, x.prod(), (x > 0.5).any(), (x > -1).all(), x.mean(), x.argmax()


@njit(parallel=True)
def over_axes(a: Any) -> Any:
    return a.sum(axis=0), a.sum(axis=1), a.max(axis=1), a.min(axis=0), a.mean(axis=1)


@njit(parallel=True)
def matmul(a: Any, b: Any) -> Any:
    return a @ b


@njit(parallel=True)
def created(n: int) -> Any:
    a, b, c, d = np.zeros(n), np.ones(n, dtype=np.int64), np.arange(n), np.empty((n, 3))
    for i in prange(n):
        a[i] = c[i] * 2.0
        d[i, 0] = i
        d[i, 1] = a[i]
        d[i, 2] = b[i]
    return a, b, d


@njit(parallel=True)
def parts_between(x: Any, n: int) -> Any:
    s = 0.0
    for t in range(n):
        for i in prange(x.size):
            x[i] = x[i] * 1.01 + t
        s += x[3]
        x[5] = s
    return s


@njit(parallel=True)
def to_and_fro(a: Any, b: Any, n: int) -> Any:
    for _ in range(n):
        for i in prange(1, a.size - 1):
            b[i] = 0.5 * (a[i - 1] + a[i + 1])
        a, b = b, a
    return a.sum(), b.sum()


@njit(parallel=True)
def views(x: Any, a: Any) -> Any:
    y, z = x[::-2], a.T[3:10, ::3]
    y[:] = y * 2 + 1
    z[:] = z - 1
    return y


@njit(parallel=True)
def of_no_axis(a: Any, x: Any) -> Any:
    a[()] = a[()] * 2
    x[:] = x + a[()]
    return a


@njit(parallel=True)
def doubled(x: Any) -> Any:
    y = x * 2
    return y.sum(), y


@njit(parallel=True)
def count(index: Any, h: Any) -> None:
    for i in prange(index.size):
        h[index[i]] += 1


@njit(parallel=True)
def first_greatest(x: Any) -> Any:
    m, k, last = x[0], 0, 0.0
    for i in prange(x.size):
        if x[i] > m:
            m = x[i]
            k = i
    for i in prange(x.size):
        last = x[i] * 2
    return m, k, last


@njit(parallel=True)
def some(x: Any, y: Any) -> Any:
    n = 0
    for i in prange(x.size):
        if x[i] < 0.5:
            continue
        y[i] = 1.0
        n += 1
    return n


@njit
def row_sum(r: Any) -> Any:
    s = 0.0
    for i in range(r.size):
        s += r[i]
    return s


@njit(parallel=True)
def calls(a: Any, out: Any) -> None:
    for i in prange(a.shape[0]):
        out[i] = row_sum(a[i])


@njit(parallel=True)
def called(x: Any) -> Any:
    y = x * 2
    return y


@njit(parallel=True)
def callers(x: Any) -> Any:
    s = 0.0
    for _ in range(3):
        x = called(x)
        s += x.sum()
    return x, s


@njit(parallel=True)
def own_arrays(out: Any) -> None:
    for i in prange(out.shape[0]):
        t = np.zeros(4)
        for k in range(4):
            t[k] = i * k
        out[i] = t.sum()


@njit(parallel=True)
def backwards(x: Any) -> None:
    for i in prange(x.size - 1, -1, -3):
        x[i] = i


@njit(parallel=True)
def chosen(x: Any) -> Any:
    return np.where(x > 0.5, np.sin(x), x**2), np.clip(x, 0.2, 0.8), np.cumsum(x)


TABLE = np.arange(5.0)


@njit(parallel=True)
def from_table(x: Any, index: Any) -> None:
    for i in prange(x.size):
        x[i] = TABLE[index[i]]


CASES = [
    (whole, (x1,)),
    (over_axes, (A,)),
    (matmul, (A, A.T.copy())),
    (created, (777,)),
    (parts_between, (x1, 5)),
    (to_and_fro, (x1, x1.copy(), 7)),
    (views, (x1, A)),
    (of_no_axis, (np.array(3.0), x1)),
    (doubled, (np.zeros(0),)),
    (doubled, (np.zeros((0, 5)),)),
    (doubled, (x1[::-3],)),
    (doubled, (A.astype(np.float32),)),
    (doubled, ((A * 100).astype(np.int32),)),
    (doubled, (A + 1j * A,)),
    (count, (rng.integers(0, 10, 1000), np.zeros(10, np.int64))),
    (first_greatest, (np.tile(x1, 9),)),
    (some, (x1, np.zeros(1000))),
    (calls, (A, np.zeros(30))),
    (callers, (x1,)),
    (own_arrays, (np.zeros(50),)),
    (backwards, (np.zeros(100),)),
    (chosen, (x1,)),
    (from_table, (np.zeros(100), rng.integers(0, 5, 100))),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0].__name__)
def test_results(case: Any) -> None:
    f, args = case
    same(f, *args, rtol=1e-5 if args[0] is not None and "32" in str(args[0:1]) else 1e-10)
    assert "runs on the device" in remarks(f)


def test_arguments_that_share_memory() -> None:
    @njit(parallel=True)
    def f(x, y):
        for i in prange(y.size):
            y[i] = x[i] + 1

    z = np.arange(300.0)
    want = z.copy()
    f(want[:100], want[50:150])
    on_device(f, z[:100], z[50:150])
    np.testing.assert_array_equal(z, want)


def test_a_sum_has_the_same_bits_each_time() -> None:
    x = rng.random(100_000) - 0.5
    assert len({on_device(whole, x)[0] for _ in range(5)}) == 1


def test_errors_name_the_line() -> None:
    h = np.zeros(10, np.int64)
    with pytest.raises(IndexError, match=r"index 10 is out of bounds for axis 0 of 'h'"):
        on_device(count, np.arange(11), h)
    on_device(count, np.arange(10), np.zeros(10, np.int64))  # the next call is its own


def test_errors_of_the_part_on_the_host() -> None:
    @njit(parallel=True)
    def f(x):
        for i in prange(x.size):
            x[i] += 1
        if x[0] > 0:
            raise ValueError("after the loop")

    x = np.zeros(10)
    with pytest.raises(ValueError, match="after the loop"):
        on_device(f, x)
    assert x.sum() == 10  # as on the CPU


def test_what_stays_on_the_cpu_says_why() -> None:
    @njit(parallel=True)
    def f(out, n):
        for i in prange(out.size):
            t = np.zeros(n)
            for k in range(n):
                t[k] = i * k
            out[i] = t[n - 1]

    same(f, np.zeros(20), 5)
    assert "whose size isn't a small constant" in remarks(f)


def test_explain_shows_what_became_of_loops_on_the_device() -> None:
    @njit(parallel=True)
    def f(x, n):
        s = 0.0
        for i in prange(x.size):
            s += x[i]
        for i in prange(x.size):
            t = np.zeros(n)
            t[0] = s
            x[i] = t[0]

    on_device(f, np.ones(50), 3)
    text = f.explain()
    assert f" on {OPENCL.filter_string}  (" in text
    assert "on the device" in text and "[offload] stays on the CPU: it makes an array" in text
    f(np.ones(50), 3)
    assert f.explain().count("[offload]") == 2 and f.explain().count("[outline]") == 3


def test_without_a_context_nothing_changes() -> None:
    before = len(_offload._twins)
    called(x1)
    assert len(_offload._twins) == before or called in _offload._twins


def test_contexts_of_threads() -> None:
    """Each thread's calls go where its own context says."""

    @njit(parallel=True)
    def f(x):
        return x.sum()

    done: dict[str, Any] = {}

    def work(name: str, where: str) -> None:
        with swathe.device_context(where):
            for _ in range(20):
                done[name] = f(x1)

    threads = [threading.Thread(target=work, args=a) for a in (("a", DEVICE), ("b", "native"))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert np.isclose(done["a"], done["b"])
    assert len(f.signatures) == 1 and len(_offload.twin_of(f, OPENCL).call.signatures) == 1


# ---- arrays of the device ------------------------------------------------------------------------


def test_arrays_of_the_device_stay_there() -> None:
    @njit(parallel=True)
    def f(x, y):
        for i in prange(x.size):
            y[i] = x[i] * 2
        return y[1:4]

    queue = swathe.Queue(OPENCL)
    x, y = queue.to_device(x1), queue.zeros(1000)
    part = f(x, y)  # where its arguments are
    assert isinstance(part, type(x)) and part.device is OPENCL
    np.testing.assert_array_equal(part.copy_to_host(), x1[1:4] * 2)
    np.testing.assert_array_equal(y.copy_to_host(), x1 * 2)
    f(x[::-2], y)
    np.testing.assert_array_equal(y.copy_to_host()[:500], x1[::-2] * 2)


def test_the_host_may_touch_arrays_of_the_device() -> None:
    queue = swathe.Queue(OPENCL)
    x, want = queue.to_device(x1), x1.copy()
    assert np.isclose(parts_between(x, 4), parts_between(want, 4))
    np.testing.assert_allclose(x.copy_to_host(), want)


def test_arrays_of_another_device_are_refused() -> None:
    class Elsewhere:
        device = None

    x = swathe.Queue(OPENCL).to_device(x1)
    x.queue = Elsewhere()
    Elsewhere.device = type("D", (), {"name": "another"})()
    with pytest.raises(errors.QueueError, match="another"), swathe.device_context(OPENCL):
        doubled(x)


def test_memory_is_given_back() -> None:
    def live() -> int:
        return swathe._core.dev_live_bytes(OPENCL._open())

    on_device(callers, x1)
    before = live()
    for _ in range(5):
        on_device(callers, x1)
        with pytest.raises(IndexError):
            on_device(count, np.arange(11), np.zeros(10, np.int64))
    assert live() <= before + 4096


# ---- schedules ---------------------------------------------------------------------------------

par, threads = swathe.par, swathe.threads


def labelled() -> Any:
    @swathe.jit
    def rows(a, b, out, n):
        swathe.label("N")
        for r in range(n):
            swathe.label("M")
            out[r] = np.sum(a[r, :] * b[:])

    return rows


@pytest.mark.parametrize(
    ("opts", "how"),
    [
        ({"N": threads(30)}, "a thread for each iteration"),
        ({"N": threads(30), "M": threads(64).reduce()}, "a block of threads"),
        ({"N": threads(4), "M": threads(5000).reduce()}, "partial results combined in each block"),
        ({"N": threads(300), "M": threads(5000).reduce()}, "a block of threads"),
        ({"M": threads(64).reduce()}, "partial results combined in each block"),
    ],
)
def test_reductions_by_schedule(opts: Any, how: str) -> None:
    f = labelled()
    same(f, A, A[0].copy(), np.zeros(30), 30, opts=par(opts), rtol=1e-12)
    assert how in remarks(f)


def test_a_block_shares_the_loops_of_an_iteration() -> None:
    @swathe.jit
    def f(a, out, n, m):
        swathe.label("N")
        for i in range(n):
            s = 0.0
            swathe.label("M")
            for j in range(m):
                s += a[i, j]
            top = -1.0
            swathe.label("M")
            for j in range(m):
                top = max(top, a[i, j])
            for _ in range(2):
                swathe.label("K")
                for j in range(m):
                    out[i, j] = (a[i, j] - top) / s + out[i, j]
                out[i, 0] = s
                swathe.label("K")
                for j in range(1, m):
                    out[i, j] = out[i, j] + out[i, 0]

    opts = par({"N": threads(30), "M": threads(64).reduce(), "K": threads(20)})
    same(f, A, np.zeros_like(A), 30, 40, opts=opts, rtol=1e-12)
    assert "a block of threads" in remarks(f)


def test_what_is_wider_than_a_block_becomes_several_kernels() -> None:
    @swathe.jit
    def f(a, b, c, n, m):
        swathe.label("N")
        for i in range(n):
            swathe.label("M")
            for j in range(m):
                b[i, j] = a[i, j] * 2
            swathe.label("K")
            for j in range(m):
                c[i, j] = b[i, m - 1 - j] + 1

    opts = par({"N": threads(30), "M": threads(4096), "K": threads(2048)})
    same(f, A, np.zeros_like(A), np.zeros_like(A), 30, 40, opts=opts)
    (built,) = _offload.twin_of(f, OPENCL).built.values()
    assert len(built[0]) == 2
