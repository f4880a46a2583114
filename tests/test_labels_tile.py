# SPDX-License-Identifier: BSD-3-Clause
"""tile(..) in a schedule: the nest in blocks, the same bits, or a word on why not."""

import numpy as np
import pytest

import swathe
from swathe import label, par, reduce, seq, threads, tile, unroll

rng = np.random.default_rng(5)


def transpose(a, b):
    label("N")
    for i in range(a.shape[0]):
        label("M")
        for j in range(a.shape[1]):
            b[j, i] = a[i, j]


def whole(a, b):
    label("N")
    label("M")
    b[:, :] = a.T * 2 + b


def product(a, b):
    label("N")
    for i in range(b.shape[0]):
        label("M")
        for j in range(b.shape[1]):
            label("K")
            for k in range(a.shape[0]):
                b[i, j] += a[k, i] * a[k, j % 3]


def smooth(a, b):
    label("N")
    for i in range(1, b.shape[1] - 1):
        label("M")
        for j in range(1, b.shape[0] - 1):
            s = a[i - 1, j] + a[i + 1, j] + a[i, j - 1]
            if s > 1:
                b[j, i] = s


SIZES = [(1, 3), (7, 5), (33, 70)]
TILES = [tile(8, 8), tile(3, 100), tile(16, 4, 8), tile(1, 1).unroll(2)]


@pytest.mark.parametrize("f", [transpose, whole, product, smooth])
@pytest.mark.parametrize("shape", SIZES)
def test_same_bits(f, shape):
    a = rng.random(shape)
    start = rng.random(shape[::-1])
    want = start.copy()
    f(a, want)
    g = swathe.njit(f)
    for t in TILES:
        for opts in ({"N": t}, {"N": t.threads(3), "M": unroll(2)}, {"N": t, "M": threads(2)}):
            b = start.copy()
            g(a, b, opts=par(opts))
            assert np.allclose(b, want, rtol=1e-14), opts


def told(f, args, opts):
    g = swathe.njit(f)
    g(*args, opts=opts)
    return str(g.explain())


def test_it_is_done():
    a, b = rng.random((40, 50)), np.zeros((50, 40))
    assert "tiled: in blocks of 8 × 4," in told(transpose, (a, b), par({"N": tile(8, 4)}))
    text = told(transpose, (a, b), par({"N": tile(8, 4, 2)}))
    assert "tiled: in blocks of 8 × 4," in text and "not as deep as the sizes are many" in text
    text = told(whole, (a, b), par({"N": tile(8, 4).threads(2)}))
    assert "tiled: in blocks of 8 × 4," in text and "parallel: in chunks" in text


def recurrence(a):
    label("N")
    for i in range(1, a.shape[0]):
        label("M")
        for j in range(1, a.shape[1] - 1):
            a[i, j] += a[i - 1, j + 1]


def triangle(a):
    label("N")
    for i in range(a.shape[0]):
        label("M")
        for j in range(i):
            a[i, j] = 1


def total(a):
    s = 0.0
    label("N")
    for i in range(a.shape[0]):
        label("M")
        for j in range(a.shape[1]):
            s += a[i, j]
    return s


def fails(a, k):
    label("N")
    for i in range(a.shape[0]):
        label("M")
        for j in range(a.shape[1]):
            a[i, j] = 1 / float(k[i, j])


@pytest.mark.parametrize(
    "f, why",
    [
        (recurrence, "the order of its iterations"),
        (triangle, "depend on an outer one"),
        (total, ""),
    ],
)
def test_it_is_not_done(f, why):
    a = rng.random((20, 20))
    want, got = a.copy(), a.copy()
    r = f(want)
    g = swathe.njit(f)
    assert g(got, opts=par({"N": tile(4, 4)})) == r
    assert np.array_equal(want, got)
    text = str(g.explain())
    assert "tile() has no effect" in text and why in text


def test_one_size_is_no_tile():
    text = told(transpose, (np.ones((9, 9)), np.ones((9, 9))), par({"N": tile(4)}))
    assert "blocks of one loop are in the order of its iterations" in text


def test_what_may_raise_is_not_cut():
    a, k = np.zeros((9, 9)), np.ones((9, 9))
    want = np.where(np.arange(81).reshape(9, 9) < 14, 1.0, 0.0)
    k[1, 5] = k[2, 0] = 0
    g = swathe.njit(fails)
    with pytest.raises(ZeroDivisionError):
        g(a, k, opts=par({"N": tile(4, 4)}))
    assert np.array_equal(a, want)


def test_with_other_parts():
    a = rng.random((30, 20))
    for opts in (
        par({"N": tile(4, 4).reduce()}),
        par({"N": tile(4, 4), "M": reduce()}),
        par({"M": seq()}),
    ):
        b, want = np.zeros((20, 30)), np.zeros((20, 30))
        product(a, want)
        swathe.njit(product)(a, b, opts=opts)
        assert np.allclose(b, want)
