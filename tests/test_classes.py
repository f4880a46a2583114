# SPDX-License-Identifier: BSD-3-Clause
"""Classes whose instances change: typical programs, compiled and as Python runs them."""

import gc
import weakref

import numpy as np
import pytest

import swathe
from swathe import _core
from swathe.types import float64, int64

Float = float64


def plain(cls):
    return cls


def programs(jitclass, njit):
    """The programs, with these decorators: functions without arguments."""

    @jitclass
    class Particle:
        pos: "float64[:]"
        vel: "float64[:]"
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
        data: "int64[:]"
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
        parent: "int64[:]"
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
        state: "uint64"

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
        a: "float64[:, :]"

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
        x: "float64[:]"
        p: "float64[:, :]"
        f: "float64[:, :]"

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

    return {
        f.__name__: f
        for f in (
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
    }


PLAIN = programs(plain, plain)
COMPILED = programs(swathe.jitclass, swathe.njit)


def same(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return (isinstance(a, bool) == isinstance(b, bool)) and a == pytest.approx(b, rel=1e-12)


@pytest.mark.parametrize("name", list(PLAIN))
def test_programs(name):
    with np.errstate(over="ignore"):
        want = PLAIN[name]()
    got = COMPILED[name]()
    assert same(got, want), (got, want)
    before = _core.live()
    COMPILED[name]()
    assert _core.live() == before


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


def wrong_key(h):
    return {h: 1}


def wrong_delete(h):
    del h.n


def wrong_loop(h):
    for x in h:
        print(x)


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
        (wrong_key, "a dict of Held to int is not supported"),
        (wrong_delete, "del of this"),
        (wrong_loop, "__iter__"),
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
    gc.collect()
    before = _core.live()
    for _ in range(5):
        once()
    gc.collect()
    assert _core.live() == before


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
