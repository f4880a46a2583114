# SPDX-License-Identifier: BSD-3-Clause
"""np.histogram between edges that are given: infinite ones, equal ones, numbers on an edge, and
widths that no float has the inverse of."""

import numpy as np
import pytest

import swathe

EDGES = (
    (0, 1), (-np.inf, 0, 0.5, np.inf), (0, 0, 0.5, 0.5, 1), (0.5, 0.5), (1e-300, 2e-300, 3e-300),
    (-1e308, 0, 1e308), (0, 1e-5, 0.1, 100.0), (np.inf, np.inf), (-np.inf, -np.inf), (1,),
    (-3, -1, 0, 2, 2, 2, 9), tuple(np.linspace(-2, 2, 41)), (-np.inf, np.inf), (0.1, 0.2, 0.3),
)  # fmt: skip


@swathe.njit
def counted(x, edges, weights):
    return np.histogram(x, edges), np.histogram(x, bins=edges, weights=weights)[0]


@pytest.mark.parametrize("dtype", (np.float64, np.float32, np.int32, np.uint8, np.float16))
def test_given_edges(dtype):
    rng = np.random.default_rng(5)
    for e in map(np.array, EDGES):
        for n in (0, 1, 5, 2000):
            x = (rng.normal(size=n) * rng.choice([1, 3, 100])).astype(np.int64 if n < 9 else float)
            x = np.abs(x).astype(dtype)
            x[: e.size] = np.nan_to_num(e[:n], posinf=7, neginf=3).clip(0, 200).astype(dtype)
            if n > 5 and x.dtype.kind == "f":
                x[-3:] = [np.nan, np.inf, -np.inf]
            weights = rng.integers(0, 9, n)
            (got, edges), weighed = counted(x, e, weights)
            want = np.histogram(x, e)
            assert got.dtype == want[0].dtype and np.array_equal(got, want[0]), (e, n)
            assert np.array_equal(edges, want[1])
            assert np.array_equal(weighed, np.histogram(x, e, weights=weights)[0]), (e, n)


def test_edges_that_fall_are_an_error():
    with pytest.raises(ValueError, match="increase monotonically"):
        counted(np.ones(3), np.array([1.0, 0.0]), np.ones(3, int))


def _counted_off(x, n, low, high):
    return (
        np.histogram(x, n),
        np.histogram(x, n, density=True),
        np.histogram(x, n, range=(low, high)),
        np.histogram(x, n, range=(0.25, high)),
        np.histogram(x[:0], n),
        np.histogram(x[:1], n),
        np.histogram_bin_edges(x, n),
    )


@pytest.mark.parametrize(
    ("dtype", "bounds"),
    (
        (np.float32, (np.float32, np.int64, float)),
        (np.float16, (np.float32,)),
        (np.int16, (np.float32,)),
    ),
)
def test_even_edges_have_the_precision_of_their_bounds(dtype, bounds):
    rng = np.random.default_rng(3)
    x = (rng.random(300) * 90).astype(dtype)
    f = swathe.njit(_counted_off)
    for bound in bounds:
        for n in (1, 7, 50):
            args = x, n, bound(np.float32(3.3)), bound(70)
            for (got, edges), (want, at) in zip(f(*args)[:6], _counted_off(*args)[:6], strict=True):
                assert (got.dtype, edges.dtype) == (want.dtype, at.dtype)
                assert np.array_equal(got, want) and np.array_equal(edges, at)
            assert np.array_equal(f(*args)[6], _counted_off(*args)[6])
