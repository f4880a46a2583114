# SPDX-License-Identifier: BSD-3-Clause
"""prim.scan beside NumPy: lengths about those of groups, pieces and blocks, and every way in which
rows, columns and threads share the work."""

import operator

import numpy as np
import pytest

import swathe
from swathe import prim
from swathe._prim_order import PIECE
from swathe._prim_scan import BLOCK, COLUMNS, ROWS, STRIP

LENGTHS = (0, 1, 2, 7, 8, 9, 15, 16, 17, 33, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 9)
LONG = 16 * BLOCK + PIECE + 3
OPERATORS = {"add": np.add, "multiply": np.multiply, "maximum": max, "minimum": min}
RNG = np.random.default_rng(7)


def composed(a, b):
    """Of affine maps modulo 7, as numbers 7 * slope + offset: associative, doesn't commute."""
    return (a // 7) * (b // 7) % 7 * 7 + (b // 7 * (a % 7) + b % 7) % 7


def one_by_one(op, x, first, inclusive):
    out, acc = np.empty(len(x), np.int64), first
    for i in range(len(x)):
        before, acc = acc, op(acc, int(x[i]))
        out[i] = acc if inclusive else before
    return out


def drawn(dtype, n):
    if dtype.kind in "iu":
        return RNG.integers(0, 100, n).astype(dtype)
    x = (RNG.standard_normal(n) * 0.01 + 1).astype(dtype)
    return -x if dtype.kind == "c" else x


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i4", "i8", "u4", "u8", "c16"])
def test_dtypes(name, dtype):
    dtype, ufunc = np.dtype(dtype), getattr(np, name)
    if dtype.kind == "c" and name in ("maximum", "minimum"):
        return
    near = {"rtol": 1e-3 if dtype == "f4" else 1e-10}
    for n in LENGTHS:
        x = drawn(dtype, n)
        want = ufunc.accumulate(x, dtype=dtype) if n else x
        strided = np.repeat(x, 2)[::2]
        for got in (prim.scan(OPERATORS[name], x), prim.scan(OPERATORS[name], strided)):
            assert got.dtype == dtype and np.allclose(got, want, **near)
        behind = np.concatenate((np.array([3], dtype), x))
        want = ufunc.accumulate(behind, dtype=dtype)
        assert np.allclose(prim.scan(OPERATORS[name], x, dtype.type(3)), want[1:], **near)
        got = prim.scan(OPERATORS[name], x, dtype.type(3), inclusive=False)
        assert np.allclose(got, want[:-1], **near)


@pytest.mark.parametrize("inclusive", [True, False])
def test_what_does_not_commute(inclusive):
    x = RNG.integers(0, 49, 20 * PIECE + 3)
    want = one_by_one(composed, x, 8, inclusive)
    for n in (*LENGTHS, len(x)):
        assert np.array_equal(prim.scan(composed, x[:n], 8, inclusive), want[:n])
        assert np.array_equal(prim.scan(composed, x[:n][::-1][::-1], 8, inclusive), want[:n])
        if inclusive and n:
            got = prim.scan(composed, x[:n])
            assert got[0] == x[0]
            assert np.array_equal(got[1:], prim.scan(composed, x[1:n], x[0]))


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_long_vectors(threads):
    """Rounds of as many blocks as there are threads, the last of which may have fewer."""
    x, before = RNG.integers(-9, 9, LONG), swathe.get_num_threads()
    swathe.set_num_threads(min(threads, before))
    try:
        assert np.array_equal(prim.scan(operator.add, x), x.cumsum())
        assert np.array_equal(prim.scan(np.add, x, 5, False), x.cumsum() - x + 5)
        assert np.array_equal(prim.scan(np.maximum, x[::2]), np.maximum.accumulate(x[::2]))
        y = x.astype(np.float64)
        assert np.array_equal(prim.scan(np.add, y), y.cumsum())
    finally:
        swathe.set_num_threads(before)


def test_the_same_bits_at_any_number_of_threads():
    x, before, results = RNG.random(LONG), swathe.get_num_threads(), set()
    for n in (1, 2, before):
        swathe.set_num_threads(n)
        sums = prim.scan(np.add, x).tobytes(), prim.scan(np.multiply, x, 2.0, False).tobytes()
        results.add((*sums, prim.scan(lambda a, b: a * 0.999 + b, x).tobytes()))
    swathe.set_num_threads(before)
    assert len(results) == 1


def test_special_values():
    """Nothing is put in where there is nothing: zeros keep their signs, and NaN wins."""
    zeros = np.full(20, -0.0)
    assert np.signbit(prim.scan(np.add, zeros)).all()
    assert np.signbit(prim.scan(np.multiply, -zeros, -1.0)).all()
    for op, far in ((np.maximum, np.inf), (np.minimum, -np.inf)):
        for at in range(20):
            x = RNG.standard_normal(20).astype(np.float32)
            x[at], x[at - 1] = np.nan, far
            want = op.accumulate(x)
            assert np.array_equal(prim.scan(op, x), want, equal_nan=True)
            x = np.full(20, -far)
            assert np.array_equal(prim.scan(op, x), x)


def test_sums_of_what_is_not_negative_never_fall():
    for n in (1000, PIECE):
        x = RNG.random(n) ** 20
        assert (np.diff(prim.scan(np.add, x)) >= 0).all()
        assert (np.diff(prim.scan(np.add, x.astype(np.float32))) >= 0).all()


SHAPES = [
    (3, 0), (0, 3), (1, 1), (5, COLUMNS - 1), (5, COLUMNS), (1, STRIP + 1), (3, 2 * STRIP + 5),
    (2, 3, COLUMNS), (4, 5, 6), (2, 3, 4, 5), (ROWS, 40), (ROWS + 1, 9), (3, 16 * PIECE),
    (16 * PIECE, 3),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_axes(shape):
    x = RNG.integers(0, 9, shape)
    for axis in range(x.ndim):
        want = x.cumsum(axis=axis)
        for a in (x, np.asfortranarray(x)):
            assert np.array_equal(prim.scan(lambda p, q: p + q, a, axis=axis), want)
            assert np.array_equal(prim.scan(np.add, a, 2, False, axis), want - x + 2)
    assert np.array_equal(prim.scan(np.add, x[::-1]), x[::-1].cumsum(axis=-1))


def test_in_a_wider_kind():
    x = np.arange(100, dtype=np.int32)
    got = prim.scan(np.add, x, 0.5)
    assert got.dtype == np.float64 and np.array_equal(got, x.cumsum() + 0.5)
    flags = np.arange(30) % 3 == 1
    assert np.array_equal(prim.scan(np.add, flags), np.logical_or.accumulate(flags))
