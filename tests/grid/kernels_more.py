"""More right kernels: combinations that are easy to get wrong."""

from __future__ import annotations

import numpy as np
from kernels import launch

from swathe import gpu


@launch(1, 8, lambda: (np.arange(32.0).reshape(8, 4), np.zeros(8)))
@gpu.jit
def rowview(x, out):
    t = gpu.threadIdx.x
    row = x[t]
    s = gpu.shared.array(8, np.float64)
    s[t] = row[0]
    gpu.syncthreads()
    row[1] = s[(t + 1) % 8]
    gpu.syncthreads()
    out[t] = row[1] + row[0]


@launch(2, 8, lambda: (np.arange(8.0), np.zeros(8)), shared=64)
@gpu.jit
def dyn2(x, out):
    a = gpu.shared.array(0, np.float32)
    b = gpu.shared.array(0, np.int32)
    t = gpu.threadIdx.x
    a[t] = x[t]
    b[8 + t] = t
    gpu.syncthreads()
    lo = a[:8]
    hi = b[8:]
    out[t] = lo[7 - t] + hi[(t + 3) % 8]


@launch(3, 8, lambda: (np.arange(8.0), np.zeros(24)))
@gpu.jit
def lam(x, out):
    t = gpu.threadIdx.x
    f = lambda v: v * t + gpu.blockIdx.x
    out[gpu.grid(1)] = f(x[t])


@launch(1, 8, lambda: (np.zeros(8, np.int64), 3))
@gpu.jit
def inloop(out, n):
    t = gpu.threadIdx.x
    for k in range(n):
        s = gpu.shared.array(8, np.int64)
        s[t] = k + t
        gpu.syncthreads()
        out[t] += s[(t + k) % 8]
        gpu.syncthreads()


@launch(1, 8, lambda: (np.arange(8.0), np.zeros(8)))
@gpu.jit
def wtrue(x, out):
    s = gpu.shared.array(8, np.float64)
    t = gpu.threadIdx.x
    s[t] = x[t]
    k = 0
    while True:
        gpu.syncthreads()
        v = s[(t + 1) % 8]
        gpu.syncthreads()
        s[t] = v + 1
        k += 1
        if k == 4:
            out[t] = s[t]
            return


@launch(
    1,
    8,
    lambda: ((np.arange(8) + 1j).astype(np.complex64), np.zeros(8, np.complex128), np.zeros(8)),
)
@gpu.jit
def kinds(z, out, o2):
    s = gpu.shared.array(8, np.complex64)
    h = gpu.shared.array(8, np.float16)
    q = gpu.shared.array(8, np.bool_)
    t = gpu.threadIdx.x
    c = z[t] * 2
    p = (t, c)
    f = t % 2 == 0
    g = np.float16(t)
    s[t] = c
    h[t] = g
    q[t] = f
    gpu.syncthreads()
    out[t] = s[7 - t] + p[1] + p[0] + (1 if f else 2)
    o2[t] = h[7 - t] + g + q[(t + 1) % 8]


@launch((2, 2), (4, 4), lambda: (np.arange(200.0).reshape(10, 20)[::2, ::3], np.zeros((5, 7))))
@gpu.jit
def strided(x, out):
    i, j = gpu.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = x[i, j] + x[-1 - i, -1 - j]


@launch(1, 8, lambda: (np.zeros(8),))
@gpu.jit
def stepneg(x):
    t = gpu.threadIdx.x
    for k in range(5, -1, -2):
        gpu.syncthreads()
        x[t] += k * t


@launch(2, 8, lambda: (np.arange(16.0), np.zeros(16)))
@gpu.jit
def npalloc(x, out):
    t = gpu.grid(1)
    a = np.zeros(3)
    for k in range(3):
        a[k] = x[t] * k
    out[t] = a.sum()


@launch(1, 8, lambda: (np.arange(16.0), np.zeros(16)))
@gpu.jit
def typechange(x, out):
    t = gpu.threadIdx.x
    v = 1
    if t > 3:
        v = 2.5
    gpu.syncthreads()
    out[t] = v


@launch(1, 8, lambda: (np.arange(16.0), np.zeros(16)))
@gpu.jit
def unbound(x, out):
    t = gpu.threadIdx.x
    if t < 8:
        v = x[t]
    gpu.syncthreads()
    out[t] = v


@launch(1, 16, lambda: (np.arange(16.0), np.zeros(16), 4))
@gpu.jit
def nested(x, out, n):
    s = gpu.shared.array(16, np.float64)
    t = gpu.threadIdx.x
    for a in range(n):
        for b in range(a + 1):
            s[t] = x[t] + a * b
            gpu.syncthreads()
            if s[0] > 100:
                break
            gpu.syncthreads()
            out[t] += s[15 - t]
            gpu.syncthreads()


@launch(4, 8, lambda: (np.arange(32.0), np.zeros(2), np.zeros(1, np.uint32)))
@gpu.jit
def lastblock(x, out, c):
    s = gpu.shared.array(1, np.bool_)
    i = gpu.grid(1)
    t = gpu.threadIdx.x
    gpu.atomic.add(out, 0, x[i])
    gpu.threadfence()
    gpu.syncthreads()
    if t == 0:
        s[0] = gpu.atomic.inc(c, 0, gpu.gridDim.x - 1) == gpu.gridDim.x - 1
    gpu.syncthreads()
    if s[0] and t == 0:
        out[1] = out[0]


def count_up(n, t, x):
    k = 0
    while True:
        gpu.syncthreads()
        k += 1
        if k == n:
            return k * 10 + x[t]


@launch(1, 8, lambda: (np.arange(8.0), np.zeros(8)), debug="BarrierError")
@gpu.jit
def wleave(x, out):
    t = gpu.threadIdx.x
    for r in range(3):
        k = 0
        while True:
            gpu.syncthreads()
            k += 1
            if k == 4:
                break
        if t < 4:
            out[t] += count_up(t + 1 + r, t, x)
    while True:
        gpu.syncthreads()
        k += 1
        if k == t + 8:
            out[t] += k
            return


@launch(1, 8, lambda: (np.arange(64.0), np.zeros(8)), debug="BarrierError")
@gpu.jit
def wpart(x, out):
    t = gpu.threadIdx.x
    k = t
    while x[k] < 40:
        if t % 2 and k > 20:
            return
        gpu.syncthreads()
        if gpu.syncthreads_or(k > 30):
            out[t] += 1
        k += 4


def blend(a, b):
    out = np.zeros(3)
    for i in range(3):
        out[i] = a[2 - i] + b[i]
    return out[0] + 10 * out[1] + 100 * out[2]


@launch(1, 8, lambda: (np.arange(8.0), np.zeros(8)))
@gpu.jit
def own_arrays(x, out):
    t = gpu.threadIdx.x
    prev = np.zeros(3)
    prev[0] = x[t]
    older = prev
    total = np.zeros(3)
    for k in range(5):
        a = np.zeros(3)
        a[k % 3] = prev[0] + k
        a[0] += older[k % 3]
        if k % 2 == t % 2:
            older = prev[::-1]
        prev = a
        new = np.zeros(3)
        for i in range(3):
            new[i] = total[2 - i] + a[i]
        total = new
        out[t] += blend(total, older)
    out[t] += prev[0] + 2 * prev[1] + 3 * older[0] + 5 * older[2]


@launch(1, 4, lambda: (np.arange(4.0), np.zeros(4)))
@gpu.jit
def whole_rows(x, out):
    s = gpu.shared.array((4, 8), np.float64)
    mine = gpu.local.array(4, np.float64)
    t = gpu.threadIdx.x
    s[t, :] = x[t]
    mine[:] = x[t]
    gpu.syncthreads()
    out[t] = s[3 - t].sum()
    mine[1:3] *= 2
    gpu.syncthreads()
    s[t] += 1
    gpu.syncthreads()
    out[t] += s[:, t].sum() + mine.sum() + mine.max()


PAIR = np.dtype([("key", "f8"), ("at", "i4"), ("tag", "i2", (2,))], align=True)


def pairs(n):
    a = np.zeros(n, PAIR)
    a["key"] = np.sin(np.arange(n) * 7.0)
    a["tag"] = np.arange(2 * n).reshape(n, 2)
    return a


@launch(2, 16, lambda: (pairs(32), np.zeros(2, PAIR)))
@gpu.jit
def record_shared(a, out):
    s = gpu.shared.array(16, PAIR)
    t = gpu.threadIdx.x
    g = gpu.grid(1)
    s[t] = a[g]
    s[t]["at"] = g
    k = 8
    while k > 0:
        gpu.syncthreads()
        if t < k and s[t + k]["key"] > s[t]["key"]:
            s[t] = s[t + k]
        k //= 2
    if t == 0:
        out[gpu.blockIdx.x] = s[0]
        out[gpu.blockIdx.x]["tag"][1] += 1


@launch(2, 16, lambda: (pairs(32), np.zeros(30)))
@gpu.jit
def record_local(a, out):
    g = gpu.grid(1)
    mine = gpu.local.array(3, PAIR)
    for k in range(3):
        mine[k]["key"] = a[(g + k) % len(a)]["key"]
        mine[k]["at"] = k
    a[g]["tag"][1] = mine[1]["at"]
    if g < out.size:
        for k in range(3):
            out[g] += mine[k]["key"] * (mine[k]["at"] + 1)


@launch(1, 8, lambda: (np.arange(8), np.zeros(8, np.int64)))
@gpu.jit
def texts(x, out):
    t = gpu.threadIdx.x
    kind = "even" if x[t] % 2 == 0 else "odd"
    name = "odd" if x[t] > 3 else kind
    out[t] = (kind == name) + 2 * (kind == "odd") + 4 * (name != "even") + 8 * (kind[1:] == "ven")
