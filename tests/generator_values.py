# SPDX-License-Identifier: BSD-3-Clause
"""Programs that have generators as values: recursive ones, several at once, in fields, sent to."""

# ruff: noqa: UP028, PERF402, RUF005, B007, SIM108, SIM113, PLR2004, RET503, S101, B904, B905, E741, F841, C416, C417
from __future__ import annotations

from itertools import islice, takewhile


def count(n):
    i = 0
    while i < n:
        yield i
        i += 1


def a1():
    g = count(3)
    x = next(g)
    y = next(g)
    return x, y, next(g), next(g, -1)


def a2():
    g = count(5)
    next(g)
    return list(g)


def a3():
    a = count(3)
    b = count(4)
    out = []
    for i in range(3):
        out.append(next(a))
        out.append(next(b))
    return out


def a4():
    gs = [count(3), count(5), count(2)]
    out = []
    while gs:
        g = gs.pop(0)
        v = next(g, -1)
        if v >= 0:
            out.append(v)
            gs.append(g)
    return out


class Node:
    def __init__(self, v, l=None, r=None):
        self.v = v
        self.left = l
        self.right = r


def walk(n):
    if n is not None:
        yield from walk(n.left)
        yield n.v
        yield from walk(n.right)


def a5():
    t = Node(4, Node(2, Node(1), Node(3)), Node(6))
    return list(walk(t)), sum(walk(t)), [x * 2 for x in walk(t)]


def perms(xs):
    if len(xs) <= 1:
        yield xs
        return
    for i in range(len(xs)):
        for p in perms(xs[:i] + xs[i + 1 :]):
            yield [xs[i]] + p


def a6():
    return list(perms([1, 2, 3]))


def hanoi(n, a, b, c):
    if n > 0:
        yield from hanoi(n - 1, a, c, b)
        yield (a, c)
        yield from hanoi(n - 1, b, a, c)


def a7():
    return list(hanoi(3, "A", "B", "C")), sum(1 for _ in hanoi(6, "A", "B", "C"))


def avg():
    total = 0.0
    n = 0
    m = 0.0
    while True:
        x = yield m
        total += x
        n += 1
        m = total / n


def a8():
    g = avg()
    next(g)
    return g.send(10.0), g.send(20.0), g.send(60.0)


def a9(n):
    def inner(k):
        for i in range(k):
            yield i + n

    g = inner(3)
    a = next(g)
    return a, list(g)


def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def a10():
    g = fib()
    return [next(g) for _ in range(10)]


def sub():
    x = yield 1
    y = yield 2
    return 7


def outer():
    r = yield from sub()
    yield r * 10


def a11():
    return list(outer())


def queens(n, row, cols):
    if row == n:
        yield tuple(cols)
        return
    for c in range(n):
        if all(c != cc and abs(c - cc) != row - r for r, cc in enumerate(cols)):
            yield from queens(n, row + 1, cols + [c])


def a12():
    k = 0
    first = next(queens(6, 0, []))
    for q in queens(6, 0, []):
        k += 1
    return k, first


def merge(a, b):
    x = next(a, None)
    y = next(b, None)
    while x is not None or y is not None:
        if y is None or (x is not None and x <= y):
            yield x
            x = next(a, None)
        else:
            yield y
            y = next(b, None)


def evens(n):
    for i in range(0, n, 2):
        yield i


def a13():
    return list(merge(count(4), evens(9)))


def words(s):
    w = ""
    for c in s:
        if c == " ":
            if w:
                yield w
            w = ""
        else:
            w += c
    if w:
        yield w


def a14(s):
    g = words(s)
    first = next(g)
    return first, list(g)


def closing(log):
    try:
        yield 1
        yield 2
    finally:
        log.append(9)


def a15():
    log = []
    g = closing(log)
    a = next(g)
    g.close()
    b = next(g, -5)
    return a, b, log


def a16():
    g = count(1)
    next(g)
    try:
        next(g)
    except StopIteration:
        return "stop"
    return "no"


def bad():
    yield 1
    raise ValueError("x")


def a17():
    g = bad()
    next(g)
    r = 0
    try:
        next(g)
    except ValueError:
        r = 1
    return r, next(g, -1)


class Tree:
    def __init__(self, v, l=None, r=None):
        self.v = v
        self.left = l
        self.right = r

    def __iter__(self):
        if self.left is not None:
            yield from self.left
        yield self.v
        if self.right is not None:
            yield from self.right

    def depth(self, d):
        yield d
        if self.left is not None:
            for x in self.left.depth(d + 1):
                yield x


def a18():
    t = Tree(4, Tree(2, Tree(1), Tree(3)), Tree(6))
    return list(t), [x for x in t], sum(t), list(t.depth(0))


def b1():
    g = count(5)
    out = []
    for a, b in zip(g, g):
        out.append(a * 10 + b)
    return out


def b2():
    g = count(5)
    next(g)
    return [i * x for i, x in enumerate(g)]


def b3():
    g = count(5)
    h = count(9)
    a, b, *c = g
    return a, b, c, sum(h), max(count(4)), sorted(count(3)), tuple(count(3))


def b4():
    g = count(50)
    return 3 in g, next(g), list(islice(g, 3)), next(g)


def b5():
    xs = []
    xs.extend(count(4))
    g = count(3)
    next(g)
    xs.extend(g)
    xs += count(2)
    return xs, set(count(3)), dict(zip(count(3), "abc"))


def make(n):
    return count(n)


def b6():
    g = make(3)
    d = {"a": count(3), "b": count(5)}
    r = [next(d["a"]), next(d["b"]), next(d["a"])]
    return next(g), r


class Box:
    def __init__(self, n):
        self.g = count(n)
        self.last = 0

    def step(self):
        self.last = next(self.g, -1)
        return self.last


def b7():
    b = Box(2)
    return b.step(), b.step(), b.step()


def task(name, n, log):
    for i in range(n):
        log.append(name + str(i))
        yield


def b8():
    log = [""]
    log.pop()
    q = [task("a", 2, log), task("b", 3, log), task("c", 1, log)]
    while q:
        t = q.pop(0)
        try:
            next(t)
            q.append(t)
        except StopIteration:
            log.append("end")
    return log


def gret():
    yield 1
    return 5


def b9():
    g = gret()
    next(g)
    try:
        next(g)
    except StopIteration as e:
        return e.value
    return -1


def tokens(s):
    i = 0
    while i < len(s):
        c = s[i]
        if c.isspace():
            i += 1
            continue
        if c.isdigit():
            j = i
            while j < len(s) and s[j].isdigit():
                j += 1
            yield ("num", s[i:j])
            i = j
        else:
            yield ("op", c)
            i += 1
    yield ("end", "")


class Parser:
    def __init__(self, s):
        self.toks = tokens(s)
        self.cur = next(self.toks)

    def adv(self):
        t = self.cur
        self.cur = next(self.toks, ("end", ""))
        return t

    def expr(self):
        v = self.term()
        while self.cur[1] in ("+", "-"):
            op = self.adv()[1]
            w = self.term()
            v = v + w if op == "+" else v - w
        return v

    def term(self):
        v = self.atom()
        while self.cur[1] in ("*", "/"):
            op = self.adv()[1]
            w = self.atom()
            v = v * w if op == "*" else v // w
        return v

    def atom(self):
        k, t = self.adv()
        if k == "num":
            return int(t)
        if t == "(":
            v = self.expr()
            self.adv()
            return v
        raise ValueError("bad token")


def b10(s):
    return Parser(s).expr()


def fin(log, n):
    try:
        for i in range(n):
            yield i
    finally:
        log.append(-1)


def b11():
    log = []
    for x in fin(log, 3):
        log.append(x)
    g = fin(log, 3)
    for x in g:
        log.append(x)
    return log


def primes():
    found = []
    n = 2
    while True:
        for p in found:
            if n % p == 0:
                break
        else:
            found.append(n)
            yield n
        n += 1


def b12():
    g = primes()
    return (
        [next(g) for _ in range(8)],
        list(islice(primes(), 4)),
        list(takewhile(lambda x: x < 20, primes())),
    )


def comb(items, k, start, cur):
    if len(cur) == k:
        yield cur[:]
        return
    for i in range(start, len(items)):
        cur.append(items[i])
        yield from comb(items, k, i + 1, cur)
        cur.pop()


def b13():
    return list(comb([1, 2, 3, 4], 2, 0, []))


def flat(n):
    a = 1
    for i in range(n):
        try:
            if i == 1:
                raise ValueError("q")
            yield i
        except ValueError:
            yield -1
        else:
            yield 100 + i
        finally:
            a += 1
    yield a


def b14():
    g = flat(3)
    return next(g), list(g)


def acc():
    total = 0
    while True:
        v = yield total
        if v is None:
            return total
        total += v


def b15():
    g = acc()
    next(g)
    a = g.send(4)
    b = g.send(5)
    r = 0
    try:
        g.send(None)
    except StopIteration as e:
        r = e.value
    return a, b, r


def echo():
    while True:
        x = yield
        y = yield x * 2


def b16():
    g = echo()
    next(g)
    a = g.send(3)
    next(g)
    b = g.send(4)
    return a, b


def b18():
    m = map(lambda x: x + 1, count(3))
    f = filter(lambda x: x % 2, count(6))
    return list(m), list(f), "".join(c for c in tokch("ab")), " ".join(tokch("xyz"))


def tokch(s):
    for c in s:
        yield c.upper()


def b19():
    def gen(a, b=2):
        while a < 20:
            yield a
            a *= b

    g = gen(3)
    h = gen(1, b=3)
    return next(g), next(h), list(g), list(h)


def b20():
    def fact(n):
        if n > 0:
            yield from fact(n - 1)
            yield n

    return list(fact(4))


def ev(n):
    k = 0
    while True:
        if k > n:
            return
        yield k
        k += 2


def b21():
    its = [ev(4), ev(6), ev(2)]
    out = []
    for it in its:
        for x in it:
            out.append(x)
            if x == 2:
                break
    for it in its:
        out.extend(it)
    return out


def bad1(n):
    it = count(n)
    while True:
        yield next(it)


def b23():
    g = bad1(2)
    a = next(g)
    b = next(g)
    try:
        next(g)
    except RuntimeError:
        return a, b, 7
    return a, b, 0
