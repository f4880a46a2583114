# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the library where NumPy's answer is not what the formula suggests: narrow dtypes at
their ends, masks as places, bounds in the precision of the elements, one element, -0.0, () as
places; and arithmetic of the library itself that would overflow under debug=True."""

import numpy as np
import pytest
from harness import check

import swathe

R = np.random.default_rng(0)
N = np.array([])
INF, NAN = float("inf"), float("nan")
FULL = ("plain", "debug")


def counted(x, y):
    return np.bincount(x), np.bincount(y, minlength=3)


def histograms(x, y, w):
    return (np.histogram(x, 3, (0.0, 0.3)), np.histogram(y, 3, (0.1, 0.3)),
            np.histogram(y, 2), np.histogram(w.astype(np.float64), 4, weights=w))  # fmt: skip


def interpolated(x, xp, fp, fq):
    return np.interp(x, xp, fp), np.interp(x, xp, fq)


def places(a, mask, m):
    return (np.insert(a, mask, 7), np.insert(a, mask[:2], [8.0]), np.insert(m, mask, 7, axis=1),
            np.take(a, ()), np.delete(a, ()), np.insert(a, (), 1.0))  # fmt: skip


def put_nothing(a):
    np.put(a, (), 5)
    np.put(a, [1], 5, mode="wrap")
    return a


def complex_put(a):
    return np.insert(a, 1, 2j)


def bytes_of(a, n):
    try:
        return len(np.frombuffer(a, np.float64, n))
    except ValueError:
        return -1


def grids(i, j):
    return (np.ravel_multi_index((i, j), (4, 4)), np.ravel_multi_index((i,), (4,)),
            np.ravel_multi_index((i[0], 3), (4, 5)))  # fmt: skip


def slopes(f, h):
    return np.gradient(f, edge_order=2), np.gradient(h, 0.5, edge_order=2), np.gradient(f, 2)


def shares(a, b):
    return (np.quantile(a, 0.5, method="nearest"), np.quantile(b, 0.3, method="lower"),
            np.percentile(a, 40, method="higher"), np.quantile(a, 0.5))  # fmt: skip


def joined(a):
    return (np.gcd.reduce(a), np.hypot.reduce(a), np.gcd.reduce(a[:0]), np.bitwise_and.reduce(a),
            np.gcd.accumulate(a), np.lcm.reduce(a), np.gcd.reduce(a[None], axis=1))  # fmt: skip


def narrow(a, b, x):
    return np.convolve(a, b), np.correlate(a, b, "same"), np.sinc(x), np.sinc(x.astype(np.float32))


def covariances(a, b):
    return np.cov(a, b, rowvar=False)


def correlations(z):
    c = np.corrcoef(z)
    return np.max(c.real), np.max(c.imag), np.round(c, 9)


def norms(v, m):
    return (np.linalg.norm(v, np.inf), np.linalg.norm(m, np.inf), np.linalg.norm(m, 1),
            np.linalg.norm(m, "f"), np.linalg.norm(m, np.inf, axis=1))  # fmt: skip


def complex_shares(a, z):
    r = 0
    try:
        np.percentile(a, 1 + 2j)
    except TypeError:
        r += 1
    try:
        np.digitize(z, a)
    except TypeError:
        r += 2
    return r


def derived(c):
    return np.polynomial.polynomial.polyder(c, 2, 0.1)


def hashes(x, k):
    return hash(x), k.bit_count(), hash(k), hash((x, k)), hash(((x, k), k))


def sets_as_keys(n):
    d = {}
    for i in range(n):
        d[frozenset([i, i + 1, i * 7, i * 1000003, -i])] = i
    return sum([d[frozenset([-i, i * 7, i + 1, i, i * 1000003])] for i in range(n)]), len(d)


def popped(k, s):
    d = {"a": "b", "c": "d"}
    return d.pop(k, "KeyError"), d.pop(k, s), d.pop("a", "q"), len(d)


def laid_out(s):
    return f"{s:>05}", f"{s:05}", f"{s:^07}|{s:*>05}", f"{s:<05}"


F4, F2 = (R.random(9).astype(t) for t in (np.float32, np.float16))
PROGRAMS = [
    (counted, (np.array([255, 3], np.uint8), np.array([127, 3], np.int8)), ("plain",)),
    (histograms, (np.array([0.3, 0.1, 0.2], np.float32), np.array([0.3, 0.1, 0.2], np.float16),
                  R.random(1000).astype(np.float32)), ("plain",)),
    (interpolated, (np.array([0.5, 1.5, 0.3]), np.array([0.0, 1.0, 2.0]),
                    np.array([-0.0, -0.0, 0.0]), R.random(3) + 1j * R.random(3)), ("plain",)),
    (places, (np.arange(4.0), np.array([True, False, True, False]), np.ones((2, 4))), ("plain",)),
    (put_nothing, (np.arange(0),), ("plain",)),
    (put_nothing, (np.arange(3),), ("plain",)),
    (complex_put, (np.arange(3.0),), ("plain",)),
    (bytes_of, (np.arange(4.0), 2**61), ("plain",)),
    (grids, (np.array([1, 2], np.uint64), np.array([3, 0], np.uint8)), ("plain",)),
    (slopes, (F4, F2), ("plain",)),
    (shares, (np.arange(6, dtype=np.uint8), np.array([3, 1, 2], np.int8)), ("plain",)),
    (joined, (np.array([-3]),), ("plain",)),
    (narrow, (R.random(50).astype(np.float16), F2[:4], np.array([0, 0.5], np.float16)), ("plain",)),
    (covariances, (R.random((5, 1)), R.random((1, 5))), ("plain",)),
    (correlations, (R.random((4, 6)) + 1j * R.random((4, 6)),), ("plain",)),
    (norms, (N, np.zeros((3, 0))), ("plain",)),
    (complex_shares, (np.arange(3.0), np.array([3j])), ("plain",)),
    (derived, (R.random(7),), ("plain",)),
    *((hashes, a, FULL) for a in ((1e300, -(2**63)), (-0.1, 2**63 - 1), (0.1, -1))),
    (sets_as_keys, (40,), FULL),
    (popped, ("x", "KeyError"), ("plain",)),
    *((laid_out, (s,), ("plain",)) for s in ("ab", "")),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args", "modes"), PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS])
def test_values(f, args, modes):
    ulp = 4 if f is covariances or f is correlations else 0
    check(f, *args, modes=modes, raises=..., ulp=ulp)


def quantiles(x, q):
    return np.quantile(x, q), np.nanquantile(x, q)


@pytest.mark.parametrize("q", [0, 1, True, 0.0, 1.0], ids=repr)
def test_the_ends_of_quantiles(q):
    """By an integer they are elements: the zero of its sign, and no infinity times 0."""
    compiled = swathe.njit(cache=False)(quantiles)
    for x in ([-0.0, 1.0], [1.0, INF], [1.0, NAN], [3, 1, 2]):
        with np.errstate(all="ignore"):
            want = quantiles(np.array(x), q)
        for got, right in zip(compiled(np.array(x), q), want, strict=True):
            assert np.array_equal(got, right, equal_nan=True) and got.dtype == right.dtype
            assert np.signbit(got) == np.signbit(right) or right != right


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64, np.float32])
def test_bins_that_are_no_wider_than_nothing(dtype):
    values = {
        np.int64: [[2**62], [2**53 + 1, 2**53 + 1], [5, 5]],
        np.uint64: [[2**64 - 1], [7, 8]],
        np.float64: [[0, 5e-324], [0, 1e-310], [1, 1 + 2.0**-52], [1e-300, 3e-300]],
        np.float32: [[1, 1 + 2.0**-23], [0, 1]],
    }[dtype]

    def f(x, n):
        return np.histogram(x, n)

    compiled = swathe.njit(cache=False)(f)
    for x in values:
        for n in (1, 3):
            a = np.array(x, dtype)
            try:
                count, edges = f(a, n)
            except ValueError as error:
                with pytest.raises(ValueError, match="Too many bins") as caught:
                    compiled(a, n)
                assert str(caught.value).split("\n")[0] == str(error)
            else:
                got = compiled(a, n)
                assert np.array_equal(got[0], count) and np.array_equal(got[1], edges)
