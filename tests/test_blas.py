"""Products that are large enough for BLAS: any strides, shapes, types, and without a BLAS."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import swathe

DTYPES = (np.float32, np.float64, np.complex64, np.complex128)


@swathe.njit(cache=False)
def product(a, b):
    return a @ b


@swathe.njit(cache=False)
def into(a, b, out):
    return np.dot(a, b, out)


@swathe.njit(cache=False)
def square(a):
    return a.T @ a, a @ a.T, a.T @ a[:, 0], a[0] @ a.T


@swathe.njit(cache=False, parallel=True)
def many(a, b):
    out = np.empty((a.shape[0], a.shape[1], b.shape[2]), a.dtype)
    for i in swathe.prange(a.shape[0]):
        out[i] = a[i] @ b[i]
    return out


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: type) -> np.ndarray:
    a = rng.normal(size=shape)
    return (
        (a + 1j * rng.normal(size=shape)).astype(dtype)
        if np.iscomplexobj(dtype())
        else a.astype(dtype)
    )


def views(rng: np.random.Generator, n: int, m: int, dtype: type) -> list[np.ndarray]:
    """One shape in memory of all kinds."""
    wide = np.zeros((n, m), np.dtype([("before", "u1"), ("x", dtype)]))["x"]
    wide[...] = drawn(rng, (n, m), dtype)
    return [
        drawn(rng, (n, m), dtype),
        drawn(rng, (m, n), dtype).T,
        drawn(rng, (n, m), dtype)[::-1, ::-1],
        drawn(rng, (2 * n, m + 3), dtype)[::2, 1 : m + 1],
        drawn(rng, (n, 2 * m), dtype)[:, ::2],
    ]


def near(got: np.ndarray, want: np.ndarray) -> bool:
    rtol = 1e-3 if want.dtype in (np.float32, np.complex64) else 1e-10
    same = got.shape == want.shape and got.dtype == want.dtype
    return same and np.allclose(got, want, rtol=rtol, atol=rtol * 100)


def of_any_strides(dtype: type, *ndim: int):
    """The product, compiled once, for arrays whose strides nobody knows."""
    name = np.dtype(dtype).name
    types = ", ".join(f"{name}[{', '.join(':' * n)}]" for n in ndim)
    return swathe.njit(f"({types})", cache=False)(lambda a, b: a @ b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_strides(dtype: type) -> None:
    both, left, right = (of_any_strides(dtype, *n) for n in ((2, 2), (2, 1), (1, 2)))
    rng = np.random.default_rng(3)
    shapes = [
        (60, 70, 50),
        (1, 300, 400),
        (400, 300, 1),
        (90, 40, 3),
        (1, 900, 1),
        (5, 0, 4),
        (0, 9, 4),
    ]
    for n, k, m in shapes:
        for a, b in zip(views(rng, n, k, dtype), views(rng, k, m, dtype)[::-1]):
            assert near(both(a, b), a @ b), (n, k, m, a.strides, b.strides)
            assert near(left(a, b[:, 0]), a @ b[:, 0]), (n, k, a.strides, b.strides)
            if n:
                assert near(right(a[0], b), a[0] @ b), (k, m, a.strides, b.strides)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_matrix_meets_itself(dtype: type) -> None:
    rng = np.random.default_rng(4)
    for n, m in ((70, 60), (33, 130), (400, 3)):
        for a in views(rng, n, m, dtype)[1:3]:
            want = a.T @ a, a @ a.T, a.T @ a[:, 0], a[0] @ a.T
            assert all(near(g, w) for g, w in zip(square(a), want, strict=True)), a.strides


def test_out_that_is_read_and_mixed_types() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 64, 64))
    want = a @ b
    assert near(into(a, b, a), want) and near(a, want)
    assert near(product(a, b.astype(np.float32)), a @ b.astype(np.float32))
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        product(a, b[:60])


def test_rows_that_are_one() -> None:
    a, b = np.random.default_rng(5).normal(size=(2, 1, 200))
    for x, y in ((np.broadcast_to(a, (80, 200)), b.T), (a, np.broadcast_to(b, (90, 200)).T)):
        assert near(product(x, y), x @ y)


def test_nan_and_infinite_come_through() -> None:
    a = np.zeros((80, 80))
    b = np.full((80, 80), np.inf)
    assert np.isnan(product(a, b)).all()


def test_in_parallel() -> None:
    a, b = np.random.default_rng(6).normal(size=(2, 9, 64, 64))
    assert near(many(a, b), a @ b)


def test_without_a_library() -> None:
    text = (
        "import numpy as np, swathe\n"
        "f = swathe.njit(cache=False)(lambda a, b: (a @ b, a.T @ a, a.T @ b[:, 0]))\n"
        "a = np.random.default_rng(1).normal(size=(2, 70, 70)) + 1j\n"
        "want = a[0] @ a[1], a[0].T @ a[0], a[0].T @ a[1][:, 0]\n"
        "assert all(np.allclose(g, w) for g, w in zip(f(a[0], a[1]), want))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "SWATHE_LAPACK": "own"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
