# SPDX-License-Identifier: BSD-3-Clause
"""More whole programs with classes as people write them."""

import math

import numpy as np

from swathe import jitclass, njit


@jitclass
class Machine:
    IDLE = 0
    RUNNING = 1
    DONE = 2

    def __init__(self, steps):
        self.state = self.IDLE
        self.steps = steps
        self.log = []

    def handle(self, event):
        if self.state == Machine.IDLE and event == "start":
            self.state = Machine.RUNNING
        elif self.state == Machine.RUNNING and event == "tick":
            self.steps -= 1
            if self.steps == 0:
                self.state = Machine.DONE
        elif event == "reset":
            self.state = Machine.IDLE
        self.log.append(event)


@njit
def state_machine():
    m = Machine(3)
    states = []
    for e in ["tick", "start", "tick", "tick", "tick", "reset"]:
        m.handle(e)
        states.append(m.state)
    return states, ",".join(m.log), m.steps


@jitclass
class Interval:
    def __init__(self, lo, hi):
        if lo > hi:
            raise ValueError("empty interval")
        self.lo = lo
        self.hi = hi

    def __add__(self, o):
        return Interval(self.lo + o.lo, self.hi + o.hi)

    def __sub__(self, o):
        return Interval(self.lo - o.hi, self.hi - o.lo)

    def __mul__(self, o):
        p = [self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi]
        return Interval(min(p), max(p))

    def __contains__(self, x):
        return self.lo <= x <= self.hi

    def __and__(self, o):
        lo, hi = max(self.lo, o.lo), min(self.hi, o.hi)
        return Interval(lo, hi) if lo <= hi else None

    @property
    def width(self):
        return self.hi - self.lo


@njit
def interval():
    a, b = Interval(-1.0, 2.0), Interval(0.5, 3.0)
    c = a * b - a + b
    d = a & b
    e = a & Interval(7.0, 8.0)
    w = -1.0 if d is None else d.width
    return c.lo, c.hi, 0.0 in c, w, e is None


@jitclass
class Fraction:
    def __init__(self, num, den):
        if den == 0:
            raise ZeroDivisionError("zero denominator")
        g = math.gcd(num, den)
        if den < 0:
            g = -g
        self.num = num // g
        self.den = den // g

    def __add__(self, o):
        return Fraction(self.num * o.den + o.num * self.den, self.den * o.den)

    def __mul__(self, o):
        return Fraction(self.num * o.num, self.den * o.den)

    def __lt__(self, o):
        return self.num * o.den < o.num * self.den

    def __eq__(self, o):
        return self.num == o.num and self.den == o.den

    def __hash__(self):
        return hash((self.num, self.den))

    def __float__(self):
        return self.num / self.den

    def __str__(self):
        return f"{self.num}/{self.den}"


@njit
def fraction():
    s = Fraction(0, 1)
    for k in range(1, 12):
        s = s + Fraction(1, k) * Fraction(-1 if k % 2 == 0 else 1, k)
    xs = [Fraction(3, 4), Fraction(-1, 2), Fraction(2, 4), Fraction(5, 3)]
    xs.sort(key=lambda f: float(f))
    seen = {}
    for f in xs + [Fraction(1, 2), Fraction(6, 8)]:
        seen[f] = seen.get(f, 0) + 1
    return s.num, s.den, [float(x) for x in xs], xs[0] < xs[1], list(seen.values())


@jitclass
class BoundedBuffer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.buffer = [0] * capacity
        self.start = 0
        self.count = 0

    def put(self, x):
        if self.count == self.capacity:
            raise OverflowError("buffer full")
        self.buffer[(self.start + self.count) % self.capacity] = x
        self.count += 1

    def get(self):
        if self.count == 0:
            raise LookupError("buffer empty")
        x = self.buffer[self.start]
        self.start = (self.start + 1) % self.capacity
        self.count -= 1
        return x

    def __bool__(self):
        return self.count > 0


@njit
def bounded():
    b = BoundedBuffer(3)
    out, full = [], 0
    for i in range(20):
        try:
            b.put(i)
        except OverflowError:
            full += 1
            out.append(b.get())
    while b:
        out.append(b.get())
    return out, full


@jitclass
class TrieNode:
    def __init__(self):
        self.children = {}
        self.end = False


@jitclass
class Trie:
    def __init__(self):
        self.root = TrieNode()

    def insert(self, word):
        node = self.root
        for ch in word:
            if ch not in node.children:
                node.children[ch] = TrieNode()
            node = node.children[ch]
        node.end = True

    def search(self, word):
        node = self.root
        for ch in word:
            if ch not in node.children:
                return False
            node = node.children[ch]
        return node.end


@njit
def trie():
    t = Trie()
    for w in ("tree", "trie", "try", "algo"):
        t.insert(w)
    return [t.search(w) for w in ("tree", "tre", "try", "x", "algo")]


@jitclass
class Life:
    def __init__(self, rows, cols):
        self.rows, self.cols = rows, cols
        self.grid = [[False] * cols for _ in range(rows)]

    def neighbours(self, r, c):
        n = 0
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                if (dr or dc) and self.grid[(r + dr) % self.rows][(c + dc) % self.cols]:
                    n += 1
        return n

    def step(self):
        new = [[False] * self.cols for _ in range(self.rows)]
        for r in range(self.rows):
            for c in range(self.cols):
                n = self.neighbours(r, c)
                new[r][c] = n == 3 or (n == 2 and self.grid[r][c])
        self.grid = new

    def alive(self):
        return sum([sum([1 for x in row if x]) for row in self.grid])


@njit
def life():
    g = Life(10, 12)
    for r, c in [(1, 2), (2, 3), (3, 1), (3, 2), (3, 3), (5, 5), (5, 6), (5, 7)]:
        g.grid[r][c] = True
    out = []
    for _ in range(10):
        g.step()
        out.append(g.alive())
    return out


@jitclass
class Event:
    def __init__(self, time, kind, who):
        self.time = time
        self.kind = kind
        self.who = who

    def __lt__(self, other):
        return self.time < other.time


@jitclass
class Simulation:
    def __init__(self):
        self.queue = []
        self.now = 0.0
        self.served = 0

    def schedule(self, e):
        import heapq

        heapq.heappush(self.queue, e)

    def run(self, until):
        import heapq

        while self.queue:
            e = heapq.heappop(self.queue)
            if e.time > until:
                break
            self.now = e.time
            if e.kind == "arrive":
                self.schedule(Event(self.now + 1.5, "leave", e.who))
                self.schedule(Event(self.now + 1.0, "arrive", e.who + 1))
            else:
                self.served += 1


@njit
def events():
    s = Simulation()
    s.schedule(Event(0.0, "arrive", 0))
    s.run(20.0)
    return s.served, s.now, len(s.queue)


@jitclass
class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n + 1


@njit
def countdown():
    total = 0
    for x in Countdown(5):
        total = total * 10 + x
    return total


@jitclass
class Timer:
    def __init__(self, log):
        self.log = log
        self.depth = 0

    def __enter__(self):
        self.depth += 1
        self.log.append(self.depth)
        return self

    def __exit__(self, kind, value, trace):
        self.log.append(-self.depth)
        self.depth -= 1


@njit
def context():
    log = [0]
    with Timer(log) as t:
        log.append(100 + t.depth)
        with t:
            log.append(200)
    return log


@jitclass
class Vector2D:
    x: float
    y: float

    def __init__(self, x=0.0, y=0.0):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vector2D(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return Vector2D(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        return Vector2D(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y
        return self

    def dot(self, o):
        return self.x * o.x + self.y * o.y

    @property
    def length(self):
        return math.hypot(self.x, self.y)

    @length.setter
    def length(self, v):
        f = v / self.length
        self.x *= f
        self.y *= f


@njit
def vectors():
    v = Vector2D(3.0, 4.0)
    v.length = 10.0
    w = 2.0 * v - Vector2D(1.0) * 0.5
    w += v
    return v.x, v.y, w.x, w.y, w.dot(v)


@jitclass
class LRU:
    def __init__(self, capacity):
        self.capacity = capacity
        self.cache = {0: 0.0}
        self.cache.clear()
        self.hits = self.misses = 0

    def get(self, key):
        if key in self.cache:
            self.hits += 1
            v = self.cache.pop(key)
            self.cache[key] = v
            return v
        self.misses += 1
        return None

    def put(self, key, value):
        if key in self.cache:
            self.cache.pop(key)
        elif len(self.cache) >= self.capacity:
            oldest = next(iter(self.cache))
            del self.cache[oldest]
        self.cache[key] = value


@njit
def lru():
    c = LRU(4)
    for i in range(60):
        k = i * i % 11
        if c.get(k) is None:
            c.put(k, k * 0.5)
    return c.hits, c.misses, list(c.cache)


@jitclass
class Shape:
    def __init__(self, name):
        self.name = name

    def area(self):
        raise NotImplementedError("area")

    def describe(self):
        return f"{self.name}: {self.area():.2f}"


@jitclass
class Circle(Shape):
    def __init__(self, r):
        super().__init__("circle")
        self.r = r

    def area(self):
        return math.pi * self.r**2


@jitclass
class Square(Shape):
    def __init__(self, side):
        super().__init__("square")
        self.side = side

    def area(self):
        return self.side * self.side


@njit
def shapes():
    c, s = Circle(2.0), Square(3)
    return c.describe(), s.describe(), c.area() + s.area(), isinstance(c, Shape)


@jitclass
class UnionFind:
    def __init__(self, n):
        self.parent = list(range(n))
        self.rank = [0] * n
        self.sets = n

    def find(self, x):
        if self.parent[x] != x:
            self.parent[x] = self.find(self.parent[x])
        return self.parent[x]

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.rank[a] < self.rank[b]:
            a, b = b, a
        self.parent[b] = a
        if self.rank[a] == self.rank[b]:
            self.rank[a] += 1
        self.sets -= 1
        return True


@njit
def union_find():
    u = UnionFind(30)
    return sum([u.union(i * 7 % 30, i * 11 % 30) for i in range(40)]), u.sets


@jitclass
class Inventory:
    def __init__(self):
        self.items = {}
        self.prices = {}

    def add(self, name, qty, price=1.0):
        self.items[name] = self.items.get(name, 0) + qty
        self.prices[name] = price

    def value(self):
        return sum(self.items[k] * self.prices[k] for k in self.items)


@njit
def inventory():
    inv = Inventory()
    inv.add("bolt", 10, 0.25)
    inv.add("nut", 5)
    inv.add("bolt", 3, 0.5)
    return inv.value(), inv.items


@jitclass
class Ema:
    def __init__(self, alpha):
        self.alpha = alpha
        self.value = None

    def update(self, x):
        if self.value is None:
            self.value = x
        else:
            self.value += self.alpha * (x - self.value)
        return self.value


@njit
def ema():
    e = Ema(0.3)
    return [e.update(float(i * i % 7)) for i in range(8)]


@jitclass
class Grid:
    def __init__(self, h, w):
        self.a = np.zeros((h, w))
        self.h, self.w = self.a.shape

    def relax(self, n):
        for _ in range(n):
            b = self.a.copy()
            b[1:-1, 1:-1] = 0.25 * (
                self.a[:-2, 1:-1] + self.a[2:, 1:-1] + self.a[1:-1, :-2] + self.a[1:-1, 2:]
            )
            self.a = b


@njit
def grid():
    g = Grid(12, 9)
    g.a[0] = 100.0
    g.relax(25)
    return float(g.a.sum()), g.h, g.w


PROGRAMS = [
    state_machine,
    interval,
    fraction,
    bounded,
    trie,
    life,
    events,
    countdown,
    context,
    vectors,
    lru,
    shapes,
    union_find,
    inventory,
    ema,
    grid,
]
