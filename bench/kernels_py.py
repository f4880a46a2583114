"""The kernels, written once, as plain Python functions; each decorator is applied to them.

`KERNELS` gives each its arguments (sized to run some 5 to 50 ms), which of them it writes, and how
NumPy alone would do it where that is natural.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


def sum2d(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j]
    return total


def saxpy(alpha, x, y):
    for i in range(len(x)):
        y[i] = alpha * x[i] + y[i]


def sixterm(x, y, out):
    for i in range(x.size):
        out[i] = (
            np.sin(x[i]) * np.cos(y[i]) + np.exp(-x[i]) + np.log(y[i]) + np.sqrt(x[i]) + x[i] * y[i]
        )


def mandelbrot(out, limit):
    h, w = out.shape
    for i in range(h):
        ci = -1.25 + 2.5 * i / h
        for j in range(w):
            cr = -2.0 + 2.75 * j / w
            zr = 0.0
            zi = 0.0
            n = 0
            while n < limit and zr * zr + zi * zi <= 4.0:
                t = zr * zr - zi * zi + cr
                zi = 2.0 * zr * zi + ci
                zr = t
                n += 1
            out[i, j] = n


def stencil(a, out):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            out[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


def nbody(pos, vel, mass, dt):
    n = pos.shape[0]
    for i in range(n):
        ax = 0.0
        ay = 0.0
        az = 0.0
        for j in range(n):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            r2 = dx * dx + dy * dy + dz * dz + 1e-9
            s = mass[j] / (r2 * np.sqrt(r2))
            ax += dx * s
            ay += dy * s
            az += dz * s
        vel[i, 0] += dt * ax
        vel[i, 1] += dt * ay
        vel[i, 2] += dt * az
    for i in range(n):
        for k in range(3):
            pos[i, k] += dt * vel[i, k]


def black_scholes(price, strike, years, rate, sigma, call, put):
    for i in range(price.size):
        root = np.sqrt(years[i])
        d1 = (np.log(price[i] / strike[i]) + (rate + 0.5 * sigma * sigma) * years[i]) / (
            sigma * root
        )
        d2 = d1 - sigma * root
        # The cumulative normal distribution, by Abramowitz and Stegun's polynomial.
        k1 = 1.0 / (1.0 + 0.2316419 * abs(d1))
        n1 = (
            0.3989422804014327
            * np.exp(-0.5 * d1 * d1)
            * k1
            * (
                0.319381530
                + k1 * (-0.356563782 + k1 * (1.781477937 + k1 * (-1.821255978 + k1 * 1.330274429)))
            )
        )
        if d1 > 0.0:
            n1 = 1.0 - n1
        k2 = 1.0 / (1.0 + 0.2316419 * abs(d2))
        n2 = (
            0.3989422804014327
            * np.exp(-0.5 * d2 * d2)
            * k2
            * (
                0.319381530
                + k2 * (-0.356563782 + k2 * (1.781477937 + k2 * (-1.821255978 + k2 * 1.330274429)))
            )
        )
        if d2 > 0.0:
            n2 = 1.0 - n2
        discounted = strike[i] * np.exp(-rate * years[i])
        call[i] = price[i] * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - price[i] * (1.0 - n1)


def histogram(x, low, high, counts):
    scale = counts.size / (high - low)
    for i in range(x.size):
        k = int((x[i] - low) * scale)
        if k >= 0 and k < counts.size:
            counts[k] += 1


def prefix_sum(x, out):
    total = 0.0
    for i in range(x.size):
        total += x[i]
        out[i] = total


def pairwise(x, out):
    n, d = x.shape
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(d):
                t = x[i, k] - x[j, k]
                s += t * t
            out[i, j] = np.sqrt(s)


def softmax(x, out):
    rows, cols = x.shape
    for i in range(rows):
        top = x[i, 0]
        for j in range(1, cols):
            if x[i, j] > top:
                top = x[i, j]
        total = 0.0
        for j in range(cols):
            e = np.exp(x[i, j] - top)
            out[i, j] = e
            total += e
        for j in range(cols):
            out[i, j] = out[i, j] / total


def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through


def spmv(start, column, value, x, y):
    for i in range(y.size):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k]]
        y[i] = total


def gather(x, index, out):
    for i in range(index.size):
        out[i] = x[index[i]]


def scatter(x, index, out):
    for i in range(index.size):
        out[index[i]] = x[i]


# --- with NumPy alone --------------------------------------------------------------------


def _np_saxpy(alpha, x, y):
    y += alpha * x


def _np_sixterm(x, y, out):
    out[:] = np.sin(x) * np.cos(y) + np.exp(-x) + np.log(y) + np.sqrt(x) + x * y


def _np_stencil(a, out):
    out[1:-1, 1:-1] = 0.2 * (
        a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
    )


def _np_histogram(x, low, high, counts):
    counts += np.histogram(x, counts.size, (low, high))[0]


def _np_pairwise(x, out):
    out[:] = np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(-1))


def _np_softmax(x, out):
    np.exp(x - x.max(1, keepdims=True), out=out)
    out /= out.sum(1, keepdims=True)


def _np_floyd_warshall(d):
    for k in range(d.shape[0]):
        np.minimum(d, d[:, k, None] + d[k], out=d)


def _np_scatter(x, index, out):
    out[index] = x


@dataclass(frozen=True)
class Kernel:
    """One row of the benchmark."""

    name: str
    function: Callable[..., Any]
    make: Callable[[np.random.Generator, float], tuple[Any, ...]]
    writes: tuple[int, ...] = ()  # the positions of the arguments that it changes
    numpy: Callable[..., Any] | None = None
    c: str = ""  # the C function, when its name is not the kernel's
    rtol: float = 1e-9

    @property
    def c_name(self) -> str:
        """The name of the C function that does the same."""
        return self.c or self.name


def _side(scale: float, n: int) -> int:
    return max(8, int(n * scale**0.5))


def _csr(g, n, per_row):
    """A random sparse matrix, as CSR; its vector, and room for the result."""
    start = np.arange(0, n * per_row + 1, per_row)
    column = np.sort(g.integers(0, n, (n, per_row)), axis=1).ravel()
    return start, column, g.random(n * per_row), g.random(n), np.zeros(n)


def _pair(g, s, n, dtype):
    n = int(n * s)
    return (
        g.uniform(0.1, 3, n).astype(dtype),
        g.uniform(0.1, 3, n).astype(dtype),
        np.zeros(n, dtype),
    )


def _options(g, n):
    return (
        g.uniform(10, 50, n),
        g.uniform(10, 50, n),
        g.uniform(0.5, 2, n),
        0.02,
        0.3,
        np.zeros(n),
        np.zeros(n),
    )


def _square(g, n):
    return g.random((n, n)), np.zeros((n, n))


def _points(g, n):
    return g.random((n, 3)), np.zeros((n, n))


def _bodies(g, n):
    return g.standard_normal((n, 3)), np.zeros((n, 3)), g.random(n) / n, 1e-3


def _saxpy(g, n):
    return np.float32(1.5), g.random(n, np.float32), g.random(n, np.float32)


KERNELS: tuple[Kernel, ...] = (
    Kernel("sum2d", sum2d, lambda g, s: (g.random((_side(s, 3000),) * 2),), (), np.sum),
    Kernel("saxpy", saxpy, lambda g, s: _saxpy(g, int(2**23 * s)), (2,), _np_saxpy, rtol=1e-6),
    Kernel(
        "sixterm64",
        sixterm,
        lambda g, s: _pair(g, s, 2**19, np.float64),
        (2,),
        _np_sixterm,
    ),
    Kernel(
        "sixterm32",
        sixterm,
        lambda g, s: _pair(g, s, 2**20, np.float32),
        (2,),
        _np_sixterm,
        rtol=1e-5,
    ),
    Kernel(
        "mandelbrot",
        mandelbrot,
        lambda g, s: (np.zeros((_side(s, 400),) * 2, np.int64), 100),
        (0,),
    ),
    Kernel("stencil", stencil, lambda g, s: _square(g, _side(s, 2500)), (1,), _np_stencil),
    Kernel("nbody", nbody, lambda g, s: _bodies(g, _side(s, 1500)), (0, 1), rtol=1e-7),
    Kernel(
        "black_scholes",
        black_scholes,
        lambda g, s: _options(g, int(2**19 * s)),
        (5, 6),
        rtol=1e-7,
    ),
    Kernel(
        "histogram",
        histogram,
        lambda g, s: (g.standard_normal(int(2**23 * s)), -4.0, 4.0, np.zeros(256, np.int64)),
        (3,),
        _np_histogram,
    ),
    Kernel(
        "prefix_sum",
        prefix_sum,
        lambda g, s: (g.random(int(2**23 * s)), np.zeros(int(2**23 * s))),
        (1,),
        lambda x, out: np.cumsum(x, out=out),
    ),
    Kernel("pairwise", pairwise, lambda g, s: _points(g, _side(s, 1500)), (1,), _np_pairwise),
    Kernel(
        "softmax",
        softmax,
        lambda g, s: (
            g.standard_normal((_side(s, 1500), _side(s, 1000))),
            np.zeros((_side(s, 1500), _side(s, 1000))),
        ),
        (1,),
        _np_softmax,
    ),
    Kernel(
        "floyd_warshall",
        floyd_warshall,
        lambda g, s: (g.uniform(1, 100, (_side(s, 320),) * 2),),
        (0,),
        _np_floyd_warshall,
    ),
    Kernel("spmv", spmv, lambda g, s: _csr(g, int(300_000 * s), 16), (4,)),
    Kernel(
        "gather",
        gather,
        lambda g, s: (
            g.random(2**20),
            g.integers(0, 2**20, int(2**22 * s)),
            np.zeros(int(2**22 * s)),
        ),
        (2,),
        lambda x, index, out: np.take(x, index, out=out),
    ),
    Kernel(
        "scatter",
        scatter,
        lambda g, s: (
            g.random(int(2**21 * s)),
            g.permutation(int(2**21 * s)),
            np.zeros(int(2**21 * s)),
        ),
        (2,),
        _np_scatter,
    ),
)
