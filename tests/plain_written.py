# SPDX-License-Identifier: BSD-3-Clause
"""Programs with classes as people write them: no decorator, no annotations. test_plain_classes.py
compiles the functions, and holds them against Python."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

import numpy as np

T = TypeVar("T")


class Account:
    """Objects come as arguments, with lists that are still empty."""

    bank = "B"
    fee = 0.5

    def __init__(self, owner, balance=0.0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("bad amount")
        self.balance += amount - self.fee
        self.history.append(amount)
        return self

    def __repr__(self):
        return f"{self.bank}({self.owner!r}, {self.balance:.2f})"


class Savings(Account):
    def __init__(self, owner, balance, rate):
        super().__init__(owner, balance)
        self.rate = rate

    def accrue(self):
        self.deposit(self.balance * self.rate)

    def __str__(self):
        return super().__repr__() + f" at {self.rate}"


def bank(n):
    a, b = Account("ann", 100.0), Savings("bob", 50.0, 0.1)
    for i in range(n):
        a.deposit(i + 1.0).deposit(1.0)
        b.accrue()
    try:
        a.deposit(-1)
    except ValueError:
        a.balance += 1
    print(a, b, [a])
    return a.balance, sum(b.history), f"{b}{a!r}", str(a), a


def deposits(a, b):
    a.deposit(2)
    b.deposit(2.5).deposit(3.5)
    return a.balance + b.balance, b


class Node:
    def __init__(self, value):
        self.value = value
        self.next = None


class Chain:
    def __init__(self, values=()):
        self.head = None
        self.size = 0
        for v in values:
            self.push(v)

    def push(self, v):
        node = Node(v)
        node.next = self.head
        self.head = node
        self.size += 1

    def __iter__(self):
        at = self.head
        while at:
            yield at.value
            at = at.next

    def __len__(self):
        return self.size

    def __str__(self):
        return " -> ".join(str(v) for v in self)


def chains(n):
    c = Chain()
    for i in range(n):
        c.push(i * i)
    return list(c), len(c), str(c), sum(x for x in c)


def chain_of_others(c, v):
    c.push(v)
    t = 0
    at = c.head
    while at is not None:
        t += at.value
        at.value *= 2
        at = at.next
    return t


def chain_joined(a, b):
    at = a.head
    while at.next:
        at = at.next
    at.next = b.head
    b.head = None
    a.size += b.size
    return a


class Tree:
    def __init__(self, key, left=None, right=None):
        self.key, self.left, self.right = key, left, right

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Tree(key)
            else:
                self.left.insert(key)
        elif self.right is None:
            self.right = Tree(key)
        else:
            self.right.insert(key)

    def depth(self):
        left = self.left.depth() if self.left else 0
        right = self.right.depth() if self.right else 0
        return 1 + max(left, right)

    def __repr__(self):
        return f"({self.left} {self.key} {self.right})"


def trees(keys):
    t = Tree(5)
    for k in keys:
        t.insert(k)
    return t.depth(), repr(t)


def tree_depths(ts):
    return sorted([t.depth() for t in ts]), max(t.key for t in ts)


def trees_by_name(ts):
    for t in ts.values():
        t.insert(3)
    return sum(t.depth() for t in ts.values())


class Person:
    """Objects that lead to each other, in circles."""

    def __init__(self, name, age):
        self.name, self.age, self.friends, self.boss = name, age, [], None


class Company:
    def __init__(self):
        self.people = {}

    def hire(self, p, boss):
        self.people[p.name] = p
        p.boss = boss


def company():
    c = Company()
    a, b = Person("a", 30), Person("b", 40)
    a.friends.append(b)
    b.friends.append(a)
    c.hire(a, b)
    c.hire(b, None)
    return c


def ages(c):
    t = 0
    for p in c.people.values():
        t += p.age + sum(f.age for f in p.friends) * 100
        if p.boss:
            t += p.boss.age * 10000
        p.age += 1
    c.people["a"].friends.append(c.people["b"])
    return t


class Body:
    def __init__(self, pos, vel, mass):
        self.pos, self.vel, self.mass = np.array(pos), np.array(vel), mass


class System:
    def __init__(self, bodies):
        self.bodies = bodies
        self.t = 0.0

    def step(self, dt):
        for a in self.bodies:
            for b in self.bodies:
                if a is not b:
                    d = b.pos - a.pos
                    a.vel += d * b.mass / (np.sum(d * d) + 0.01) ** 1.5 * dt
        for a in self.bodies:
            a.pos += a.vel * dt
        self.t += dt


def bodies():
    return System([Body([0.0, 0.0], [0.0, 0.0], 10.0), Body([1.0, 0.0], [0.0, 1.0], 1)])


def steps(s, n):
    for _ in range(n):
        s.step(0.1)
    return s.bodies[0].pos.sum(), s.t


@dataclass
class Particle:
    x: float
    v: float = 1.0
    trail: list[float] = field(default_factory=list)
    twice: float = field(init=False)

    def __post_init__(self):
        self.twice = 2 * self.x

    def step(self, dt):
        self.x += self.v * dt
        self.trail.append(self.x)


@dataclass(frozen=True, order=True)
class Key:
    a: int
    b: str = "x"


def particles(n):
    p = Particle(1.0)
    for _ in range(n):
        p.step(0.5)
    d = {Key(1): 5, Key(2, "y"): 6}
    keys = sorted([Key(3), Key(1, "b"), Key(1, "a")])
    return p.x, p.trail, p.twice, d[Key(1)], keys[0].b, str(keys), f"{Key(1)}", p


def replaced(p):
    q = replace(p, x=5.0)
    r = replace(p, v=2.0, trail=[1.0])
    return q, r.twice, r.trail, replace(Key(1), b="z")


def replaced_wrong(p):
    return replace(p, speed=1.0)


class Counter:
    """What an instance has of its class until it stores its own."""

    count = 0
    limit = 10

    def add(self, k=1):
        self.count += k
        if self.count > self.limit:
            self.count = 0
        return self.count


def counters():
    c, d = Counter(), Counter()
    for _ in range(7):
        c.add(3)
    d.add()
    return c.count, d.count, c.limit, Counter.count, Counter.limit


def counted(c):
    c.add()
    return c.count


class Vector:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    @classmethod
    def unit(cls, i):
        v = [0.0, 0.0, 0.0]
        v[i] = 1.0
        return cls(*v)


def minus(a, b):
    return a - b


def unpacked(rows, n):
    x = [5, 3]
    parts = [Vector(*r).z for r in rows]
    return minus(*x), minus(n, *[7]), minus(*[i * i for i in range(2)]), parts, Vector.unit(1)


def unpacked_wrong(x):
    return minus(*x)


class Settings:
    N = 5
    SCALE = (1, 2.5)

    def square(x):  # noqa: N805 - called by the name of the class
        return x * x


def settings():
    return Settings.N, Settings.SCALE[1], Settings.square(3)


# ---- one class or another, with a base or without one ----


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2

    def __len__(self):
        return 1

    def __lt__(self, o):
        return self.area() < o.area()

    def __repr__(self):
        return f"Circle({self.r})"


class Square:
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s * self.s

    def __len__(self):
        return 4

    def __lt__(self, o):
        return self.area() < o.area()

    def __str__(self):
        return f"a square of {self.s}"

    def __repr__(self):
        return f"Square({self.s})"


def pick(k):
    if k == 0:
        return Circle(1.0)
    if k == 1:
        return Square(2.0)
    return None


def shapes():
    many = [Circle(1.0), Square(2.0)]
    many.append(Circle(0.5))
    k = 0
    for s in many:
        k += isinstance(s, (Circle, Square)) + 10 * isinstance(s, Square)
        k += 100 * (type(s) is Circle) + 1000 * (type(s) == Square) + 10000 * (type(s) != Square)
        if isinstance(s, Circle):
            s.r += 1
        print(s, f"{s!r}", type(s).__name__)
    many.sort()
    return k, [s.area() for s in many], sum(len(s) for s in many), str(max(many))


def perhaps(n):
    t = 0.0
    for k in range(n):
        s = pick(k)
        if isinstance(s, Square):
            t += 100
        if s:
            t += s.area()
    return t


class Num:
    def __init__(self, v):
        self.v = v

    def accept(self, by):
        return by.number(self)


class Add:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def accept(self, by):
        return by.add(self)


class Neg:
    def __init__(self, a):
        self.a = a

    def accept(self, by):
        return by.neg(self)


class Value:
    def number(self, n):
        return n.v

    def add(self, n):
        return n.a.accept(self) + n.b.accept(self)

    def neg(self, n):
        return -n.a.accept(self)


class Depth:
    def number(self, n):
        return 1

    def add(self, n):
        return 1 + max(n.a.accept(self), n.b.accept(self))

    def neg(self, n):
        return 1 + n.a.accept(self)


def visited():
    e = Add(Num(1), Neg(Add(Num(3), Num(4))))
    return e.accept(Value()), e.accept(Depth())


class Scene:
    def __init__(self):
        self.items, self.named, self.main, self.place = [], {}, None, Place(1, 2.0)


class Place(NamedTuple):
    x: int
    y: float


def scenes():
    s = Scene()
    s.items.append(Circle(1.0))
    s.items.append(Square(2.0))
    s.named["c"] = Circle(3.0)
    s.named["s"] = s.items[1]
    s.main = Square(4.0)
    s.main = s.items[0]
    return s, [s.main, Square(1.0)], (s.main, Square(2.0)), s.place


class State(ABC):
    @abstractmethod
    def next(self, c): ...

    def name(self):
        return "state"


class Start(State):
    def next(self, c):
        return Middle(1) if c == "a" else self


class Middle(State):
    def __init__(self, n):
        self.n = n

    def next(self, c):
        if c == "b":
            return Middle(self.n + 1) if self.n < 2 else End()
        return Start()

    def name(self):
        return "middle" + str(self.n)


class End(State):
    def next(self, c):
        return self


def machine(text):
    s = Start()
    names = []
    for c in text:
        s = s.next(c)
        names.append(s.name())
    return names, isinstance(s, End)


def abstract():
    return State()


class Temperature:
    """Private names."""

    __scale = 1.8

    def __init__(self, c):
        self.__c = c
        self.__log = []

    @staticmethod
    def of(f):
        return Temperature((f - 32) / Temperature.__scale)

    def __noted(self, k):
        self.__log.append(k * self.__c)
        return len(self.__log)

    def used(self):
        return self.__noted(2) + self.__noted(3), self.__c * self.__scale + 32, max(self.__log)


def private(t):
    u = Temperature.of(212.0)
    return u.used(), t.used(), u, t


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, x: T) -> None:
        self.items.append(x)

    def pop(self) -> T:
        return self.items.pop()

    def __len__(self) -> int:
        return len(self.items)


def generics(n):
    s, t = Stack(), Stack[float]()
    for i in range(n):
        s.push(i * 1.5)
    t.push(2.5)
    return len(s), s.pop(), t.pop(), bool(s), bool(t)


class Bag:
    def __init__(self):
        self.d = {}

    def __setitem__(self, k, v):
        self.d[k] = v

    def __getitem__(self, k):
        return self.d[k]

    def __delitem__(self, k):
        del self.d[k]

    def __contains__(self, k):
        return k in self.d

    def __len__(self):
        return len(self.d)

    def __iadd__(self, k):
        self.d[k] = self.d.get(k, 0) + 1
        return self


def bags():
    b = Bag()
    b["x"] = 1
    b["y"] = 2
    b["x"] += 10
    del b["y"]
    b += "z"
    b += "z"
    return b["x"], "y" in b, b["z"], len(b), bool(b), bool(Bag())


def by_name(c):
    setattr(c, "r", getattr(c, "r") + 1)  # noqa: B009, B010 - what this tests
    return getattr(c, "r"), hasattr(c, "r"), hasattr(c, "zz"), getattr(c, "zz", 5)  # noqa: B009


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3

    def dark(self):
        return self is Color.BLUE


def colors(c):
    n = 0
    for k in Color:
        n += k.value + 100 * k.dark()
    names = [k.name for k in Color]
    print(c, f"{c} {c!r}", list(Color)[1].name)
    return n, len(Color), len(list(Color)), names, c.name, str(c), {k: k.value for k in Color}[c]


PROGRAMS = [
    (bank, lambda: (3,)),
    (deposits, lambda: (Account("a"), Savings("b", 1.0, 0.5))),
    (chains, lambda: (4,)),
    (chain_of_others, lambda: (Chain([1, 2, 3]), 7)),
    (chain_of_others, lambda: (Chain([1.5]), 2.5)),
    (chain_of_others, lambda: (Chain(), 2)),
    (chain_joined, lambda: (Chain([1]), Chain([2, 3]))),
    (trees, lambda: ([3, 8, 1],)),
    (tree_depths, lambda: ([Tree(1), Tree(2, Tree(1))],)),
    (trees_by_name, lambda: ({"a": Tree(1), "b": Tree(5)},)),
    (ages, lambda: (company(),)),
    (steps, lambda: (bodies(), 5)),
    (particles, lambda: (3,)),
    (replaced, lambda: (Particle(1.0, 3.0),)),
    (counters, tuple),
    (counted, lambda: (Counter(),)),
    (unpacked, lambda: ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 2)),
    (settings, tuple),
    (shapes, tuple),
    (perhaps, lambda: (3,)),
    (visited, tuple),
    (scenes, tuple),
    (machine, lambda: ("xabba",)),
    (abstract, tuple),
    (private, lambda: (Temperature(1.0),)),
    (generics, lambda: (3,)),
    (bags, tuple),
    (by_name, lambda: (Circle(2.0),)),
    (colors, lambda: (Color.GREEN,)),
]
