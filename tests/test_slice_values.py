"""Slices that are values: in variables, as arguments and results, from outside, as indices."""

from __future__ import annotations

import numpy as np
import pytest

import swathe

NAME, AGE, BACK = slice(0, 3), slice(3, 5), slice(None, None, -1)


def part(x, s):
    return x[s]


def made(n):
    return slice(n, n + 2)


def read(n, x, a):
    s = slice(1, 3)
    t = slice(n) if n > 1 else slice(None, None, -1)
    found = [x[made(i)] for i in range(n)]
    for u in (slice(0, n), slice(n, None), slice(None)):
        found.append(x[u])
    return (
        x[s],
        x[t],
        x[slice(0, n)],
        "hello"[s],
        b"hello"[s],
        range(9)[s],
        (x[0], *x)[t],
        a[s],
        a[t],
        part(x, s),
        part("world", t),
        x[made(n)],
        found,
        (s.start, t.stop, t.step),
    )


def from_outside(rows, a):
    return [(r[NAME].strip(), int(r[AGE]), r[BACK]) for r in rows], a[NAME], a[BACK], NAME.stop


def written(x, n):
    s = slice(1, 6, 2)
    x[s] = [7, 8, 9]
    del x[made(0)]
    x[slice(0, 1)] = [n, n, n]
    b = bytearray(b"abcdef")
    b[slice(0, n)] = b"yy"
    return b


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_read(n):
    x, a = [5, 6, 7, 8], np.arange(4.0)
    assert str(swathe.njit(read)(n, x, a)) == str(read(n, x, a))


def test_from_outside():
    args = ["bob42", "ann07"], np.arange(6)
    assert str(swathe.njit(from_outside)(*args)) == str(from_outside(*args))


def test_written():
    x, y = list(range(8)), list(range(8))
    assert swathe.njit(written)(x, 2) == written(y, 2)
    assert x == y


def test_step_of_zero():
    def f(x, n):
        return x[slice(0, 3, n)]

    with pytest.raises(ValueError, match="slice step cannot be zero"):
        swathe.njit(f)([1, 2], 0)


def test_a_field_holds_none():
    class Window:
        def __init__(self, s):
            self.s = s

    def f(x, n):
        return x[Window(slice(0, n)).s]

    with pytest.raises(swathe.CompileError, match="can't hold a slice"):
        swathe.njit(f)([1, 2], 1)


SLICES = [
    slice(1, 5),
    slice(None),
    slice(None, None, -1),
    slice(-3, None),
    slice(None, -1, 2),
    slice(5, 1, -2),
    slice(10, 20),
    slice(0, 0),
    slice(-9, 9, 3),
    slice(9, -9, -3),
    slice(np.int64(1), None),
]
SLICED = [
    "abcdefgh",
    "",
    "añ🎉z",
    [1, 2, 3, 4, 5, 6],
    [],
    [0.5],
    b"bytes",
    range(9),
    np.arange(7.0),
]


@pytest.mark.parametrize("s", SLICES, ids=str)
def test_from_python(s):
    f = swathe.njit(part)
    for x in SLICED:
        assert repr(f(x, s)) == repr(part(x, s))


def ways(a, s, n):
    return s, (s.start, s.stop, s.step), s.indices(n), s == slice(1, 5), s != slice(1, 5), a[1:][s]


@pytest.mark.parametrize("s", SLICES[:-1], ids=str)
@pytest.mark.parametrize("n", [0, 1, 5, 9])
def test_its_parts(s, n):
    f = swathe.njit(ways)
    assert f([1, 2, 3, 4, 5], s, n) == ways([1, 2, 3, 4, 5], s, n)


@pytest.mark.parametrize("s", SLICES, ids=str)
def test_in_a_tuple(s):
    a, f = np.arange(12).reshape(3, 4), swathe.njit(part)
    for index in [(s, slice(1, 3)), (s, 1), (slice(None), s), (0, s)]:
        assert repr(f(a, index)) == repr(part(a, index))


def stored(x, a, s):
    x[s] = [7, 8, 9]
    a[s] = 7
    del x[s]
    return x, a


@pytest.mark.parametrize("s", [slice(1, 3), slice(None), slice(-2, None), slice(4, 9)], ids=str)
def test_stored_to(s):
    got = swathe.njit(stored)([1, 2, 3, 4, 5], np.arange(6), s)
    assert repr(got) == repr(stored([1, 2, 3, 4, 5], np.arange(6), s))


def chosen(n):
    return slice(0, 2) if n > 1 else slice(1, 5, n)


def test_returned():
    f = swathe.njit(chosen)
    assert [f(n) for n in (0, 1, 2)] == [chosen(n) for n in (0, 1, 2)]


@pytest.mark.parametrize(
    ("s", "error", "text"),
    [
        (slice(1 << 70), OverflowError, "has an int that does not fit in int64"),
        (slice("a"), TypeError, "is a slice with a part of type str"),
        (slice(0, 1.5), TypeError, "is a slice with a part of type float"),
        (slice(0, 3, 0), ValueError, "slice step cannot be zero"),
    ],
)
def test_not_taken(s, error, text):
    with pytest.raises(error, match=text):
        swathe.njit(part)([1, 2], s)


def test_indices_of_nothing():
    f = swathe.njit(lambda s, n: s.indices(n))
    with pytest.raises(ValueError, match="length should not be negative"):
        f(slice(1), -1)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        f(slice(1, 2, 0), 3)
