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
]
