"""Kernels over a grid of threads, written once; `cuda` is bound to each dialect's own module.

`CASES` gives each its launches: the arguments, which of them it writes, the result by NumPy, and
the functions of the same name in kernels_grid.c (a loop) and kernels_grid.cl (the kernel in
OpenCL C, with the arguments spelled as for C).
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

cuda: Any = None

TILE = 16
BLOCK = 256
WIDE = 32
ROWS = 8
BINS = 256
PART = 1024
LANES = 128


def bind(function: Callable[..., Any], module: Any) -> Callable[..., Any]:
    """Return the function with `cuda` bound to a module."""
    names = {**function.__globals__, "cuda": module}
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


def matmul(a, b, c):
    sa = cuda.shared.array((TILE, TILE), np.float32)
    sb = cuda.shared.array((TILE, TILE), np.float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    n = a.shape[1]
    total = np.float32(0)
    for t in range(n // TILE):
        sa[ty, tx] = a[y, t * TILE + tx]
        sb[ty, tx] = b[t * TILE + ty, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    c[y, x] = total


def reduce(x, out):
    s = cuda.shared.array(BLOCK, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < x.size else np.float32(0)
    cuda.syncthreads()
    k = BLOCK // 2
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


def reduce_strided(x, out):
    s = cuda.shared.array(BLOCK, np.float32)
    t = cuda.threadIdx.x
    total = np.float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    s[t] = total
    cuda.syncthreads()
    k = BLOCK // 2
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


def transpose(a, out):
    s = cuda.shared.array((WIDE, WIDE + 1), np.float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    x = cuda.blockIdx.x * WIDE + tx
    y = cuda.blockIdx.y * WIDE + ty
    for j in range(0, WIDE, ROWS):
        if x < a.shape[1] and y + j < a.shape[0]:
            s[ty + j, tx] = a[y + j, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * WIDE + tx
    y = cuda.blockIdx.x * WIDE + ty
    for j in range(0, WIDE, ROWS):
        if x < out.shape[1] and y + j < out.shape[0]:
            out[y + j, x] = s[tx, ty + j]


def stencil(a, out):
    s = cuda.shared.array((TILE + 2, TILE + 2), np.float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x + 1
    ty = cuda.threadIdx.y + 1
    h, w = a.shape
    inside = x < w and y < h
    if inside:
        s[ty, tx] = a[y, x]
        if tx == 1 and x > 0:
            s[ty, 0] = a[y, x - 1]
        if tx == TILE and x < w - 1:
            s[ty, TILE + 1] = a[y, x + 1]
        if ty == 1 and y > 0:
            s[0, tx] = a[y - 1, x]
        if ty == TILE and y < h - 1:
            s[TILE + 1, tx] = a[y + 1, x]
    cuda.syncthreads()
    if inside and x > 0 and x < w - 1 and y > 0 and y < h - 1:
        around = s[ty - 1, tx] + s[ty + 1, tx] + s[ty, tx - 1] + s[ty, tx + 1]
        out[y, x] = np.float32(0.5) * s[ty, tx] + np.float32(0.125) * around


def histogram(x, bins):
    s = cuda.shared.array(BINS, np.int32)
    t = cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(s, x[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, s[t])


def nbody(p, force):
    s = cuda.shared.array((4, BLOCK), np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    x = p[0, i]
    y = p[1, i]
    z = p[2, i]
    fx = np.float32(0)
    fy = np.float32(0)
    fz = np.float32(0)
    for tile in range(p.shape[1] // BLOCK):
        j = tile * BLOCK + t
        s[0, t] = p[0, j]
        s[1, t] = p[1, j]
        s[2, t] = p[2, j]
        s[3, t] = p[3, j]
        cuda.syncthreads()
        for k in range(BLOCK):
            dx = s[0, k] - x
            dy = s[1, k] - y
            dz = s[2, k] - z
            r2 = dx * dx + dy * dy + dz * dz + np.float32(1e-3)
            w = s[3, k] / (r2 * np.sqrt(r2))
            fx += w * dx
            fy += w * dy
            fz += w * dz
        cuda.syncthreads()
    force[0, i] = fx
    force[1, i] = fy
    force[2, i] = fz


def mandelbrot(out, limit):
    x, y = cuda.grid(2)
    h, w = out.shape
    if x < w and y < h:
        cr = np.float32(x) * np.float32(3.0 / 1024) - np.float32(2.0)
        ci = np.float32(y) * np.float32(2.5 / 1024) - np.float32(1.25)
        zr = np.float32(0)
        zi = np.float32(0)
        n = 0
        while n < limit and zr * zr + zi * zi <= np.float32(4):
            t = zr * zr - zi * zi + cr
            zi = np.float32(2) * zr * zi + ci
            zr = t
            n += 1
        out[y, x] = n


def quickselect(x, rank, out):
    s = cuda.shared.array(PART, np.float32)
    part = cuda.shared.array(PART, np.float32)
    count = cuda.shared.array(2, np.int32)
    t = cuda.threadIdx.x
    start = cuda.blockIdx.x * PART
    for i in range(t, PART, LANES):
        s[i] = x[start + i]
    n = PART
    k = rank
    while True:
        if t < 2:
            count[t] = 0
        cuda.syncthreads()
        pivot = s[n // 2]
        for i in range(t, n, LANES):
            v = s[i]
            if v < pivot:
                part[cuda.atomic.add(count, 0, 1)] = v
            elif v > pivot:
                part[PART - 1 - cuda.atomic.add(count, 1, 1)] = v
        cuda.syncthreads()
        less = count[0]
        more = count[1]
        first = 0
        if k < less:
            n = less
        elif k >= n - more:
            k -= n - more
            n = more
            first = PART - more
        else:
            break
        for i in range(t, n, LANES):
            s[i] = part[first + i]
        cuda.syncthreads()
    if t == 0:
        out[cuda.blockIdx.x] = pivot


def nothing(n):
    pass


Args = tuple[Any, ...]


@dataclass
class Case:
    """A kernel's launch: `make(rng, n)` yields the arguments for a size."""

    kernel: Callable[..., Any]
    make: Callable[[np.random.Generator, int], Args]
    size: int
    tiny: int  # size for an interpreter
    launch: Callable[[Args], tuple[Any, Any]]  # grid, block
    writes: tuple[int, ...]
    numpy: Callable[..., Any]  # given the arguments; what the arrays that are written become
    rtol: float = 0.0
    power: int = 1  # the work grows with this power of the size
    strays: float = 0.0  # part of the results that may be others: a rounding decides

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.kernel.__name__


def up(n: int, k: int) -> int:
    """Return the number of blocks of k that n need."""
    return -(-n // k)


def f32(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Return random numbers in -1 .. 1."""
    return rng.uniform(-1, 1, shape).astype(np.float32)


def _stencil(a: np.ndarray, out: np.ndarray) -> np.ndarray:
    want = out.copy()
    around = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
    want[1:-1, 1:-1] = np.float32(0.5) * a[1:-1, 1:-1] + np.float32(0.125) * around
    return want


def _nbody(p: np.ndarray, force: np.ndarray) -> np.ndarray:
    x = p.astype(np.float64)
    want = np.zeros_like(force)
    for i in range(x.shape[1]):
        d = x[:3] - x[:3, i : i + 1]
        r2 = (d * d).sum(0) + 1e-3
        want[:, i] = (d * (x[3] / (r2 * np.sqrt(r2)))).sum(1)
    return want


def _mandelbrot(out: np.ndarray, limit: int) -> np.ndarray:
    h, w = out.shape
    x, y = np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32)[:, None]
    cr = x * np.float32(3.0 / 1024) - np.float32(2.0)
    ci = y * np.float32(2.5 / 1024) - np.float32(1.25)
    zr, zi = np.zeros((h, w), np.float32), np.zeros((h, w), np.float32)
    n = np.zeros((h, w), out.dtype)
    with np.errstate(all="ignore"):
        for _ in range(limit):
            inside = zr * zr + zi * zi <= 4
            t = zr * zr - zi * zi + cr
            zi = np.where(inside, 2 * zr * zi + ci, zi)
            zr = np.where(inside, t, zr)
            n += inside
    return n


def _flat(args: Args) -> tuple[int, int]:
    return up(args[-1].shape[-1], BLOCK), BLOCK


def _image(args: Args) -> tuple[tuple[int, int], tuple[int, int]]:
    h, w = next(a for a in args if isinstance(a, np.ndarray)).shape
    return (up(w, TILE), up(h, TILE)), (TILE, TILE)


CASES = [
    Case(
        saxpy,
        lambda r, n: (np.float32(1.5), f32(r, n), f32(r, n)),
        1 << 20,
        1 << 10,
        _flat,
        (2,),
        lambda a, x, y: y + a * x,
        1e-6,
    ),
    Case(
        matmul,
        lambda r, n: (f32(r, n, n), f32(r, n, n), np.zeros((n, n), np.float32)),
        512,
        32,
        _image,
        (2,),
        lambda a, b, _: a @ b,
        1e-4,
        power=3,
    ),
    Case(
        reduce,
        lambda r, n: (f32(r, n), np.zeros(up(n, BLOCK), np.float32)),
        1 << 21,
        1 << 10,
        lambda a: (up(a[0].size, BLOCK), BLOCK),
        (1,),
        lambda x, _: x.reshape(-1, BLOCK).sum(1),
        1e-5,
    ),
    Case(
        reduce_strided,
        lambda r, n: (f32(r, n) + np.float32(1), np.zeros(1, np.float32)),
        1 << 21,
        1 << 12,
        lambda a: (min(256, up(a[0].size, BLOCK)), BLOCK),
        (1,),
        lambda x, _: x.sum(keepdims=True),
        1e-4,
    ),
    Case(
        transpose,
        lambda r, n: (f32(r, n, n), np.zeros((n, n), np.float32)),
        1024,
        64,
        lambda a: ((up(a[0].shape[1], WIDE), up(a[0].shape[0], WIDE)), (WIDE, ROWS)),
        (1,),
        lambda a, _: a.T,
        power=2,
    ),
    Case(
        stencil,
        lambda r, n: (f32(r, n, n), np.zeros((n, n), np.float32)),
        1024,
        32,
        _image,
        (1,),
        _stencil,
        1e-6,
        power=2,
    ),
    Case(
        histogram,
        lambda r, n: (
            np.clip(r.normal(128, 40, n), 0, 255).astype(np.uint8),
            np.zeros(BINS, np.int32),
        ),
        1 << 22,
        1 << 12,
        lambda a: (min(64, up(a[0].size, BINS)), BINS),
        (1,),
        lambda x, _: np.bincount(x, minlength=BINS),
    ),
    Case(
        nbody,
        lambda r, n: (f32(r, 4, n), np.zeros((3, n), np.float32)),
        4096,
        256,
        _flat,
        (1,),
        _nbody,
        1e-3,
        power=2,
    ),
    Case(
        mandelbrot,
        lambda r, n: (np.zeros((n, n), np.int32), 100),
        1024,
        32,
        _image,
        (0,),
        _mandelbrot,
        power=2,
        strays=1e-3,
    ),
    Case(
        quickselect,
        lambda r, n: (f32(r, n), 300, np.zeros(up(n, PART), np.float32)),
        1 << 20,
        1 << 11,
        lambda a: (a[2].size, LANES),
        (2,),
        lambda x, rank, _: np.sort(x.reshape(-1, PART), axis=1)[:, rank],
    ),
]

LAUNCH = Case(nothing, lambda r, n: (n,), 1, 1, lambda a: (1, 1), (), lambda n: 0)
