# SPDX-License-Identifier: BSD-3-Clause
"""Classes that declare no fields, of unlike values in one program, against CPython; operators that
the right operand has, whose operands are made where they stand; text under the name of a file."""

import dataclasses
import functools
import subprocess
import sys

import numpy as np
import pytest

from swathe import njit


class Box:
    def __init__(self, v, note=None):
        self.v = v
        self.note = note

    def get(self):
        return self.v

    def both(self, other):
        return self.v, other.v

    def __repr__(self):
        return f"Box({self.v!r})"


class Node:
    def __init__(self, val, nxt=None):
        self.val = val
        self.nxt = nxt


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)
        return self

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)


class Pipe:
    def __init__(self, *fs):
        self.fs = fs

    def then(self, f):
        return Pipe(*self.fs, f)

    def run(self, x):
        for f in self.fs:
            x = f(x)
        return x


class Adder:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x + self.k


def double(x):
    return 2 * x


def make(v):
    return Box(v)


def in_two_calls():
    return Box(1).get(), Box("a").get()


def in_lists():
    xs, ys = [Box(1), Box(2)], [Box("a")]
    return sum(x.v for x in xs), ys[0].v


def by_a_function():
    a, b, c, d = make(1), make("x"), make([1.5]), make(v=(1, "z"))
    return a.v, b.v, c.v[0], d.v[1]


def by_name():
    a, b = Box(v=3, note="n"), Box(note=4, v="w")
    return a.v, a.note, b.v, b.note


def in_each_other():
    return Box(Box(Box(2.5))).v.v.v, Box(Box("a")).v.v


def meet_in_a_method():
    return Box(1).both(Box("b")), Box("a").both(Box(2))


def returned():
    return Box(1), Box("a"), Box([1, 2])


def changed_later():
    a, b = Box(1), Box("a")
    for i in range(4):
        a.v += i
        b.v += str(i)
    return a.v, b.v


def arrays(x):
    a, b, c = Box(x), Box(x.sum()), Box("s")
    a.v[0] = 9
    return a.v.sum(), b.v, c.v


def chains():
    a, b = Node(1, Node(2, Node(3))), Node("x", Node("y"))
    n, s, t = a, 0, ""
    while n is not None:
        s += n.val
        n = n.nxt
    m = b
    while m is not None:
        t += m.val
        m = m.nxt
    return s, t


def grown_chains(n):
    a = b = None
    for i in range(n):
        a = Node(i, a)
        b = Node(str(i), b)
    total, text = 0, ""
    while a is not None and b is not None:
        total, text = total + a.val, text + b.val
        a, b = a.nxt, b.nxt
    return total, text


def stacks():
    s, t, u = Stack(), Stack(), Stack()
    s.push(1).push(2)
    t.push("a").push("b")
    u.push((1, "c"))
    return s.pop(), t.pop(), u.pop(), len(s), len(t), len(u)


def stacks_in_loops(n):
    s, t = Stack(), Stack()
    for i in range(n):
        s.push(i)
        t.push(str(i))
        if i % 3 == 2:
            s.pop()
    return len(s), len(t), s.pop(), t.pop()


def pipes(x):
    p = Pipe()
    for _ in range(3):
        p = p.then(double)
    return p.run(x), Pipe(double).then(double).then(Adder(1)).run(x)


PROGRAMS = [
    (in_two_calls, ()), (in_lists, ()), (by_a_function, ()), (by_name, ()), (in_each_other, ()),
    (meet_in_a_method, ()), (returned, ()), (changed_later, ()), (chains, ()), (stacks, ()),
    (pipes, (5,)), (grown_chains, (0,)), (grown_chains, (5,)), (stacks_in_loops, (9,)),
    (arrays, (np.arange(4.0),)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_programs(f, args):
    compiled = njit(f)
    for _ in range(2):
        want = f(*[a.copy() if isinstance(a, np.ndarray) else a for a in args])
        got = compiled(*[a.copy() if isinstance(a, np.ndarray) else a for a in args])
        assert repr(got) == repr(want)


def test_what_never_compiles_says_why_as_before():
    def f():
        return Box(1).v + Box("a").v

    with pytest.raises(TypeError, match="Box|unsupported operand"):
        njit(f)()


class Left:
    def __init__(self, a):
        self.a = a

    def __add__(self, o):
        return Left(self.a + o.a) if isinstance(o, Left) else NotImplemented

    def __lt__(self, o):
        return NotImplemented if not isinstance(o, Left) else self.a < o.a


class Right:
    def __init__(self, a):
        self.a = a

    def __radd__(self, o):
        return o.a * 100 + self.a

    def __gt__(self, o):
        return 7


def noted(log, cls, k):
    log.append(k)
    return cls(k)


def operators():
    log = [0]
    r = Left(1) + Right(3), Left(1) < Right(2), (Left(1) + Left(2)).a
    s = noted(log, Left, 4) + noted(log, Right, 5), noted(log, Left, 6) < noted(log, Right, 7)
    return r, s, log


def test_reflected_operators_of_operands_made_in_place():
    assert njit(operators)() == operators()


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: int

    @functools.cached_property
    def square(self):
        return self.a * self.a


def test_cached_property_of_a_frozen_class():
    def f():
        x = Frozen(3)
        return x.square + x.square

    def g():
        x = Frozen(3)
        x.square = 4
        return x.square

    assert njit(f)() == 18
    with pytest.raises(AttributeError, match="square"):
        njit(g)()


COMPILED = """
import numba, sys
import numba.core.serialize
text = "def f(x):\\n    return x + 2\\n"
scope = {}
exec(compile(text, __file__, "single"), scope)
assert numba.njit(scope["f"])(3) == 5
scope = {}
exec(compile(text.replace("2", "4"), __file__, "exec"), scope)
assert numba.njit(scope["f"])(3) == 7


@numba.njit(["float64(float64[:,:])", "float64(int64[:,:])"])
def total(x):
    return x.sum()


@numba.njit(["float64(float64[:])"])
def windows(x):
    return total(numba_as_strided(x, (3, 2), (8, 8)))


@numba.njit(["float64(float64[:,:])"])
def stores(x):
    x[0, 0] = 1
    return x[0, 0]
"""


def test_text_under_the_name_of_a_file_and_views_for_signatures(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from numpy.lib.stride_tricks import as_strided as numba_as_strided\n"
        + COMPILED
        + "import numpy as np\nassert windows(np.arange(4.0)) == 9\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "swathe.compat", "numba", str(program)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
