# SPDX-License-Identifier: BSD-3-Clause
"""Typical programs with classes: test_classes.py runs them compiled, and as Python does."""

import numpy as np

from swathe import jitclass, njit
from swathe.types import float64, int64, uint64


@jitclass
class Particle:
    pos: float64[:]
    vel: float64[:]
    mass: float

    def __init__(self, n, mass):
        self.pos = np.zeros(n)
        self.vel = np.arange(n) * 0.5
        self.mass = mass

    def step(self, dt):
        self.pos += self.vel * dt
        self.vel *= 0.99
        for k in range(len(self.pos)):
            if self.pos[k] > 2.0:
                self.pos[k] = 4.0 - self.pos[k]
                self.vel[k] = -self.vel[k]

    @property
    def energy(self):
        return 0.5 * self.mass * (self.vel * self.vel).sum()


@njit
def particles():
    all_ = [Particle(3, 1.0 + i) for i in range(4)]
    for _ in range(20):
        for p in all_:
            p.step(0.1)
    total = 0.0
    for p in all_:
        total += p.energy + p.pos[2]
    return total


@jitclass
class Account:
    balance: float
    moves: int

    def __init__(self, balance):
        if balance < 0:
            raise ValueError("a negative balance")
        self.balance = balance
        self.moves = 0

    def withdraw(self, x):
        self.moves += 1
        if x > self.balance:
            raise RuntimeError("insufficient funds")
        self.balance -= x

    def kind(self):
        return 1

    def shown(self):
        return self.kind() * 100 + self.moves


@jitclass
class Savings(Account):
    rate: float

    def __init__(self, balance, rate):
        super().__init__(balance)
        self.rate = rate

    def withdraw(self, x):
        super().withdraw(x + 1.0)

    def kind(self):
        return 2

    def interest(self):
        self.balance += self.balance * self.rate


@njit
def bank():
    a, b = Account(10.0), Savings(100.0, 0.1)
    failed = 0
    for x in (4.0, 7.0, 1.0, 200.0):
        try:
            a.withdraw(x)
            b.withdraw(x * 10.0)
        except RuntimeError:
            failed += 1
    try:
        Savings(-1.0, 0.5)
    except ValueError:
        failed += 100
    b.interest()
    return a.balance, b.balance, failed, a.shown(), b.shown(), isinstance(b, Account)


@jitclass
class Welford:
    n: int
    mean: float
    m2: float

    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0

    def add(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)


@njit
def welford():
    w = Welford()
    for i in range(50):
        w.add((i * 37 % 11) * 1.5)
    return w.n, w.mean, w.m2


@jitclass
class Queue:
    data: int64[:]
    head: int
    n: int

    def __init__(self, room):
        self.data = np.zeros(room, np.int64)
        self.head = 0
        self.n = 0

    def push(self, x):
        if self.n == len(self.data):
            new = np.zeros(2 * self.n, np.int64)
            for i in range(self.n):
                new[i] = self.data[(self.head + i) % self.n]
            self.data = new
            self.head = 0
        self.data[(self.head + self.n) % len(self.data)] = x
        self.n += 1

    def pop(self):
        if self.n == 0:
            raise IndexError("pop from an empty queue")
        x = self.data[self.head]
        self.head = (self.head + 1) % len(self.data)
        self.n -= 1
        return x

    def __len__(self):
        return self.n

    def __contains__(self, x):
        for i in range(self.n):
            if self.data[(self.head + i) % len(self.data)] == x:
                return True
        return False

    def __getitem__(self, i):
        return self.data[(self.head + i) % len(self.data)]

    def __setitem__(self, i, x):
        self.data[(self.head + i) % len(self.data)] = x

    def __call__(self, k):
        return self.n * k


@njit
def queue():
    q = Queue(2)
    s = 0
    for i in range(30):
        q.push(i)
        if i % 3 == 2:
            s = s * 7 % 1000 + int(q.pop())
    q[1] = 99
    try:
        e = Queue(1)
        e.pop()
    except IndexError:
        s += 10000
    return s, len(q), int(q[0]), int(q[1]), 99 in q, q(3)


@jitclass
class Sets:
    parent: int64[:]
    count: int

    def __init__(self, n):
        self.parent = np.arange(n)
        self.count = n

    def find(self, x):
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        self.parent[a] = b
        self.count -= 1
        return True


@njit
def union_find():
    u = Sets(40)
    joined = 0
    for i in range(60):
        if u.union(i * 7 % 40, i * i % 40):
            joined += 1
    return joined, u.count


@jitclass
class Cache:
    room: int
    values: dict[int, float]
    order: list[int]
    hits: int

    def __init__(self, room):
        self.room = room
        self.values = {}
        self.order = []
        self.hits = 0

    def get(self, k):
        if k not in self.values:
            return -1.0
        self.hits += 1
        self.order.remove(k)
        self.order.append(k)
        return self.values[k]

    def put(self, k, v):
        if k in self.values:
            self.order.remove(k)
        elif len(self.order) == self.room:
            del self.values[self.order.pop(0)]
        self.values[k] = v
        self.order.append(k)


@njit
def cache():
    c = Cache(3)
    s = 0.0
    for i in range(40):
        c.put(i * i % 7, i * 1.5)
        s += c.get(i % 5)
    return s, c.hits, c.order


@jitclass
class Machine:
    stack: list[int]
    at: int
    steps: int

    def __init__(self):
        self.stack = []
        self.at = 0
        self.steps = 0

    def run(self, code):
        while self.at < len(code):
            op, arg = code[self.at]
            self.at += 1
            self.steps += 1
            if op == 0:
                self.stack.append(arg)
            elif op == 1:
                b = self.stack.pop()
                self.stack[-1] += b
            elif op == 2:
                self.stack.append(self.stack[-1])
            elif op == 3:
                if self.stack[-1] < arg:
                    self.at = 1
            else:
                raise ValueError("no such operation")
        return self.stack[-1]


@njit
def machine():
    m = Machine()
    return m.run([(0, 1), (2, 0), (1, 0), (3, 1000)]), m.steps, len(m.stack)


@jitclass
class Random:
    state: uint64

    def __init__(self, seed):
        self.state = np.uint64(seed)

    def next(self):
        x = self.state
        x = x ^ (x << np.uint64(13))
        x = x ^ (x >> np.uint64(7))
        x = x ^ (x << np.uint64(17))
        self.state = x
        return x


@njit
def random():
    r = Random(88172645463325252)
    s = np.uint64(0)
    for _ in range(20):
        s = s ^ r.next()
    return int(s % np.uint64(1000003))


@jitclass
class Vec:
    x: float
    y: float

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __rmul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y
        return self

    def __eq__(self, o):
        return self.x == o.x and self.y == o.y

    def __lt__(self, o):
        return self.x < o.x

    def __abs__(self):
        return (self.x * self.x + self.y * self.y) ** 0.5

    @staticmethod
    def unit():
        return Vec(1.0, 0.0)

    @classmethod
    def both(cls, v):
        return cls(v, v)


@njit
def vectors():
    a, p = Vec(1.0, 2.0), Vec(0.0, 0.0)
    s = 0.0
    for i in range(10):
        p = p + a * 0.5
        q = p
        q += Vec.both(1.0)
        s += abs(p) + (2.0 * -q).x
        if i % 2:
            p = Vec(p.x, 0.0)
    all_ = [Vec(3.0 - i, 0.0) for i in range(4)]
    all_.sort(key=lambda v: v.x)
    at = all_.index(Vec(2.0, 0.0))
    return s, p.x, a == Vec(1.0, 2.0), a != p, p < a, Vec.unit().x, at, p is q


@jitclass
class Matrix:
    a: float64[:, :]

    def __init__(self, a):
        self.a = a

    def __matmul__(self, o):
        return Matrix(self.a @ o.a)

    def trace(self):
        return np.trace(self.a)

    def scaled(self, k):
        self.a *= k
        return self


@njit
def matrices():
    a = np.arange(9.0).reshape(3, 3)
    m = Matrix(a)
    n = m @ m
    m.scaled(2.0).scaled(0.5).scaled(3.0)
    return n.trace(), m.trace(), a[0, 1], m.a is n.a if False else a[2, 2]


@jitclass
class Node:
    value: int
    next: "Node | None"

    def __init__(self, value, next_):
        self.value = value
        self.next = next_


@njit
def linked():
    head = None
    for i in range(1000):
        head = Node(i, head)
    prev = None
    while head is not None:
        head.next, prev, head = prev, head, head.next
    s, at, k = 0, prev, 0
    while at is not None:
        s += at.value * (k % 3)
        at = at.next
        k += 1
    return s, k, prev.next.next.value


@jitclass
class Tree:
    key: int
    left: "Tree | None"
    right: "Tree | None"

    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

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
        a = 0 if self.left is None else self.left.depth()
        b = 0 if self.right is None else self.right.depth()
        return 1 + max(a, b)


@njit
def in_order(t, out):
    if t is not None:
        in_order(t.left, out)
        out.append(t.key)
        in_order(t.right, out)


@njit
def tree():
    t = Tree(50)
    for i in range(40):
        t.insert(i * 37 % 101)
    out = [0]
    in_order(t, out)
    return out, t.depth()


@jitclass
class Pid:
    kp: float
    ki: float
    total: float
    last: float

    def __init__(self, kp, ki=0.1):
        self.kp, self.ki = kp, ki
        self.total = self.last = 0.0

    def update(self, error, dt):
        self.total += error * dt
        self.last = error
        return self.kp * error + self.ki * self.total


@njit
def pid():
    c, x = Pid(0.5), 0.0
    for _ in range(30):
        x += c.update(1.0 - x, 0.1)
    return x, c.total, c.last


@jitclass
class Kalman:
    x: float64[:]
    p: float64[:, :]
    f: float64[:, :]

    def __init__(self):
        self.x = np.zeros(2)
        self.p = np.eye(2)
        self.f = np.array([[1.0, 0.1], [0.0, 1.0]])

    def step(self, z):
        self.x = self.f @ self.x
        self.p = self.f @ self.p @ self.f.T + 0.01 * np.eye(2)
        k = self.p[:, 0] / (self.p[0, 0] + 0.1)
        self.x = self.x + k * (z - self.x[0])
        self.p = self.p - np.outer(k, self.p[0])


@njit
def kalman():
    k = Kalman()
    for i in range(20):
        k.step(0.1 * i)
    return k.x[0], k.x[1], k.p[0, 0]


@jitclass
class Pool:
    seen: dict[int, Vec]
    best: "Vec | None"
    pair: tuple[int, float]
    all_: list[Vec]

    def __init__(self):
        self.seen = {}
        self.best = None
        self.pair = (0, 0.0)
        self.all_ = []

    def add(self, k, v):
        self.seen[k] = v
        self.all_.append(v)
        if self.best is None or self.best < v:
            self.best = v
        self.pair = (k, v.x)


@njit
def shared():
    p = Pool()
    v = Vec(1.0, 1.0)
    p.add(3, v)
    p.add(4, Vec(5.0, 1.0))
    p.seen[3].x = 7.0
    p.all_[0].y += 3.0
    t = (p.best, p)
    t[1].pair = (9, v.y)
    return v.x, v.y, p.best.x, p.best is p.seen[4], p.all_[0] is v, p.pair, t[0] is p.best


# ---- objects with several names: functions of a number ----


@jitclass
class Cell:
    data: float64[:]
    n: int

    def __init__(self, data):
        self.data = data
        self.n = 0

    def bump(self, k):
        self.n += k
        self.data[0] += k


@jitclass
class Outer:
    c: Cell
    k: float

    def __init__(self, c):
        self.c = c
        self.k = 1.0


@njit
def stored_by_two_names(n):
    a = np.zeros(n)
    o = Cell(a)
    s = 0.0
    for i in range(n):
        a[i] = i + 1.0
        s = s * 0.5 + o.data[n - 1 - i]
    return s


@njit
def arrays_that_meet(n, x, y):
    o = Cell(x)
    q = Cell(y)
    s = 0.0
    for i in range(n):
        o.data[i] = i
        s = s * 0.5 + q.data[n - 1 - i]
        o.n += 1
    return s + o.n


@njit
def object_in_object(n):
    c = Cell(np.ones(n))
    d = Outer(c)
    for i in range(n):
        d.c.bump(i)
        c.n += 1
        d.c.data[i] += c.data[0]
        if i == 3:
            d.c = Cell(np.zeros(n))
    return c.n, d.c.n, c.data.sum(), d.c.data.sum()


@njit
def two_names(n):
    p = Cell(np.zeros(3))
    q = p
    for i in range(n):
        if i % 3 == 0:
            q = Cell(np.ones(3))
        q.n += i
        p.bump(1)
        if i % 4 == 1:
            p = q
    return p.n, q.n, p.data[0], q.data[0]


@njit
def one_of_a_loop(n):
    s = 0
    last = None
    for i in range(n):
        c = Cell(np.zeros(2))
        c.n = i
        if i == 2:
            last = c
        c.n += 10
        s += c.n
    return s, last.n


@njit
def caught(n):
    o = Cell(np.zeros(4))
    try:
        for i in range(n):
            o.n = i
            if i == 5:
                raise ValueError("x")
    except ValueError:
        o.n += 100
    return o.n


@njit
def carried(n):
    p = Outer(Cell(np.zeros(1)))
    for i in range(n):
        q = p
        p = Outer(q.c)
        p.k = q.k + 1
        q.k = 50.0
        if i == 2:
            p.c.n += 5
    return p.k, p.c.n


@njit
def in_two_lists(n):
    xs = [Cell(np.zeros(1)) for i in range(n)]
    ys = xs[::2]
    for c in ys:
        c.n += 1
    xs[0].n, xs[1].n = xs[1].n + 5, xs[0].n
    m = {i: xs[i] for i in range(n)}
    del xs[0]
    return [c.n for c in xs], m[0].n, len(m)


@njit
def sw(a, b, k):
    t = a if k else b
    t.n += 1
    return t


@njit
def chosen(n):
    a = Cell(np.zeros(1))
    b = Cell(np.zeros(1))
    for i in range(n):
        t = sw(a, b, i % 3 == 0)
        t.n *= 2
        a, b = b, a
    return a.n, b.n


PROGRAMS = (
    particles,
    bank,
    welford,
    queue,
    union_find,
    cache,
    machine,
    random,
    vectors,
    matrices,
    linked,
    tree,
    pid,
    kalman,
    shared,
)

NAMED = (
    stored_by_two_names,
    object_in_object,
    two_names,
    one_of_a_loop,
    caught,
    carried,
    in_two_lists,
    chosen,
)
