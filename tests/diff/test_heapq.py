# SPDX-License-Identifier: BSD-3-Clause
"""heapq on lists, and `x[i] += y` where x[i] is a list, dict or set."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import swathe

HEAD = """
import heapq
from heapq import heappush, heappop
def free(n):
    return [n, n]
def swapped(m):
    m[0] = [9]
    return [1]
def f(n, a):
"""

BODIES = r"""
h = []; r = []\nfor k in a: heappush(h, (k * 7) % 11)\nwhile h: r.append(heappop(h))\nreturn r
h = [(k * 7) % 5 for k in a]; heapq.heapify(h); return h, heapq.heappop(h), h
h = [(k % 3, k) for k in a]; heapq.heapify(h); return [heappop(h) for _ in range(len(h))]
h = [(k % 3 * 0.5, [k]) for k in a]; return h
h = [5, 3]; heapq.heapify(h); return heapq.heapreplace(h, n), heapq.heappushpop(h, 9), h
h = [1.5]; return heapq.heappushpop(h, 0.5), heapq.heappushpop(h, n * 1.0), h
h = [1][1:]; return heapq.heappop(h)
h = [1][1:]; return heapq.heapreplace(h, n)
h = [1][1:]; return heapq.heappushpop(h, n), h
m = [[1], [2]]; m[n % 2] += [n, 4]; m[0] += (5,); m[-1] += range(n); m[0] *= 2; return m
v = [1]; m = [v, v]; m[0] += [n]; m[1] += v; return m, v, m[0] is m[1]
d = {1: [2]}; d[1] += [n]; d[1] += [x for x in a]; d[n // n] += free(n); return d
d = {1: {2}}; d[1] |= {n}; d[1] &= {n, 7}; d[1] -= {7}; d[1] ^= {n, 1}; return sorted(d[1])
d = {1: {2: 3}}; d[1] |= {n: 4}; return d
d = {1: [2]}; d[n] += [1]; return d
m = [[1]]; m[n] += [1]; return m
k = [0]; m = [[1], [2]]; m[k.pop()] += [3]; return m, k
m = [[[1]], [[2]]]; m[0][0] += [n]; m[1] += [[n]]; return m
""".strip().split("\n")


def made(body):
    text = HEAD + "    " + body.replace("\\n", "\n    ") + "\n"
    name = f"<heap {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"np": np}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def outcome(f):
    try:
        return f(3, [4, 1, 8, 2, 9, 3])
    except Exception as e:
        return f"{type(e).__name__}: {str(e).splitlines()[0]}"


@pytest.mark.parametrize("body", BODIES)
def test_as_in_python(body):
    f = made(body)
    want = outcome(f)
    for options in ({}, {"debug": True}):
        assert repr(outcome(swathe.njit(f, **options))) == repr(want)


@pytest.mark.parametrize(
    "body",
    [
        "m = [[1], [2]]; m[0] += swapped(m); return m",
        "m = [[1, 2], [2]]; m[0:1] += [[n]]; return m",
    ],
)
def test_another_in_its_place_is_refused(body):
    with pytest.raises(swathe.errors.UnsupportedError, match="give it a name first"):
        swathe.njit(made(body))(3, [1])


class Job:
    """Has an order, and is equal to itself alone."""

    def __init__(self, time, name):
        self.time = time
        self.name = name

    def __lt__(self, other):
        return self.time < other.time


SELECTED = {
    "ints": "x = [k * 7919 % 31 for k in a]; return heapq.nsmallest(n, x), heapq.nlargest(n, x)",
    "floats": "x = a / 7 % 5; return heapq.nsmallest(n, x), heapq.nlargest(n, x)",
    "strings": "x = [str(k * 7919 % 31) for k in a]; "
    "return heapq.nsmallest(n, x), heapq.nlargest(n, x)",
    "pairs": "x = [(k * 7919 % 31, str(k % 3)) for k in a]; "
    "return heapq.nsmallest(n, x), heapq.nlargest(n, set(x))",
    "by_key": "x = [(k * 7919 % 31, k) for k in a]; "
    "return heapq.nsmallest(n, x, key=lambda p: p[0]), heapq.nlargest(n, x, lambda p: p[0])",
    "not_ordered": "x = [{k: k * 7919 % 31} for k in a]; "
    "return heapq.nsmallest(n, x, key=lambda d: sum(d.values()))",
    "generator": "return heapq.nsmallest(n, (k % 13 for k in a)), "
    "heapq.nlargest(n, (k for k in a), key=lambda k: k % 13)",
    "instances_by_key": "x = [Job(k % 13, k) for k in a]; "
    "return [j.name for j in heapq.nsmallest(n, x, key=lambda j: Job(-j.time, 0))]",
    "instances": "x = [Job(k * 7919 % 31, k) for k in a]; "
    "return [j.name for j in heapq.nsmallest(n, x)], [j.name for j in heapq.nlargest(n, x)]",
}


@pytest.mark.parametrize("kind", SELECTED)
def test_the_first_few_of_many(kind):
    """Of equals those that stand first; of what has no order the ones that a heap comes to."""
    f = made(SELECTED[kind])
    f.__globals__["Job"] = Job
    g = swathe.njit(f)
    for size in (0, 1, 7, 8, 9, 16, 40, 200):
        for n in (-1, 0, 1, 2, 3, 5, 25, 26, 300):
            a = np.arange(size)
            assert repr(g(n, a)) == repr(f(n, a)), (size, n)


def test_the_list_stays_as_it_is():
    f = made("x = list(a); r = heapq.nsmallest(2, x); s = heapq.nlargest(2, x, key=abs); return x")
    assert swathe.njit(f)(0, np.arange(40)) == list(range(40))
