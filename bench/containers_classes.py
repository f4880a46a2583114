"""The functions over classes of containers.py."""

from __future__ import annotations

import heapq

import numpy as np

from swathe import jitclass


@jitclass
class Cache:
    """Keeps the keys that were asked for last: a dict, and a list linked by places."""

    def __init__(self, room):
        self.room = room
        self.where = {-1: 0}
        self.key = np.zeros(room, np.int64)
        self.value = np.zeros(room)
        self.before = np.zeros(room + 1, np.int64)
        self.after = np.zeros(room + 1, np.int64)
        self.before[room] = self.after[room] = room
        self.n = 0

    def unlink(self, i):
        a, b = self.before[i], self.after[i]
        self.after[a] = b
        self.before[b] = a

    def push(self, i):
        first = self.after[self.room]
        self.after[self.room] = i
        self.before[i] = self.room
        self.after[i] = first
        self.before[first] = i

    def get(self, k):
        i = self.where.get(k, -1)
        if i < 0:
            return -1.0
        self.unlink(i)
        self.push(i)
        return self.value[i]

    def put(self, k, v):
        i = self.where.get(k, -1)
        if i >= 0:
            self.unlink(i)
        elif self.n < self.room:
            i = self.n
            self.n += 1
        else:
            i = int(self.before[self.room])
            self.unlink(i)
            del self.where[int(self.key[i])]
        self.where[k] = i
        self.key[i] = k
        self.value[i] = v
        self.push(i)


def lru_cache(keys, numbers):
    c = Cache(1000)
    hits = 0
    for i in range(len(keys)):
        k = int(keys[i]) % 3000
        if c.get(k) >= 0.0:
            hits += 1
        else:
            c.put(k, numbers[i])
    return hits


@jitclass
class Machine:
    """Runs instructions over a stack."""

    def __init__(self, code, arguments):
        self.code = code
        self.arguments = arguments
        self.stack = [0]
        self.at = 0

    def run(self, most):
        steps = 0
        while steps < most:
            op = self.code[self.at]
            arg = self.arguments[self.at]
            self.at += 1
            steps += 1
            if op == 0:
                self.stack.append(int(arg))
            elif op == 1:
                b = self.stack.pop()
                self.stack[-1] += b
            elif op == 2:
                b = self.stack.pop()
                self.stack[-1] = self.stack[-1] * b % 1000003
            elif op == 3:
                self.at = int(arg)
            else:
                b = self.stack.pop()
                if b == 0:
                    self.at = int(arg)
        return self.stack[-1]


def virtual_machine(keys, numbers):
    code = np.array([0, 1, 0, 2, 0, 4, 3])
    arguments = np.array([1, 0, 7, 0, 1, 0, 0])
    return Machine(code, arguments).run(len(keys))


@jitclass
class Node:
    """Of a tree that is searched."""

    left: Node | None
    right: Node | None

    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


@jitclass
class Tree:
    """Of keys, each once."""

    def __init__(self, key):
        self.root = Node(key)
        self.n = 1

    def insert(self, key):
        at = self.root
        while True:
            if key < at.key:
                if at.left is None:
                    at.left = Node(key)
                    self.n += 1
                    return
                at = at.left
            elif key > at.key:
                if at.right is None:
                    at.right = Node(key)
                    self.n += 1
                    return
                at = at.right
            else:
                return


def tree(keys, numbers):
    t = Tree(50000)
    for i in range(len(keys)):
        t.insert(int(keys[i]))
    return t.n


@jitclass
class Particle:
    """A point that moves."""

    def __init__(self, x, y, vx, vy):
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy

    def move(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt
        if self.x > 1.0 or self.x < 0.0:
            self.vx = -self.vx
        if self.y > 1.0 or self.y < 0.0:
            self.vy = -self.vy


def particle_objects(keys, numbers):
    n = 1000
    ps = [Particle(numbers[i % 10], 0.5, numbers[i % 7] - 0.5, 0.1) for i in range(n)]
    for _ in range(len(keys) // n):
        for p in ps:
            p.move(0.01)
    s = 0.0
    for p in ps:
        s += p.x
    return s


POINT = np.dtype([("x", "f8"), ("y", "f8"), ("vx", "f8"), ("vy", "f8")])


def particle_records(keys, numbers):
    n = 1000
    ps = np.zeros(n, POINT)
    for i in range(n):
        ps["x"][i], ps["y"][i] = numbers[i % 10], 0.5
        ps["vx"][i], ps["vy"][i] = numbers[i % 7] - 0.5, 0.1
    for _ in range(len(keys) // n):
        for i in range(n):
            p = ps[i]
            p["x"] += p["vx"] * 0.01
            p["y"] += p["vy"] * 0.01
            if p["x"] > 1.0 or p["x"] < 0.0:
                p["vx"] = -p["vx"]
            if p["y"] > 1.0 or p["y"] < 0.0:
                p["vy"] = -p["vy"]
    s = 0.0
    for i in range(n):
        s += ps["x"][i]
    return s


@jitclass
class Job:
    """Waits for its time."""

    def __init__(self, time, name):
        self.time = time
        self.name = name

    def __lt__(self, other):
        return self.time < other.time


def priority_queue(keys, numbers):
    q = [Job(0.5, 0)]
    s = 0
    for i in range(len(keys)):
        heapq.heappush(q, Job(numbers[i], i))
        if len(q) > 200:
            s += heapq.heappop(q).name % 7
    return s


@jitclass
class Sets:
    """Of numbers, joined again and again."""

    def __init__(self, n):
        self.parent = np.arange(n)
        self.size = np.ones(n, np.int64)
        self.count = n

    def find(self, x):
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        self.count -= 1


def union_find(keys, numbers):
    u = Sets(100000)
    for i in range(len(keys) - 1):
        u.join(keys[i], keys[i + 1])
    return u.count


FUNCTIONS = (
    lru_cache,
    virtual_machine,
    tree,
    particle_objects,
    particle_records,
    priority_queue,
    union_find,
)
