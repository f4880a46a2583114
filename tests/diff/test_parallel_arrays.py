# SPDX-License-Identifier: BSD-3-Clause
"""Array programs under parallel=True: reductions along the first axis over short and long
rows, rows and columns broadcast, statements that are merged, errors. See parallel.py."""

from __future__ import annotations

import numpy as np
import pytest
from harness import ORACLE
from parallel import check, numbers

import swathe

pytestmark = pytest.mark.skipif(ORACLE, reason="compares compiled code with itself")

SHAPES = ((0, 3), (1, 7), (3, 0), (3, 20_000), (300, 300), (5000, 3), (40, 17_000))


def values(shape, dtype="f8"):
    """Above zero: what cancels is far from itself in another order."""
    return (numbers(shape, 1) + 2).astype(dtype)


def sums(x):
    return x.sum(0), (x * 2 + x).sum(0), (x > 1).sum(0), (x > 9).astype(np.int64).prod(0)


def limits(x):
    return x.min(0), x.max(0), (x > 1.5).any(0), (x > 1.1).all(axis=0, keepdims=True)


def ptp(x):
    return (x - x.min(1)[:, None]).max(0)


def centred(x):
    y = x - x.mean(0)
    return y + 10, y / (x.std(0) + 1) + 10


def centred_kept(x):
    return (x - x.mean(axis=0, keepdims=True)) / (1 + x.std(axis=0, keepdims=True)) + 10


def columns(x):
    return (x - x.mean(axis=1, keepdims=True)) / (1 + x.std(axis=1, keepdims=True)) + 10


def softmax(x):
    e = np.exp(0.01 * (x - x.max(axis=1, keepdims=True)))
    return e / e.sum(axis=1, keepdims=True)


def outer(x):
    a = x.sum(axis=1, keepdims=True)
    b = x.sum(axis=0, keepdims=True)
    return a * b, a + x, b + x


def relax(x):
    out = np.zeros_like(x)
    t = x * 2
    u = np.where(t > 0, t, x)
    out[:] = u + t
    x[:] = out + u
    return t.sum()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("f", [sums, limits], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_first_axis(f, dtype, shape):
    x = values(shape, dtype)
    if f is limits and not x.size:
        x = np.ones((2, 3), dtype)
    check(f, x, close=True)
    check(f, np.asfortranarray(x), close=True)
    check(f, x[:, ::-2], close=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(
    "f",
    [ptp, centred, centred_kept, columns, softmax, outer, relax],
    ids=lambda f: f.__name__,
)
def test_programs(f, shape):
    x = values(shape)
    if f in (ptp, softmax) and not x.size:
        x = np.ones((1, 1))
    check(f, x, close=True)
    check(f, np.asfortranarray(x), close=True)
    check(f, x.astype("f4")[::-1], close=True)


def chain(a, b, c, out):
    t = a * b
    u = np.sqrt(np.abs(t)) + c
    v = np.where(u > a, u - a, t)
    out[:] = v * u
    c += v


N = 100_003
A, B, C = (numbers(N, k) + k for k in range(3))


@pytest.mark.parametrize(
    "args",
    {
        "apart": (A, B, C, np.zeros(N)),
        "one": (A, A[:1], C, np.zeros(N)),
        "strided": (A[::2], B[::2], C[::-2], np.zeros(N)[::2]),
        "short": (A, B[:-1], C, np.zeros(N)),
        "into": (A, B, C, np.zeros(N - 1)),
        "empty": (A[:0], B[:0], C[:0], np.zeros(0)),
    }.items(),
    ids=lambda a: a[0],
)
def test_chain(args):
    check(chain, *args[1], close=True)


def onto(x, n):
    """The result is written over operands: all of them, or shifted by n."""
    work = np.ones(x.size + n)
    work[: x.size] = x
    a = work[: x.size]
    b = work[n:]
    t = a * 2
    u = t + b
    b[:] = u - t * a
    return work


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_onto(n):
    check(onto, A, n)


def planes(x, s):
    for i in swathe.prange(x.shape[0]):
        s += x[i]


def planes_and_more(x, s):
    for i in swathe.prange(x.shape[0]):
        s += x[i] * 2
        s += x[i, ::-1]


def planes_multiplied(x, s):
    for i in swathe.prange(x.shape[0]):
        s *= 1 + x[i] * 1e-3


@pytest.mark.parametrize("f", [planes, planes_and_more, planes_multiplied])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2"])
def test_planes(f, dtype):
    """Arrays of more than one axis are combined, too: each chunk has one of its own."""
    if f is planes_multiplied and dtype[0] == "i":
        pytest.skip("NumPy refuses it")
    for shape in ((1000, 3, 5), (0, 2, 2), (70, 40, 40), (50, 2, 3, 4)):
        x, s = values(shape, dtype), np.ones(shape[1:], dtype)
        check(f, x, s, close=True)
        check(f, x, s.T.copy().T, close=True)
        check(f, x[:, :, ::2], s[:, ::2].copy(), close=True)
    check(f, values((100, 1, 5), dtype), np.ones((4, 5), dtype), close=True)
    check(f, values((100, 4, 1), dtype), np.ones((4, 5), dtype), close=True)


def test_planes_are_a_reduction():
    f = swathe.njit(parallel=True)(planes)
    f(values((9, 3, 4)), np.zeros((3, 4)))
    assert "partial results combined: s" in f.explain()
