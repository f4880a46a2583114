"""More wrong kernels: what nobody has written, barriers, bounds, launches. See wrong_kernels.py."""

from __future__ import annotations

import numpy as np
from wrong_kernels import ALL, race, wrong

from swathe import gpu

# ---- what nobody has written ------------------------------------------------------------


@wrong(
    "UninitializedError",
    "thread (5, 0, 0) reads 's[5]', which no thread of the block has written",
    "block (0, 0, 0)",
)
@gpu.jit
def half_written(x, out):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    if t < 5:
        s[t] = x[t]
    gpu.syncthreads()
    out[t] = s[t]  # here


@wrong(
    "UninitializedError",
    "thread (0, 0, 0) reads 's[3]'",
    "block (1, 0, 0)",
    grid=2,
    args=lambda: (np.ones(11), np.zeros(16)),
)
@gpu.jit
def ragged_tile(x, out):
    s = gpu.shared.array(8, np.float64)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    if i < x.size:
        s[t] = x[i]
    gpu.syncthreads()
    total = 0.0
    for k in range(8):
        total += s[k]  # here
    out[i] = total


@wrong("UninitializedError", "thread (0, 0, 0) reads 's[7]'", "block (1, 0, 0)", grid=2)
@gpu.jit
def left_by_the_block_before(x, out):
    s = gpu.shared.array(8, np.float64)
    if gpu.grid(1) == 0:
        for k in range(8):
            s[k] = k
    gpu.syncthreads()
    if gpu.threadIdx.x == 0:
        out[gpu.blockIdx.x] = s[7]  # here


@wrong("UninitializedError", "thread (0, 0, 0) reads 'a[0]', which it has not written")
@gpu.jit
def local_not_cleared(x, out):
    a = gpu.local.array(4, np.float32)
    for k in range(4):
        a[k] += x[k]  # here
    out[gpu.grid(1)] = a[3]


@wrong("UninitializedError", "thread (1, 0, 0) reads 'a[1, 1]', which it has not written")
@gpu.jit
def local_of_another(x, out):
    a = gpu.local.array((2, 2), np.float64)
    t = gpu.threadIdx.x
    if t == 0:
        a[1, 1] = 1
    gpu.syncthreads()
    out[t] = a[1, 1]  # here


@wrong("UninitializedError", "thread (0, 0, 0) reads 'h[3]'")
@gpu.jit
def histogram_not_cleared(x, out):
    h = gpu.shared.array(4, np.int32)
    t = gpu.threadIdx.x
    gpu.atomic.add(h, 3 - t % 4, 1)  # here
    gpu.syncthreads()
    out[t] = h[t % 4]


@wrong("UninitializedError", "thread (0, 0, 0) reads 'd[1]'", shared=64)
@gpu.jit
def dynamic_not_written(x, out):
    d = gpu.shared.array(0, np.float64)
    t = gpu.threadIdx.x
    if t % 2 == 0:
        d[t] = x[t]
    gpu.syncthreads()
    out[t] = d[t ^ 1]  # here


@wrong("UninitializedError", "thread (7, 0, 0) reads 's[8]'")
@gpu.jit
def halo_forgotten(x, out):
    s = gpu.shared.array(9, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]
    gpu.syncthreads()
    out[t] = s[t + 1] - s[t]  # here


def first_of(values):
    return values[0]  # here


@wrong("UninitializedError", "thread (0, 0, 0) reads 'mine[0]', which it has not written")
@gpu.jit
def local_in_a_function(x, out):
    mine = gpu.local.array(2, np.float64)
    mine[1] = x[0]
    out[gpu.grid(1)] = first_of(mine)  # from


@wrong(
    "UninitializedError", "thread (31, 0, 0) takes the value of lane 0", "block (0, 0, 0)", block=64
)
@gpu.jit
def lane_elsewhere(x, out):
    t = gpu.threadIdx.x
    if t == 31:
        out[t] = gpu.shfl_sync(1 << 31, t, 0)  # here


@wrong("UninitializedError", "thread (0, 0, 0) reads 'a[1]', which it has not written")
@gpu.jit
def empty_of_a_thread(x, out):
    a = np.empty(3)
    a[0] = x[0]
    out[gpu.threadIdx.x] = a[1]  # here


def last_of(a, k):
    return a[k] if k > 2 else last_of(a, k + 1)  # here


@wrong("UninitializedError", "thread (0, 0, 0) reads 'a[3]', which no thread of the block has")
@gpu.jit
def read_in_a_function_that_calls_itself(x, out):
    s = gpu.shared.array(4, np.float64)
    s[0] = 1
    out[gpu.threadIdx.x] = last_of(s, 0)  # from


# ---- barriers ------------------------------------------------------------


@wrong(
    "BarrierError",
    "thread (0, 0, 0) waits at a barrier, and thread (4, 0, 0) ends without reaching it",
    "block (0, 0, 0)",
)
@gpu.jit
def barrier_of_some(x, out):
    if gpu.threadIdx.x < 4:
        gpu.syncthreads()  # here


@wrong(
    "BarrierError",
    "thread (0, 0, 0) waits at a barrier, and thread (3, 0, 0) has returned",
    "block (1, 0, 0)",
    grid=2,
    args=lambda: (np.ones(11), np.zeros(11)),
)
@gpu.jit
def early_return(x, out):
    s = gpu.shared.array(8, np.float64)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    if i >= x.size:
        return  # there
    s[t] = x[i]
    gpu.syncthreads()  # here
    out[i] = s[0]


@wrong("BarrierError", "thread (1, 0, 0) waits at a barrier, and thread (0, 0, 0) ends")
@gpu.jit
def trips_differ(x, out):
    for _ in range(gpu.threadIdx.x):
        gpu.syncthreads()  # here


@wrong("BarrierError", "thread (0, 0, 0) waits at a barrier, and thread (1, 0, 0) waits at another")
@gpu.jit
def barrier_in_both_branches(x, out):
    t = gpu.threadIdx.x
    if t % 2 == 0:
        out[t] = 1
        gpu.syncthreads()  # here
    else:
        out[t] = 2
        gpu.syncthreads()  # there


@wrong("BarrierError", "thread (0, 0, 0) waits at a barrier, and thread (2, 0, 0) waits at another")
@gpu.jit
def breaks_before_the_barrier(x, out):
    t = gpu.threadIdx.x
    for k in range(4):
        if x[t] + k == 3 and t == 2:
            break
        gpu.syncthreads()  # here
    gpu.syncthreads()  # there


@wrong("BarrierError", "thread (0, 0, 0) waits at a barrier, and thread (1, 0, 0) waits at another")
@gpu.jit
def skips_the_barrier(x, out):
    t = gpu.threadIdx.x
    for k in range(2):
        if k == 0 and t == 1:
            continue
        gpu.syncthreads()  # here there


def wait():
    gpu.syncthreads()  # here


@wrong("BarrierError", "thread (0, 0, 0) waits at a barrier, and thread (5, 0, 0) ends")
@gpu.jit
def barrier_in_a_function(x, out):
    if x[gpu.threadIdx.x] < 5:
        wait()  # from


@wrong("BarrierError", "thread (1, 0, 0) waits at a barrier, and thread (0, 0, 0) ends")
@gpu.jit
def count_of_some(x, out):
    t = gpu.threadIdx.x
    if t > 0:
        out[t] = gpu.syncthreads_count(x[t] > 3)  # here


@wrong(
    "BarrierError",
    "thread (1, 0, 0) waits at a barrier, and thread (0, 0, 0) has returned",
    block=(2, 2),
)
@gpu.jit
def returns_in_a_loop(x, out):
    while True:
        if gpu.threadIdx.x == 0:
            return  # there
        gpu.syncthreads()  # here
        if x[0] >= 0:
            return


@wrong("BarrierError", "thread (0, 0, 0) has thread (16, 0, 0) in the mask", block=32)
@gpu.jit
def shuffle_of_some(x, out):
    t = gpu.threadIdx.x
    if t < 16:
        out[t] = gpu.shfl_down_sync(ALL, x[t], 1)  # here


@wrong("BarrierError", "thread (4, 0, 0) is not in its own mask", block=32)
@gpu.jit
def vote_not_in_the_mask(x, out):
    out[gpu.threadIdx.x] = gpu.ballot_sync(0xF, True)  # here


@wrong("BarrierError", "thread (0, 0, 0) has thread (1, 0, 0) in the mask", block=64)
@gpu.jit
def votes_apart(x, out):
    t = gpu.threadIdx.x
    if t % 2 == 0:
        out[t] = gpu.any_sync(ALL, t > 3)  # here
    else:
        out[t] = gpu.all_sync(ALL, t > 3)


# ---- bounds ------------------------------------------------------------


@wrong("IndexError", "axis 0 of 's' with size 8", "index 8", "block (0, 0, 0)", "thread (7, 0, 0)")
@gpu.jit
def beyond_shared(x, out):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]
    gpu.syncthreads()
    out[t] = s[t + 1]  # here


@wrong(
    "IndexError",
    "axis 0 of 'out' with size 11",
    "index 11",
    "block (1, 0, 0)",
    "thread (3, 0, 0)",
    grid=2,
    args=lambda: (np.ones(16), np.zeros(11)),
)
@gpu.jit
def no_guard(x, out):
    i = gpu.grid(1)
    out[i] = x[i]  # here


@wrong("IndexError", "axis 0 of 'a' with size 3", "index 3", "thread (3, 0, 0)")
@gpu.jit
def beyond_local(x, out):
    a = gpu.local.array(3, np.float64)
    a[gpu.threadIdx.x] = 1  # here


@wrong("IndexError", "axis 0 of 'd' with size 4", "index 4", "thread (4, 0, 0)", shared=32)
@gpu.jit
def dynamic_too_small(x, out):
    d = gpu.shared.array(0, np.float64)
    d[gpu.threadIdx.x] = 1  # here


@wrong("IndexError", "axis 0 of 'd' with size 0", "index 0", "thread (0, 0, 0)")
@gpu.jit
def dynamic_not_given(x, out):
    d = gpu.shared.array(0, np.float64)
    d[gpu.threadIdx.x] = 1  # here


@wrong(
    "IndexError",
    "axis 1 of 'm' with size 6",
    "index 6",
    "thread (6, 0, 0)",
    args=lambda: (np.zeros((3, 6)),),
)
@gpu.jit
def beyond_a_row(m):
    m[1, gpu.threadIdx.x] = 1  # here


@wrong(
    "IndexError",
    "axis 0 of 'bins' with size 4",
    "index 4",
    "thread (4, 0, 0)",
    args=lambda: (np.zeros(4, np.int32),),
)
@gpu.jit
def atomic_beyond(bins):
    gpu.atomic.add(bins, gpu.threadIdx.x, 1)  # here


# ---- launches ------------------------------------------------------------


@wrong("LaunchError", "20 bytes of dynamic shared memory", "elements of 'd', of 8 bytes", shared=20)
@gpu.jit
def part_of_an_element(x, out):
    d = gpu.shared.array(0, np.float64)  # here
    d[0] = 1


@wrong("LaunchError", "take 65536 bytes", "at most 49152")
@gpu.jit
def shared_too_large(x, out):
    a = gpu.shared.array(4096, np.float64)
    b = gpu.shared.array(4096, np.float64)  # here
    a[gpu.threadIdx.x] = b[gpu.threadIdx.x] = 1


@wrong("LaunchError", "231448 bytes of dynamic shared memory beside the 8192", shared=231448)
@gpu.jit
def shared_too_large_together(x, out):
    s = gpu.shared.array(1024, np.float64)  # here
    d = gpu.shared.array(0, np.float64)
    s[gpu.threadIdx.x] = d[0] = 1


# ---- all blocks wait for each other ------------------------------------------------------------


GRID = lambda: (np.arange(16.0), np.zeros(16))  # noqa: E731


@race(
    "thread (0, 0, 0) of block (0, 0, 0) reads",
    "'out[15]'",
    "thread (7, 0, 0) of block (1, 0, 0) writes",
    grid=2,
    args=GRID,
)
@gpu.jit
def waits_for_its_block_only(x, out):
    i = gpu.grid(1)
    out[i] = x[i]  # there
    gpu.syncthreads()
    x[i] = out[15 - i]  # here
    gpu.syncgrid()


@race("thread (1, 0, 0) writes", "'x[1]'", "thread (0, 0, 0) reads", grid=2, args=GRID)
@gpu.jit
def one_wait_for_the_grid(x, out):
    i = gpu.grid(1)
    for _ in range(2):
        v = x[(i + 1) % 16]  # there
        x[i] = v  # here
        gpu.syncgrid()


@wrong("UninitializedError", "thread (0, 0, 0) reads 's[0]'", "block (1, 0, 0)", grid=2, shared=64)
@gpu.jit
def written_by_one_block(x, out):
    s = gpu.shared.array(0, np.float64)
    t = gpu.threadIdx.x
    if gpu.blockIdx.x == 0:
        s[t] = x[t]
    gpu.syncgrid()
    out[gpu.grid(1)] = s[t]  # here


@wrong("UninitializedError", "thread (0, 0, 0) reads 'a[0]'", "block (1, 0, 0)", grid=2)
@gpu.jit
def local_of_another_block(x, out):
    a = gpu.local.array(2, np.float64)
    if gpu.blockIdx.x == 0:
        a[0] = 1
    out[gpu.grid(1)] = a[0]  # here
    gpu.syncgrid()


@wrong("BarrierError", "thread (0, 0, 0) waits at a barrier, and thread (4, 0, 0) ends", grid=2)
@gpu.jit
def some_threads_wait_for_the_grid(x, out):
    if gpu.threadIdx.x < 4:
        gpu.syncgrid()  # here


@wrong(
    "BarrierError",
    "thread (0, 0, 0) of block (0, 0, 0) waits at a barrier of the grid",
    "thread (0, 0, 0) of block (1, 0, 0) ends without reaching it",
    grid=2,
)
@gpu.jit
def one_block_waits_for_the_grid(x, out):
    if gpu.blockIdx.x == 0:
        gpu.syncgrid()  # here


@wrong("BarrierError", "thread (0, 0, 0) of block (2, 0, 0) has returned", grid=3, args=GRID)
@gpu.jit
def a_block_too_many(x, out):
    i = gpu.grid(1)
    if i >= x.size:
        return  # there
    gpu.syncgrid()  # here
    out[i] = x[i]


@wrong(
    "BarrierError",
    "thread (0, 0, 0) of block (0, 0, 0) waits at a barrier of the grid",
    "thread (0, 0, 0) of block (1, 0, 0) waits at another barrier",
    grid=2,
)
@gpu.jit
def grid_and_block(x, out):
    if gpu.blockIdx.x == 0:
        gpu.syncgrid()  # here
    else:
        gpu.syncthreads()  # there


@wrong("IndexError", "index 16", "block (1, 0, 0), thread (7, 0, 0)", grid=2, args=GRID)
@gpu.jit
def beyond_the_grid(x, out):
    gpu.syncgrid()
    out[gpu.grid(1) + 1] = 1  # here
