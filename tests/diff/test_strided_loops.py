"""Loops over elements that are a stride apart, which is known when the program runs."""

from __future__ import annotations

import numpy as np
import pytest

import swathe

SIZES = [0, 1, 2, 3, 7, 8, 9, 15, 17, 33, 64, 65, 131]


def text_of(found: str | dict) -> str:
    return found if isinstance(found, str) else next(iter(found.values()))


def work(a, b):
    c = a * b + a
    s = a[:0].sum() * 0
    for i in range(len(a)):
        s += a[i] * b[i]
    d = np.where(a > b, a, b)
    return c, s, a.sum(), (a * b).sum(), (a - b).sum(), d, a + b, a.copy(), (a > b).sum()


def apart(n: int, stride: int, dtype: type, shift: int) -> np.ndarray:
    x = (np.arange(n * abs(stride) + 1) * 7 + shift) % 23 - (
        9 if np.dtype(dtype).kind != "u" else 0
    )
    return x.astype(dtype)[::stride][:n]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.int16, np.uint8])
def test_same_as_numpy(dtype):
    f = swathe.njit(work)
    for n in SIZES:
        for s, t in ((2, 2), (3, -1), (-2, 5), (1, 4)):
            a, b = apart(n, s, dtype, 0), apart(n, t, dtype, 3)
            with np.errstate(over="ignore"):
                want = work(a, b)
            for x, y in zip(want, f(a, b), strict=True):
                assert np.asarray(x).dtype == np.asarray(y).dtype
                assert np.array_equal(x, y)


def test_nothing_is_staked_on_a_stride_of_one():
    root = swathe.njit(parallel=False)(lambda a: np.sqrt(a))
    total = swathe.njit(parallel=False)(lambda a: a.sum())
    a = np.arange(200.0)[::2]
    assert np.array_equal(root(a), np.sqrt(a)) and total(a) == a.sum()
    for f in root, total:  # the other loop would run one by one
        assert "cmpq\t$1," not in text_of(f.inspect_asm())
    assert "sqrtpd" in text_of(root.inspect_asm())
    assert text_of(total.inspect_asm()).count("addsd") >= 8  # sums side by side, in no vector


def extremes(a):
    along = a.min(axis=1), a.max(axis=1), a.argmin(axis=1), a.argmax(axis=1)
    down = a.min(axis=0), a.argmax(axis=0)
    return along, down, (a.min(), a.max(), a.argmin(), a.argmax(), np.ptp(a))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_a_nan_wins_wherever_it_is(dtype):
    f = swathe.njit(extremes)
    rng = np.random.default_rng(5)
    for n in SIZES[1:]:
        for k in range(4):
            a = rng.integers(-3, 4, (3, n)).astype(dtype)
            if k % 4 == 0:
                a[:] = -0.0
            if k % 2:
                a[rng.integers(3), rng.integers(n)] = np.nan
                a[rng.integers(3), rng.integers(n)] = np.inf
            for x in (a, a[:, ::-1], a[::2]):
                for p, q in zip(extremes(x), f(x), strict=True):
                    for v, w in zip(p, q, strict=True):
                        assert np.array_equal(v, w, equal_nan=True)
