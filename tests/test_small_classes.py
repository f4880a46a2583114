# SPDX-License-Identifier: BSD-3-Clause
"""Programs as people write them: small classes with operators, and what may be None."""

from __future__ import annotations

import copy
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest

import swathe


class Vec(NamedTuple):
    x: float
    y: float
    z: float

    def __add__(self, b):
        return Vec(self.x + b.x, self.y + b.y, self.z + b.z)

    def __sub__(self, b):
        return Vec(self.x - b.x, self.y - b.y, self.z - b.z)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k, self.z * k)

    def dot(self, b):
        return self.x * b.x + self.y * b.y + self.z * b.z

    def norm(self):
        return self.dot(self) ** 0.5


class Ray(NamedTuple):
    start: Any
    along: Any

    def at(self, t):
        return self.start + self.along * t


class Hit(NamedTuple):
    t: float
    normal: Any


class Node(NamedTuple):
    value: int
    next: Any


def hit(centre, radius, ray):
    away = ray.start - centre
    b = away.dot(ray.along)
    under = b * b - away.dot(away) + radius * radius
    if under < 0:
        return None
    t = -b - under**0.5
    if t < 0:
        return None
    return Hit(t, (ray.at(t) - centre) * (1 / radius))


def spheres(w, h, scene):
    image = np.zeros((h, w))
    for j in swathe.prange(h):
        for i in range(w):
            d = Vec((i - w / 2) / w, (j - h / 2) / h, 1.0)
            ray = Ray(Vec(0.0, 0.0, -3.0), d * (1 / d.norm()))
            best = None
            for centre, radius in scene:
                found = hit(centre, radius, ray)
                if found is not None and (best is None or found.t < best.t):
                    best = found
            if best is not None:
                image[j, i] = max(0.0, best.normal.dot(Vec(0.5, 0.5, -0.7)))
    return image


def linked(node):
    s = 0
    while node is not None:
        s += node.value
        node = node.next
    return s


def fibonacci(n):
    memo = [None] * (n + 1)
    memo[0] = 0
    memo[1] = 1
    for i in range(2, n + 1):
        a = memo[i - 1]
        b = memo[i - 2]
        if a is not None and b is not None:
            memo[i] = a + b
    return memo


def distances(neighbours, start):
    found = [None] * len(neighbours)
    found[start] = 0
    queue = [start]
    while queue:
        u = queue.pop(0)
        for v in neighbours[u]:
            if found[v] is None:
                found[v] = found[u] + 1
                queue.append(v)
    return found


def greatest(pairs):
    d = {}
    for k, v in pairs:
        if k not in d:
            d[k] = None
        now = d[k]
        d[k] = v if now is None else max(now, v)
    return d


SCENE = [(Vec(0.0, 0.0, 0.0), 1.0), (Vec(1.0, 0.5, 1.0), 0.7)]
PROGRAMS = [
    (spheres, (40, 30, SCENE)),
    (linked, (Node(1, Node(2, None)),)),
    (fibonacci, (30,)),
    (distances, ([[1, 2], [3], [3], [], [0]], 0)),
    (greatest, ([(1, 2.5), (2, 3.5), (1, 4.5)],)),
]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("f, args", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_program(f, args, parallel):
    want = f(*copy.deepcopy(args))
    got = swathe.njit(parallel=parallel)(f)(*copy.deepcopy(args))
    if f is spheres:  # a root's last bit is another than pow()'s
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    else:
        assert repr(got) == repr(want)


class Shifted(NamedTuple):
    x: float
    y: float = 2.5
    n: int = 3
    of: Vec | None = None

    def sum(self):
        return self.x + self.y + self.n

    def __add__(self, other):
        return Shifted(self.x + other.x, n=self.n + 1)


class Derived(Shifted):
    pass


class Shared(NamedTuple):
    x: float
    parts: list = []


Plain = namedtuple("Plain", "a b c d", defaults=(None, (1, 2.0)))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (Shifted(x), Shifted(x, 1.0), Shifted(x, n=7), Shifted(y=1.0, x=x).sum()),
        lambda x: ((Shifted(x) + Shifted(1.0, 2.0)).n, Shifted(x) + Shifted(x)),
        lambda x: (Plain(x, 2), Plain(x, 2, 3), Plain(x, 2, d=(3, 4.0))),
        lambda x: (Derived(x), Derived(x, n=5).sum()),
        lambda x: (Shifted(*(x,)), Shifted(*(x, 1.0))),
        lambda x: [Shifted(float(i)) for i in range(3)],
        lambda x: Shifted(x) == Shifted(x, 2.5, 3),
    ],
)
def test_defaults_of_fields(f):
    assert repr(swathe.njit(f)(1.5)) == repr(f(1.5))


def test_wrong_defaults():
    with pytest.raises(TypeError, match="missing the argument 'x'"):
        swathe.njit(lambda x: Shifted(y=x))(1.0)
    with pytest.raises(swathe.errors.UnsupportedError, match="default of field 'parts' of Shared"):
        swathe.njit(lambda x: Shared(x))(1.0)
    assert swathe.njit(lambda x: Shared(x, [1]))(1.0) == (1.0, [1])
