# SPDX-License-Identifier: BSD-3-Clause
"""warnings.warn and logging in compiled code: statements that run in Python."""

from __future__ import annotations

import logging
import warnings
from warnings import warn

import numpy as np
import pytest

import swathe

log = logging.getLogger("swathe.tests.told")


def solve(x, limit):
    n = 0
    while abs(x * x - 2) > 1e-9:
        if n == limit:
            warnings.warn(f"no root after {n} steps", RuntimeWarning, stacklevel=2)
            break
        x = 0.5 * (x + 2 / x)
        n += 1
    return x


def by_name(a):
    if len(a) == 0:
        warn("empty")
        return 0.0
    return a.sum()


def imported(a):
    import warnings as w

    for k in range(len(a)):
        if a[k] < 0:
            w.warn("%d is negative: %s" % (k, a[k]), stacklevel=1)
            a[k] = 0
    return a


def logged(a):
    log.info("%d elements", len(a))
    total = 0.0
    for k, v in enumerate(a):
        if v > 1:
            log.warning("element %d is %s", k, v)
        total += v
    logging.debug("done")
    return total


def inner(a):
    def tell(k):
        warnings.warn(f"at {k}")

    for k in range(len(a)):
        if a[k] > 1:
            tell(k)
    return a.sum()


CALLS = [
    (solve, lambda: (1.0, 2)),
    (solve, lambda: (1.0, 50)),
    (by_name, lambda: (np.ones(0),)),
    (by_name, lambda: (np.ones(3),)),
    (imported, lambda: (np.array([1.0, -2.0, 3.0, -4.0]),)),
    (logged, lambda: (np.array([1.0, 2.0, 3.0]),)),
    (inner, lambda: (np.array([1.0, 2.0, 3.0]),)),
]


def seen(f, args, caplog):
    caplog.clear()
    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        r = f(*args)
    told = [(str(x.message), x.category, x.filename, x.lineno) for x in w]
    return r, told, [(x.name, x.levelname, x.getMessage()) for x in caplog.records]


@pytest.mark.parametrize("f, args", CALLS)
def test_they_are_told_as_in_python(f, args, caplog):
    r, told, logs = seen(f, args(), caplog)
    g = swathe.njit(f)
    for _ in range(2):
        have = seen(g, args(), caplog)
        np.testing.assert_array_equal(have[0], r)
        assert have[1:] == (told, logs)


def test_a_warning_that_is_an_error_leaves_the_function():
    g = swathe.njit(by_name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="empty"):
            g(np.ones(0))
    assert g(np.ones(2)) == 2


def test_a_value_of_it_is_refused():
    @swathe.njit
    def f(a):
        x = warnings.warn("value")
        return a.sum() if x is None else 0.0

    with pytest.raises(swathe.UnsupportedError, match=r"warnings\.warn"):
        f(np.ones(2))


class Solver:
    def __init__(self, n):
        self.n = n

    def run(self, x):
        for k in range(self.n):
            x *= 0.5
        warnings.warn(f"{self.n} steps of {x.shape[0]}: {[v + self.n for v in x]}")
        log.info("n=%d", self.n)
        return x.sum()


def test_what_instances_have_is_read_before(caplog):
    def f(x):
        return Solver(4).run(x)

    assert seen(swathe.njit(f), (np.ones(2),), caplog) == seen(f, (np.ones(2),), caplog)


def test_parallel_loops_and_handlers(caplog):
    @swathe.njit(parallel=True)
    def f(a):
        for i in swathe.prange(len(a)):
            if a[i] > 1:
                warnings.warn("large")
            a[i] += 1
        try:
            warnings.warn("tried", DeprecationWarning)
        except DeprecationWarning:
            return -1.0
        return a.sum()

    r, told, _ = seen(f, (np.array([1.0, 2.0, 3.0]),), caplog)
    assert r == 9 and [t[0] for t in told] == ["large", "large", "tried"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        assert f(np.zeros(3)) == -1.0
