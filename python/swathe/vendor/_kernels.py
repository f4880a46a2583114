# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that serve where a vendor's library is missing, on any device."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import gpu

TILE = 16
THREADS = 256


def blocks(n: int, threads: int = THREADS) -> int:
    """How many blocks cover n elements; at least one."""
    return max(1, -(-n // threads))


# ---- products --------------------------------------------------------------------------------


@gpu.jit
def product(alpha, a, b, beta, c):
    """c = alpha * a @ b + beta * c, of batches of matrices: a tile of each at a time in shared
    memory. Where beta is 0, c is not read."""
    one = gpu.shared.array((TILE, TILE), a.dtype)
    other = gpu.shared.array((TILE, TILE), a.dtype)
    tx, ty = gpu.threadIdx.x, gpu.threadIdx.y
    i, j = gpu.blockIdx.y * TILE + ty, gpu.blockIdx.x * TILE + tx
    z = gpu.blockIdx.z
    total = c.dtype.type(0)
    for k in range(0, a.shape[2], TILE):
        inside = i < a.shape[1] and k + tx < a.shape[2]
        one[ty, tx] = a[z, i, k + tx] if inside else a.dtype.type(0)
        inside = k + ty < b.shape[1] and j < b.shape[2]
        other[ty, tx] = b[z, k + ty, j] if inside else a.dtype.type(0)
        gpu.syncthreads()
        for p in range(TILE):
            total += one[ty, p] * other[p, tx]
        gpu.syncthreads()
    if i < c.shape[1] and j < c.shape[2]:
        if beta == 0:
            c[z, i, j] = alpha * total
        else:
            c[z, i, j] = alpha * total + beta * c[z, i, j]


def run_product(queue: Any, alpha: Any, a: Any, b: Any, beta: Any, c: Any) -> None:
    """Launch `product` for matrices, or batches of as many of them."""
    three = [x if x.ndim == 3 else x._view(x._proto[None]) for x in (a, b, c)]
    z, m, n = three[2].shape
    if not c.size:
        return
    scale = c.dtype.type
    most = 65535  # blocks along y and z
    for first in range(0, z, most):
        for row in range(0, m, most * TILE):
            part = [x[first : first + most] for x in three]
            rows = slice(row, row + most * TILE)
            part[0], part[2] = part[0][:, rows], part[2][:, rows]
            grid = (blocks(n, TILE), blocks(part[2].shape[1], TILE), part[2].shape[0])
            product[grid, (TILE, TILE, 1), queue](
                scale(alpha), part[0], part[1], scale(beta), part[2]
            )


# ---- vectors ---------------------------------------------------------------------------------


@gpu.jit
def axpy(alpha, x, y):
    """y += alpha * x."""
    i = gpu.grid(1)
    if i < y.size:
        y[i] += alpha * x[i]


@gpu.jit
def scale(alpha, x):
    """x *= alpha."""
    i = gpu.grid(1)
    if i < x.size:
        x[i] *= alpha


@gpu.jit
def dots(x, y, conj, out):
    """One sum of products for each block."""
    part = gpu.shared.array(THREADS, out.dtype)
    t = gpu.threadIdx.x
    total = out.dtype.type(0)
    for i in range(gpu.grid(1), x.size, gpu.gridsize(1)):
        total += (np.conj(x[i]) if conj else x[i]) * y[i]
    part[t] = total
    gpu.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        gpu.syncthreads()
        step //= 2
    if t == 0:
        out[gpu.blockIdx.x] = part[0]


def dot(queue: Any, x: Any, y: Any, conj: bool) -> Any:
    """The sum of products of two vectors: of at most 256 blocks, then of their sums."""
    n = min(blocks(x.size), THREADS)
    out = queue.empty(n, x.dtype)
    dots[n, THREADS, queue](x, y, conj, out)
    return x.dtype.type(out.copy_to_host().sum())
