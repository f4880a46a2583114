# SPDX-License-Identifier: BSD-3-Clause
"""Instances of unlike classes with one compiled base, where compiled code has one or another: in
lists, dicts, fields, variables and results; methods, attributes and isinstance ask the one that is
there, and all who have it see its changes."""

from abc import ABC, abstractmethod

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import jitclass, njit


@jitclass
class Shape:
    def __init__(self, n):
        self.n = n

    def area(self):
        return 0.0

    def described(self, more=1):
        return self.area() * 2 + self.n + more


@jitclass
class Circle(Shape):
    def __init__(self, r):
        super().__init__(3)
        self.r = r

    def area(self):
        return 3.0 * self.r**2

    def grow(self, k=2.0):
        self.r *= k

    @property
    def twice(self):
        return self.r * 2

    @twice.setter
    def twice(self, v):
        self.r = v / 2


@jitclass
class Square(Shape):
    UNIT = 7

    def __init__(self, s, name):
        super().__init__(4)
        self.s = s
        self.name = name
        self.marks = np.zeros(2)

    def area(self):
        return self.s**2

    def described(self, more=1):
        return super().described(more) + 100

    def grow(self, k=2.0):
        self.s += k
        self.marks += 1.0

    @property
    def twice(self):
        return -1.0

    @twice.setter
    def twice(self, v):
        self.s = v


@jitclass
class Alone:
    def __init__(self):
        self.n = 1


def in_a_display():
    shapes = [Circle(1.0), Square(2.0, "a"), Circle(3.0)]
    return sum(s.area() for s in shapes), [s.n for s in shapes], shapes[1].described(more=4)


def appended(n=5):
    shapes = []
    for i in range(n):
        if i % 2:
            shapes.append(Circle(i * 1.0))
        else:
            shapes.append(Square(i + 1.0, str(i)))
    t = 0.0
    for s in shapes:
        s.grow()
        s.grow(3.0)
        s.grow(k=0.5)
        s.n += 10
        if isinstance(s, Circle):
            t += s.r
        elif isinstance(s, Square):
            t += s.s * 100 + len(s.name) + s.marks.sum()
        t += s.described() + s.twice
        s.twice = 8.0
        t += s.area()
    shapes[0].n += 1
    shapes[1].twice += 4.0
    return round(t, 6), len(shapes), shapes[0].n, shapes[1].twice, isinstance(shapes[1], Shape)


def in_a_variable():
    out = []
    for k in range(3):
        if k > 1:
            s = Circle(2.0)
        else:
            s = Square(3.0, "q")
        s.n = 50 + k
        t = Circle(1.0) if k else Square(2.0, "w")
        out.append((s.area() + t.area(), s.n))
    return out


def identity():
    c = Circle(1.0)
    q = [c, Square(2.0, "a"), c]
    x = q[0]
    c.r = 9.0
    return (x is c, c is x, q[0] is q[2], q[0] is q[1], q[1] is not c, x == c,
            q[0] != q[1], x.r)  # fmt: skip


def none_beside():
    best = None
    for s in [Circle(1.0), None, Square(4.0, "z")]:
        if s is None:
            continue
        if best is None or s.area() > best.area():
            best = s
    return -1.0 if best is None else best.area()


def attributes_that_some_lack():
    t = 0.0
    for s in [Circle(1.0), Square(2.0, "a")]:
        try:
            t += s.r
        except AttributeError:
            t += 100
        try:
            t += s.UNIT
        except AttributeError:
            t += 1000
    return t


def in_containers():
    d = {"a": Circle(1.0), "b": Square(2.0, "b")}
    d["c"] = Circle(9.0)
    rows = [[Circle(1.0)], [Square(2.0, "x"), Circle(3.0)]]
    pairs = [(1, Circle(1.0)), (2, Square(2.0, "y"))]
    more = [Circle(1.0)] + [Square(5.0, "v")]
    more.sort(key=lambda s: -s.area())
    more[0], more[1] = more[1], more[0]
    last = more.pop()
    more.insert(0, last)
    return (
        sum(v.area() * len(k) for k, v in d.items()),
        sum(sum(s.area() for s in row) for row in rows),
        sum(k * s.area() for k, s in pairs),
        [s.area() for s in more],
        d["b"].n,
    )


def by_match():
    t = 0.0
    for s in [Circle(3.0), Square(2.0, "q")]:
        match s:
            case Circle(r=q):
                t += q
            case Square(s=q):
                t += 100 * q
    return t


def results():
    def pick(i):
        if i:
            return Circle(1.0), 1
        return Square(2.0, "x"), 2

    a, k = pick(0)
    b, j = pick(1)
    return a.area(), k, b.area(), j, isinstance(a, Alone), isinstance(b, int), isinstance(b, tuple)


def gone_through():
    q = [Circle(1.0), Square(2.0, "a"), Circle(3.0)]
    a, *b = q
    return (
        [s.area() for s in map(lambda s: s, q)],
        [(i, s.n) for i, s in enumerate(reversed(q)) if s.area() > 3.5],
        [x.n + y.n for x, y in zip(q, q[::-1])],
        max(q, key=lambda s: s.area()).n,
        any(s.area() > 20 for s in q),
        a.n + b[0].n,
        q.index(q[1]),
        q[2] in q,
    )


PROGRAMS = [
    gone_through, in_a_display, appended, in_a_variable, identity, none_beside,
    attributes_that_some_lack,
    in_containers, by_match, results,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f):
    made = njit(f)
    want = f()
    assert made() == want
    before = live()
    made()
    assert live() == before


@jitclass
class Expr:
    def value(self, x):
        return 0.0


@jitclass
class Number(Expr):
    v: float

    def __init__(self, v):
        self.v = v

    def value(self, x):
        return self.v


@jitclass
class Name(Expr):
    def __init__(self):
        pass

    def value(self, x):
        return x


@jitclass
class Add(Expr):
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def value(self, x):
        return self.a.value(x) + self.b.value(x)


@jitclass
class Times(Expr):
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def value(self, x):
        return self.a.value(x) * self.b.value(x)


def tree():
    e = Add(Times(Number(2.0), Name()), Add(Name(), Number(1.0)))
    stack = []
    for i in range(4):
        if i % 2:
            stack.append(Number(i * 1.0))
        else:
            stack.append(Name())
    while len(stack) > 1:
        a, b = stack.pop(), stack.pop()
        if len(stack) % 2:
            stack.append(Add(a, b))
        else:
            stack.append(Times(a, b))
    return e.value(3.0), stack[0].value(2.0)


def test_fields_of_a_family():
    assert njit(tree)() == tree() == (10.0, 14.0)


@jitclass
class Ranked:
    v: float

    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v


@jitclass
class Low(Ranked):
    pass


@jitclass
class High(Ranked):
    pass


def ordered(n):
    q = []
    for i in range(n):
        if i % 3:
            q.append(Low(i * 7 % 11 * 1.0))
        else:
            q.append(High(i * 5 % 13 * 1.0))
    r = sorted(q)
    q.sort(reverse=True)
    return [x.v for x in r], [x.v for x in q], max(r).v, min(r).v, r[0] > r[1], r[1] > r[0]


def test_an_order_that_all_have():
    f = njit(ordered)
    assert f(5) == ordered(5) and f(40) == ordered(40)


def test_an_instance_of_python_is_one_of_them():
    def f(a, k):
        q = [a, Square(1.0, "x")]
        q.append(Circle(k))
        q[0].n += 5
        a.r += 1.0
        return q[0].area(), q[2].area(), q[0] is a, len(q)

    a, b = Circle(3.0), Circle(3.0)
    assert njit(f)(a, 4.0) == f(b, 4.0) and (a.n, a.r) == (b.n, b.r)


def test_results_are_instances():
    @njit
    def one(k):
        if k:
            return Circle(2.0)
        return Square(3.0, "s")

    @njit
    def many():
        return [Circle(2.0), Square(3.0, "s")], {"a": one(1)}

    assert isinstance(one(1), Circle) and isinstance(one(0), Square) and one(0).area() == 9.0
    both, named = many()
    assert [type(s).__name__ for s in both] == ["Circle", "Square"]
    assert isinstance(named["a"], Circle) and named["a"].r == 2.0


@njit
def failing(n):
    q = [Circle(1.0), Square(1.0, "abc")]
    for i in range(n):
        q.append(Circle(1.0 / (2 - i)))
    return len(q)


def test_an_error_lets_go_of_all():
    for _ in range(2):
        before = live()
        with pytest.raises(ZeroDivisionError):
            failing(4)
    assert live() == before


REFUSED = [
    (lambda: len([Circle(1.0), Square(1.0, "a")][0]), "which is of one class or another"),
    (lambda: type([Circle(1.0), Square(1.0, "a")][0]), "which is of one class or another"),
    (lambda: f"{[Circle(1.0), Square(1.0, 'a')][0]}", "the text of"),
    (lambda: {x: 1 for x in [Circle(1.0), Square(1.0, "a")]}, "can't be a key|a dict of Shape"),
    (lambda: [Circle(1.0), Square(1.0, "a")][0]._fields, "has no attribute '_fields'"),
]


@pytest.mark.parametrize("f, words", REFUSED, ids=range(len(REFUSED)))
def test_refused(f, words):
    with pytest.raises(swathe.CompileError, match=words.replace("(", r"\(")):
        njit(f)()


def test_what_tuples_have_and_instances_have_not():
    def first():
        return [Circle(1.0), Square(1.0, "a")][0]

    for f, error in (
        (lambda: first()[0], TypeError),
        (lambda: first() + first(), TypeError),
        (lambda: first() < first(), TypeError),
        (lambda: first()._replace(instance_0_=None), AttributeError),
        (lambda: 3 in first(), TypeError),
    ):
        with pytest.raises(error):
            f()
        with pytest.raises(error):
            njit(f)()


@swathe.jitclass
class Gone:
    def __init__(self, x: int):
        self.x = x


@swathe.jitclass
class GoneByPlace(Gone):
    def __getitem__(self, j):
        if j >= self.x:
            raise IndexError
        return j * 2


@swathe.jitclass
class GoneByGenerator(Gone):
    def __iter__(self):
        for k in range(self.x):
            yield k


def gone_through_apart(n):
    s = 0
    for o in [GoneByPlace(n), GoneByGenerator(n + 1)]:
        s += o.x
    for o in [GoneByPlace(n)]:
        for v in o:
            s += v
    for v in GoneByGenerator(n):
        s += v
    return s


def test_classes_that_are_gone_through_have_a_family():
    assert swathe.njit(gone_through_apart)(3) == gone_through_apart(3)

    def f(n):
        return [v for o in [GoneByPlace(n), GoneByGenerator(n)] for v in o]

    with pytest.raises(swathe.CompileError, match="iteration of"):
        swathe.njit(f)(3)


class Account(ABC):
    rate = 0.5

    def __init__(self, start: float):
        self.start = start

    @abstractmethod
    def available(self): ...

    def left(self, amount: float):
        return self.available() * self.rate - amount

    def __repr__(self):
        return f"{type(self).__name__}({self.available():.1f})"


class Saved(Account):
    def available(self):
        return self.start


class Overdrawn(Account):
    def available(self):
        return self.start + 100.0


class Accounts:
    def __init__(self):
        self.of: dict[str, Account] = {}

    def put(self, name, account):
        self.of[name] = account


def abstract_base(x):
    b = Accounts()
    b.put("a", Saved(x))
    b.put("b", Overdrawn(x))
    names = [type(v).__name__ for v in b.of.values()]
    saved = sum(isinstance(v, Saved) for v in b.of.values())
    return b.of["a"].left(1.0), b.of["b"].left(2.0), str(b.of["b"]), repr(b.of["a"]), names, saved


def test_an_annotation_names_an_abstract_base():
    assert swathe.njit(abstract_base)(3.0) == abstract_base(3.0)
