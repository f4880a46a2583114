"""Wrong kernels: what debug=True says of each.

`# here` marks the line that it names first, `# there` the other one, `# from` the call where the
function that has `here` is not part of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from swathe import gpu

ALL = 0xFFFFFFFF


class Wrong(NamedTuple):
    """A launch that fails, and parts of the message."""

    kernel: Any
    error: str
    says: tuple[str, ...]
    grid: Any
    block: Any
    args: Callable[[], tuple[Any, ...]]
    shared: int


CASES: list[Wrong] = []


def wrong(
    error: str, *says: str, grid: Any = 1, block: Any = 8, args: Any = None, shared: int = 0
) -> Any:
    """Note a kernel that raises so under debug=True."""

    def note(kernel: Any) -> Any:
        some = args or (lambda: (np.arange(64.0), np.zeros(64)))
        CASES.append(Wrong(kernel, error, says, grid, block, some, shared))
        return kernel

    return note


def race(mine: str, element: str, other: str, **launch: Any) -> Any:
    return wrong("RaceError", f"{mine} {element}, and {other} it", **launch)


# ---- races between threads of a block -----------------------------------------------------


@race("thread (1, 0, 0) writes", "'s[1]'", "thread (0, 0, 0) reads")
@gpu.jit
def tree_without_barrier(x, out):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]
    gpu.syncthreads()
    k = 4
    while k > 0:
        if t < k:
            s[t] += s[t + k]  # here there
        k //= 2
    out[0] = s[0]


@race("thread (1, 0, 0) reads", "'s[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def neighbour_without_barrier(x, out):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]  # there
    out[t] = s[t - 1] if t > 0 else 0.0  # here


TILE = 4


@race(
    "thread (0, 0, 0) writes",
    "'sa[0, 0]'",
    "thread (0, 1, 0) reads",
    block=(TILE, TILE),
    args=lambda: (np.ones((4, 8)), np.ones((8, 4)), np.zeros((4, 4))),
)
@gpu.jit
def tile_without_second_barrier(a, b, c):
    sa = gpu.shared.array((TILE, TILE), np.float64)
    x, y = gpu.threadIdx.x, gpu.threadIdx.y
    total = 0.0
    for k in range(2):
        sa[y, x] = a[y, k * TILE + x] + k  # here
        gpu.syncthreads()
        for j in range(TILE):
            total += sa[j, x] * b[k * TILE + j, x]  # there
    c[y, x] = total


@race("thread (1, 0, 0) writes", "'s[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def all_write_one(x, out):
    s = gpu.shared.array(1, np.float64)
    t = gpu.threadIdx.x
    s[0] = x[t]  # here there
    gpu.syncthreads()
    out[t] = s[0]


@race("thread (1, 0, 0) reads", "'n[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def count_plainly(x, out):
    n = gpu.shared.array(1, np.int32)
    t = gpu.threadIdx.x
    if t == 0:
        n[0] = 0
    gpu.syncthreads()
    if x[t] < 5:
        n[0] += 1  # here there
    gpu.syncthreads()
    out[t] = n[0]


@race("thread (2, 0, 0) reads", "'s[1]'", "thread (1, 0, 0) writes")
@gpu.jit
def stencil_in_place(x, out):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]
    gpu.syncthreads()
    if 0 < t < 7:
        s[t] = 0.5 * (s[t - 1] + s[t + 1])  # here there
    gpu.syncthreads()
    out[t] = s[t]


@race("thread (1, 0, 0) updates", "'h[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def clear_without_barrier(x, out):
    h = gpu.shared.array(1, np.int64)
    t = gpu.threadIdx.x
    if t == 0:
        h[0] = 0  # there
    gpu.atomic.add(h, 0, 1)  # here
    gpu.syncthreads()
    out[t] = h[0]


@race("thread (0, 0, 0) reads", "'h[0]'", "thread (1, 0, 0) updates")
@gpu.jit
def read_beside_atomics(x, out):
    h = gpu.shared.array(1, np.int64)
    t = gpu.threadIdx.x
    if t == 0:
        h[0] = 0
    gpu.syncthreads()
    gpu.atomic.max(h, 0, t)  # there
    out[t] = h[0]  # here


@race("thread (1, 0, 0) writes", "an element of 's'", "thread (0, 0, 0) writes")
@gpu.jit
def same_row(x, out):
    s = gpu.shared.array((4, 4), np.float64)
    t = gpu.threadIdx.x
    row = s[t // 2]
    row[1] = x[t]  # here there
    gpu.syncthreads()
    out[t] = row[1]


def add_to(total, value):
    total[0] += value  # here there


@race("thread (0, 0, 0) writes", "'sums[0]'", "thread (1, 0, 0) reads")
@gpu.jit
def in_a_function(x, out):
    sums = gpu.shared.array(1, np.float64)
    t = gpu.threadIdx.x
    if t == 0:
        sums[0] = 0
    gpu.syncthreads()
    add_to(sums, x[t])  # from


@race("thread (1, 0, 0) writes", "'s[1]'", "thread (0, 0, 0) reads")
@gpu.jit
def scan_in_one_buffer(x, out):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]
    gpu.syncthreads()
    k = 1
    while k < 8:
        v = s[(t + k) % 8]  # there
        s[t] += v  # here
        gpu.syncthreads()
        k *= 2
    out[t] = s[t]


@wrong("RaceError", "thread (2, 0, 0) writes 'bytes[8]', and thread (1, 0, 0) writes it", shared=64)
@gpu.jit
def arrays_that_overlap(x, out):
    wide = gpu.shared.array(0, np.float64)
    bytes = gpu.shared.array(0, np.uint8)
    t = gpu.threadIdx.x
    if t < 2:
        wide[t] = x[t] + 1  # there
    else:
        bytes[t + 6] = 7  # here
    gpu.syncthreads()


@race("thread (1, 0, 0) reads", "'s[0]'", "thread (0, 0, 0) writes", block=64)
@gpu.jit
def warp_without_sync(x, out):
    s = gpu.shared.array(64, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]  # there
    out[t] = s[t ^ 1] if t & 1 else 0.0  # here


@race("thread (32, 0, 0) reads", "'s[0]'", "thread (0, 0, 0) writes", block=64)
@gpu.jit
def warp_sync_for_a_block(x, out):
    s = gpu.shared.array(64, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]  # there
    gpu.syncwarp()
    out[t] = s[t ^ 32] if t >= 32 else s[t ^ 1]  # here


@race("thread (0, 1, 0) writes", "'s[0]'", "thread (0, 0, 0) writes", block=(2, 2, 2))
@gpu.jit
def forgets_an_axis(x, out):
    s = gpu.shared.array(2, np.float64)
    t = gpu.threadIdx
    s[t.x] = t.y + 2 * t.z  # here there


@race(
    "thread (0, 0, 1) writes",
    "'z[1]'",
    "thread (0, 0, 0) reads",
    block=(1, 1, 4),
    args=lambda: (np.zeros(4, np.complex128),),
)
@gpu.jit
def complex_elements(z):
    t = gpu.threadIdx.z
    v = z[(t + 1) % 4]  # there
    z[t] = v + 1  # here


@race(
    "thread (1, 0, 0) reads",
    "'bins[2]'",
    "thread (0, 0, 0) writes",
    args=lambda: (np.full(8, 2), np.zeros(4, np.int32)),
)
@gpu.jit
def histogram_plainly(x, bins):
    i = gpu.grid(1)
    bins[x[i]] += 1  # here there


@race("thread (4, 0, 0) reads", "'x[4]'", "thread (3, 0, 0) writes")
@gpu.jit
def reverse_in_place(x, out):
    t = gpu.threadIdx.x
    x[7 - t] = x[t]  # here there


@race("thread (1, 0, 0) reads", "an element of 'x'", "thread (0, 0, 0) writes")
@gpu.jit
def slices_that_overlap(x, out):
    t = gpu.threadIdx.x
    part = x[4 * t : 4 * t + 5]
    part[:] = part[0] + t + 1  # here there


@race("thread (1, 0, 0) exchanges", "'x[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def exchange_and_store(x, out):
    t = gpu.threadIdx.x
    if t == 0:
        x[0] = 1  # there
    else:
        out[t] = gpu.atomic.exch(x, 0, 2.0)  # here


@race(
    "thread (2, 0, 0) writes",
    "'x[1]'",
    "thread (1, 0, 0) writes",
    args=lambda: (np.zeros((9, 9)).T[1],),
)
@gpu.jit
def strided(x):
    t = gpu.threadIdx.x
    x[(t + 1) // 2] = t  # here there


@race("thread (0, 0, 0) exchanges", "'lock[0]'", "thread (1, 0, 0) reads")
@gpu.jit
def lock_read_plainly(x, out):
    lock = gpu.shared.array(1, np.int32)
    t = gpu.threadIdx.x
    if t == 0:
        lock[0] = 0
    gpu.syncthreads()
    if lock[0] == 0 and t < 2:  # there
        out[0] += 1
        gpu.threadfence()
        gpu.atomic.exch(lock, 0, 0)  # here


def add_up(total, k):
    total[0] += k  # here there
    if k > 0:
        add_up(total, k - 1)


@race("thread (1, 0, 0) reads", "'total[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def in_a_function_that_calls_itself(x, out):
    add_up(out, gpu.threadIdx.x % 3)  # from


def tolerant(a, t):
    try:
        a[t // 2] = t  # here there
    except IndexError:
        a[0] = t


@race("thread (1, 0, 0) writes", "'a[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def in_a_function_with_try(x, out):
    tolerant(out, gpu.threadIdx.x)  # from


@race("thread (1, 0, 0) writes", "'out[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def whole_array_out(x, out):
    np.cumsum(x + gpu.threadIdx.x, out=out)  # here there


@race("thread (0, 0, 0) reads", "'s[3]'", "thread (1, 0, 0) writes")
@gpu.jit
def each_fills_all(x, out):
    s = gpu.shared.array(8, np.float64)
    s[:] = x[:8]  # there
    out[gpu.threadIdx.x] = s[3]  # here


@race(
    "thread (1, 0, 0) reads",
    "'a[0, 0]'",
    "thread (0, 0, 0) writes",
    args=lambda: (np.ones((4, 4)), np.ones((4, 4))),
)
@gpu.jit
def product_in_place(a, b):
    a[:] = a @ b  # here there


@race("thread (2, 0, 0) writes", "'a[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def one_of_two(x, out):
    a = x if gpu.threadIdx.x % 2 else out
    a[0] = gpu.threadIdx.x  # here there


@race("thread (1, 0, 0) writes", "'a[0]'", "thread (0, 0, 0) writes")
@gpu.jit
def shared_or_global(x, out):
    s = gpu.shared.array(8, np.float64)
    a = s if gpu.blockDim.x == 8 else out
    a[0] = gpu.threadIdx.x  # here there


# ---- races between blocks ------------------------------------------------------------

OTHER = "thread (0, 0, 0) of block (0, 0, 0)"


@race("thread (0, 0, 0) of block (1, 0, 0) writes", "'out[0]'", f"{OTHER} writes", grid=2, block=1)
@gpu.jit
def blocks_write_one(x, out):
    out[0] = gpu.blockIdx.x  # here there


@race("thread (0, 0, 0) of block (1, 0, 0) reads", "'out[0]'", f"{OTHER} writes", grid=4)
@gpu.jit
def blocks_add_plainly(x, out):
    s = gpu.shared.array(1, np.float64)
    t = gpu.threadIdx.x
    if t == 0:
        s[0] = 0
    gpu.syncthreads()
    gpu.atomic.add(s, 0, x[gpu.grid(1)])
    gpu.syncthreads()
    if t == 0:
        out[0] += s[0]  # here there


@race(
    "thread (0, 0, 0) of block (1, 0, 0) reads",
    "'x[7]'",
    "thread (7, 0, 0) of block (0, 0, 0) writes",
    grid=2,
)
@gpu.jit
def blocks_stencil_in_place(x, out):
    i = gpu.grid(1)
    v = x[i]
    if i > 0:
        v += x[i - 1]  # here
    gpu.syncthreads()
    x[i] = v  # there


LAST = lambda: (np.arange(32.0), np.zeros(4), np.zeros(1), np.zeros(1, np.int32))  # noqa: E731


@race(
    "thread (0, 0, 0) of block (3, 0, 0) reads", "'parts[0]'", f"{OTHER} writes", grid=4, args=LAST
)
@gpu.jit
def last_block_without_fence(x, parts, out, done):
    if gpu.threadIdx.x == 0:
        parts[gpu.blockIdx.x] = x[gpu.grid(1)]  # there
        if gpu.atomic.add(done, 0, 1) == gpu.gridDim.x - 1:
            total = 0.0
            for k in range(gpu.gridDim.x):
                total += parts[k]  # here
            out[0] = total


@race(
    "thread (0, 0, 0) of block (3, 0, 0) reads", "'parts[0]'", f"{OTHER} writes", grid=4, args=LAST
)
@gpu.jit
def last_block_with_a_narrow_fence(x, parts, out, done):
    if gpu.threadIdx.x == 0:
        parts[gpu.blockIdx.x] = x[gpu.grid(1)]  # there
        gpu.threadfence_block()
        if gpu.atomic.add(done, 0, 1) == gpu.gridDim.x - 1:
            total = 0.0
            for k in range(gpu.gridDim.x):
                total += parts[k]  # here
            out[0] = total


@race(
    "thread (1, 0, 0) of block (3, 0, 0) reads", "'parts[0]'", f"{OTHER} writes", grid=4, args=LAST
)
@gpu.jit
def last_block_not_told(x, parts, out, done):
    t = gpu.threadIdx.x
    if t == 0:
        parts[gpu.blockIdx.x] = x[gpu.grid(1)]  # there
        gpu.threadfence()
        gpu.atomic.add(done, 0, 1)
    if gpu.blockIdx.x == 3 and t == 1:
        out[0] = parts[0]  # here


@race(
    "thread (0, 0, 0) of block (1, 0, 0) reads", "'flag[0]'", f"{OTHER} writes", grid=2, args=LAST
)
@gpu.jit
def flag_read_plainly(x, parts, out, flag):
    if gpu.threadIdx.x == 0:
        if gpu.blockIdx.x == 0:
            out[0] = 1
            gpu.threadfence()
            flag[0] = 1  # there
        elif flag[0] == 1:  # here
            out[0] = 2


@race(
    "thread (0, 0, 0) of block (1, 0, 0) reads",
    "'out[0]'",
    "thread (1, 0, 0) of block (0, 0, 0) updates",
    grid=2,
)
@gpu.jit
def total_read_too_early(x, out):
    gpu.atomic.add(out, 0, x[gpu.grid(1)])  # there
    gpu.syncthreads()
    if gpu.grid(1) == 8:
        out[1] = out[0]  # here


@race(
    "thread (0, 0, 0) of block (0, 0, 1) writes",
    "'c[0, 0, 1]'",
    "thread (0, 0, 0) of block (0, 0, 0) writes",
    grid=(1, 2, 2),
    block=1,
    args=lambda: (np.zeros((2, 1, 2)),),
)
@gpu.jit
def blocks_along_three_axes(c):
    b = gpu.blockIdx
    c[b.y, b.x, 1] = b.z  # here there


@race("thread (0, 0, 0) of block (1, 0, 0) reads", "'out[0]'", f"{OTHER} writes", grid=2, args=LAST)
@gpu.jit
def lock_without_fence(x, parts, out, lock):
    if gpu.threadIdx.x == 0:
        while gpu.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        out[0] += x[0] + 1  # here there
        gpu.atomic.exch(lock, 0, 0)


@race(
    "thread (0, 0, 0) of block (1, 0, 0) writes",
    "'out[7]'",
    "thread (7, 0, 0) of block (0, 0, 0) writes",
    grid=3,
)
@gpu.jit
def blocks_overlap(x, out):
    out[gpu.blockIdx.x * 7 + gpu.threadIdx.x] = gpu.grid(1)  # here there


@race(
    "thread (0, 0, 0) of block (1, 0, 0) writes",
    "an element of 'm'",
    f"{OTHER} writes",
    grid=2,
    args=lambda: (np.zeros((3, 8)),),
)
@gpu.jit
def same_row_of_blocks(m):
    row = m[2]
    row[gpu.threadIdx.x] = gpu.blockIdx.x  # here there
