"""Texts of arrays, records, dates and complex numbers are NumPy's: print, str, repr, f-strings."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import njit


def texts(a):
    s = str(a) + repr(a) + f"{a}|{a!r}|{a!s:>40}|" + str((a, 1)) + "%s %r" % (a, a)
    return s + "{} {}".format(a, 2) + format(a) + repr([a])


def printed(a):
    print(a, (a, 2), [a], "of", len(a))
    print(f"{a} {a!r}", end="|")
    print(*a, sep=", ")


def parts(a):
    s = ""
    for i in range(len(a)):
        print(i, a[i])
        s += str(a[i]) + repr(a[i]) + f" {a[i]}"
    return s


def expressions(a):
    d = {1: a, 2: a + 1}
    print(d, f"{d}", a + 1, "mean", a.mean(axis=0), a.T, a[::-1, ::2])
    return str(a * 2.5) + repr(a > 1) + str(np.zeros(0)) + repr(np.array(2.5))


def optional(n):
    a = np.arange(n) if n > 2 else None
    print(a, "of", n)
    return f"{a} {a!r}" + str(a) + repr((a, n))


def complain(a, how):
    if how == 0:
        raise ValueError(f"bad {a} of {a.shape}")
    if how == 1:
        raise ValueError("bad", a)
    x = a if how == 2 else None
    raise RuntimeError(f"{x} {[a]}")


DTYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "M8[D]", "m8[s]"]
RECORDS = np.zeros(3, dtype=[("x", "i4"), ("y", "f8", 2)])
ARRAYS = {
    **{d: np.array([3, 1, 0]).astype(d) for d in DTYPES},
    "empty": np.zeros((2, 0)),
    "long": np.arange(1001) / 7,
    "wide": np.arange(40) * 1e5,
    "special": np.array([np.nan, -0.0, np.inf, 1e-300]),
    "Fortran": np.asfortranarray(np.eye(3)),
    "strided": np.arange(24.0).reshape(2, 3, 4)[:, ::-1, ::2],
    "records": RECORDS,
}


def both(capsys, f, *args):
    """What it yields or raises, and prints."""
    told = []
    for g in (njit(cache=False)(f), f):
        try:
            r = g(*args)
        except Exception as e:
            r = (type(e), str(e).split("\n  File")[0])
        told.append((r, capsys.readouterr().out))
    return told


@pytest.mark.parametrize("name", ARRAYS)
def test_texts_are_numpys(name, capsys):
    ours, numpys = both(capsys, texts, ARRAYS[name])
    assert ours == numpys and len(ours[0]) > 50


@pytest.mark.parametrize("name", ["i8", "f8", "c16", "strided", "records", "M8[D]"])
def test_is_printed_as_by_python(name, capsys):
    ours, pythons = both(capsys, printed, ARRAYS[name])
    assert ours == pythons and ours[1]
    ours, pythons = both(capsys, parts, ARRAYS[name])
    assert ours == pythons and ours[1]


def test_arrays_that_are_made(capsys):
    ours, pythons = both(capsys, expressions, np.arange(6).reshape(2, 3))
    assert ours == pythons


@pytest.mark.parametrize("n", [0, 2, 3])
def test_an_array_or_none(n, capsys):
    ours, pythons = both(capsys, optional, n)
    assert ours == pythons


@pytest.mark.parametrize("how", range(4))
def test_in_messages(how, capsys):
    ours, pythons = both(capsys, complain, np.arange(3.0), how)
    assert ours == pythons


def complex_texts(z):
    return f"{z} {z!r} {z!s:>20}" + str(z) + repr([z]) + format(z)


@pytest.mark.parametrize(
    "z",
    [1 + 2j, -2j, complex(-0.0, 1), complex("nan+infj"), 1e16 + 1e-7j, 0j, np.complex64(1.1 - 2j)]
    + [np.complex128(3j), np.complex64(0.1j)],
)
def test_complex_numbers(z, capsys):
    ours, pythons = both(capsys, complex_texts, z)
    assert ours == pythons


def test_options_of_numpy_are_looked_at_when_it_runs():
    f = njit(texts)
    a = np.arange(4) / 3
    assert f(a) == texts(a)
    with np.printoptions(precision=2, suppress=True, threshold=3):
        assert f(a) == texts(a)
    assert f(a) == texts(a)


def test_a_prange_that_prints_runs_on_one_thread(capsys):
    @njit(parallel=True)
    def f(a):
        s = 0.0
        for i in swathe.prange(len(a)):
            s += a[i].sum()
            if a[i, 0] > 0.9:
                print(a[i, :3], i)
        return s

    a = np.random.default_rng(1).random((300, 300))
    ours = f(a), capsys.readouterr().out
    assert np.isclose(ours[0], a.sum())
    assert ours[1] == "".join(f"{r[:3]} {i}\n" for i, r in enumerate(a) if r[0] > 0.9)
    assert "it runs in Python" in f.explain()


def test_lists_stay_as_they_are_while_an_array_is_printed(capsys):
    @njit
    def f(rows, names):
        s = ""
        for r in rows:
            names.append("x")
            s += str(r) + f"{len(names)}"
            print(r, names)
        return s

    rows, ours, theirs = [np.arange(3), np.arange(2)], ["a"], ["a"]
    assert f(rows, ours) == f.py_func(rows, theirs)
    assert ours == theirs
    out = capsys.readouterr().out
    assert out[: len(out) // 2] == out[len(out) // 2 :]


def test_nothing_leaks_and_threads_may_call_it():
    f = njit(texts)
    a = np.arange(5.0)
    expected = texts(a)
    f(a)
    before = live()
    wrong = []

    def work():
        for _ in range(40):
            if f(a) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    gc.collect()
    assert not wrong
    assert live() == before


def test_a_kernel_cannot():
    @swathe.kernel
    def k(a):
        print(a)

    with pytest.raises(swathe.errors.UnsupportedError, match="the text of an array in a kernel"):
        k[1, 2](np.zeros(3))


def test_a_format_of_an_array_is_refused():
    with pytest.raises(swathe.errors.UnsupportedError, match="the format '.2f' of float64"):
        njit(lambda a: f"{a:.2f}")(np.zeros(3))
