# SPDX-License-Identifier: BSD-3-Clause
"""copy.copy and copy.deepcopy of instances, in compiled code."""

import copy
from dataclasses import dataclass, field

import numpy as np
import pytest

import swathe


@dataclass
class Inner:
    v: int
    xs: list[int] = field(default_factory=list)


@dataclass
class Outer:
    a: Inner
    name: str = "n"


@dataclass(frozen=True)
class Frozen:
    a: int
    b: tuple[int, int] = (1, 2)


@swathe.jitclass
@dataclass
class Compiled:
    a: int
    xs: list[int]


class Node:
    def __init__(self, v, nxt=None):
        self.v = v
        self.next = nxt


class Tree:
    def __init__(self, k):
        self.k = k
        self.kids = []
        self.parent = None

    def add(self, k):
        t = Tree(k)
        t.parent = self
        self.kids.append(t)
        return t


class Board:
    def __init__(self, n):
        self.a = np.zeros((n, n))
        self.tags = {"x": 1}
        self.rows = [[1, 2], [3]]
        self.seen = {1, 2}
        self.pos = (1, 2)
        self.best = None

    def clone(self):
        return copy.deepcopy(self)

    def child(self):
        c = copy.copy(self)
        c.best = 1.5
        return c


class Shape:
    def __init__(self, n):
        self.n = n


class Square(Shape):
    def __init__(self, s):
        super().__init__("square")
        self.s = s


class Circle(Shape):
    def __init__(self, r):
        super().__init__("circle")
        self.points = [r]


class Own:
    def __init__(self, x):
        self.x = x

    def __copy__(self):
        return Own(self.x + 100)

    def __deepcopy__(self, memo):
        return Own(self.x + 200)


class Perhaps:
    def __init__(self, k):
        if k:
            self.y = 3
        self.z = k


def of_two_classes(k):
    o = Outer(Inner(k, [1, 2]))
    c, d = copy.copy(o), copy.deepcopy(o)
    o.a.v = 5
    o.a.xs.append(3)
    return c.a.v, d.a.v, c.a.xs, d.a.xs, c.a is o.a, d.a is o.a, c == o, d == o, c, d


def chained(k):
    h = None
    for i in range(k):
        h = Node(i, h)
    c, s = copy.deepcopy(h), copy.copy(h)
    h.next.v = 99
    out = []
    while c:
        out.append(c.v)
        c = c.next
    return out, s.next.v, s is h


def in_a_circle(k):
    a = Node(k)
    b = Node(2, a)
    a.next = b
    c = copy.deepcopy(a)
    a.v = 7
    return c.v, c.next.v, c.next.next is c, c.next is b


def with_containers(k):
    g = Board(k)
    h, c = g.clone(), g.child()
    g.a[0, 0] = 5
    g.tags["y"] = 2
    g.rows[0].append(9)
    g.seen.add(7)
    return (h.a.sum(), h.tags, h.rows, len(h.seen), h.pos, h.best,
            c.a.sum(), c.tags, c.rows, len(c.seen), c.best, g.best)  # fmt: skip


def of_trees(k):
    t = Tree(k)
    t.add(2).add(3)
    t.add(4)
    u = copy.deepcopy(t)
    t.kids[0].k = 77
    return u.kids[0].k, u.kids[0].parent is u, u.kids[0].kids[0].parent is u.kids[0], len(u.kids)


def in_lists(k):
    xs = [Inner(1), Inner(k, [5])]
    xs.append(xs[0])
    ys, zs = copy.deepcopy(xs), copy.copy(xs)
    xs[0].v = 9
    xs[1].xs.append(3)
    return ys, zs, ys[2] is ys[0]


def in_dicts(k):
    d = {"a": Inner(1), "b": Inner(k)}
    e = copy.deepcopy(d)
    d["a"].v = 8
    return e


def frozen(k):
    f = Frozen(k)
    g, h = copy.copy(f), copy.deepcopy(f)
    return g == f, h == f, h, g is f


def by_its_own(k):
    return copy.copy(Own(k)).x


def unset(k):
    a, b = copy.copy(Perhaps(0)), copy.deepcopy(Perhaps(k))
    try:
        return a.y, 0, 0
    except AttributeError:
        return b.y, b.z, a.z


def compiled(k):
    c = Compiled(k, [1, 2])
    d, e = copy.copy(c), copy.deepcopy(c)
    c.xs.append(3)
    c.a = 0
    return d.a, len(d.xs), e.a, len(e.xs)


CASES = [
    of_two_classes,
    chained,
    in_a_circle,
    with_containers,
    of_trees,
    in_lists,
    in_dicts,
    frozen,
    by_its_own,
    unset,
]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("k", [2, 5])
def test_copies(f, k):
    assert repr(swathe.njit(f)(k)) == repr(f(k))


def test_instances_of_unlike_classes():
    copied = swathe.njit(lambda k: of_shapes(k))
    assert copied(4) == of_shapes(4) == (["square", "circle"], ["square", "circle"], 1)


def of_shapes(k):
    c = Circle(2.0)
    xs = [Square(k), c]
    ys, zs = [copy.copy(x) for x in xs], copy.deepcopy(xs)
    xs[0].n = "other"
    c.points.append(4.0)
    n = 0
    for z in zs:
        if isinstance(z, Circle):
            n = len(z.points)
    return [y.n for y in ys], [z.n for z in zs], n


def test_a_compiled_class():
    assert swathe.njit(compiled)(4) == (4, 3, 4, 2)


def of_argument(o):
    c = copy.deepcopy(o)
    o.a.v = 50
    return c


def test_an_argument():
    o = Outer(Inner(3, [1]))
    c = swathe.njit(of_argument)(o)
    assert c == Outer(Inner(3, [1])) and o.a.v == 50 and c.a is not o.a


def shared(k):
    x = [k]
    return copy.deepcopy([Inner(1, x), Inner(2, x)])


def test_a_list_in_two_instances_is_an_error():
    with pytest.raises(ValueError, match="twice"):
        swathe.njit(shared)(3)


def by_deepcopy(k):
    return copy.deepcopy(Own(k)).x


def test_a_deepcopy_of_its_own_is_refused():
    with pytest.raises(swathe.errors.CompileError, match="whose class has a __deepcopy__"):
        swathe.njit(by_deepcopy)(3)


def test_copies_beside_generators_that_are_values():
    def f(n):
        it = (k * n for k in range(n) if k >= 0)
        first, *more = counted(n)
        x = Counted(next(it) + n)
        return next(it), copy.deepcopy(x).v, copy.copy(x).v, copy.deepcopy(first), more

    assert swathe.njit(f)(3) == f(3)


def counted(n):
    for i in range(n):
        yield i


class Counted:
    def __init__(self, v):
        self.v = [v]
