"""`%` and `format` of strings that only the run tells, held against CPython."""

from __future__ import annotations

import enum
import json

import pytest

from swathe import njit


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e), str(e).split("\n")[0]


@njit
def percent(fmt, i, x, s):
    return fmt % (i, x, s)


@njit
def percent_one(fmt, v):
    return fmt % v


@njit
def percent_keys(fmt, d, i, x):
    return fmt % d + fmt % {"a": i, "b": x}


@njit
def formatted(fmt, i, x, s, v):
    return fmt.format(i, x, s, v, name=i, other=s)


# ruff: noqa: E501
THREE = """%d %s %s|%5d %-8.3f|%+d %e %r|%05d %08.2f %5s|%x %g %-5s.|%X %G %.1s|%o %E %a|%i %F %c
%#x %#g %c|% d % .3f %10r|%-5d %-10.2e %-3s|%u %s %s %%|%%%d %s%%%s|%.3d %.0f %.10s|%+05d %+.2f %s|%ld %lf %s
%*d %s %s|%s %*.3f|%.*f %s|%d %d %d|%d %s|%d %s %s %s|%q %s %s|%d %s %|%s %s %s %(k)s|%#o %.2g %5c|%5.3d %+g %s"""


@pytest.mark.parametrize("fmt", THREE.replace("\n", "|").split("|"))
def test_percent(fmt):
    for i, x, s in ((42, 2.5, "q"), (-7, -1e15, "Ä"), (0, float("inf"), "x")):
        assert outcome(percent, fmt, i, x, s) == outcome(percent.py_func, fmt, i, x, s)


def test_percent_of_one():
    values = (3, -4, 2.75, "text", True, None, (1,), [1, 2], b"ab", (1, 2), 2**62, float("nan"))
    for v in values:
        for fmt in ("%s", "<%5s>", "%d", "%.2f", "%x", "%r", "%c", "none", "%s %s", "%", "%-6d|"):
            assert outcome(percent_one, fmt, v) == outcome(percent_one.py_func, fmt, v), (fmt, v)


def test_percent_of_keys():
    for fmt in ("%(a)d", "%(a)s-%(b)5.2f", "%(c)s", "%(a)05d%%", "none", "%(a", "%(b)d"):
        args = fmt, {"a": 1, "b": 2, "c": 3}, 7, 2.5
        assert outcome(percent_keys, *args) == outcome(percent_keys.py_func, *args), fmt


BRACES = """{}|{} {}|{0} {0}|{1:>8.3f}|{2:^7}|{0:05d} {1:e}|{0:x} {0:#b}|{2!r:>6}|{3}|{3!r}|{name} {other}|{{}} {}|{{{0}}}
{:>{}}|{2:{0}}|{1:.{0}f}|{0} {}|{} {0}|{9}|{nobody}|{|}|{0|{0!x}|{3:5}|{0:q}|{2:d}|{1:,.2f}|{0:+}|{name:>{0}}|{!r}|"""


@pytest.mark.parametrize("fmt", BRACES.replace("\n", "|").split("|"))
def test_format(fmt):
    for args in ((8, 2.5, "ab", [1, 2]), (12, -1.0, "", (3, "x")), (3, 0.0, "Ä", None)):
        got, expected = outcome(formatted, fmt, *args), outcome(formatted.py_func, fmt, *args)
        if isinstance(expected, tuple) and "format" in expected[1]:  # of a number's specification
            assert got[0] is expected[0]
        else:
            assert got == expected


def test_stars_and_globals():
    def stars(w, p, x):
        rows = [WIDE % (name, value) for name, value in (("a", 1.5), ("bc", x))]
        return "%*.*f|" % (w, p, x), "%-*s|" % (w, "ab"), rows, HEAD.format("x", n=w)

    assert njit(stars)(-8, 2, 3.14159) == stars(-8, 2, 3.14159)


WIDE, HEAD = "%-6s%8.3f", "<{0!r}:{n:>4}>"


def test_json_of_displays():
    def dumped(x, n):
        return (
            json.dumps([1, x]),
            json.dumps([[n, 2], [x], [], (1, "a", None, True), {"k": [1, x]}], indent=1),
            json.dumps({"b": [n, x, "s"], "a": [[1], [x]]}, sort_keys=True),
            json.dumps([*range(n), 1]) + json.dumps([k for k in range(n)]),
        )

    assert njit(dumped)(2.5, 3) == dumped(2.5, 3)


LANGUAGE = "en"


class Greeting(enum.Enum):
    HELLO = 1
    BYE = 2

    def __str__(self):
        return LANGUAGE + ":" + self.name

    def __repr__(self):
        return f"<{LANGUAGE} {self.value}>"


def test_text_of_an_enum_that_asks_a_global():
    global LANGUAGE

    def texts(g):
        return str(g), f"{g}", repr(g), [str(x) for x in Greeting], f"{g!r:>8}"

    compiled = njit(texts)
    try:
        for LANGUAGE in ("en", "de", "en"):
            assert compiled(Greeting.BYE) == texts(Greeting.BYE)
    finally:
        LANGUAGE = "en"
