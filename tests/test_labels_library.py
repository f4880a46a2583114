# SPDX-License-Identifier: BSD-3-Clause
"""Labels before calls: of Python's own sum, min and max, and of library functions."""

import re

import numpy as np
import pytest

import swathe
from swathe import label, par, threads, tpb
from swathe.compat import parpy

rng = np.random.default_rng(11)
WORKERS = par({"N": threads(4).reduce()})


def own(a):
    label("N")
    s = sum(a)
    label("N")
    p = min(a)
    label("N")
    q = max(a)
    return s, p, q


def least(a):
    label("N")
    return min(a)


def greatest(a):
    label("N")
    return max(a)


def total(a):
    label("N")
    return sum(a)


def product(a):
    label("N")
    return np.dot(a, a)


def deviation(a):
    label("N")
    return np.std(a)


def parpys(a):
    label("N")
    return parpy.operators.max(a[:])


ALL = [own, least, greatest, total, product, deviation, parpys]


@pytest.mark.parametrize("f", ALL)
def test_runs_on_workers(f):
    g = swathe.njit(f)
    text = swathe.print_compiled(g, [rng.random(300)], WORKERS, "ir")
    assert re.search(r"^ +run \S+\.par\.", text, re.MULTILINE)


@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("n", [1, 2, 17, 100_003])
def test_gives_what_it_gave(f, n):
    g = swathe.njit(f)
    for a in (rng.random(n), rng.integers(-99, 99, n), rng.random(n).astype("f4")):
        assert np.allclose(g(a, opts=WORKERS), g(a), rtol=1e-4)
        assert np.allclose(g(a, opts=par({"N": threads(4)})), g(a), rtol=1e-4)


@pytest.mark.parametrize("f", [least, greatest])
def test_nan_and_nothing(f):
    g = swathe.njit(f)
    for a in ([np.nan, 1, 2], [1, np.nan, 2], [2, 1, np.nan], [np.nan] * 3):
        want = f(np.array(a))
        for opts in (None, WORKERS):
            assert np.array_equal(g(np.array(a), opts=opts), want, equal_nan=True)
    with pytest.raises(ValueError, match="empty"):
        g(np.empty(0), opts=WORKERS)


def by_axis(a, out):
    label("N")
    label("M")
    out[:] = np.var(a, axis=1)
    label("N")
    label("M")
    return parpy.operators.min(a, axis=0)


def test_axes_of_library_functions():
    a = rng.random((40, 300))
    for opts in (None, par({"N": threads(4)}), par({"M": threads(3).reduce()})):
        out = np.empty(40)
        assert np.array_equal(swathe.njit(by_axis)(a, out, opts=opts), a.min(0))
        assert np.allclose(out, a.var(1))


def first_least(a):
    label("N")
    label("M")
    return np.argmin(a)


def first_greatest_by_column(a):
    label("N")
    label("M")
    return a.argmax(axis=0)


def first_least_by_row(a):
    label("N")
    label("M")
    return np.argmin(a[:, ::-1] * 2, axis=-1, keepdims=True)


def running_by_row(a):
    label("N")
    label("M")
    return np.cumsum(a, axis=1)


def running_by_column(a):
    label("N")
    label("M")
    return a.cumprod(axis=0)


PLACES = [first_least, first_greatest_by_column, first_least_by_row]
EACH = [
    par({"N": threads(3)}),
    par({"N": threads(3).reduce()}),
    par({"M": threads(3)}),
    par({"M": threads(3).reduce()}),
    par({"N": threads(2).reduce(), "M": threads(3).reduce()}),
]


@pytest.mark.parametrize("f", [*PLACES, running_by_row, running_by_column])
@pytest.mark.parametrize("shape", [(1, 1), (17, 5), (2, 301), (300, 40)])
def test_places_and_running_sums(f, shape):
    g = swathe.njit(f)
    few = rng.integers(0, 3, shape)  # so that the first of many equal ones counts
    gaps = np.where(rng.random(shape) < 0.1, np.nan, rng.random(shape))
    for a in (few, gaps, np.asfortranarray(few), few > 1, gaps.astype("f4")[::-1]):
        want = f(a)
        for opts in (None, *EACH):
            got = g(a, opts=opts)
            assert np.asarray(got).dtype == np.asarray(want).dtype
            assert np.allclose(got, want, rtol=1e-4, equal_nan=True)


@pytest.mark.parametrize(
    "f, axis",
    [
        (first_least, "N"),
        (first_greatest_by_column, "M"),
        (first_least_by_row, "N"),
        (running_by_row, "N"),
        (running_by_column, "M"),
    ],
)
def test_places_and_running_sums_run_on_workers(f, axis):
    g = swathe.njit(f)
    opts = par({axis: threads(4).reduce()})
    text = swathe.print_compiled(g, [rng.random((300, 300))], opts, "ir")
    assert re.search(r"^ +run \S+\.par\.", text, re.MULTILINE)


@pytest.mark.parametrize("f", PLACES)
def test_no_place_in_nothing(f):
    with pytest.raises(ValueError, match="empty sequence"):
        swathe.njit(f)(np.empty((3, 0) if f is first_least_by_row else (0, 3)), opts=EACH[1])


def running(a):
    label("N")
    return np.cumsum(a)


def test_a_label_without_effect_is_told():
    f = swathe.njit(running)
    a = rng.random(9)
    assert np.allclose(f(a, opts=WORKERS), np.cumsum(a))
    assert "what 'N' names runs in a way that no schedule changes" in str(f.explain())


def test_blocks_are_a_device_s():
    f = swathe.njit(total)
    f(np.ones(5), opts=par({"N": tpb(32).reduce()}))
    assert "tpb() has no effect" in str(f.explain())
