# SPDX-License-Identifier: BSD-3-Clause
"""Loops in vector lanes return what CPython returns, bit for bit.

Each program has a parallel loop over `range(n)` in some form. It is compiled with several
numbers of lanes (SWATHE_LANES), whether they pay or not, and runs for sizes about the edges of
groups. Only elementary functions may differ, by what `ulp` says."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from harness import ORACLE, copy_args

import swathe
from swathe import prange

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")

LANES = (2, 4, 8, 16)
SIZES = (0, 1, 7, 8, 9, 16, 37)
RNG = np.random.default_rng(11)

PROGRAMS: list[tuple[Callable, Callable, dict]] = []


def program(make: Callable, **options) -> Callable:
    """Register a function; make(n) gives its arguments."""

    def register(f: Callable) -> Callable:
        PROGRAMS.append((f, make, options))
        return f

    return register


def compile_with(f: Callable, lanes: int, **options) -> Callable:
    """Compiled so that every loop that may has this many lanes."""
    compiled = swathe.njit(**options)(f)

    def call(*args):
        before = os.environ.get("SWATHE_LANES")
        os.environ["SWATHE_LANES"] = str(lanes)
        try:
            return compiled(*args)
        finally:
            if before is None:
                del os.environ["SWATHE_LANES"]
            else:
                os.environ["SWATHE_LANES"] = before

    call.compiled = compiled
    return call


def same(want, got, ulp: float) -> bool:
    if isinstance(want, tuple):
        return all(same(w, g, ulp) for w, g in zip(want, got, strict=True))
    if isinstance(want, np.ndarray):
        if want.dtype != got.dtype or want.shape != got.shape:
            return False
        if ulp and want.dtype.kind in "fc":
            rtol = ulp * float(np.finfo(want.dtype).eps)
            return np.allclose(want, got, rtol=rtol, atol=0, equal_nan=True)
        if want.dtype.kind in "fc":
            nan = np.isnan(want)
            return np.array_equal(nan, np.isnan(got)) and (
                want[~nan].tobytes() == got[~nan].tobytes()
            )
        return want.tobytes() == got.tobytes()
    if isinstance(want, float) and ulp:
        return math.isclose(want, got, rel_tol=ulp * 2.3e-16)
    return want == got or (want != want and got != got)


def vec(n, dtype="f8"):
    if np.dtype(dtype).kind in "iu":
        return RNG.integers(0, 100, n).astype(dtype)
    return RNG.standard_normal(n).astype(dtype)


def mat(n, m, dtype="f8"):
    return vec(n * m, dtype).reshape(n, m)


# --- whole programs -----------------------------------------------------------------------


@program(lambda n: (np.zeros((5, n), np.int64), 60))
def mandelbrot(out, limit):
    h, w = out.shape
    for i in range(h):
        ci = -1.25 + 2.5 * i / h
        for j in prange(w):
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


@program(lambda n: (np.zeros((n, 6), np.uint8), 40))
def julia_break(count, limit):
    h, w = count.shape
    for row in prange(h):
        for col in range(w):
            x, y = 3.0 * col / w - 1.5, 2.0 * row / h - 1.0
            for n in range(limit):
                x, y = x * x - y * y - 0.8, 2 * x * y + 0.156
                if x * x + y * y > 4.0:
                    break
                count[row, col] += 1


@program(lambda n: (np.zeros((3, n), np.int32), 25), ulp=1)
def mandelbrot_complex(out, limit):
    h, w = out.shape
    for y in range(h):
        for x in prange(w):
            c = complex(-2.0 + 3.0 * x / w, -1.0 + 2.0 * y / h)
            z = 0j
            n = 0
            while abs(z) <= 2.0 and n < limit:
                z = z * z + c
                n += 1
            out[y, x] = n


@program(lambda n: (mat(n, 3), np.zeros((n, 3)), RNG.random(n), 0.01))
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


@program(lambda n: (mat(n, 3, "f4"), np.zeros((n, n), "f4")))
@program(lambda n: (np.asfortranarray(mat(n, 3)), np.zeros((n, n))))
@program(lambda n: (mat(2 * n, 6)[::2, ::2], np.zeros((n, 2 * n))[:, ::2]))
@program(lambda n: (mat(n, 3), np.zeros((n, n))))
def pairwise(x, out):
    n, d = x.shape
    for i in range(n):
        for j in prange(n):
            s = x.dtype.type(0)
            for k in range(d):
                t = x[i, k] - x[j, k]
                s += t * t
            out[i, j] = np.sqrt(s)


@program(lambda n: (mat(n, 13), np.zeros((n, 13))), ulp=8)
@program(lambda n: (mat(n, 13, "f4"), np.zeros((n, 13), "f4")), ulp=8)
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


@program(lambda n: (np.zeros((4, n)), np.zeros((4, n), bool)))
def ray_marcher(depth, hit):
    h, w = depth.shape
    for y in range(h):
        for x in prange(w):
            dx = (x - w / 2) / 10.0
            dy = (y - h / 2) / 10.0
            dz = 1.0
            norm = math.sqrt(dx * dx + dy * dy + dz * dz)
            dx, dy, dz = dx / norm, dy / norm, dz / norm
            t = 0.0
            found = False
            for step in range(50):
                px, py, pz = t * dx, t * dy, t * dz - 4.0
                sphere = math.sqrt(px * px + py * py + pz * pz) - 1.0
                ground = py + 1.0
                near = min(sphere, ground)
                if near < 1e-3:
                    found = True
                    break
                if t > 20.0:
                    break
                t += near
            depth[y, x] = t
            hit[y, x] = found


@program(lambda n: (abs(mat(6, n)), np.zeros((6, n)), 2, 0.5), ulp=64)
def bilateral(image, out, r, sigma):
    h, w = image.shape
    for y in range(h):
        for x in prange(w):
            total = 0.0
            weight = 0.0
            for v in range(max(0, y - r), min(h, y + r + 1)):
                for u in range(max(0, x - r), min(w, x + r + 1)):
                    d = image[v, u] - image[y, x]
                    k = math.exp(-d * d / sigma)
                    total += k * image[v, u]
                    weight += k
            out[y, x] = total / weight


# --- control flow ---------------------------------------------------------------------------


@program(lambda n: (vec(n), np.zeros(n), np.zeros(n)))
def nested_ifs(x, y, z):
    for i in prange(x.size):
        a = x[i]
        b = 1.0
        if a > 0:
            if a > 1:
                b = a * 2
                y[i] = b
            else:
                b = a + 3
            z[i] += b
        elif a < -1:
            b -= a
            y[i] = -b
        else:
            z[i] = 7.0
        y[i] += b


@program(lambda n: (vec(n, "i8"), np.zeros(n, np.int64)))
def collatz(x, steps):
    for i in prange(x.size):
        n = x[i] + 1
        k = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            k += 1
            if k > 40:
                break
        steps[i] = k


@program(lambda n: (vec(n, "i8"), np.zeros(n, np.int64), np.zeros(n, np.int64)))
def continues(x, y, z):
    for i in prange(x.size):
        if x[i] % 3 == 0:
            continue
        s = 0
        j = 0
        while j < x[i]:
            j += 1
            if j % 4 == 1:
                continue
            if j > 30:
                break
            for k in range(j, 10, 3):
                if (k + i) % 5 == 2:
                    continue
                s += k * i
                if s > 500:
                    break
            s -= 1
        y[i] = s
        z[i] = j


@program(lambda n: (vec(n, "i8"), np.zeros(n)))
def triangular(x, y):
    for i in prange(x.size):
        s = 0.0
        for j in range(i):
            s += x[j] * (j - i)
        for j in range(i, x.size):
            s -= x[j]
        for j in range(x[i] % 7, x[i] % 11):
            s += j
        for j in range(x[i], x[i] - 20, -3):
            s += 2 * j
        y[i] = s


@program(lambda n: (vec(n), np.zeros(n), n))
def uniform_if(x, y, n):
    for i in prange(x.size):
        a = 2.0
        if n > 8:
            a = 3.0
            if x[i] > 0:
                a = 4.0
        k = 0
        while k < 3:
            k += 1
            if n == 9:
                break
            if x[i] > 1 and k == 2:
                a += 10
        y[i] = a * k + x[0]


@program(lambda n: (vec(n), vec(n), np.zeros(n)))
def guarded_neighbours(x, w, y):
    n = x.size
    for i in prange(n):
        s = 0.0
        if i > 0:
            s += x[i - 1] * w[i]
        if i < n - 1:
            s += x[i + 1] * w[n - 1 - i]
        if i * 2 < n:
            s += x[i * 2]
        y[i] = s


@program(lambda n: (vec(n, "i8"), np.zeros(n), vec(100)))
def search(x, y, table):
    for i in prange(x.size):
        lo, hi = 0, table.size
        want = x[i] / 50.0 - 1.0
        while lo < hi:
            mid = (lo + hi) // 2
            if table[mid] < want:
                lo = mid + 1
            else:
                hi = mid
        y[i] = lo


# --- types and memory -------------------------------------------------------------------------

DTYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")


@program(lambda n: tuple(vec(n, d) for d in DTYPES) + (np.zeros(n),))
def mixed(a, b, c, d, e, f, g, h, x, y, out):
    for i in prange(out.size):
        t = a[i] + b[i] * c[i] - d[i]
        u = (e[i] ^ f[i]) | (g[i] & 7)
        if t > u:
            t -= 1
        a[i] = np.int8(t & 63)
        b[i] = np.int16(u)
        c[i] = np.int32(d[i]) << 2
        e[i] += 3
        x[i] = x[i] * np.float32(0.5) + np.float32(a[i])
        out[i] = t * 0.5 + x[i] / (1.0 + abs(y[i])) + (h[i] >> 2)


@program(lambda n: (vec(n), vec(n), np.zeros(n, bool), np.zeros(n, bool)))
def bools(x, y, p, q):
    for i in prange(x.size):
        a = x[i] > 0
        b = y[i] > 0 and not a
        p[i] = a or b
        if p[i]:
            q[i] = b
        q[i] = q[i] ^ a


@program(lambda n: (vec(n) + 1j * vec(n), vec(n) + 2j * vec(n), np.zeros(n)))
@program(lambda n: ((vec(2 * n) + 1j * vec(2 * n))[::2], vec(n) + 2j * vec(n), np.zeros(n)))
@program(lambda n: ((vec(n) + 1j * vec(n)).astype("c8"), (vec(n) + 2j).astype("c8"), np.zeros(n)))
def complexes(a, b, r):
    for i in prange(r.size):
        z = a[i] * b[i] + 1
        if z.real > 0:
            z = z.conjugate() - b[i]
            b[i] = z
        r[i] = (z * z).imag + z.real
        a[i] = -z


@program(lambda n: (vec(n) + 1j * vec(n), np.zeros((4, n), complex)), ulp=16)
def complex_functions(z, out):
    for i in prange(z.size):
        out[0, i] = np.sqrt(z[i]) * np.exp(z[i])
        out[1, i] = z[i] ** (0.5 + 1j) / (z[i] + 2)
        if z[i].real > 0:
            out[2, i] = abs(z[i]) * np.angle(z[i])
        out[3, i] = np.log(z[i]) if z[i] != 0 else 1j


@program(lambda n: (vec(n), np.zeros(n)))
@program(lambda n: (vec(3 * n)[::3], np.zeros(2 * n)[::2]))
@program(lambda n: (vec(n)[::-1], np.zeros(n)[::-1]))
@program(lambda n: (vec(n, "f4"), np.zeros(n, "f4")))
def backwards(x, y):
    n = x.size
    for i in prange(n - 1, -1, -1):
        t = x[i]
        if t > 0:
            t = t * t
        y[i] = t + x[n - 1 - i]


@program(lambda n: (vec(5 * n + 3), np.zeros(5 * n + 3)))
def steps(x, y):
    for i in prange(2, x.size, 5):
        y[i] = x[i] - x[i - 2]
        if y[i] > 0:
            y[i - 1] = 1.0
    for i in prange(x.size - 1, 1, -4):
        x[i] = 2.0 * x[i]


@program(lambda n: (mat(n, 6).reshape(n, 2, 3), np.zeros((2, n, 3))))
@program(lambda n: (np.asfortranarray(mat(n, 6).reshape(n, 2, 3)), np.zeros((2, n, 3))))
@program(lambda n: (mat(6, n).T.reshape(n, 2, 3), np.zeros((3, n, 2)).T))
def three_axes(x, y):
    for i in prange(x.shape[0]):
        for j in range(2):
            s = 0.0
            for k in range(3):
                s = s * 0.5 + x[i, j, k]
                y[j, i, k] = s


@program(lambda n: (vec(n, "i8"), vec(100), np.zeros(n)))
def gathers(index, table, out):
    for i in prange(index.size):
        s = 0.0
        k = index[i]
        for _ in range(3):
            s += table[k] * 0.5
            k = (k * 7 + 1) % 100
        out[i] = s


@program(lambda n: (RNG.permutation(n), vec(n), np.zeros(n)))
def scatters(index, x, out):
    for i in prange(index.size):
        if x[i] > 0:
            out[index[i]] = x[i]
        else:
            out[index[i]] -= 1.0


# --- operations ---------------------------------------------------------------------------------


@program(lambda n: (vec(n), vec(n) + 3, np.zeros((3, n))), ulp=8)
def functions(x, y, out):
    for i in prange(x.size):
        out[0, i] = math.sin(x[i]) * np.cos(y[i]) * math.atan2(x[i], y[i])
        if x[i] > 0:
            out[1, i] = np.exp(x[i]) * np.log(x[i]) / x[i] ** 1.5
        out[2, i] = np.tanh(y[i]) * math.hypot(x[i], y[i])


@program(lambda n: (vec(n), vec(n) + 0.1, np.zeros(n)))
def roundings(x, y, out):
    for i in prange(x.size):
        a = np.floor(x[i]) + np.ceil(y[i]) - np.trunc(x[i]) * np.rint(y[i])
        a += np.copysign(x[i], y[i]) + np.sign(x[i]) + np.fabs(y[i])
        a += np.maximum(x[i], y[i]) - np.minimum(x[i], 0.5) + max(x[i], y[i])
        if np.signbit(x[i]):
            a += np.sqrt(-x[i])
        if np.isnan(a) or np.isinf(y[i]):
            a = 0.0
        out[i] = a + np.floor_divide(x[i], y[i]) + np.mod(x[i], y[i]) + np.fmod(x[i], 0.7)


@program(lambda n: (vec(n, "i8") - 50, vec(n, "i8") + 1, np.zeros(n, np.int64)))
def integers(x, y, out):
    for i in prange(x.size):
        a = x[i] // y[i] + x[i] % y[i]
        a ^= (x[i] << (y[i] % 70)) + (x[i] >> (y[i] % 70))
        a += abs(x[i]) ** 3 + int(np.gcd(x[i], y[i])) + 3 ** (y[i] % 5)
        if x[i] > 0:
            a = ~a
        out[i] = a - x[i] // 8 - x[i] % 16 + (i % 3) * (i // 5) + min(i, a)


@program(lambda n: (vec(n), np.zeros(n, np.int64), np.zeros(n, np.uint8)))
def casts(x, a, b):
    for i in prange(x.size):
        k = int(x[i] * 100)
        a[i] = k
        b[i] = np.uint8(k & 255)
        if np.float32(x[i]) > np.float32(0.3):
            a[i] += np.int16(k) + int(i * 0.5)


@program(lambda n: (vec(n).astype("f2"), np.zeros(n, "f2")))
def halves(x, out):
    for i in prange(x.size):
        s = x[i]
        for _ in range(3):
            s = s * x[i] + np.float16(0.5)
        if s > np.float16(1):
            s = -s
        out[i] = s


# --- what is left after the loop ----------------------------------------------------------------


@program(lambda n: (vec(n, "i8"),))
def reductions(x):
    s = 5
    m = 1000
    q = 0
    for i in prange(x.size):
        t = x[i] * 2
        if t % 3 == 1:
            t = t - i
        s += t
        m = min(m, t)
        q ^= x[i]
    return s, m, q


@program(lambda n: (vec(n),), ulp=64)
def float_sum(x):
    s = 0.0
    for i in prange(x.size):
        t = 1.0
        while t < abs(x[i]):
            t *= 2.0
        s += t
    return s


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("number", range(len(PROGRAMS)), ids=lambda k: PROGRAMS[k][0].__name__)
def test_programs(number, lanes):
    f, make, options = PROGRAMS[number]
    compiled = compile_with(f, lanes)
    for n in SIZES:
        args = make(n)
        mine, theirs = copy_args(args), copy_args(args)
        with np.errstate(all="ignore"):
            want = f(*theirs)
        got = compiled(*mine)
        for w, g in zip((want, *theirs), (got, *mine), strict=True):
            assert same(w, g, options.get("ulp", 0)), f"n = {n}: {w} expected, got {g}"


def test_lanes_are_used():
    """The tests above mean nothing unless loops do run in lanes."""
    call = compile_with(nested_ifs, 8)
    call(vec(9), np.zeros(9), np.zeros(9))
    assert "vectorised across iterations" in call.compiled.explain()


def exp_of(x, out):
    for i in range(x.shape[0]):
        out[i] = np.exp(x[i])


EXP_EDGES = (
    *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 5e-324, -5e-324, 799.0, 801.0, 1e300, -1e300),
    *(709.782712893384, 709.7827128933841, -708.4, -744.0, -745.1332191019411, -745.1332191019412),
)


def has_avx2() -> bool:
    """Else exp is a call."""
    info = Path("/proc/cpuinfo")
    return info.exists() and " avx2 " in info.read_text()


@pytest.mark.skipif(not has_avx2(), reason="exp is computed in place with AVX2 only")
def test_exp_in_place():
    """Alone, at the end of a loop or in a vector: the same bits, as near as NumPy's."""
    x = np.array([*EXP_EDGES, *RNG.uniform(-746, 711, 101), *RNG.standard_normal(101)])
    loop, one = swathe.njit(exp_of), swathe.njit(lambda v: np.exp(v))
    out = np.empty_like(x)
    loop(x, out)
    with np.errstate(all="ignore"):
        want = np.exp(x)
    rough = np.isfinite(x) & (want > 0) & (want < np.inf) & (x != 0)
    np.testing.assert_array_equal(out[~rough], want[~rough])
    np.testing.assert_array_max_ulp(out[rough], want[rough], 1)
    assert float(one(1.0)) == math.e
    np.testing.assert_array_equal([one(v) for v in x], out)
    for n in range(1, 20):
        part = np.empty(n)
        loop(x[len(EXP_EDGES) :][:n], part)
        np.testing.assert_array_equal(part, out[len(EXP_EDGES) :][:n])


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "u8"])
@pytest.mark.parametrize("power", [-1, 0, 1, 2, 63, 64, 65, 200])
def test_powers_of_integers(dtype, power):
    x = RNG.integers(0, 3, 11).astype(dtype)

    def f(x):
        return x**power

    call = compile_with(f, 4, cache=False)
    if power < 0:
        with pytest.raises((ValueError, OverflowError)):  # the latter of unsigned numbers
            call(x)
    else:
        assert same(f(x), call(x), 0)
