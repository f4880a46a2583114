# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs over numbers: kernels as a scientist would write them."""

import math

import numpy as np
from harness import Corpus

corpus = Corpus()
case = corpus
RNG = np.random.default_rng(7)
A, B = RNG.standard_normal((6, 5)), RNG.standard_normal((5, 7))
S = RNG.standard_normal((6, 6)) + 6 * np.eye(6)
X, Y = RNG.standard_normal(50), RNG.standard_normal(50)
IMAGE = RNG.random((9, 11))


@case(A, B)
@case(A.astype("f4"), B.astype("f4"))
@case(np.asfortranarray(A), B[:, ::-1])
@case(B, A.T[:3], raises=IndexError)
def matmul(a, b):
    n, k = a.shape
    m = b.shape[1]
    out = np.zeros((n, m), a.dtype)
    for i in range(n):
        for j in range(m):
            s = out[i, j]
            for p in range(k):
                s += a[i, p] * b[p, j]
            out[i, j] = s
    return out


@case(12, 8, 30)
def mandelbrot(width, height, limit):
    out = np.zeros((height, width), np.int32)
    for y in range(height):
        for x in range(width):
            c = complex(-2.0 + 3.0 * x / width, -1.0 + 2.0 * y / height)
            z = 0j
            n = 0
            while abs(z) <= 2.0 and n < limit:
                z = z * z + c
                n += 1
            out[y, x] = n
    return out


@case(12, 8, 30)
def julia_real(width, height, limit):
    count = np.zeros((height, width), np.uint8)
    for row in range(height):
        for col in range(width):
            x, y = 3.0 * col / width - 1.5, 2.0 * row / height - 1.0
            for n in range(limit):
                x, y = x * x - y * y - 0.8, 2 * x * y + 0.156
                if x * x + y * y > 4.0:
                    break
                count[row, col] += 1
    return count


@case(RNG.standard_normal((5, 3)), RNG.standard_normal((5, 3)), RNG.random(5), 0.01, 3)
def nbody(pos, vel, mass, dt, steps):
    n = pos.shape[0]
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                dx = pos[i, 0] - pos[j, 0]
                dy = pos[i, 1] - pos[j, 1]
                dz = pos[i, 2] - pos[j, 2]
                d2 = dx * dx + dy * dy + dz * dz
                mag = dt / (d2 * math.sqrt(d2))
                for k, d in enumerate((dx, dy, dz)):
                    vel[i, k] -= d * mass[j] * mag
                    vel[j, k] += d * mass[i] * mag
        for i in range(n):
            for k in range(3):
                pos[i, k] += dt * vel[i, k]
    e = 0.0
    for i in range(n):
        e += 0.5 * mass[i] * (vel[i, 0] ** 2 + vel[i, 1] ** 2 + vel[i, 2] ** 2)
    return e


@case(X)
@case(np.zeros(1))
@case(np.arange(10))
def prefix_sum(x):
    out = np.empty_like(x)
    s = x[0] * 0
    for i in range(len(x)):
        s += x[i]
        out[i] = s
    return out


@case(2.0, 1e-12)
@case(1e10, 1e-12)
@case(-1.0, 1e-12, raises=ValueError)
def newton_root(a, tolerance):
    if a < 0:
        raise ValueError("a must not be negative")
    x = a if a > 1 else 1.0
    while abs(x * x - a) > tolerance * a:
        x = 0.5 * (x + a / x)
    return x


@case(1.0, 2.0)
@case(2.0, 3.0, raises=ValueError)
def bisection(lo, hi):
    def f(x):
        return x**3 - x - 2

    if f(lo) * f(hi) > 0:
        raise ValueError("no change of sign")
    n = 0
    while hi - lo > 1e-10:
        mid = (lo + hi) / 2
        if f(lo) * f(mid) <= 0:
            hi = mid
        else:
            lo = mid
        n += 1
    return lo, n


@case(20, 10, 0.1)
def heat_1d(n, steps, r):
    u = np.zeros(n)
    u[n // 2] = 1.0
    for _ in range(steps):
        v = u.copy()
        for i in range(1, n - 1):
            v[i] = u[i] + r * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = v
    return u


@case(IMAGE, 5)
def heat_2d_slices(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u.shape


@case(IMAGE, RNG.random((3, 3)))
@case(IMAGE[::-1, ::2], RNG.random((3, 5)))
def conv2d(image, kernel):
    h, w = image.shape
    kh, kw = kernel.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            s = 0.0
            for u in range(kh):
                for v in range(kw):
                    s += image[i + u, j + v] * kernel[kh - 1 - u, kw - 1 - v]
            out[i, j] = s
    return out


@case(IMAGE, 1)
@case(IMAGE, 20)
def box_blur(image, r):
    h, w = image.shape
    out = np.empty_like(image)
    for y in range(h):
        for x in range(w):
            s, n = 0.0, 0
            for v in range(max(0, y - r), min(h, y + r + 1)):
                for u in range(max(0, x - r), min(w, x + r + 1)):
                    s += image[v, u]
                    n += 1
            out[y, x] = s / n
    return out


@case(IMAGE, 2, 1.5, 0.2, ulp=8)
def bilateral(image, radius, sigma_space, sigma_value):
    h, w = image.shape
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            total = weight = 0.0
            for dy in range(-radius, radius + 1):
                for dx in range(-radius, radius + 1):
                    v, u = y + dy, x + dx
                    if 0 <= v < h and 0 <= u < w:
                        d = (image[v, u] - image[y, x]) / sigma_value
                        s = (dx * dx + dy * dy) / sigma_space**2
                        k = math.exp(-0.5 * (s + d * d))
                        total += k * image[v, u]
                        weight += k
            out[y, x] = total / weight
    return out


@case(IMAGE, 2.5, 3.25)
@case(IMAGE, 0.0, 7.999)
@case(IMAGE.astype("f4"), 2.5, 3.25)
def bilinear(image, x, y):
    x0, y0 = int(math.floor(x)), int(math.floor(y))
    fx, fy = x - x0, y - y0
    top = image[y0, x0] * (1 - fx) + image[y0, x0 + 1] * fx
    bottom = image[y0 + 1, x0] * (1 - fx) + image[y0 + 1, x0 + 1] * fx
    return top * (1 - fy) + bottom * fy


@case(np.where(RNG.random((7, 7)) < 0.4, RNG.random((7, 7)), np.inf))
def floyd_warshall(d):
    n = d.shape[0]
    for i in range(n):
        d[i, i] = 0.0
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@case(S)
@case(S.T)
@case(np.zeros((2, 2)), raises=ZeroDivisionError)
def lu_decomposition(a):
    n = a.shape[0]
    lower = np.eye(n)
    for k in range(n):
        if a[k, k] == 0:
            raise ZeroDivisionError("zero pivot")
        for i in range(k + 1, n):
            lower[i, k] = a[i, k] / a[k, k]
            a[i, k:] -= lower[i, k] * a[k, k:]
    return lower, a


@case(S @ S.T)
@case(-np.eye(3), raises=ValueError)
def cholesky(a):
    n = a.shape[0]
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= out[i, k] * out[j, k]
            if i == j:
                if s <= 0:
                    raise ValueError("not positive definite")
                out[i, i] = math.sqrt(s)
            else:
                out[i, j] = s / out[j, j]
    return out


@case(S, np.arange(1.0, 7))
def gauss_seidel(a, b):
    x = np.zeros(len(b))
    for _ in range(10):
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                if j != i:
                    s -= a[i, j] * x[j]
            x[i] = s / a[i, i]
    return x


@case(S, np.ones(6), ulp=1024, scale=1.0)
def power_iteration(a, v):
    value = 0.0
    for _ in range(20):
        w = a @ v
        value = np.sqrt((w * w).sum())
        v = w / value
    return value, np.abs(v)


@case(4, 5000)
def monte_carlo_pi(seed, n):
    inside = 0
    state = seed
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        x = state / 2147483648
        state = (state * 1103515245 + 12345) % 2147483648
        y = state / 2147483648
        if x * x + y * y <= 1.0:
            inside += 1
    return 4 * inside / n


@case(np.uint64(88172645463325252), 8)
def xorshift(state, n):
    out = np.zeros(n, np.uint64)
    for i in range(n):
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        out[i] = state
    return out


@case(0.0, 1.0, 100, ulp=64)
def simpson(a, b, n):
    h = (b - a) / n
    s = math.exp(-a * a) + math.exp(-b * b)
    for i in range(1, n):
        s += (4 if i % 2 else 2) * math.exp(-((a + i * h) ** 2))
    return s * h / 3


@case(1.0, 0.0, 0.1, 20)
def runge_kutta(x, v, dt, n):
    def f(x, v):
        return v, -x - 0.1 * v

    for _ in range(n):
        k1 = f(x, v)
        k2 = f(x + dt / 2 * k1[0], v + dt / 2 * k1[1])
        k3 = f(x + dt / 2 * k2[0], v + dt / 2 * k2[1])
        k4 = f(x + dt * k3[0], v + dt * k3[1])
        x += dt / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        v += dt / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    return x, v


@case(np.array([1.0, -3.0, 0.5, 2.0]), 1.5)
@case(np.array([1, -3, 0, 2]), 2)
def horner(coefficients, x):
    s = coefficients[0] * 0
    for c in coefficients[::-1]:
        s = s * x + c
    return s


@case(X, Y, ulp=8, scale=8.0)
def linear_fit(x, y):
    mx, my = x.mean(), y.mean()
    slope = ((x - mx) * (y - my)).sum() / ((x - mx) ** 2).sum()
    return slope, my - slope * mx


@case(100.0, 95.0, 0.05, 0.2, 1.5, ulp=16)
def black_scholes(s, k, r, sigma, t):
    def normal(x):
        return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))

    d1 = (math.log(s / k) + (r + sigma * sigma / 2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    call = s * normal(d1) - k * math.exp(-r * t) * normal(d2)
    return call, call - s + k * math.exp(-r * t)


@case(RNG.standard_normal((4, 6)), ulp=16)
@case(RNG.standard_normal((4, 6)).astype("f4"), ulp=16)
def softmax_rows(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        e = np.exp(x[i] - x[i].max())
        out[i] = e / e.sum()
    return out


@case(RNG.standard_normal((6, 3)))
def pairwise_distance(x):
    n, d = x.shape
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(d):
                t = x[i, k] - x[j, k]
                s += t * t
            out[i, j] = math.sqrt(s)
    return out


@case(np.array([1.5, 2, 3, 4, 5]), np.array([0, 2, 1, 0, 3]), np.array([0, 2, 3, 5]), X[:4])
def sparse_matvec(data, columns, starts, x):
    out = np.zeros(len(starts) - 1)
    for i in range(len(out)):
        for p in range(starts[i], starts[i + 1]):
            out[i] += data[p] * x[columns[p]]
    return out


@case(np.sin(np.arange(8.0)), ulp=64, scale=8.0)
def dft(x):
    n = len(x)
    out = np.zeros(n, np.complex128)
    for k in range(n):
        s = 0j
        for j in range(n):
            angle = -2 * math.pi * k * j / n
            s += x[j] * complex(math.cos(angle), math.sin(angle))
        out[k] = s
    return out


@case(RNG.standard_normal(8) + 1j * RNG.standard_normal(8), ulp=64, scale=8.0)
def fft_radix_2(x):
    n = x.shape[0]
    if n == 1:
        return x.copy()
    even = fft_radix_2(x[::2])
    odd = fft_radix_2(x[1::2])
    out = np.empty(n, np.complex128)
    for k in range(n // 2):
        t = odd[k] * complex(math.cos(2 * math.pi * k / n), -math.sin(2 * math.pi * k / n))
        out[k] = even[k] + t
        out[k + n // 2] = even[k] - t
    return out


@case(RNG.random((12, 2)), 3)
def k_means(points, k):
    n = points.shape[0]
    centres = points[:k].copy()
    label = np.zeros(n, np.int64)
    for _ in range(5):
        for i in range(n):
            best = math.inf
            for c in range(k):
                d = 0.0
                for p in range(points.shape[1]):
                    d += (points[i, p] - centres[c, p]) ** 2
                if d < best:
                    best = d
                    label[i] = c
        for c in range(k):
            total = np.zeros(points.shape[1])
            count = 0
            for i in range(n):
                if label[i] == c:
                    total += points[i]
                    count += 1
            if count:
                centres[c] = total / count
    return centres, label


test_case = corpus.test()
