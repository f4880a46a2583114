# SPDX-License-Identifier: BSD-3-Clause
"""Sums of products of bytes that fit whatever they are, or where a factor is not too large."""

from __future__ import annotations

import numpy as np
import pytest

import swathe


def alpha(a, b, o, k):
    for i in range(len(a)):
        t = int(a[i, 3])
        for c in range(3):
            o[i, c] = (int(a[i, c]) * t + int(b[i, c]) * (255 - t)) // 255
        o[i, 3] = 255


def lerp(x, y, t, one):
    return (int(x) * t + int(y) * (one - t)) // one


def helper(a, b, o, k):
    for i in range(len(a)):
        for c in range(4):
            o[i, c] = lerp(a[i, c], b[i, c], int(a[i, 3]), 255)


def one_more(a, b, o, k):
    """256 - t may be 256, so that not all fit."""
    for i in range(len(a)):
        t = int(a[i, 3])
        for c in range(4):
            o[i, c] = (int(a[i, c]) * t + int(b[i, c]) * (256 - t)) // 255


def factor(a, b, o, k):
    for i in range(len(a)):
        o[i, 0] = (int(a[i, 0]) * k + int(b[i, 1]) * (256 - k)) >> 8


def rows(a, b, o, k):
    for i in range(o.shape[1]):
        o[1, i] = (int(a[0, i]) * k + int(b[1, i]) * (256 - k) + 128) >> 8


def gain(a, b, o, k):
    for i in range(o.shape[1]):
        o[0, i] = int(a[0, i]) * k // 16 - 3


def bilinear(a, b, o, k):
    for i in range(o.shape[1]):
        u, v = int(b[0, i]), int(b[1, i])
        top = int(a[0, i]) * (256 - u) + int(a[1, i]) * u
        low = int(a[2, i]) * (256 - u) + int(a[3, i]) * u
        o[0, i] = (top * (256 - v) + low * v) >> 16


KERNELS = [alpha, helper, one_more, factor, rows, gain, bilinear]
COMPILED = {f.__name__: swathe.njit(cache=False)(f) for f in KERNELS}
lerp = swathe.njit(lerp)
FACTORS = [0, 1, 16, 100, 256, 257, -1, 2**20, -(2**40)]
WRAPPING = [2**55, 2**56, 2**62, -(2**63), 2**63 - 1, -(2**56) + 3]


def outcome(f, args):
    try:
        f(*args)
    except OverflowError as e:
        return str(e)
    return None


@pytest.mark.parametrize("name", sorted(COMPILED))
@pytest.mark.parametrize("ends", [False, True])
def test_as_python(name, ends):
    rng = np.random.default_rng(len(name))
    python = {f.__name__: f for f in KERNELS}[name]
    for n in (0, 1, 5, 64, 300):
        for k in FACTORS if name in ("factor", "rows", "gain") else [0]:
            shape = (4, n) if name in ("rows", "gain", "bilinear") else (n, 4)
            draw = rng.choice([0, 1, 254, 255], shape) if ends else rng.integers(0, 256, shape)
            a, b, o = (
                draw.astype(np.uint8),
                rng.permuted(draw).astype(np.uint8),
                np.zeros(shape, np.uint8),
            )
            for shared in (False, True):
                mine = [a.copy(), b.copy(), o.copy()]
                theirs = [a.copy(), b.copy(), o.copy()]
                if shared:
                    mine[2], theirs[2] = mine[0], theirs[0]
                want = outcome(python, (*theirs, k))
                got = outcome(COMPILED[name], (*mine, k))
                assert (want is None) == (got is None), (want, got)
                for x, y in zip(mine, theirs):
                    assert np.array_equal(x, y)


@pytest.mark.parametrize("k", WRAPPING)
@pytest.mark.parametrize("n", [5, 300])
def test_products_that_wrap(k, n):
    """As everywhere, ints have 64 bits; what then is no byte is an error."""
    a = (np.arange(4 * n) % 7).astype(np.uint8).reshape(n, 4)
    o = np.zeros_like(a)
    with np.errstate(over="ignore"):
        want = (a[:, 0] * np.int64(k) + a[:, 1] * (np.int64(256) - np.int64(k))) >> 8
    if ((want >= 0) & (want <= 255)).all():
        COMPILED["factor"](a, a, o, k)
        assert np.array_equal(o[:, 0], want)
    else:
        with pytest.raises(OverflowError):
            COMPILED["factor"](a, a, o, k)
    a[:] = 8  # of 8 * k + 8 * (256 - k) nothing is left of k, and 8 fits
    COMPILED["factor"](a, a, o, k)
    assert (o[:, 0] == 8).all()
