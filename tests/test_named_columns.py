# SPDX-License-Identifier: BSD-3-Clause
"""Columns and rows that have a name, or come from a function: what is known of their axes of one
element leaves a loop in vector lanes, and sizes of 0 and 1 are as NumPy's."""

import numpy as np
import pytest

import swathe


def column(a):
    return a[:, None]


def named(x, y):
    c = x[:, None]
    return c / y


def from_function(x, y):
    return column(x) - y * 2


def both(x, y):
    c, r = x[:, None], y[None, :]
    return c * r + c - r


def sparse_grid(x, y):
    c, r = np.meshgrid(x, y, indexing="ij", sparse=True)
    return np.hypot(c, r)


def centred(x, y):
    m = np.outer(x, y)
    mean = m.mean(axis=1, keepdims=True)
    low, high = m.min(axis=0, keepdims=True), m.max(axis=0, keepdims=True)
    return (m - mean) / (high - low + 1)


def reshaped(x, y):
    c = x.reshape(-1, 1)
    d = c - y
    return np.exp(-(d**2)), d.sum(axis=1), (c < y).any(axis=0)


def outer(x, y):
    return np.divide.outer(x, y), np.subtract.outer(x, y[:, None]), np.power.outer(x, 2.0)


def either(x, y):
    c = x[:, None] if x.size > 2 else x[:1, None]
    return c + y


def in_place(x, y):
    m = np.zeros((x.size, y.size))
    c = x[:, None]
    m += c
    m[1:] *= c[1:]
    m -= y
    return m


PROGRAMS = (named, from_function, both, sparse_grid, reshaped, outer, either, in_place)


@pytest.mark.parametrize("f", (*PROGRAMS, centred), ids=lambda f: f.__name__)
def test_values(f):
    compiled = swathe.njit(f)
    rng = np.random.default_rng(3)
    for n in (3, 1, 0, 2, 17, 40):
        for m in (4, 1, 0, 2, 33):
            x, y = rng.random(n) + 0.5, rng.random(m) + 0.5
            if f is centred and 0 in (n, m):
                continue
            want, got = f(x, y), compiled(x, y)
            want, got = (v if isinstance(v, tuple) else (v,) for v in (want, got))
            for p, q in zip(want, got, strict=True):
                np.testing.assert_allclose(q, p, rtol=1e-12, atol=1e-13)
                assert q.shape == p.shape
    strided = rng.random(60)[::3], rng.random(60)[::-2]
    want, got = f(*strided), compiled(*strided)
    for p, q in zip(*(v if isinstance(v, tuple) else (v,) for v in (want, got)), strict=True):
        np.testing.assert_allclose(q, p, rtol=1e-12, atol=1e-13)
