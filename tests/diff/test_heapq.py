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
