# SPDX-License-Identifier: BSD-3-Clause
"""Integers of the user wrap at 64 bits, as NumPy's int64 does; no proof may rest on sums."""

from __future__ import annotations

import numpy as np
import pytest

from swathe import njit, prange

TOP = 2**63 - 1
ENDS = [TOP, TOP - 1, TOP - 6, -(2**63), -(2**63) + 1, -(2**63) + 3, 2**62, -(2**62), 2**62 + 1,
        2**61, 3 * 2**61, 2**47, 2**32, 9, 8, 7, 3, 1, 0, -1, -8, -9]  # fmt: skip


def twice_at_least(x, n):
    k = max(n, 7) * 2
    if k < len(x):
        return x[k]
    return 0.0


def one_less(x, n):
    if n <= len(x):
        k = n - 1
        if k >= 0:
            return x[k]
    return 0.0


def one_more(x, n):
    if n + 1 < len(x) and n >= 0:
        return x[n] + 1
    return 0.0


def size_of(x, n):
    k = abs(n)
    if k < len(x):
        return x[k]
    return 0.0


def sum_of_two(x, n):
    m = n
    if n >= 0 and m >= 0:
        k = n + m
        if k < len(x):
            return x[k]
    return 0.0


def product(x, n):
    m = n
    if n > 0 and m > 0:
        k = n * m
        if k < len(x):
            return x[k]
    return 0.0


def half(x, n):
    if n * 2 // 2 == n:
        return 1.0
    return 2.0


def ordered(x, n):
    if n + 1 > n:
        return 1.0
    return 2.0


def times_four(x, n):
    m = n + 1
    if n * 4 < m * 4:
        return 1.0
    return 2.0


def near_the_end(x, n):
    s = 0.0
    for i in range(n, n + 5):
        if i < len(x) - 3 and i >= 0:
            s += x[i]
    return s


def stencil(x, n):
    s = 0.0
    for i in range(1, n - 1):
        s += x[i + 1] - x[i - 1]
    return s


def stencil_down(x, n):
    s = 0.0
    for i in range(n - 1, n - 4, -1):
        s += x[i]
    return s


def large_steps(x, n):
    s = 0.0
    for i in range(0, n, 2**62):
        s += x[i] + i
    return s


def counted(x, n):
    i = n
    for _ in range(5):
        i += 1
    if n >= 0 and i < len(x):
        return x[i]
    return 0.0


def climbing(x, n):
    i = 0
    s = 0.0
    while i < n:
        s += x[i]
        i += 2**61
    return s


def falling(x, n):
    s = 0.0
    i = n
    while i >= 0:
        s += x[i]
        i -= 3
    return s


def shifted(x, n):
    s = 0.0
    for i in range(4):
        k = i + n
        if k >= 0 and k < len(x):
            s += x[k]
    return s


def scaled(x, n):
    s = 0.0
    for i in range(4):
        s += x[i * n]
    return s


def clipped(x, n):
    s = 0.0
    for i in range(len(x)):
        s += x[min(max(i - n, 0), len(x) - 1)] + x[max(min(i + n, len(x) - 1), 0)]
    return s


def sliced(x, n):
    s = 0.0
    for v in x[n - 1 : n + 2]:
        s += v
    return s + len(x[: n + 1]) + len(x[n:]) + len(x[n + 1 : n - 1])


def sliced_by_steps(x, n):
    step = n | 1
    return x[::step].sum() + len(x[1::step]) * 10 + len(x[n::step])


def mirrored(x, n):
    y = x.copy()
    for i in prange(len(x)):
        k = n - i
        if k >= 0 and k < len(x):
            y[k] = x[i]
    return y.sum() + y[0]


def apart(x, n):
    y = np.arange(20.0)
    for i in range(8):
        k = i + n
        if k >= 0 and k < 20:
            y[k] = y[i] + 1
    return (y * np.arange(20)).sum()


def modulo(x, n):
    s = 0.0
    for i in range(6):
        s += x[(i + n) % len(x)]
    return s


CASES = [
    *(twice_at_least, one_less, one_more, size_of, sum_of_two, product, half, ordered, times_four),
    *(near_the_end, stencil, stencil_down, large_steps, counted, climbing, falling, shifted),
    *(scaled, clipped, sliced, sliced_by_steps, mirrored, apart, modulo),
]


def name_of(function):
    return function.__name__


def outcome(function, x, n):
    """Return its result, or the name of the error."""
    try:
        with np.errstate(over="ignore"):
            return float(function(x, n))
    except IndexError:
        return "IndexError"
    except ZeroDivisionError:
        return "ZeroDivisionError"


def arrays():
    yield np.arange(1.0, 9.0)
    yield np.arange(1.0, 17.0)[::-2]
    yield np.arange(1.0, 2.0)


@pytest.mark.parametrize("parallel", [False, True], ids=["serial", "parallel"])
@pytest.mark.parametrize("function", CASES, ids=name_of)
def test_ends_of_int64(function, parallel):
    compiled = njit(parallel=parallel)(function)
    for x in arrays():
        for n in ENDS:
            want = outcome(function, x, np.int64(n))
            assert outcome(compiled, x, n) == want, (n, x)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint32, np.int8])
@pytest.mark.parametrize(
    "function", [one_less, one_more, shifted, stencil_down, clipped], ids=name_of
)
def test_ends_of_other_integers(function, kind):
    compiled = njit(function)
    for n in (np.iinfo(kind).min, np.iinfo(kind).max, 3):
        for x in arrays():
            assert outcome(compiled, x, kind(n)) == outcome(function, x, kind(n)), n


def test_sizes_have_an_end():
    """Proofs rest on sizes far from the end of int64."""
    size = njit(lambda x: len(x))
    assert size(np.broadcast_to(np.int8(1), (2**59,))) == 2**59
    with pytest.raises(ValueError, match="2\\*\\*60"):
        size(np.broadcast_to(np.int8(1), (2**60,)))
    with pytest.raises(ValueError, match="2\\*\\*60"):
        size(np.empty((0, 2**61), np.int8))
    with pytest.raises(ValueError, match="too big"):
        njit(lambda n: np.zeros((0, n), np.int8))(2**62)


def few(n):
    s = 0.0
    for i in range(n, n + 8):
        s += 1.0 / (abs(i % 7) + 1)
    return s


def few_squares(n):
    y = np.zeros(16)
    k = 0
    for i in range(n, n + 8):
        y[i & 15] = np.sqrt(i & 255)
        k += 1
    return y.sum() + k


def few_down(n):
    s = 0.0
    for i in range(n, n - 8, -1):
        s += 1.0 / (abs(i % 7) + 1)
    return s


def far_apart(n):
    y = np.zeros(8)
    for i in range(n, 2**63 - 1, 2**61):
        y[(i >> 61) & 7] += np.sqrt(float(i & 255)) + 1
    return y.sum() + y[1] * 3


def far_apart_down(n):
    y = np.zeros(8)
    for i in range(n, -(2**63), -(2**61)):
        y[(i >> 61) & 7] += np.sqrt(float(i & 255)) + 1
    return y.sum() + y[1] * 3


@pytest.mark.parametrize("lanes", ["", "4", "8"])
@pytest.mark.parametrize("parallel", [False, True], ids=["serial", "parallel"])
@pytest.mark.parametrize(
    "function", [few, few_squares, few_down, far_apart, far_apart_down], ids=name_of
)
def test_ranges_near_the_ends(function, parallel, lanes, monkeypatch):
    if lanes:
        monkeypatch.setenv("SWATHE_LANES", lanes)
    if parallel:
        monkeypatch.setenv("SWATHE_GRAIN", "1")
    compiled = njit(parallel=parallel, fastmath=True, cache=False)(function)
    for n in ENDS:
        with np.errstate(over="ignore"):
            want = function(np.int64(n))
        assert compiled(n) == pytest.approx(want), n


INDICES = [
    "i * n",
    "i * n + m",
    "2 * i + n",
    "(i + m) * n",
    "i * n * m",
    "(n + j) * i",
    "n - i * m",
]
BODIES = ["y[k] = y[k] * 2 + i", "y[i] = y[k] + 1", "y[k] += 0.5 + y[(k + 1) & 7]"]
SOURCE = """
def f(y, n, m):
    for i in range(16):
        for j in range(2):
            k = {}
            if k >= 0 and k < 16:
                {}
"""


@pytest.mark.parametrize("lanes", ["4", "8"])
@pytest.mark.parametrize("index", INDICES)
def test_iterations_that_meet_by_wrapping(index, lanes, monkeypatch, tmp_path):
    """Iterations 0 and 4 meet at an index i * 2**62: they may not run side by side."""
    monkeypatch.setenv("SWATHE_LANES", lanes)
    for body in BODIES:
        text = SOURCE.format(index, body)
        file = tmp_path / f"m{abs(hash(body))}.py"
        file.write_text(text)
        names = {}
        exec(compile(text, str(file), "exec"), names)
        function = names["f"]
        wide = type(function)(function.__code__, {"range": lambda n: map(np.int64, range(n))})
        compiled = njit(cache=False)(function)
        for n in (2**62, 2**61, -(2**63), TOP, 6148914691236517205, 3, 1, 0, -1):
            for m in (2**62, -(2**62), 3, 0):
                want, got = np.arange(16.0), np.arange(16.0)
                with np.errstate(over="ignore"):
                    wide(want, np.int64(n), np.int64(m))
                compiled(got, n, m)
                assert np.array_equal(want, got), (body, n, m)


def fails_at_once(x, lo, hi):
    for i in range(lo, hi):
        x[i] += 1


def fails_in_parallel(x, lo, hi):
    for i in prange(lo, hi):
        x[i] += 1


def fails_in_steps(x, lo, hi):
    for i in range(lo, hi, 3):
        x[i] += 1


def fails_going_down(x, lo, hi):
    for i in range(hi, lo, -1):
        x[i] += 1


def ends_by_break(x, lo, hi):
    s = 0.0
    for i in range(lo, hi):
        s += x[i & 7] * 0.5
        if s > 1000:
            break
    raise IndexError


ENDLESS = [fails_at_once, fails_in_parallel, fails_in_steps, fails_going_down, ends_by_break]
WIDE = [(-TOP - 1, TOP), (-(2**62) - 5, 3 * 2**61), (-TOP - 1, 3), (-3, TOP)]


@pytest.mark.parametrize("lanes", ["", "4"])
@pytest.mark.parametrize("parallel", [False, True], ids=["serial", "parallel"])
@pytest.mark.parametrize("function", ENDLESS, ids=name_of)
def test_ranges_of_more_than_an_int64_counts(function, parallel, lanes, monkeypatch):
    if lanes:
        monkeypatch.setenv("SWATHE_LANES", lanes)
    compiled = njit(parallel=parallel, cache=False)(function)
    for lo, hi in WIDE:
        with pytest.raises(IndexError):
            compiled(np.ones(8), lo, hi)


def left_early(x, m):
    for i in range(16):
        for j in range(m):
            k = i * m + j
            if k >= 0 and k < len(x):
                x[k] = x[k] * 3 + i
            if j > 5:
                break


def in_great_steps(x, m):
    for i in range(16):
        for j in range(0, m, 2**58):
            k = i * m + j
            if k >= 0 and k < len(x):
                x[k] = x[k] * 3 + i


def through_a_handler(x, m):
    for i in range(16):
        try:
            for j in range(m):
                k = i * m + j
                if k >= 0 and k < len(x):
                    x[k] = x[k] * 3 + i
                if j > 5:
                    raise ValueError
        except ValueError:
            pass


@pytest.mark.parametrize("lanes", ["", "4", "8"])
@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("function", [left_early, in_great_steps, through_a_handler])
def test_rounds_that_meet_by_wrapping(function, parallel, lanes, monkeypatch):
    """Where an inner loop has few rounds, however far apart its ends are, i * m comes round."""
    monkeypatch.setenv("SWATHE_LANES", lanes)
    f = njit(parallel=parallel, cache=False)(function)
    for m in (2**62, 2**61, 2**60 + 1, 4, 7, 1, 0, -5):
        x, want = np.arange(40), np.arange(40)
        steps = range(0, m, 2**58) if function is in_great_steps else range(min(m, 7))
        for i in range(16):
            for j in steps:
                k = (i * m + j + 2**63) % 2**64 - 2**63
                if 0 <= k < 40:
                    want[k] = want[k] * 3 + i
        f(x, m)
        np.testing.assert_array_equal(x, want)


def shifted(x, y, n):
    s = 0.0
    for i in range(1, len(y) - 2):
        s += x[i + n]
    return s


@pytest.mark.parametrize("n", [TOP, TOP - 6, TOP - 30, -(2**63), -(2**63) + 5, 40, -45])
def test_a_shift_that_wraps_with_a_length(n):
    """The test before the loop compares n + len(y) with len(x)."""
    f = njit(cache=False)(shifted)
    assert f(np.ones(40), np.ones(33), 2) == 30.0
    for length in (0, 7, 40):
        with pytest.raises(IndexError):
            f(np.ones(length), np.ones(33), n)
