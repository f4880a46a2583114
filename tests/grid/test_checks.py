"""What debug=True says of kernels: of wrong ones the class, lines, threads and array; of right ones
(test_kernels.py runs more of them) nothing."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
import wrong_kernels
import wrong_kernels_more  # noqa: F401  (adds to wrong_kernels.CASES)

from swathe import errors, gpu
from swathe.compat.numba import cuda

NAMES = [c.kernel.__name__ for c in wrong_kernels.CASES]


def marked(func: Any, mark: str) -> list[int]:
    """Lines of a kernel with this mark, or of the function next before it."""
    lines, first = inspect.getsourcelines(func)
    found = [first + k for k, line in enumerate(lines) if mark in line.partition("#")[2].split()]
    text = inspect.getsource(inspect.getmodule(func)).split("\n")
    k = first - 2
    while not found and mark == "here":
        found = [k + 1] if mark in text[k].partition("#")[2].split() else []
        k -= 1
    return found


def run(case: wrong_kernels.Wrong, jit: Any) -> None:
    jit(case.kernel.py_func)[case.grid, case.block, 0, case.shared](*case.args())


@pytest.mark.parametrize("case", wrong_kernels.CASES, ids=NAMES)
def test_is_found(case: wrong_kernels.Wrong) -> None:
    cls = getattr(errors, case.error, None) or IndexError
    with pytest.raises(cls) as caught:
        run(case, gpu.jit(debug=True))
    text = str(caught.value)
    for part in case.says:
        assert part in text
    lines = [int(n) for n in re.findall(r", line (\d+), in", text)]
    here = marked(case.kernel.py_func, "here")
    calls = marked(case.kernel.py_func, "from")
    there = marked(case.kernel.py_func, "there") or (here if len(lines) > 1 + len(calls) else [])
    assert lines == here + there + calls
    assert text.count("^") >= len(lines)
    assert type(caught.value).__name__ == case.error


@pytest.mark.parametrize("case", wrong_kernels.CASES[::7], ids=NAMES[::7])
def test_is_found_with_names_of_numba(case: wrong_kernels.Wrong) -> None:
    cls = getattr(errors, case.error, None) or IndexError
    with pytest.raises(cls):
        run(case, cuda.jit(debug=True))


# ---- right kernels, by what makes them so ----------------------------------------------------

RIGHT: list[tuple[Any, Any, Any, Any, Any]] = []


def right(grid: Any, block: Any, args: Any, want: Any) -> Any:
    def note(kernel: Any) -> Any:
        RIGHT.append((kernel, grid, block, args, want))
        return kernel

    return note


@right(3, 40, lambda: (np.zeros(2, np.int32),), [1, 120])
def same_value(out):
    s = gpu.shared.array(1, np.bool_)
    s[0] = True
    gpu.syncthreads()
    if s[0]:
        out[0] = 1
        gpu.atomic.add(out, 1, 1)


@right(5, 8, lambda: (np.zeros(2), np.zeros(1, np.int32)), [5, 1])
def lock(out, held):
    if gpu.threadIdx.x == gpu.blockIdx.x:
        while gpu.atomic.cas(held, 0, 0, 1) != 0:
            pass
        gpu.threadfence()
        out[0] += 1
        out[1] = 1
        gpu.threadfence()
        gpu.atomic.exch(held, 0, 0)


@right(4, 8, lambda: (np.zeros(4), np.zeros(4, np.int32)), [1, 3, 6, 10])
def one_block_after_the_other(out, told):
    b = gpu.blockIdx.x
    if gpu.threadIdx.x == 0:
        v = b + 1.0
        if b > 0:
            while gpu.atomic.add(told, b - 1, 0) == 0:
                pass
            v += out[b - 1]
        out[b] = v
        gpu.threadfence()
        gpu.atomic.exch(told, b, 1)


@right(3, 64, lambda: (np.zeros(1), np.zeros(192), np.zeros(1, np.int32)), [192])
def last_block_of_all_threads(out, parts, done):
    last = gpu.shared.array(1, np.bool_)
    t = gpu.threadIdx.x
    parts[gpu.grid(1)] = 1
    gpu.threadfence()
    gpu.syncthreads()
    if t == 0:
        last[0] = gpu.atomic.add(done, 0, 1) == 2
    gpu.syncthreads()
    if last[0]:
        gpu.atomic.add(out, 0, parts[t] + parts[t + 64] + parts[t + 128])


@right(1, 64, lambda: (np.zeros(64),), np.arange(64) ^ 3)
def warp_in_pairs(out):
    s = gpu.shared.array(64, np.int32)
    t = gpu.threadIdx.x
    s[t] = t
    gpu.syncwarp()
    v = s[t ^ 1]
    gpu.syncwarp()
    s[t] = v
    gpu.syncwarp()
    out[t] = s[t ^ 2]


@right(1, 64, lambda: (np.zeros(64),), np.arange(64) ^ 1)
def shuffles_order(out):
    s = gpu.shared.array(64, np.int32)
    t = gpu.threadIdx.x
    mask = 0xFFFF if t & 16 == 0 else 0xFFFF0000
    s[t] = t
    gpu.shfl_xor_sync(mask, t, 1)
    out[t] = s[t ^ 1]


@right(2, 16, lambda: (np.zeros(16, np.uint8), np.zeros(32, np.int16)), list(range(1, 17)))
def bytes_side_by_side(out, wide):
    t = gpu.threadIdx.x
    wide[gpu.grid(1)] = t
    if gpu.blockIdx.x == t % 2:
        out[t] = wide[gpu.grid(1)] + 1


@right(2, 8, lambda: (np.zeros(16), 24), list(range(8)) * 2)
def memory_used_twice(out, n):
    t = gpu.threadIdx.x
    d = gpu.shared.array(0, np.float64)
    b = gpu.shared.array(0, np.uint8)
    d[t] = t
    gpu.syncthreads()
    v = d[7 - t]
    gpu.syncthreads()
    for k in range(8):
        b[8 * (7 - t) + k] = v
    gpu.syncthreads()
    out[gpu.grid(1)] = b[8 * t]


def depth(x, k):
    return x[k] if k == 0 else x[k] + depth(x, k - 1)


@right(1, 4, lambda: (np.zeros(4),), [1, 2, 3, 4])
def function_that_calls_itself(out):
    a = gpu.local.array(4, np.float64)
    a[:] = 1.0
    out[gpu.threadIdx.x] = depth(a, gpu.threadIdx.x)


def sort_from(a, lo, hi):
    if hi - lo < 2:
        return
    pivot, at = a[lo], lo
    for k in range(lo + 1, hi):
        if a[k] < pivot:
            at += 1
            a[at], a[k] = a[k], a[at]
    a[lo], a[at] = a[at], a[lo]
    sort_from(a, lo, at)
    sort_from(a, at + 1, hi)


@right(2, 8, lambda: (np.zeros(8), np.arange(8.0)[::-1].copy()), list(range(8)))
def shared_sorted_by_one(out, x):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]
    gpu.syncthreads()
    if t == 0:
        sort_from(s, 0, 8)
    gpu.syncthreads()
    out[t] = s[t]


def put_safely(a, t):
    try:
        a[t] = t
    except IndexError:
        pass


@right(1, 8, lambda: (np.zeros(8),), [0, 1, 2, 3, 0, 0, 0, 0])
def caught(out):
    s = gpu.shared.array(4, np.float64)
    t = gpu.threadIdx.x
    put_safely(s, t)
    gpu.syncthreads()
    out[t] = s[t] if t < 4 else 0.0


@right(3, 8, lambda: (np.zeros((24, 3)),), [[k, k + 1, 2 * k + 1] for k in range(24)])
def arrays_of_each(out):
    i = gpu.grid(1)
    a, b = np.empty(2), np.zeros(2)
    a[:] = i
    b[1] += 1
    c = a + b
    out[i, :2] = c
    out[i, 2] = c.sum()
    del a


@right(1, 8, lambda: (np.zeros(8),), [1, 0, 1, 0, 1, 0, 1, 0])
def own_or_shared(out):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    own = np.zeros(8)
    a = own if t % 2 else s
    a[t] = 1
    gpu.syncthreads()
    out[t] = 0.0 if t % 2 else s[t]


@right((2, 1, 2), (2, 3, 2), lambda: (np.zeros(48, np.int64),), list(range(48)))
def three_axes(out):
    t, b = gpu.threadIdx, gpu.blockIdx
    s = gpu.shared.array((2, 3, 2), np.int64)
    s[t.z, t.y, t.x] = t.x + 2 * t.y + 6 * t.z
    gpu.syncthreads()
    v = s[1 - t.z, 2 - t.y, 1 - t.x]
    out[11 - v + 12 * (b.x + 2 * b.z)] = 11 - v + 12 * (b.x + 2 * b.z)


@right(1, 8, lambda: (np.arange(8.0),), [28] * 8)
def doubling_in_turns(x):
    s = gpu.shared.array((2, 8), np.float64)
    t, at, k = gpu.threadIdx.x, 0, 1
    s[0, t] = x[t]
    while k < 8:
        gpu.syncthreads()
        s[1 - at, t] = s[at, t] + s[at, (t + k) % 8]
        at, k = 1 - at, k * 2
    x[t] = s[at, t]


@right(2, 8, lambda: (np.zeros(4),), [4, 4, 4, 4])
def bins_exchanged(out):
    s = gpu.shared.array(4, np.float64)
    t = gpu.threadIdx.x
    if t < 4:
        gpu.atomic.exch(s, t, 0.0)
    gpu.syncthreads()
    gpu.atomic.add(s, t % 4, 1.0)
    gpu.syncthreads()
    if t < 4:
        gpu.atomic.add(out, t, s[t])


X8 = np.arange(8.0)


@right(
    2,
    8,
    lambda: (np.zeros((16, 8)), X8.copy()),
    [np.cumsum(2 * X8 + k % 8) if k % 2 else X8 + k % 8 for k in range(16)],
)
def arrays_that_may_overlap(out, x):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    s[:] = x
    gpu.syncthreads()
    np.add(s, t, out=out[gpu.grid(1)])
    gpu.syncthreads()
    s[t] = x[t] * 2
    gpu.syncthreads()
    if t % 2:
        np.cumsum(s + t, out=out[gpu.grid(1)])


@pytest.mark.parametrize("case", RIGHT, ids=[c[0].__name__ for c in RIGHT])
def test_nothing_is_said(case: Any) -> None:
    kernel, grid, block, args, want = case
    given = args()
    gpu.jit(debug=True)(kernel)[grid, block, 0, 64](*given)
    np.testing.assert_array_equal(given[0], want)
    given = args()
    gpu.jit(kernel)[grid, block, 0, 64](*given)
    np.testing.assert_array_equal(given[0], want)
