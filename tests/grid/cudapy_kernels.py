"""Programs of CudaPy's interface, each as (name, run): run() launches and returns arrays.

Written without any mention of a device: the tests run them on the CPU, on an OpenCL device, and for
CUDA, and compare with what NumPy says.
"""
# ruff: noqa: F821

from __future__ import annotations

import numpy as np

import swathe.compat.cudapy as cp

CASES = []


def case(run):
    CASES.append(run)
    return run


# saxpy : void (float alpha, float *X, float* Y)
def saxpy(alpha, X, Y):
    if idx < len(X):
        Y[idx] = alpha * X[idx] + Y[idx]


saxpy_call = cp.compile(saxpy)


@case
def run_saxpy():
    x = [float(i) for i in range(1000)]
    y = cp.CudaArray([2.0] * 1000)
    saxpy_call(len(x))(0.5, x, y)
    want = np.float32(0.5) * np.arange(1000, dtype=np.float32) + np.float32(2)
    return [(y.toHost(), want)]


# fill : void (float* A)
def fill(A):
    if idx < len(A):
        A[idx] = float(idx)


# matmul : void (float* A, float* B, float* C, int m, int n, int p)
# A is m x n, B is n x p
def matmul(A, B, C, m, n, p):
    row = idy
    col = idx
    result = 0.0
    if row >= m or col >= p:
        return
    for i in xrange(n):
        result += A[row * n + i] * B[i * p + col]
    C[row * p + col] = result


fill_call = cp.compile(fill)
matmul_call = cp.compile(matmul)


@case
def run_matmul():
    m, n, p = 37, 20, 45
    a, b = (cp.CudaArray.allocate(k, cp.Float) for k in (m * n, n * p))
    c = cp.CudaArray.allocate(m * p, cp.Float)
    fill_call(m * n)(a)
    fill_call(n * p)(b)
    matmul_call(p, m)(a, b, c, m, n, p)
    x, y = (np.arange(k, dtype=np.float64) for k in (m * n, n * p))
    return [(c.toHost(), (x.reshape(m, n) @ y.reshape(n, p)).ravel())]


# escape : int (float, float, int)
def escape(c_re, c_im, count):
    z_re = c_re
    z_im = c_im
    for i in xrange(0, count):
        if z_re * z_re + z_im * z_im > 4.0:
            break
        new_re = z_re * z_re - z_im * z_im
        new_im = 2.0 * z_re * z_im
        z_re = c_re + new_re
        z_im = c_im + new_im
    return i


# mandel_1d : void (float x0, float y0, float x1, float y1, int width, int height,
#                   int count, int* out)
def mandel_1d(x0, y0, x1, y1, width, height, count, out):
    if idx >= width * height:
        return
    x = x0 + float(idx % width) * ((x1 - x0) / float(width))
    y = y0 + float(idx / width) * ((y1 - y0) / float(height))
    out[idx] = escape(x, y, count)


# mandel_2d : void (float, float, float, float, int, int, int, int*)
def mandel_2d(x0, y0, x1, y1, width, height, count, out):
    if idx >= width or idy >= height:
        return
    x = x0 + float(idx) * ((x1 - x0) / float(width))
    y = y0 + float(idy) * ((y1 - y0) / float(height))
    out[idy * width + idx] = escape(x, y, count)


mandel_1d_call = cp.compile([mandel_1d, escape])
mandel_2d_call = cp.compile([mandel_2d, escape])


def mandel_want(x0, y0, x1, y1, width, height, count):
    f = np.float32
    x = f(x0) + np.arange(width, dtype=f) * ((f(x1) - f(x0)) / f(width))
    y = f(y0) + np.arange(height, dtype=f) * ((f(y1) - f(y0)) / f(height))
    cr, ci = np.meshgrid(x, y)
    zr, zi, out = cr.copy(), ci.copy(), np.full(cr.shape, count - 1)
    alive = np.ones(cr.shape, bool)
    for i in range(count):
        with np.errstate(all="ignore"):
            gone = alive & (zr * zr + zi * zi > f(4))
        out[gone] = i
        alive &= ~gone
        with np.errstate(all="ignore"):
            zr, zi = cr + (zr * zr - zi * zi), ci + f(2) * zr * zi
    return out.ravel()


@case
def run_mandel():
    where = (-2.0, -1.0, 1.0, 1.0, 60, 40, 30)
    want = mandel_want(*where)
    one, two = (cp.CudaArray.allocate(60 * 40, cp.Int) for _ in range(2))
    mandel_1d_call(cp.dim3(60 * 40))(*where, one)
    mandel_2d_call(60, 40)(*where, two)
    # a device may fuse a product and a sum, and then leaves some other turn earlier
    same = np.mean(one.toHost() == want), np.mean(two.toHost() == want)
    return [(np.array(same) > 0.98, np.array([True, True]))]


# every_index : void (int* out, int* geometry, int nx, int ny)
def every_index(out, geometry, nx, ny):
    out[(idz * ny + idy) * nx + idx] += 1 + idx + 10 * idy + 100 * idz
    if idx == 0 and idy == 0 and idz == 0:
        geometry[0] = blockDim.x * blockDim.y * blockDim.z
        geometry[1] = (blockDim.x * gridDim.x >= nx) + 2 * (blockDim.y * gridDim.y >= ny)
        geometry[2] = threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y
        geometry[3] = warpSize


every_index_call = cp.compile(every_index)


@case
def run_every_index():
    out = cp.CudaArray([0] * (5 * 7 * 3))
    geometry = cp.CudaArray([0] * 4)
    every_index_call(cp.dim3(5, 7, 3))(out, geometry, 5, 7)
    z, y, x = np.mgrid[:3, :7, :5]
    got = geometry.toList()
    return [
        (out.toHost(), (1 + x + 10 * y + 100 * z).ravel()),
        (np.array(got[1:]), np.array([3, 0, 32])),
        (np.array(1 <= got[0] <= 1024), np.array(True)),
    ]


# block_sums : void (float* X, float* sums, int n)
def block_sums(X, sums, n):
    s = shared.array(64, float)
    t = threadIdx.x
    s[t] = X[idx] if idx < n else 0.0
    syncthreads()
    step = blockDim.x / 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        syncthreads()
        step = step / 2
    if t == 0:
        sums[blockIdx.x] = s[0]


block_sums_call = cp.compile(block_sums, threads=64)


@case
def run_block_sums():
    x = np.arange(256, dtype=np.float32)
    sums = cp.CudaArray([0.0] * 4)
    block_sums_call(256)(x, sums, 256)
    return [(sums.toHost(), x.reshape(4, 64).sum(axis=1))]


Body = cp.Struct("Body", x=cp.Float, v=cp.Float, hits=cp.Int)


# bounced : Body (Body b, float dt)
def bounced(b, dt):
    b.x += b.v * dt
    if b.x > 1.0:
        b.x = 2.0 - b.x
        b.v = -b.v
        b.hits += 1
    return b


# move : void (Body* bodies, Body first, float dt)
def move(bodies, first, dt):
    if idx == 0:
        bodies[0] = first
    else:
        b = bodies[idx]
        bodies[idx] = bounced(b, dt)
        bodies[idx].hits += len(bodies)


move_call = cp.compile([move, bounced])


@case
def run_struct():
    bodies = cp.CudaArray([(0.1 * k, 0.5, k) for k in range(8)], Body)
    move_call(8)(bodies, Body(9.0, 8.0, 7), 1.0)
    x, hits = np.arange(8) * 0.1 + 0.5, np.arange(8) + 8
    over = x > 1
    want_x, want_v = np.where(over, 2 - x, x), np.where(over, -0.5, 0.5)
    want_x[0], want_v[0], hits[0] = 9, 8, 7
    hits[1:] += over[1:]
    got = bodies.toHost()
    return [(got["x"], want_x), (got["v"], want_v), (got["hits"], hits)]


# zip_with : void (function f, float* X, float* Y, float* out)
def zip_with(f, X, Y, out):
    out[idx] = f(X[idx], Y[idx])


# add : float (float, float)
def add(a, b):
    return a + b


# scaled : float (float, float)
def scaled(a, b):
    return a * b + float(7 / 2)


zip_with_call = cp.compile(zip_with)


@case
def run_function_arguments():
    x, y = np.arange(40, dtype=np.float32), np.full(40, 3, np.float32)
    out = []
    for f, want in ((add, x + y), (scaled, x * y + 3)):
        r = cp.CudaArray.allocate(40, cp.Float)
        zip_with_call(40)(f, x, y, r)
        out.append((r.toHost(), want))
    return out


# special : void (float* X, double* out)
def special(X, out):
    x = X[idx]
    out[0 + 12 * idx] = sinf(x) + math.cosf(x)
    out[1 + 12 * idx] = rsqrt(x) + rsqrtf(x)
    out[2 + 12 * idx] = erfcinv(x / 4)
    out[3 + 12 * idx] = tgamma(x)
    out[4 + 12 * idx] = fma(x, 2.0, 1.0)
    out[5 + 12 * idx] = j0(double(x)) + y1(double(x))
    out[6 + 12 * idx] = pow(double(x), 3) + fabs(-x) + fmaxf(x, 2.0)
    out[7 + 12 * idx] = lgamma(double(x)) + cyl_bessel_i0(double(x))
    out[8 + 12 * idx] = round(2.5) + floor(x) + ceil(x)
    out[9 + 12 * idx] = normcdf(double(x)) + erf(double(x))
    out[10 + 12 * idx] = int(3.9 * x) + (idx + 7) / 2 + -1 / 2
    out[11 + 12 * idx] = 7 / 2 + 7.0 / 2 + double(1) / 4 + jn(3, double(x))


special_call = cp.compile(special)

J0 = (0.9384698072408129, 0.7651976865579666, 0.2238907791412357)
Y1 = (-1.4714723926702430, -0.7812128213002887, -0.1070324315409375)
I0 = (1.0634833707413236, 1.2660658777520082, 2.2795853023360673)
J3 = (0.002563729994587244, 0.019563353982668407, 0.12894324947440206)
ERFCINV = (1.0847870400692831, 0.8134198475976185, 0.4769362762044699)


@case
def run_special():
    import math

    x = [0.5, 1.0, 2.0]
    out = cp.CudaArray.allocate(36, cp.Double)
    special_call(3)(x, out)
    want = []
    for k, v in enumerate(x):
        want += [
            math.sin(v) + math.cos(v),
            2 / math.sqrt(v),
            ERFCINV[k],
            math.gamma(v),
            2 * v + 1,
            J0[k] + Y1[k],
            v**3 + v + 2,
            math.lgamma(v) + I0[k],
            3 + math.floor(v) + math.ceil(v),
            0.5 * math.erfc(-v / math.sqrt(2)) + math.erf(v),
            int(3.9 * v) + (k + 7) // 2 - 1,
            3 + 3.5 + 0.25 + J3[k],
        ]
    return [(out.toHost(), np.array(want))]
