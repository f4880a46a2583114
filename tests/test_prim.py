# SPDX-License-Identifier: BSD-3-Clause
"""swathe.prim beside NumPy: sizes about the length of a piece, axes, thread counts."""

import functools
import operator

import numpy as np
import pytest

import swathe
from swathe import prim
from swathe._prim_random import _philox
from swathe._prim_scan import BLOCK, BLOCKS

SIZES = (1, 2, prim.PIECE - 1, prim.PIECE, prim.PIECE + 1, 3 * prim.PIECE + 5)
RNG = np.random.default_rng(0)
X = RNG.random((4, 5, 6))


def same(got, want):
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            same(g, w)
        return
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert np.allclose(got, want, rtol=1e-12, equal_nan=True)


def composed(a, b):
    """Of affine maps modulo 7, as numbers 7 * slope + offset: associative, doesn't commute."""
    return (a // 7) * (b // 7) % 7 * 7 + (b // 7 * (a % 7) + b % 7) % 7


def test_maps():
    same(prim.map(lambda a: a * 2, np.arange(3)), np.arange(3) * 2)
    a = np.arange(3.0).reshape(3, 1)
    same(prim.map(lambda a, b: a * b, a, np.arange(2)), a * np.arange(2))
    same(prim.map(lambda a: a > 1, np.zeros(0)), np.zeros(0, bool))
    same(prim.map(np.sqrt, X[::2, ::-1]), np.sqrt(X[::2, ::-1]))
    same(prim.zipwith(np.maximum, np.arange(5), np.arange(5)[::-1]), [4, 3, 2, 3, 4])


@pytest.mark.parametrize("n", SIZES)
def test_reductions_and_scans(n):
    x, i = RNG.random(n), RNG.integers(0, 49, n)
    same(prim.reduce(np.add, i), i.sum())
    same(prim.reduce(operator.add, x), x.sum())
    same(prim.reduce(max, x), x.max())
    same(prim.reduce(min, x, -1.0), -1.0)
    left = list(np.frompyfunc(composed, 2, 1).accumulate(i, dtype=object))
    same(prim.reduce(composed, i), np.int64(left[-1]))
    same(prim.scan(composed, i), np.array(left, np.int64))
    same(prim.scan(np.add, i), i.cumsum())
    same(prim.scan(np.add, i, 5), i.cumsum() + 5)
    same(prim.scan(np.add, i, 5, inclusive=False), i.cumsum() - i + 5)
    same(prim.scan(max, x), np.maximum.accumulate(x))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("runs", [1, 5, 10**6])
def test_keys(n, runs):
    i, keys = RNG.integers(0, 9, n), np.sort(RNG.integers(0, runs, n))
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    before = np.repeat((i.cumsum() - i)[first], np.diff(np.append(first, n)))
    same(prim.scan_by_key(np.add, keys, i), i.cumsum() - before)
    same(prim.reduce_by_key(np.add, keys, i), (keys[first], np.add.reduceat(i, first)))
    order = np.argsort(-keys, kind="stable")
    same(prim.sort_by_key(-keys, i), (-keys[order], i[order]))


@pytest.mark.parametrize("n", SIZES)
def test_order_and_places(n):
    x, i = RNG.random(n), RNG.integers(0, 9, n)
    a, b = np.sort(RNG.random(n)), np.sort(RNG.random(n // 2 + 1))
    same(prim.merge(a, b), np.sort(np.concatenate((a, b))))
    same(prim.merge(np.sort(i), np.sort(i)[:1]), np.sort(np.append(i, i.min())))
    a[n // 2 :], b[n // 4 :] = np.nan, np.nan
    same(prim.merge(a, b), np.sort(np.concatenate((a, b))))
    same(prim.kselect(x, n // 2), np.sort(x)[n // 2])
    same(prim.partition(i, lambda v: v % 2 == 0)[0], np.concatenate((i[i % 2 == 0], i[i % 2 == 1])))
    same(prim.compact(x, lambda v: v > 0.5), x[x > 0.5])
    same(prim.compact(x, x > 0.5), x[x > 0.5])
    same(prim.gather(x, i % n), x[i % n])


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_axes(axis):
    same(prim.reduce(max, X, axis=axis), X.max(axis=axis))
    same(prim.reduce(operator.mul, X, 2.0, axis), 2 * X.prod(axis=axis))
    same(prim.scan(np.add, X, axis=axis), X.cumsum(axis=axis))
    same(prim.scan(np.add, X, 0.0, False, axis), X.cumsum(axis=axis) - X)
    same(prim.sort(X, axis), np.sort(X, axis))
    same(prim.argsort(X, axis), np.argsort(X, axis, kind="stable"))
    same(prim.kselect(X, 2, axis), np.sort(X, axis).take(2, axis))


TOGETHER = BLOCK * BLOCKS * 2  # on two threads
LENGTHS = (1, BLOCK - 1, BLOCK, BLOCK + 1, TOGETHER, TOGETHER + 1, TOGETHER + 2 * BLOCK + 3)


@pytest.mark.parametrize("inclusive", [True, False])
def test_scans_by_rounds(inclusive):
    """An operation that doesn't commute, of lengths about those of blocks and rounds."""
    x = RNG.integers(0, 49, LENGTHS[-1])
    for n in LENGTHS:
        want, acc = np.empty(n, np.int64), 8
        for i in range(n):
            before, acc = acc, composed(acc, x[i])
            want[i] = acc if inclusive else before
        same(prim.scan(composed, x[:n], 8, inclusive), want)
        if inclusive:
            same(prim.scan(composed, x[:n])[:1], x[:1])
            same(prim.scan(composed, x[:n])[1:], prim.scan(composed, x[1:n], x[0]))


@pytest.mark.parametrize("ops", [(max, np.maximum), (min, np.minimum)])
def test_nan_wins(ops):
    """Python's max and min depend on the order beside NaN: NumPy's don't, and are taken."""
    op, theirs = ops
    keys = np.repeat(np.arange(4), 5000)
    for at in (0, 5, 1000, prim.PIECE, BLOCK, 19_999):
        x = RNG.standard_normal(20_000)
        x[at] = np.nan
        x[min(at + 1, 19_998)] = 1e9 if op is max else -1e9
        same(prim.scan(op, x), theirs.accumulate(x))
        assert np.isnan(prim.reduce(op, x))
        parts = theirs.reduceat(x, np.arange(4) * 5000)
        same(prim.reduce_by_key(op, keys, x)[1], parts)
        same(prim.scan_by_key(op, keys, x)[4999::5000], parts)


@pytest.mark.parametrize("largest", [True, False])
def test_topk_by_groups(largest):
    """Few of many: a bound from groups, more candidates than there is room for, equal ones, NaN."""
    n = 500
    many = np.zeros(n)
    many[64::64] = np.arange(1, 8)  # in one group
    plain = RNG.standard_normal(n)
    rows = [plain, np.sort(plain), -np.sort(plain), plain.round(1), many, -many, np.full(n, np.nan),
            np.where(np.arange(n) % 7, plain, np.nan),
            np.where(np.arange(n) % 9, np.inf, plain)]  # fmt: skip
    for x in (np.array(rows), (np.array(rows[:6]) * 10).astype(np.int64)):
        for k in (1, 7, 17, 31, 32, n):
            order = np.argsort(x, axis=1, kind="stable")
            if largest:
                order = n - 1 - np.argsort(x[:, ::-1], axis=1, kind="stable")[:, ::-1]
            want = np.take_along_axis(x, order[:, :k], 1)
            same(prim.topk(x, k, largest=largest), (want, order[:, :k]))
            same(prim.topk(x[3], k, largest=largest), (want[3], order[3, :k]))


def test_the_rest():
    v = np.array([3, 1, 3, 2, 1])
    same(prim.topk(v, 3), (np.array([3, 3, 2]), np.array([0, 2, 3])))
    same(prim.topk(v, 3, largest=False), (np.array([1, 1, 2]), np.array([1, 4, 3])))
    same(prim.topk(X, 2)[0], np.sort(X, -1)[..., ::-1][..., :2])
    for axis in range(-X.ndim, X.ndim):
        values, places = prim.topk(X, 2, largest=False, axis=axis)
        same(values, np.sort(X, axis).take((0, 1), axis))
        same(np.take_along_axis(X, places, axis), values)
    many = np.where(np.arange(20 * prim.PIECE) % 5, RNG.integers(0, 900, 20 * prim.PIECE), np.nan)
    order = len(many) - 1 - np.argsort(many[::-1], kind="stable")[::-1]
    for k in (3, len(many) // 5 + 700):  # by pieces; of equal ones, and of NaN, the first
        same(prim.topk(many, k), (many[order[:k]], order[:k]))
        least = np.argsort(many, kind="stable")[:k]
        same(prim.topk(many, k, largest=False), (many[least], least))
    same(prim.reduce_segments(np.add, np.arange(10.0), np.array([0, 3, 3, 10]), 0.0), [3.0, 0, 42])
    at = np.array([0, 1, 0])
    same(prim.scatter(np.ones(3), at, np.zeros(4), np.add), [2.0, 1, 0, 0])
    same(prim.scatter(np.array([5.0, 6, 7]), at, np.zeros(4), max), [7.0, 6, 0, 0])
    same(prim.scatter(5.0, np.array([0, 3]), np.zeros(4)), [5.0, 0, 0, 5])
    for op in (max, min):  # NumPy's, as in reductions
        found = prim.scatter(np.array([np.nan, 6, 7]), at, np.array([1.0, np.nan, 2, 3]), op)
        same(found, [np.nan, np.nan, 2, 3])
    same(prim.histogram(X, 7, 0.0, 0.9), np.histogram(X, 7, (0.0, 0.9))[0])
    same(prim.unique(v), np.unique(v))
    same(prim.searchsorted(np.array([1.0, 2.0]), X), np.searchsorted([1.0, 2.0], X))


def test_rows():
    """Keys of several axes are rows; places may be those of rows, and of any shape."""
    k, v = RNG.integers(0, 9, (40, 6)), RNG.random((40, 6))
    for axis in (0, 1, -1):
        at = np.argsort(k, axis, kind="stable")
        moved = np.take_along_axis(k, at, axis), np.take_along_axis(v, at, axis)
        same(prim.sort_by_key(k, v, axis), moved)
    same(prim.sort_by_key(k, (v, k)), (moved[0], (moved[1], moved[0])))
    same(prim.sort_by_key(k[0], v.T)[1], v.T[np.argsort(k[0], kind="stable")])
    at = np.array([1, 0, 1])
    for op, theirs in ((np.add, np.add), (max, np.maximum), (lambda a, b: a * b, np.multiply)):
        want = v.copy()
        theirs.at(want, at, v[:3])
        same(prim.scatter(v[:3], at, v.copy(), op), want)
        places, want = np.array([[0, 0], [1, 0]]), np.ones(3)
        theirs.at(want, places, v[:2, :2])
        same(prim.scatter(v[:2, :2], places, np.ones(3), op), want)
    same(prim.scan(np.add, v, axis=None), v.cumsum())
    same(prim.scan(max, np.array(3)), np.array([3]))


@pytest.mark.parametrize("dtype", ["m8[s]", "M8[D]"])
@pytest.mark.parametrize("n", [5, 3000])
def test_dates(dtype, n):
    x = RNG.integers(0, 90, n).astype(dtype)
    keys = np.sort(RNG.integers(0, 3, n))
    for nat in (False, True):
        if nat:
            x[2] = "NaT"
        order = np.argsort(x, kind="stable")
        for k in (0, n // 2, n - 1):
            equal_dates(prim.kselect(x, k), x[order][k])
        equal_dates(prim.kselect(x.reshape(5, -1), 0, 0), np.sort(x.reshape(5, -1), 0)[0])
        assert np.array_equal(prim.topk(x, 3, largest=False)[1], order[:3])
        equal_dates(prim.topk(x, 3)[0], np.sort(x)[::-1][:3])
        equal_dates(prim.reduce(max, x), x.max())
        equal_dates(prim.scan(max, x), np.maximum.accumulate(x))
        rows = x.reshape(5, -1)
        equal_dates(prim.scan(min, rows, axis=0), np.minimum.accumulate(rows))
        runs = [np.maximum.accumulate(x[keys == k]) for k in range(3)]
        equal_dates(prim.scan_by_key(max, keys, x), np.concatenate(runs))
        if dtype[0] == "m":
            equal_dates(prim.reduce(np.add, x), x.sum())
            equal_dates(prim.scan(np.add, x), x.cumsum())
            first = np.timedelta64(5, "s")
            equal_dates(prim.scan(np.add, x[3:], first), x[3:].cumsum() + first)


def equal_dates(got, want):
    assert got.dtype == want.dtype and np.array_equal(got, want, equal_nan=True)


def test_kselect_of_long_vectors():
    """What a sample promises is held, and where it isn't, all is looked through."""
    n = 20 * prim.PIECE + 7
    rng = np.random.default_rng(6)
    x = rng.random(n)
    holes = np.where(rng.random(n) < 0.01, np.nan, x)
    for v in (x, np.sort(x), np.arange(n) % 9 * 1.0, np.zeros(n), holes, rng.integers(0, 99, n)):
        want = np.sort(v)
        for k in (0, 1, n // 3, n // 2, n - n // 150, n - 1, -1, -n):
            same(prim.kselect(v, k), want[k])
    same(prim.kselect(x[::-2], 5), np.sort(x[::-2])[5])
    same(prim.kselect(x.astype("f4"), n // 2), np.sort(x.astype("f4"))[n // 2])


def philox_of_python(key, counter):
    """The same with integers that never overflow."""
    x = [counter % 2**32, counter >> 32, 0, 0]
    k = [key % 2**32, key >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [q >> 32 ^ x[1] ^ k[0], q % 2**32, p >> 32 ^ x[3] ^ k[1], p % 2**32]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return x[0] | x[1] << 32, x[2] | x[3] << 32


def test_random_numbers():
    """Known answers of Philox 4x32-10, and the same at any number of threads and any shape."""
    philox = swathe.njit(_philox)
    assert philox(np.uint64(0), np.uint64(0)) == (0xE169C58D6627E8D5, 0x9B00DBD8BC57AC4C)
    key, counter = 0x0123456789ABCDEF, 0xFEDCBA9876543210
    assert philox(np.uint64(key), np.uint64(counter)) == philox_of_python(key, counter)
    before = swathe.get_num_threads()
    u, z = prim.uniform(100_001, 3), prim.normal((7, 11), 3)
    swathe.set_num_threads(1)
    try:
        assert np.array_equal(u, prim.uniform(100_001, 3))
        assert np.array_equal(z, prim.normal((7, 11), 3))
    finally:
        swathe.set_num_threads(before)
    assert np.array_equal(u[:6], prim.uniform((2, 3), 3).ravel())
    assert 0 <= u.min() and u.max() < 1 and abs(u.mean() - 0.5) < 0.01
    z = prim.normal(100_001, 1)
    assert abs(z.mean()) < 0.02 and abs(z.std() - 1) < 0.02 and abs((z**4).mean() - 3) < 0.15


def test_the_same_bits_at_any_number_of_threads():
    x = RNG.random(5 * prim.PIECE + 3)
    before = swathe.get_num_threads()
    results = []
    for n in (1, 2, before):
        swathe.set_num_threads(n)
        s = prim.scan(lambda a, b: a * 0.999 + b, x)
        results.append((prim.reduce(np.add, x), prim.scan(np.add, x).tobytes(), s.tobytes()))
    swathe.set_num_threads(before)
    assert results[0] == results[1] == results[2]


def test_in_compiled_code():
    @swathe.njit(parallel=True)
    def norm(x, p):
        return prim.reduce(np.add, prim.map(lambda v: abs(v) ** p, x)) ** (1 / p)

    assert norm(np.array([3.0, -4.0]), 2) == 5.0
    assert functools.reduce(max, [1, 2]) == prim.reduce(max, np.array([1, 2]))


WRONG = {
    "no elements": (lambda: prim.reduce(max, np.zeros(0)), ValueError, "needs init"),
    "exclusive": (lambda: prim.scan(max, np.ones(3), inclusive=False), ValueError, "needs init"),
    "segment": (
        lambda: prim.reduce_segments(max, np.ones(3), np.array([0, 0, 3])),
        ValueError,
        "empty segment needs init",
    ),
    "one operand": (lambda: prim.reduce(lambda a: a, np.ones(3)), TypeError, "takes 1 argument"),
    "no function": (lambda: prim.map(3, np.ones(3)), TypeError, "'int' object is not callable"),
    "place": (lambda: prim.scatter(np.ones(1), np.array([9]), np.zeros(3)), IndexError, "index 9"),
    "axis": (lambda: prim.reduce(max, X, axis=3), np.exceptions.AxisError, "axis 3"),
    "rank": (lambda: prim.kselect(np.ones(3), 3), IndexError, "out of range"),
    "lengths": (lambda: prim.sort_by_key(np.ones(3), np.ones(2)), ValueError, "as many keys"),
    "values of rows": (lambda: prim.sort_by_key(X, X[:, :1]), ValueError, "as many keys"),
    "tuples of rows": (lambda: prim.sort_by_key(X, (X,), 0), ValueError, "along the last axis"),
    "no vectors": (lambda: prim.merge(X[0], X[0]), ValueError, "vectors are needed"),
    "keys of rows": (lambda: prim.reduce_by_key(max, X[0], X[0]), ValueError, "vectors are needed"),
    "runs of rows": (lambda: prim.scan_by_key(max, X[0], X[0]), ValueError, "vectors are needed"),
    "axes": (lambda: prim.reduce(max, X, axis=(0, 1)), TypeError, "takes one axis"),
    "no such axis": (lambda: prim.scan(max, X[0, 0], axis=1), np.exceptions.AxisError, "axis 1"),
    "no third axis": (lambda: prim.scan(max, X[0], axis=2), np.exceptions.AxisError, "axis 2"),
    "no axis before": (lambda: prim.scan(np.add, X, axis=-4), np.exceptions.AxisError, "axis -4"),
    "top of no axis": (lambda: prim.topk(X[0, 0], 1, axis=1), np.exceptions.AxisError, "axis 1"),
    "difference of pairs": (
        lambda: prim.check(lambda a, b: (a[0], a[1] - b[1]), (np.arange(5), np.arange(5.0))),
        ValueError,
        "isn't associative",
    ),
    "difference": (
        lambda: prim.check(operator.sub, np.arange(5.0)),
        ValueError,
        "isn't associative",
    ),
}


@pytest.mark.parametrize("f, error, text", WRONG.values(), ids=WRONG)
def test_wrong(f, error, text):
    with pytest.raises(error, match=text):
        f()


FACTOR = 2.0


def test_a_lambda_in_a_call_is_compiled_once(monkeypatch):
    """Each evaluation of it is a function of its own, of the same code."""
    counts = []
    for k in range(5):
        same(prim.map(lambda v: v * FACTOR + 0.5, X), X * FACTOR + 0.5)
        same(prim.map(lambda v: v * k, X), X * k)  # noqa: B023
        same(prim.map(lambda v, by=k: v * by, X), X * k)
        counts.append(len(prim.map.signatures))
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    for _ in range(2):
        same(prim.map(lambda v: v * FACTOR, X), X * 3)
    assert counts[4] == counts[1]
    f = lambda v: v + FACTOR  # noqa: E731
    same(prim.map(f, X), X + 3)
    same(prim.map(type(f)(f.__code__, {"FACTOR": 7.0}), X), X + 7)


def test_check_takes_what_is_associative():
    prim.check(composed, np.arange(49))
    prim.check(np.add, X)
    prim.check(max, np.zeros(0))
    prim.check(lambda a, b: (a[0] + b[0], max(a[1], b[1])), (np.arange(9), X.ravel()[:9]))
