# SPDX-License-Identifier: BSD-3-Clause
"""bytes as values, held against CPython's."""

import copy

import pytest
from live_memory import live

import swathe

SOME = [b"", b"a", b"abcabc", b" \xe9A b\tC\x1c ", b"'\"\\\x00\n\xff", b"Hello, World", b"12"]


def _methods(a):
    return (
        (a.upper(), a.lower(), a.title(), a.capitalize(), a.swapcase(), a.hex()),
        (a.isalpha(), a.isdigit(), a.isalnum(), a.isspace(), a.isupper(), a.islower(), a.istitle()),
        (a.strip(), a.lstrip(b" a"), a.rstrip(b"cC "), a.isascii()),
        (a.center(9), a.ljust(9, b"*"), a.rjust(9), a.zfill(9), a.expandtabs(4)),
        (a.split(), a.rsplit(None, 1), a.splitlines(), a.splitlines(True)),
        (a.removeprefix(b"a"), a.removesuffix(b"c")),
    )


def _other(a, b):
    return (
        (a + b, a * 3, 0 * b, b"x" + a, a == b, a != b, a < b, a <= b, a > b, a >= b),
        (b in a, 97 in a, 0 not in a, a == "abc", a.find(b), a.rfind(b), a.find(97, 1), a.count(b)),
        (a.startswith(b), a.endswith((b, b"c")), a.replace(b, b"--"), b.join([a, b"", a])),
        (a.translate(None, b), a.translate(bytes.maketrans(b"abc", b"xyz"), b"\t")),
        (max([a, b]), sorted([a, b, b""]), hash(a) == hash(b)),
    )


def _containers(a, b):
    d = {a: 1, b"x": 2}
    d[b] = 3
    return d, {a, b} == {b, a}, [a, b, a].count(a), (a, 1) == (b, 1), [c for c in a], list(b)


def _text(a):
    return repr(a), str(a), f"{a}!", [a, a], isinstance(a, bytes), isinstance(a, str), len(a)


def _slices(a):
    t = 0
    for c in a:
        t += c
    return t, a[1:], a[:-1], a[::-1], a[1:5:2], sum(a), bytes(list(a)), bytes(a), bool(a)


def _index(a, k):
    return a[k], a[k:], a[-1]


def _split_by(a, sep):
    return a.split(sep), a.rsplit(sep, 1), a.partition(sep), a.rpartition(sep), a.index(sep)


def _decode(a):
    return a.decode()


def _decode_ascii(a):
    return a.decode("ascii")


def _lenient(a):
    return (
        a.decode("utf-8", "replace"),
        a.decode("utf-8", errors="ignore"),
        a.decode("ascii", "replace"),
        a.decode("latin-1"),
    )


def _encode(s):
    return s.encode(), bytes(s, "utf-8")


def _encode_ascii(s):
    return s.encode("ascii")


def _encode_latin(s):
    return s.encode("latin-1")


def _encode_lenient(s):
    return s.encode("ascii", "replace"), s.encode("latin-1", "ignore"), s.encode(errors="replace")


def _numbers(a):
    return int(a), float(a)


def _made(k):
    return (
        bytes(k),
        bytes([k, k + 1]),
        bytes((1, k)),
        bytes(range(k)),
        bytes(),
        bytes([i for i in [k]]),
    )


def _raises(a, k):
    if k == 0:
        raise ValueError(a)
    if k == 1:
        raise KeyError(a, k)
    return {b"here": 1}[a]


def _caught(a):
    try:
        return a.decode("ascii")
    except UnicodeError:
        return "wrong"


def _said(a):
    try:
        return a.decode("utf-8")
    except ValueError as e:
        return str(e)


def _said_of_text(s):
    try:
        return f"{len(s.encode('ascii'))}"
    except UnicodeEncodeError as e:
        return f"<{e}>"


def _maybe(a, k):
    r = None
    if k > 0:
        r = a
    if r is None:
        return r, 0
    return r, r[0]


def _hex(s):
    return bytes.fromhex(s)


def _from(a, signed):
    if signed:
        return int.from_bytes(a, "big", signed=True), int.from_bytes(a, "little", signed=True)
    return int.from_bytes(a, "big"), int.from_bytes(a, byteorder="little")


GLOBAL = b"glob\xff"


def _globals(a):
    return GLOBAL + a, GLOBAL[len(a) % 5], len(GLOBAL), b"q" if a == GLOBAL else GLOBAL


def _changed(items, d):
    items.append(b"new" + items[0])
    d[items[0]] = items[-1]
    return sorted(items)


def _unpacked(a):
    x, y = a
    return x, y, a.find(999)


ENCODED = "h\xe9\u20ac\U0001f600".encode()
BAD = [b"\xff", b"a\xe2\x82", b"a\xe2(", b"\xe0\x80", b"\xf0\x90\x80", b"\xed\xa0\x80", b"\xc1\xbf"]
TEXTS = [
    "",
    "a\x00b",
    "h\xe9",
    "\u20acx\u20ac\u20ac",
    "\U0001f600",
    "\ud800\udc00",
    "caf\xe9 \ud83d",
]

PROGRAMS = [
    (_methods, [(a,) for a in SOME]),
    (_other, [(a, b) for a in SOME[:5] for b in SOME[1:4]]),
    (_containers, [(a, b) for a in SOME[:3] for b in SOME[:3]]),
    (_text, [(a,) for a in [*SOME, b"it's", b'"']]),
    (_slices, [(a,) for a in SOME]),
    (_index, [(b"abc", 1), (b"abc", -4), (b"", 0)]),
    (_split_by, [(b"a,b,,c", b","), (b"a", b","), (b"a", b""), (b"--x--", b"--")]),
    (_decode, [(a,) for a in [ENCODED, b"", b"abc", *BAD]]),
    (_decode_ascii, [(b"abc",), (b"ab\xff",)]),
    (_lenient, [(a,) for a in [ENCODED, b"", *BAD]]),
    (_encode, [(s,) for s in TEXTS]),
    (_encode_ascii, [(s,) for s in TEXTS]),
    (_encode_latin, [(s,) for s in TEXTS]),
    (_encode_lenient, [(s,) for s in TEXTS]),
    (_numbers, [(a,) for a in [b"12", b" 7 ", b"x", b"\xa07", b"\xb2", b"1\x1c"]]),
    (_made, [(0,), (3,), (255,), (-1,)]),
    (_raises, [(a, k) for a in [b"here", b"a'\x00\xff"] for k in range(3)]),
    (_caught, [(b"a",), (b"\xff",)]),
    (_said, [(a,) for a in [b"a", *BAD]]),
    (_said_of_text, [(s,) for s in TEXTS]),
    (_maybe, [(b"a", 1), (b"a", 0)]),
    (_hex, [("00ff Aa",), ("0",), ("xx",), ("",), ("0\xe9",)]),
    (_from, [(a, k) for a in [b"", b"\xff\x01", b"\x7f" * 7] for k in (True, False)]),
    (_globals, [(b"",), (b"abc",)]),
    (_changed, [([b"q"], {b"z": b"y"}), ([b"", b"a"], {b"": b""})]),
    (_unpacked, [(b"ab",), (b"abc",), (b"",)]),
]


def _outcome(f, args):
    args = copy.deepcopy(args)
    try:
        r = f(*args)
    except Exception as e:
        whole = isinstance(e, (UnicodeError, KeyError))
        return type(e).__name__, str(e) if whole else str(e).split("\n")[0]
    return repr(r), repr(args)


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_as_in_python(f, calls):
    compiled = swathe.njit(f)
    for args in calls:
        assert _outcome(compiled, args) == _outcome(f, args), args
    before = live()
    for args in calls:
        _outcome(compiled, args)
    assert live() == before


def test_the_object_that_was_passed():
    whole = b"a long enough line of bytes"
    assert swathe.njit(lambda a: a)(whole) is whole


def test_print(capsys):
    def f(a):
        print(a, [a], {a: 1}, sep=b"|".decode())

    def g(a):
        print(a, [a], {a: 1}, (a, 2), end=";")

    with pytest.raises(swathe.CompileError):
        swathe.njit(f)(b"a")
    swathe.njit(g)(b"it's \xff")
    mine = capsys.readouterr().out
    g(b"it's \xff")
    assert mine == capsys.readouterr().out


REFUSED = [
    (lambda a: a + "x", TypeError, "can't concat str to bytes"),
    (lambda a: "x" in a, TypeError, "a bytes-like object is required, not 'str'"),
    (lambda a: a["x"], TypeError, "byte indices must be integers or slices, not str"),
    (lambda a: a < "x", TypeError, "'<' not supported between instances of 'bytes' and 'str'"),
    (lambda a: a.find("x"), TypeError, "a str in bytes"),
    (lambda a: bytes("x"), TypeError, "string argument without an encoding"),
    (lambda a: bytes(1.5), TypeError, "cannot convert 'float' object to bytes"),
    (lambda a: a.decode("utf-16-xx"), LookupError, "unknown encoding: utf-16-xx"),
    (lambda a: a.casefold(), Exception, "'bytes' object has no attribute 'casefold'"),
    (lambda a: a % 1, TypeError, "not all arguments converted during bytes formatting"),
    (lambda a: a is a, Exception, "'is'"),
]


@pytest.mark.parametrize("k", range(len(REFUSED)))
def test_refused(k):
    f, error, text = REFUSED[k]
    with pytest.raises(error) as e:
        swathe.njit(f)(b"ab")
    assert text in str(e.value)
