# SPDX-License-Identifier: BSD-3-Clause
"""Strings that are made: of caught exceptions, by tables, of format strings, and by adding to them;
and methods as functions of a key. All against CPython."""

from __future__ import annotations

import gc
from collections import Counter

import numpy as np
import pytest

import swathe
from swathe import _core


def check(i):
    if i == 0:
        raise ValueError("text alone é")
    if i == 1:
        raise ValueError(f"number {i} of {i / 2}")
    if i == 2:
        raise KeyError("key")
    if i == 3:
        raise KeyError(3)
    if i == 4:
        raise ValueError("one", i)
    if i == 5:
        raise RuntimeError
    return [10, 20][i]


def errors(n):
    r = []
    for i in range(n):
        try:
            r.append(str(check(i)))
        except (ValueError, KeyError) as e:
            r.append(str(e))
        except Exception as e:
            s = f"<{e}>"
            r.append(s + s.upper())
    return r


def errors_of_texts(words):
    d = {"a": 1}
    r = []
    for w in words:
        try:
            r.append(str(int(w) + d[w[:1]]))
        except ValueError as e:
            r.append("bad: " + str(e))
        except KeyError as e:
            r.append("no %s in %d" % (e, len(d)))
    return r


def translated(s, a, b):
    t = str.maketrans(a, b)
    u = str.maketrans(a, b, "xé")
    v = str.maketrans({"a": "<A>", "b": "", "é": "ee"})
    w = {97: 66, 0x1F600: 98}
    return [s.translate(t), s.translate(u), s.translate(v), s.translate(w), s.translate({98: None})]


def maketrans_of_unlike(s):
    return s.translate(str.maketrans("ab", "a"))


def percents(i, f, s, x):
    r = ["%-8s|%8s|%5r|%-6r|%s" % (s, s, s, i, f)]
    r.append("%s %s" % (s, s.upper()) + "%s %s %d" % (i, max(i, 3), i))
    r.append("%s" % (x[0],) + "{} {}".format(s, x.count(i)))
    r.append("{a}-{b:>5}-{a!r}".format(a=s, b=i) + "{0}{k}{0}".format(i, k=f))
    r.append("{} {name:.1f} {{}}".format(s, name=f))
    return r


def grown(n, parts):
    s = ""
    t = "-" * 40
    u = t
    last = ""
    for i in range(n):
        s += chr(97 + i % 26)
        if i % 7 == 0:
            last = s
        if i % 50 == 49:
            s += "\n" * (i % 3)
            u = last + "|"  # beside what was added to `last` already
        t = t + "x" if i % 2 else t
        for p in parts:
            t += p
    w = t
    w += "w"
    t += "t"
    return s, t, u, w, last, s == t, {s: 1, t: 2}[s[:]]


def by_keys(d, x, words):
    c = Counter(words)
    return (
        max(d, key=d.get),
        min(d, key=d.get),
        sorted(d, key=d.get, reverse=True),
        sorted(range(len(x)), key=x.__getitem__),
        max(c, key=c.get),
        max(words, key=words.count),
        sorted(words, key=words.index),
    )


CASES = [
    (errors, (7,)),
    (errors_of_texts, (["12", "a", "", "zz", "é", "7"],)),
    (translated, ("abcé xyz\U0001f600b", "abc", "éßA")),
    (translated, ("", "", "")),
    (percents, (7, 2.5, "abc", [7, 1])),
    (percents, (-7, float("inf"), "", [0])),
    (grown, (0, ["p"])),
    (grown, (300, ["", "ab", "\U0001f600"])),
    (by_keys, ({"a": 3, "b": 1, "c": 2}, [3.0, 1.0, 2.0], ["x", "y", "x"])),
]


@pytest.fixture(scope="module")
def compiled():
    made = {}
    return lambda f: made.setdefault(f, swathe.njit(cache=False, opt_level=1)(f))


@pytest.mark.parametrize(("func", "args"), CASES)
def test_values_are_those_of_python(compiled, func, args):
    got, want = compiled(func)(*args), func(*args)
    assert got == want
    assert [type(v) for v in got] == [type(v) for v in want]
