# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs with classes as people write them: no specs, seldom annotations."""

import math

import numpy as np

from swathe import jitclass, njit


@jitclass
class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance
        self.count = 0

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("deposit must be positive")
        self.balance += amount
        self.count += 1

    def withdraw(self, amount):
        if amount > self.balance:
            raise RuntimeError("insufficient funds")
        self.balance -= amount
        self.count += 1


@jitclass
class Bank:
    def __init__(self):
        self.accounts = {}
        self.total = 0

    def open(self, owner, balance):
        if owner in self.accounts:
            raise KeyError(owner)
        self.accounts[owner] = Account(owner, balance)

    def transfer(self, a, b, amount):
        self.accounts[a].withdraw(amount)
        self.accounts[b].deposit(amount)
        self.total += amount


@njit
def bank():
    b = Bank()
    for i in range(5):
        b.open("user" + str(i), 100.0 * i)
    failed = 0
    for i in range(20):
        try:
            b.transfer(f"user{i % 5}", f"user{(i * 3 + 1) % 5}", 37.5 + i)
        except RuntimeError:
            failed += 1
    try:
        b.open("user1", 1.0)
    except KeyError:
        failed += 100
    return [a.balance for a in b.accounts.values()], b.total, failed


@jitclass
class Matrix:
    def __init__(self, rows, cols):
        self.rows = rows
        self.cols = cols
        self.data = [0.0] * (rows * cols)

    def __getitem__(self, ij):
        i, j = ij
        return self.data[i * self.cols + j]

    def __setitem__(self, ij, v):
        i, j = ij
        self.data[i * self.cols + j] = v

    def __add__(self, other):
        r = Matrix(self.rows, self.cols)
        for k in range(len(self.data)):
            r.data[k] = self.data[k] + other.data[k]
        return r

    def __mul__(self, other):
        r = Matrix(self.rows, other.cols)
        for i in range(self.rows):
            for j in range(other.cols):
                s = 0.0
                for k in range(self.cols):
                    s += self[i, k] * other[k, j]
                r[i, j] = s
        return r

    def determinant(self):
        a = [[self[i, j] for j in range(self.cols)] for i in range(self.rows)]
        n, det = self.rows, 1.0
        for c in range(n):
            p = max(range(c, n), key=lambda r: abs(a[r][c]))
            if a[p][c] == 0:
                return 0.0
            if p != c:
                a[p], a[c] = a[c], a[p]
                det = -det
            det *= a[c][c]
            for r in range(c + 1, n):
                f = a[r][c] / a[c][c]
                for k in range(c, n):
                    a[r][k] -= f * a[c][k]
        return det


@njit
def matrix():
    m = Matrix(4, 4)
    for i in range(4):
        for j in range(4):
            m[i, j] = (i * 7 + j * 3) % 5 + (1.0 if i == j else 0.0)
    p = m * m + m
    return p.data, p.determinant(), m.determinant()


@jitclass
class Quaternion:
    def __init__(self, w, x, y, z):
        self.w = w
        self.x = x
        self.y = y
        self.z = z

    def __mul__(self, o):
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    def conjugate(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def __abs__(self):
        return math.sqrt(self.w**2 + self.x**2 + self.y**2 + self.z**2)

    def __truediv__(self, k):
        return Quaternion(self.w / k, self.x / k, self.y / k, self.z / k)

    def __neg__(self):
        return Quaternion(-self.w, -self.x, -self.y, -self.z)

    def __eq__(self, o):
        return self.w == o.w and self.x == o.x and self.y == o.y and self.z == o.z


@njit
def quaternion():
    q = Quaternion(1.0, 2.0, 3.0, 4.0)
    r = Quaternion(0.5, -1.0, 0.0, 2.0)
    p = q * r * q.conjugate()
    p = p / abs(p)
    return p.w, p.x, p.y, p.z, abs(-p), q == r, q == Quaternion(1.0, 2.0, 3.0, 4.0)


@jitclass
class Polynomial:
    def __init__(self, coeffs):
        self.coeffs = list(coeffs)

    def __call__(self, x):
        r = 0.0
        for c in reversed(self.coeffs):
            r = r * x + c
        return r

    def __add__(self, o):
        n = max(len(self.coeffs), len(o.coeffs))
        out = [0.0] * n
        for i, c in enumerate(self.coeffs):
            out[i] += c
        for i, c in enumerate(o.coeffs):
            out[i] += c
        return Polynomial(out)

    def __mul__(self, o):
        out = [0.0] * (len(self.coeffs) + len(o.coeffs) - 1)
        for i, a in enumerate(self.coeffs):
            for j, b in enumerate(o.coeffs):
                out[i + j] += a * b
        return Polynomial(out)

    def derivative(self):
        return Polynomial([i * c for i, c in enumerate(self.coeffs)][1:])

    def degree(self):
        return len(self.coeffs) - 1


@njit
def polynomial():
    p = Polynomial([1.0, -3.0, 2.0])
    q = p * p + p
    x = 3.0
    d = q.derivative()
    for _ in range(30):
        x -= q(x) / d(x)
    return q.coeffs, d.coeffs, x, q.degree()


@jitclass
class Node:
    def __init__(self, value):
        self.value = value
        self.next = None


@jitclass
class LinkedList:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, value):
        node = Node(value)
        node.next = self.head
        self.head = node
        self.size += 1

    def append(self, value):
        node = Node(value)
        self.size += 1
        if self.head is None:
            self.head = node
            return
        cur = self.head
        while cur.next is not None:
            cur = cur.next
        cur.next = node

    def reverse(self):
        prev = None
        cur = self.head
        while cur is not None:
            nxt = cur.next
            cur.next = prev
            prev = cur
            cur = nxt
        self.head = prev

    def __len__(self):
        return self.size

    def __iter__(self):
        cur = self.head
        while cur is not None:
            yield cur.value
            cur = cur.next

    def __contains__(self, v):
        cur = self.head
        while cur:
            if cur.value == v:
                return True
            cur = cur.next
        return False


@njit
def linked_list():
    xs = LinkedList()
    for i in range(5):
        xs.push(i)
        xs.append(10 * i)
    xs.reverse()
    return [x for x in xs], len(xs), 40 in xs, 41 in xs


@jitclass
class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        if not self.items:
            raise IndexError("pop from empty stack")
        return self.items.pop()

    def peek(self):
        return self.items[-1]

    def is_empty(self):
        return len(self.items) == 0


@njit
def rpn():
    s = Stack()
    for tok in "3 4 + 2 * 7 -".split():
        if tok in "+-*":
            b = s.pop()
            a = s.pop()
            if tok == "+":
                s.push(a + b)
            elif tok == "-":
                s.push(a - b)
            else:
                s.push(a * b)
        else:
            s.push(int(tok))
    r = s.peek()
    s.pop()
    try:
        s.pop()
    except IndexError:
        return r, s.is_empty()
    return r, False


@jitclass
class TreeNode:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


@jitclass
class BST:
    def __init__(self):
        self.root = None
        self.n = 0

    def insert(self, key):
        self.root = self._insert(self.root, key)

    def _insert(self, node, key):
        if node is None:
            self.n += 1
            return TreeNode(key)
        if key < node.key:
            node.left = self._insert(node.left, key)
        elif key > node.key:
            node.right = self._insert(node.right, key)
        return node

    def height(self):
        return self._height(self.root)

    def _height(self, node):
        if node is None:
            return 0
        return 1 + max(self._height(node.left), self._height(node.right))

    def inorder(self):
        out = []
        self._inorder(self.root, out)
        return out

    def _inorder(self, node, out):
        if node is not None:
            self._inorder(node.left, out)
            out.append(node.key)
            self._inorder(node.right, out)


@njit
def bst():
    t = BST()
    x = 7
    for _ in range(50):
        x = (x * 75 + 74) % 101
        t.insert(x)
    return t.inorder(), t.height(), t.n


@jitclass
class Graph:
    def __init__(self, n):
        self.n = n
        self.adj = [[(0, 0.0)][:0] for _ in range(n)]

    def add_edge(self, u, v, w):
        self.adj[u].append((v, w))
        self.adj[v].append((u, w))

    def dijkstra(self, src):
        import heapq

        dist = [math.inf] * self.n
        dist[src] = 0.0
        heap = [(0.0, src)]
        while heap:
            d, u = heapq.heappop(heap)
            if d > dist[u]:
                continue
            for v, w in self.adj[u]:
                nd = d + w
                if nd < dist[v]:
                    dist[v] = nd
                    heapq.heappush(heap, (nd, v))
        return dist


@njit
def graph():
    g = Graph(12)
    for i in range(30):
        g.add_edge(i % 12, (i * 5 + 3) % 12, 1.0 + (i * 7) % 10)
    return g.dijkstra(0)


@jitclass
class Particle:
    def __init__(self, x, y, vx, vy, mass=1.0):
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy
        self.mass = mass

    def move(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt

    def energy(self):
        return 0.5 * self.mass * (self.vx**2 + self.vy**2)


@jitclass
class System:
    def __init__(self, particles):
        self.particles = particles
        self.time = 0.0

    def step(self, dt):
        for p in self.particles:
            p.move(dt)
            if p.x < 0 or p.x > 1:
                p.vx = -p.vx
            if p.y < 0 or p.y > 1:
                p.vy = -p.vy
        self.time += dt

    def energy(self):
        return sum(p.energy() for p in self.particles)


@njit
def particles():
    ps = [Particle(0.1 * i, 0.05 * i, 0.3 - 0.1 * i, 0.2 * i) for i in range(6)]
    s = System(ps)
    for _ in range(100):
        s.step(0.01)
    return s.energy(), s.time, [(p.x, p.y) for p in s.particles]


@jitclass
class Automaton:
    def __init__(self, rule, size):
        self.rule = [(rule >> i) & 1 for i in range(8)]
        self.cells = np.zeros(size, dtype=np.int64)
        self.cells[size // 2] = 1

    def step(self):
        n = len(self.cells)
        new = np.zeros(n, dtype=np.int64)
        for i in range(n):
            a = self.cells[(i - 1) % n]
            b = self.cells[i]
            c = self.cells[(i + 1) % n]
            new[i] = self.rule[4 * a + 2 * b + c]
        self.cells = new


@njit
def automaton():
    a = Automaton(110, 41)
    alive = []
    for _ in range(30):
        a.step()
        alive.append(int(a.cells.sum()))
    return alive


@jitclass
class LCG:
    A = 1103515245
    C = 12345
    M = 2**31

    def __init__(self, seed=42):
        self.state = seed

    def next(self):
        self.state = (self.A * self.state + self.C) % LCG.M
        return self.state

    def random(self):
        return self.next() / LCG.M

    def randint(self, a, b):
        return a + self.next() % (b - a + 1)

    def shuffle(self, xs):
        for i in range(len(xs) - 1, 0, -1):
            j = self.randint(0, i)
            xs[i], xs[j] = xs[j], xs[i]


@njit
def lcg():
    r = LCG()
    xs = list(range(10))
    r.shuffle(xs)
    return xs, [r.random() for _ in range(3)], LCG(7).randint(1, 6)


@jitclass
class Layer:
    def __init__(self, n_in, n_out):
        self.W = (np.arange(n_in * n_out) % 7 - 3.0).reshape(n_in, n_out) / 5
        self.b = np.zeros(n_out)

    def forward(self, x):
        return self.activate(x @ self.W + self.b)

    def activate(self, x):
        return x


@jitclass
class Relu(Layer):
    def activate(self, x):
        return np.maximum(x, 0.0)


@jitclass
class Tanh(Layer):
    def __init__(self, n_in, n_out, scale):
        super().__init__(n_in, n_out)
        self.scale = scale

    def activate(self, x):
        return np.tanh(super().activate(x) * self.scale)


@njit
def layers():
    x = np.arange(8.0).reshape(2, 4)
    a, b, c = Relu(4, 5), Tanh(5, 3, 0.5), Layer(3, 2)
    y = c.forward(b.forward(a.forward(x)))
    return [v for v in y.ravel()]


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
    bank,
    matrix,
    quaternion,
    polynomial,
    linked_list,
    rpn,
    bst,
    graph,
    particles,
    automaton,
    lcg,
    layers,
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
