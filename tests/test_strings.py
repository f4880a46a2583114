# SPDX-License-Identifier: BSD-3-Clause
"""Strings as values: each function here does what CPython does, to its result and its error."""

from __future__ import annotations

import copy
import gc
import random
import sys
from typing import NamedTuple

import numpy as np
import pytest
from live_memory import live

import swathe

TEXTS = (
    "", "a", "abc", "banana", "Hello, World!", "  two  words ", "a,b,,c", "straße", "ÀÉî", "😀a😀",
    "x\0y\0", "١٢", "ǅx", "a\tb\nc\r\nd", "\u2028x\u3000", "it's \"q\"", "Titled Text", "UPPER",
    "-42",
)  # fmt: skip


class Person(NamedTuple):
    name: str
    age: int


def outcome(f, args):
    try:
        return "ok", f(*args)
    except swathe.errors.CompileError:
        raise
    except Exception as e:
        return type(e).__name__, e.args[0] if type(e) is KeyError else str(e).split("\n")[0]


def typed(x):
    if isinstance(x, dict):
        return {k: typed(v) for k, v in x.items()}
    if isinstance(x, set):
        return type(x).__name__, sorted(map(repr, x))
    if isinstance(x, (tuple, list)):
        return type(x).__name__, [typed(v) for v in x]
    return type(x).__name__, repr(x)


def agree(f, g, *args):
    plain, ours = copy.deepcopy(args), copy.deepcopy(args)
    want, got = outcome(f, plain), outcome(g, ours)
    assert (want[0], typed(want[1])) == (got[0], typed(got[1])), args
    assert typed(plain) == typed(ours), args


# ---- one string


def parts(s):
    r = [
        s,
        s[::-1],
        s[1:],
        s[:-1],
        s[::2],
        s[-3:2],
        s[5:1:-2],
        s * 2,
        0 * s,
        s + "é",
        "<" + s + ">",
    ]
    for i, c in enumerate(s):
        r.append(str(i) + c)
    for c in reversed(s):
        r.append(c)
    for a, b in zip(s, s[1:]):
        r.append(b + a)
    return r, len(s), not s, "b" in s, "" in s, s in "banana", [ord(c) for c in s]


def cases(s):
    return [
        s.upper(), s.lower(), s.title(), s.capitalize(), s.swapcase(), s.casefold(), s.strip(),
        s.lstrip(), s.rstrip(), s.strip("a "), s.lstrip("xab"), s.rstrip("da!"), s.expandtabs(),
        s.expandtabs(3), s.zfill(7), s.center(8), s.center(9, "*"), s.ljust(6, "."), s.rjust(6),
    ]  # fmt: skip


def kinds(s):
    return [
        s.isalpha(), s.isdigit(), s.isdecimal(), s.isnumeric(), s.isalnum(), s.isspace(),
        s.isupper(), s.islower(), s.istitle(), s.isidentifier(), s.isprintable(), s.isascii(),
    ]  # fmt: skip


def pieces(s):
    return [
        s.split(), s.split(None, 1), s.rsplit(None, 1), s.split(","), s.split("a", 1),
        s.rsplit("a", 1), s.splitlines(), s.splitlines(True), list(s.partition("a")),
        list(s.rpartition("a")), list(s),
    ]  # fmt: skip


def found(s):
    r = [
        s.find("a"),
        s.rfind("a"),
        s.count("a"),
        s.find("an", 2),
        s.rfind("an", 0, -2),
        s.count(""),
    ]
    r += [s.find("", 1), s.find("", 99), s.rfind(""), s.count("ana"), s.find("a", -3, -1)]
    return (
        r,
        s.startswith("a"),
        s.endswith(("c", "na")),
        s.startswith(("b", ""), 1),
        s.startswith(""),
    )


def changed(s):
    return [
        s.replace("a", "bb"), s.replace("an", ""), s.replace("", "-"), s.replace("a", "x", 1),
        s.removeprefix("ba"), s.removesuffix("na"), "-".join(s), s.join(["x", "y", "z"]),
        "".join(c for c in s if c != "a"), ", ".join([c + c for c in s]),
    ]  # fmt: skip


def shown(s):
    return [f"{s}", f"{s!r}", f"{s:>8}", f"{s:*^9}|", f"{s:.2}", str(s), repr(s), f"{s}{len(s)}{s}"]


def read(s):
    return int(s)


def read_float(s):
    return float(s)


@pytest.mark.parametrize("f", [parts, cases, kinds, pieces, found, changed, shown])
def test_one(f):
    g = swathe.njit(f)
    for s in TEXTS:
        agree(f, g, s)
    assert (
        len(swathe.explain(g)) >= 0
        if hasattr(swathe, "explain") and callable(swathe.explain)
        else True
    )


def test_numbers_are_read():
    f, g = swathe.njit(read), swathe.njit(read_float)
    for s in ("42", "-7", " +3 ", "1_000", "", "x", "1.5", "٣٤", "9" * 18, "0x1f", "--1", "\0"):
        agree(read, f, s)
        agree(read_float, g, s)
    for s in ("1e300", "inf", "-nan", "1e", ".5", "0.1", "1_0.5"):
        agree(read_float, g, s)
    with pytest.raises(OverflowError):
        f("9" * 20)

    def based(s, b):
        return int(s, b)

    h = swathe.njit(based)
    for s, b in (("ff", 16), ("0x1f", 0), ("zz", 36), ("9", 8), ("1", 1), ("-101", 2)):
        agree(based, h, s, b)

    def by_name(s, b):
        return int(s, base=b), int("1f", base=16), complex(real=b, imag=2), complex(b, imag=1)

    h = swathe.njit(by_name)
    for s, b in (("ff", 16), ("0x1f", 0), ("9", 8)):
        agree(by_name, h, s, b)
    wrong = [
        lambda s: int(x=s),
        lambda s: int(s, bas=2),
        lambda s: int(*s),
        lambda s: float(x=s),
        lambda s: complex(imag=1),
    ]
    for w in wrong:
        with pytest.raises(swathe.errors.UnsupportedError):
            swathe.njit(w)("12")


def test_texts_of_numbers():
    def texts(i, x, b):
        return [
            str(i),
            str(x),
            str(b),
            f"{i:5d}|{x:.3f}|{x:e}|{i:+,}|{b}",
            repr(x),
            f"{x:>12}|{i:x}",
        ]

    g = swathe.njit(texts)
    numbers = [0, 1, -1, 2**63 - 1, -(2**63), 10, 12345678901]
    floats = [
        0.0,
        -0.0,
        0.1,
        1e16,
        1e15,
        5e-324,
        1.7976931348623157e308,
        float("inf"),
        float("nan"),
        2.5,
        2**-44,
    ]
    rng = random.Random(3)
    floats += [rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300) for _ in range(50)]
    for k, x in enumerate(floats):
        agree(texts, g, numbers[k % len(numbers)], x, k % 2 == 0)

    def nested(t):
        return str(t), repr(t), f"{t}"

    h = swathe.njit(nested)
    for t in ((1, "a'b", 2.5, None, True), ("x",), [1, 2], ["a", "é\n"], [(1, "b")], None):
        agree(nested, h, t)


# ---- two strings


def compared(a, b):
    r = [a == b, a != b, a < b, a <= b, a > b, a >= b, a in b, a not in b, "a" <= a <= "z"]
    r += [(a, 1) == (b, 1), (a, 1) < (b, 2), [a] < [b], a in ("abc", b), a == "abc", "banana" == b]
    return r, max(a, b), min(a, b, "m"), a + b, a or b, a and b, a if a < b else b


def test_two():
    g = swathe.njit(compared)
    for a in TEXTS:
        for b in ("", "abc", "b", "straße", "😀", a + "a", "\uffff"):
            agree(compared, g, a, b)


def at(s, i):
    return s[i]


def unpacked(s):
    a, b = s
    return b, a


def characters(i):
    return chr(i), ord(chr(i))


def number_of(c):
    return ord(c)


def position(s, t):
    return s.index(t), s.rindex(t)


def cut(s, t):
    return s.split(t)


def raised(s):
    raise ValueError(s)


def told(s):
    if len(s) > 1:
        raise RuntimeError(f"bad {s!r} here: {s}")
    raise KeyError(s)


def asserted(s):
    assert s == "a", f"{s}?"
    return s


def test_errors():
    for f, args in (
        (at, (("abc", 1), ("abc", -3), ("abc", 3), ("", 0), ("😀", -2))),
        (unpacked, (("ab",), ("a",), ("abc",), ("é😀",))),
        (characters, ((0,), (97,), (300,), (0x10FFFF,), (-1,), (0x110000,))),
        (number_of, (("a",), ("",), ("ab",), ("😀",))),
        (position, (("banana", "an"), ("banana", "x"), ("", ""))),
        (cut, (("a-b", "-"), ("a-b", ""))),
        (raised, (("é",), ("it's",))),
        (told, (("é",), ("it's",), ("",))),
        (asserted, (("a",), ("é",))),
    ):
        g = swathe.njit(f)
        for a in args:
            agree(f, g, *a)


# ---- in containers


def lists(x, s):
    x.append(s)
    x.insert(0, s + "!")
    y = sorted(x)
    x.sort(reverse=True)
    return y, x.index(s), x.count(s), s in x, min(x), max(x), [w[::-1] for w in x], x + [s], [s] * 2


def dicts(d, s):
    d[s] = d.get(s, 0) + 1
    d["lit"] = 5
    d[s] += 10
    e = {v: k for k, v in d.items()}
    n = 0
    for k in d:
        n += len(k)
    return (
        list(d),
        list(d.values()),
        sorted(d.items()),
        e,
        n,
        s in d,
        d.pop("lit"),
        d["zz"] if "zz" in d else 0,
    )


def sets(x, s):
    x.add(s)
    x.discard("q")
    return x | {s + s}, x & {"a", s}, s in x, len(x), {w.upper() for w in x}, sorted(x)


def people(p, q):
    r = [p, Person(p.name + q[0].name, 3)]
    return (
        p.name.upper(),
        r,
        {p: 1},
        sorted([w.name for w in q]),
        p == Person("bob", 2),
        p._replace(name="x") if False else p,
    )


def test_containers():
    for f, args in (
        (lists, ((["b", "a"], "c"), ([], "x"), (["é", "", "😀"], ""))),
        (dicts, (({"a": 1}, "a"), ({}, "é"), ({"zz": 3, "": 1}, ""))),
        (sets, (({"a", "q"}, "b"), (set(), ""), ({"😀"}, "😀"))),
        (
            people,
            (
                (Person("bob", 2), [Person("al", 1)]),
                (Person("é", 0), [Person("", 1), Person("z", 2)]),
            ),
        ),
    ):
        g = swathe.njit(f)
        for a in args:
            agree(f, g, *a)


def missing(d, k):
    return d[k]


def caught(d, k):
    try:
        return d[k]
    except KeyError:
        return "none"


def maybe(s):
    r = None
    for c in s:
        if c == "b":
            r = c
    t = "neg" if len(s) < 2 else None
    return r, t, [r, s], (None, s)


def test_none_and_missing():
    g, h, m = swathe.njit(missing), swathe.njit(caught), swathe.njit(maybe)
    for k in ("a", "q", "", "it's"):
        agree(missing, g, {"a": "x"}, k)
        agree(caught, h, {"a": "x"}, k)
    for s in ("", "b", "abc", "xyz"):
        agree(maybe, m, s)


def test_what_comes_back_is_what_was_passed():
    @swathe.njit
    def same(s, x):
        return s, x, x[0], (s, 1)

    s, t = "abc" + str(len(TEXTS)), "x" * 3
    x = [t, s]
    a, b, c, d = same(s, x)
    assert a is s and b is x and c is t and d[0] is s and x[0] is t


def test_text_is_no_part_of_the_program():
    @swathe.njit
    def size(s):
        return len(s)

    assert [size("a" * k) for k in range(50)] == list(range(50))
    assert len(size.signatures if hasattr(size, "signatures") else [1]) == 1


def test_options_stay_known():
    @swathe.njit
    def reduce(x, how="sum", order="C"):
        if how == "sum":
            return x.sum()
        if how == "copy":
            return x.copy(order=order).sum()
        raise ValueError(f"bad {how}")

    x = np.arange(6.0).reshape(2, 3)
    assert reduce(x) == 15 and reduce(x, "copy", "F") == 15
    with pytest.raises(ValueError, match="bad other"):
        reduce(x, "other")

    @swathe.njit
    def typed_by(x, kind):
        if kind == "int":
            return 1
        return x / 2

    assert type(typed_by(3, "int")) is int and typed_by(3, "float") == 1.5


# ---- programs


def word_count(text):
    d = {}
    for w in text.lower().split():
        w = w.strip(".,!?")
        if w:
            d[w] = d.get(w, 0) + 1
    return sorted([(-n, w) for w, n in d.items()])


def tokens(src):
    out = []
    i = 0
    while i < len(src):
        c = src[i]
        if c.isspace():
            i += 1
        elif c.isdigit():
            j = i
            while j < len(src) and src[j].isdigit():
                j += 1
            out.append(("num", src[i:j]))
            i = j
        elif c.isalpha() or c == "_":
            word = ""
            while i < len(src) and (src[i].isalnum() or src[i] == "_"):
                word += src[i]
                i += 1
            out.append(("name", word))
        else:
            out.append(("op", c))
            i += 1
    return out


def caesar(s, k):
    r = ""
    for c in s:
        if "a" <= c <= "z":
            r += chr((ord(c) - 97 + k) % 26 + 97)
        elif "A" <= c <= "Z":
            r += chr((ord(c) - 65 + k) % 26 + 65)
        else:
            r += c
    return r


def vigenere(s, key):
    return "".join(
        [chr((ord(c) - 97 + ord(key[i % len(key)]) - 97) % 26 + 97) for i, c in enumerate(s)]
    )


def palindrome(s):
    t = "".join(c.lower() for c in s if c.isalnum())
    return t == t[::-1]


def distance(a, b):
    row = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        new = [i]
        for j in range(1, len(b) + 1):
            new.append(min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])))
        row = new
    return row[len(b)]


def common(a, b):
    t = [["" for _ in range(len(b) + 1)] for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                t[i + 1][j + 1] = t[i][j] + a[i]
            else:
                t[i + 1][j + 1] = max(t[i][j + 1], t[i + 1][j], key=len)
    return t[len(a)][len(b)]


def runs(s):
    out = []
    i = 0
    while i < len(s):
        j = i
        while j < len(s) and s[j] == s[i]:
            j += 1
        out.append(f"{s[i]}{j - i}")
        i = j
    return "".join(out)


def anagrams(words):
    groups = {}
    for w in words:
        groups.setdefault("".join(sorted(w)), []).append(w)
    return groups


def settings(s):
    d = {}
    for pair in s.split(";"):
        k, v = pair.split("=")
        d[k.strip()] = v.strip()
    return d


def roman(n):
    r = ""
    for v, s in (
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ):
        while n >= v:
            r += s
            n -= v
    return r


def complement(s):
    pair = {"A": "T", "T": "A", "C": "G", "G": "C"}
    return "".join([pair[c] for c in reversed(s)])


def kmers(s, k):
    d = {}
    for i in range(len(s) - k + 1):
        w = s[i : i + k]
        d[w] = d.get(w, 0) + 1
    best = None
    for w in d:
        if best is None or d[w] > d[best]:
            best = w
    return d, best


DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def base64(data):
    out = ""
    for i in range(0, len(data), 3):
        n = 0
        for k in range(3):
            n = n * 256 + (data[i + k] if i + k < len(data) else 0)
        for k in range(4):
            out += "=" if i + k - 1 >= len(data) else DIGITS[(n >> (18 - 6 * k)) & 63]
    return out


def joined(x):
    return ", ".join([str(v) for v in x]), "-".join(map(str, x)), "".join(f"{v:03d}" for v in x)


PROGRAMS = [
    (word_count, [("The cat. The dog! A cat?",), ("",), ("é É é",)]),
    (tokens, [("x1 = foo(12+y_2)*3",), ("",), ("αβ 42",)]),
    (caesar, [("Hello, World!", 3), ("xyz", -30), ("", 1)]),
    (vigenere, [("attackatdawn", "lemon"), ("a", "b")]),
    (palindrome, [("A man, a plan, a canal: Panama",), ("ab",), ("",)]),
    (distance, [("kitten", "sitting"), ("", "abc"), ("😀a", "a😀")]),
    (common, [("AGGTAB", "GXTXAYB"), ("", "x"), ("éa", "aé")]),
    (runs, [("aaabbc",), ("",), ("😀😀x",)]),
    (anagrams, [(["abc", "bca", "x", "cab", ""],)]),
    (settings, [("k=v; a = b ;x=",), ("k=v=w",), ("novalue",)]),
    (roman, [(1994,), (3999,), (0,)]),
    (complement, [("ACGTT",), ("ACX",)]),
    (kmers, [("ACGACGT", 3), ("A", 2)]),
    (base64, [([77, 97, 110, 255],), ([1],), ([1, 2],)]),
    (joined, [([1, -22, 333],), ([5],)]),
]


@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_programs(f, args):
    g = swathe.njit(f)
    for a in args:
        agree(f, g, *a)


def test_printed(capfd):
    def show(s, x):
        print(s, len(s), [s, "b"], (s, 1), x)
        print(f"{s}: {s!r:>6}|", end="")
        print(*(s, 2), sep="-")

    for s in ("é😀", "it's", ""):
        show(s, {s: 1})
        want = capfd.readouterr().out
        swathe.njit(show)(s, {s: 1})
        assert capfd.readouterr().out == want


def test_functions_take_them_on():
    def half(s, k=2):
        return s[: len(s) // k]

    def back(s):
        return s if len(s) <= 1 else back(s[1:]) + s[0]

    inner_half, inner_back = swathe.njit(half), swathe.njit(back)

    @swathe.njit
    def all_of(s):
        def more(t):
            return t + s

        f = lambda q: q.upper()  # noqa: E731
        return (
            inner_half(s),
            inner_half("known"),
            inner_back(s),
            inner_back("known"),
            more("a"),
            f(s),
        )

    for s in ("hello", ""):
        assert all_of(s) == (half(s), "kn", back(s), "nwonk", "a" + s, s.upper())


def test_parallel_loops_read_them():
    @swathe.njit(parallel=True)
    def count(words, s):
        n = 0
        r = np.zeros(len(s), np.int64)
        for i in swathe.prange(len(s)):
            r[i] = ord(s[i])
            if s[i] == "a":
                n += 1
        return n, r, len(words)

    s = "banana" * 200
    n, r, _ = count(["x"], s)
    assert n == 600 and r.tolist() == [ord(c) for c in s]


# ---- memory


@swathe.njit
def much(s, x, d):
    r = []
    for w in s.split():
        r.append(w.upper() + "!")
        d[w] = w
    x.extend(r)
    t = (s, r[0], None)
    y = f"{s}{len(r)}"
    return t, y, r, d, sorted(r), {w for w in r}


@swathe.njit
def fails(s, x):
    r = [s + "!", s.upper()]
    x.append(r[0])
    if len(s) > 2:
        raise ValueError(f"{s} {r[1]}")
    return r[5]


def test_nothing_is_lost():
    def step(k):
        much(f"a b{k} c é", ["q"], {"k": "v"})
        for s in (f"ab{k}", "a"):
            with pytest.raises((ValueError, IndexError)):
                fails(s, ["z"])

    for k in range(3):
        step(k)
    gc.collect()
    s = "passed" + str(len(TEXTS))
    before, refs = live(), sys.getrefcount(s)
    for k in range(20):
        step(k)
        much(s, [s], {s: s})
    assert live() == before and sys.getrefcount(s) == refs


# ---- what there is not


@pytest.mark.parametrize("body, what", [
    ("return s + 1", 'can only concatenate str \\(not "int"\\) to str'),
    ("return 1 in s", "requires string as left operand, not int"),
    ("return s - s", "unsupported operand"),
    ("return '%d %d' % (1,)", "not enough arguments for format string"),
    ("return '%d' % (1, 2)", "not all arguments converted during string formatting"),
    ("return '%d %d' % 1", "not enough arguments for format string"),
    ("return '%(a)s' % s", "format requires a mapping"),
    ("t = (s,)\n    return '%s' % t", "% of a tuple that is a value"),
    ("return '%d' % 2.5", "the format 'd' of float"),
    ("return '%d' % s", "%d format: a real number is required, not str"),
    ("return '%f' % 1j", "the format 'f' of complex"),
    ("x = [1]\n    return f'{x!r:>9}'", r"hint: format its text: {repr\(...\):>9}"),
    ("return '{0.x}'.format(s)", "no attribute 'x'"),
    ("return '{} {}'.format(s)", "Replacement index 1 out of range for positional args tuple"),
    ("return '{}{x}'.format(s, y=1)", "no argument is named 'x'"),
    ("return s[1.5]", "string indices must be integers, not 'float'"),
    ("s[0] = 'x'", "does not support item assignment"),
    ("return np.array(s)", "must be an array or a number, not str"),
    ("a, *b = s", "not of a string"),
])  # fmt: skip
def test_refused(body, what, tmp_path):
    file = tmp_path / "refused.py"
    file.write_text(f"import numpy as np\ndef f(s):\n    {body}\n")
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(swathe.errors.CompileError, match=what):
        swathe.njit(names["f"])("abc")


SHOWN = [
    np.float32(0.1), np.float64(0.1), np.float16(0.1), 0.1, np.int8(-3), np.uint64(2**64 - 1), True,
    np.bool_(True), 1e22, np.float32(1e22), 1e16, np.float32(3.0), float("nan"), -0.0, -7,
    np.float32(np.inf),
]  # fmt: skip


def shown(x):
    return str(x), repr(x), f"{x}", f"{x!s}", f"{x!r}", "<" + str((x, 1)) + ">", str([x, x])


@pytest.mark.parametrize("x", SHOWN, ids=repr)
def test_texts_of_numpys_numbers(x):
    assert swathe.njit(shown)(x) == shown(x)
