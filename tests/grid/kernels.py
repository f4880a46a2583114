"""Right kernels, each with launches: what is in CASES runs compiled and interpreted."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import swathe
from swathe import gpu

ALL = 0xFFFFFFFF


class Case(NamedTuple):
    """A launch."""

    kernel: Any
    grid: Any
    block: Any
    args: Callable[[], tuple[Any, ...]]
    shared: int = 0
    rtol: float = 0.0
    debug: str = ""  # what debug=True raises: devices are lax where it is not


CASES: list[Case] = []


def launch(
    grid: Any, block: Any, args: Any, shared: int = 0, rtol: float = 0.0, debug: str = ""
) -> Any:
    """Run the kernel below so, too."""

    def note(kernel: Any) -> Any:
        CASES.append(Case(kernel, grid, block, args, shared, rtol, debug))
        return kernel

    return note


def some(n: Any, dtype: Any = np.float64, seed: int = 1) -> np.ndarray:
    """Values of both signs."""
    r = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return r.uniform(-4, 4, n).astype(dtype)
    if np.dtype(dtype).kind == "b":
        return r.integers(0, 2, n).astype(bool)
    return r.integers(0 if np.dtype(dtype).kind == "u" else -50, 50, n).astype(dtype)


# ---- where a thread is ----------------------------------------------------


@launch(1, 7, lambda: (2.0, some(5), some(5, seed=2)))
@launch(4, 32, lambda: (2.0, some(100, np.float32), some(100, np.float32, 2)))
@launch(3, 33, lambda: (3, some(99, np.int32), some(99, np.int32, 2)))
@launch(9, 64, lambda: (0.5, some(1000)[::2], some(500, seed=2)))
@gpu.jit
def saxpy(a, x, y):
    i = gpu.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@launch((3, 2), (8, 4), lambda: (np.zeros((7, 20)),))
@launch((1, 5), (16, 2), lambda: (np.zeros((10, 16), np.int32),))
@launch((2, 2), (5, 3), lambda: (np.zeros((6, 10), order="F"),))
@gpu.jit
def index2(out):
    x, y = gpu.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = 100 * y + x


@launch((2, 2, 2), (4, 2, 3), lambda: (np.zeros((6, 4, 8), np.int64),))
@launch((1, 3, 2), (2, 2, 2), lambda: (np.zeros((4, 6, 2), np.int64),))
@gpu.jit
def index3(out):
    x, y, z = gpu.grid(3)
    i, j, k = gpu.gridsize(3)
    out[z, y, x] = x + i * (y + j * z) + 1000 * k


@launch((2, 3, 2), (3, 2, 2), lambda: (np.zeros((12, 12, 14), np.int64),))
@gpu.jit
def all_names(out):
    t, b, d, g = gpu.threadIdx, gpu.blockIdx, gpu.blockDim, gpu.gridDim
    block = b.x + g.x * (b.y + g.y * b.z)
    thread = t.x + d.x * (t.y + d.y * t.z)
    row = out[block, thread]
    row[0] = t.x
    row[1] = t.y
    row[2] = t.z
    row[3] = b.x
    row[4] = b.y
    row[5] = b.z
    row[6] = d.x
    row[7] = d.y
    row[8] = d.z
    row[9] = g.x
    row[10] = g.y
    row[11] = g.z
    row[12] = gpu.laneid
    row[13] = gpu.warpsize


@launch(2, 8, lambda: (some(100), np.zeros(100)))
@launch(1, 1, lambda: (some(5), np.zeros(5)))
@gpu.jit
def grid_stride(x, y):
    for i in range(gpu.grid(1), x.size, gpu.gridsize(1)):
        y[i] = x[i] * 2 + 1


@launch(2, 16, lambda: (some(32), np.zeros(32)))
@gpu.jit
def early_return(x, y):
    i = gpu.grid(1)
    if i >= x.size:
        return
    if x[i] < 0:
        y[i] = -1
        return
    k = 0
    while True:
        k += 1
        if k * k > x[i] * 10:
            y[i] = k
            return


@launch(2, 16, lambda: (np.zeros(32, np.int64), 17))
@gpu.jit
def loops(out, n):
    i = gpu.grid(1)
    s = 0
    for j in range(n):
        if j == i:
            continue
        if j > 2 * i + 3:
            break
        s += j * i
    out[i] = s


# ---- functions that kernels call ----------------------------------------------------


def plain_helper(x, k):
    return x * k + 1


@swathe.njit
def njit_helper(x):
    return plain_helper(x, 3) - 1


@gpu.jit(device=True)
def device_helper(out, v):
    i = gpu.grid(1)
    if i < out.size:
        out[i] += v + gpu.threadIdx.x


def clamp(x, lo=0.0, hi=1.0):
    return min(max(x, lo), hi)


@launch(2, 20, lambda: (some(37), np.zeros(37)))
@gpu.jit
def calls(x, out):
    i = gpu.grid(1)
    if i < x.size:
        out[i] = njit_helper(x[i]) + clamp(x[i], hi=2.5)
    device_helper(out, 4)


def make_map(f):
    @gpu.jit
    def map_kernel(x, out):
        i = gpu.grid(1)
        if i < x.size:
            out[i] = f(x[i])

    return map_kernel


launch(2, 16, lambda: (some(30), np.zeros(30)))(make_map(lambda v: v * v))
launch(2, 16, lambda: (some(30), np.zeros(30)), rtol=1e-14)(make_map(math.sin))
launch(2, 16, lambda: (some(30), np.zeros(30)))(make_map(njit_helper))


@swathe.njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@launch(1, 12, lambda: (np.zeros(12, np.int64),))
@gpu.jit
def recursion(out):
    out[gpu.threadIdx.x] = fib(gpu.threadIdx.x)


def block_total(v):
    s = gpu.shared.array(64, np.float64)
    t = gpu.threadIdx.x
    s[t] = v
    gpu.syncthreads()
    k = gpu.blockDim.x // 2
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        gpu.syncthreads()
        k //= 2
    r = s[0]
    gpu.syncthreads()
    return r


@launch(3, 64, lambda: (some(180), np.zeros((3, 64))))
@launch(2, 16, lambda: (some(32), np.zeros((2, 64))))
@gpu.jit
def calls_with_barriers(x, out):
    i = gpu.grid(1)
    v = x[i] if i < x.size else 0.0
    out[gpu.blockIdx.x, gpu.threadIdx.x] = block_total(v) + block_total(v * 2)


# ---- shared and local arrays, barriers ----------------------------------------------------


@launch(3, 32, lambda: (some(96), np.zeros(96)))
@launch(3, 32, lambda: (some(96, np.int16), np.zeros(96, np.int16)))
@gpu.jit
def reverse_block(x, out):
    s = gpu.shared.array(32, np.float64)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    s[t] = x[i]
    gpu.syncthreads()
    out[i] = s[gpu.blockDim.x - 1 - t]


TILE = 4


@launch(
    (2, 3), (TILE, TILE), lambda: (some((12, 10)), some((10, 8)), np.zeros((12, 8))), rtol=1e-13
)
@launch(
    (2, 2),
    (TILE, TILE),
    lambda: (some((7, 9), np.float32), some((9, 6), np.float32), np.zeros((7, 6), np.float32)),
    rtol=1e-5,
)
@gpu.jit
def matmul(a, b, c):
    sa = gpu.shared.array((TILE, TILE), np.float64)
    sb = gpu.shared.array((TILE, TILE), np.float64)
    x, y = gpu.grid(2)
    tx, ty = gpu.threadIdx.x, gpu.threadIdx.y
    acc = 0.0
    for k in range((a.shape[1] + TILE - 1) // TILE):
        sa[ty, tx] = 0
        sb[ty, tx] = 0
        if y < a.shape[0] and tx + k * TILE < a.shape[1]:
            sa[ty, tx] = a[y, tx + k * TILE]
        if x < b.shape[1] and ty + k * TILE < b.shape[0]:
            sb[ty, tx] = b[ty + k * TILE, x]
        gpu.syncthreads()
        for j in range(TILE):
            acc += sa[ty, j] * sb[j, tx]
        gpu.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = acc


@launch(4, 64, lambda: (some(250), np.zeros(4)), rtol=1e-13)
@launch(2, 128, lambda: (some(250, np.float32), np.zeros(2)), rtol=1e-5)
@gpu.jit
def reduce_block(x, out):
    s = gpu.shared.array(128, np.float64)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    s[t] = x[i] if i < x.size else 0.0
    gpu.syncthreads()
    step = 1
    while step < gpu.blockDim.x:
        if t % (2 * step) == 0:
            s[t] += s[t + step]
        step *= 2
        gpu.syncthreads()
    if t == 0:
        out[gpu.blockIdx.x] = s[0]


@launch((2, 3), (8, 4), lambda: (some((11, 13)), np.zeros((13, 11))))
@gpu.jit
def transpose(a, out):
    tile = gpu.shared.array((8, 9), np.float64)
    bx, by = gpu.blockIdx.x * 8, gpu.blockIdx.y * 4
    tx, ty = gpu.threadIdx.x, gpu.threadIdx.y
    if by + ty < a.shape[0] and bx + tx < a.shape[1]:
        tile[tx, ty] = a[by + ty, bx + tx]
    gpu.syncthreads()
    k = ty * 8 + tx
    i, j = k // 4, k % 4
    if bx + i < out.shape[0] and by + j < out.shape[1]:
        out[bx + i, by + j] = tile[i, j]


@launch(3, 16, lambda: (some(45), np.zeros(45)))
@gpu.jit
def stencil(x, out):
    s = gpu.shared.array(18, np.float64)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    if i < x.size:
        s[t + 1] = x[i]
    if t == 0:
        s[0] = x[i - 1] if i > 0 else 0.0
    if t == gpu.blockDim.x - 1 or i == x.size - 1:
        s[t + 2] = x[i + 1] if i + 1 < x.size else 0.0
    gpu.syncthreads()
    if i < x.size:
        out[i] = 0.25 * s[t] + 0.5 * s[t + 1] + 0.25 * s[t + 2]


@launch(2, 24, lambda: (some(48), np.zeros(48)), shared=24 * 8)
@gpu.jit
def dynamic_shared(x, out):
    s = gpu.shared.array(0, np.float64)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    s[t] = x[i] * 2
    gpu.syncthreads()
    out[i] = s[(t + 5) % s.size]


@launch(2, 8, lambda: (some(16), np.zeros((16, 3))), debug="UninitializedError")
@gpu.jit
def local_arrays(x, out):
    a = gpu.local.array(3, np.float64)
    b = gpu.local.array((2, 2), np.int32)
    i = gpu.grid(1)
    for k in range(3):
        a[k] += x[i] * (k + 1)
        b[k % 2, k // 2] += k
    gpu.syncthreads()
    for k in range(3):
        out[i, k] = a[2 - k] + b[k % 2, k // 2]


TABLE = np.array([3.0, 1.0, 4.0, 1.0, 5.0])


@launch(1, 10, lambda: (np.zeros(10),))
@gpu.jit
def constants(out):
    c = gpu.const.array_like(TABLE)
    out[gpu.threadIdx.x] = c[gpu.threadIdx.x % 5] + TABLE[0]


@launch(2, 16, lambda: (some(32), np.zeros(32), 5))
@gpu.jit
def barrier_in_loop(x, out, n):
    s = gpu.shared.array(16, np.float64)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    s[t] = x[i]
    for k in range(n):
        gpu.syncthreads()
        v = s[(t + 1) % 16] + k
        gpu.syncthreads()
        s[t] = v
    out[i] = s[t]


@launch(2, 16, lambda: (some(32), np.zeros(32), True))
@launch(2, 16, lambda: (some(32), np.zeros(32), False))
@gpu.jit
def barrier_in_if(x, out, twice):
    s = gpu.shared.array(16, np.float64)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    s[t] = x[i]
    gpu.syncthreads()
    v = s[15 - t]
    if twice:
        gpu.syncthreads()
        s[t] = v * 2
        gpu.syncthreads()
        v = s[15 - t]
    out[i] = v


@launch(2, 16, lambda: (some(20), np.zeros(32)), debug="BarrierError")
@gpu.jit
def returned_before_barrier(x, out):
    s = gpu.shared.array(16, np.float64)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    s[t] = 7
    if i >= x.size:
        return
    s[t] = x[i]
    gpu.syncthreads()
    out[i] = s[t ^ 1] if (i ^ 1) < x.size else -1.0


@launch(
    1,
    16,
    lambda: (
        np.array([3, 1, 4, 1, 5, 9, 2, 6] * 2),
        np.zeros(16, np.int64),
        np.zeros(1, np.int64),
    ),
    debug="BarrierError",
)
@gpu.jit
def barrier_under_divergence(n, out, total):
    s = gpu.shared.array(16, np.int64)
    t = gpu.threadIdx.x
    s[t] = 0
    gpu.syncthreads()
    for k in range(n[t]):
        s[t] += k
        gpu.syncthreads()
        gpu.atomic.add(total, 0, 1)
    out[t] = n[t] + s[t]


@launch(2, 16, lambda: (some(32), np.zeros(32), np.zeros((2, 3), np.int64)))
@gpu.jit
def votes(x, out, counts):
    i, b = gpu.grid(1), gpu.blockIdx.x
    n = gpu.syncthreads_count(x[i] > 0)
    every = gpu.syncthreads_and(x[i] > -10)
    some_ = gpu.syncthreads_or(x[i] > 3.9)
    out[i] = n
    if gpu.threadIdx.x == 0:
        counts[b, 0] = n
        counts[b, 1] = every
        counts[b, 2] = some_


@launch(1, 8, lambda: (np.array([5.0]), np.zeros(8)))
@gpu.jit
def uniform_while(limit, out):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    s[t] = t
    gpu.syncthreads()
    while s[0] < limit[0]:
        gpu.syncthreads()
        if t == 0:
            s[0] += 1
        gpu.syncthreads()
        out[t] += s[(t + 1) % 8]
        gpu.syncthreads()


@launch((2, 2), (4, 4), lambda: (some((8, 8)), np.zeros((8, 8))))
@gpu.jit
def live_values(x, out):
    s = gpu.shared.array((4, 4), np.float64)
    i, j = gpu.grid(2)
    tx, ty = gpu.threadIdx.x, gpu.threadIdx.y
    a, b, k = x[i, j], tx * 1.5, ty
    s[ty, tx] = a + b
    gpu.syncthreads()
    c = s[tx, ty] * a
    a = c
    gpu.syncthreads()
    s[ty, tx] = c
    gpu.syncthreads()
    out[i, j] = s[3 - ty, 3 - tx] + a + b + c + k


# ---- atomics ----------------------------------------------------


@launch(4, 32, lambda: (some(120, np.int32) % 8, np.zeros(8, np.int32)))
@launch(4, 32, lambda: (some(120, np.int64) % 8, np.zeros(8, np.float32)))
@launch(4, 32, lambda: (some(120, np.uint8) % 8, np.zeros(8, np.uint64)))
@launch(4, 32, lambda: (some(120, np.int64) % 8, np.zeros(8, np.float64)))
@gpu.jit
def histogram(x, bins):
    i = gpu.grid(1)
    if i < x.size:
        gpu.atomic.add(bins, x[i], 1)


@launch(3, 32, lambda: (some(96, np.int64) % 16, np.zeros(16, np.int32)))
@gpu.jit
def histogram_shared(x, bins):
    s = gpu.shared.array(16, np.int32)
    t, i = gpu.threadIdx.x, gpu.grid(1)
    if t < 16:
        s[t] = 0
    gpu.syncthreads()
    gpu.atomic.add(s, x[i], 1)
    gpu.syncthreads()
    if t < 16:
        gpu.atomic.add(bins, t, s[t])


def reductions(dtype: Any) -> Any:
    a = np.zeros(9, dtype)
    a[4:7] = 77
    return lambda: (some(64, dtype), a.copy())


@launch(2, 32, reductions(np.int32))
@launch(2, 32, reductions(np.int64))
@launch(2, 32, reductions(np.uint32))
@launch(2, 32, reductions(np.uint64))
@launch(2, 32, reductions(np.int8))
@launch(2, 32, reductions(np.uint16))
@gpu.jit
def atomics_of_ints(x, out):
    i = gpu.grid(1)
    gpu.atomic.add(out, 0, x[i])
    gpu.atomic.sub(out, 1, x[i])
    gpu.atomic.min(out, 2, x[i])
    gpu.atomic.max(out, 3, x[i])
    gpu.atomic.and_(out, 4, x[i] | 1)
    gpu.atomic.or_(out, 5, x[i])
    gpu.atomic.xor(out, 6, x[i])
    gpu.atomic.inc(out, 7, 9)
    gpu.atomic.dec(out, 8, 9)


@launch(2, 32, lambda: (some(64, np.float32), np.zeros(6, np.float32)), rtol=1e-4)
@launch(2, 32, lambda: (some(64, np.float64), np.zeros(6)), rtol=1e-12)
@launch(2, 32, lambda: (np.where(some(64) > 3, np.nan, some(64)), np.zeros(6)), rtol=1e-12)
@gpu.jit
def atomics_of_floats(x, out):
    i = gpu.grid(1)
    gpu.atomic.add(out, 0, x[i])
    gpu.atomic.sub(out, 1, x[i])
    gpu.atomic.min(out, 2, x[i])
    gpu.atomic.max(out, 3, x[i])
    gpu.atomic.nanmin(out, 4, x[i])
    gpu.atomic.nanmax(out, 5, x[i])


@launch(1, 16, lambda: (np.zeros((2, 3), np.int64), np.zeros(16, np.int64)))
@gpu.jit
def atomics_old_values(out, seen):
    t = gpu.threadIdx.x
    slot = gpu.atomic.add(out, (1, 2), 1)
    gpu.atomic.add(seen, slot, slot * slot)
    if t == 3:
        gpu.atomic.exch(out, (0, 0), 42)
        gpu.atomic.cas(out, (0, 1), 0, 7)
        gpu.atomic.cas(out, (0, 2), 1, 7)
        gpu.atomic.compare_and_swap(seen, -1, 5)
        gpu.atomic.add(out, (-1, -3), 11)


# ---- warps ----------------------------------------------------


@launch(2, 64, lambda: (some(128), np.zeros((128, 4))))
@launch(1, 32, lambda: (some(32, np.int32), np.zeros((32, 4), np.int32)))
@launch(1, (8, 8), lambda: (some(64, np.float32), np.zeros((64, 4), np.float32)))
@gpu.jit
def shuffles(x, out):
    t = gpu.threadIdx.x + gpu.blockDim.x * gpu.threadIdx.y
    i = t + gpu.blockIdx.x * gpu.blockDim.x * gpu.blockDim.y
    v = x[i]
    out[i, 0] = gpu.shfl_sync(ALL, v, 5)
    out[i, 1] = gpu.shfl_up_sync(ALL, v, 3)
    out[i, 2] = gpu.shfl_down_sync(ALL, v, 7)
    out[i, 3] = gpu.shfl_xor_sync(ALL, v, 1)


@launch(2, 64, lambda: (some(128), np.zeros(4)), rtol=1e-13)
@gpu.jit
def warp_reduce(x, out):
    i = gpu.grid(1)
    v = x[i]
    k = 16
    while k > 0:
        v += gpu.shfl_down_sync(ALL, v, k)
        k //= 2
    if gpu.laneid == 0:
        out[i // 32] = v


@launch(1, 64, lambda: (some(64, np.int64) % 3, np.zeros((64, 7), np.int64)))
@gpu.jit
def warp_votes(x, out):
    i = gpu.threadIdx.x
    out[i, 0] = gpu.any_sync(ALL, x[i] == 2)
    out[i, 1] = gpu.all_sync(ALL, x[i] < 3)
    out[i, 2] = gpu.eq_sync(ALL, x[i] < 3)
    out[i, 3] = gpu.ballot_sync(ALL, x[i] == 1)
    out[i, 4] = gpu.match_any_sync(ALL, x[i])
    m, same = gpu.match_all_sync(ALL, x[i])
    out[i, 5] = m
    out[i, 6] = same
    gpu.syncwarp()


@launch(1, 64, lambda: (some(64) > 0, np.zeros(64, np.int64)))
@gpu.jit
def warp_scan(keep, out):
    i = gpu.threadIdx.x
    mask = gpu.ballot_sync(ALL, keep[i])
    out[i] = gpu.popc(mask & gpu.lanemask_lt()) if keep[i] else -1


# ---- arithmetic ----------------------------------------------------


@launch(1, 64, lambda: (some(64, np.int32), np.zeros((64, 4), np.int64)))
@launch(1, 64, lambda: (some(64, np.uint8), np.zeros((64, 4), np.int64)))
@launch(1, 64, lambda: (some(64, np.int64) << 40, np.zeros((64, 4), np.int64)))
@gpu.jit
def bit_tricks(x, out):
    i = gpu.threadIdx.x
    out[i, 0] = gpu.popc(x[i])
    out[i, 1] = gpu.clz(x[i])
    out[i, 2] = gpu.ffs(x[i])
    out[i, 3] = gpu.brev(x[i])


@launch(1, 32, lambda: (some(32), np.zeros((32, 4))), rtol=1e-15)
@launch(1, 32, lambda: (some(32, np.float32), np.zeros((32, 4), np.float32)), rtol=1e-6)
@gpu.jit
def float_tricks(x, out):
    i = gpu.threadIdx.x
    v = x[i]
    out[i, 0] = gpu.fma(v, v, -1.0)
    out[i, 1] = gpu.cbrt(v)
    out[i, 2] = gpu.rsqrt(abs(v))
    out[i, 3] = gpu.selp(v > 0, v, 2.0)


@launch((3, 2), (8, 8), lambda: (np.zeros((16, 24), np.int32), 20))
@gpu.jit
def mandelbrot(out, most):
    x, y = gpu.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        cr, ci = -2.0 + 3.0 * x / out.shape[1], -1.0 + 2.0 * y / out.shape[0]
        zr, zi, n = 0.0, 0.0, 0
        while n < most and zr * zr + zi * zi < 4.0:
            zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
            n += 1
        out[y, x] = n


@launch(2, 16, lambda: (some((30, 3)), np.zeros((30, 3))), rtol=1e-12)
@gpu.jit
def nbody(p, f):
    s = gpu.shared.array((16, 3), np.float64)
    i, t, n = gpu.grid(1), gpu.threadIdx.x, p.shape[0]
    ax, ay, az = 0.0, 0.0, 0.0
    for tile in range((n + 15) // 16):
        j = tile * 16 + t
        for k in range(3):
            s[t, k] = p[j, k] if j < n else 1e9
        gpu.syncthreads()
        if i < n:
            for m in range(16):
                dx, dy, dz = s[m, 0] - p[i, 0], s[m, 1] - p[i, 1], s[m, 2] - p[i, 2]
                r = 1.0 / (dx * dx + dy * dy + dz * dz + 1e-3)
                ax += dx * r
                ay += dy * r
                az += dz * r
        gpu.syncthreads()
    if i < n:
        f[i, 0] = ax
        f[i, 1] = ay
        f[i, 2] = az


@launch(1, 32, lambda: (some(32), np.zeros(1, np.int64)))
@gpu.jit
def bitonic_sort(x, rounds):
    s = gpu.shared.array(32, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]
    gpu.syncthreads()
    k = 2
    while k <= 32:
        j = k // 2
        while j > 0:
            other = t ^ j
            if other > t and (s[t] > s[other]) == ((t & k) == 0):
                s[t], s[other] = s[other], s[t]
            gpu.syncthreads()
            j //= 2
        k *= 2
    x[t] = s[t]
    if t == 0:
        rounds[0] += k


@launch(1, 32, lambda: (some(32, np.int64), np.zeros(32, np.int64)))
@gpu.jit
def scan_block(x, out):
    s = gpu.shared.array((2, 32), np.int64)
    t = gpu.threadIdx.x
    a, b = 0, 1
    s[a, t] = x[t]
    gpu.syncthreads()
    step = 1
    while step < 32:
        s[b, t] = s[a, t] + (s[a, t - step] if t >= step else 0)
        a, b = b, a
        step *= 2
        gpu.syncthreads()
    out[t] = s[a, t]


@launch(2, 8, lambda: (some((16, 4), np.float64), np.zeros(16)), rtol=1e-14)
@gpu.jit
def array_expressions(x, out):
    i = gpu.grid(1)
    out[i] = np.sum(x[i] * 2.0) + x[i, 1:].max() + math.hypot(x[i, 0], x[i, 1])
