# SPDX-License-Identifier: BSD-3-Clause
"""Strings that are made: of caught exceptions, by tables, of format strings, and by adding to them;
and methods as functions of a key. All against CPython."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from live_memory import live

import swathe


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


def numbers(x, n):
    r = [str(x), repr(x), f"{x}", f"{x:.0f}", f"{x:.1f}", f"{x:.2f}", f"{x:.3f}", f"{x:.9f}"]
    r += [
        f"{x:f}",
        f"{x:8.2f}",
        f"{x:<8.1f}",
        f"{x:^9.1f}",
        f"{x:08.2f}",
        f"{x:.12f}",
        f"{x:<08.2f}",
    ]
    r += [f"{n}", f"{n:d}", f"{n:5}", f"{n:<5d}", f"{n:^6}", f"{n:>4}", f"{n:06d}", f"{n:<06d}"]
    r += [f"{n:x}", f"{n:+d}", f"{n:,}", f"{n:1d}", f"{n:0d}"]
    return r


def columns(rows):
    t = [list(r) for r in zip(*rows)]
    u = []
    for c in zip(*rows):
        u.append(max(c) - c[0])
        rows[-1].append(0)
        if len(u) == 3:
            break
    texts = ["".join(c) for c in zip(*[str(10 * r[0]) for r in rows if r])]
    return t, [sum(c) for c in zip(*rows)], list(map(list, zip(*rows))), u, texts


def test_numbers_have_the_text_of_python(compiled):
    rng = np.random.default_rng(3)
    some = [0.0, -0.0, 0.5, 1.5, 2.5, 0.125, 1e15, 1e16, 123456789.5, 1e-4, 9.9e-5, 0.1, 1 / 3]
    some += [1e22, 5e-324, float("inf"), float("nan"), 999999999.9999999, 0.045, 1.005, 2.675]
    some += [
        *rng.normal(size=40),
        *np.round(rng.normal(size=40) * 1e3, 3),
        *rng.normal(size=9) * 1e9,
    ]
    ints = [0, 1, -1, 99999, -(2**63), 2**63 - 1, 10, -10]
    for i, x in enumerate(some):
        for v in (float(x), -float(x)):
            n = ints[i % len(ints)]
            assert compiled(numbers)(v, n) == numbers(v, n)


@pytest.mark.parametrize("rows", [[[1, 2, 3], [4, 5, 6]], [[7]], [[1, 2], [3]], [[5, 6], [], [1]]])
def test_columns_of_lists(compiled, rows):
    theirs = [list(r) for r in rows]
    assert compiled(columns)(rows) == columns(theirs)
    assert rows == theirs


def stores(rows):
    for c in zip(*rows):
        c[0] = 1


def keys(rows):
    return [sum(c) for c in zip(*rows)]


@pytest.mark.parametrize(("func", "rows"), [(stores, [[1]]), (keys, [{1: 2}, {3: 4}])])
def test_columns_that_would_not_be_lists_are_refused(compiled, func, rows):
    with pytest.raises(
        swathe.CompileError, match="does not support item assignment|zip\\(\\*rows\\) takes"
    ):
        compiled(func)(rows)


def test_what_is_added_to_a_string_leaves_it_as_it_was():
    @swathe.njit(cache=False)
    def branch(s, n):
        parts = []
        t = s + "x" * 40
        for i in range(n):
            u = t + chr(97 + i)
            v = t + chr(65 + i)
            parts.append(u + v)
            if i % 3 == 0:
                t = u
        return parts, t

    want = branch.py_func("ab", 26)
    assert branch("ab", 26) == want
    before = live()
    for _ in range(3):
        assert branch("ab", 26) == want
    assert live() == before


def longest_of(words, table, rows):
    best = ""
    for w in words:
        if table[w] < 0:
            raise ValueError("negative: %s" % w)
        rows.append([w, best])
        if len(w) > len(best):
            best = w
            words[0] = w[1:]
    return best, rows[-1]


def test_strings_of_arguments_come_back_and_nothing_is_lost(compiled):
    f = compiled(longest_of)
    long = "é" * 100
    words = ["a", "bc", "", long, "bc", "\U0001f600x"]
    before = None
    for last in (1, -1, 1, -1, 1):
        ours, theirs = [*words, "z"], [*words, "z"]
        table, rows, their_rows = {w: 1 for w in words}, [["k"]], [["k"]]
        table["z"] = last
        if last < 0:
            with pytest.raises(ValueError, match="negative: z"):
                f(ours, table, rows)
            with pytest.raises(ValueError, match="negative: z"):
                longest_of(theirs, table, their_rows)
        else:
            best, row = f(ours, table, rows)
            assert (best, row) == longest_of(theirs, table, their_rows)
            assert best is long and row is rows[-1]
        assert ours == theirs and rows == their_rows
        assert all(a is b for a, b in zip(ours[1:], words[1:], strict=False))
        del ours, rows, best, row
        best = row = None
        before = live() if before is None else before
    assert live() == before


def test_a_number_of_a_text_or_of_something_else():
    def runs(s, x):
        out = ""
        n = ""
        for c in s:
            if c.isdigit():
                n += c
            else:
                out += c * int(n or 1)
                n = ""
        return out, int(n or 7), float(n or "2.5"), float(x or 1), int(x or 4), bool(n or 0)

    for args in (("3ab2c", 0), ("a12", 2.5), ("", None)):
        got = swathe.njit(runs)(*args)
        assert (got, [*map(type, got)]) == (runs(*args), [*map(type, runs(*args))])


def test_a_group_that_did_not_match_is_no_text():
    def parts(s):
        m = re.match(r"(a)?(b)", s)
        return re.findall("a", m.group(1))

    assert swathe.njit(parts)("ab") == ["a"]
    with pytest.raises(TypeError, match="got 'NoneType'"):
        swathe.njit(parts)("b")


@swathe.njit
def with_ints(a, b, c):
    return f"{a}|{b}:{c}", f"{-a if a > -(2**63) else a}{b}", str(a), f"{a:5}{b!r}{b!s}", f"{b}"


def test_ints_in_f_strings():
    """Digits are written in place: at each power of two and ten, of each width, weak and strong."""
    some = {s * (b**k + d) for b, top in ((2, 64), (10, 20)) for k in range(top)
            for d in (-1, 0, 1) for s in (1, -1)}  # fmt: skip
    for v in sorted(some | {-(2**63), 2**63 - 1}):
        if -(2**63) <= v < 2**63:
            for of in (np.int64(v), np.int8(v % 128), np.uint8(v % 256), np.int32(v % 1000)):
                assert with_ints(v, of, v > 3) == with_ints.py_func(v, of, v > 3)
        if 0 <= v < 2**64:
            assert with_ints(1, np.uint64(v), True) == with_ints.py_func(1, np.uint64(v), True)


@swathe.njit
def lines_of(s):
    total, first = 0, ""
    for i, line in enumerate(s.splitlines()):
        if not line:
            continue
        total += i * len(line)
        first = first or line
    kept = 0
    for line in s.splitlines(True):
        kept += len(line)
    there = sum(1 for line in s.splitlines() if line)
    upper = [line.upper() for line in s.splitlines()]
    for line in s.splitlines():
        s = line  # bound anew, while the loop goes on over what it was
    return total, first, kept, there, upper, s, s.splitlines()


@pytest.mark.parametrize(
    "s", ["", "\n", "a", "a\n", "a\nb", "a\r\nb\r\n", "\r\r\n\n", "x\r", "\n\nx\n",
          "a\x0bb\x0cc\x1cd\x1ee\x85f\u2028g\u2029", "\x1f \x0e"]
)  # fmt: skip
def test_lines_of_a_text(s):
    assert lines_of(s) == lines_of.py_func(s)


@swathe.njit
def lines_of_bytes(b):
    n = 0
    for line in b.splitlines():
        n = n * 31 + len(line)
    return n, [len(line) for line in b.splitlines()]


@pytest.mark.parametrize("b", [b"", b"a\r\n\nb", b"\x0b\x85\r"])
def test_lines_of_bytes(b):
    assert lines_of_bytes(b) == lines_of_bytes.py_func(b)


def as_number(kind, s):
    try:
        return repr(kind(s))
    except ValueError as e:
        return str(e)


def test_texts_that_are_no_numbers():
    texts = [c + d for c in map(chr, range(200)) for d in ("", "1", "_1", "nf", "an")]
    texts += ["1" + c for c in map(chr, range(200))]
    texts += [
        "",
        "+-1",
        "1_000",
        "1__0",
        "\u0661\u0662",
        "1.5",
        "0x10",
        "1e",
        "._1",
        "\x1c5",
        "\u20031",
    ]
    for kind in (int, float):

        def number(s, kind=kind):
            return as_number(kind, s)

        compiled = swathe.njit(number)
        for s in texts:
            assert compiled(s) == number(s), s
            assert compiled(s.encode()) == number(s.encode()), s
