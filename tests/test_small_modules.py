# SPDX-License-Identifier: BSD-3-Clause
"""Smaller modules of the standard library beside CPython: struct, textwrap, zlib, binascii, base64,
hashlib, html, unicodedata, os.path, sys.exit; re with functions for replacements; choices and ASCII
in f-strings; keywords of Counter; means and correlations of statistics."""

import base64
import binascii
import copy
import hashlib
import html
import os
import os.path
import re
import string
import struct
import sys
import textwrap
import unicodedata
import zlib
from collections import Counter
from statistics import correlation, covariance, geometric_mean, harmonic_mean

import numpy as np
import pytest
from live_memory import live

import swathe

HEAD = struct.Struct(">HbQ3s?xd")
FORMAT = "<iI"
HALVES = struct.Struct("<hh")
WORD = re.compile(r"(?P<w>[a-z]+)|(?P<n>\d+)")
TOKEN = re.compile(
    r"(?P<NUM>\d+(?:\.\d*)?)|(?P<ID>[A-Za-z_]\w*)|(?P<OP>[-+*/=])|(?P<S> +)|(?P<B>.)"
)
TEXT = "the quick brown fox jumps over the lazy dog"
BYTES = bytes(range(240, 256)) + b"\x01\x02\x03\x04"
HEADER = b"\x01\x02\xff\0\0\0\0\0\0\0\x09abc\x01\0" + struct.pack(">d", 3.5)
PAIRS = "ab 12 cd34 x=5, y=, z=77"


def unpack(b):
    return struct.unpack("<i", b)


def unpack_from(b):
    return struct.unpack_from(">bfe", b, -9), struct.unpack_from("<hB", b, 1)


def unpack_array(a):
    return struct.unpack_from("<d", a, 3)


def unpack_unsigned(b):
    return struct.unpack("<Q", b)


def pack_all():
    return struct.pack("@bhilqc?3s2x", -1, -2, -3, -4, -5, b"z", True, b"abcdef")


def pack_pair(x, y):
    return struct.pack(FORMAT, x, y)


def pack_bytes(x):
    return struct.pack("bB", x, 7)


def pack_int(x):
    return struct.pack("<i", x)


def pack_long(x):
    return struct.pack("<q", x)


def pack_reals(x):
    return struct.pack("<f", x) + struct.pack("<e", x) + struct.pack(">d", x)


def pack_char(x):
    return struct.pack("<c", x)


def pack_few():
    return struct.pack("<ii", 1)


def pack_caught(x):
    try:
        return struct.pack("B", x)
    except struct.error as e:
        return b"bad " + str(e).encode()


def pack_into(b, at, v):
    struct.pack_into("<iB", b, at, 7, v)
    return b


def _big(n):
    return struct.pack("!I", n)


def pack_in_helper(n):
    return b"".join([_big(i) for i in range(n)])


def struct_object(b, x):
    return HEAD.unpack(b), HEAD.size, HEAD.format, HEAD.pack(x, -3, 2**40, b"x", False, 1.5)


def products(b):
    return [x * y for x, y in struct.iter_unpack("<hh", b)]


def sizes():
    return struct.calcsize("bq"), struct.calcsize("<bq"), struct.calcsize(FORMAT)


def wrapped(s):
    return textwrap.wrap(s, 10), textwrap.fill(s, 12), textwrap.shorten(s, width=12)


def indented(s):
    return textwrap.dedent("  a\n  b\n"), textwrap.indent(s + "\n\nx", ">> ")


def other_texts(s):
    return (
        string.capwords(s),
        string.capwords(s, "o"),
        html.escape(s + "<&'\">"),
        html.unescape("&lt;b&gt; &amp;"),
        unicodedata.normalize("NFC", "e\u0301"),
        [unicodedata.category(c) for c in s[:3]],
        unicodedata.east_asian_width("あ"),
        unicodedata.combining("\u0301"),
    )


def sums(b):
    return (
        zlib.crc32(b),
        zlib.adler32(b),
        binascii.crc32(b),
        zlib.crc32(b[2:], zlib.crc32(b[:2])),
        hashlib.md5(b).hexdigest(),
        hashlib.sha256(b).digest(),
    )


def hash_in_parts(b):
    h = hashlib.sha1()
    for i in range(len(b)):
        h.update(b[i : i + 1])
    return h.hexdigest()


def digits(b):
    return (
        binascii.hexlify(b),
        binascii.unhexlify(binascii.hexlify(b)),
        binascii.unhexlify("00ff"),
        base64.b64decode(base64.b64encode(b)),
        base64.urlsafe_b64encode(b),
        base64.b16encode(b),
        base64.b32encode(b),
    )


def decoded(s):
    return base64.b64decode(s)


def paths(s):
    return (
        os.path.split(s),
        os.path.basename(s),
        os.path.dirname(s),
        os.path.splitext(s),
        os.path.isabs(s),
        os.path.normpath(s),
        os.path.join(s, "b"),
        os.path.join("a", "/b", "c/"),
        os.path.join("a/", s, ""),
        os.path.exists(s),
        os.path.isfile(s),
        os.path.isdir("/"),
    )


def leaves(n):
    if n > 3:
        sys.exit(n)
    elif n < 0:
        sys.exit("bye")
    return n


def replaced(s):
    def twice(m):
        return str(int(m.group(1)) * 2)

    return (
        re.sub(r"\d+", lambda m: "<" + m.group() + ">", s),
        re.sub(r"(\d+)", twice, s),
        re.sub(r"(\d+)", twice, s, count=1),
        re.sub(r"(\d+)", twice, s, count=-1),
        WORD.sub(lambda m: m.group().upper(), s, 2),
        re.subn(r"x*", lambda m: "-", "axxb"),
    )


def tokens(s):
    r = []
    for m in TOKEN.finditer(s):
        kind = m.lastgroup
        if kind != "S":
            r.append((kind, m.group()))
    return r


def last(s):
    m = re.match(r"a(b)?((c)d)?", s)
    if m is None:
        return None
    return m.lastindex, m.lastgroup, m.span(1), m.groups()


def named(s):
    d = {}
    for m in re.finditer(r"(?P<k>\w+)=(?P<v>\d+)?", s):
        g = m.groupdict("none")
        d[g["k"]] = g["v"]
    return d


def in_ascii(c):
    return f"{c!a}", ascii(c), f"{c!a:>12}", f"[{[c]!a}]"


def chosen(n, x):
    return (
        f"{n if n > 1 else ''}c",
        f"{'x' if n else n:>5}",
        f"{n if n > 1 else 'z'!r}",
        f"{x if x is not None else '-'}|{'-' if x is None else x:>6}",
        f"{f'{n}' if n > 1 else 3}",
        f"{n if n > 3 else n + 0.5 if n > 1 else 'b'}",
        f"{(n if n > 1 else 'z') if n < 2 else 'q':>3}",
    )


def chosen_in_error(n):
    print(f"{n if n > 1 else 'none'} {n!a}")
    raise ValueError(f"bad {n if n > 1 else 'small'}")


def changed_in_loop(b):
    r = []
    for v in struct.iter_unpack("<h", b):
        r.append(v[0])
        if len(r) == 1:
            b[4] = 9
    return r


def none_replaces(s):
    return re.sub("a|b", lambda m: None if m[0] == "a" else "X", s)


def in_parallel(n):
    b = np.zeros(4 * n, np.uint8)
    for i in swathe.prange(n):
        HALVES.pack_into(b, 4 * i, -i, i)
    return b, sum([x - y for x, y in HALVES.iter_unpack(b)])


def odd_formats(b):
    return (
        struct.calcsize("0i"),
        struct.unpack("<0ib", b),
        struct.pack("0s", b),
        struct.unpack("@ b i", b * 8),
        struct.calcsize("bi0q"),
    )


def counted(n):
    c = Counter(x=n, y=0)
    c.update("xy")
    c["z"] += 1
    return c, Counter(a=n) + Counter(a=2, c=3), c.total()


def mean_of(x):
    return f"{harmonic_mean(x):.12g} {geometric_mean(x):.12g}"


def related(x, y):
    return f"{covariance(x, y):.12g} {correlation(x, y):.12g}"


CALLS = [
    (changed_in_loop, (bytearray(b"abcdefgh"),)),
    (none_replaces, ("xaxb",)),
    (in_parallel, (5,)),
    (odd_formats, (b"a",)),
    (counted, (3,)),
    *((mean_of, (x,)) for x in ([54, 24, 36], [2.5, 3, 10.0], [0.0, -1.0], [-1.0, 1.0], [])),
    (related, ([1, 2, 3, 4], [1, 2, 3, 5])),
    (related, ([1.0, 2.5, 1e9], [3.0, 1.0, -2.0])),
    (related, ([1.0, 2.0], [3.0, 3.0])),
    (related, ([1.0, 2.0], [1.0])),
    *((in_ascii, (x,)) for x in ("é\U0001f600\n'\x7f", 1, "")),
    *((chosen, of) for of in ((0, 1.5), (2, 1.5), (2, None))),
    *((chosen_in_error, (n,)) for n in (0, 2)),
    (unpack, (BYTES[:4],)),
    (unpack, (BYTES,)),
    (unpack_from, (BYTES,)),
    (unpack_from, (bytearray(BYTES),)),
    (unpack_from, (b"ab",)),
    (unpack_array, (np.arange(20, dtype=np.uint8),)),
    (unpack_array, (np.arange(10, dtype=np.uint8),)),
    (unpack_unsigned, (b"\x01" * 8,)),
    (pack_all, ()),
    (pack_pair, (-1, 1)),
    (pack_pair, (-1, -1)),
    *((pack_bytes, (x,)) for x in (127, 128, -128, -129)),
    *((pack_int, (x,)) for x in (True, 2**31 - 1, 2**31, -(2**31) - 1, 1.5, "a", np.int8(4))),
    (pack_long, (-(2**63),)),
    *((pack_reals, (x,)) for x in (0.1, 7e4, 1e40, float("inf"), float("nan"), -0.0, 3)),
    *((pack_reals, (x,)) for x in (65519.999, 65520.0, 5e-8, 2.0**-25, 1 + 2.0**-11 + 2.0**-30)),
    (pack_char, (b"a",)),
    (pack_char, (b"ab",)),
    (pack_few, ()),
    (pack_caught, (5,)),
    (pack_caught, (256,)),
    *(
        (pack_into, (bytearray(8), *of))
        for of in ((1, 255), (1, 256), (-5, 25), (-4, 25), (-9, 25))
    ),
    (pack_into, (bytearray(8), 4, 25)),
    (pack_in_helper, (5,)),
    (pack_in_helper, (0,)),
    (struct_object, (HEADER, 7)),
    (struct_object, (HEADER, 65536)),
    (products, (BYTES,)),
    (products, (BYTES[:5],)),
    (sizes, ()),
    (wrapped, (TEXT,)),
    (wrapped, ("",)),
    (indented, (TEXT,)),
    (other_texts, (TEXT,)),
    (sums, (BYTES,)),
    (sums, (bytearray(BYTES),)),
    (hash_in_parts, (BYTES,)),
    (digits, (BYTES,)),
    (decoded, ("YWJj",)),
    (decoded, ("YWJ",)),
    *((paths, (s,)) for s in ("", "/", "/a", "a/b.c", "a.b/c", "///a//b//", ".bashrc", "...a")),
    *((paths, (s,)) for s in ("a..b", "x/.a.b", "a/", "..", "a/..", "/etc/passwd")),
    *((leaves, (n,)) for n in (2, 5, -1)),
    (replaced, (PAIRS,)),
    (tokens, ("x1 = 3.5*(y-2)",)),
    (tokens, ("",)),
    *((last, (s,)) for s in ("a", "ab", "abcd", "acd", "c")),
    (named, (PAIRS,)),
]


def outcome(f, args):
    given = copy.deepcopy(args)
    try:
        r = f(*given)
    except (Exception, SystemExit) as e:
        return (
            type(e),
            str(e).split("\n")[0],
            str(getattr(e, "code", None)).split("\n")[0],
            repr(given),
        )
    return repr(r), repr(given)


COMPILED = {f: swathe.njit(f, cache=False) for f, _ in CALLS}


@pytest.mark.parametrize(("f", "args"), CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_as_in_python(f, args):
    expected = outcome(f, args)
    assert outcome(COMPILED[f], args) == expected
    before = live()
    assert outcome(COMPILED[f], args) == expected
    assert live() == before


def fails(f, *args):
    with pytest.raises(swathe.CompileError) as e:
        swathe.njit(f, cache=False)(*args)
    return str(e.value)


def test_what_is_not_there_is_named():
    assert "must be a literal or a global" in fails(
        lambda f, b: struct.unpack(f, b), "<" + "i" * 40, b""
    )
    assert "must be a literal or a global" in fails(lambda b: struct.unpack("<zz", b), b"")
    assert "must be a literal or a global" in fails(lambda b: struct.pack("5p", b), b"a")
    assert "not 'str': s.encode()" in fails(lambda s: zlib.crc32(s), "a")
    assert "must be a str" in fails(lambda s: re.sub("x", lambda m: 1, s), "a")
