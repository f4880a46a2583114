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
