"""Containers that are made with instances of one class, and given those of others later."""

from __future__ import annotations

import heapq
from collections import OrderedDict, defaultdict, deque

import pytest

from swathe import njit


class A:
    def __init__(self, n):
        self.n = n
        self.of = []

    def val(self):
        return self.n * 10


class B(A):
    def __init__(self, n, k):
        super().__init__(n)
        self.k = k

    def val(self):
        return self.n + self.k


class C(A):
    def val(self):
        return -self.n


class Box:
    def __init__(self, a):
        self.a = a
        self.items = [a]


class Link:
    def __init__(self, to):
        self.to = to
        to.of.append(self)

    def end(self):
        return self.to


class Far(Link):
    def __init__(self, to, far):
        super().__init__(to)
        self.far = far

    def end(self):
        return self.far


def pick(n):
    return A(n) if n % 2 else B(n, 5)


def dict_display(n):
    d = {"a": A(1)}
    for i in range(n):
        d[str(i)] = pick(i)
    return [x.val() for x in d.values()]


def dict_call(n):
    d = dict(a=A(1))
    for i in range(n):
        d[str(i)] = pick(i)
    return [x.val() for x in d.values()]


def dict_pairs(n):
    d = dict([("a", A(1))])
    for i in range(n):
        d[str(i)] = pick(i)
    return [x.val() for x in d.values()]


def odict(n):
    d = OrderedDict([("a", A(1))])
    for i in range(n):
        d[str(i)] = pick(i)
    return [x.val() for x in d.values()]


def deq_pairs(n):
    q = deque([(0, A(1))])
    for i in range(n):
        q.append((i, pick(i)))
    q.appendleft((7, C(3)))
    return [x.val() + k for k, x in q]


def list_pairs(n):
    q = [(0, A(1))]
    for i in range(n):
        q.append((i, pick(i)))
    return [x.val() + k for k, x in q]


def list_fn(n):
    q = list((A(1),))
    for i in range(n):
        q.append(pick(i))
    return [x.val() for x in q]


def list_mul(n):
    q = [A(1)] * n
    for i in range(n):
        q[i] = pick(i)
    return [x.val() for x in q]


def list_none(n):
    q = [None] * n
    for i in range(n):
        q[i] = pick(i)
    return [x.val() for x in q if x is not None]


def comp(n):
    q = [A(i) for i in range(n)]
    for i in range(n):
        q[i] = pick(i)
    q += [B(1, 2)]
    q.insert(0, C(4))
    return [x.val() for x in q]


def heap(n):
    q = [(5, 0, A(1))]
    for i in range(n):
        heapq.heappush(q, (i % 3, i + 1, pick(i)))
    return [heapq.heappop(q)[2].val() for _ in range(len(q))]


def ddict(n):
    d = defaultdict(list)
    d[0].append(A(1))
    for i in range(n):
        d[i % 2].append(pick(i))
    return {k: [x.val() for x in v] for k, v in d.items()}


def ddict_given(n):
    d = {0: [A(1)]}
    for i in range(n):
        d.setdefault(i, [A(i)]).append(pick(i))
    return {k: [x.val() for x in v] for k, v in d.items()}


def nested(n):
    g = [[A(1)], [A(2)]]
    for i in range(n):
        g[i % 2].append(pick(i))
    g.append([C(1)])
    return [[x.val() for x in r] for r in g]


def field(n):
    b = Box(A(1))
    for i in range(n):
        b.a = pick(i)
        b.items.append(pick(i))
    return b.a.val(), [x.val() for x in b.items]


def fieldq(n):
    b = Box(A(1))
    q = deque(b.items)
    for i in range(n):
        q.append(pick(i))
    return [x.val() for x in q], [x.val() for x in b.items]


def slices(n):
    q = [A(1), A(2), A(3)]
    q[1:2] = [pick(i) for i in range(n)]
    q.extend(pick(i) for i in range(n))
    return [x.val() for x in q]


def tup(n):
    t = (A(1),)
    for i in range(n):
        t += (pick(i),)
    return [x.val() for x in t]


def var(n):
    x = A(1)
    r = []
    for i in range(n):
        r.append(x.val())
        x = pick(i)
    return r, x.val()


def sort(n):
    q = sorted([A(3), A(1)], key=lambda a: a.n)
    for i in range(n):
        q.append(pick(i))
    q.sort(key=lambda a: a.val())
    return [x.val() for x in q], max(q, key=lambda a: a.val()).val()


def gen(n):
    def g():
        yield A(1)
        for i in range(n):
            yield pick(i)

    q = list(g())
    q.append(C(3))
    return [x.val() for x in q]


def closure(n):
    cur = A(1)

    def set_(i):
        nonlocal cur
        cur = pick(i)

    r = []
    for i in range(n):
        set_(i)
        r.append(cur.val())
    return r


def dget(n):
    d = {"a": A(1)}
    r = []
    for i in range(n):
        x = d.get("b", B(i, 1))
        r.append(x.val())
        d["b"] = C(i) if i > 1 else A(i)
    return r


def rev(n):
    q = deque([A(1)], maxlen=3)
    q.extend([pick(i) for i in range(n)])
    q.extendleft(deque([C(9)]))
    return [x.val() for x in q]


def opt(n):
    best = None
    for i in range(n):
        p = pick(i)
        if best is None or p.val() > best.val():
            best = p
    return best.val() if best else None


def linked(n):
    first = Link(A(7))
    todo = deque([first])
    for i in range(n):
        Far(first.to, A(i))
    k = []
    while todo and len(k) < 9:
        c = todo.popleft()
        k.append((c.end().val(), type(c).__name__))
        for d in first.to.of:
            if d is not c:
                todo.append(d)
    return k


FORMS = [
    v
    for k, v in list(globals().items())
    if getattr(v, "__module__", "") == __name__ and not isinstance(v, type) and k != "pick"
]


@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_one_class_and_then_another(f):
    made = njit(f)
    for n in (4, 1, 0):
        assert made(n) == f(n)
