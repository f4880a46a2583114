# SPDX-License-Identifier: BSD-3-Clause
"""Ufuncs of `vectorize` whose calls NumPy makes with compiled loops."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swathe import njit, vectorize

FACTOR = 3.0


@vectorize
def add(a, b):
    return a + b


@vectorize(identity=0)
def summed(a, b):
    return a + b


@vectorize
def scaled(a, b):
    return a + b * FACTOR


@vectorize
def limited(a, b):
    if b > 3:
        raise ValueError("too large")
    return a + b


def same(got, want):
    assert type(got) is type(want)
    assert got.dtype == want.dtype
    assert np.array_equal(got, want)


@pytest.mark.parametrize("dtype", "bhilBHILefdFD")
def test_calls_again_yield_what_the_first_yields(dtype):
    a = np.arange(12).astype(dtype).reshape(3, 4)
    row, strided = np.arange(4).astype(dtype), np.arange(24).astype(dtype).reshape(3, 8)[:, ::-2]
    for other in (row, strided, a, np.asfortranarray(a), a[0, 1], a.dtype.type(2), a[:0], a[1:2]):
        for x, y in ((a if np.ndim(other) < 2 or len(other) else a[:0], other), (other, other)):
            for _ in range(3):
                same(add(x, y), np.add(x, y))


@pytest.mark.parametrize("dtype", "bhilefdFD")
@pytest.mark.parametrize("number", [2, 2.5, -7, 2j, 2**53 + 2])
def test_numbers_of_python_take_the_arrays_dtype(dtype, number):
    a = np.arange(4).astype(dtype)
    if dtype == "e" and number == 2**53 + 2:
        a = a.astype("d")
    if type(number) is int and np.dtype(dtype).kind == "i" and abs(number) > 100:
        a = a.astype("l")
    for _ in range(3):
        same(add(a, number), np.add(a, number))


def test_operands_that_overlap():
    for ins, out in ((slice(0, -1), slice(1, None)), (slice(1, None), slice(0, -1))):
        a, b = np.arange(50.0), np.arange(50.0)
        add(a[ins], a[ins], out=a[out])
        np.add(b[ins], b[ins], out=b[out])
        same(a, b)
    a, b = np.arange(50.0), np.arange(50.0)
    same(add(a, a[::-1], out=a), np.add(b, b[::-1], out=b))


def test_outputs_and_where():
    x = np.arange(5.0)
    for _ in range(2):
        same(add(x, x, out=np.zeros(5, "f4")), np.add(x, x, out=np.zeros(5, "f4")))
        same(add(x, x, np.ones(5), where=x > 2), np.add(x, x, np.ones(5), where=x > 2))
        same(add(x, 1.0, out=np.zeros((2, 5))), np.add(x, 1.0, out=np.zeros((2, 5))))
        with pytest.raises(TypeError, match="same_kind"):
            add(x, x, out=np.zeros(5, int))
        with pytest.raises(ValueError, match="read-only"):
            fixed = np.zeros(5)
            fixed.flags.writeable = False
            add(x, x, out=fixed)


def test_unaligned_and_swapped():
    x = np.arange(5.0)
    odd = np.zeros(41, np.uint8)[1:].view("f8")
    odd[:] = x
    for f in (add, vectorize(target="parallel")(add.py_func)):
        for _ in range(2):
            same(f(odd, odd), x * 2)
            same(f(x.astype(">f8"), odd), x * 2)
            assert np.array_equal(f(x, x, out=odd.copy()), x * 2)


@pytest.mark.parametrize("dtype", "bhilfdFD")
def test_reductions_keep_the_dtype(dtype):
    a = (np.arange(60) % 3).astype(dtype).reshape(3, 4, 5)
    for x in (a, a[:, ::-1, ::2], np.asfortranarray(a), a.T):
        for axis in (0, 1, -1):
            for _ in range(2):
                same(summed.reduce(x, axis), np.add.reduce(x, axis, x.dtype))
                same(add.accumulate(x, axis), np.add.accumulate(x, axis, x.dtype))
                same(
                    add.reduceat(x, [0, 2, 1], axis),
                    np.add.reduceat(x, [0, 2, 1], axis, x.dtype),
                )
        same(summed.reduce(x, None), np.add.reduce(x, None, x.dtype))
        same(
            summed.reduce(x, (0, 2), keepdims=True),
            a.dtype.type(0) + x.sum((0, 2), x.dtype, keepdims=True),
        )
    same(add.reduceat(a, [0, 1], 1, "D"), np.add.reduceat(a, [0, 1], 1, "D"))


def test_reduceat_says_what_is_wrong():
    with pytest.raises(IndexError, match="out-of-bounds"):
        add.reduceat(np.arange(4.0), [4])
    with pytest.raises(IndexError, match="out-of-bounds"):
        add.reduceat(np.arange(4), [-1], dtype="f8")


def test_identities():
    assert summed.reduce(np.zeros(0)) == 0
    assert summed.reduce(np.ones((3, 4)), axis=None) == 12
    with pytest.raises(ValueError, match="no identity"):
        add.reduce(np.zeros(0))
    with pytest.raises(ValueError, match="not reorderable"):
        add.reduce(np.ones((3, 4)), axis=None)


def test_at_takes_an_index_twice():
    a = np.zeros(4)
    add.at(a, [0, 0, 2], np.array([1.0, 2.0, 3.0]))
    same(a, np.array([3.0, 0, 3, 0]))


def test_exceptions_of_the_function():
    x = np.arange(5.0)
    for _ in range(2):
        same(limited(x, x[:1]), x)
        for wrong in (
            lambda: limited(x, x),
            lambda: limited(1.0, 4.0),
            lambda: limited(x, np.arange(100_000.0)[:, None]),
            lambda: limited.reduce(x),
            lambda: limited.accumulate(x),
            lambda: limited.at(x.copy(), [0], 9.0),
        ):
            with pytest.raises(ValueError, match="too large"):
                wrong()


def test_globals_that_change(monkeypatch):
    x, n = np.arange(5.0), np.arange(5)
    for factor in (3.0, 5.0, 2, 2.5, 4):
        monkeypatch.setattr(__import__(__name__), "FACTOR", factor, raising=False)
        monkeypatch.setitem(scaled.py_func.__globals__, "FACTOR", factor)
        for _ in range(2):
            same(scaled(x, x), x + x * factor)
            same(scaled(n, n), n + n * factor)
        same(scaled.accumulate(x)[-1:], np.array([x[1:].sum() * factor]))


def test_threads_share_one():
    x, wrong = np.arange(1000.0), []

    def work():
        for _ in range(200):
            if not np.array_equal(add(x, x), x * 2):
                wrong.append("sum")
            try:
                limited(x, x)
                wrong.append("no exception")
            except ValueError:
                pass

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_signatures_of_a_call():
    n = np.arange(4)
    same(add(n, n, signature="dd->d"), np.add(n, n, signature="dd->d"))
    same(add(n, n, signature=(float, None, None)), n * 2.0)
    with pytest.raises(TypeError, match="Cannot cast"):
        add(n + 0.5, n, signature="ll->l")
    with pytest.raises(ValueError, match="signature"):
        add(n, n, signature="d->d")
    with pytest.raises(TypeError, match="both"):
        add(n, n, signature="dd->d", dtype="f8")


def test_operands_are_asked():
    class Asked:
        def __array_ufunc__(self, f, method, *args, **options):
            return f, method, len(args)

    x = np.arange(4.0)
    add(x, x)
    assert add(Asked(), x) == (add, "__call__", 2)
    assert add(x, x, out=Asked()) == (add, "__call__", 2)
    assert add.reduceat(Asked(), [0]) == (add, "reduceat", 2)


def test_many_choices_and_compiled_callers():
    kinds = "?bhilBHILefdFD"
    for a in kinds:
        for b in kinds:
            if a + b != "??":
                x, y = np.ones(3, a), np.ones(3, b)
                same(add(x, y), np.add(x, y))

    @njit
    def whole(x):
        return add(x, x).sum()

    assert whole(np.arange(4.0)) == 12
