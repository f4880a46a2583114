# SPDX-License-Identifier: BSD-3-Clause
"""Tuples as values of swathe.prim, beside Python's own folds of zip()."""

import itertools

import numpy as np
import pytest

import swathe
from swathe import prim

SIZES = (0, 1, 2, prim.PIECE - 1, prim.PIECE, prim.PIECE + 1, 3 * prim.PIECE + 5)
N = SIZES[-1]
RNG = np.random.default_rng(0)
A, B = RNG.integers(0, 7, N), RNG.integers(0, 7, N)
X, KEYS = RNG.random(N), np.sort(RNG.integers(0, 9, N))


def composed(f, g):
    """Of affine maps modulo 7, (slope, offset): associative, doesn't commute."""
    return f[0] * g[0] % 7, (g[0] * f[1] + g[1]) % 7


def ends(a, b):
    return min(a[0], b[0]), max(a[1], b[1])


def same(got, want):
    if isinstance(got, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            same(g, w)
    else:
        assert np.array_equal(got, want)


def columns(rows):
    return np.array(list(rows), np.int64).reshape(-1, 2).T


def test_results_of_map():
    x = np.array([[1.0, -2.0], [3.0, 4.0]])
    got = prim.map(lambda v: (v, v > 0, (2 * v, np.float32(v))), x)
    same(got, (x, x > 0, (2 * x, x)))
    assert [a.dtype.char for a in (*got[:2], *got[2])] == ["d", "?", "d", "f"]
    same(prim.map(lambda a, b: (a + b, a - b), x, x[0]), (x + x[0], x - x[0]))
    same(prim.zipwith(lambda a, b: (a,), x[:0], x[:0]), (x[:0],))


@pytest.mark.parametrize("n", SIZES)
def test_folds(n):
    x = (A[:n], B[:n])
    rows = [tuple(r) for r in zip(*(c.tolist() for c in x))]
    with_first = columns(itertools.accumulate(rows, composed, initial=(3, 2)))
    same(prim.scan(composed, x), tuple(columns(itertools.accumulate(rows, composed))))
    same(prim.scan(composed, x, (3, 2)), tuple(with_first[:, 1:]))
    same(prim.scan(composed, x, (3, 2), False), tuple(with_first[:, :n]))
    same(prim.reduce(composed, x, (3, 2)), tuple(with_first[:, n]))
    if n:
        same(prim.reduce(ends, (X[:n], A[:n])), (X[:n].min(), A[:n].max()))
        first = prim.reduce(lambda a, b: a if a[0] >= b[0] else b, (X[:n], np.arange(n)))
        same(first, (X[:n].max(), X[:n].argmax()))


def test_keys():
    first = np.flatnonzero(np.r_[True, KEYS[1:] != KEYS[:-1]])
    least, most = np.minimum.reduceat(X, first), np.maximum.reduceat(A, first)
    same(prim.reduce_by_key(ends, KEYS, (X, A)), (KEYS[first], (least, most)))
    got = prim.scan_by_key(ends, KEYS, (X, A))
    for k, at in enumerate(first):
        run = slice(at, first[k + 1] if k + 1 < len(first) else N)
        same(got[0][run], np.minimum.accumulate(X[run]))
        same(got[1][run], np.maximum.accumulate(A[run]))
    segments = prim.reduce_segments(ends, (X, A), np.array([0, 3, 3, 9]), (2.0, -1))
    same(segments, ([X[:3].min(), 2.0, X[3:9].min()], [A[:3].max(), -1, A[3:9].max()]))
    order = np.lexsort((B, A))
    same(prim.sort_by_key((A, B), (X, KEYS)), ((A[order], B[order]), (X[order], KEYS[order])))
    order = np.argsort(B, kind="stable")
    same(prim.sort_by_key(B, (X, (A,))), (B[order], (X[order], (A[order],))))


def test_threads():
    op = lambda a, b: (a[0] * 0.999 + b[0], a[1] + b[1])  # noqa: E731
    before = swathe.get_num_threads()
    results = []
    try:
        for n in range(1, before + 1):
            swathe.set_num_threads(n)
            results.append([c.tobytes() for c in prim.scan(op, (X, A))])
    finally:
        swathe.set_num_threads(before)
    assert all(r == results[0] for r in results)


def test_in_compiled_code():
    @swathe.njit(parallel=True)
    def moments(x):
        n, s, q = prim.reduce(
            lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2]),
            prim.map(lambda v: (1, v, v * v), x),
        )
        return s / n, q / n - (s / n) ** 2

    assert np.allclose(moments(X), (X.mean(), X.var()))


OFFSETS = "an offset is out of range"
WRONG = {
    "no elements": (lambda: prim.reduce(ends, (X[:0], A[:0])), ValueError, "needs init"),
    "lengths": (lambda: prim.reduce(ends, (X[:5], A[:6])), ValueError, "the same length"),
    "axes": (lambda: prim.reduce(ends, (X[None], A[None])), ValueError, "must be vectors"),
    "axis": (lambda: prim.reduce(ends, (X, A), axis=0), ValueError, "takes no axis"),
    "a number": (lambda: prim.reduce(lambda a, b: a[0], (X, A)), TypeError, "cannot store"),
    "shorter": (lambda: prim.scan(lambda a, b: a[:1], (X, A)), TypeError, "of the same length"),
    "keys": (lambda: prim.scan_by_key(ends, KEYS[1:], (X, A)), ValueError, "as many keys"),
    "beyond": (lambda: prim.reduce_segments(max, X, np.array([0, N + 1])), IndexError, OFFSETS),
    "before": (lambda: prim.reduce_segments(max, X, np.array([-1, 3])), IndexError, OFFSETS),
    "of tuples": (
        lambda: prim.reduce_segments(ends, (X, A), np.array([0, N + 1])), IndexError, OFFSETS,
    ),
    "order": (
        lambda: prim.reduce_segments(max, X, np.array([0, 5, 3]), 0.0),
        ValueError,
        "before it begins",
    ),
    "no offset": (lambda: prim.reduce_segments(max, X, A[:0]), ValueError, "one offset more"),
}  # fmt: skip


@pytest.mark.parametrize("f, error, text", WRONG.values(), ids=WRONG)
def test_wrong(f, error, text):
    with pytest.raises(error, match=text):
        f()
