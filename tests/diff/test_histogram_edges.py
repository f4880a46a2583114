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
