# SPDX-License-Identifier: BSD-3-Clause
"""Programs that close generators, throw into them, or have one of several."""

# ruff: noqa: UP028, PERF402, RUF005, B007, SIM108, SIM113, PLR2004, RET503, S101, B904, B905, E741, F841, C416, C417
from __future__ import annotations

import numpy as np
from generator_values import fin


def c1():
    log = [0]
    g = fin(log, 5)
    log.append(next(g))
    log.append(next(g))
    return log


def c2():
    log = [0]
    c1b(log)
    log.append(77)
    return log


def c1b(log):
    g = fin(log, 5)
    log.append(next(g))
    log.append(next(g))


def rec(log, n):
    try:
        if n > 0:
            yield n
            yield from rec(log, n - 1)
    finally:
        log.append(-n)


def c3():
    log = [0]
    for x in rec(log, 4):
        log.append(x)
        if x == 2:
            break
    log.append(99)
    return log


def gx(log):
    try:
        yield 1
        yield 2
    except GeneratorExit:
        log.append(5)
        raise


def c6():
    log = [0]
    g = gx(log)
    next(g)
    g.close()
    return log, next(g, -1)


def ign():
    try:
        yield 1
    except GeneratorExit:
        yield 2


def c7():
    g = ign()
    next(g)
    try:
        g.close()
    except RuntimeError:
        return 3
    return 4


def ctr():
    n = 0
    while True:
        n += 1
        r = yield n
        if r:
            n = 0


def c8():
    g = ctr()
    a = [next(g), next(g), g.send(True), g.send(False)]
    h = ctr()
    try:
        h.send(True)
    except TypeError:
        a.append(-1)
    return a


def fin2(n):
    yield n


def c10(n):
    g = fin2(n)
    return next(g) + next(fin2(n + 1))


def wl():
    s = 0
    while (x := (yield s)) is not None:
        s += x
    yield -s


def c11():
    g = wl()
    next(g)
    return g.send(3), g.send(4), g.send(None)


def pr():
    print("got", (yield 1), (yield 2))
    z = [(yield 3), (yield 4)]
    yield len(z)


def c12():
    g = pr()
    return next(g), g.send(5), g.send(6), g.send(7), g.send(8)


def two():
    x = yield 1
    while x > 0:
        y = yield x
        x = x - 1 if y is None else y
    return


def c13():
    g = two()
    next(g)
    g.send(3)
    a = next(g)
    b = g.send(5)
    c = next(g)
    return a, b, c, list(g)


def early(n):
    if n == 0:
        return
    yield n


def c14():
    return list(early(0)), next(early(0), 5), next(early(4), 5)


def sched():
    a = yield "a"
    for k in range(2):
        b = yield "b" + str(k)
        a += b
    return a


def c15():
    g = sched()
    out = [next(g), g.send(1), g.send(2)]
    try:
        g.send(3)
    except StopIteration as e:
        out.append(str(e.value))
    return out


def rows(a):
    for i in range(a.shape[0]):
        yield a[i] * 2


def chunks(a, k):
    for i in range(0, len(a), k):
        yield a[i : i + k]


def c16():
    a = np.arange(6.0).reshape(3, 2)
    g = rows(a)
    x = next(g)
    h = chunks(np.arange(7), 3)
    t = 0.0
    for r in g:
        t += r.sum()
    return x.sum(), t, [int(c.sum()) for c in h]


def dk(d):
    for k in d:
        yield k


def di(d):
    for k, v in d.items():
        yield k, v


def c17():
    d = {"a": 1, "b": 2}
    g = dk(d)
    h = di(d)
    return next(g), next(h), list(g), list(h)


def bfs(graph, s):
    seen = {s}
    q = [s]
    while q:
        v = q.pop(0)
        yield v
        for w in graph[v]:
            if w not in seen:
                seen.add(w)
                q.append(w)


def c18():
    g = bfs({0: [1, 2], 1: [3], 2: [3], 3: [0]}, 0)
    a = next(g)
    return a, list(g)


def gmap(f, xs):
    for x in xs:
        yield f(x)


def c19():
    g = gmap(lambda x: x * 2, [1, 2, 3])
    return next(g), list(g)


def th():
    n = 0
    while True:
        try:
            n += 1
            yield n
        except ValueError:
            n = 100


def del_():
    r = yield from th()
    yield r


def d1():
    g = th()
    a = [next(g), next(g)]
    a.append(g.throw(ValueError("x")))
    a.append(next(g))
    try:
        g.throw(KeyError("k"))
    except KeyError:
        a.append(-1)
    a.append(next(g, -2))
    return a


def d2():
    g = del_()
    a = [next(g)]
    a.append(g.throw(ValueError))
    a.append(next(g))
    return a


def d3():
    g = th()
    try:
        g.throw(ValueError("z"))
    except ValueError:
        return 1
    return 0


def lines(log):
    log.append("open")
    try:
        yield "a"
        yield "b"
    finally:
        log.append("close")


def use(log):
    for x in lines(log):
        yield x + "!"


def d4():
    log = ["s"]
    g = use(log)
    log.append(next(g))
    g.close()
    log.append("end")
    return log


def zzz():
    pass


def up(n):
    for i in range(n):
        yield i


def down(n):
    while n > 0:
        yield n
        n -= 1


def f1():
    gs = [up(3), down(3)]
    return [next(g) for g in gs]


def f2():
    g = up(3) if True else down(2)
    return list(g)


def ident(x):
    yield x


def f3():
    return next(ident(1)), next(ident("a"))


def f4():
    g = ident(1)
    h = ident(2.5)
    return next(g), next(h)


def f5():
    t = (up(2), down(3))
    return next(t[0]), next(t[1]), list(t[0])


def pairs(xs):
    for i, x in enumerate(xs):
        for y in xs[i + 1 :]:
            yield x, y


def f6():
    g = pairs([1, 2, 3])
    a, b = next(g)
    out = []
    for x, y in g:
        out.append(x * y)
    return a, b, out


def window(it, k):
    buf = []
    for x in it:
        buf.append(x)
        if len(buf) > k:
            buf.pop(0)
        if len(buf) == k:
            yield tuple(buf)


def f7():
    return [sum(w) for w in window(up(6), 3)], next(window([1, 2, 3, 4], 2))


def grid(w, h):
    for y in range(h):
        for x in range(w):
            yield x, y


def f8():
    g = grid(2, 2)
    d = {}
    for k in g:
        d[k] = len(d)
    return d


def sieve():
    comp = {}
    q = 2
    while True:
        if q not in comp:
            yield q
            comp[q * q] = [q]
        else:
            for p in comp[q]:
                comp.setdefault(p + q, []).append(p)
            del comp[q]
        q += 1


def f9():
    g = sieve()
    out = []
    for p in g:
        if p > 50:
            break
        out.append(p)
    return out, next(g)


def subsets(xs):
    if not xs:
        yield []
        return
    for s in subsets(xs[1:]):
        yield s
        yield [xs[0]] + s


def f10():
    return list(subsets([1, 2, 3])), len(list(subsets([1, 2, 3, 4, 5])))


def gray(n):
    if n == 0:
        yield ""
    else:
        for s in gray(n - 1):
            yield "0" + s
        for s in list(gray(n - 1))[::-1]:
            yield "1" + s


def f11():
    return list(gray(3))


def collatz(n):
    steps = 0
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    yield 1
    return steps


def wrap(n):
    k = yield from collatz(n)
    yield -k


def f12():
    return list(wrap(6))


class Account:
    def __init__(self):
        self.log = []

    def history(self):
        for kind, amount in self.log:
            yield f"{kind}:{amount}"

    def add(self, k, a):
        self.log.append((k, a))


def f13():
    a = Account()
    a.add("in", 5)
    a.add("out", 3)
    h = a.history()
    first = next(h)
    a.add("in", 9)
    return first, list(h), ", ".join(a.history())


def vm(code):
    stack = []
    pc = 0
    while pc < len(code):
        op, arg = code[pc]
        pc += 1
        if op == "push":
            stack.append(arg)
        elif op == "add":
            stack.append(stack.pop() + stack.pop())
        elif op == "out":
            yield stack[-1]
        elif op == "in":
            v = yield None
            stack.append(v)
        elif op == "jmp":
            pc = arg


def f14():
    m = vm([("push", 2), ("push", 3), ("add", 0), ("out", 0), ("in", 0), ("add", 0), ("out", 0)])
    a = next(m)
    b = next(m)
    c = m.send(10)
    return a, b is None, c


def coop(name, n, out):
    for i in range(n):
        out.append(f"{name}{i}")
        yield i
    out.append(name + " done")


def f15():
    out = ["start"]
    ready = [coop("A", 2, out), coop("B", 3, out)]
    k = 0
    while ready:
        t = ready[k % len(ready)]
        r = next(t, None)
        if r is None:
            ready.remove(t)
        else:
            k += 1
    return out


def rev(xs):
    n = len(xs)
    for i in range(n - 1, -1, -1):
        yield xs[i]


def inf(a, d):
    while True:
        yield a
        a += d


def f17():
    out = []
    for a, b in zip(inf(0, 2), inf(1, 3)):
        if a > 10:
            break
        out.append((a, b))
    return out, [x for _, x in zip(range(3), inf(5, 5))]


def flatten(t):
    for x in t:
        if x < 0:
            yield from flatten([-x - 1, 0])
        else:
            yield x


def f18():
    return list(flatten([1, -3, 2]))


def inorder(t, lo, hi):
    if lo < hi:
        m = (lo + hi) // 2
        yield from inorder(t, lo, m)
        yield t[m]
        yield from inorder(t, m + 1, hi)


def f19(n):
    t = [i * i for i in range(n)]
    return sum(inorder(t, 0, n)), next(inorder(t, 0, n))


def f20():
    g = (x * x for x in up(4))
    a = next(g)
    return a, list(g)


def names(s, n):
    for c in s:
        for i in range(n):
            yield len(c) + i


def m1():
    gs = [up(3), down(3), names("abc", 2)]
    out = []
    while gs:
        g = gs.pop(0)
        x = next(g, -1)
        if x >= 0:
            out.append(x)
            gs.append(g)
    return out


def m2(k):
    if k:
        g = up(4)
    else:
        g = down(4)
    a = next(g)
    return a, list(g)


def recv(a):
    t = 0
    while t < 100:
        x = yield t
        t += x * a


def recv2(s):
    t = 1
    for i in range(5):
        x = yield t
        t *= x + len(s)


def m3():
    ps = [recv(2), recv2("ab"), recv(3)]
    out = []
    for p in ps:
        out.append(next(p))
    for r in range(3):
        for p in ps:
            out.append(p.send(r + 1))
    return out


def ping(log, n):
    for i in range(n):
        log.append("ping" + str(i))
        yield


def pong(log, n):
    while n:
        log.append("pong" + str(n))
        n -= 1
        yield


def m4():
    log = ["x"]
    d = {"a": ping(log, 2), "b": pong(log, 3)}
    done = 0
    while done < 2:
        done = 0
        for k in ("a", "b"):
            try:
                next(d[k])
            except StopIteration:
                done += 1
    return log


def pick(k):
    return up(3) if k else down(2)


def m5():
    return list(pick(True)), list(pick(False)), sum(pick(True))


def deep(k):
    if k == 0:
        yield from up(2)
    else:
        yield from down(k)


def m6():
    g = [deep(0), up(1), deep(2)]
    return [list(x) for x in g]


def unbound(n):
    if n:
        z = 1
    yield 0
    yield z


def g14():
    g = unbound(0)
    next(g)
    try:
        return next(g)
    except UnboundLocalError:
        return -5


class Queue:
    def __init__(self):
        self.items = [5, 6, 7]

    def __iter__(self):
        for x in self.items:
            yield x

    def pairs(self):
        for i, x in enumerate(self.items):
            yield i, x


def g2():
    q = Queue()
    it = iter(q)
    a = next(it)
    out = []
    for i, x in q.pairs():
        out.append(i * x)
    return a, list(it), out, list(zip(q, q.pairs())), dict(q.pairs()), max(q), 6 in q.items


def control():
    on = False
    while True:
        cmd = yield on
        if cmd == "on":
            on = True
        elif cmd == "off":
            on = False
        elif cmd == "stop":
            return


def g19():
    g = control()
    next(g)
    out = [g.send("on"), g.send("x"), g.send("off")]
    try:
        g.send("stop")
    except StopIteration:
        out.append(True)
    return out
