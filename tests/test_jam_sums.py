"""Nests of sums, whose rows run together: results, whatever the order of the loops, and what stays
as it was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import swathe


def three(a, b, c):
    """Three nests with unlike orders of their loops."""
    n, m, r = c.shape[0], c.shape[1], a.shape[1]
    for i in range(n):
        for j in range(m):
            for k in range(r):
                c[i, j] += a[i, k] * b[k, j]
    for j in range(m):
        for k in range(r):
            for i in range(n):
                c[i, j] = c[i, j] * c.dtype.type(0.5) - a[i, k] + b[k, j]
    for k in range(r - 1, -1, -1):
        for i in range(n):
            for j in range(m):
                c[i, j] += a[i, k] * b[k, j]


def inner(a, b, c):
    """A scalar that sums, starts from the old element, and is changed before it is stored."""
    for i in range(1, c.shape[0]):
        row = a[i, 0]
        for j in range(2, c.shape[1]):
            s = c[i, j] - row
            for k in range(a.shape[1]):
                d = a[i, k] - b[k, j]
                s += d * d
            c[i, j] = s * 2


def triangles(a, b, c):
    """As many columns as the row says, from a row on that has some; falling; and read across."""
    n = min(c.shape[0], c.shape[1], b.shape[1])
    for i in range(n):
        for k in range(a.shape[1]):
            for j in range(i - 1):
                c[i, j] += a[i, k] * b[k, j]
    for i in range(n):
        for j in range(n - i):
            s = c[i, j]
            for k in range(a.shape[1]):
                s += a[i, k] * a[j, k]
            c[i, j] = s


def product(x, y, out, at):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            out[at, i, j] = 0
            for k in range(x.shape[1]):
                out[at, i, j] += x[i, k] * y[j, k]


def in_a_helper(a, b, c):
    """Many small products, rows by rows; those that are read may be what is written."""
    out = np.zeros((3, a.shape[0], a.shape[0]), c.dtype)
    for at in range(3):
        product(a[at:], a[: a.shape[0] - at], out[:, : a.shape[0] - at], at)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            if i < out.shape[1] and j < out.shape[2]:
                c[i, j] += out[0, i, j] - out[1, i, j] + out[2, i, j]


def leaves(a, b, c):
    """Nests that end early, read what they write, or sum what is used behind them."""
    s = c[0, 0] if c.size else c.dtype.type(0)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                if a[i, k] > b[k, j] + 7:
                    break
                c[i, j] += a[i, k] * b[k, j]
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(min(c.shape)):
                c[i, j] += a[i, 0] - c[k, j]
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = c[i, j] * 0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return s


SIZES = [(n, m, r) for n in (0, 1, 4, 7) for m in (1, 8, 17) for r in (0, 2)]
VIEWS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: x,
    "backwards": lambda x: x[::-1, ::-1],
    "across": lambda x: np.asfortranarray(x),
}


def drawn(n: int, m: int, r: int, dtype: Any) -> list[Any]:
    rng = np.random.default_rng(100 * n + 10 * m + r)
    shapes = [(n, max(r, 1)), (max(r, 1), m), (n, m)]
    return [
        np.asarray(rng.integers(-4, 9, s) / (3 if dtype != np.int32 else 1), dtype) for s in shapes
    ]


@pytest.mark.parametrize(
    "f, rows, dtypes",
    [
        (three, 3, (np.float64, np.float32)),
        (inner, 1, (np.float64, np.int32)),
        (triangles, 2, (np.float64, np.float32)),
        (in_a_helper, 1, (np.float64,)),
        (leaves, 0, (np.float64,)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_sums_of_rows_together(f, rows, dtypes):
    compiled = swathe.njit(cache=False)(f)
    for dtype in dtypes:
        for view in (
            VIEWS.values() if dtype == np.float64 and f in (three, triangles) else [VIEWS["plain"]]
        ):
            for n, m, r in SIZES:
                ours, theirs = ([view(x) for x in drawn(n, m, r, dtype)] for _ in range(2))
                want, got = f(*theirs), compiled(*ours)
                np.testing.assert_array_equal(np.float64(got or 0), np.float64(want or 0))
                for x, y in zip(ours, theirs, strict=True):
                    np.testing.assert_array_equal(x, y)
    assert str(compiled.explain()).count("rows run together") >= rows


def test_operands_that_share_memory_with_the_sums():
    compiled = swathe.njit(cache=False)(three)
    for shift in (0, 1, 24, 24 * 5, 24 * 23, 24 * 24):
        ours, theirs = np.linspace(0, 1, 1200), np.linspace(0, 1, 1200)
        for f, x in ((compiled, ours), (three, theirs)):
            a = x[: 24 * 24].reshape(24, 24)
            f(a, a.T.copy(), x[shift : shift + 24 * 24].reshape(24, 24))
        np.testing.assert_array_equal(ours, theirs)


def small_products(a, b, c):
    for q in range(c.shape[0]):
        for i in range(8):
            for j in range(8):
                for k in range(8):
                    c[q, i, j] += a[q, i, k] * b[q, k, j]


@pytest.mark.parametrize("parallel", [False, True])
def test_products_too_small_for_blocks(parallel):
    compiled = swathe.njit(small_products, parallel=parallel)
    for n in (0, 1, 7, 100):
        rng = np.random.default_rng(n)
        a, b, want = (rng.normal(size=(n, 8, 8)) for _ in range(3))
        got = want.copy()
        small_products(a, b, want)
        compiled(a, b, got)
        np.testing.assert_array_equal(got, want)
    assert "rows run together" in str(compiled.explain())
