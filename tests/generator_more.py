# SPDX-License-Identifier: BSD-3-Clause
"""Programs with generators: a class for each signature, iterators in tuples, `with` around a yield,
and context managers that are generators."""

# ruff: noqa: UP028, PERF402, B007, PLR2004, B904, B905, RUF005, RET503, SIM115, E741, B012, SIM117
from __future__ import annotations

from contextlib import closing, contextmanager, nullcontext, suppress
from itertools import islice


def same(xs):
    for x in xs:
        yield x


def h1():
    return dict(zip(same([1.5, 2.5]), same([1, 2])))


def h2():
    a, b, c = same([1, 2]), same(["x", "y"]), same([(1, 0.5), (2, 1.5)])
    return list(zip(a, b, c))


def h3():
    gs = [same([1, 2]), same([0.5])]  # they are of one class after all
    return [next(g) for g in gs]


def queens(n, cols=()):
    if len(cols) == n:
        yield cols
        return
    for c in range(n):
        if all(c != d and abs(c - d) != len(cols) - i for i, d in enumerate(cols)):
            yield from queens(n, cols + (c,))


def h4():
    return list(queens(4)), sum(1 for _ in queens(5))


def flatten(t):
    for x in t:
        if isinstance(x, list):
            yield from flatten(x)
        else:
            yield x


def h5():
    return list(flatten([[1, 2], [3], []])), list(flatten([[[0.5]], [[1.5], [2.5]]]))


def both(a, b):
    ia, ib = iter(a), iter(b)
    while True:
        try:
            yield next(ia), next(ib)
        except StopIteration:
            return


def h6():
    return list(both([1, 2, 3], "ab")), list(both((1.5, 2.5), [3, 4]))


def h7():
    xs = [1, 2, 3, 4, 5, 6, 7]
    t = (iter(xs),) * 3
    a, b = (v + 1 for v in xs), (w for w in xs if w > 4)
    return list(zip(*[iter(xs)] * 2)), list(zip(*t)), next(a), next(b), sum(a), list(b)


def asked(*its):
    return [next(i) for i in its]


def h8():
    def two():
        return iter([1, 2]), enumerate("ab")

    a, b = two()
    t = (a, a, iter([5, 6]))
    d = {"a": iter([7, 8])}
    return next(t[0]), next(t[1]), next(b), asked(t[2], iter([4])), next(d["a"]), next(d["a"])


class Log:
    def __init__(self, log, k=0):
        self.log = log
        self.k = k

    def __enter__(self):
        self.log.append(1)
        return self

    def __exit__(self, cls, e, tb):
        self.log.append(2 if cls is None else 3)
        return self.k == 1

    def close(self):
        self.log.append(-1)


def managed(log, k=0, fails=False):
    with Log(log, k) as c:
        yield 10 + c.k
        log.append(7)
        if fails:
            raise ValueError("inner")
        yield 20
    log.append(8)


def h9():
    log = []
    g = managed(log)
    a, b, c = next(g), next(g), next(g, -1)
    h = managed(log, 1, True)
    return a, b, c, list(managed(log)), next(h), next(h, -2), log


def h10():
    log = []
    for i in range(3):
        try:
            for x in managed(log):
                if i == 0:
                    break
                if i == 1:
                    continue
                raise KeyError(i)
        except KeyError:
            log.append(9)
    for x in managed(log, 1, True):
        log.append(x)
    return log


def h11():
    log = []
    g = managed(log)
    log.append(next(g))
    g.close()
    try:
        for x in managed(log, 0, True):
            log.append(x)
    except ValueError as e:
        log.append(len(str(e)))
    return log


def h12():
    log = []

    def first():
        for x in managed(log):
            return x
        return 0

    return first(), log


@contextmanager
def tag(log, n=3):
    log.append(n)
    try:
        yield n * 2
    except ValueError:
        log.append(55)
    finally:
        log.append(-n)


@contextmanager
def plain(log, c=True):
    log.append(1)
    if c:
        yield
    else:
        yield
    log.append(2)


@contextmanager
def uses(log):
    with Log(log) as c:
        yield c.k + 3


def h13():
    log = []
    with tag(log, 1) as a, tag(log, 2) as b:
        log.append(a + b)
    with tag(log):
        raise ValueError("x")
    try:
        with tag(log):
            raise KeyError(3)
    except KeyError:
        log.append(9)
    with plain(log), plain(log, False):
        log.append(5)
    return log


def h14():
    log = []
    for i in range(5):
        with tag(log, i) as c:
            if i == 1:
                continue
            if i == 3:
                break
            log.append(i + c)

    def out():
        with uses(log) as v:
            return v

    try:
        with uses(log):
            raise ValueError("a")
    except ValueError:
        log.append(77)
    return out(), log


def h15():
    log = []
    for i in range(3):
        with closing(Log(log)) as c:
            if i == 1:
                continue
            log.append(c.k)
    n = 0
    with suppress(ZeroDivisionError, KeyError):
        n = 1
        n = 1 // (n - 1)
        n = 5
    with nullcontext(5) as x, nullcontext() as y, nullcontext():
        return n, x, y is None, log


def h16():
    log = []
    with suppress(ValueError), tag(log, 2):
        raise TypeError("t")


def caught():
    try:
        yield "1"
        raise ValueError("x")
    except ValueError as e:
        s = str(e)
    yield s


def h17():
    g = caught()
    return next(g), next(g), next(g, "end")


class Box:
    def __init__(self, v):
        self.v = v

    def items(self, k):
        for _ in range(2):
            yield self.v, k


def h18():
    b = Box(3)
    x, y, z = b.items(1), b.items("s"), b.items(2.5)
    return next(x), next(y), next(z), list(zip(b.items(1), b.items(2.5)))


def nest(n, v):
    if n == 0:
        yield v
        return
    yield from nest(n - 1, v)
    yield from nest(n - 1, v)


def running(t):
    while True:
        x = yield t
        t = t + x


def h19():
    a, b = running(0), running("")
    next(a)
    next(b)
    sent = a.send(2), b.send("x"), a.send(3), b.send("y")
    return sent, list(zip(nest(2, 1), nest(2, 0.5), nest(2, "z")))


def mapped(f, xs):
    for x in xs:
        yield f(x)


def tuples(n, t=()):
    if n == 0:
        yield t
        return
    for i in range(2):
        yield from tuples(n - 1, t + (i,))


def h20():
    a, b = mapped(lambda v: v * 2, [1, 2]), mapped(lambda v: v + 0.5, [1, 2])
    g, h = same([1, 2, 3]), same([1.5, 2.5, 3.5])
    return list(zip(a, b)), list(tuples(2)), list(zip(islice(g, 2), h)), list(g), list(h)
