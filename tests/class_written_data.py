# SPDX-License-Identifier: BSD-3-Clause
"""Dataclasses that are compiled, classes that are gone through, and properties that are changed."""

import math
from dataclasses import InitVar, dataclass, field
from typing import ClassVar, Optional

from swathe import jitclass, njit


@jitclass
@dataclass(order=True)
class Item:
    weight: float
    name: str = field(default="x", compare=False)
    tags: list[int] = field(default_factory=list, compare=False)


@jitclass
@dataclass(frozen=True)
class Place:
    x: int
    y: int

    def __add__(self, o):
        return Place(self.x + o.x, self.y + o.y)


@jitclass
@dataclass
class Job:
    pri: int
    name: str
    done: bool = False
    after: Optional["Job"] = None


@jitclass
@dataclass
class Shape:
    x: float
    y: float = 2.0

    def norm(self):
        return math.hypot(self.x, self.y)


@jitclass
@dataclass
class Solid(Shape):
    z: float = 3.0
    twice: InitVar[float] = 0.5
    both: float = field(init=False)
    count: int = field(default=3, kw_only=True)
    sides: ClassVar[int] = 6

    def __post_init__(self, twice):
        self.both = self.z * twice * self.sides

    def norm(self):
        return super().norm() + self.z


@jitclass
@dataclass
class Grid:
    width: int
    cells: list[float] = field(default_factory=lambda: [1.0, 2.0])
    seen: dict[int, float] = field(default_factory=dict)


@njit
def kind(x, y):
    match Place(x, y):
        case Place(0, 0):
            return 0
        case Place(0):
            return 1
        case Place(a, b) if a == b:
            return 2
        case _:
            return 3


@njit
def records():
    xs = [Item(float((i * 7) % 5), "a" + str(i), [i]) for i in range(8)]
    xs.sort()
    by_name = sorted(xs, key=lambda t: (-t.weight, t.name))
    a, b = Item(1.0), Item(1.0)
    a.tags.append(3)
    at, seen, count = Place(0, 0), {Place(0, 0)}, {}
    steps = [Place(1, 0), Place(0, 1), Place(-1, 0), Place(0, -1)]
    for i in range(30):
        at = at + steps[(i * i + 3 * i) % 4]
        seen.add(at)
        count[at] = count.get(at, 0) + 1
    return (
        [x.name for x in xs] + [x.name for x in by_name],
        (a.tags, len(b.tags), a == Item(1.0, "z"), a < Item(2.0), a != b, a >= Item(1.5)),
        (max(xs).name, min(xs).name, max(a, Item(0.5)) is a),
        (len(seen), at.x, at.y, Place(0, 0) in seen, max(count.values())),
        [kind(0, 0), kind(0, 1), kind(2, 2), kind(2, 3)],
    )


@njit
def made():
    a, b = Job(1, "a"), Job(2, "b", after=None)
    c = Job(3, "c", False, b)
    b.after = a
    names, at = "", c
    while at is not None:
        names += at.name
        at.done = True
        at = at.after
    s, t = Solid(1.0), Solid(1.0, 2.0, 1.0, 2.0, count=4)
    g, h = Grid(1), Grid(1, [5.0])
    g.cells.append(7.0)
    g.seen[3] = 1.5
    return (
        (names, a.done, c.after is b, b.after.name if b.after else "none"),
        (s.norm(), t.norm(), s.both, t.both, s.count + t.count, s == Solid(1.0), s == t),
        (g.cells, h.cells, len(h.seen), g.seen[3], g == h, Grid(1, []) == Grid(1, [])),
    )


@jitclass
class Down:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


@jitclass
class Squares:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        for i in range(self.n):
            yield i * i

    def __contains__(self, x):
        return math.isqrt(x) ** 2 == x < self.n**2


@njit
def gone_through():
    d = Down(5)
    first, it, ended = next(d), iter(d), 0
    second = next(it)
    rest = [x for x in d]
    try:
        next(d)
    except StopIteration:
        ended = 1
    return (
        (first, second, rest, ended, it is d),
        (sum(Down(5)), list(Down(3)), max(Down(4)), [x * x for x in Down(3)], sorted(Down(4))),
        (sum(Squares(4)), min(Squares(3)), any(Squares(1)), len(set(Squares(5)))),
        ([i + x for i, x in enumerate(Squares(3))], sum(x for x in Squares(4) if x > 1)),
        (9 in Squares(5), 9 not in Squares(5), 8 not in Squares(5), 3 not in [3]),
    )


@jitclass
class Kettle:
    zero = 273.15

    def __init__(self, c):
        self._c = c
        self._log = [c]
        self.set = 0

    @property
    def kelvin(self):
        return self._c + Kettle.zero

    @kelvin.setter
    def kelvin(self, k):
        if k < 0:
            raise ValueError("below zero")
        self.set += 1
        self._c = k - self.zero

    @property
    def log(self):
        return self._log

    @log.setter
    def log(self, v):
        self.set += 10
        self._log = v


@njit
def changed():
    t, failed = Kettle(20.0), 0
    kept = t.log
    t.kelvin += 10.0
    t.kelvin -= 1
    t.log += [t.kelvin]
    try:
        t.kelvin -= 1e9
    except ValueError:
        failed = 1
    return t._c, t.kelvin, failed, kept, kept is t.log, t.set


PROGRAMS = [records, made, gone_through, changed]
