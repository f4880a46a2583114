# SPDX-License-Identifier: BSD-3-Clause
"""Python's objects of unlike classes as arguments: in lists, dicts, tuples and fields."""

import copy
import enum
from dataclasses import dataclass

import pytest

import swathe
from swathe import njit


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r * self.r


class Square:
    def __init__(self, s):
        self.s = s
        self.other = None

    def area(self):
        return self.s * self.s


class Triangle:
    def __init__(self):
        self.n = 1

    def area(self):
        return 0.5


class Expr:
    pass


@dataclass
class Num(Expr):
    v: float

    def ev(self):
        return self.v


@dataclass
class Add(Expr):
    l: Expr  # noqa: E741
    r: Expr

    def ev(self):
        return self.l.ev() + self.r.ev()


@dataclass
class Mul(Expr):
    l: Expr  # noqa: E741
    r: Expr

    def ev(self):
        return self.l.ev() * self.r.ev()


def shown(x, seen):
    """What is in a value, with who is whom."""
    if isinstance(x, (int, float, str, type(None))):
        return repr(x)
    if id(x) in seen:
        return f"#{seen[id(x)]}"
    if not isinstance(x, tuple):
        seen[id(x)] = len(seen)
    if isinstance(x, (list, tuple)):
        return f"{type(x).__name__}({', '.join(shown(v, seen) for v in x)})"
    of = x if isinstance(x, dict) else vars(x)
    inside = ", ".join(f"{k}={shown(v, seen)}" for k, v in of.items())
    return f"{type(x).__name__}({inside})"


def same(func, *args):
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    fast = func if hasattr(func, "py_func") else njit(func)
    got = fast(*mine)
    want = fast.py_func(*theirs)
    assert shown([got, mine], {}) == shown([want, theirs], {})


@njit
def areas(xs):
    total = 0.0
    for x in xs:
        if x is not None:
            total += x.area()
    return total


def test_lists_and_tuples():
    a, b, c = Circle(1.0), Square(2.0), Circle(3.0)
    same(areas, [a, b])
    same(areas, [b, a, b])
    same(areas, [a, None, b])
    same(areas, (a, b))
    same(areas, (a, c))
    same(areas, [a, c])
    same(areas, [a, b, Triangle()])


class Shape:
    def area(self):
        return 0.0


class Disc(Shape):
    def __init__(self, r):
        self.r = r
        self.other = None

    def area(self):
        return self.r


class Box(Shape):
    def __init__(self, s):
        self.s = s
        self.other = None

    def area(self):
        return self.s * 2.0


@njit
def links(xs, by):
    for x in xs:
        x.other = xs[0]
    xs[0], xs[1] = xs[1], xs[0]
    xs.append(by["a"])
    by["b"] = xs[0]
    return xs[-1], by["a"] is xs[-1], by["b"].area()


def test_changes_are_written_back():
    a, b = Disc(1.0), Box(2.0)
    same(links, [a, b], {"a": b, "z": a})
    a.other, b.other = b, a  # a ring
    same(links, [a, b], {"a": b, "z": Disc(4.0)})


@njit
def evaluated(e):
    return e.ev()


@njit
def doubled(e):
    if isinstance(e, Num):
        e.v *= 2.0
        return Mul(Num(2.0), e)
    if isinstance(e, Add):
        return Add(doubled(e.l), doubled(e.r))
    return e


def test_trees():
    tree = Add(Num(3.0), Add(Num(4.0), Num(1.0)))
    same(evaluated, tree)
    same(evaluated, Num(3.0))
    same(evaluated, Add(Num(3.0), Mul(tree, tree)))
    same(doubled, tree)  # which makes what the argument doesn't hold
    kept = doubled(tree)
    assert kept.l.r is tree.l


@njit
def grows(xs, more):
    xs.append(Triangle())
    if more:
        xs.append(Circle(4.0))
    return areas(xs)


def test_lists_that_get_other_classes():
    same(grows, [Circle(1.0), Square(2.0)], True)
    same(grows, [Circle(1.0)], False)
    same(grows, [Square(1.0)], True)


class Holder:
    def __init__(self):
        self.xs = []
        self.last = None
        self.by = {}

    def add(self, key, x):
        self.xs.append(x)
        self.by[key] = self.last = x


@njit
def held(h, n):
    for i in range(n):
        if i % 2:
            h.add(f"c{i}", Circle(float(i)))
        else:
            h.add(f"s{i}", Square(float(i)))
    h.last = h.xs[0]
    return h, areas(h.xs)


def test_fields():
    h = Holder()
    same(held, h, 3)
    h.add("a", Circle(1.0))
    same(held, h, 2)
    h.add("b", Square(1.0))
    same(held, h, 0)


class Length:
    def __init__(self, x):
        self.x = x

    def __eq__(self, o):
        if not isinstance(o, Length):
            return NotImplemented
        return self.x == o.x

    def __lt__(self, o):
        return self.x < o.x if isinstance(o, Length) else NotImplemented

    def __add__(self, o):
        if isinstance(o, Length):
            return Length(self.x + o.x)
        if isinstance(o, (int, float)):
            return Length(self.x + o)
        return NotImplemented

    def __radd__(self, o):
        return self + o


class Mass:
    def __init__(self, m):
        self.m = m

    def __radd__(self, o):
        if isinstance(o, Length):
            return Mass(self.m + o.x)
        return NotImplemented

    def __eq__(self, o):
        if isinstance(o, Mass):
            return self.m == o.m
        return NotImplemented


@njit
def operators(a, b, m):
    return (
        *(a == b, a != b, a < b, a == 1, a != "x", a == None, a == m, m != a),  # noqa: E711
        *((a + b).x, (a + 1).x, (2 + a).x, (a + m).m, [a, b] == [a, b], max(a, b).x),
    )


def test_operators_that_leave_it_to_others():
    a, b, m = Length(1), Length(2), Mass(5)
    assert operators(a, b, m) == operators.py_func(a, b, m)


def test_operators_that_nobody_has():
    a, m = Length(1), Mass(5)
    for f in (lambda a, m: a + "x", lambda a, m: m + 1, lambda a, m: a < 3):
        with pytest.raises(TypeError):
            f(a, m)
        with pytest.raises(swathe.TypingError):
            njit(f)(a, m)


class Loud:
    def __init__(self):
        self.n = 0

    def __eq__(self, o):
        self.n += 1
        return NotImplemented


def test_operators_that_do_something_before():
    with pytest.raises(swathe.UnsupportedError, match="NotImplemented"):
        njit(lambda a: a == 1)(Loud())


class Access(enum.Flag):
    READ = 1
    WRITE = 2


def test_several_members_of_a_flag_at_once():
    f = njit(lambda x: x)
    assert f(Access.READ) is Access.READ
    assert f(Access.READ | Access.WRITE) is Access.READ | Access.WRITE


class Plain:
    def __init__(self, n):
        self.n = n


class Named:
    def __init__(self, n):
        self.n = n

    def __eq__(self, o):
        return self.n == o.n


def test_equality_that_only_some_have():
    """An instance without an __eq__ leaves it to the other one, and then is equal to itself."""

    def f(n):
        a = Plain(n) if n > 2 else Named(n)
        b = Plain(n) if n == 3 else Named(n)
        a.n = b.n = 4
        xs = [Plain(n), Named(n), a]
        c, d = Named(4), xs[0]
        d.n = 5
        return (
            *(a == b, b == a, a != b, a == a, b != b, a == c, c == a, d == a, a != d, d == d),
            *(b in xs, xs.index(a), xs.count(c), xs == [d, Named(n), b], xs != xs),
        )

    for n in (1, 3, 4):
        assert njit(f)(n) == f(n)


class Differs:
    def __init__(self, n):
        self.n = n

    def __ne__(self, o):
        return self.n != o.n + 1


def test_inequality_that_only_some_have():
    def f(n):
        xs = [Plain(n), Differs(n), Differs(n + 1)]
        return [a != b for a in xs for b in xs], [a == b for a in xs for b in xs]

    assert njit(f)(3) == f(3)
