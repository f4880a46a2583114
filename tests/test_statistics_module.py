# SPDX-License-Identifier: BSD-3-Clause
"""The module statistics in compiled code: what is computed is CPython's, but for the last place of
means and variances."""

import math
import random
import statistics
from statistics import StatisticsError, median

import pytest

import swathe


@swathe.njit
def means(x):
    return (
        statistics.fmean(x),
        statistics.mean(x),
        statistics.variance(x),
        statistics.pvariance(x),
        statistics.stdev(x),
        statistics.pstdev(x),
        statistics.stdev(x, 2.0),
    )


@swathe.njit
def places(x):
    return (
        median(x),
        statistics.median_low(x),
        statistics.median_high(x),
        statistics.mode(x),
        statistics.multimode(x),
        statistics.quantiles(x),
        statistics.quantiles(x, n=10),
        statistics.quantiles(x, n=5, method="inclusive"),
    )


@swathe.njit
def common(x):
    return statistics.mode(x), statistics.multimode(x)


@swathe.njit
def raised(x, k):
    try:
        if k == 0:
            return str(statistics.mean(x))
        if k == 1:
            return str(median(x))
        if k == 2:
            return str(statistics.stdev(x))
        return str(statistics.quantiles(x))
    except StatisticsError as e:
        return str(e)


R = random.Random(3)
DATA = [
    [1.5, 2.5, 4.0, 8.0, 8.0],
    [0.1] * 7,
    [1e100, -1e100, 3.0, 1e-200],
    *[[R.gauss(10 ** R.uniform(-3, 6), 1) for _ in range(n)] for n in (2, 3, 30, 61)],
]


@pytest.mark.parametrize("k", range(len(DATA)))
def test_numbers(k):
    assert places(DATA[k]) == places.py_func(DATA[k])
    for got, want in zip(means(DATA[k]), means.py_func(DATA[k]), strict=True):
        assert abs(got - want) <= 2 * math.ulp(want)


def test_anything():
    for x in ("hello", [3, 1, 3, 1], (2.0, 2.0)):
        assert common(x) == common.py_func(x)


@pytest.mark.parametrize("k", range(3))
def test_no_data(k):
    x = [1.0] if k == 2 else [1.0][:0]
    assert raised(x, k) == raised.py_func(x, k)


def test_raised_to_python():
    f = swathe.njit(lambda x: statistics.fmean(x))
    with pytest.raises(StatisticsError, match="fmean requires at least one data point"):
        f([1.0][:0])


def test_ints():
    """A median is a float, whatever the number of elements."""
    f = swathe.njit(lambda x: median(x))
    assert f([3, 1, 2]) == 2.0 and f([3, 1, 2, 4]) == 2.5
