"""Empty lists and dicts of which only uses tell what they hold, and what is made of these."""

from __future__ import annotations

import numpy as np
import pytest

from swathe import njit


def one(v):
    x = []
    x.append(v)
    return x


def in_a_helper(n):
    a, b = one([]), one((1, []))
    return a[0], b[0], len(one({})[0])


def closure_in_a_helper(n):
    seen = []

    def add(v):
        seen.append(v)
        return len(seen)

    return callable(one(add)[0])


def pairs(rows):
    out = {}
    for name, n, price in rows:
        if name == "none":
            continue
        out[name.upper()] = n * price
    return out, sum(n for _, n, _ in rows)


def points(cells):
    return sorted({(x + 1, y) for x, y in cells}), [x for x, _ in cells]


def commands(program):
    ops = {"add": 1, "sub": -1}
    st = [0]
    for op, arg in program:
        if op in ops:
            st.append(st[-1] + ops[op] * arg)
        else:
            raise NameError("no " + op)
    return st


def joined(words):
    return ", ".join(words), "<" + "".join(w for w in words) + ">"


@pytest.mark.parametrize("f", [in_a_helper, closure_in_a_helper])
def test_containers_in_containers(f):
    assert njit(f)(1) == f(1)


@pytest.mark.parametrize(
    "f, given",
    [
        (pairs, [("a", 2, 0.5), ("none", 1, 1.0)]),
        (points, [(1, 2), (0, 5)]),
        (commands, [("add", 3), ("sub", 1)]),
        (joined, ["a", "b"]),
    ],
)
def test_arguments(f, given):
    made = njit(f)
    assert made([]) == f([])
    assert made(given) == f(given)
    assert made([]) == f([])


class Short(Exception):
    def __init__(self, need, have):
        self.need, self.have = need, have
        super().__init__(f"need {need:.2f}, have {have:.2f}")


class Placed(Exception):
    def __init__(self, line: int, word: str):
        self.line: int = line
        self.word = self.name = word
        super().__init__(word)


def raises(x):
    out = []
    try:
        if x > 1:
            raise Short(x, 1.0)
        if x < 0:
            raise Placed(3, "neg")
    except Short as e:
        out.append(f"{e.need - e.have:.1f} {e}")
    except Placed as e:
        out.append(f"{e.line} {e.word} {e.name} {e}")
    return out


@pytest.mark.parametrize("x", [0.5, 2.5, -1.0])
def test_attributes_of_exceptions(x):
    assert njit(raises)(x) == raises(x)


def percent(a, n, s):
    return (
        b"%d|%5d|%x|%s|%b" % (n, n, abs(n), s, s),
        a % (n, s),
        b"%c%c%5.1f%%" % (65, b"B", n / 3),
        b"%r %a" % (s, n),
        b"%.2s|%-6s|" % (s, s),
        b"%s" % s,
    )


def wrong(k):
    s = b"ab"
    n = 300
    if k == 0:
        return b"%d" % (1, 2)
    if k == 1:
        return b"%d %d" % (1,)
    if k == 2:
        return b"%s" % n
    if k == 3:
        return b"%c" % n
    if k == 4:
        return b"%c" % s
    return b"%y" % n


def test_percent_of_bytes():
    for n, s in ((5, b"xyz"), (-7, b""), (0, b"\xff\x00")):
        assert njit(percent)(b"<%d:%s>", n, s) == percent(b"<%d:%s>", n, s)
    for k in range(6):
        with pytest.raises(Exception) as theirs:
            wrong(k)
        with pytest.raises(theirs.type) as ours:
            njit(wrong)(k)
        assert str(ours.value).split("\n")[0] == str(theirs.value)


def among(k):
    return {k} in [{1}, {2, 3}], [k] in [[1], [2]], {k: 1} not in [{1: 1}, {}]


def test_among_containers_that_are_written_out():
    for k in (1, 5):
        assert njit(among)(k) == among(k)


def positions(x, n):
    """A list that gets nothing, an array of it, and what holds that."""
    nowhere: list[int] = []
    by_row, arrays, rows = {}, [], {}
    for i in range(n):
        if len(nowhere) >= 0:
            by_row[i] = np.array(nowhere)
            arrays.append(np.array([nowhere, nowhere]))
            rows[i] = [np.array(nowhere)]
    return x * n, nowhere, by_row, arrays, rows


@njit
def apart(x):
    nowhere = []
    return x + 1, nowhere


@njit
def gathered(xs):
    found = {}
    for i in range(len(xs)):
        x, nowhere = apart(xs[i])
        xs[i] = x
        if len(nowhere) > 0:
            found[i] = np.array(nowhere)
    return xs, found


def test_arrays_of_lists_that_stay_empty():
    for n in range(3):
        got, expected = njit(positions)(np.arange(2.0), n), positions(np.arange(2.0), n)
        assert np.array_equal(got[0], expected[0]) and got[1] == expected[1] == []
        for of in (2, 4):
            assert repr(got[of]) == repr(expected[of])
        assert [a.shape for a in got[3]] == [a.shape for a in expected[3]]
    xs, found = gathered(np.arange(3.0))
    assert np.array_equal(xs, [1, 2, 3]) and found == {}
