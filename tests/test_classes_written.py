# SPDX-License-Identifier: BSD-3-Clause
"""Classes as people write them, without types: whole programs as Python runs them, and instances
that leave for Python."""

import copy
import dataclasses
import gc
import importlib.util
import pickle
from pathlib import Path
from typing import Optional

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import _core
from swathe.types import float64


def programs(compiled):
    """The functions of class_written.py and of those beside it, by name."""
    found = {}
    was, swathe.config.DISABLE_JIT = swathe.config.DISABLE_JIT, not compiled
    try:
        for name in ("class_written", "class_written_more", "class_written_data"):
            spec = importlib.util.spec_from_file_location(
                name, Path(__file__).parent / f"{name}.py"
            )
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found |= {f.__name__: f for f in module.PROGRAMS}
    finally:
        swathe.config.DISABLE_JIT = was
    return found


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
    return type(a) is type(b) and a == (pytest.approx(b, rel=1e-12) if isinstance(a, float) else b)


@pytest.mark.parametrize("name", PLAIN)
def test_programs(name):
    want, got = PLAIN[name](), COMPILED[name]()
    assert same(got, want), (got, want)
    before = live()
    COMPILED[name]()
    assert live() == before


@swathe.jitclass
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Point(self.x + o.x, self.y + o.y)

    def __eq__(self, o):
        return self.x == o.x and self.y == o.y

    def __hash__(self):
        return hash((self.x, self.y))

    def __bool__(self):
        return self.x != 0

    def __iter__(self):
        yield self.x
        yield self.y


@swathe.jitclass
class Labelled(Point):
    def __init__(self, x, y, label):
        super().__init__(x, y)
        self.label = label


@swathe.njit
def total(ps):
    s = Point(0.0, 0.0)
    for p in ps:
        s = s + p
    return s


@swathe.njit
def other(p, n):
    q = p
    for i in range(n):
        if i == 1:
            q = Point(p.x + i, p.y)
    return q


@swathe.njit
def counted(n):
    d, met = {}, set()
    for i in range(n):
        p = Point(i % 3, 1)
        d[p] = d.get(p, 0) + 1
        met.add(p)
    if n > 90:
        return d, d[Point(n, 1)]
    return d, len(met)


@swathe.njit
def truths(n):
    p, q, k = Point(n, 1), None, 0
    if n > 1:
        q = Point(n - 2, 1)
    if p:
        k += 1
    if not q:
        k += 10
    if p and q:
        k += 100
    while p:
        p.x -= 1
        k += 1000
    return k


def test_one_class_for_each_choice_of_types():
    p, q = Point(1.0, 2.0), Point(1, 2)
    assert type(p) is type(Point(3.0, 4.0)) is not type(q) and isinstance(p, Point)
    assert type(p.x) is float and type(q.x) is int and repr(q) == "Point(x=1, y=2)"
    assert total([p, p]) == Point(2.0, 4.0) and total([q, q]) == Point(2.0, 4.0)
    assert p + q == Point(2.0, 4.0) and type((q + q).x) is int
    assert other(p, 1) is p and other(p, 2) == Point(2.0, 2.0)
    t = Labelled(1, 2.5, "a")
    assert (t.x, t.y, t.label, isinstance(t, Point)) == (1, 2.5, "a", True)


def test_keys_and_truth():
    d, n = counted(7)
    assert n == 3 and d == {Point(0, 1): 3, Point(1, 1): 2, Point(2, 1): 2}
    assert hash(Point(3, 1)) == hash((3, 1)) and hash(Point(0.5, -2.0)) == hash((0.5, -2.0))
    with pytest.raises(KeyError):
        counted(91)
    with pytest.raises(TypeError, match="argument 'd': its keys are instances"):
        swathe.njit(lambda d: len(d))(d)
    assert [truths(n) for n in range(4)] == [10, 1011, 2011, 3101]
    assert list(Point(1, 2)) == [1, 2]


@swathe.jitclass
class Box:
    n: int
    a: float64[:]
    xs: list[int]
    d: dict[int, float]
    next: "Box | None"
    name: str

    def __init__(self, n):
        self.n = n
        self.a = np.arange(3.0)
        self.xs = [n, 2]
        self.d = {1: 2.0}
        self.next = None
        self.name = "box"


@pytest.mark.parametrize("how", ["copy", "deepcopy", "pickle"])
def test_copies(how):
    b = Box(3)
    b.next = b
    do = {"pickle": lambda x: pickle.loads(pickle.dumps(x))}.get(how) or getattr(copy, how)
    c, p = do(b), do(Point(1.5, 2.5))
    assert c is not b and (c.n, c.xs, dict(c.d), c.name) == (3, (3, 2), {1: 2.0}, "box")
    assert c.a.tolist() == [0.0, 1.0, 2.0] and np.shares_memory(c.a, b.a) == (how == "copy")
    assert c.next is (b if how == "copy" else c)
    assert type(p) is type(Point(1.0, 1.0)) and p == Point(1.5, 2.5)
    b.next = c.next = None


@swathe.jitclass
class Chain:
    def __init__(self):
        self.head = None

    def push(self, x):
        self.head = x


@swathe.jitclass
class Count:
    def __init__(self, n):
        self.n = n

    def add(self, k):
        self.n += k


def appended(ps):
    ps.append(Point(1.0, 1.0))


def grows(c):
    c.add(0.5)


def any_or(p):
    return (p or Point(1.0, 2.0)).x


@pytest.mark.parametrize(
    ("f", "args", "text"),
    [
        (
            lambda: Chain(),
            (),
            r"nothing tells what 'head' of Chain is to hold but None[\s\S]*head: f",
        ),
        (appended, ([],), "'ps' is to hold instances of a class whose fields it does not"),
        (
            grows,
            (Count(1),),
            r"'n' of Count is int, and this is float[\s\S]*declare it in the body",
        ),
    ],
)
def test_what_is_refused(f, args, text):
    with pytest.raises(swathe.errors.CompileError, match=text):
        swathe.njit(f)(*args)


@pytest.mark.parametrize("p", [Point(0.0, 1.0), Point(0.0, 0.0), Point(3.0, 0.0)])
def test_or_of_an_instance_that_says_whether_it_is_true(p):
    assert swathe.njit(any_or)(p) == any_or(p)


def test_classes_that_are_refused():
    with pytest.raises(TypeError, match="D has several base classes"):

        @swathe.jitclass
        class D(Point, Count):
            pass

    with pytest.raises(TypeError, match="field 'x' of E: .*is no type of a field"):

        @swathe.jitclass
        class E:
            def __init__(self):
                self.x: list = []


@swathe.njit
def two_loops(n):
    ps = [Count(i) for i in range(n)]
    for p in ps:
        p.add(1)
    s = 0
    for p in ps:
        s += p.n
    return s


def test_elements_of_two_loops_are_borrowed():
    assert two_loops(5) == 15
    assert "drop item" not in swathe.print_compiled(two_loops, (4,), stage="ir")


@swathe.jitclass
@dataclasses.dataclass(frozen=True)
class Fixed:
    x: int
    tags: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(order=True)
class Record:
    k: int
    name: str = ""
    next: Optional["Record"] = dataclasses.field(default=None, compare=False)


@swathe.njit
def fixed(x):
    return Fixed(x, [x, 2])


@swathe.njit
def ordered(rs):
    rs.sort()
    first = rs[0]
    return [r.name for r in rs], first == rs[1], first < rs[1], first.next is None


@swathe.njit
def sets_fixed(p):
    p.x = 3


def test_dataclasses_in_python():
    p = fixed(4)
    for name in ("x", "tags", "other"):
        with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign .*{name}"):
            setattr(p, name, 1)
    with pytest.raises(swathe.errors.CompileError, match="'x' of Fixed, which is frozen"):
        sets_fixed(p)
    for q in (copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert (q.x, q.tags, q == p, q is p, type(q)) == (4, (4, 2), True, False, type(p))
    assert (Fixed(1) == Fixed(1), Fixed(1) == 5, Fixed(1) != Fixed(2)) == (True, False, True)
    assert [f.name for f in dataclasses.fields(p)] == ["x", "tags"]
    assert repr(Fixed(2)) == "Fixed(x=2, tags=())"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Fixed()


def test_plain_dataclasses_are_compared():
    a, b = ([Record(2, "b", Record(0)), Record(1, "z"), Record(1, "a")] for _ in range(2))
    assert ordered(a) == ordered.py_func(b)
    assert a == b


def test_a_default_that_is_made_of_what_may_be_none():
    with pytest.raises(TypeError, match="'x' of D: a default_factory of what may be None"):

        @swathe.jitclass
        @dataclasses.dataclass
        class D:
            x: Optional[list[int]] = dataclasses.field(default_factory=list)
