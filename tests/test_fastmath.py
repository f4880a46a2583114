# SPDX-License-Identifier: BSD-3-Clause
"""fastmath as a set of LLVM's freedoms: what is not named does not change."""

import math

import numpy as np
import pytest

from swathe import njit

NAMES = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
SETS = [{n} for n in NAMES] + [set(NAMES) - {n} for n in NAMES]


def total(x):
    t = 0.0
    for i in range(x.shape[0]):
        t += x[i]
    return t


def fused(a, b, c):
    return a * b + c


def greatest(x):
    return np.max(x)


def is_nan(x):
    return x != x, np.isnan(x), x < 1.0


def quotients(x, y):
    return x // y, x % y, x / y


def signs(x):
    return x + 0.0, x * 1.0, x - x


def exponentials(x):
    return np.exp(x).sum()


def ids(names):
    return "-".join(sorted(names))


@pytest.mark.parametrize("names", SETS, ids=ids)
def test_order_of_sums(names):
    x = np.random.default_rng(1).standard_normal(4000) * 10.0 ** np.arange(4000) ** 0.2
    if "reassoc" not in names:
        assert njit(fastmath=names)(total)(x) == total(x)


@pytest.mark.parametrize("names", SETS, ids=ids)
def test_contraction(names):
    got = njit(fastmath=names)(fused)(1 + 2**-30, 1 - 2**-30, -1.0)
    assert got == 0.0 if "contract" not in names else abs(got) <= 2**-60


@pytest.mark.parametrize("names", SETS, ids=ids)
def test_nan(names):
    if "nnan" in names:
        return
    assert njit(fastmath=names)(is_nan)(math.nan) == (True, True, False)
    x = np.ones(100)
    x[57] = math.nan
    assert math.isnan(njit(fastmath=names)(greatest)(x))


@pytest.mark.parametrize("names", SETS, ids=ids)
def test_quotients(names):
    f = njit(fastmath=names)(quotients)
    for x, y in ((7.5, 2.0), (-7.5, 2.0), (1e300, 3.0), (1e17, 0.1)):
        if abs(x / y) < 1e15 or not {"nnan", "afn"} <= names:
            assert f(x, y)[:2] == quotients(x, y)[:2]
        assert math.isclose(f(x, y)[2], x / y, rel_tol=1e-15)
        if "arcp" not in names:
            assert f(x, y)[2] == x / y


@pytest.mark.parametrize("names", SETS, ids=ids)
def test_signs_of_zeros(names):
    if names.isdisjoint({"nsz", "nnan", "ninf"}):
        got = njit(fastmath=names)(signs)(-0.0)
        assert [math.copysign(1, v) for v in got] == [1.0, -1.0, 1.0]
        assert math.isnan(njit(fastmath=names)(signs)(math.inf)[2])


@pytest.mark.parametrize("names", SETS, ids=ids)
def test_series(names):
    x = np.linspace(-3, 3, 1001)
    strict, got = njit(exponentials)(x), njit(fastmath=names)(exponentials)(x)
    assert math.isclose(strict, got, rel_tol=1e-14)
    if names.isdisjoint({"afn", "reassoc", "contract"}):
        assert strict == got


@pytest.mark.parametrize("kind", [set, list, tuple, frozenset, dict.fromkeys])
def test_iterables(kind):
    assert njit(fastmath=kind(["nnan", "nsz"]))(fused)(2.0, 3.0, 4.0) == 10.0


def shown(value):
    """A name that is the same in every process: sets have no order of their own."""
    return "+".join(sorted(value)) or "none" if isinstance(value, set) else str(value)


@pytest.mark.parametrize("value", [True, False, set(), {"fast"}, set(NAMES)], ids=shown)
def test_all_and_none(value):
    assert njit(fastmath=value)(fused)(2.0, 3.0, 4.0) == 10.0


WRONG = [{"nan"}, {"nnan", "all"}, [3], [None], "fast", b"nnan"]


@pytest.mark.parametrize("value", WRONG, ids=shown)
def test_refused(value):
    with pytest.raises((ValueError, TypeError), match="fastmath"):
        njit(fastmath=value)(fused)(2.0, 3.0, 4.0)


# ---- functions that are called ---------------------------------------------------------------


@njit
def lost(a, b):  # what the sum of both has lost by rounding
    s = a + b
    t = s - a
    return (a - (s - t)) + (b - t)


def lost_plain(a, b):
    s = a + b
    t = s - a
    return (a - (s - t)) + (b - t)


@njit
def lost_of_all(x):
    e = 0.0
    for i in range(x.size):
        e += lost(1.0, x[i])
    return e


def test_a_strict_function_stays_strict_in_a_fast_one():
    @njit(fastmath=True)
    def one(a, b):
        return lost(a, b)

    @njit(fastmath=True)
    def many(x):
        e = 0.0
        for i in range(x.size):
            e += lost(1.0, x[i])
        return e, lost_of_all(x)

    assert one(1.0, 1e-17) == 1e-17
    x = np.full(100, 1e-17)
    assert many(x) == pytest.approx((1e-15, 1e-15))
    assert njit(fastmath=True)(lost)(1.0, 1e-17) == 0.0  # it is seen


def test_a_fast_function_is_fast_in_a_strict_one():
    fast = njit(fastmath=True)(lost_plain)

    @njit
    def both(a, b):
        return fast(a, b), lost_plain(a, b)

    assert both(1.0, 1e-17) == (0.0, 1e-17)


def test_a_function_without_a_decorator_is_as_its_caller():
    @njit(fastmath=True)
    def fast(a, b):
        return lost_plain(a, b)

    @njit
    def strict(a, b):
        return lost_plain(a, b), fast(a, b)

    assert strict(1.0, 1e-17) == (1e-17, 0.0)


def test_the_same_function_under_two_options_as_an_argument():
    fast, strict = njit(fastmath=True)(lost_plain), njit(lost_plain)

    @njit
    def call(f, a, b):
        return f(a, b)

    assert call(fast, 1.0, 1e-17) == 0.0
    assert call(strict, 1.0, 1e-17) == 1e-17


def test_where_a_call_stays_for_its_options_explain_says_so():
    @njit
    def total_of(x):
        t = 0.0
        for i in range(x.size):
            t += x[i]
        return t

    @njit(fastmath=True)
    def many(x):
        t = 0.0
        for _ in range(3):
            t += total_of(x)
        return t

    assert many(np.ones(5)) == 15.0
    assert "its option fastmath is another" in str(many.explain())
