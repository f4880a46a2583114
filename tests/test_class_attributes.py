# SPDX-License-Identifier: BSD-3-Clause
"""What a plain class has itself, and functions change: counts, registries, caches."""

import copy
import dataclasses
import typing

import pytest

from swathe import jitclass, njit


class Counter:
    count = 0
    names = []
    table = {"x": 1}

    def __init__(self, name):
        Counter.count += 1
        self.id = Counter.count
        self.name = name
        Counter.names.append(name)
        Counter.table[name] = self.id


class Base:
    total = 0
    kinds = ["x", "y"]
    rate = 1.5

    def __init__(self, v):
        self.v = v
        Base.total += v

    def kind(self):
        return Base.kinds[self.v % len(Base.kinds)]


class Derived(Base):
    pass


class Ids:
    last = 1

    @staticmethod
    def fresh():
        found = Ids.last
        Ids.last += 1
        return found


class Cached:
    known = {}

    def fib(self, n):
        if n < 2:
            return n
        if n not in Cached.known:
            Cached.known[n] = self.fib(n - 1) + self.fib(n - 2)
        return Cached.known[n]


def counters():
    a, b = Counter("a"), Counter("b")
    return a.id, b.id, Counter.count, len(Counter.names), Counter.table["b"]


def derived(n):
    t = 0
    for i in range(n):
        t += Derived(i).v
    return t, Derived.total, Base.total, Derived(1).kind(), Base.rate


def rated(x):
    Base.rate += x
    return Base.rate, Derived.rate


def ids(n):
    return [Ids.fresh() for _ in range(n)]


def fails(n):
    Base.total += 1
    Base.kinds.append("late")
    if n:
        raise ValueError("no")
    return Base.total


def cached(n):
    return Cached().fib(n), len(Cached.known)


def kinds():
    return Base.kinds[0], len(Base.kinds)


CLASSES = (Counter, Base, Derived, Ids, Cached)
FUNCTIONS = (counters, derived, rated, ids, fails, cached, kinds)


KINDS = (int, float, list, dict)


def state():
    return [{k: copy.deepcopy(v) for k, v in vars(c).items() if type(v) in KINDS} for c in CLASSES]


def restore(was):
    for c, values in zip(CLASSES, was, strict=True):
        for k, v in values.items():
            if not k.startswith("_"):
                setattr(c, k, copy.deepcopy(v))


def said(f, *args):
    try:
        return f(*args)
    except ValueError as e:
        return str(e).split("\n")[0]


def session(f):
    """Calls, and changes in between, whose every outcome is noted."""
    out = [said(f["counters"]), said(f["counters"]), list(Counter.names)]
    Counter.count, Counter.names = 100, ["other"]
    out += [said(f["counters"]), Counter.count, list(Counter.names), dict(Counter.table)]
    out += [said(f["derived"], 4), Base.total, "total" in vars(Derived)]
    Base.kinds.append("z")
    out += [said(f["derived"], 3), Base.total]
    Base.rate = 2.5
    out += [said(f["derived"], 1), said(f["rated"], 1.0), said(f["rated"], 0.25), Base.rate]
    out += [said(f["ids"], 3), said(f["ids"], 2), Ids.last]
    out += [said(f["fails"], 1), Base.total, said(f["fails"], 0), list(Base.kinds)]
    out += [said(f["cached"], 30), len(Cached.known), said(f["cached"], 31)]
    for change in (lambda k: k.insert(0, "new"), lambda k: k.__setitem__(0, "changed"), list.clear):
        out.append(said(f["kinds"]))
        change(Base.kinds)
    return out


def test_what_functions_store_in_a_class():
    was = state()
    want = session({f.__name__: f for f in FUNCTIONS})
    restore(was)
    is_ = session({f.__name__: njit(f) for f in FUNCTIONS})
    restore(was)
    assert is_ == want


def stores_in_derived():
    Derived.total = 5


def of_instance(x):
    Base.total += 1
    return x.total


def test_another_class_has_its_own():
    was = state()
    for f, args in ((stores_in_derived, ()), (of_instance, (Base(1),))):
        with pytest.raises(NotImplementedError, match="'total'"):
            njit(f)(*args)
    assert "total" not in vars(Derived)
    restore(was)


class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def over(self):
        return self + self.UP

    @classmethod
    def least(cls):
        return cls.ZERO


class Strength:
    REQUIRED = None
    ALL = []

    def __init__(self, value, name):
        self.value = value
        self.name = name
        Strength.ALL.append(self)

    def weaker(self, other):
        return self.value > other.value


class High(Strength):
    pass


@dataclasses.dataclass(frozen=True)
class Pair:
    x: float
    origin: typing.ClassVar["Pair"]


@jitclass
class Box:
    def __init__(self, x):
        self.x = x

    def plus(self):
        return self.x + Box.ONE.x


def set_instances():
    Vec.ZERO = Vec(0.0, 0.5)
    Vec.UP = Vec(0.0, 1.0)
    High.LAST = High(3, "last")
    Strength.ALL.clear()
    Strength.REQUIRED = Strength(0, "required")
    Pair.origin = Pair(2.5)
    Box.ONE = Box(4)
    Box.MANY = [Box(5), Box(6)]


def sums(n):
    a = Vec.ZERO
    for i in range(n):
        a = a + Vec(i, 1) + Vec.UP
    return a.x, a.y, a.over().y, Vec.least().x, Vec.least() is Vec.ZERO


def changes(n):
    Vec.ZERO.x += n
    return Vec.ZERO.x, Vec.least().x


def sets_another(n):
    Strength.REQUIRED = Strength(n, "new")
    return Strength.REQUIRED.value, Strength.REQUIRED is Strength.ALL[-1]


def weaker(n):
    s = Strength(n, "s")
    last = High.LAST
    return s.weaker(Strength.REQUIRED), s.weaker(last), Strength.REQUIRED.name, len(Strength.ALL)


def same_object():
    return Strength.REQUIRED is Strength.ALL[0], isinstance(High.LAST, High)


def of_data(n):
    return Pair.origin.x * n, Box.ONE.x + Box(n).plus() + Box.MANY[n % 2].x


def gives():
    return Vec.ZERO


def test_instances_set_after_the_class():
    fs = [(sums, 4), (sums, 0), (changes, 2), (changes, 2), (same_object,), (weaker, 1)]
    fs += [(sets_another, 7), (weaker, 1), (of_data, 3)]
    set_instances()
    want = [(f(*args), Vec.ZERO.x, Strength.REQUIRED.value) for f, *args in fs]
    set_instances()
    is_ = [(njit(f)(*args), Vec.ZERO.x, Strength.REQUIRED.value) for f, *args in fs]
    assert is_ == want
    assert njit(gives)() is Vec.ZERO


def test_an_instance_in_anothers_place():
    set_instances()
    f = njit(sums)
    for v in (Vec(3.0, 1.0), Vec(4.0, 1.0), Vec(5.5, 0.0)):
        Vec.ZERO = v
        assert f(2) == sums(2)
    del Vec.ZERO
    with pytest.raises(AttributeError, match="ZERO"):
        f(2)
