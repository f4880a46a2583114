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

KERNEL_BLOCK, FAR = 32 << 10, 2 << 20  # elements: of the kernel's blocks, and past the cache

LENGTHS = (0, 1, 2, 7, 8, 9, 15, 16, 17, 33, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 9)
LONG = 40 * BLOCK + PIECE + 3
OPERATORS = {"add": np.add, "multiply": np.multiply, "maximum": max, "minimum": min}
RNG = np.random.default_rng(7)


def composed(a, b):
    """Of affine maps modulo 7, as numbers 7 * slope + offset: associative, doesn't commute."""
    return (a // 7) * (b // 7) % 7 * 7 + (b // 7 * (a % 7) + b % 7) % 7


@pytest.fixture
def scan():
    """With a count of its own of what is compiled in."""
    return swathe.njit(parallel=True)(prim.scan.py_func)


def plus(a, b):
    return a + b


def affine(a, b):
    return a * 0.999 + b


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
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i8", "u4", "c16"])
def test_dtypes(scan, name, dtype):
    dtype, ufunc = np.dtype(dtype), getattr(np, name)
    if dtype.kind == "c" and name in ("maximum", "minimum"):
        return
    near = {"rtol": 1e-3 if dtype == "f4" else 1e-10}
    for n in LENGTHS:
        x = drawn(dtype, n)
        want = ufunc.accumulate(x, dtype=dtype) if n else x
        strided = np.repeat(x, 2)[::2]
        for got in (scan(OPERATORS[name], x), scan(OPERATORS[name], strided)):
            assert got.dtype == dtype and np.allclose(got, want, **near)
        behind = np.concatenate((np.array([3], dtype), x))
        want = ufunc.accumulate(behind, dtype=dtype)
        assert np.allclose(scan(OPERATORS[name], x, dtype.type(3)), want[1:], **near)
        got = scan(OPERATORS[name], x, dtype.type(3), inclusive=False)
        assert np.allclose(got, want[:-1], **near)


@pytest.mark.parametrize("inclusive", [True, False])
def test_what_does_not_commute(scan, inclusive):
    x = RNG.integers(0, 49, 20 * PIECE + 3)
    want = one_by_one(composed, x, 8, inclusive)
    for n in (*LENGTHS, len(x)):
        assert np.array_equal(scan(composed, x[:n], 8, inclusive), want[:n])
        assert np.array_equal(scan(composed, x[:n][::-1][::-1], 8, inclusive), want[:n])
        if inclusive and n:
            got = scan(composed, x[:n])
            assert got[0] == x[0]
            assert np.array_equal(got[1:], scan(composed, x[1:n], x[0]))


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_long_vectors(scan, threads):
    """Rounds of as many blocks as there are threads, the last of which may have fewer."""
    x, before = RNG.integers(-9, 9, LONG), swathe.get_num_threads()
    swathe.set_num_threads(min(threads, before))
    try:
        assert np.array_equal(scan(operator.add, x), x.cumsum())
        assert np.array_equal(scan(np.add, x, 5, False), x.cumsum() - x + 5)
        assert np.array_equal(scan(np.maximum, x[::2]), np.maximum.accumulate(x[::2]))
        y = x.astype(np.float64)
        assert np.array_equal(scan(np.add, y), y.cumsum())
    finally:
        swathe.set_num_threads(before)


def test_the_same_bits_at_any_number_of_threads(scan):
    x, before, results = RNG.random(LONG), swathe.get_num_threads(), set()
    for n in (1, 2, before):
        swathe.set_num_threads(n)
        sums = scan(np.add, x).tobytes(), scan(np.multiply, x, 2.0, False).tobytes()
        results.add((*sums, scan(affine, x).tobytes()))
    swathe.set_num_threads(before)
    assert len(results) == 1


@pytest.mark.parametrize("n", [KERNEL_BLOCK, KERNEL_BLOCK + 1, 5 * KERNEL_BLOCK - 1, FAR + 77])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_blocks_of_the_kernel(scan, n, dtype):
    """Of whole numbers, whose sums are exact: in a row or not, behind a first one or nothing."""
    x = RNG.integers(-2, 3, n).astype(dtype)
    sums, five = x.cumsum(dtype=dtype), x.dtype.type(5)
    for a in (x, np.repeat(x, 2)[::2]):
        assert np.array_equal(scan(np.add, a), sums)
        assert np.array_equal(scan(np.add, a, five), sums + five)
        assert np.array_equal(scan(np.add, a, five, False), sums - x + five)
    up = np.maximum.accumulate(x)
    assert np.array_equal(scan(max, x), up)
    assert np.array_equal(scan(max, x, -five, False)[1:], up[:-1])
    assert np.array_equal(scan(min, x, five), np.minimum.accumulate(x))
    if x.dtype.kind == "f":
        x[n // 2] = np.nan
        for op, theirs in ((max, np.maximum), (min, np.minimum), (np.add, np.add)):
            assert np.array_equal(scan(op, x), theirs.accumulate(x), equal_nan=True)


def test_operations_that_fail(scan):
    """What an operation raises in some block of a round is raised, once."""

    def checked(a, b):
        if a < 0 or b < 0:
            raise ArithmeticError("below zero")
        return a + b

    x = np.ones(LONG, np.int64)
    assert scan(checked, x)[-1] == LONG
    for at in (0, LONG // 2, LONG - 1):
        x[at] = -1
        with pytest.raises(ArithmeticError, match="below zero"):
            scan(checked, x)
        x[at] = 1


def test_special_values(scan):
    """Nothing is put in where there is nothing: zeros keep their signs, and NaN wins."""
    zeros = np.full(20, -0.0)
    assert np.signbit(scan(np.add, zeros)).all()
    assert np.signbit(scan(np.multiply, -zeros, -1.0)).all()
    for op, far in ((np.maximum, np.inf), (np.minimum, -np.inf)):
        for at in range(20):
            x = RNG.standard_normal(20).astype(np.float32)
            x[at], x[at - 1] = np.nan, far
            want = op.accumulate(x)
            assert np.array_equal(scan(op, x), want, equal_nan=True)
            x = np.full(20, -far)
            assert np.array_equal(scan(op, x), x)


def test_sums_of_what_is_not_negative_never_fall(scan):
    for n in (1000, PIECE, 9 * KERNEL_BLOCK):
        x = RNG.random(n) ** 20
        assert (np.diff(scan(np.add, x)) >= 0).all()
        assert (np.diff(scan(np.add, x.astype(np.float32))) >= 0).all()


SHAPES = [
    (3, 0), (0, 3), (1, 1), (5, COLUMNS - 1), (5, COLUMNS), (1, STRIP + 1), (3, 2 * STRIP + 5),
    (2, 3, COLUMNS), (4, 5, 6), (2, 3, 4, 5), (ROWS, 40), (ROWS + 1, 9), (3, 16 * PIECE),
    (16 * PIECE, 3),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_axes(scan, shape):
    x = RNG.integers(0, 9, shape)
    for axis in range(x.ndim):
        want = x.cumsum(axis=axis)
        for a in (x, np.asfortranarray(x)):
            assert np.array_equal(scan(lambda p, q: p + q, a, axis=axis), want)
            assert np.array_equal(scan(np.add, a, 2, False, axis), want - x + 2)
    assert np.array_equal(scan(np.add, x[::-1]), x[::-1].cumsum(axis=-1))


def test_in_a_wider_kind(scan):
    x = np.arange(100, dtype=np.int32)
    got = scan(np.add, x, 0.5)
    assert got.dtype == np.float64 and np.array_equal(got, x.cumsum() + 0.5)
    flags = np.arange(30) % 3 == 1
    assert np.array_equal(scan(np.add, flags), np.logical_or.accumulate(flags))
