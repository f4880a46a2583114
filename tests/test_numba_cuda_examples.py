"""Programs as people write them for numba.cuda, on the CPU and on an OpenCL device."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import errors
from swathe.compat import numba
from swathe.compat.numba import complex64, cuda, float32, float64, int32, int64, njit, uint8

rng = np.random.default_rng(5)


@pytest.fixture(params=["native", "opencl"])
def where(request: Any) -> Iterator[str]:
    try:
        with swathe.device_context(request.param):
            yield request.param
    except errors.NoDeviceError as e:
        pytest.skip(str(e))


def test_vector_add(where: str) -> None:
    @cuda.jit("void(float32[:], float32[:], float32[:])")
    def add(a, b, c):
        at = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
        if at < c.size:
            c[at] = a[at] + b[at]

    a, b = rng.random(1000, np.float32), rng.random(1000, np.float32)
    d_a, d_b = cuda.to_device(a), cuda.to_device(b)
    d_c = cuda.device_array_like(d_a)
    add[math.ceil(1000 / 128), 128](d_a, d_b, d_c)
    cuda.synchronize()
    np.testing.assert_array_equal(d_c.copy_to_host(), a + b)
    c = np.zeros(1000, np.float32)
    add.forall(1000, tpb=64, stream=cuda.stream(), sharedmem=0)(a, b, c)
    np.testing.assert_array_equal(c, a + b)


def test_matmul_of_any_size(where: str) -> None:
    tpb = 8

    @cuda.jit
    def fast(a, b, c):
        sa = cuda.shared.array(shape=(tpb, tpb), dtype=float32)
        sb = cuda.shared.array(shape=(tpb, tpb), dtype=float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        tmp = float32(0.0)
        for i in range((a.shape[1] + tpb - 1) // tpb):
            sa[ty, tx] = 0
            sb[ty, tx] = 0
            if y < a.shape[0] and (tx + i * tpb) < a.shape[1]:
                sa[ty, tx] = a[y, tx + i * tpb]
            if x < b.shape[1] and (ty + i * tpb) < b.shape[0]:
                sb[ty, tx] = b[ty + i * tpb, x]
            cuda.syncthreads()
            for j in range(tpb):
                tmp += sa[ty, j] * sb[j, tx]
            cuda.syncthreads()
        if y < c.shape[0] and x < c.shape[1]:
            c[y, x] = tmp

    a, b = rng.random((20, 23), np.float32), rng.random((23, 19), np.float32)
    c = np.zeros((20, 19), np.float32)
    fast[(3, 3), (tpb, tpb)](a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_sum_in_shared_memory(where: str) -> None:
    @cuda.jit
    def array_sum(data):
        tid = cuda.threadIdx.x
        size = len(data)
        if tid < size:
            i = cuda.grid(1)
            shr = cuda.shared.array(256, int32)
            shr[tid] = data[i]
            cuda.syncthreads()
            s = 1
            while s < cuda.blockDim.x:
                if tid % (2 * s) == 0:
                    shr[tid] += shr[tid + s]
                s *= 2
                cuda.syncthreads()
            if tid == 0:
                data[tid] = shr[tid]

    a = cuda.to_device(np.arange(256))
    array_sum[1, 256](a)
    assert a[0] == sum(range(256))


def test_sum_by_warps(where: str) -> None:
    @cuda.jit
    def total(x, out):
        i = cuda.grid(1)
        v = x[i] if i < x.size else float32(0)
        for k in (16, 8, 4, 2, 1):
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, k)
        if cuda.laneid == 0:
            cuda.atomic.add(out, 0, v)

    x = rng.integers(0, 9, 100).astype(np.float32)
    out = cuda.to_device(np.zeros(1, np.float32))
    total[2, 64](cuda.to_device(x), out)
    assert out.copy_to_host()[0] == x.sum()


def test_game_of_life(where: str) -> None:
    @cuda.jit
    def step(src, dst):
        x, y = cuda.grid(2)
        h, w = src.shape
        if x < h and y < w:
            n = 0
            for i in range(-1, 2):
                for j in range(-1, 2):
                    if i != 0 or j != 0:
                        n += src[(x + i) % h, (y + j) % w]
            dst[x, y] = 1 if n == 3 or (src[x, y] == 1 and n == 2) else 0

    s = (rng.random((20, 25)) > 0.5).astype(np.uint8)
    d = np.zeros_like(s)
    step[(3, 4), (8, 8)](s, d)
    around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    n = sum(np.roll(s, k, (0, 1)).astype(int) for k in around)
    assert (d == ((n == 3) | ((s == 1) & (n == 2)))).all()


def test_heat_over_a_stream(where: str) -> None:
    @cuda.jit
    def solve(now, after, k):
        i, j = cuda.grid(2)
        m, n = now.shape
        if 0 < i < m - 1 and 0 < j < n - 1:
            around = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1]
            after[i, j] = now[i, j] + k * (around - 4 * now[i, j])

    u = np.zeros((18, 17))
    u[9, 8] = 100.0
    stream = cuda.stream()
    a, b = cuda.to_device(u, stream), cuda.to_device(u, stream)
    for _ in range(10):
        solve[(3, 3), (8, 8), stream](a, b, 0.2)
        a, b = b, a
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        v = u.copy()
        v[1:-1, 1:-1] += 0.2 * (around - 4 * u[1:-1, 1:-1])
        u = v
    np.testing.assert_allclose(a.copy_to_host(stream=stream), u, rtol=1e-12, atol=1e-15)


def test_heat_in_one_launch() -> None:
    @cuda.jit
    def solve(buf_0, buf_1, timesteps, k):
        i = cuda.grid(1)
        if i >= len(buf_0):
            return
        grid = cuda.cg.this_grid()
        for step in range(timesteps):
            if (step % 2) == 0:
                data, next_data = buf_0, buf_1
            else:
                data, next_data = buf_1, buf_0
            curr = data[i]
            if i == 0:
                new = curr + k * (data[i + 1] - curr)
            elif i == len(data) - 1:
                new = curr + k * (data[i - 1] - curr)
            else:
                new = curr + k * (data[i - 1] - 2 * curr + data[i + 1])
            next_data[i] = new
            grid.sync()

    start = np.zeros(501)
    start[250] = 10000
    buf_0 = cuda.to_device(start)
    solve.forall(len(start))(buf_0, cuda.device_array_like(buf_0), 200, 0.25)
    u = start
    for _ in range(200):
        p = np.pad(u, 1, mode="edge")
        u = u + 0.25 * (p[:-2] - 2 * u + p[2:])
    np.testing.assert_allclose(buf_0.copy_to_host(), u, rtol=1e-9, atol=1e-9)


def test_sessions() -> None:
    @cuda.jit
    def sessionize(user, when, results):
        gid = cuda.grid(1)
        if gid >= len(user):
            return
        is_first = gid == 0 or user[gid] != user[gid - 1] or when[gid] - when[gid - 1] > 3600
        results[gid] = gid if is_first else -1
        grid = cuda.cg.this_grid()
        grid.sync()
        found = gid
        if not is_first:
            j = gid - 1
            while results[j] == -1:
                j -= 1
            found = results[j]
        grid.sync()
        results[gid] = found

    user = cuda.to_device(np.array([1, 1, 1, 2, 2, 3, 3, 3, 3]))
    when = cuda.to_device(np.array([1, 2, 5000, 1, 5000, 3, 4, 5, 6000]))
    results = cuda.to_device(np.zeros(9, np.int64))
    sessionize.forall(9)(user, when, results)
    assert results.copy_to_host().tolist() == [0, 0, 2, 3, 4, 5, 5, 5, 8]


def test_mandelbrot(where: str) -> None:
    @cuda.jit(device=True)
    def escapes(x, y, most):
        c = complex64(complex(x, y))
        z = complex64(0j)
        for i in range(most):
            z = z * z + c
            if z.real * z.real + z.imag * z.imag >= 4:
                return i
        return 255

    @cuda.jit
    def picture(x0, x1, y0, y1, image, most):
        height, width = image.shape
        start_x, start_y = cuda.grid(2)
        step_x, step_y = cuda.gridsize(2)
        for x in range(start_x, width, step_x):
            for y in range(start_y, height, step_y):
                real = x0 + x * (x1 - x0) / width
                imag = y0 + y * (y1 - y0) / height
                image[y, x] = escapes(real, imag, most)

    image = np.zeros((24, 30), np.uint8)
    picture[(2, 2), (8, 4)](-2.0, 1.0, -1.0, 1.0, image, 20)
    assert image[12, 20] == 255 and image[0, 0] < 3 and len(np.unique(image)) > 8


def test_dot_product_in_dynamic_shared_memory(where: str) -> None:
    @cuda.jit
    def dot(a, b, c):
        i, tid = cuda.grid(1), cuda.threadIdx.x
        part = cuda.shared.array(0, dtype=float64)
        part[tid] = a[i] * b[i] if i < a.size else 0.0
        cuda.syncthreads()
        half = cuda.blockDim.x // 2
        while half != 0:
            if tid < half:
                part[tid] += part[tid + half]
            cuda.syncthreads()
            half //= 2
        if tid == 0:
            cuda.atomic.add(c, 0, part[0])

    a, b, c = rng.random(500), rng.random(500), np.zeros(1)
    dot[8, 64, 0, 64 * 8](a, b, c)
    assert abs(c[0] - a @ b) < 1e-10


def test_scan_of_a_block(where: str) -> None:
    @cuda.jit
    def scan(x, out):
        s = cuda.shared.array(128, int64)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        d = 1
        while d < 128:
            v = s[t - d] if t >= d else 0
            cuda.syncthreads()
            s[t] += v
            cuda.syncthreads()
            d *= 2
        out[t] = s[t]

    x = rng.integers(0, 100, 128)
    out = np.zeros_like(x)
    scan[1, 128](x, out)
    np.testing.assert_array_equal(out, np.cumsum(x))


def test_bitonic_sort(where: str) -> None:
    @cuda.jit
    def step(x, j, k):
        i = cuda.grid(1)
        other = i ^ j
        if other > i:
            up = (i & k) == 0
            if (x[i] > x[other]) == up:
                x[i], x[other] = x[other], x[i]

    x = rng.random(256).astype(np.float32)
    d = cuda.to_device(x)
    k = 2
    while k <= 256:
        j = k // 2
        while j > 0:
            step[4, 64](d, j, k)
            j //= 2
        k *= 2
    np.testing.assert_array_equal(d.copy_to_host(), np.sort(x))


def test_histogram(where: str) -> None:
    @cuda.jit
    def histogram(x, low, high, bins):
        n = bins.shape[0]
        start, stride = cuda.grid(1), cuda.gridsize(1)
        for i in range(start, x.shape[0], stride):
            k = np.int32((x[i] - low) * n / (high - low))
            if 0 <= k < n:
                cuda.atomic.add(bins, k, 1)

    @cuda.jit
    def ends(x, found):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.min(found, 0, x[i])
            cuda.atomic.max(found, 1, x[i])

    x = rng.normal(size=1000).astype(np.float32)
    bins = np.zeros(10, np.int32)
    histogram[4, 64](x, -4.0, 4.0, bins)
    assert bins.sum() == 1000
    assert abs(bins - np.histogram(x, 10, (-4, 4))[0]).max() <= 2
    found = np.array([np.inf, -np.inf], np.float32)
    ends[4, 256](x, found)
    assert found.tolist() == [x.min(), x.max()]


def test_bodies_as_records(where: str) -> None:
    body = np.dtype([("p", np.float64, (2,)), ("v", np.float64), ("id", np.int32)], align=True)

    @cuda.jit
    def move(bodies, dt):
        i = cuda.grid(1)
        if i < bodies.size:
            bodies[i]["p"][0] += dt * bodies[i]["v"]
            bodies[i].p[1] -= dt
            bodies["id"][i] += 1

    b = np.zeros(50, body)
    b["v"] = np.arange(50)
    d = cuda.to_device(b)
    move[2, 32](d, 0.5)
    got = d.copy_to_host()
    np.testing.assert_array_equal(got["p"][:, 0], 0.5 * np.arange(50))
    assert (got["p"][:, 1] == -0.5).all() and (got["id"] == 1).all()


def test_constants_and_closures(where: str) -> None:
    weights = np.array([0.25, 0.5, 0.25])

    @njit
    def clip(i, n):
        return min(max(i, 0), n - 1)

    def smooth(f):
        @cuda.jit
        def kernel(x, out):
            w = cuda.const.array_like(weights)
            i = cuda.grid(1)
            if i < x.size:
                s = 0.0
                for k in range(3):
                    s += w[k] * f(x[clip(i + k - 1, x.size)])
                out[i] = s

        return kernel

    x, out = rng.random(50), np.zeros(50)
    for f in (lambda v: v, lambda v: v * v, math.sqrt):
        smooth(f)[1, 64](x, out)
        y = np.pad(np.vectorize(f)(x), 1, mode="edge")
        np.testing.assert_allclose(out, 0.25 * y[:-2] + 0.5 * y[1:-1] + 0.25 * y[2:])


def test_ufuncs_in_kernels(where: str) -> None:
    @cuda.jit
    def f(r, x):
        i = cuda.grid(1)
        if i < len(r):
            r[i] = np.sin(x[i]) + np.hypot(x[i], 2) + np.float64(np.isfinite(x[i]))

    x, r = np.arange(10.0) - 5, np.zeros(10)
    f[1, 32](r, x)
    np.testing.assert_allclose(r, np.sin(x) + np.hypot(x, 2) + 1, rtol=1e-14)


def test_gray_image(where: str) -> None:
    @cuda.jit
    def gray(rgb, out):
        i, j = cuda.grid(2)
        if i < rgb.shape[0] and j < rgb.shape[1]:
            r, g, b = rgb[i, j, 0], rgb[i, j, 1], rgb[i, j, 2]
            out[i, j] = uint8(0.299 * r + 0.587 * g + 0.114 * b)

    image = rng.integers(0, 256, (13, 17, 3)).astype(np.uint8)
    out = np.zeros((13, 17), np.uint8)
    gray[(2, 3), (8, 8)](image, out)
    want = image.astype(float) @ [0.299, 0.587, 0.114]
    assert abs(out - np.floor(want)).max() <= 1


def test_monochrome_select(where: str) -> None:
    @cuda.jit
    def pick(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = cuda.selp(x[i] > 0, x[i], cuda.fma(x[i], 2.0, 1.0))

    x, out = rng.normal(size=40), np.zeros(40)
    pick[2, 32](x, out)
    np.testing.assert_allclose(out, np.where(x > 0, x, x * 2 + 1))


def test_lists_of_signatures_and_types(where: str) -> None:
    @cuda.jit([numba.void(float32[:], float32), numba.void(float64[:], float64)])
    def fill(x, v):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = v

    for dtype in (np.float32, np.float64):
        x = np.zeros(5, dtype)
        fill[1, 8](x, dtype(2))
        assert (x == 2).all()
    with pytest.raises(TypeError):
        fill[1, 8](np.zeros(5, np.int64), 1j)


def test_an_operator_over_chunks_on_streams(where: str) -> None:
    @cuda.jit
    def double(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    x = cuda.pinned_array(4000)
    x[:] = np.arange(4000)
    streams = [cuda.stream() for _ in range(4)]
    parts = []
    for k, s in enumerate(streams):
        d = cuda.to_device(x[1000 * k : 1000 * (k + 1)], stream=s)
        double[4, 256, s](d)
        parts.append(d)
    got = np.concatenate([d.copy_to_host(stream=s) for d, s in zip(parts, streams, strict=True)])
    cuda.synchronize()
    np.testing.assert_array_equal(got, 2 * np.arange(4000))


def test_an_argument_that_threads_set(where: str) -> None:
    """Each thread has its own: the next one begins with what the launch gave."""

    @cuda.jit
    def k(idx, a, b):
        j = idx
        if j % 2 == 0:
            x = a
        else:
            x = b
        for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
            x[i] = j
            if x[i] > 1:
                idx = i * 2
                b[i] += idx

    @cuda.jit
    def shifted(x, n, out):
        i = cuda.grid(1)
        n += i
        while n > 5:
            n -= 3
        if i < out.size:
            out[i] = n + x

    a, b = cuda.to_device(np.zeros(5)), cuda.to_device(np.zeros(5))
    for i in range(4):
        k[1, 4](i, a, b)
    assert a.copy_to_host().tolist() == [2.0] * 5
    assert b.copy_to_host().tolist() == [3.0, 5.0, 7.0, 9.0, 11.0]
    out = cuda.to_device(np.zeros(12))
    shifted[3, 4](0.5, 4, out)
    assert out.copy_to_host().tolist() == [x + 0.5 for x in [4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3]]


def test_signature_with_records():
    """The kernel takes the records that it is launched with; Numba's takes those of its type."""
    dtype = np.dtype([("energy", np.float64, (3,)), ("n", np.int32)])
    of = numba.from_dtype(dtype)

    @cuda.jit((of[:], numba.float64[:, :]))
    def reset(rows, total):
        i = cuda.grid(1)
        if i < len(rows):
            for band in range(3):
                cuda.atomic.add(total, (0, band), rows[i]["energy"][band])
                rows[i]["energy"][band] = 0
            rows[i].n += 1

    rows = np.zeros(5, dtype)
    rows["energy"] = np.arange(15.0).reshape(5, 3)
    total = np.zeros((1, 3))
    reset[2, 4](rows, total)
    assert total.tolist() == [[30.0, 35.0, 40.0]]
    assert not rows["energy"].any() and rows["n"].tolist() == [1] * 5
