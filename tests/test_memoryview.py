"""memoryview in compiled code, held against CPython."""

from __future__ import annotations

import struct
import zlib
from array import array

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import njit


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e), str(e).split("\n")[0]


def same(f, *makers):
    """Of the function and of what is compiled: results, and what is left in the arguments."""
    args, others = [m() for m in makers], [m() for m in makers]
    expected, got = outcome(f, *args), outcome(njit(f), *others)
    assert (got, type(got)) == (expected, type(expected))
    assert [bytes(x) for x in others] == [bytes(x) for x in args]
    return got


HELLO = [lambda: b"hello wo", lambda: bytearray(b"hello wo")]


def asked(b):
    m = memoryview(b)
    c = m.cast("i")
    t = m[::2], m[::-1], m[2:2]
    return (
        (m[1], m[-1], len(m), m.nbytes, m.itemsize, m.format, m.ndim, m.shape, m.strides),
        (c[0], len(c), c.format, c.itemsize, c.nbytes, c.tolist(), c.cast("B").tolist()),
        (m.readonly, m.contiguous, t[0].contiguous, m.c_contiguous, m.tobytes(), m.hex("-")),
        ([x.tobytes() for x in t], [x.tolist() for x in t], t[1].nbytes, t[1].strides),
        ([x for x in m], sum(m), max(m), sorted(m), list(m), list(enumerate(m)), 104 in m, 1 in m),
        (bytes(m), bytearray(m), b"x" + bytes(m), [x for x in m[2:]], tuple(m[:2])),
        (m == b, b == m, m == m[:], m != m[1:], m == b"hello", m == 3, m == c.cast("B"), t[0] == c),
        (int.from_bytes(m[:4], "big"), zlib.crc32(m), struct.unpack("<2i", m)),
        (np.frombuffer(m, np.uint8).tolist(), np.frombuffer(c, np.int16).tolist()),
        (m.toreadonly().readonly, m.toreadonly().tolist(), c.toreadonly().format),
        (isinstance(m, memoryview), isinstance(b, memoryview), isinstance(m, (bytes, memoryview))),
    )


@pytest.mark.parametrize("make", HELLO)
def test_what_is_asked(make):
    same(asked, make)


def changed(b):
    with memoryview(b) as m:
        m[0] = 7
        m[1:3] = b"ab"
        m[4:6] = m[1:3]
        m[::3] = bytearray(b"xyz")
        m[-1] += 1
        c = m.cast("H")
        c[1] = 500
        c[2:] = c[:2]
    return len(b)


@pytest.mark.parametrize("make", HELLO)
def test_what_is_changed(make):
    same(changed, make)


def formats(x):
    m = memoryview(x)
    m[0] = 1
    m[1:3] = m[:2]
    return m.format, m.itemsize, m.tolist(), m[::-1].tolist(), m.cast("B")[:2].tolist(), m.nbytes


ARRAYS = [(lambda c=c: array(c, [3, 2, 1, 0])) for c in "bBhHiIlqfd"] + [
    (lambda d=d: np.array([3, 2, 1, 0], d)) for d in ("i1", "u2", "i8", "u8", "f4", "f8", "?")
]


@pytest.mark.parametrize("make", ARRAYS)
def test_formats(make):
    same(formats, make)


def store(x, v):
    memoryview(x)[1] = v


def test_numbers_that_do_not_fit():
    compiled = njit(store)
    for make in ARRAYS[:8]:
        for v in (-129, -1, 127, 128, 255, 256, 65535, 65536, 2**31, -(2**31) - 1, 2**32):
            one, two = make(), make()
            assert outcome(compiled, one, v) == outcome(store, two, v)
            assert one == two


def test_mistakes():
    def index(b):
        return memoryview(b)[8]

    def lengths(b):
        memoryview(b)[:2] = b"abc"

    def unlike(b):
        memoryview(b)[:2] = array("b", [1, 2])

    def kinds(b):
        return memoryview(b).cast("i").cast("d")[0]

    def sizes(b):
        return memoryview(b)[1:].cast("i")[0]

    def strides(b):
        return memoryview(b)[::2].cast("i")[0]

    def frozen(b):
        memoryview(b).toreadonly()[0] = 1

    def hashed(b):
        return hash(memoryview(b)) == hash(bytes(b))

    def released(b):
        m = memoryview(b)
        other = m
        m.release()
        m.release()
        return other[0]

    def left(b):
        with memoryview(b) as m:
            k = m[0]
        return k + len(m)

    for f in (index, lengths, unlike, kinds, sizes, strides, frozen, hashed, released, left):
        for make in HELLO:
            same(f, make)


def words(m):
    """A protocol: a length, and so many bytes."""
    out = []
    while len(m):
        n = m[0]
        out.append(bytes(m[1 : n + 1]))
        m = m[n + 1 :]
    return out


def test_arguments_and_results():
    data = b"\x02ab\x00\x03xyz"
    f = njit(words)
    for make in (bytes, bytearray):
        assert f(memoryview(make(data))) == words(memoryview(make(data)))
    assert f(memoryview(data)) == words(memoryview(data))

    @njit
    def rest(m, k):
        m[k] = 9
        return m[k:], m, [m[:1], m], {"all": m}

    b = bytearray(range(8))
    m = memoryview(b)[1:]
    part, whole, both, named = rest(m, 2)
    assert type(part) is memoryview and part.tobytes() == bytes([9, 4, 5, 6, 7])
    assert whole is m and both[1] is m and named["all"] is m
    part[1] = 77
    assert b[4] == 77 and b[3] == 9
    assert not part.readonly and f(memoryview(b"")) == []

    @njit
    def three(m, b):
        all = [m, memoryview(b), memoryview(b"lit"), m[::2], m.toreadonly()]
        return all, [x.tobytes() for x in all], all[1] is m, m is all[0]

    for given in (memoryview(b"hello"), memoryview(b"h.e.l.l.o")[::2]):
        views, texts, *same = three(given, b"world")
        assert [bytes(v) for v in views] == texts == [b"hello", b"world", b"lit", b"hlo", b"hello"]
        assert same == [False, True] and views[0] is given and all(v.readonly for v in views)

    @njit
    def made(b):
        return memoryview(b), memoryview(b)[::2], memoryview(b"abc"), memoryview(b).cast("h")

    for x in (bytearray(b"012345"), array("B", b"012345")):
        views = made(x)
        x[0] = 120
        assert [v.tolist()[0] for v in views[:2]] == [120, 120] and views[3][0] == 12664
        assert views[2].readonly and views[2] == b"abc"
        with pytest.raises(BufferError):
            x.append(1)
        views[0][1] = 66
        assert x[1] == 66

    @njit
    def quads(x):
        return memoryview(x)[1:].cast("B").cast("q"), memoryview(x).toreadonly()

    q, r = quads(array("q", [1, 2]))
    assert (q.format, q.tolist(), r.format, r.readonly) == ("q", [2], "q", True)


def test_released_by_the_function():
    @njit
    def closes(m):
        with m:
            return sum(m)

    m = memoryview(bytearray(b"abc"))
    assert closes(m) == 294
    with pytest.raises(ValueError, match="released"):
        m[0]
    with pytest.raises(ValueError):
        closes(m)


def test_two_that_share_memory():
    @njit
    def both(b, v):
        v[0] = 1
        return b[0]

    b = bytearray(b"abc")
    for v in (memoryview(b), np.frombuffer(b, np.uint8)):
        with pytest.raises(ValueError, match="another argument"):
            both(b, v)
    m = memoryview(b)
    assert both(m, m[:]) == 1 and b[0] == 1
    a = array("h", [5, 6])
    with pytest.raises(ValueError, match="another argument"):
        both(a, memoryview(a))
    assert both(a, memoryview(b"x").cast("B").tolist()) == 5


def test_views_of_arguments_that_numpy_makes():
    @njit
    def view(b):
        b[1] = 50
        return np.frombuffer(b, np.uint8)[1:]

    b = bytearray(b"0123")
    v = view(b)
    assert v.tolist() == [50, 50, 51] and b[1] == 50
    b[2] = 9
    v[0] = 8
    assert v[1] == 9 and b[1] == 8


def test_refused():
    with pytest.raises(TypeError, match="2 dimensions"):
        njit(words)(memoryview(np.zeros((2, 2), np.uint8)))
    with pytest.raises(swathe.CompileError, match="one dimension"):
        njit(formats)(np.zeros((2, 2), np.uint8))
    with pytest.raises(TypeError, match="bytes-like object is required"):
        njit(formats)("abc")

    def floating(b):
        memoryview(b)[0] = 1.5

    def key(b):
        return memoryview(b)["a"]

    for f in (floating, key):
        with pytest.raises(TypeError, match="memoryview: invalid"):
            njit(f)(bytearray(3))
        with pytest.raises(TypeError, match="memoryview: invalid"):
            f(bytearray(3))


def walks(b):
    views = [memoryview(b)[i:] for i in range(len(b))]
    kept = {i: v for i, v in enumerate(views)}

    def first(v):
        return v[0] if v else -1

    def each(v):
        for x in v:
            yield x + 1

    total = 0
    for v in kept.values():
        total += first(v) + sum(each(v))
        try:
            total += v[3]
        except IndexError:
            total -= 1
    match memoryview(b):
        case memoryview() as m:
            total += m[0]
    return total, views[2]


def test_forms():
    for make in HELLO:
        a, v = walks(make())
        c, w = njit(walks)(make())
        assert (a, v.tolist()) == (c, w.tolist())


def test_nothing_is_kept():
    f, g = njit(walks), njit(words)
    b = bytearray(b"hello wo")

    def once():
        f(b)
        g(memoryview(b"\x02ab\x00\x03xyz"))
        with pytest.raises(IndexError):
            g(memoryview(b"\x02"))
            njit_index(b)

    @njit
    def njit_index(b):
        m = memoryview(b)
        return m[len(m)]

    once()
    before = live()
    for _ in range(5):
        once()
    assert live() == before
    b.append(1)  # nobody looks at it any more


def test_a_field_that_is_read_only():
    class Held:
        def __init__(self, of):
            self.of = of

        def first(self):
            return self.of[0]

    x = np.arange(3)
    x.flags.writeable = False

    @njit
    def first(h):
        return h.first()

    @swathe.njit
    def spoils(h):
        h.of[0] = 5

    assert first(Held(x)) == 0
    with pytest.raises(ValueError, match="read-only"):
        spoils(Held(x))
