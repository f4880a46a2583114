"""Dates and time spans: what is refused and how, the cache, memory, and each pass held against the
interpreter. Values are held against NumPy in diff/test_times.py."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import njit

sys.path.insert(0, str(Path(__file__).parent))
from test_cache import Place  # noqa: E402


def truth(a):
    return 1 if a[0] else 2


def to_int(a):
    return int(a[0])


def to_float(a):
    return float(a[0])


def raised(a):
    raise ValueError(a[0])


def indexed(a):
    return a[a[0]]


def counted(a):
    return range(a[0])


def root(a):
    return np.sqrt(a)


def bits(a):
    return a & 1


def product(a):
    return a @ a


def any_of(a):
    return np.any(a)


def plain_list(a):
    return [1, a[0]]


def joined(a):
    x = 1
    if len(a) > 1:
        x = a[0]
    return x


def stored(a):
    b = np.zeros(3, np.int64)
    b[0] = a[0]
    return b


def in_place(a):
    b = np.zeros(len(a), np.int64)
    b += a
    return b


def in_tuple(a):
    return a[0] in (a[0], a[1])


def tuples(a):
    return (a[0], 1) == (a[1], 1)


def maybe(a):
    x = a[0] if len(a) > 3 else None
    return x == a[1]


def tuple_keys(a):
    return {(a[0], 1): 2}


def calendar(a):
    return np.busday_count(a[0], a[1])


def today(a):
    return a - np.datetime64("today")


def greatest(a):
    return max(a[0], a[1])


def as_float(a):
    return a.astype(np.float64)


def other_units(a):
    return np.concatenate((a, a.astype("m8[s]")))


def ones(a):
    return np.ones(3, dtype="m8[D]")


def summed(a):
    s = np.timedelta64(0, "D")
    for i in swathe.prange(len(a)):
        s += a[i]
    return s


REFUSED = [
    truth, to_int, to_float, raised, indexed, counted, root, bits, product, any_of,
    stored, tuples, in_tuple, maybe, tuple_keys, greatest, as_float,
    other_units, ones,
]  # fmt: skip


@pytest.mark.parametrize("f", [plain_list, joined])
@pytest.mark.parametrize("a", [["2020-01-01", "2021-02-03"], ["2020-01-01"]], ids=len)
def test_beside_numbers(f, a):
    a = np.array(a, "M8[D]")
    want, got = f(a), swathe.njit(f)(a)
    assert want == got and type(want) is type(got)


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused_by_name(f):
    with pytest.raises(swathe.CompileError, match=r"timedelta64\[D\]"):
        njit(cache=False)(f)(np.arange(4).view("m8[D]"))


@pytest.mark.parametrize("f", [calendar, today, in_place], ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(
        swathe.CompileError, match=r"busday_count|\"today\"|cannot store|datetime64"
    ):
        njit(cache=False)(f)(np.arange(4).view("M8[D]"))


def test_sum_in_a_prange_is_no_silent_race():
    with pytest.raises(swathe.CompileError, match="'s' carries a value"):
        njit(cache=False, parallel=True)(summed)(np.arange(4).view("m8[D]"))


def test_swapped_bytes_are_taken():
    def moved(a):
        since = a - a[0]
        a[1] = a[3]
        return since, a.max()

    a = np.arange(4).view("M8[D]").astype(">M8[D]")
    b = a.copy()
    (x, y), (u, v) = njit(moved)(a), moved(b)
    assert (x == u).all() and x.dtype == u.dtype.newbyteorder("=") and y == v and (a == b).all()


PROGRAM = """
@swathe.njit
def f(a):
    return a - a[0], a.max(), np.zeros(2, "m8[25s]"), [a[0]], np.datetime64("2020-02-29")
report(f, np.arange(4).view("UNIT"))
"""


def test_second_process_finds_it(tmp_path):
    """Dtypes have other numbers in the second process, where another one comes first."""
    place = Place(tmp_path)
    first = place.one(PROGRAM.replace("UNIT", "M8[D]"))
    before = "swathe.njit(cache=False)(lambda x: x)(np.zeros(1, 'm8[7Y]'))"
    again = place.one(before + PROGRAM.replace("UNIT", "M8[D]"))
    other = place.one(PROGRAM.replace("UNIT", "M8[s]"))
    assert first["compiled"] == 1 and again["cached"] == 1 and other["compiled"] == 1
    assert first["result"] == again["result"]
    assert "timedelta64[s]" in other["result"]


def test_constants_of_another_unit_are_another_program(tmp_path):
    place = Place(tmp_path)
    text = """
    STEP = np.timedelta64(5, "UNIT")
    @swathe.njit
    def f(n):
        return STEP * n
    report(f, 3)
    """
    results = []
    for unit in ("D", "s"):
        (r,) = place.run(text.replace("UNIT", unit))
        assert r["compiled"] == 1
        results.append(r["result"])
    assert results == ["np.timedelta64(15,'D')", "np.timedelta64(15,'s')"]


def several(a, d, x):
    b = a - d
    x.append(d)
    return b, a[1:], a, (b[0], d), x, np.sort(a)


def test_nothing_is_lost():
    f = njit(cache=False)(several)
    a, d = np.arange(5).view("M8[D]"), np.datetime64("2020-01-01")

    def go():
        f(a, d, [d])
        with pytest.raises(IndexError):
            fails(a, 9)

    @njit(cache=False)
    def fails(a, i):
        return (a - a[0])[i]

    for _ in range(3):
        go()
    before = live(), sys.getrefcount(a), sys.getrefcount(a.dtype)
    for _ in range(20):
        go()
    assert (live(), sys.getrefcount(a), sys.getrefcount(a.dtype)) == before


def passes(a, b, n):
    d = (a - b) // np.timedelta64(1, "h") + n
    m = np.maximum(a, b.astype("M8[s]"))
    t = (a - b).sum()
    best = np.datetime64("NaT")
    for x in a:
        if np.isnat(best) or x > best:
            best = x
    return d, m, t, best, np.where(np.isnat(a), b, a), a.max(), (a - b).mean()


def test_each_pass_against_the_interpreter(monkeypatch):
    monkeypatch.setenv("SWATHE_CHECK", "2")
    a, b = np.arange(6).view("M8[D]"), np.arange(6)[::-1].view("M8[D]")
    got = njit(cache=False)(passes)(a, b, 2)
    for x, y in zip(got, passes(a, b, 2), strict=True):
        assert np.asarray(x).dtype == np.asarray(y).dtype and np.array_equal(x, y)


def test_kernels_and_ufuncs():
    @swathe.vectorize(cache=False)
    def since(x, y):
        return x - y

    a = np.array(["2020-01-03", "NaT"], "M8[D]")
    got = since(a, a[0])
    assert got.dtype == "m8[D]" and got.view("i8").tolist() == [0, np.iinfo(np.int64).min]
