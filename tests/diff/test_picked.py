"""Masks, parts and sums of truths at the sizes at which words, vectors and blocks end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import swathe


def agree(got: Any, want: Any) -> None:
    """Hold values against NumPy's, and their dtypes."""
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            agree(g, w)
        return
    x, y = np.asarray(got), np.asarray(want)
    assert x.dtype == y.dtype
    assert np.array_equal(x, y, equal_nan=y.dtype.kind in "fc")


def picked(a: Any, m: Any) -> Any:
    return a[m], a[m].size, np.nonzero(m), np.argwhere(m), np.flatnonzero(m), np.compress(m, a)


@pytest.mark.parametrize("dtype", ["?", "u2", "f4", "i8", "D"])
def test_masks(dtype: str) -> None:
    rng = np.random.default_rng(1)
    pick = swathe.njit(picked)
    for n in (0, 1, 3, 63, 64, 65, 127, 129, 600):
        for share in (0.0, 0.02, 0.5, 0.98, 1.0):
            a, m = (rng.random(2 * n) * 100).astype(dtype), rng.random(2 * n) < share
            if a.dtype.kind == "f":
                a[::3] = np.nan
            for part in (slice(n), slice(None, None, 2), slice(None, None, -2), slice(n, None)):
                agree(pick(a[part], m[part]), picked(a[part], m[part]))


def parts(a: Any, k: Any) -> Any:
    return np.partition(a, k), np.argpartition(a, k)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_parts(dtype: str) -> None:
    rng = np.random.default_rng(2)
    call = swathe.njit(parts)
    floats = dtype[0] == "f"
    for n in (1, 2, 7, 33, 1003, 4099):
        spread = rng.random(n) * 1e4
        for a in (spread, np.floor(spread / 1e3), np.sort(spread), -spread):
            a = (a.astype("i8") if dtype[0] == "u" else a).astype(dtype)
            if floats:
                a[rng.random(n) < 0.1] = np.nan
                a[rng.random(n) < 0.1] = -0.0
            s = np.sort(a)
            for k, step in ((0, 1), (n // 3, -1), (n // 2, 1), (n - 1, 1)):
                p, q = call(a[::step], k)
                assert np.array_equal(np.sort(q), np.arange(n))
                for r in (p, a[::step][q]):
                    assert np.array_equal(r[k], s[k], equal_nan=floats)
                    assert np.array_equal(np.sort(r[:k]), s[:k], equal_nan=floats)
                    assert np.array_equal(np.sort(r), s, equal_nan=floats)


def truths(a: Any) -> Any:
    c = a > 3
    whole = c.sum(), np.count_nonzero(a), np.any(a), np.all(a), np.any(c), np.all(c), a.sum()
    return (
        *whole,
        np.count_nonzero(a, axis=-1),
        np.any(c, axis=-1),
        np.all(a, axis=0),
        a.sum(axis=-1),
    )


@pytest.mark.parametrize(
    ("dtype", "parallel"), [("?", False), ("?", True), ("u1", True), ("i1", False), ("i2", False)]
)
def test_truths(dtype: str, parallel: bool) -> None:
    call = swathe.njit(parallel=parallel)(truths)
    for shape in ((1,), (2047,), (2049,), (70001,), (3, 5), (2, 5000), (3000, 2), (0, 2), (2, 0)):
        for fill in (0, 1, 127, 255, -128, 65535, -32768):
            a = np.full(shape, fill).astype(dtype)
            for at in (None, 0, a.size // 2, -1):
                if at is not None and a.size:
                    a.flat[at] = not a.flat[at]
                agree(call(a), truths(a))
                if a.ndim == 2 and dtype == "u1":
                    agree(call(a.T), truths(a.T))


def moved(a: Any) -> Any:
    r = np.roll(a, -2, 0), np.roll(a, 1, -1), np.repeat(a, 2, 0), np.repeat(a, 3, -1)
    p = np.pad(a, (2, 1), constant_values=(4, 5))
    return *r, p, np.argmin(a, axis=0), np.argmax(a, axis=-1)


def test_moved() -> None:
    rng = np.random.default_rng(3)
    call = swathe.njit(moved)
    for shape in ((5,), (1,), (3, 4), (1, 7), (2, 3, 4)):
        a = np.floor(rng.random(shape) * 5)
        if a.size > 4:
            a.flat[-2] = np.nan
        for b in (a, np.asfortranarray(a)) if a.ndim == 2 else (a,):
            agree(call(b), moved(b))


def test_refused() -> None:
    a = np.arange(6.0).reshape(2, 3)
    for f in (lambda a: np.pad(a, -1), lambda a: np.repeat(a, -1, 1)):
        with pytest.raises(ValueError):
            f(a)
        with pytest.raises(ValueError):
            swathe.njit(f)(a)
