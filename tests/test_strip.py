"""Loops whose index checks run a strip at a time: results, and what is done before an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import swathe
from swathe import prange


def gather(x, index, out):
    for i in range(index.size):
        out[i] = x[index[i]]


def scatter(x, index, out):
    for i in range(index.size):
        out[index[i]] = x[i]


def permute(x, first, second, out):
    for i in range(first.size):
        out[second[i]] += 2.0 * x[first[i] + 1]


def table(x, rows, columns, out):
    for i in range(rows.size - 2):
        out[i] = x[rows[i + 2], columns[i]]


def chain(index, other, out):
    for i in range(index.size):
        out[i] = other[index[other[i]]]


def tail(x, index, out):
    for r in range(3):
        for i in range(r, index.size):
            out[i] += x[index[i - r]]


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[str, str]:
    """Call, and yield the kind of error and its message."""
    try:
        function(*args)
    except IndexError as error:
        return type(error).__name__, str(error).split(" for axis")[0]
    return "", ""


def same(function: Callable[..., Any], *args: np.ndarray) -> str:
    """Compare with Python on copies of the arguments; yield the kind of error."""
    want = [a.copy() for a in args]
    expected = outcome(function, tuple(want))
    assert outcome(swathe.njit(cache=False)(function), args) == expected
    for a, b in zip(args, want, strict=True):
        np.testing.assert_array_equal(a, b)
    return expected[0]


SIZES = (0, 1, 63, 64, 1500, 4097, 8191, 8192, 8193, 20000)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint16, np.uint64])
def test_all_in_range(dtype: type) -> None:
    rng = np.random.default_rng(3)
    for n in SIZES:
        x = rng.random(20000)
        index = rng.integers(0, 1500, n).astype(dtype)
        if dtype is not np.uint64:  # Python's own sum of uint64 and int is a float
            assert same(permute, x, index, index[::-1].copy(), np.zeros(1500)) == ""
        assert same(gather, x, index, np.zeros(n)) == ""
        assert same(scatter, x, index, np.zeros(1500)) == ""


@pytest.mark.parametrize("function", [gather, scatter])
@pytest.mark.parametrize("bad", [-1, -10000, -10001, 10000, 2**62, -(2**63), 2**63 - 1])
@pytest.mark.parametrize("at", [0, 8191, 8192, 9000, 9999])
def test_an_index_out_of_the_ordinary(function: Callable[..., Any], bad: int, at: int) -> None:
    rng = np.random.default_rng(4)
    x = rng.random(10000)
    index = rng.integers(0, 10000, 10000)
    index[at] = bad
    error = same(function, x, index, np.zeros(10000))
    assert error == ("" if -10000 <= bad < 10000 else "IndexError")


def test_stores_to_the_index_itself() -> None:
    index = np.arange(1, 1501)
    index[-1] = 0
    view = index[:]
    assert same(gather, np.arange(1500), index, np.zeros(1500)) == ""
    compiled = swathe.njit(cache=False)(gather)
    for shift in (0, 1, 700):
        mine = np.concatenate([view, view])
        theirs = mine.copy()
        compiled(np.arange(1500) * 7 % 1500, mine[:1500], mine[shift : shift + 1500])
        gather(np.arange(1500) * 7 % 1500, theirs[:1500], theirs[shift : shift + 1500])
        np.testing.assert_array_equal(mine, theirs)


def test_two_axes_and_chains() -> None:
    rng = np.random.default_rng(5)
    for n in SIZES[2:]:
        rows, columns = rng.integers(0, 40, n), rng.integers(-49, 50, n)
        assert same(table, rng.random((40, 50)), rows, columns, np.zeros(n)) == ""
        assert same(table, rng.random((40, 50)), rows, abs(columns), np.zeros(n)) == ""
        assert same(chain, rng.integers(0, n, n), rng.integers(0, n, n), np.zeros(n)) == ""
        assert same(tail, rng.random(n), rng.integers(0, n, n), np.zeros(n)) == ""
    rows[700] = 40
    assert same(table, rng.random((40, 50)), rows, abs(columns), np.zeros(n)) == "IndexError"


def test_arrays_too_short_for_the_loop() -> None:
    index = np.arange(1500)
    assert same(gather, np.ones(1500), index, np.zeros(1200)) == "IndexError"
    assert same(scatter, np.ones(900), index, np.zeros(1500)) == "IndexError"
    assert same(permute, np.ones(1600), index, index[:700].copy(), np.zeros(1500)) == "IndexError"


def test_remark() -> None:
    compiled = swathe.njit(cache=False)(gather)
    compiled(np.ones(100), np.arange(100), np.zeros(100))
    assert "one test for each strip" in str(compiled.explain())


def own(x, index, out):
    y = np.empty(index.size)
    for i in range(index.size):
        y[i] = x[index[i]]
    out[: y.size] = y


def gather_side_by_side(x, index, out):
    for i in prange(index.size):
        out[i] = x[index[i]]


def scatter_side_by_side(x, index, out):
    for i in prange(index.size):
        out[index[i]] = x[i] + 1


def positive_side_by_side(x, index, out):
    for i in prange(index.size):
        if x[i] > 0:
            out[index[i]] = x[i]


WIDE = [own, gather_side_by_side, scatter_side_by_side, positive_side_by_side]
WIDE_SIZES = (0, 1, 31, 63, 64, 65, 95, 96, 1000, 33000)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Chunks run in order, so that of two stores to one element the last one counts."""
    n = swathe.get_num_threads()
    swathe.set_num_threads(1)
    yield
    swathe.set_num_threads(n)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("function", WIDE)
@pytest.mark.parametrize("dtypes", ["dq", "fi", "qI", "hq", "dh"])
@pytest.mark.parametrize("boundscheck", [False, True])
def test_groups(function: Callable[..., Any], dtypes: str, boundscheck: bool) -> None:
    rng = np.random.default_rng(6)
    compiled = swathe.njit(cache=False, parallel=True, boundscheck=boundscheck)(function)
    for n in WIDE_SIZES:
        x = rng.integers(-50, 50, n + 5).astype(dtypes[0])
        index = np.minimum(rng.integers(0 if dtypes[1] == "I" else -5, n + 5, n), 32000)
        if n == 96 and dtypes[1] != "I":
            index[[0, 40, 95]] = -100
        index = index.astype(dtypes[1])
        got, want = np.zeros((2, n + 5), dtypes[0])
        compiled(x, index, got)
        function(x, index, want)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("function", WIDE[:3])
@pytest.mark.parametrize("bad", [400, -401, 2**62, -(2**63)])
@pytest.mark.parametrize("at", [0, 31, 32, 200, 383, 384, 399])
def test_a_bad_index_in_a_group(function: Callable[..., Any], bad: int, at: int) -> None:
    index = np.arange(400)[::-1].copy()
    index[at] = bad
    x, got = np.arange(1.0, 401), np.zeros(400)
    compiled = swathe.njit(cache=False, parallel=True)(function)
    error = outcome(compiled, (x, index, got))
    assert error == outcome(function, (x, index, np.zeros(400)))
    assert error[0] == "IndexError"
    done = np.flatnonzero(got)  # others may have run
    right = x[::-1] + (function is scatter_side_by_side)
    np.testing.assert_array_equal(got[done], right[done])


def test_groups_leave_overlapping_arrays_alone() -> None:
    compiled = swathe.njit(cache=False, parallel=True)(gather_side_by_side)
    for shift in (1, 3, 32, 100):
        got, want = np.arange(2000.0), np.arange(2000.0)
        index = np.arange(1800)
        compiled(got[:1800], index, got[shift : shift + 1800])
        gather(want[:1800], index, want[shift : shift + 1800])
        np.testing.assert_array_equal(got, want)


def rows(start, column, value, x, y):
    for i in range(y.size):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k]]
        y[i] = total


def spread(start, column, value, x, y):
    for i in range(y.size):
        for k in range(start[i], start[i + 1]):
            x[column[k]] += value[k] * i
        y[i] = start[i] * 0.5


def ends(first, last, column, x, y):
    for i in range(y.size):
        for k in range(first[i] - 1, last[i] + 2):
            y[i] += x[column[k]]


def matrix(n: int, most: int, seed: int = 0) -> list[np.ndarray]:
    """Make a sparse matrix of small integers, with empty rows, and two vectors."""
    g = np.random.default_rng(seed)
    start = np.concatenate([[0], np.cumsum(g.integers(0, most, n))])
    column = g.integers(0, n, start[-1])
    return [
        start,
        column,
        g.integers(-9, 9, start[-1]) * 1.0,
        g.integers(-9, 9, n) * 1.0,
        np.zeros(n),
    ]


ROW_OPTIONS: list[dict[str, bool]] = [
    {},
    {"fastmath": True},
    {"boundscheck": False, "fastmath": True},
]


@pytest.mark.parametrize("options", ROW_OPTIONS)
@pytest.mark.parametrize(("n", "most"), [(3, 4), (500, 1), (1500, 9), (200, 40), (70, 2000)])
def test_rows_of_a_sparse_matrix(options: dict[str, bool], n: int, most: int) -> None:
    args = matrix(n, most)
    for function in (rows, spread):
        want = [a.copy() for a in args]
        function(*want)
        swathe.njit(cache=False, **options)(function)(*args)
        for a, b in zip(args, want, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("options", ROW_OPTIONS)
def test_rows_that_overlap_go_backwards_and_count_from_the_end(options: dict[str, bool]) -> None:
    start, column, value, x, y = matrix(400, 9)
    column[::7] -= 400
    start[50:60] = start[50:60][::-1].copy()
    start[100] = 0
    start[200] = -30
    want = y.copy()
    rows(start, column, value, x, want)
    swathe.njit(cache=False, **options)(rows)(start, column, value, x, y)
    np.testing.assert_array_equal(y, want)


@pytest.mark.parametrize("fastmath", [False, True])
@pytest.mark.parametrize("where", [0, 700, 5000])
@pytest.mark.parametrize("bad", [1400, -1401, 2**62, -(2**63)])
def test_a_bad_column_is_found_in_its_row(fastmath: bool, where: int, bad: int) -> None:
    for function in (rows, spread):
        args = matrix(1400, 9)
        args[1][where] = bad
        want = [a.copy() for a in args]
        expected = outcome(function, tuple(want))
        assert expected[0] == "IndexError"
        compiled = swathe.njit(cache=False, fastmath=fastmath)(function)
        assert outcome(compiled, tuple(args)) == expected
        for a, b in zip(args, want, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("absurd", [2**63 - 1, -(2**63), 2**62, -1, 10**6])
def test_absurd_rows(absurd: int) -> None:
    for where in (0, 399, 512, 1399, 1400):
        args = matrix(1400, 9)
        args[0][where] = absurd
        args[0][max(where - 1, 0)] = min(absurd, 5)  # the row before is empty, or fails soon
        want = [a.copy() for a in args]
        expected = outcome(rows, tuple(want))
        assert outcome(swathe.njit(cache=False, fastmath=True)(rows), tuple(args)) == expected
        np.testing.assert_array_equal(args[4], want[4])


def test_rows_given_by_both_ends() -> None:
    g = np.random.default_rng(1)
    first = g.integers(1, 900, 300)
    last = first + g.integers(-3, 6, 300)
    column, x, y = g.integers(-50, 50, 1000), g.integers(-9, 9, 50) * 1.0, np.zeros(300)
    assert same(ends, first, last, column, x, y) == ""
    last[200] = 2**62
    assert same(ends, first, last, column, x, y) == "IndexError"


def test_rows_whose_result_is_what_they_read() -> None:
    compiled = swathe.njit(cache=False, fastmath=True)(rows)
    for k in (2, 3):
        mine, theirs = matrix(400, 9), matrix(400, 9)
        for function, (start, column, *arrays) in ((compiled, mine), (rows, theirs)):
            x = arrays[1]
            function(start, column, arrays[0], x, arrays[k - 2][:400])
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    start, column = np.arange(0, 2408, 6), np.arange(2400) % 400
    for function in (compiled, rows):
        index = column.copy()
        function(start, index, np.ones(2400), np.ones(400), index[300:700])
    np.testing.assert_array_equal(index[300:700], 6)


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    swathe.njit(cache=False, fastmath=True)(rows)(*matrix(400, 9))
    assert capfd.readouterr() == ("", "")


def bins(x, counts):
    for i in range(x.size):
        k = int(x[i])
        if k >= 0 and k < counts.size:
            counts[k] += 1


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 2.0**63, -(2.0**63) * 1.5])
def test_int_of_a_float_is_tested_where_it_is_no_index(dtype, bad):
    """The usual way has no test of the float, and yet none is missed."""
    f = swathe.njit(cache=False)(bins)
    x, counts = np.arange(-3, 9).astype(dtype), np.zeros(5, np.int64)
    f(x, counts)
    assert counts.tolist() == [1] * 5
    (text,) = f.inspect_ir().values()
    assert text.index("else") < text.index("check inv(isnan(")
    x[7] = bad
    with pytest.raises((ValueError, OverflowError)):
        f(x, counts)
    assert counts.tolist() == [2] * 4 + [1]
    x[7] = -(2.0**63)
    f(x, counts)


# ---- forms: branches, backwards, other dtypes ----


def padded(x, index, out):
    for i in range(index.size):
        k = index[i]
        if k >= 0:
            out[i] = x[k]


def skipping(x, index, out):
    for i in range(index.size):
        k = index[i]
        if k < 0 or k == 3:
            continue
        out[i] += x[k]


def other_side(x, index, out):
    for i in range(index.size):
        if index[i] < 0:
            out[i] = -1.0
        else:
            out[i] = x[index[i]]


def by_another(x, index, out):
    for i in range(index.size):
        if x[i] > 0.5:
            out[index[i]] += x[i]


def set_in_branch(x, index, out):
    k = 0
    for i in range(index.size):
        if i > 5:
            k = index[i]
        out[i] = x[k]


def backwards(x, index, out):
    for i in range(index.size - 1, -1, -1):
        out[index[i]] = x[i]


def backwards_from(x, index, out):
    for i in range(index.size - 3, 1, -1):
        out[i] = x[index[i - 1]] - x[index[i + 2]]


def of_columns(x, index, out):
    pairs = index[: index.size // 2 * 2].reshape(index.size // 2, 2)
    for e in range(pairs.shape[0]):
        out[pairs[e, 0]] += x[e]
        out[pairs[e, 1]] -= x[e]


def eight(x, index, out):
    for i in range(index.size):
        k = index[i]
        out[k] += x[k] * out[i] + x[i]


IN_FORMS = (
    padded, skipping, other_side, by_another, set_in_branch, backwards, backwards_from, of_columns,
    eight,
)  # fmt: skip


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("function", IN_FORMS, ids=lambda f: f.__name__)
def test_forms(function: Callable[..., Any], dtype: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lengths around a strip; indices that are negative, out of range, and large."""
    monkeypatch.setenv("SWATHE_SMALL", "1")
    rng = np.random.default_rng(7)
    call = swathe.njit(cache=False)(function)
    top = min(np.iinfo(dtype).max, 2**63 - 1)
    for n in (0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 40):
        for bad in (None, -1, -n, -n - 1, n, 200, top):
            if bad is not None and (bad < np.iinfo(dtype).min or bad > top or not n):
                continue
            index = rng.integers(0, max(n, 1), n).astype(dtype)
            if bad is not None:
                index[int(rng.integers(0, n))] = bad
            x, ours, theirs = rng.random(n), np.zeros(n), np.zeros(n)
            assert outcome(call, (x, index, ours)) == outcome(function, (x, index, theirs))
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("function", IN_FORMS, ids=lambda f: f.__name__)
def test_every_pass_on_forms(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, held against the interpreter."""
    monkeypatch.setenv("SWATHE_SMALL", "1")
    monkeypatch.setenv("SWATHE_CHECK", "2")
    same(function, np.ones(20), np.arange(20), np.zeros(20))


@pytest.mark.parametrize(
    "function,yes",
    [(padded, True), (skipping, True), (backwards, True), (eight, True), (of_columns, False)],
    ids=lambda f: getattr(f, "__name__", f),
)
def test_which_forms_are_looked_at(function: Callable[..., Any], yes: bool) -> None:
    """A column is not: its elements are not neighbours."""
    call = swathe.njit(cache=False)(function)
    call(np.ones(20), np.arange(20), np.zeros(20))
    assert ("one test for each strip" in call.explain()) == yes


def test_indices_that_are_stored_to_in_a_branch() -> None:
    """The look ahead would see what the loop has yet to change."""

    def f(index, out):
        for i in range(index.size):
            if out[i] >= 0:
                out[index[i]] = i
                index[(i + 1) % index.size] = 0

    for n in (1, 70, 300):
        same(f, np.arange(n)[::-1].copy(), np.zeros(n, np.int64))
        ours, theirs = np.arange(2 * n), np.arange(2 * n)
        f(theirs[:n], theirs[n // 2 : n // 2 + n])
        swathe.njit(cache=False)(f)(ours[:n], ours[n // 2 : n // 2 + n])
        np.testing.assert_array_equal(ours, theirs)
