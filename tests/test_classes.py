# SPDX-License-Identifier: BSD-3-Clause
"""Classes whose instances change: typical programs, compiled and as Python runs them."""

import enum
import gc
import importlib.util
import weakref
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import _core
from swathe.types import float64, int64


def programs(compiled):
    """The functions of class_programs.py, by name."""
    path = Path(__file__).parent / "class_programs.py"
    spec = importlib.util.spec_from_file_location("class_programs", path)
    module = importlib.util.module_from_spec(spec)
    was, swathe.config.DISABLE_JIT = swathe.config.DISABLE_JIT, not compiled
    try:
        spec.loader.exec_module(module)
    finally:
        swathe.config.DISABLE_JIT = was
    return {f.__name__: f for f in (*module.PROGRAMS, *module.NAMED, module.arrays_that_meet)}


PLAIN, COMPILED = programs(False), programs(True)


@pytest.fixture(autouse=True, scope="module")
def nothing_left():
    """Classes that tests have made are let go before others count."""
    yield
    gc.collect()
    _core.trim()


def same(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return (isinstance(a, bool) == isinstance(b, bool)) and a == pytest.approx(b, rel=1e-12)


@pytest.mark.parametrize("name", [n for n, f in PLAIN.items() if not f.__code__.co_argcount])
def test_programs(name):
    with np.errstate(over="ignore"):
        want = PLAIN[name]()
    got = COMPILED[name]()
    assert same(got, want), (got, want)
    before = live()
    COMPILED[name]()
    assert live() == before


@pytest.mark.parametrize("name", [n for n, f in PLAIN.items() if f.__code__.co_argcount == 1])
def test_objects_with_several_names(name):
    for n in (6, 9, 40):
        assert same(COMPILED[name](n), PLAIN[name](n))


def test_arrays_that_meet():
    x = np.arange(10.0)
    for make in (lambda x: (x, x), lambda x: (x[:9], x[1:]), lambda x: (x, x.copy())):
        want = PLAIN["arrays_that_meet"](9, *make(x.copy()))
        assert same(COMPILED["arrays_that_meet"](9, *make(x.copy())), float(want))


def test_names_of_numba():
    from swathe.compat import numba

    assert numba.jitclass is numba.experimental.jitclass is swathe.jitclass


def test_no_object_is_made():
    text = swathe.print_compiled(COMPILED["welford"], (), stage="ir")
    assert "alloc" not in text and "bits(" not in text


# ---- from Python ----


@swathe.jitclass([("n", int64), ("x", float64), ("data", float64[:])])
class Held:
    LIMIT = 7

    def __init__(self, n, data):
        self.n = n
        self.x = 0.5
        self.data = data

    def add(self, k):
        if k > 100:
            raise KeyError(k)
        self.n += k
        return self.n

    @property
    def twice(self):
        return 2 * self.n

    @twice.setter
    def twice(self, v):
        self.n = v // 2

    @staticmethod
    def half(x):
        return x / 2

    @classmethod
    def made(cls, n):
        return cls(n, np.zeros(n))

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.data[i]

    def __setitem__(self, i, v):
        self.data[i] = v

    def __call__(self, k):
        return self.n + k

    def __hash__(self):
        return self.n

    def __eq__(self, o):
        return self.n == o.n

    def __bool__(self):
        return self.n > 0

    def __contains__(self, v):
        return v == self.n

    def __add__(self, o):
        return Held(self.n + o.n, self.data)

    def __str__(self):
        return f"<{self.n}>"

    def __iter__(self):
        yield self.n
        yield self.x


@swathe.njit
def touched(h):
    h.n += 1
    h.data[0] = h.n
    return h


def test_an_instance_in_python():
    a = np.arange(3.0)
    h = Held(3, a)
    assert (h.n, h.x, h.LIMIT, h.twice, len(h), h(4), hash(h), str(h)) == (
        *(3, 0.5, 7, 6, 3, 7, 3, "<3>"),
    )
    assert type(h.n) is int and type(h.x) is float and h.data is a
    assert repr(h) == "Held(n=3, x=0.5, data=array([0., 1., 2.]))"
    assert touched(h) is h and h.n == 4 and a[0] == 4.0
    h.x, h.twice = 2, 20
    h[1] = 9.0
    assert h.x == 2.0 and h.n == 10 and h[1] == a[1] == 9.0
    assert h == Held(10, a) and h != Held(1, a) and h and not Held(0, a) and 10 in h
    assert (h + h).n == 20 and (h + h).data is a and list(h) == [10, 2.0]
    assert Held.half(5) == 2.5 and Held.made(2).data.shape == (2,) and isinstance(h, Held)
    assert h.add(5) == 15
    with pytest.raises(KeyError):
        h.add(101)
    ref = weakref.ref(h)
    b = np.ones(2)
    h.data = b
    assert h.data is b
    del h
    assert ref() is None


def test_what_an_instance_keeps():
    h = Held(1, np.arange(4.0))
    gc.collect()
    d = h.data
    del h
    assert d.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        ("n", 1.5, TypeError, "'n' of Held is int, and this is of type float"),
        ("n", 2**70, OverflowError, "does not fit"),
        ("x", "a", TypeError, "'x' of Held is float"),
        ("data", np.arange(3), TypeError, "'data' of Held is float64"),
        ("data", None, TypeError, "'data' of Held is float64"),
        ("dat", 1, AttributeError, "dat"),
        ("twice", "a", TypeError, "//"),
    ],
)
def test_attributes_that_do_not_fit(name, value, error, text):
    h = Held(1, np.zeros(2))
    with pytest.raises(error, match=text):
        setattr(h, name, value)
    assert h.n == 1 and h.x == 0.5


def unknown(h):
    return h.dta


def unknown_store(h):
    h.nn = 3


def unknown_method(h):
    return h.ad(3)


def wrong_store(h):
    h.n = 0.5


def wrong_array(h):
    h.data = np.zeros((2, 2))


def wrong_order(h, g):
    return h < g


def wrong_chain(h, g):
    return h == g == h


def wrong_delete(h):
    del h.n


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (unknown, r"'Held' object has no attribute 'dta'[\s\S]*did you mean 'data'"),
        (unknown_store, r"'Held' object has no attribute 'nn'"),
        (unknown_method, r"has no attribute 'ad'[\s\S]*did you mean 'add'"),
        (wrong_store, r"'n' of Held is int, and this is float[\s\S]*int\(x\)"),
        (wrong_array, r"'data' of Held is float64\[:\], and this is float64\[:,::1\]"),
        (wrong_order, "'<' not supported between instances of 'Held' and 'Held'"),
        (wrong_chain, "chain"),
        (wrong_delete, "del of this"),
    ],
)
def test_errors_in_compiled_code(f, text):
    n = f.__code__.co_argcount
    with pytest.raises(swathe.errors.CompileError, match=text):
        swathe.njit(f)(*[Held(1, np.zeros(2))] * n)


def test_classes_that_do_not_compile():
    with pytest.raises(TypeError, match="field 'x' of A.*dtype and axes"):

        @swathe.jitclass
        class A:
            x: np.ndarray

    with pytest.raises(TypeError, match="B has a __getattr__.*declare"):

        @swathe.jitclass
        class B:
            x: int

            def __getattr__(self, name):
                return 1

    with pytest.raises(TypeError, match="pairs of a name and a type"):
        swathe.jitclass([("x",)])(type("C", (), {}))

    class D(Held):
        pass

    with pytest.raises(TypeError, match="D is derived from a compiled class"):
        D(1, np.zeros(1))


@swathe.jitclass
class Perhaps:
    a: float
    b: int
    c: "float64[:]"
    d: list[int]
    e: "Perhaps | None"

    def __init__(self, k):
        self.a = 1.0
        if k > 0:
            self.b = 3
            self.c = np.zeros(3)
            self.d = [1]
            self.e = None

    def which(self, w):
        if w == 0:
            return self.b
        if w == 1:
            return len(self.c)
        if w == 2:
            return len(self.d)
        return 0 if self.e is None else 1


@pytest.mark.parametrize("w", range(4))
def test_attributes_that_are_not_set(w):
    assert Perhaps(1).which(w) == (3, 3, 1, 0)[w]
    with pytest.raises(AttributeError, match="'Perhaps' object has no attribute"):
        Perhaps(0).which(w)
    p = Perhaps(0)
    with pytest.raises(AttributeError):
        getattr(p, "bcde"[w])
    p.b, p.c, p.d, p.e = 4, np.ones(2), [1, 2], p
    assert p.which(w) == (4, 2, 2, 1)[w]
    p.e = None
    assert p.d == (1, 2)


@swathe.jitclass
class Bag:
    items: list[int]

    def __init__(self):
        self.items = []

    def keep(self, x):
        self.items = x

    def take(self, x):
        self.items = list(x)
        self.items.append(7)


def test_lists_of_python_are_not_kept():
    b, x = Bag(), [1, 2]
    with pytest.raises(TypeError, match="an instance keeps a list that came from Python"):
        b.keep(x)
    b.take(x)
    assert b.items == (1, 2, 7) and x == [1, 2]


@swathe.njit
def several(xs, d):
    for x in xs:
        x.n += 1
    d[5] = xs[1]
    xs.append(xs[0])
    xs[1] = Held(50, xs[0].data)
    return xs[2] is xs[0]


def test_instances_in_containers():
    a = np.zeros(2)
    h, g = Held(1, a), Held(2, a)
    xs, d = [h, g], {1: h}
    assert several(xs, d)
    assert xs[0] is h and xs[2] is h and d[5] is g and xs[1].n == 50 and (h.n, g.n) == (2, 3)
    assert xs[1].data is a


@swathe.njit
def fails_half_way(n):
    xs = [Perhaps(i) for i in range(1, n)]
    head = Bag()
    head.items = [1, 2]
    if n > 3:
        raise KeyError(n)
    return len(xs) + len(head.items)


def test_nothing_leaks():
    def once():
        assert fails_half_way(3) == 4
        with pytest.raises(KeyError):
            fails_half_way(5)
        h = Held(1, np.zeros(2))
        touched(h)
        with pytest.raises(KeyError):
            h.add(500)
        p = Perhaps(1)
        p.e = Perhaps(1)
        p.e.d = [4, 5]
        return p.e.d

    once()
    before = live()
    for _ in range(5):
        once()
    assert live() == before


@swathe.njit
def long_chain(n):
    p = Perhaps(1)
    first = p
    for _ in range(n):
        q = Perhaps(1)
        p.e = q
        p = q
    return first


def test_a_long_chain_ends():
    h = long_chain(200_000)
    del h


@swathe.njit(parallel=True)
def counted_in_parallel(h, n):
    for _ in swathe.prange(n):
        h.n += 1
    return h.n


def test_a_shared_instance_in_parallel():
    assert counted_in_parallel(Held(0, np.zeros(1)), 1000) == 1000


def test_specs_of_numba():
    from swathe.types import DictType, ListType, deferred_type, optional

    node = deferred_type()

    @swathe.jitclass({"v": float64, "next": optional(node), "d": DictType(int64, float64)})
    class Link:
        def __init__(self, v):
            self.v = v
            self.next = None
            self.d = {1: v}

    node.define(Link.class_type.instance_type)

    @swathe.jitclass([("all_", ListType(float64)), ("link", Link)])
    class Of:
        def __init__(self, link):
            self.all_ = [1.0]
            self.link = link

    a, b = Link(1.0), Link(2.0)
    a.next = b
    o = Of(a)
    assert o.link is a and o.link.next.v == 2.0 and o.all_ == (1.0,) and dict(a.d) == {1: 1.0}


# ---- plain classes ----


@dataclass
class Point:
    x: float
    y: float = 2.5
    n: int = 0

    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5


@dataclass(frozen=True)
class Fixed:
    a: int
    b: float64[:]


@dataclass
class Group:
    p: Point
    q: Point | None
    xs: list[float]
    ps: list[Point]
    a: float64[:]
    t: tuple[int, float] = (1, 2.0)


class Noted:
    x: float
    k: int

    def __init__(self, x):
        self.x = x
        self.k = 3

    def go(self):
        self.k += 1


@swathe.njit
def regroup(g):
    g.p.x = 100.0
    g.q = g.ps[1]
    g.xs.append(5.0)
    g.ps.append(Point(9.0))
    g.a[0] = 4
    g.t = (2, 3.0)
    return g.q is g.ps[1] and g.ps[0] is g.p


@swathe.njit
def noted(o, fail):
    o.go()
    o.x = 7
    if fail:
        raise ValueError("half-way")
    return Noted(2.0), Fixed(o.k, np.ones(o.k)), Point(1.0, n=4).norm(), o


@swathe.njit
def frozen(f):
    return f.a + f.b[1]


@swathe.njit
def thaw(f):
    f.a = 1


@swathe.njit
def two(a, b, ps):
    a.x = 1.0
    b.x += 1.0
    for p in ps:
        p.n += 1
    return a is b


def test_objects_of_plain_classes():
    p, r, a, xs = Point(1.0), Point(7.0), np.zeros(3), [1.0]
    g = Group(p, None, xs, [p, r], a)
    assert regroup(g)
    assert g.p is p and p.x == 100.0 and g.q is r and g.xs is xs and xs == [1.0, 5.0]
    assert (
        g.ps == [p, r, Point(9.0)] and g.ps[1] is r and g.a is a and a[0] == 4 and g.t == (2, 3.0)
    )
    o = Noted(1.0)
    made, fixed, norm, same_o = noted(o, False)
    assert same_o is o and vars(o) == {"x": 7.0, "k": 4} and vars(made) == {"x": 2.0, "k": 3}
    assert type(fixed) is Fixed and fixed.a == 4 and fixed.b.tolist() == [1.0] * 4
    assert norm == Point(1.0).norm()
    with pytest.raises(ValueError, match="half-way"):
        noted(o, True)
    assert o.k == 5
    assert frozen(Fixed(3, np.arange(3.0))) == 4.0
    ps = [Point(0.0), p]
    assert two(p, p, ps) and p.x == 2.0 and p.n == 1 and ps[0].n == 1
    assert not two(p, ps[0], ps) and (p.x, ps[0].x) == (1.0, 1.0)


def test_objects_that_do_not_fit():
    with pytest.raises(TypeError, match="'x' of Point is float, and this is of type str"):
        two(Point("a"), Point(1.0), [Point(1.0)])
    with pytest.raises(AttributeError, match="'a' of Fixed, which is frozen"):
        thaw(Fixed(1, np.zeros(2)))
    o = Noted(1.0)
    del o.k
    with pytest.raises(TypeError, match="this Noted has no attribute 'k'"):
        noted(o, False)


# ---- enums ----


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 4


class Shape(enum.Enum):
    BOX = "box"
    BALL = "ball"


class Level(enum.IntEnum):
    LOW = 3
    HIGH = 5


def colours(c, k):
    n = 1 if c == Color.RED else 2 if c is Color.GREEN else 3
    d = {Color.RED: 1.5, Color.BLUE: 2.5}
    d[Color.RED] += n
    same = (c == Color.BLUE, c != Color.BLUE, c == 1, c == Shape.BOX, c is not Color.RED)
    return n, d, Color.GREEN in d, same, Color.BLUE if k else c, c.value, Level.HIGH + n, bool(c)


@pytest.mark.parametrize("c", list(Color))
def test_enums(c):
    f = swathe.njit(colours)
    for k in (True, False):
        assert f(c, k) == colours(c, k)
        assert f(c, k)[4] is colours(c, k)[4]


@pytest.mark.parametrize("f", [lambda c: c < Color.RED, lambda c: len(c), lambda c: sum(c)])
def test_what_a_member_is_not(f):
    with pytest.raises(swathe.errors.CompileError):
        swathe.njit(f)(Color.RED)


@swathe.jitclass
class Ring:
    def __init__(self, k):
        self.items = [k, 1]

    def __iter__(self):
        for v in self.items:
            yield v + 1

    def __getitem__(self, j):
        return self.items[j % 2]

    def __repr__(self):
        return "a ring"

    def times(self, n):
        for v in self.items:
            yield v * n


@swathe.jitclass
class Named(Ring):
    def __init__(self, k):
        super().__init__(k)
        self.more = 2


@swathe.jitclass
class Last(Named):
    def sum(self):
        return self.more


def test_generators_are_inherited():
    """Those of a base go before its __getitem__, which never ends here."""

    @swathe.njit
    def through(k):
        a, b, c = Ring(k), Named(k), Last(k)
        return [v for v in a], [v for v in b], sum(c)

    assert through(3) == ([4, 2], [4, 2], 6)
    for x in (Named(3), Last(3)):
        assert list(x) == [4, 2] and list(x.times(2)) == [6, 2] and repr(x) == "a ring"
