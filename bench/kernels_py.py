"""The kernels, written once, as plain Python functions; each decorator is applied to them.

`KERNELS` gives each its arguments (sized to run some 5 to 50 ms), which of them it writes, and how
NumPy alone would do it where that is natural. The name `prange` is bound to each compiler's own
by `bind`, and to `range` where a single thread is measured.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

prange = range


def bind(
    function: Callable[..., Any], parallel_range: Any, called: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Return the function with another meaning of `prange`; `called` wraps what it calls."""
    names = {**function.__globals__, "prange": parallel_range}
    for name in function.__code__.co_names:
        if called and isinstance(names.get(name), types.FunctionType):
            names[name] = called(names[name])
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def sum2d(a):
    total = 0.0
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j]
    return total


def saxpy(alpha, x, y):
    for i in prange(len(x)):
        y[i] = alpha * x[i] + y[i]


def sixterm(x, y, out):
    for i in prange(x.size):
        out[i] = (
            np.sin(x[i]) * np.cos(y[i]) + np.exp(-x[i]) + np.log(y[i]) + np.sqrt(x[i]) + x[i] * y[i]
        )


def mandelbrot(out, limit):
    h, w = out.shape
    for i in prange(h):
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
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            out[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


def nbody(pos, vel, mass, dt):
    n = pos.shape[0]
    for i in prange(n):
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
    for i in prange(n):
        for k in range(3):
            pos[i, k] += dt * vel[i, k]


def black_scholes(price, strike, years, rate, sigma, call, put):
    for i in prange(price.size):
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
    for i in prange(x.size):
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
    for i in prange(n):
        for j in range(n):
            s = 0.0
            for k in range(d):
                t = x[i, k] - x[j, k]
                s += t * t
            out[i, j] = np.sqrt(s)


def softmax(x, out):
    rows, cols = x.shape
    for i in prange(rows):
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
        for i in prange(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through


def spmv(start, column, value, x, y):
    for i in prange(y.size):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k]]
        y[i] = total


def gather(x, index, out):
    for i in prange(index.size):
        out[i] = x[index[i]]


def scatter(x, index, out):
    for i in prange(index.size):
        out[index[i]] = x[i]


# --- measured with several threads only ------------------------------------------------------


def triad(a, b, c):
    for i in prange(a.size):
        a[i] = b[i] + 3.0 * c[i]


def dot(x, y):
    total = 0.0
    for i in prange(x.size):
        total += x[i] * y[i]
    return total


def vsum(x):
    return np.sum(x)


def variance(x):
    return np.var(x)


def heat3d(a, out):
    n, m, p = a.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            for k in range(1, p - 1):
                out[i, j, k] = (
                    0.125 * (a[i + 1, j, k] - 2.0 * a[i, j, k] + a[i - 1, j, k])
                    + 0.125 * (a[i, j + 1, k] - 2.0 * a[i, j, k] + a[i, j - 1, k])
                    + 0.125 * (a[i, j, k + 1] - 2.0 * a[i, j, k] + a[i, j, k - 1])
                    + a[i, j, k]
                )


def conv2d(image, kernel, out):
    h, w = out.shape
    kh, kw = kernel.shape
    for i in prange(h):
        for j in range(w):
            s = 0.0
            for u in range(kh):
                for v in range(kw):
                    s += image[i + u, j + v] * kernel[u, v]
            out[i, j] = s


def life(world, out):
    h, w = world.shape
    for i in prange(1, h - 1):
        for j in range(1, w - 1):
            n = (
                world[i - 1, j - 1]
                + world[i - 1, j]
                + world[i - 1, j + 1]
                + world[i, j - 1]
                + world[i, j + 1]
                + world[i + 1, j - 1]
                + world[i + 1, j]
                + world[i + 1, j + 1]
            )
            out[i, j] = 1 if n == 3 or (world[i, j] == 1 and n == 2) else 0


def monte_carlo(n):
    inside = 0
    for i in prange(n):
        state = (i * 2654435761 + 12345) & 0x7FFFFFFF
        hits = 0
        for _ in range(16):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            x = state / 2147483648.0
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            y = state / 2147483648.0
            if x * x + y * y <= 1.0:
                hits += 1
        inside += hits
    return 4.0 * inside / (16.0 * n)


def batched_matmul(a, b, out):
    batches, n, m = a.shape
    p = b.shape[2]
    for s in prange(batches):
        for i in range(n):
            for j in range(p):
                t = 0.0
                for k in range(m):
                    t += a[s, i, k] * b[s, k, j]
                out[s, i, j] = t


def sixterm_array(x, y, out):
    out[:] = np.sin(x) * np.cos(y) + np.exp(-x) + np.log(y) + np.sqrt(x) + x * y


def normal(d):
    k = 1.0 / (1.0 + 0.2316419 * abs(d))
    tail = (
        0.3989422804014327
        * np.exp(-0.5 * d * d)
        * k
        * (
            0.319381530
            + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
        )
    )
    if d > 0.0:
        return 1.0 - tail
    return tail


def black_scholes_calls(price, strike, years, rate, sigma, call, put):
    for i in prange(price.size):
        root = np.sqrt(years[i])
        d1 = (np.log(price[i] / strike[i]) + (rate + 0.5 * sigma * sigma) * years[i]) / (
            sigma * root
        )
        n1 = normal(d1)
        n2 = normal(d1 - sigma * root)
        discounted = strike[i] * np.exp(-rate * years[i])
        call[i] = price[i] * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - price[i] * (1.0 - n1)


def black_scholes_array(price, strike, years, rate, sigma, call, put):
    root = np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * sigma * sigma) * years) / (sigma * root)
    d2 = d1 - sigma * root
    k1 = 1.0 / (1.0 + 0.2316419 * np.abs(d1))
    p1 = k1 * (
        0.319381530
        + k1 * (-0.356563782 + k1 * (1.781477937 + k1 * (-1.821255978 + k1 * 1.330274429)))
    )
    n1 = 0.3989422804014327 * np.exp(-0.5 * d1 * d1) * p1
    n1 = np.where(d1 > 0.0, 1.0 - n1, n1)
    k2 = 1.0 / (1.0 + 0.2316419 * np.abs(d2))
    p2 = k2 * (
        0.319381530
        + k2 * (-0.356563782 + k2 * (1.781477937 + k2 * (-1.821255978 + k2 * 1.330274429)))
    )
    n2 = 0.3989422804014327 * np.exp(-0.5 * d2 * d2) * p2
    n2 = np.where(d2 > 0.0, 1.0 - n2, n2)
    discounted = strike * np.exp(-rate * years)
    call[:] = price * n1 - discounted * n2
    put[:] = discounted * (1.0 - n2) - price * (1.0 - n1)


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


def _np_life(world, out):
    n = sum(
        world[1 + u : world.shape[0] - 1 + u, 1 + v : world.shape[1] - 1 + v]
        for u in (-1, 0, 1)
        for v in (-1, 0, 1)
        if u or v
    )
    out[1:-1, 1:-1] = (n == 3) | ((world[1:-1, 1:-1] == 1) & (n == 2))


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
    threads_only: bool = False
    skip: tuple[str, ...] = ()  # columns that give a wrong result on several threads
    target: float | None = None  # of its time over gcc's, on several threads

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


def _three(g, n):
    return np.zeros(n), g.random(n), g.random(n)


def _cube(g, n):
    return g.random((n, n, n)), np.zeros((n, n, n))


def _image(g, n):
    return g.random((n + 4, n + 4)), g.random((5, 5)), np.zeros((n, n))


def _world(g, n):
    return g.integers(0, 2, (n, n)).astype(np.uint8), np.zeros((n, n), np.uint8)


def _batch(g, n, side):
    shape = (n, side, side)
    return g.random(shape), g.random(shape), np.zeros(shape)


KERNELS: tuple[Kernel, ...] = (
    Kernel("sum2d", sum2d, lambda g, s: (g.random((_side(s, 3000),) * 2),), (), np.sum),
    Kernel("saxpy", saxpy, lambda g, s: _saxpy(g, int(2**23 * s)), (2,), _np_saxpy, rtol=1e-6),
    Kernel(
        "sixterm64",
        sixterm,
        lambda g, s: _pair(g, s, 2**19, np.float64),
        (2,),
        _np_sixterm,
        target=0.35,
    ),
    Kernel(
        "sixterm32",
        sixterm,
        lambda g, s: _pair(g, s, 2**20, np.float32),
        (2,),
        _np_sixterm,
        rtol=1e-5,
        target=0.35,
    ),
    Kernel(
        "mandelbrot",
        mandelbrot,
        lambda g, s: (np.zeros((_side(s, 400),) * 2, np.int64), 100),
        (0,),
        target=0.25,
    ),
    Kernel("stencil", stencil, lambda g, s: _square(g, _side(s, 2500)), (1,), _np_stencil),
    Kernel("nbody", nbody, lambda g, s: _bodies(g, _side(s, 1500)), (0, 1), rtol=1e-7, target=0.35),
    Kernel(
        "black_scholes",
        black_scholes,
        lambda g, s: _options(g, int(2**19 * s)),
        (5, 6),
        rtol=1e-7,
        target=0.45,
    ),
    Kernel(
        "histogram",
        histogram,
        lambda g, s: (g.standard_normal(int(2**23 * s)), -4.0, 4.0, np.zeros(256, np.int64)),
        (3,),
        _np_histogram,
        skip=("numba",),
    ),
    Kernel(
        "prefix_sum",
        prefix_sum,
        lambda g, s: (g.random(int(2**23 * s)), np.zeros(int(2**23 * s))),
        (1,),
        lambda x, out: np.cumsum(x, out=out),
    ),
    Kernel(
        "pairwise",
        pairwise,
        lambda g, s: _points(g, _side(s, 1500)),
        (1,),
        _np_pairwise,
        target=0.6,
    ),
    Kernel(
        "softmax",
        softmax,
        lambda g, s: (
            g.standard_normal((_side(s, 1500), _side(s, 1000))),
            np.zeros((_side(s, 1500), _side(s, 1000))),
        ),
        (1,),
        _np_softmax,
        target=0.35,
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
    Kernel(
        "triad",
        triad,
        lambda g, s: _three(g, int(2**23 * s)),
        (0,),
        lambda a, b, c: np.add(b, 3.0 * c, out=a),
        threads_only=True,
        target=1.05,
    ),
    Kernel("dot", dot, lambda g, s: _three(g, int(2**23 * s))[1:], (), np.dot, threads_only=True),
    Kernel("sum", vsum, lambda g, s: (g.random(int(2**23 * s)),), (), np.sum, threads_only=True),
    Kernel(
        "variance",
        variance,
        lambda g, s: (g.random(int(2**23 * s)),),
        (),
        np.var,
        threads_only=True,
    ),
    Kernel(
        "heat3d", heat3d, lambda g, s: _cube(g, int(160 * s ** (1 / 3))), (1,), threads_only=True
    ),
    Kernel("conv2d", conv2d, lambda g, s: _image(g, _side(s, 1000)), (2,), threads_only=True),
    Kernel(
        "life",
        life,
        lambda g, s: _world(g, _side(s, 2000)),
        (1,),
        _np_life,
        threads_only=True,
        target=0.7,
    ),
    Kernel("monte_carlo", monte_carlo, lambda g, s: (int(2**19 * s),), (), threads_only=True),
    Kernel(
        "batched_matmul",
        batched_matmul,
        lambda g, s: _batch(g, int(20000 * s), 8),
        (2,),
        lambda a, b, out: np.matmul(a, b, out=out),
        threads_only=True,
    ),
    Kernel(
        "sixterm_array",
        sixterm_array,
        lambda g, s: _pair(g, s, 2**19, np.float64),
        (2,),
        _np_sixterm,
        c="sixterm64",
        threads_only=True,
        target=0.35,
    ),
    Kernel(
        "blacksch_calls",
        black_scholes_calls,
        lambda g, s: _options(g, int(2**19 * s)),
        (5, 6),
        c="black_scholes",
        rtol=1e-7,
        target=0.45,
    ),
    Kernel(
        "blacksch_array",
        black_scholes_array,
        lambda g, s: _options(g, int(2**19 * s)),
        (5, 6),
        black_scholes_array,
        c="black_scholes",
        rtol=1e-7,
        threads_only=True,
        target=0.45,
    ),
)
