# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in CudaPy's interface: SAXPY, a matrix product, and the Mandelbrot set.

    python examples/mandelbrot_cudapy.py --width 1200 --height 800 --device opencl

Names such as `idx` need no import, types stand in the comment above a function, and a launch says
only how many threads there are.
"""
# ruff: noqa: F821

from __future__ import annotations

import argparse
import contextlib
import time

import numpy as np

import swathe
import swathe.compat.cudapy as cp


# saxpy : void (float alpha, float* X, float* Y)
def saxpy(alpha, X, Y):
    if idx < len(X):
        Y[idx] = alpha * X[idx] + Y[idx]


# matmul : void (float* A, float* B, float* C, int m, int n, int p)
def matmul(A, B, C, m, n, p):
    total = 0.0
    for k in xrange(n):
        total += A[idy * n + k] * B[k * p + idx]
    C[idy * p + idx] = total


# escape : int (float, float, int)
def escape(c_re, c_im, count):
    z_re = c_re
    z_im = c_im
    for i in xrange(count):
        if z_re * z_re + z_im * z_im > 4.0:
            break
        new_re = z_re * z_re - z_im * z_im
        z_im = c_im + 2.0 * z_re * z_im
        z_re = c_re + new_re
    return i  # the loop's variable keeps its last value, as in Python


# mandelbrot : void (int width, int height, int count, int* out)
def mandelbrot(width, height, count, out):
    x = -2.0 + 3.0 * float(idx) / float(width)
    y = -1.0 + 2.0 * float(idy) / float(height)
    out[idy * width + idx] = escape(x, y, count)


# zip_with : void (function f, float* X, float* Y, float* out)
def zip_with(f, X, Y, out):
    out[idx] = f(X[idx], Y[idx])


# larger : float (float, float)
def larger(a, b):
    return fmaxf(a, b)


saxpy_call = cp.compile(saxpy)
matmul_call = cp.compile(matmul)
mandelbrot_call = cp.compile([mandelbrot, escape])
zip_with_call = cp.compile(zip_with)


def run(width: int, height: int) -> None:
    """Run each kernel, and say whether it is right."""
    x, y = np.arange(1000, dtype=np.float32), cp.CudaArray([1.0] * 1000)
    saxpy_call(1000)(2.0, x, y)
    print("saxpy is right:", np.array_equal(y.toHost(), 2 * x + 1))

    zip_with_call(1000)(larger, x, [500.0] * 1000, y)
    print("zip_with is right:", np.array_equal(y.toHost(), np.maximum(x, 500)))

    m, n, p = 60, 80, 100
    a, b = np.random.default_rng(1).random((2, m * p), np.float32)
    a, b, c = a[: m * n], np.resize(b, n * p), cp.CudaArray.allocate(m * p, cp.Float)
    matmul_call(p, m)(a, b, c, m, n, p)
    want = a.reshape(m, n) @ b.reshape(n, p)
    print("matmul is right:", np.allclose(c.toHost().reshape(m, p), want, rtol=1e-4))

    out = cp.CudaArray.allocate(width * height, cp.Int)
    for what in ("with compilation", "again"):
        start = time.perf_counter()
        mandelbrot_call(width, height)(width, height, 256, out)
        image = out.toHost().reshape(height, width)
        print(f"Mandelbrot, {what}: {1e3 * (time.perf_counter() - start):.1f} ms")
    for row in image[:: max(height // 20, 1)]:
        print(
            "".join(" .:-=+*#%@"[min(int(v).bit_length(), 9)] for v in row[:: max(width // 64, 1)])
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--height", type=int, default=800)
    parser.add_argument("--device", help="as swathe.Device takes it; without it, the CPU")
    args = parser.parse_args()
    with swathe.device_context(args.device) if args.device else contextlib.nullcontext():
        run(args.width, args.height)
