"""Right kernels in which all threads of the grid wait for each other."""

from __future__ import annotations

import numpy as np
from kernels import ALL, launch, some

from swathe import gpu


@launch(4, 8, lambda: (some(32), np.zeros(32)))
@launch(1, 8, lambda: (some(8), np.zeros(8)))
@gpu.jit
def whole_reverse(x, out):
    s = gpu.shared.array(8, np.float64)
    mine = gpu.local.array(2, np.float64)
    t = gpu.threadIdx.x
    i = gpu.grid(1)
    n = gpu.gridsize(1)
    s[t] = x[i]
    mine[0] = x[i]
    mine[1] = 2 * x[i]
    gpu.syncthreads()
    out[i] = s[7 - t]
    grid = gpu.cg.this_grid()
    grid.sync()
    w = out[n - 1 - i]
    grid.sync()
    out[i] = w + mine[1] + s[(t + 1) % 8]


@launch(3, 64, lambda: (some(150), some(150), 5))
@launch((2, 2), (8, 4), lambda: (some(100), some(100), 4))
@gpu.jit
def whole_jacobi(a, b, steps):
    n = a.size
    block = gpu.blockIdx.x + gpu.gridDim.x * gpu.blockIdx.y
    thread = gpu.threadIdx.x + gpu.blockDim.x * gpu.threadIdx.y
    i = block * gpu.blockDim.x * gpu.blockDim.y + thread
    for k in range(steps):
        if i > 0 and i < n - 1:
            if k % 2 == 0:
                b[i] = (a[i - 1] + a[i + 1]) * 0.5
            else:
                a[i] = (b[i - 1] + b[i + 1]) * 0.5
        gpu.syncgrid()


@launch(3, 32, lambda: (some(96), np.zeros((5, 96))))
@launch((2, 2), (8, 4, 2), lambda: (some(256), np.zeros((5, 256))))
@gpu.jit
def whole_votes(x, out):
    block = gpu.blockIdx.x + gpu.gridDim.x * gpu.blockIdx.y
    d = gpu.blockDim
    thread = gpu.threadIdx.x + d.x * (gpu.threadIdx.y + d.y * gpu.threadIdx.z)
    i = block * d.x * d.y * d.z + thread
    out[0, i] = gpu.syncthreads_count(x[i] > 0)
    gpu.syncgrid()
    out[1, i] = gpu.syncthreads_or(x[i] > 3.9)
    out[2, i] = gpu.syncthreads_and(x[i] > -3.9)
    out[3, i] = gpu.shfl_xor_sync(ALL, x[i], 1)
    out[4, i] = gpu.ballot_sync(ALL, x[i] > 0)


@launch(4, 16, lambda: (some(64), np.zeros(1), np.zeros(64)), 16 * 8, 1e-12)
@gpu.jit
def whole_normalise(x, total, out):
    s = gpu.shared.array(0, np.float64)
    t = gpu.threadIdx.x
    i = gpu.grid(1)
    s[t] = x[i] * x[i]
    gpu.syncthreads()
    k = gpu.blockDim.x // 2
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        gpu.syncthreads()
        k //= 2
    if t == 0:
        gpu.atomic.add(total, 0, s[0])
    gpu.syncgrid()
    out[i] = x[i] / total[0]


@launch(3, 4, lambda: (np.arange(12.0), np.zeros(12), 10), debug="BarrierError")
@gpu.jit
def whole_early(x, out, n):
    i = gpu.grid(1)
    if i >= n:
        return
    out[i] = x[i] + 1
    gpu.syncgrid()
    x[i] = out[(i + 1) % n]
    if x[i] > 5:
        out[i] = -1
        return
    gpu.syncgrid()
    out[i] += x[(i + n - 1) % n]


@gpu.jit(device=True)
def exchange(a, b, i):
    gpu.syncgrid()
    a[i] = b[(i + 5) % b.size]
    gpu.syncgrid()
    return a[(i + 1) % a.size]


@launch(2, 8, lambda: (some(16), np.zeros(16)))
@gpu.jit
def whole_called(a, b):
    i = gpu.grid(1)
    b[i] = a[i] * 2
    total = 0.0
    for k in range(2 + 1):
        v = exchange(a, b, i)
        gpu.syncgrid()
        b[i] = v + k
        total += v
    gpu.syncgrid()
    b[i] = total
