# SPDX-License-Identifier: BSD-3-Clause
"""More probes of contact.py: NVIDIA's libraries, and our own kernels in their places."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from contact import PROBES, STANDIN, fact, not_here, probe, queue

import swathe
from swathe import errors, vendor
from swathe.vendor import blas, fft, random, solver, sorting, sparse

__all__ = ["PROBES"]

rng = np.random.default_rng(11)
DTYPES = (np.float32, np.float64, np.complex64, np.complex128)


def drawn(shape: Any, dtype: Any) -> np.ndarray:
    """Random numbers of a dtype."""
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else a).astype(dtype)


def near(got: Any, want: Any, what: str) -> None:
    """Fail where they differ by more than rounding."""
    got = got.copy_to_host() if hasattr(got, "copy_to_host") else np.asarray(got)
    want = np.asarray(want)
    single = want.dtype in (np.float32, np.complex64)
    scale = max(1.0, float(np.abs(want).max(initial=0)))
    off = float(np.abs(got - want).max(initial=0)) / scale
    assert got.shape == want.shape and off < (2e-3 if single else 1e-9), (
        f"{what}: off by {off}, shapes {got.shape} and {want.shape}"
    )


def needs(name: str) -> None:
    """End where there is no such library."""
    found = vendor.found()
    fact(libraries=found)
    if name not in found:
        not_here(name)


def products() -> None:
    """Products that cuBLAS and our own kernel do."""
    q = queue()
    for dtype in DTYPES:
        for m, k, n in ((1, 1, 1), (17, 33, 65), (200, 100, 150)):
            a, b = drawn((m, k), dtype), drawn((k, n), dtype)
            near(q.to_device(a) @ q.to_device(b), a @ b, f"{m} x {k} x {n}")
            fortran = q.to_device(np.asfortranarray(a)) @ q.to_device(np.asfortranarray(b))
            near(fortran, a @ b, "in Fortran's order")
        a, b = drawn((5, 20, 30), dtype), drawn((5, 30, 10), dtype)
        near(q.to_device(a) @ q.to_device(b), a @ b, "a batch")
        x, y = drawn(5000, dtype), drawn(5000, dtype)
        dx, dy = q.to_device(x), q.to_device(y)
        near(blas.dotc(dx, dy), np.vdot(x, y), "dotc")
        blas.axpy(2.0, dx, dy)
        near(dy, y + 2 * x, "axpy")
        near(dx[::-3] @ dy[::-3], x[::-3] @ (y + 2 * x)[::-3], "steps backwards")


@probe
def cublas() -> None:
    """Products, vectors, and triangles."""
    needs("cublas")
    products()
    q = queue()
    for dtype in DTYPES:
        x = drawn(1000, dtype)
        near(blas.nrm2(q.to_device(x)), np.linalg.norm(x), "nrm2")
        size = abs(x.real) + abs(x.imag)
        assert blas.iamax(q.to_device(x)) == size.argmax()
        a = np.asfortranarray(np.tril(drawn((40, 40), dtype)) + 20 * np.eye(40, dtype=dtype))
        b = np.asfortranarray(drawn((40, 3), dtype))
        d = q.to_device(b)
        blas.routine("trsm", "L", "L", "N", "N", 40, 3, 1.0, q.to_device(a), d)
        near(a @ d.copy_to_host(), b, "trsm")


def transforms() -> None:
    """Transforms that cuFFT and our own kernels do."""
    q = queue()
    for dtype in (np.complex64, np.complex128):
        for n in (1, 2, 30, 64, 97, 1000, 1024):
            a = drawn((3, n), dtype)
            near(fft.fft(q.to_device(a)), np.fft.fft(a), f"of {n}")
            near(fft.ifft(q.to_device(a)), np.fft.ifft(a), f"back of {n}")
            near(fft.rfft(q.to_device(a.real.copy())), np.fft.rfft(a.real), f"real, of {n}")
        for shape in ((8, 12), (6, 10, 15)):
            a = drawn(shape, dtype)
            near(fft.fftn(q.to_device(a)), np.fft.fftn(a), f"{shape}")
            near(fft.irfftn(q.to_device(a)), np.fft.irfftn(a), f"{shape} to real numbers")


@probe
def cufft() -> None:
    """Transforms of one to three axes, of all types."""
    needs("cufft")
    transforms()


def numbers() -> None:
    """Random numbers of each distribution have its mean and variance."""
    q = queue()
    n = 1 << 16 if STANDIN else 1 << 20
    for dtype in (np.float32, np.float64):
        g = random.Generator(3)
        u = g.uniform(q.empty(n, dtype)).copy_to_host().astype(float)
        assert u.min() > 0 and u.max() <= 1 and abs(u.mean() - 0.5) < 0.01, u.mean()
        x = g.normal(q.empty(n - 1, dtype), 2.0, 3.0).copy_to_host().astype(float)
        assert abs(x.mean() - 2) < 0.07 and abs(x.std() - 3) < 0.07, (x.mean(), x.std())
        e = np.log(g.lognormal(q.empty(n, dtype), 0.5, 0.25).copy_to_host().astype(float))
        assert abs(e.mean() - 0.5) < 0.01 and abs(e.std() - 0.25) < 0.01, (e.mean(), e.std())
    for lam in (0.5, 40.0, 200.0):
        p = g.poisson(q.empty(n, np.uint32), lam).copy_to_host().astype(float)
        assert abs(p.mean() / lam - 1) < 0.03 and abs(p.var() / lam - 1) < 0.06, (lam, p.mean())
    first = random.Generator(7).uniform(q.empty(100)).copy_to_host()
    again = random.Generator(7).uniform(q.empty(100)).copy_to_host()
    assert (first == again).all(), "a seed gives other numbers the second time"


@probe
def curand() -> None:
    """Pseudo- and quasi-random numbers."""
    needs("curand")
    numbers()
    q = queue()
    for kind in random.KINDS:
        if "sobol" in kind:
            dtype = np.uint64 if kind.endswith("64") else np.uint32
            bits = random.Generator(kind=kind, dimensions=3).bits(q.empty(3 * 1024, dtype))
            parts = bits.copy_to_host().reshape(3, 1024) / 2.0 ** (8 * np.dtype(dtype).itemsize)
            assert (abs(parts.mean(1) - 0.5) < 0.05).all(), (kind, parts.mean(1))
        elif kind not in ("test", "quasi"):
            u = random.Generator(1, kind).uniform(q.empty(10000)).copy_to_host()
            assert abs(u.mean() - 0.5) < 0.02, (kind, u.mean())


def rows(n: int, m: int, dtype: Any) -> np.ndarray:
    """A dense matrix of which three in ten elements are not 0."""
    return drawn((n, m), dtype) * (rng.random((n, m)) < 0.3)


@probe
def cusparse() -> None:
    """Products of sparse matrices, and triangular systems."""
    needs("cusparse")
    q = queue()
    for dtype in DTYPES:
        a, b = rows(50, 70, dtype), rows(70, 40, dtype)
        one, other = sparse.to_device(a, q), sparse.to_device(b, q)
        x, y = drawn(70, dtype), drawn((70, 6), dtype)
        near(one @ q.to_device(x), a @ x, "a vector")
        near(one @ q.to_device(y), a @ y, "a matrix")
        near((one @ other).to_host().toarray(), a @ b, "two sparse ones")
        t = np.tril(rows(30, 30, dtype)) + 9 * np.eye(30, dtype=dtype)
        v = drawn(30, dtype)
        for turned in (False, True):
            d = sparse.to_device(t, q).solve_triangular(q.to_device(v), True, False, turned)
            near((t.T if turned else t) @ d.copy_to_host(), v, "a triangle")


@probe
def cusolver() -> None:
    """Systems of equations and factors."""
    needs("cusolver")
    q = queue()
    for dtype in DTYPES:
        a = drawn((40, 40), dtype) + 20 * np.eye(40, dtype=dtype)
        b = drawn((40, 3), dtype)
        d = q.to_device(a)
        near(a @ solver.solve(d, q.to_device(b)).copy_to_host(), b, "solve")
        h = a @ a.conj().T
        near(solver.cholesky(q.to_device(h)), np.linalg.cholesky(h), "cholesky")
        for shape in ((40, 25), (25, 40)):
            c = drawn(shape, dtype)
            f, r = solver.qr(q.to_device(c))
            near(f.copy_to_host() @ r.copy_to_host(), c, "qr")
            u, s, vh = (x.copy_to_host() for x in solver.svd(q.to_device(c)))
            near((u * s) @ vh, c, "svd")
        w, v = (x.copy_to_host() for x in solver.eigh(q.to_device(h)))
        near(h @ v, v * w, "eigh")
    try:
        solver.solve(q.zeros((3, 3)), q.zeros(3))
    except np.linalg.LinAlgError:
        return
    raise AssertionError("a singular matrix is solved")


@probe
def lazy_arrays() -> None:
    """Graphs of lazy arrays: fused, reduced, cut at library calls, handed to others and back."""
    from swathe import xp

    q = queue()
    n = 1000 if STANDIN else 1_000_000
    for dtype in (np.float32, np.float64):
        x, y = drawn((n // 100, 100), dtype), drawn(100, dtype)
        a, b = swathe.lazy(q.to_device(x)), swathe.lazy(q.to_device(y))
        near(((a * 2.0 + b) * a - 1.0).compute(), (x * 2 + y) * x - 1, "a chain")
        e = xp.exp(a - xp.max(a, axis=1, keepdims=True))
        want = np.exp(x - x.max(1, keepdims=True))
        want /= want.sum(1, keepdims=True)
        near((e / xp.sum(e, axis=1, keepdims=True)).compute(), want, "softmax")
        near(xp.sum(a * a).compute() / dtype(n), (x * x).sum() / dtype(n), "a sum of all")
        near((xp.sum(a, axis=0) / n).compute(), x.sum(0) / dtype(n), "sums of columns")
        near((a @ xp.reshape(b, (100, 1)) + 1.0).compute(), x @ y[:, None] + 1, "a product")
        near(xp.sort(b).compute(), np.sort(y), "sort")
        near(xp.fft.rfft(b).compute(), np.fft.rfft(y), "a transform")
        near(xp.cumulative_sum(b).compute(), np.cumsum(y), "cumulative sums")
        c = a + 0.0
        c[2:5, ::3] = 7.0
        x[2:5, ::3] = 7
        near(c.compute(), x, "an assignment to a view")
        near(xp.from_dlpack(c, device=q).compute(), x, "DLPack")


@probe
def own_kernels() -> None:
    """What serves where no library is: products, transforms, random numbers, sorts."""
    os.environ["SWATHE_CUDA_LIBS"] = "own"
    assert vendor.found() == {}
    products()
    transforms()
    numbers()
    q = queue()
    for dtype in (np.float32, np.float64, np.int32, np.uint64):
        for n in (1, 1000, 3000 if STANDIN else 300_001):
            x = abs(rng.standard_normal(n) * 1e4).astype(dtype)
            near(sorting.sort(q.to_device(x)), np.sort(x), f"sort of {n} {dtype.__name__}")
        at = sorting.argsort(q.to_device(x)).copy_to_host()
        assert (at == np.argsort(x, kind="stable")).all(), "argsort"
    a, x = rows(50, 70, np.float64), drawn(70, np.float64)
    near(sparse.to_device(a, q) @ q.to_device(x), a @ x, "a sparse matrix")
    try:
        solver.inv(q.to_device(np.eye(3)))
    except errors.NoLibraryError as e:
        fact(told=str(e))
