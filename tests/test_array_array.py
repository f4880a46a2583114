# SPDX-License-Identifier: BSD-3-Clause
"""array.array: Python's numbers in a column of the typecode's dtype, which functions share."""

from __future__ import annotations

import copy
import struct
import zlib
from array import array
from collections import deque

import numpy as np
import pytest
from live_memory import live

import swathe

CODES = "bBhHiIlqfd"
quick = swathe.njit(cache=False, opt_level=1)


def outcome(f, *args):
    try:
        return f(*args)
    except (ValueError, IndexError, OverflowError) as e:
        return type(e), str(e).split("\n")[0]


def change(a, v):
    a.append(v)
    a.extend((3, 4))
    a.insert(1, 7)
    a.insert(-100, 1)
    a[0] += 2
    a[2:3] = a[:2]
    del a[1]
    del a[::3]
    a.reverse()
    a += a
    a *= 2
    return a, a.pop(), a.pop(0), a.index(3), a.count(3), 3 in a, 2.5 in a, sum(a), a[1] * 1000


def ask(a):
    return (
        *(len(a), list(a), a.tolist(), a.tobytes(), repr(a), f"{a}", [a], a.typecode, a.itemsize),
        *(a[1:], a[::-2], a + a, a * 3, 0 * a, bool(a), [*a, 1], sorted(a), tuple(reversed(a))),
        *(a == a[:], a != a, a < a + a, a >= a, a is a, isinstance(a, array), isinstance(a, list)),
        *(bytes(a), bytearray(a), bytearray(b"") == a, a == [1, 2]),
    )


@pytest.mark.parametrize("code", "bHqf")
def test_methods_and_operators(code):
    ours, theirs = array(code, [5, 6]), array(code, [5, 6])
    r = quick(change)(ours, 9)
    assert r == change(theirs, 9)
    assert r[0] is ours
    assert ours == theirs
    assert quick(ask)(ours) == ask(theirs)
    assert quick(ask)(array(code)) == ask(array(code))


def store(a, v):
    a[0] = v
    return a[0]


@pytest.mark.parametrize("code", CODES)
def test_ends_of_ranges(code):
    f = quick(store)
    if code in "fd":
        for v in (0.1, 1e300, -0.0, float("inf")):
            assert repr(f(array(code, [0]), v)) == repr(store(array(code, [0]), v))
        return
    for e in (0, 7, 8, 15, 16, 31, 32, 63):
        for v in (2**e - 1, 2**e, -(2**e), -(2**e) - 1):
            if -(2**63) <= v < 2**63:
                assert outcome(f, array(code, [0]), v) == outcome(store, array(code, [0]), v)


def made(n):
    of_bytes = array("h")
    of_bytes.frombytes(b"\1\0\2\0")
    swapped = of_bytes[:]
    swapped.byteswap()
    of_list = array("d")
    of_list.fromlist([1, 2.5])
    rows = [array("d", [0.0]) * n for _ in range(n)]
    rows[1][n - 1] = 4
    byte = array("B", b"ab")
    d = {"x": array("i", range(n)), "y": array("i")}
    d["y"].extend(d["x"])
    q = deque([array("i", (k for k in range(n)))])
    maybe = array("l") if n > 2 else None
    first, *rest = d["x"]
    match byte:
        case [x, y]:
            both = x + y
        case _:
            both = 0
    return (
        *(
            of_bytes,
            swapped,
            of_list,
            rows,
            byte,
            d,
            q,
            maybe,
            first,
            rest,
            both,
            array("q", {3: 1}),
        ),
        *(
            array("d", d["x"]),
            d["x"] == array("d", [0, 1, 2]),
            array("i", b"\1\0\0\0"),
            copy.copy(byte),
        ),
        *(struct.unpack("<HH", of_bytes), zlib.crc32(byte), int.from_bytes(of_bytes, "little")),
    )


def test_made_in_compiled_code():
    f = quick(made)
    assert f(3) == made(3)
    assert f(2)[7] is None


class Grid:
    def __init__(self, w, h):
        self.w = w
        self.data = array("d", [0]) * (w * h)

    def __getitem__(self, at):
        x, y = at
        return self.data[y * self.w + x]

    def __setitem__(self, at, v):
        x, y = at
        self.data[y * self.w + x] = v


def relax(n, rounds):
    g = Grid(n, n)
    for k in range(n * n):
        g[k % n, k // n] = k
    for _ in range(rounds):
        for y in range(1, n - 1):
            for x in range(1, n - 1):
                g[x, y] = 0.25 * (g[x, y - 1] + g[x, y + 1] + g[x - 1, y] + g[x + 1, y])
    return g.data


def test_a_field_and_loops():
    assert quick(relax)(6, 3) == relax(6, 3)


def half(a, n):
    a.append(n)
    if n > 2:
        raise ValueError(f"too many: {a}")
    a[5] = 1


def walk(a):
    s = 0
    for x in a:
        if x == 2:
            a.append(9)
        s += x
    return s


def put_first(a, v):
    a.insert(0, v)


def grow(a, v):
    a.extend([1, v, 2])


def test_what_does_not_fit_moves_nothing():
    f, g = quick(put_first), quick(grow)
    for ours, python in ((f, put_first), (g, grow)):
        for v in (300, 9):
            a, b = array("b", [1, 2]), array("b", [1, 2])
            assert outcome(ours, a, v) == outcome(python, b, v)
            assert a == b


def test_what_changes_is_there_on_every_way_out():
    f, g = quick(half), quick(walk)
    for n in (1, 3):
        ours, theirs = array("h", [1]), array("h", [1])
        assert outcome(f, ours, n) == outcome(half, theirs, n)
        assert ours == theirs
    a = array("i", [1, 2, 3])
    assert g(a) == 15
    assert a[-1] == 9
    with memoryview(a), pytest.raises(BufferError):  # which Python can't make longer
        g(a)


def test_two_names_of_one():
    @quick
    def f(a, b, rows):
        a.append(1)
        return len(b), a is b, rows[0] is a, rows

    a = array("i")
    n, same, inside, rows = f(a, a, [a, a])
    assert (n, same, inside) == (1, True, True)
    assert rows[0] is rows[1] is a


def test_numpy_looks_at_it():
    @quick
    def f(a, x):
        copied = np.array(a)
        copied[0] = 99
        seen = np.asarray(a)
        seen[1] = 7
        x[:] = a
        return copied, np.frombuffer(a, np.uint8), np.sum(a), x + a, a

    def python(a, x):
        return f.py_func(a, x)

    ours = f(array("i", [1, 2, 3]), np.zeros(3))
    theirs = python(array("i", [1, 2, 3]), np.zeros(3))
    for x, y in zip(ours, theirs):
        assert np.array_equal(x, y)
        assert not isinstance(x, np.ndarray) or x.dtype == y.dtype
    assert ours[4] == theirs[4] == array("i", [1, 7, 3])


TABLE = array("H", [0, 1, 4])


def test_a_global():
    @quick
    def f(n):
        TABLE.append(n)
        return TABLE[-1] + len(TABLE)

    assert [f(5), f(6)] == [9, 11]
    assert TABLE == array("H", [0, 1, 4, 5, 6])


@pytest.mark.parametrize(("f", "says"), [
    (lambda a: a + array("d"), "bad argument type"),
    (lambda a: a + [1], "operand"),
    (lambda a: a.extend(array("d")), "only extend with array of same kind"),
    (lambda a: a.append(1.5), "'float' object cannot be interpreted"),
    (lambda a: array("d", ["x"]), "must be real number, not str"),
    (lambda a: array("i", "ab"), "cannot use a str"),
    (lambda a: array("i", 3), "not iterable"),
    (lambda a: array("z"), "bad typecode"),
    (lambda a: array("Q"), "typecode 'Q'"),
    (lambda a: {a: 1}, "unhashable"),
    (lambda a: a.sort(), "no attribute 'sort'"),
], ids=range(11))  # fmt: skip
def test_refused(f, says):
    with pytest.raises(swathe.CompileError, match=says):
        quick(f)(array("i", [1]))


def test_refused_slices():
    @quick
    def f(a):
        a[:1] = [1]

    with pytest.raises(swathe.CompileError, match="can only assign array"):
        f(array("i", [1]))


def test_nothing_leaks():
    @quick
    def f(a, n):
        rows = [a, a[:1], array("d", a)] if n < 9 else []
        rows2 = {k: array("b", [k]) for k in range(n)}
        if n > 2:
            raise ValueError("many")
        return len(rows), rows2

    for n in (1, 3):
        outcome(f, array("d", [1, 2]), n)
    before = live()
    for n in (1, 3, 1, 3):
        outcome(f, array("d", [1, 2]), n)
    assert live() == before
