"""Loops over short rows have a version for rows as short as in the first call. All others, and rows
that share memory, must come out as CPython has them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from swathe import njit, prange


def pull(pos, mass, acc):
    for i in range(pos.shape[0]):
        for j in range(pos.shape[0]):
            if i != j:
                r = pos[j] - pos[i]
                d = np.sqrt((r * r).sum())
                acc[i] += mass[j] * r / d**3


def drift(p, v, t):
    for i in range(len(p)):
        p[i] = p[i] + v[i] * t


def mix(p, v, t):
    for i in range(1, len(p)):
        p[i] = p[i - 1] + p[i] * t + v[-i]
        p[:, 0] = p[:, -1] - p[:, 0]


def spin(m, v, out):
    for i in range(len(v)):
        out[i] = m[i] @ v[i]


def turn(p, v, t):
    for i in range(len(p)):
        w = np.cross(p[i], v[i])
        v[i] = w * t + p[i, ::-1]


def apart(x, y):
    d = x - y
    return np.dot(d, d)


def near(p, v, t):
    for i in range(len(p)):
        best = np.inf
        for q in v:
            best = min(best, apart(p[i], q))
        p[i, :] = best * t


def walk(p, d, n):
    while n > 0:
        p = p + d * 0.5
        n -= 1
    return p


def spread(p, v, t):
    for i in prange(len(p)):
        u = v[i] * t
        u[0] += p[i].sum()
        p[i] = u + p[i]


def rows_of(n, k, seed=0):
    return np.random.default_rng(seed + n * 31 + k).random((n, k)) + 0.5


def same(f, compiled, make):
    want, got = make(), make()
    try:
        expected = f(*want)
    except Exception as e:
        with pytest.raises(type(e)):
            compiled(*got)
    else:
        result = compiled(*got)
        if expected is not None:
            np.testing.assert_allclose(result, expected, rtol=1e-13)
    for a, b in zip(want, got, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def pairs(n, k):
    """Two arrays of rows: apart, the same, one behind the other in one buffer, strided."""
    yield lambda: (rows_of(n, k), rows_of(n, k, 1))
    yield lambda: (lambda a: (a, a))(rows_of(n, k))
    yield lambda: (lambda a: (a[:n], a[1:]))(rows_of(n + 1, k))
    yield lambda: (lambda a: (a[1:], a[:n]))(rows_of(n + 1, k))
    yield lambda: (lambda a: (a[:n], a[::-1][:n]))(rows_of(n + 1, k))
    yield lambda: (lambda a: (a[: n * k].reshape(n, k), a[1:].reshape(n, k)))(
        rows_of(1, n * k + 1)[0]
    )


@pytest.mark.parametrize("f", [drift, mix, turn, near, spread], ids=lambda f: f.__name__)
def test_pairs(f):
    compiled = njit(parallel=True)(f) if f is spread else njit(f)
    for n, k in itertools.product([9, 1, 0], [3, 2, 4, 1, 5]):
        for make in pairs(n, k):
            if f is turn and k == 2:
                continue
            same(f, compiled, lambda make=make: (*make(), 0.25))


@pytest.mark.parametrize("k", [3, 2, 4])
def test_pull(k):
    compiled = njit(pull)
    for m in [k, 3, 2, 17]:
        same(
            pull,
            compiled,
            lambda m=m: (rows_of(12, m), rows_of(1, 12)[0], np.zeros((12, m))),
        )
    same(pull, compiled, lambda: (rows_of(12, 3), rows_of(1, 12)[0], np.zeros((12, 2))))
    same(pull, compiled, lambda: (rows_of(12, 3), rows_of(1, 11)[0], np.zeros((12, 3))))


def test_small_matrices():
    compiled = njit(spin)
    for m, k in [(3, 3), (2, 3), (3, 2), (4, 4), (1, 3)]:
        same(
            spin,
            compiled,
            lambda m=m, k=k: (
                rows_of(9 * m, k).reshape(9, m, k),
                rows_of(9, k),
                np.zeros((9, m)),
            ),
        )
    same(spin, compiled, lambda: (np.ones((9, 3, 3)), np.ones((9, 2)), np.ones((9, 3))))


def test_vector():
    compiled = njit(walk)
    for n, k in itertools.product([0, 1, 5], [3, 2, 9]):
        same(walk, compiled, lambda n=n, k=k: (rows_of(1, k)[0], rows_of(1, k, 1)[0], n))
    same(walk, compiled, lambda: (rows_of(1, 1)[0], rows_of(1, 3, 1)[0], 4))
    same(walk, compiled, lambda: (rows_of(1, 3)[0], rows_of(1, 1, 1)[0], 4))


def test_the_first_call_decides():
    """The version is there where rows were short, and only there."""

    def text(k):
        f = njit(drift)
        f(rows_of(20, k), rows_of(20, k), 1.0)
        return f.explain()

    assert "as short as in the first call" in text(3)
    assert "as short as in the first call" not in text(30)


def counted(d, n):
    t = 0
    for i in range(len(d)):
        t += d[i]
        for j in range(d[i], n):
            t += j * d[i]
    return t


def seen_twice(d, m):
    for i in range(len(d)):
        a = d[i]
        for _ in range(m):
            a = d[i]
    return a


@pytest.mark.parametrize("f", [counted, seen_twice], ids=lambda f: f.__name__)
def test_nothing_is_stored(f):
    g = njit(f)
    for n in (1, 0, 5):
        d = np.arange(3) + 1
        assert g(d, n) == f(d, n)


def sieve_and_shift(w, b, x, y):
    for k in range(len(w)):
        for j in range(w[k], len(b)):
            b[j] += b[j - w[k]]
        x[1:] = y[:-1] * 2
        for i in range(len(x) // 4):
            x[4 * i + 1 : 4 * i + 4] += y[4 * i : 4 * i + 3]


def test_a_version_for_some_arrays_says_nothing_of_others():
    g = njit(sieve_and_shift)
    for meet in (False, True):

        def made(meet=meet):
            x = np.arange(1, 101)
            return np.arange(1, 4), np.ones(20, np.int64), x, x if meet else x.copy()

        want, got = made(), made()
        sieve_and_shift(*want)
        g(*got)
        for a, b in zip(want, got, strict=True):
            assert np.array_equal(a, b)


def row_later(r, a):
    for i in range(len(a)):
        a[i] = r + 1.0
        r = a[2]
    return r


def array_later(p, q):
    for i in range(len(p)):
        p[i] = q[i] + 1.0
        p = q
    return p


def in_turn(p, q):
    for i in range(1, len(p)):
        p[i] = q[i - 1] + p[i]
        p, q = q, p
        q[i] += p[i]
    return q


def test_names_change():
    """A parameter isn't yet the row that it becomes; names that are swapped are no name of one."""

    def behind(k):
        a = np.arange(13.0) ** 2
        return a[0:3], a[1:10].reshape(3, k)

    def beside(at, to):
        a = np.arange(13.0) ** 2
        return a[at : at + 9].reshape(3, 3), a[to : to + 9].reshape(3, 3)

    same(row_later, njit(row_later), lambda: behind(3))
    for f in (array_later, in_turn):
        compiled = njit(f)
        for at, to in [(1, 0), (0, 1), (0, 0), (3, 0)]:
            same(f, compiled, lambda at=at, to=to: beside(at, to))
