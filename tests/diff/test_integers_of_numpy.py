# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's integers as arguments that are counts, sizes and axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import swathe

A = np.arange(24.0).reshape(2, 3, 4) / 7
V = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
KINDS = (np.int64, np.int32, np.uint8, np.int8, np.uint32)

WAYS = [
    lambda k: np.histogram(V, k, (0.0, 6.0)),
    lambda k: np.histogram_bin_edges(V, k),
    lambda k: np.histogram2d(V, V, k),
    lambda k: np.sum(A, k),
    lambda k: A.mean(axis=k),
    lambda k: np.sort(A, k),
    lambda k: np.roll(A, k, axis=k),
    lambda k: np.diff(A, n=k, axis=k),
    lambda k: np.gradient(A, axis=k),
    lambda k: np.take(A, k, axis=k),
    lambda k: np.delete(A, k, axis=k),
    lambda k: np.rollaxis(A, k),
    lambda k: np.average(A, axis=k, weights=A),
    lambda k: np.var(A, axis=k, ddof=k),
    lambda k: np.median(A, axis=k),
    lambda k: np.fft.rfft(V, n=k),
    lambda k: np.fft.fft(A, axis=k),
    lambda k: np.polyint(V, k),
    lambda k: np.polyder(V, k),
    lambda k: np.eye(k),
    lambda k: np.full((k, k), 2.0),
    lambda k: np.repeat(V, k),
    lambda k: np.linalg.matrix_power(A[0, :, :3], k),
]


def same(a: Any, b: Any) -> None:
    if isinstance(a, tuple):
        for x, y in zip(a, b, strict=True):
            same(x, y)
        return
    assert a.dtype == b.dtype and a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("way", WAYS)
def test_kinds(way):
    f = swathe.jit(way)
    for kind in KINDS:
        same(way(kind(2)), f(kind(2)))


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_one_kind_are_told_apart(kind):
    f = swathe.jit(lambda k: np.sum(A, axis=k))
    for k in (0, 1, 2, 1):
        same(np.sum(A, axis=k), f(kind(k)))
        same(np.sum(A, axis=k), f(k))
    with pytest.raises(np.exceptions.AxisError):
        f(kind(3))


def test_a_window_of_a_byte():
    """NumPy computes 1 - M in the dtype of M, where it wraps."""
    for way in (np.hanning, np.hamming, np.blackman, np.bartlett):
        same(way(7), swathe.jit(lambda m, way=way: way(m))(np.uint8(7)))
    same(np.fft.fftfreq(7), swathe.jit(lambda n: np.fft.fftfreq(n))(np.uint8(7)))
