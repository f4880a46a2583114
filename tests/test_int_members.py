# SPDX-License-Identifier: BSD-3-Clause
"""Members of IntEnum and IntFlag are ints that remember their class: as arguments, results,
elements, keys, fields, in texts, operators and tests."""

import copy
import sys
from dataclasses import dataclass
from enum import Enum, IntEnum, IntFlag
from typing import NamedTuple

import numpy as np
import pytest
from live_memory import live

from swathe import jitclass, njit


class Level(IntEnum):
    LOW = 1
    MID = 5
    HIGH = 10
    TOP = 10

    def up(self):
        return Level.HIGH if self is Level.MID else Level.MID

    @property
    def half(self):
        return self / 2

    @classmethod
    def first(cls):
        return cls.LOW


class Other(IntEnum):
    A = 1


class Mixed(int, Enum):
    A = 1
    B = 2


class Perm(IntFlag):
    R = 4
    W = 2
    X = 1
    RW = 6


class Place(NamedTuple):
    level: Level
    n: int


@dataclass
class Task:
    level: Level
    n: int = 0

    def raised(self):
        self.level = self.level.up()
        return self.level


class Log:
    def __init__(self, level):
        self.level = level
        self.seen = [level]

    def bump(self):
        self.level = self.level.up()
        self.seen.append(self.level)
        return self.level


def texts(x):
    print(x, [x], (x, 1), {x: 2})
    shown = str(x), repr(x), f"{x}", f"{x!r:>20}", f"{x:04d}", "%d %s %r" % (x, x, x), str({x: [x]})
    return shown, x.name, x.value, type(x).__name__, isinstance(x, Level), isinstance(x, (str, int))


def numbers(x):
    y = x
    y += 1
    all_ = x + 1, 2 * x, -x, ~x, x / 2, x**2, abs(x), x << 1, int(x), float(x), x + x, divmod(x, 3)
    return all_, y, x.half, x.up(), Level.first(), x.bit_length(), bool(x), [0] * x, range(12)[x]


def asked(x):
    match x:
        case Level.LOW:
            n = 1
        case 5:
            n = 2
        case _:
            n = 3
    known = x == 1, x is Level.LOW, x is not Level.MID, x < Level.HIGH, x in (1, Level.MID)
    known += (x == Other.A, x is Other.A, [x] == [1], max(x, Level.MID), min(Level.MID, x))
    return known, n, sorted([Level.HIGH, x]), Level(5), Level["TOP"], x or Level.MID


def members():
    d = {m: m.value for m in Level}
    pairs = list(zip(Level, range(9))), list(map(lambda m: m.up(), Level)), list(enumerate(Level))
    return list(Level), tuple(Level), d, pairs, max(Level), d[1], 5 in d, sorted(Level), len(Level)


def arrays(x, a):
    a[x] = x
    f = a.astype(np.float32)
    return a, a + x, f * x, np.maximum(f, x), np.int8(1) + x, np.array([x, 2]), np.full(2, x), a | x


def kept(xs, d, s, log, task, place):
    xs.append(Level.HIGH)
    xs[0] = Level.MID
    d[Level.LOW] = d.get(Level.HIGH, 0) + d[10]
    s.add(Level.MID)
    log.bump()
    task.raised()
    counts = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    new = Task(Level.LOW), Log(Level.LOW).bump(), place._replace(level=Level.HIGH), place.level.name
    ends = sum(xs), xs.index(10), counts, max(counts, key=counts.get), 5 in s, repr(task)
    return xs, d, s, log.seen, task.level, new, ends, [(x, [x]) for x in xs]


def maybe(n):
    best = None
    for m in Level:
        if m > n:
            best = m
            break
    return best


def inside(n):
    cells = [0] * n
    cells[1] = Level.MID
    x = Level.LOW if n > 3 else 7
    return sum(cells), cells[1] == 5, x + 1, x == 1


def mixed(x):
    return x, str(x), f"{x}", repr(x), x + 1, x.name, [x]


def flags(p, q):
    r = p
    r |= Perm.X
    r &= ~q
    made = p | q, p & q, p ^ q, ~p, p | 8, 8 | p, p + 1, p << 1, r, Perm(p | 16)
    return made, q in p, bool(p & q), p == q, p.value, str(p), not p, int(p), p is Perm.R


def flag_texts(n):
    p = Perm(n)
    return p.name, repr(p), f"{p}", [p]


LOW, MID, HIGH = Level.LOW, Level.MID, Level.HIGH
KEPT = ([LOW, LOW], {HIGH: 3}, {LOW}, Log(LOW), Task(MID), Place(LOW, 2))
CALLS = [
    *((f, x) for f in (texts, numbers, asked) for x in (LOW, MID, HIGH)),
    (members,),
    (arrays, MID, np.arange(12)),
    (kept, *KEPT),
    *((maybe, n) for n in (3, 10)),
    (inside, 4),
    *((mixed, x) for x in Mixed),
]


def check(f, args, compiled, capfd):
    mine = copy.deepcopy(args)
    want = f(*args), capfd.readouterr().out
    is_ = compiled.setdefault(f, njit(f))(*mine), capfd.readouterr().out
    for a, b in (want, is_), (args, mine):
        # Log has no text
        assert repr(a).split("Log object")[0] == repr(b).split("Log object")[0], (f.__name__, args)


def test_members_are_ints_that_remember_their_class(capfd):
    compiled = {}
    for f, *args in CALLS:
        check(f, args, compiled, capfd)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="as enum has flags from 3.11 on")
def test_flags_keep_all_bits(capfd):
    compiled = {}
    for p in (Perm.R, Perm.RW, Perm(0), Perm.R | Perm.X, Perm(8)):
        for q in Perm.X, Perm.RW:
            check(flags, (p, q), compiled, capfd)
    for n in range(-9, 17):
        check(flag_texts, (n,), compiled, capfd)


def test_members_in_containers_leave_nothing():
    g = njit(kept)
    for k in range(4):
        before = live()
        g(*copy.deepcopy(KEPT))
        assert k == 0 or live() == before


def test_two_classes_of_one_name():
    def made(first):
        class Local(IntEnum):
            A = first
            B = first + 1

        return Local, njit(lambda x: (x, Local.B, x.name))

    for n in 1, 5:
        cls, f = made(n)
        got = f(cls.A)
        assert got == (cls.A, cls.B, "A") and got[0] is cls.A and got[1] is cls.B


@njit("int64(int64)")
def signed(x):
    return x + 1


@njit("float64[:](float64[:], float64)")
def scaled(a, x):
    return a * x


def test_signatures_take_members_as_ints():
    assert signed(Level.MID) == 6 and scaled(np.ones(1), Level.MID)[0] == 5.0


@jitclass
class Held:
    level: Level
    kept: list[Level]
    last: Level | None

    def __init__(self, level):
        self.level = level
        self.kept = [level]
        self.last = None

    def up(self):
        self.last = self.level
        self.level = self.level.up()
        self.kept.append(self.level)
        return self.level


def test_fields_of_compiled_classes():
    x = Held(Level.LOW)
    assert x.level is Level.LOW and x.last is None and x.up() is Level.MID
    x.level = Level.TOP
    assert (x.level, x.last, x.kept) == (Level.HIGH, Level.LOW, (Level.LOW, Level.MID))
    assert x.level is Level.HIGH and x.last is Level.LOW and copy.copy(x).level is Level.HIGH
    assert njit(lambda h: (h.up(), h.level.name, Held(h.level).level))(x) == (5, "MID", 5)
    with pytest.raises(TypeError, match="'level' of Held is Level, and this is int"):
        x.level = 1


class Part:
    def __init__(self):
        self.level = 0

    def set(self):
        self.level = Level.LOW


def one_or_int(x):
    return x if x > 3 else 7


def among_ints(xs):
    xs.append(Level.LOW)


def key_among_ints(d):
    d[Level.LOW] = 1


def int_key(d):
    d[7] = 1


def field(p):
    p.set()


def int_in_field(t):
    t.level = 5


def of_two(n):
    return [Level.LOW, Other.A][n]


def raised(x):
    raise ValueError("x", x)


def flag_or_int(n):
    p = Perm.R if n else 0
    return p & 4


REFUSED = [
    (among_ints, [1], "members of an IntEnum among ints that go to Python"),
    (key_among_ints, {5: 1}, "the keys of dict[int, int] are int, not Level"),
    (int_key, {Level.LOW: 1}, "the keys of dict[Level, int] are Level, not int"),
    (field, Part(), "members of an IntEnum among ints that go to Python"),
    (int_in_field, Task(Level.LOW), "'level' of Task is Level, and this is int"),
    (raised, Level.LOW, "a member of an IntEnum as an argument of an exception"),
]


def test_a_member_or_an_int_is_returned():
    for x in Level:
        got, want = njit(one_or_int)(x), one_or_int(x)
        assert got == want and type(got) is type(want)


@pytest.mark.parametrize("f", [of_two, flag_or_int])
@pytest.mark.parametrize("n", [0, 1])
def test_one_of_two_stays_what_it_is(f, n):
    if f is flag_or_int and sys.version_info < (3, 11):
        pytest.skip("flags are ints there")
    got, want = njit(f)(n), f(n)
    assert got == want and type(got) is type(want)


@pytest.mark.parametrize(("f", "x", "text"), REFUSED, ids=[f.__name__ for f, *_ in REFUSED])
def test_members_among_ints_do_not_get_lost(f, x, text):
    with pytest.raises((TypeError, NotImplementedError)) as e:
        njit(f)(x)
    assert text in str(e.value)
