# SPDX-License-Identifier: BSD-3-Clause
"""bytearrays as values, held against CPython's."""

import copy
import random
from dataclasses import dataclass

import numpy as np
import pytest
from live_memory import live

import swathe


def _xor(data, key):
    out = bytearray(len(data))
    for i in range(len(data)):
        out[i] = data[i] ^ key[i % len(key)]
    return bytes(out)


def _rc4(key, n):
    s = list(range(256))
    j = 0
    S = bytearray(range(256))
    for i in range(256):
        j = (j + S[i] + key[i % len(key)]) & 255
        S[i], S[j] = S[j], S[i]
    i = j = 0
    out = bytearray()
    for _ in range(n):
        i = (i + 1) & 255
        j = (j + S[i]) & 255
        S[i], S[j] = S[j], S[i]
        out.append(S[(S[i] + S[j]) & 255])
    return out.hex()


def _aug(b):
    for i in range(len(b)):
        b[i] ^= 0x55
    for i in range(len(b)):
        b[i] += 1
    return b


def _same(b):
    c = b
    c.append(3)
    return c is b, b is bytearray(b), len(b)


def _helper(b, n):
    def put(x):
        b.append(x)

    for k in range(n):
        put(k)
    return _fill(b, n)


def _fill(b, n):
    while len(b) < 20:
        b += b"%"
    return b[n:]


def _opt(n):
    b = None
    if n > 2:
        b = bytearray(n)
    if b is None:
        return bytearray(b"none")
    b[1] = n
    return b


def _front(b):
    a = np.frombuffer(b, np.uint8)
    s = 0
    for i in range(len(a)):
        a[i] = i
        s += b[i]
    b[0] = 77
    return s + int(a[0]), a.sum(), b


def _ints(b):
    return int.from_bytes(b, "little"), int.from_bytes(b[:2], "big")


def _insts(b):
    return (
        isinstance(b, bytearray),
        isinstance(b, (bytes, bytearray)),
        isinstance(b, bytes),
        isinstance(b, list),
        type(b).__name__,
    )


def _two(a, b):
    a.append(1)
    b.append(2)
    return a, b, a is b


def _half(b):
    b.append(1)
    b[0] = 9
    raise KeyError("x")


def _cond(b, c):
    x = b if c else bytearray(b"zz")
    x[0] = 65
    return x


def _npints(b, a):
    for v in a:
        b.append(v)
    b[0] = a[1]
    b[1] = True
    b[2] = np.uint8(9)
    return b


def _joins(b):
    return (
        bytearray(b",").join([b"a", b"bc"]),
        b",".join([bytearray(b"q"), bytearray(b"r")]),
        b"ab".find(bytearray(b"b")),
        b"abc".replace(b"b", bytearray(b"XX")),
        b.join([b, b]),
    )


def _gen(b):
    def g():
        for c in b:
            yield c + 1

    return bytearray(g()), bytearray(c // 2 for c in b), bytes(c for c in b)


def _neg(b):
    return b[-1], b[len(b) - 1], b[:-1], b[5:2], b[::3], b[-100:100]


def _err1(b):
    return b[10]


def _err2(b):
    b[-10] = 1


def _err3(b):
    b.pop(100)


def _err4(b):
    b.remove(300)


def _err5(b):
    b.remove(1)


def _err6(b):
    b.append(-1)


def _err7(b):
    b.extend([1, 2, 256])


def _err8(b):
    return bytearray(-1)


def _err9(b):
    b[::2] = b"1"


def _err10(b):
    b.index(b"zz")


def _err11(b):
    del b[99]


def _err12(b):
    b.insert(0, 256)


def _err13(b):
    return bytearray().pop()


def _err14(b):
    return 256 in b


def _err15(b):
    b[1:3] = [1, 300]


def _err16(b):
    return b.decode()


def _selfs(b):
    b += b
    b[1:1] = b
    b.extend(b)
    return b


def _emptied(b):
    b.clear()
    b.extend(b"")
    b[0:0] = b"x"
    b.reverse()
    return b, not b, len(b.copy())


def _words(n):
    buf = bytearray()
    r = []
    for k in range(n):
        buf += str(k).encode()
        if len(buf) > 5:
            r.append(bytes(buf))
            buf.clear()
    return r, buf


def _tup(n):
    return (
        (bytearray(n), n),
        [bytearray(k) for k in range(n)],
        {k: bytearray(b"ab") for k in range(n)},
    )


def _sortb(b):
    return bytearray(sorted(b)), bytes(reversed(b)), sum(b), min(b, default=3)


def _trans(b):
    return (
        b.translate(bytes.maketrans(b"abc", b"xyz")),
        b.translate(None, b"a"),
        b.lstrip(),
        b.isalpha(),
        b.expandtabs(),
        b.splitlines(),
        b.swapcase(),
        b.rjust(9),
        b.ljust(9, b"."),
        b.removeprefix(b"a"),
        b.rpartition(b"b"),
        b.rsplit(b"b", 1),
        b.endswith((b"x", b"c")),
        b.find(98),
        b.isascii(),
        b.capitalize(),
    )


class Buf:
    def __init__(self):
        self.data = bytearray()

    def put(self, v):
        self.data.append(v)
        return self


def _cls(n):
    b = Buf()
    for k in range(n):
        b.put(k)
    return b.data, bytes(b.data)


def _match_(b):
    match b:
        case bytearray():
            return "ba"
        case _:
            return "no"


def _argdefault(b, n=bytearray(b"xy")):
    return b + n


S = bytearray(b"global")


def _glob():
    return S[0], S + b"x", len(S)


def _lz(data):
    out = bytearray()
    i = 0
    while i < len(data):
        best = 0
        dist = 0
        for j in range(max(0, i - 16), i):
            k = 0
            while i + k < len(data) and data[j + k] == data[i + k] and k < 9 and j + k < i:
                k += 1
            if k > best:
                best, dist = k, i - j
        if best >= 3:
            out += bytes([255, dist, best])
            i += best
        else:
            out.append(data[i])
            i += 1
    return out


def _seven(n):
    out = bytearray()
    while True:
        c = n & 127
        n >>= 7
        if n:
            out.append(c | 128)
        else:
            out.append(c)
            break
    return bytes(out)


def _make():
    b = bytearray()
    b.append(65)
    b.append(200)
    b.extend(b"xyz")
    b += b"12"
    b[0] = 66
    return b, len(b), b[1], b[-1], b[1:3], b[::-1], bytes(b)


def _arg(b, k):
    for i in range(len(b)):
        b[i] = (b[i] + k) % 256
    return sum(b)


def _err(b):
    b[0] = 7
    b[1] = 256


def _m(b):
    return (
        b.find(b"l"),
        b.rfind(b"l"),
        b.count(108),
        b.upper(),
        b.split(b" "),
        b.partition(b" "),
        b.replace(b"l", b"LL"),
        b.hex(),
        b.decode(),
        b.startswith(b"he"),
        b.strip(b"h"),
        b.center(20, b"*"),
        b.zfill(20),
        b.title(),
    )


def _print(b):
    return str(b), repr(b)


def _cmp(b):
    return (
        b == b"hello",
        b"hello" == b,
        b < b"z",
        b == bytearray(b"hello"),
        104 in b,
        b"ll" in b,
        b in b"xhellox",
        b is b,
        b == [104],
        b != "hello",
    )


def _conv(n):
    return (
        bytearray(n),
        bytearray([1, 2, n]),
        bytearray("hé", "utf-8"),
        bytearray(range(n)),
        bytearray.fromhex("00ff 10"),
        bytearray(b"a") * 3,
        b"x" + bytearray(b"y"),
        bytearray(b"y") + b"x",
    )


def _iter(b):
    r = []
    for c in b:
        r.append(c)
    for i, c in enumerate(b):
        r.append(i * c)
    for c in reversed(b):
        r.append(c)
    x, *y, z = b
    return (
        r,
        max(b),
        min(b),
        sorted(b),
        list(b),
        set(b),
        x,
        y,
        z,
        tuple(b),
        [c for c in b if c > 105],
        any(b),
    )


def _del(b):
    del b[0]
    del b[1:3]
    b.insert(1, 9)
    v = b.pop()
    w = b.pop(0)
    b.remove(9)
    b.reverse()
    b[1:1] = b"QQQ"
    b[::2] = bytes(len(b[::2]))
    return v, w, b.copy()


def _list(bs):
    for b in bs:
        b.append(1)
    return bs[0], len(bs)


def _dict(d):
    d["a"].extend([1, 2, 3])
    d["b"] = bytearray(b"new")
    return d


def _edited(b, ops):
    """What each step makes of it, by a number that names the kind of step."""
    seen = []
    for kind, i, j, step, v in ops:
        try:
            if kind == 0:
                b[i:j] = v
            elif kind == 1:
                b[i:j:step] = v
            elif kind == 2:
                del b[i:j:step]
            elif kind == 3:
                b.insert(i, len(v))
            elif kind == 4:
                seen.append(b.pop(i))
            elif kind == 5:
                b[i] = j + 100
            elif kind == 6:
                b *= abs(i) % 3
                b += v
            else:
                seen.append(b.find(v, i, j) + 1000 * b[i:j:step].count(v))
        except ValueError:
            seen.append(-1)
        except IndexError:
            seen.append(-2)
    return seen, b


def _random_ops(seed):
    r = random.Random(seed)

    def index():
        return r.randint(-12, 12)

    return [
        (
            r.randrange(8),
            index(),
            index(),
            r.choice([-3, -2, -1, 1, 1, 2, 3]),
            r.randbytes(r.randrange(5)),
        )
        for _ in range(60)
    ]


@dataclass
class Pack:
    data: bytearray
    n: int


def _field(p):
    p.data.append(p.n)
    p.n += 1
    return len(p.data)


def b(s=b"hello"):
    return bytearray(s)


ONE = b()
PROGRAMS = [
    (_make, []), (_arg, [b(), 3]), (_err, [b()]), (_m, [b(b"hello wORLD")]),
    (_print, [b(b"a'b\0")]),
    (_print, [b(b'"')]), (_cmp, [b()]), (_conv, [5]), (_iter, [b()]), (_del, [b(b"hello world")]),
    (_list, [[b(b"q"), b(b"")]]), (_list, [[ONE, ONE]]), (_dict, [{"a": b(b"z")}]),
    (_xor, [b"hello world", b"key"]), (_xor, [b(), b"key"]), (_rc4, [b"Key", 20]), (_aug, [b()]),
    (_same, [b()]), (_helper, [b(), 4]), (_opt, [1]), (_opt, [5]), (_front, [b()]), (_ints, [b()]),
    (_insts, [b()]), (_two, [b(), b()]), (_two, [ONE, ONE]), (_half, [b()]), (_cond, [b(), True]),
    (_cond, [b(), False]), (_npints, [b(), np.array([1, 200])]),
    (_npints, [b(), np.array([1, 300])]),
    (_joins, [b()]), (_gen, [b()]), (_neg, [b()]), (_selfs, [b()]), (_selfs, [b(b"")]),
    (_emptied, [b()]), (_words, [20]), (_tup, [3]), (_sortb, [b()]), (_trans, [b(b" abC\n\tabc")]),
    (_cls, [5]), (_field, [Pack(b(), 3)]), (_match_, [b()]), (_argdefault, [b()]), (_glob, []),
    (_lz, [b"abcabcabcabcxyzxyzxyz"]), (_seven, [12345678901]),
    *[(f, [b()]) for f in (_err1, _err2, _err3, _err4, _err5, _err6, _err7, _err8, _err9, _err10)],
    *[(f, [b()]) for f in (_err11, _err12, _err13, _err14, _err15)], (_err16, [b(b"\xff")]),
    *[(_edited, [b(), _random_ops(seed)]) for seed in range(25)],
]  # fmt: skip
COMPILED = {}


def _outcome(f, args):
    args = copy.deepcopy(args)
    try:
        return repr(f(*args)), repr(args)
    except Exception as e:
        return type(e).__name__, str(e.args[0]).split("\n")[0], repr(args)


@pytest.mark.parametrize("k", range(len(PROGRAMS)), ids=lambda k: f"{PROGRAMS[k][0].__name__}{k}")
def test_as_cpython(k):
    f, args = PROGRAMS[k]
    compiled = COMPILED.setdefault(f, swathe.njit(f))
    want = _outcome(f, args)
    assert _outcome(compiled, args) == want
    before = live()
    assert _outcome(compiled, args) == want
    assert live() == before


def test_stays_the_object():
    f = swathe.njit(lambda x, y: (x, y[0], x is y[0]))
    x = b()
    one, two, is_one = f(x, [x])
    assert one is x and two is x and is_one


def test_printed(capfd):
    f = swathe.njit(lambda x: print(x, [x], f"<{x}>"))
    x = b(b"a'b\0")
    f(x)
    assert capfd.readouterr().out == f"{x} {[x]} <{x}>\n"


@pytest.mark.parametrize("f", [
    lambda x: x.append(1.5), lambda x: x.extend("ab"), lambda x: x + [1], lambda x: x < "a",
    lambda x: bytearray("a"), lambda x: bytearray(1.5), lambda x: {x: 1}, lambda x: x.sort(),
], ids=range(8))  # fmt: skip
def test_refused(f):
    with pytest.raises(swathe.CompileError):
        swathe.njit(f)(b())


@swathe.jitclass
class Kept:
    def __init__(self, n):
        self.data = bytearray(n)

    def put(self, v):
        self.data.append(v)
        return len(self.data)


def test_field_of_a_compiled_class():
    assert swathe.njit(lambda n: Kept(n).put(1))(3) == 4
    with pytest.raises(TypeError, match="holds a bytearray"):
        Kept(3)


def test_value_before_index():
    """As in CPython since 3.12."""

    @swathe.njit
    def f(x, i, v):
        x[i] = v

    with pytest.raises(ValueError, match="byte must be in range"):
        f(b(), 9, 300)
    with pytest.raises(IndexError, match="bytearray index out of range"):
        f(b(), 9, 3)
