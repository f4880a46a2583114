# SPDX-License-Identifier: BSD-3-Clause
"""What classes have besides fields and methods of an instance: values, static and class methods, of
compiled classes, classes of named tuples and enums."""

import enum
import math
import typing
from collections import Counter, defaultdict, deque
from typing import DefaultDict, Dict, List

import numpy as np
import pytest

import swathe
from swathe import jitclass, njit

TABLE = np.arange(3.0)


@jitclass
class Holder:
    NAMES = (1, 2, 3)
    MIXED = (1, 2.5, ("a", (7,)))
    EMPTY = ()
    LIST = [1, 2]  # noqa: RUF012
    TEXT = "hello"
    ARRAY = TABLE
    x: int

    def __init__(self, x):
        self.x = x

    def names(self):
        return self.NAMES


@jitclass
class Around:
    inner: Holder

    def __init__(self, inner):
        self.inner = inner


def _by_name(c):
    t = c.NAMES
    a, b, *rest = t
    return t, t[c.x], a + b, rest, c.NAMES == (1, 2, 3), len(t), sum(c.NAMES), max(Holder.NAMES)


def _nested(c):
    h = Around(c)
    return h.inner.NAMES, Around(Holder(2)).inner.MIXED, h.inner.names(), c.MIXED[2][1], c.EMPTY


def _kept(c):
    return [c.NAMES, (5, 6, 7)], (c.MIXED, Holder.MIXED), c.LIST, c.TEXT, c.ARRAY, c.NAMES[1:]


def _looped(c):
    s = 0
    for i in c.NAMES:
        for j in Holder.NAMES:
            s += i * j
    return s, [v * 2 for v in c.LIST]


@pytest.mark.parametrize("f", [_by_name, _nested, _kept, _looped], ids=lambda f: f.__name__)
def test_values_of_a_compiled_class(f):
    c = Holder(1)
    assert repr(njit(f)(c)) == repr(f(c))


class Vector(typing.NamedTuple):
    x: float
    y: float = 1.0
    ORIGIN = (0.0, 0.0)
    SCALE = 3
    root = math.sqrt

    def scaled(self):
        return Vector(self.x * self.SCALE, self.y * Vector.SCALE)

    @staticmethod
    def zero():
        return Vector(0.0, 0.0)

    @classmethod
    def along(cls, k, y=2.0):
        return cls(cls.SCALE * k, y)

    @staticmethod
    @njit
    def compiled(a):
        return a + 1


class Longer(Vector):
    SCALE = 5
    z = 4

    @staticmethod
    def zero():
        return Vector(-1.0, -1.0)


def _vector(v, w):
    return (
        v.SCALE, v.ORIGIN, Vector.ORIGIN, Vector.SCALE, v.scaled(), Vector.zero(), v.zero(),
        Vector.along(2), Vector.along(y=5.0, k=1), Vector.compiled(3), Vector.scaled(v),
        v.root(16.0),
        w.SCALE, w.zero(), w.z, w.scaled(), w.ORIGIN[0], v._fields,
    )  # fmt: skip


def test_values_and_methods_of_a_class_of_named_tuples():
    v, w = Vector(3.0, 4.0), Longer(1.0)
    assert repr(njit(_vector)(v, w)) == repr(_vector(v, w))


def test_what_is_not_there():
    v = Vector(1.0)
    with pytest.raises(swathe.UnsupportedError, match=r"a class method called of an instance"):
        njit(lambda v: v.along(1))(v)
    with pytest.raises(swathe.CompileError, match="has no attribute 'OTHER'"):
        njit(lambda v: v.OTHER)(v)


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def twice(self):
        return self.value * 2 if self is not Color.RED else -1

    def mixes(self, other):
        return self == other or other is Color.BLUE

    @property
    def odd(self):
        return self.value % 2 == 1

    @staticmethod
    def count():
        return 2


def _color(c):
    return c.twice(), c.odd, Color.RED.twice(), c.mixes(Color.RED), Color.count(), Color.BLUE.odd


def test_methods_of_an_enum():
    for c in Color:
        assert njit(_color)(c) == _color(c)


PROGRAM = """
from dataclasses import dataclass
from numba import njit
from numba.experimental import jitclass

@jitclass
@dataclass(order=True)
class P:
    x: float
    y: int = 2

@njit
def f(a):
    p, q = P(a), P(a, 7)
    return p == q, p == P(a), p < q, q <= p

assert f(2.0) == (False, True, True, False)
assert P(1.0) == P(1.0) and repr(P(1.0)).endswith('(x=1.0, y=2)')

# annotations are what this module says, not what another's `from __future__` does
def g(x: int): pass
assert g.__annotations__ == {"x": int}
exec("def g(x: int): pass")
assert g.__annotations__ == {"x": int}

# text that is compiled under a name of its own, also where several have one name
for k in range(3):
    text = f"from numba import njit\\n@njit\\ndef h(x): return x + {k}\\n"
    for name in ("README.md:block", "<made>"):
        space = {}
        exec(compile(text, name, "exec"), space)
        assert space["h"](1) == 1 + k
"""


def test_a_program_where_numba_is_installed(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "swathe.compat", "numba", str(program)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


@jitclass
class Grid:
    def __init__(self, h, w):
        self.w = w
        self.asked = 0
        self.data = np.zeros(h * w)

    def __getitem__(self, at):
        return self.data[at[0] * self.w + at[1]]

    def __setitem__(self, at, v):
        self.data[at[0] * self.w + at[1]] = v

    def next(self):
        self.asked += 1
        return self.asked


def _items(n):
    g = Grid(3, 4)
    both = [g, Grid(3, 4)]
    for _ in range(n):
        g[1, 2] += 5.0
        g[0, g.next() % 3] -= g[1, 2]
        both[g.next() % 2][2, 2] *= 2.0
        both[-1][2, 2] += g.next()
    return list(g.data), list(both[1].data), g.asked


def test_items_that_methods_change():
    assert njit(_items)(4) == _items(4)


# ---- fields whose annotation names what their container derives from


class Linked:
    def __init__(self):
        self.to: Dict[str, List[str]] = defaultdict(list)
        self.far: "dict[str, Dict[str, float]]" = defaultdict(dict)
        self.n: Dict[str, int] = Counter()
        self.last: List[int] = deque()
        self.same: DefaultDict[str, int] = defaultdict(int)

    def add(self, u, v):
        self.to[u].append(v)
        self.far[u][v] = len(v) / 2
        self.n[v] += 1
        self.last.appendleft(len(u))
        self.same[u] += 1


def linked(names):
    g = Linked()
    for u in names:
        g.add(u, u + "x")
    far = sorted((k, sorted(v.items())) for k, v in g.far.items())
    return sorted(g.to.items()), far, g.n.most_common(1), list(g.last), g.same["none"], len(g.same)


def test_annotations_that_name_a_base_of_the_container():
    for names in (["a", "bc", "a"], ["z"]):
        assert swathe.njit(linked)(names) == linked(names)
