"""Loops over the parts of a text, of which no list is made; against CPython."""

from __future__ import annotations

import copy

import pytest
from live_memory import live

from swathe import njit


def words(s):
    r = []
    for w in s.split():
        if w == "skip":
            continue
        if w == "stop":
            break
        r.append(w + "!")
    else:
        r.append("end")
    return r


def bound_anew(s):
    r = []
    for w in s.split(","):
        s = s + "x"
        for v in w.split():
            r.append((v, len(s)))
    return r


def kept(s):
    longest = ""
    last = {}
    for i, w in enumerate(s.split()):
        last[w] = i
        if len(w) > len(longest):
            longest = w
    return longest, last


def by(s, sep):
    pairs = list(zip(s.split(sep), s.split(",")))
    return pairs, [w for w in s.split(sep=sep)], [w for w in s.split(sep, maxsplit=1)]


def backwards(s):
    return [w for w in reversed(s.split())], [w for w in reversed(s.split("a"))]


def consumed(s):
    it = iter(s.split())
    first = next(it, "none")
    one = next((w for w in s.split() if len(w) > 1), "none")
    return (
        first,
        list(it),
        one,
        sum(len(w) for w in s.split()),
        any(w == "bb" for w in s.split(",")),
        "-".join(w for w in s.split()),
        {w: len(w) for w in s.split()},
        sorted(w for w in s.split(",")),
        max(s.split(","), key=len),
    )


def of_bytes(s):
    b = s.encode()
    return [w for w in b.split()], [len(w) for w in b.split(b",")]


def strict(s):
    return [a + b for a, b in zip(s.split(), s.split(","), strict=True)]


def made(s):
    return [w for w in (s + " " + s.upper()).split()], [w for w in "a b,c".split()]


TEXTS = (
    "",
    " ",
    ",",
    "a",
    "a bb ccc",
    "a,b,,c ",
    "skip a\tstop\nb",
    "\u3000x\x85y\x1c q\u2003\U0001f600 ",
    "aa,bb aXXbXXXc",
)


def result(f, args):
    try:
        return f(*args)
    except ValueError as e:
        return str(e).split("\n")[0]  # without the place


@pytest.mark.parametrize(
    "f", (words, bound_anew, kept, backwards, consumed, of_bytes, strict, made)
)
def test_words(f):
    g = njit(f)
    for s in TEXTS:
        assert result(g, (s,)) == result(f, (s,)), s
    before = live()
    for s in TEXTS:
        result(g, (s,))
    assert live() == before


def test_separators():
    g = njit(by)
    for s in TEXTS:
        for sep in (",", "XX", " ", "a", "not there"):
            assert g(s, sep) == by(s, sep), (s, sep)
    with pytest.raises(ValueError, match="empty separator"):
        g("a", "")


def maybe(s, given):
    t = s if given else None
    return [w for w in t.split()]


def test_none():
    g = njit(maybe)
    assert g("a b", True) == ["a", "b"]
    with pytest.raises(AttributeError):
        g("a b", False)


def lines(path):
    with open(path) as f:
        first = f.readline()
        rest = [line for line in f]
    with open(path) as f:
        for _line in f:
            break
        more = f.readlines()
    return first, rest, more, [w for line in open(path) for w in line.split()]


@pytest.mark.parametrize("text", ("", "\n", "a", "a\r\nb\x0cc\u2028d\x85\n\ne", "a b\n c\r"))
def test_lines(tmp_path, text):
    path = tmp_path / "t"
    path.write_bytes(text.encode())
    assert njit(lines)(str(path)) == lines(str(path))


def copied(n):
    a = [[i] for i in range(n)]
    a.append(a[n // 2])
    b = copy.deepcopy(a)
    b[n // 2].append(1)
    return len(b), b[n], b[0] is a[0], b[n] is b[n // 2]


def test_many_that_are_shared():
    for n in (1, 3, 200_000):
        assert njit(copied)(n) == copied(n)
