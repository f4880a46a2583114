# SPDX-License-Identifier: BSD-3-Clause
"""`a[i], b[j] = b[j], a[i]` of references: what is referred to, how often, and what that costs."""

import re

import numpy as np
import pytest
from live_memory import live

from swathe import jitclass, njit


@jitclass
class Job:
    t: float
    k: int

    def __init__(self, t, k):
        self.t = t
        self.k = k

    def __lt__(self, other):
        return self.t < other.t


@jitclass
class Pair:
    a: Job
    b: Job

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def turn(self):
        self.a, self.b = self.b, self.a


def shuffle(n, at):
    q = [Job(i * 1.0, i) for i in range(n)]
    for i in range(n):
        j = at[i]
        q[i], q[j] = q[j], q[i]
    return [x.k for x in q]


def wshuffle(n, at):
    q = [Job(i * 1.0, i) for i in range(n)]
    i = 0
    while i < n:
        j = int(at[i])
        q[j], q[i] = q[i], q[j]
        i += 1
    return [x.k for x in q]


def same(n, at):
    q = [Job(i * 1.0, i) for i in range(n)]
    for i in range(n):
        q[i], q[i] = q[i], q[i]
    for i in range(n - 1):
        q[i], q[i + 1] = q[i], q[i + 1]
    return [x.k for x in q]


def two(n, at):
    q = [Job(i * 1.0, i) for i in range(n)]
    p = [Job(-i * 1.0, -i) for i in range(n)]
    p[0] = q[0]
    for i in range(n):
        q[i], p[at[i]] = p[at[i]], q[i]
    q.pop()
    p.pop(0)
    return [x.k for x in q], [x.k for x in p]


def rot(n, at):
    q = [Job(i * 1.0, i) for i in range(n)]
    for i in range(n - 2):
        q[i], q[i + 1], q[i + 2] = q[i + 1], q[i + 2], q[i]
    return [x.k for x in q]


def temp(n, at):
    q = [Job(i * 1.0, i) for i in range(n)]
    t = q[0]
    for i in range(n - 1):
        t = q[i]
        q[i] = q[i + 1]
        q[i + 1] = t
    q = q[:1]
    return t.k, [x.k for x in q]


def fields(n, at):
    p = Pair(Job(1.0, 1), Job(2.0, 2))
    for i in range(n):
        p.turn()
    x = p.a
    p.a, p.b = p.b, p.a
    p.a = x
    return p.a.k, p.b.k, x.k


def nested(n, at):
    q = [[i, i + 1] for i in range(n)]
    for i in range(n):
        j = at[i]
        q[i], q[j] = q[j], q[i]
    return q


def opt(n, at):
    q = [Job(i * 1.0, i) if i % 3 else None for i in range(n)]
    for i in range(n):
        j = at[i]
        q[i], q[j] = q[j], q[i]
    return [-1 if x is None else x.k for x in q]


def raising(n, at):
    q = [Job(i * 1.0, i) for i in range(n)]
    for i in range(n + 1):
        q[i], q[i + 1] = q[i + 1], q[i]
    return 1


def strs(n, at):
    q = [str(i) for i in range(n)]
    for i in range(n):
        j = at[i]
        q[i], q[j] = q[j], q[i]
    return q


def bubble(n, at):
    q = [Job(float(at[i]), i) for i in range(n)]
    for i in range(n):
        for j in range(n - 1 - i):
            if q[j + 1] < q[j]:
                q[j], q[j + 1] = q[j + 1], q[j]
    return [x.k for x in q]


PROGRAMS = [
    shuffle, wshuffle, same, two, rot, temp, fields, nested, opt, raising, strs, bubble,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f):
    made, rng = njit(f), np.random.default_rng(5)
    for n in (3, 8, 40):
        at = rng.integers(0, n, n)
        if f is raising:
            want = IndexError
        else:
            want = f(n, at)
        for _ in range(2):
            before = live()
            if want is IndexError:
                with pytest.raises(IndexError):
                    made(n, at)
            else:
                assert made(n, at) == want
        assert live() == before


def turned(p, n):
    for _ in range(n):
        p.turn()
    return p.a.t


def moved(p, n):
    for _ in range(n):
        p.a = p.b
    return p.a.t


def test_an_exchange_counts_nothing():
    texts = {}
    for f in (turned, moved):
        made = njit(f)
        made(Pair(Job(1.0, 1), Job(2.0, 2)), 3)
        (texts[f],) = made.inspect_llvm().values()
    call = r"call void @sw_re(tain|lease)\("
    assert re.search(call, texts[moved]) and not re.search(call, texts[turned])
