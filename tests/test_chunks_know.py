"""Functions of chunks know what was known of the loop, so they are as fast: rare errors are
looked at once a strip, short rows have the length that was tested."""

import math

import numpy as np
import pytest

from swathe import njit, prange


def whole(a, o):
    for i in prange(len(a)):
        o[i] = math.log(a[i])


def inside(a, o):
    for i in prange(1, len(a) - 1):
        o[i] = math.log(a[i - 1]) + math.log(a[i + 1])


def between(a, o, lo, hi):
    for i in prange(lo, hi):
        o[i] = math.log(a[i])


def rows(a, o):
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            o[i, j] = math.sqrt(a[i, j])


def views(a, o):
    b, c = a[1:], o[:-1]
    for i in prange(len(b)):
        c[i] = math.log(b[i])


CASES = [
    (views, (5000,), ()),
    (whole, (5000,), ()),
    (inside, (5000,), ()),
    (between, (5000,), (7, 4990)),
    (rows, (30, 300), ()),
]


@pytest.mark.parametrize("f, shape, more", CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_checks_are_deferred(f, shape, more):
    a = np.random.default_rng(3).random(shape) + 0.5
    g = njit(parallel=True)(f)
    out, expected = np.zeros(shape), np.zeros(shape)
    g(a, out, *more)
    f(a, expected, *more)
    np.testing.assert_allclose(out, expected, rtol=1e-15, atol=1e-15)
    text = g.explain()
    assert "in chunks, on all workers" in text
    assert "tested once in" in text, text
    bad = a.copy()
    bad[tuple(n // 2 for n in shape)] = -1.0
    with pytest.raises(ValueError) as told:
        f(bad, expected, *more)
    with pytest.raises(told.type):
        g(bad, out, *more)


@pytest.mark.parametrize("lo, hi", [(0, 0), (5, 3), (0, 1), (4999, 5000), (0, 5000), (-3, 4)])
def test_ends(lo, hi):
    a = np.arange(1.0, 5001.0)
    out, expected = np.zeros(5000), np.zeros(5000)
    parallel_between(a, out, lo, hi)
    between(a, expected, lo, hi)
    np.testing.assert_allclose(out, expected, rtol=1e-15, atol=1e-15)


parallel_between = njit(parallel=True)(between)


def test_a_range_that_is_too_long():
    with pytest.raises(IndexError):
        parallel_between(np.ones(10), np.ones(10), 3, 2**62)
    with pytest.raises(IndexError):
        parallel_between(np.ones(10), np.ones(10), -(2**62), 2**63 - 1)


def distances(p, o):
    for i in prange(len(p)):
        for j in range(len(p)):
            s = 0.0
            for k in range(p.shape[1]):
                d = p[i, k] - p[j, k]
                s += d * d
            o[i, j] = s


def test_rows_are_as_long_as_tested_before_the_loop():
    g = njit(parallel=True)(distances)
    for width in (3, 2, 5, 0):
        p = np.random.default_rng(width).random((70, width))
        out, expected = np.zeros((70, 70)), np.zeros((70, 70))
        g(p, out)
        distances(p, expected)
        np.testing.assert_allclose(out, expected, rtol=1e-15)
    assert " [vector] vectorised" in g.explain(), g.explain()


def chosen(a, o):
    for i in prange(len(a)):
        d = math.sin(a[i] / 2) ** 2 + math.cos(a[i]) * math.sin(a[i] / 3) ** 2
        o[i] = 2 * math.asin(math.sqrt(d)) if d < 1 else 0.0


def test_a_choice_is_stored_once():
    a = np.random.default_rng(5).random(3000)
    g = njit(parallel=True)(chosen)
    out, expected = np.zeros(3000), np.zeros(3000)
    g(a, out)
    chosen(a, expected)
    np.testing.assert_allclose(out, expected, rtol=1e-14)
    assert "tested once in" in g.explain(), g.explain()


def greatest(k, x, h):
    for i in prange(len(k)):
        h[k[i]] = x[i] if x[i] > h[k[i]] else h[k[i]]


def test_a_choice_that_updates_is_a_reduction():
    g = np.random.default_rng(7)
    k, x = g.integers(0, 50, 20000), g.random(20000)
    out, expected = np.zeros(50), np.zeros(50)
    njit(parallel=True)(greatest)(k, x, out)
    greatest(k, x, expected)
    assert (out == expected).all()


def shifted_views(a, o, n):
    b, c = a[1:], o[:n]
    for i in prange(n - 1):
        c[i + 1] = b[i] + b[i - 1]


def test_views_of_any_length():
    g = njit(parallel=True)(shifted_views)
    a = np.arange(3000.0)
    for n in (0, 1, 2, 2999, 3000, 3001, 5000, -5):
        out, expected, told = np.zeros(3000), np.zeros(3000), []
        for f, o in ((g, out), (shifted_views, expected)):
            try:
                f(a, o, n)
            except IndexError:
                told.append(n)
        assert len(told) in (0, 2)
        assert told or (out == expected).all()
