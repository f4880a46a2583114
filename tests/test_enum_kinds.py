# SPDX-License-Identifier: BSD-3-Clause
"""Flags, enums whose members are strings or floats, or have attributes, class methods and operators
of their own, and members in lists, dicts and sets."""

import copy
import math
from dataclasses import dataclass
from enum import Enum, Flag, auto

import pytest
from live_memory import live

from swathe import njit


class Right(Flag):
    NONE = 0
    READ = auto()
    WRITE = auto()
    RUN = auto()
    BOTH = READ | WRITE

    @property
    def is_low(self):
        return self in (Right.READ, Right.WRITE)

    @classmethod
    def usual(cls):
        return cls.READ | cls.RUN


class Bare(Flag):
    A = 1
    C = 4


class Name(str, Enum):
    RED = "red"
    BLUE = "blue"


class Rate(float, Enum):
    LOW = 0.5
    HIGH = 2.0


class Planet(Enum):
    MERCURY = (3.303e23, 2439700)
    EARTH = (5.976e24, 6378140)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def gravity(self):
        return 6.6743e-11 * self.mass / self.radius**2


SCALE = 2


class Op(Enum):
    ADD = "+"
    SUB = "-"
    PLUS = "+"

    def __call__(self, a, b):
        return a + b if self is Op.ADD else a - b

    @classmethod
    def parse(cls, text, most=5):
        for m in cls:
            if m.value == text:
                return m, len(cls) + most
        return cls["SUB"], SCALE


class Own(Enum):
    A = 1
    B = 2

    def __eq__(self, other):
        return self.value == other

    def __lt__(self, other):
        return self.value < other.value


@dataclass
class User:
    name: str
    right: Right = Right.NONE

    def grant(self, more):
        self.right |= more

    def revoke(self, less):
        self.right &= ~less


def bits(a, b):
    c = (a | b, a & b, a ^ b, ~a, bool(a & b), a in b, (a | b).value, (a | b).name)
    n = 1 if a & b else 2
    return c, str(a), repr(a ^ b), f"{a}", n, [m for m in Right if m in a], a == b, a.is_low


def bare(n):
    return Bare(n), Bare(n).name, str(Bare(n)), repr(Bare(n)), ~Bare(n)


def users(us, right):
    for u in us:
        u.grant(right)
        u.revoke(Right.READ)
    return (
        us[0].right,
        us[0].right is Right.WRITE,
        Right.usual(),
        Right(3),
        {Right(3): 1}[Right.BOTH],
    )


def names(c, text):
    d = {Name.RED: 1, Name.BLUE: 2}
    same = c == "red", "blue" == c, c != "red", c == text, c == Name.RED, c is Name.RED
    match c:
        case "red":
            n = 1
        case _:
            n = 2
    return same, n, d[c], Name.RED, [c, Name.BLUE].index(c), c in (Name.RED, Name.BLUE), d


def rates(r):
    return r == 0.5, r != 2, r == Rate.HIGH, Rate.LOW


def planets(p):
    return p.mass, p.radius, p.gravity, p.value, sum(q.gravity for q in Planet)


def ops(text):
    op, n = Op.parse(text)
    return op, n, op(5, 3), Op.parse(text, most=1)


def owns(a):
    return a == 1, a < Own.B, sorted([Own.B, a])[0].value


def kept(cs, d, s, nested):
    cs.append(Right.WRITE | Right.RUN)
    cs[0] = Right.NONE
    d[Right.BOTH] = 5
    s.add(Right.RUN)
    nested[1][0], n = None, 0
    for row in nested:
        for c in row:
            n += 0 if c is None else c.value
    return cs, d, s, nested, n, [c.name for c in cs], d.get(Right.RUN, -1)


def outcome(f, *args):
    try:
        return f(*args)
    except ValueError as e:
        return str(e).split("\n  File")[0].split(" (")[0]


LISTS = ([Right.READ], {Right.READ: 1}, {Right.BOTH}, [[Right.READ], [Right.RUN, None]])
EACH = [Right.NONE, Right.READ, Right.BOTH, Right.READ | Right.RUN]
CALLS = [
    *((bits, a, b) for a in EACH[1:] for b in EACH),
    *((bare, n) for n in (0, 1, 5, 2, 8, -1, -2, -9)),
    (users, [User("a"), User("b", Right.RUN)], Right.BOTH),
    *((names, c, "blue") for c in Name),
    *((rates, r) for r in Rate),
    *((planets, p) for p in Planet),
    *((ops, text) for text in "+-?"),
    *((owns, m) for m in Own),
    (kept, *LISTS),
]


def test_kinds_of_enums_are_as_in_python():
    compiled = {}
    for f, *args in CALLS:
        g = compiled.setdefault(f, njit(f))
        mine = copy.deepcopy(args)
        want, is_ = outcome(f, *args), outcome(g, *mine)
        assert is_ == want and repr(is_) == repr(want), (f.__name__, args)
        assert mine == args


def test_globals_of_class_methods_are_looked_at(monkeypatch):
    g = njit(ops)
    assert g("?")[1] == 2
    monkeypatch.setitem(globals(), "SCALE", 7)
    assert g("?")[1] == 7


class Stored(Enum):
    A = 1
    B = 2

    def __init__(self, n):
        self.n = n


@dataclass
class Holder:
    of: Stored


def test_what_members_store_later_is_looked_at():
    fs = (
        njit(lambda o: o.n),
        njit(lambda o: Stored.A.n + Stored.B.n),
        njit(lambda o: Holder(o).of is Stored.A),
        njit(lambda o: Holder(Stored.A).of is o),
    )
    assert [f(Stored.A) for f in fs] == [1, 3, True, True]
    for n in 77, 1:
        Stored.A.n = n
        assert [f(Stored.A) for f in fs] == [n, n + 2, True, True]
    Stored.A.n = "x"
    with pytest.raises(AttributeError, match="'n'"):
        fs[0](Stored.A)
    Stored.A.n = 5
    assert [f(Stored.A) for f in fs] == [5, 7, True, True]


def test_members_in_containers_leave_nothing():
    g = njit(kept)
    for k in range(4):
        before = live()
        g(*copy.deepcopy(LISTS))
        assert k == 0 or live() == before


class Way(Enum):
    N = (0, 1)
    E = (1, 0)
    S = (0, -1)
    W = (-1, 0)

    def back(self):
        dx, dy = self.value
        return Way((-dx, -dy))


class Card(Enum):
    A = ("x", 1)
    B = ("y", 2)
    C = ("x", 1)


class Deep(Enum):
    A = ((0, 0), 1.5)
    B = ((1, 1), math.inf)


def there_and_back(x, y):
    w = Way((x, y))
    return w.back().name, w.back().back() is w, [Way((y, x)), Way(w)]


def other_length(x, y):
    return Way((x, y, 0)).name


def by_text(x, y):
    return Card(("x", y)).name, Card(("y", y + 1))


def by_parts(x, y):
    return Deep(((x, x), 1.5 if x < 1 else math.inf)).name


def no_tuple(x, y):
    return Way(x + y).name


@pytest.mark.parametrize("f", [there_and_back, other_length, by_text, by_parts, no_tuple])
def test_members_by_tuples(f):
    g = njit(f)
    for x, y in (0, 1), (1, 0), (1, 1), (-1, 0):
        try:
            wanted = f(x, y)
        except ValueError as e:
            with pytest.raises(ValueError) as got:
                g(x, y)
            assert str(got.value).startswith(f"{e}\n")
        else:
            assert g(x, y) == wanted


def unlike(a):
    return a | Bare.A


def beside_text(c):
    return c in ("red", "x")


def looked_up(c):
    return {Own.A: 1}[c]


@pytest.mark.parametrize(
    ("f", "x", "text"),
    [
        (unlike, Right.READ, "unsupported operand type(s) for |"),
        (beside_text, Name.RED, "whose class has a __eq__ of its own"),
        (looked_up, Own.A, "a dict of Own(enum: int) to int is not supported"),
    ],
    ids=["unlike", "beside-text", "own-key"],
)
def test_what_is_refused(f, x, text):
    with pytest.raises((TypeError, NotImplementedError)) as e:
        njit(f)(x)
    assert text in str(e.value)
