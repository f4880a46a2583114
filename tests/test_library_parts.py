# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the standard library in compiled code, against CPython: digits of bytes in groups,
encodings that Python knows, operator, cmp_to_key, cycle and repeat as values, json.dumps, patterns
that a function compiles."""

import codecs
import functools
import itertools
import json
import operator
import re
from itertools import cycle, islice, repeat

import pytest

import swathe

made = functools.cache(swathe.njit)


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e).__name__, str(e).split("\n  File")[0]


def digits(b):
    r = [b.hex(":"), b.hex("-", 2), b.hex(" ", -3), b.hex(b"_", 4), b.hex(), b.hex(":", 0)]
    return r, bytearray(b).hex(".", 2), b.hex(sep="+", bytes_per_sep=100), b.hex("|", -1)


@pytest.mark.parametrize("b", [b"", b"a", b"ab", b"abc", b"abcdefg\xff"])
def test_digits(b):
    assert made(digits)(b) == digits(b)


@pytest.mark.parametrize("sep", ["", "ab", "é"])
def test_separators(sep):
    def f(b, sep):
        return b.hex(sep)

    assert outcome(swathe.njit(f), b"abc", sep) == outcome(f, b"abc", sep)


def encoded(s, name, errors):
    return s.encode(name, errors)


def decoded(b, name, errors):
    return b.decode(name, errors)


def both(s):
    b = s.encode("utf-16-le")
    r = s.encode("ascii", "backslashreplace"), s.encode("cp1252", "xmlcharrefreplace")
    return b, b.decode("utf-16-le") == s, bytearray(b).decode("utf-16-le"), r, s.encode("utf-32")


def test_encodings():
    f, g = swathe.njit(encoded), swathe.njit(decoded)
    for s in ("", "abc", "é€😀", "\ud800x"):
        for name in ("utf-8", "utf-16-be", "latin-1", "cp437", "nope"):
            for errors in ("strict", "replace", "surrogatepass"):
                assert outcome(f, s, name, errors) == outcome(encoded, s, name, errors)
    for b in (b"", b"a\0b\0", b"\xff\xfe\xfd", b"\xed\xa0\x80"):
        for name in ("utf-8", "utf-16", "utf-32-le", "cp1252"):
            for errors in ("strict", "ignore", "surrogateescape"):
                assert outcome(g, b, name, errors) == outcome(decoded, b, name, errors)
    f = swathe.njit(both)
    for s in ("", "aé€😀"):
        assert f(s) == both(s)


def caught(s, name):
    try:
        return str(s.encode(name))
    except UnicodeEncodeError:
        return "unicode"
    except LookupError as e:
        return str(e)


def test_errors_of_encodings_are_caught():
    f = swathe.njit(caught)
    for args in (("€", "cp437"), ("a", "zzz"), ("a", "utf-16-le"), ("€", "ascii")):
        assert f(*args) == caught(*args)


def turned(s):
    t = codecs.encode(s, "rot13")
    return t, codecs.decode(t, "rot13"), codecs.encode(s), codecs.decode(b"abc", "utf-8")


def operators(v):
    w = operator.iadd(v, [4])
    operator.setitem(w, 0, 9)
    operator.delitem(w, 1)
    r = operator.abs(-3), operator.index(True), operator.imul(3, 4), operator.call(max, 3, 5)
    return w is v, w, r, functools.reduce(operator.ior, [1, 2, 4]), operator.isub(7, 2)


def by_comparison(v, k):
    def compare(a, b):
        return (a % k) - (b % k)

    key = functools.cmp_to_key(compare)
    v.sort(key=key, reverse=True)
    return v, sorted(v, key=key), max(v, key=key), min(v, key=key), key(3) < key(4)


def cycles(s, n):
    it = cycle(s)
    r = [next(it) for _ in range(n)] if s else ["-"]
    return r, [a + b for a, b in zip("xyzw", cycle(s))], "".join(islice(cycle(s), n))


def repeats(v):
    r = repeat(7)
    pairs = list(zip(v, repeat("x")))
    return pairs, [next(r) for _ in range(2)], list(map(pow, v, repeat(2))), list(repeat(v, 2))


def numbered(v):
    c = itertools.count(3)
    return next(c), next(c), list(zip(itertools.count(1), v)), list(zip(cycle([0, 1]), v))


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (turned, ("Hello",)),
        (operators, ([1, 2, 3],)),
        (by_comparison, ([5, 3, 8, 1, 3], 3)),
        (by_comparison, ([4], 3)),
        (cycles, ("ab", 5)),
        (cycles, ("", 3)),
        (repeats, ([1, 2],)),
        (repeats, ([3],)),
        (numbered, (["a", "b", "c"],)),
    ],
)
def test_parts(f, args):
    copies = [list(a) if isinstance(a, list) else a for a in args]
    assert made(f)(*copies) == f(*args)
    assert copies == list(args)


def stays(x, v):
    r = repeat(x)
    x = x + 1
    of = repeat(v)
    v.append(3)
    return next(r), x, next(of), next(of) is v


def test_what_is_repeated_stays():
    assert swathe.njit(stays)(1, [1]) == stays(1, [1])


def json_numbers(n, x, s):
    r = [json.dumps(n), json.dumps(x), json.dumps([x, -x]), json.dumps(n > 2), json.dumps(None)]
    r.append(json.dumps({"n": n, "x": x, "l": [n], "b": n > 1, "none": None, "d": {"e": [s]}}))
    return r, json.dumps({True: n}), json.dumps({x: s}), json.dumps(obj=s, ensure_ascii=False)


def json_layouts(d, v):
    r = [json.dumps(d), json.dumps(d, sort_keys=True), json.dumps(d, indent=2)]
    r.append(json.dumps({"v": v, "d": d}, indent="\t", sort_keys=True))
    return r, json.dumps(v, separators=(",", ":")), json.dumps(v, indent=1)


def json_tuples(n, s):
    r = json.dumps((n, s, (n, 2.5), [s])), json.dumps([(n, s)]), json.dumps(tuple([n, n]))
    return r, json.dumps((n, s), indent=2), json.dumps([n, None]), json.dumps([]), json.dumps(())


TEXT = 'a"b\\\né😀\x01\x7f\ud800/'


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (json_numbers, (3, 2.5, "x")),
        (json_numbers, (-1, float("nan"), TEXT)),
        (json_numbers, (2**62, float("-inf"), "")),
        (json_numbers, (0, 1e300, "plain")),
        (json_layouts, ({"b": 1, "a": 2}, [[1, 2], []])),
        (json_layouts, ({}, [])),
        (json_tuples, (1, TEXT)),
    ],
)
def test_json(f, args):
    assert made(f)(*args) == f(*args)


def test_what_is_no_json():
    def f(b):
        return json.dumps([b])

    with pytest.raises(TypeError, match="not JSON serializable"):
        swathe.njit(f)(b"x")


def patterns(s, k):
    word = re.compile("[a-z]+", re.I)
    num = re.compile(r"(\d)(\d*)", flags=re.IGNORECASE)
    out = [m.group() for m in word.finditer(s)]
    if k:
        low = re.compile("[a-z]")
        out += low.findall(s)
    return out, num.findall(s), word.sub("_", s), re.compile("b").split(s), num.match(s) is None


def test_patterns():
    f = swathe.njit(patterns)
    for args in (("Ab1c22", 1), ("", 0), ("7x", 0)):
        assert f(*args) == patterns(*args)


def set_twice(s):
    p = re.compile("a")
    r = p.findall(s)
    p = re.compile("b")
    return r, p.findall(s)


def read_before(s):
    for _ in range(2):
        if s:
            r = p.findall(s)  # noqa: F821
        p = re.compile("a")
        s = "a"
    return r


def read_inside(s):
    p = re.compile("a")
    return [lambda: p.findall(s)][0]()


@pytest.mark.parametrize("f", [set_twice, read_before, read_inside])
def test_patterns_of_which_nobody_knows(f):
    with pytest.raises(swathe.CompileError, match="re.compile"):
        swathe.njit(f)("")
