# SPDX-License-Identifier: BSD-3-Clause
"""What classes of people's programs do by Python's protocols: context managers that ask which
exception it is, cached properties, iterators of their own, items by ints and by slices, tables of
functions that a class has. All against CPython."""

import copy
import inspect
import textwrap

import pytest
from live_memory import live

import swathe
from swathe.errors import CompileError

HEAD = """
import functools, math, operator
from dataclasses import dataclass, field
from functools import cached_property
import numpy as np
from swathe import jitclass, njit
"""


def define(tmp_path, name, text, compiled):
    """The module of a program, compiled or plain."""
    path = tmp_path / f"{name}_{compiled}.py"
    path.write_text(HEAD + textwrap.dedent(text))
    was, swathe.config.DISABLE_JIT = swathe.config.DISABLE_JIT, not compiled
    try:
        ns = {"__name__": path.stem, "__file__": str(path)}
        exec(compile(path.read_text(), str(path), "exec"), ns)
        return ns
    finally:
        swathe.config.DISABLE_JIT = was


def outcome(f, args):
    try:
        v = f(*copy.deepcopy(args))
    except CompileError:
        raise
    except Exception as e:
        return type(e).__name__, str(e.args[0]).split("\n")[0] if e.args else ""
    return v


def same(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def check(tmp_path, text, calls):
    plain, compiled = (define(tmp_path, "program", text, c) for c in (False, True))
    for args in calls:
        want = outcome(plain["f"], args)
        for _ in range(2):
            got = outcome(compiled["f"], args)
            assert same(got, want), (args, got, want)
    before = live()
    outcome(compiled["f"], calls[0])
    assert live() == before


MANAGER = """
class Manager:
    def __init__(self):
        self.log = []

    def __enter__(self):
        return self

    def __exit__(self, et, ev, tb):
        {body}

class Own(ValueError):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code

class Late(KeyError):
    pass

@njit
def f(n):
    m = Manager()
    with m as x:
        x.log.append(n)
        if n == 1: raise ValueError("one")
        if n == 2: raise KeyError("two")
        if n == 3: raise Late("three")
        if n == 4: raise IndexError("four")
        {own}
        if n == 6: return -1, m.log
        x.log.append(-n)
    return n, m.log
"""
EXITS = (
    "return et is ValueError",
    "return et is not None and et is not ValueError",
    "return et == KeyError",
    "return ValueError == et",
    "return et != KeyError and et is not None",
    "return et in (ValueError, IndexError)",
    "return et is not None and et not in (ValueError, IndexError)",
    "return et is not None and issubclass(et, LookupError)",
    "return et is not None and issubclass(et, (Late, ValueError))",
    "return isinstance(ev, ValueError)",
    "return isinstance(ev, (IndexError, Late))",
    "return et",
    "return ev is not None",
    "self.log.append(0 if et is None else 1)",
    "if et is not None and issubclass(et, KeyError):\n            self.log.append(7)\n"
    "            return True\n        return False",
)
TEXTS = (
    "if et is not None:\n            self.log.append(len(et.__name__))\n        return True",
    "return ev is not None and str(ev) == 'one'",
    "if ev is not None:\n            self.log.append(len(f'{et.__name__}: {ev}'))\n"
    "        return isinstance(ev, LookupError)",
)


@pytest.mark.parametrize("body", EXITS)
def test_exit_by_class(tmp_path, body):
    text = MANAGER.format(body=body, own="if n == 5: raise Own(3, 'five')")
    check(tmp_path, text, [(n,) for n in range(7)])


@pytest.mark.parametrize("body", TEXTS)
def test_exit_by_text(tmp_path, body):
    check(tmp_path, MANAGER.format(body=body, own="pass"), [(n,) for n in range(7)])


CAUGHT = """
class Own(ValueError):
    def __init__(self, code):
        self.code = code

def kind(e):
    return 1 if isinstance(e, KeyError) else 2 if isinstance(e, LookupError) else 3

@njit
def f(n):
    try:
        if n == 1: raise ValueError("x")
        if n == 2: raise KeyError("x")
        if n == 3: raise IndexError("x")
        if n == 4: [1][n]
    except Exception as e:
        return {what}
    return None
"""
ASKED = (
    "isinstance(e, ValueError)",
    "isinstance(e, (KeyError, ValueError))",
    "type(e) is KeyError",
    "type(e) is not KeyError, type(e) == LookupError, type(e) in (ValueError, IndexError)",
    "issubclass(type(e), LookupError), type(e).__name__",
    "kind(e)",
    "isinstance(3, ValueError), isinstance(e, Exception)",
)


@pytest.mark.parametrize("what", ASKED)
def test_caught(tmp_path, what):
    check(tmp_path, CAUGHT.format(what=what), [(n,) for n in range(5)])


@pytest.mark.parametrize("what", ["str(type(e))", "type(e) is n", "f'{type(e)}'", "type(type(e))"])
def test_caught_refused(tmp_path, what):
    f = define(tmp_path, "refused", CAUGHT.format(what=what), True)["f"]
    with pytest.raises(CompileError, match="line 1[0-9]|line 2[0-9]"):
        f(1)


PROGRAMS = {
    "cached_property": (
        """
        class Stats:
            def __init__(self, xs):
                self.xs = xs
                self.calls = 0

            @cached_property
            def mean(self):
                self.calls += 1
                return sum(self.xs) / len(self.xs)

            @cached_property
            def var(self):
                return sum((x - self.mean) ** 2 for x in self.xs) / len(self.xs)

            @property
            def std(self):
                return math.sqrt(self.var)

            @functools.cached_property
            def label(self):
                return f"n={len(self.xs)}"

            @cached_property
            def maybe(self):
                return None if len(self.xs) > 2 else self.xs[0]

            @cached_property
            def bad(self):
                raise ValueError("too long")

        class Other(Stats):
            @cached_property
            def mean(self):
                return -1.0

        @njit
        def f(xs):
            s, o = Stats(xs), Other(xs)
            a = s.mean, s.mean, s.calls, s.std, s.label + "!", s.maybe, s.maybe is None
            b = o.mean, o.var, o.calls
            s.mean = 10.0
            try:
                s.bad
            except ValueError as e:
                return a, b, s.mean, str(e)
            return a, b, s.mean, ""
        """,
        [([1.0, 2.0, 4.0],), ([3.0],), ([],)],
    ),
    "cached_property_of_objects": (
        """
        class Stats:
            def __init__(self, xs):
                self.xs = xs
                self.calls = 0

            @cached_property
            def mean(self):
                self.calls += 1
                return sum(self.xs) / len(self.xs)

        @njit
        def means(ss):
            return [s.mean for s in ss], sum(s.calls for s in ss)

        def f(xs):
            ss = [Stats(xs), Stats([1.0]), Stats(xs)]
            ss[1].mean
            before = [sorted(vars(s)) for s in ss]
            a, b = means(ss), means(ss)
            return before, a, b, [sorted(vars(s)) for s in ss], ss[0].mean, ss[0].calls
        """,
        [([1.0, 2.0],)],
    ),
    "cached_property_of_jitclass": (
        """
        @jitclass
        class Square:
            def __init__(self, n):
                self.n = n
                self.calls = 0

            @cached_property
            def area(self) -> int:
                self.calls += 1
                return self.n * self.n

        @njit
        def make(n):
            return Square(n)

        def f(n):
            s, t = make(n), Square(n + 1)
            return s.area, s.area, s.calls, t.area, t.area, t.calls
        """,
        [(3,)],
    ),
    "cached_property_of_dataclass": (
        """
        @dataclass
        class P:
            x: float
            y: float
            asked: list[int] = field(default_factory=list)

            @cached_property
            def norm(self):
                self.asked.append(1)
                return math.hypot(self.x, self.y)

        @njit
        def f(x):
            p = P(x, 4.0)
            return p.norm * p.norm, len(p.asked), p == P(x, 4.0, [1]), repr(p)
        """,
        [(3.0,)],
    ),
    "iterators": (
        """
        class Countdown:
            def __init__(self, n):
                self.n = n

            def __iter__(self):
                return self

            def __next__(self):
                if self.n <= 0:
                    raise StopIteration
                self.n -= 1
                return self.n + 1

        class Chain:
            def __init__(self, *its):
                self.its = its

            def __iter__(self):
                for it in self.its:
                    yield from it

        @njit
        def f(n):
            c, d = Countdown(n), Countdown(n)
            z = list(zip(c, "abcdefg"))
            rest = next(c, -1), next(c, -1)
            k = 0
            for v in d:
                k += v
                if v == 2:
                    break
            return (z, rest, k, list(d), {x: y for x, y in enumerate(Countdown(n))},
                    sum(Countdown(n)), max(Countdown(n + 1)), [*Countdown(n)], 2 in Countdown(n),
                    sorted(Countdown(n)), list(Chain([1, 2], [3])),
                    list(zip(Countdown(n), Countdown(2))),
                    list(map(lambda x: x * 2, Countdown(n))), list(zip(d, d)))
        """,
        [(4,), (2,), (1,), (0,)],
    ),
    "zip_of_one_iterator": (
        """
        class Naturals:
            def __init__(self):
                self.k = 0

            def __iter__(self):
                return self

            def __next__(self):
                self.k += 1
                return self.k

        @njit
        def f(n):
            it = Naturals()
            pairs = []
            for a, b in zip(it, it):
                pairs.append((a, b))
                if len(pairs) >= n:
                    break
            return pairs, next(it), it.k
        """,
        [(3,), (1,)],
    ),
    "reversed": (
        """
        class R:
            def __init__(self, n):
                self.n = n

            def __len__(self):
                return self.n

            def __getitem__(self, i):
                if isinstance(i, slice):
                    return [k * 2 for k in range(self.n)][i]
                if i < 0:
                    i += self.n
                if i >= self.n:
                    raise IndexError(i)
                return i * 2

            def __reversed__(self):
                for k in range(self.n - 1, -1, -1):
                    yield k * 2

        class L:
            def __init__(self, xs):
                self.xs = xs

            def __reversed__(self):
                return iter(self.xs[::-1])

        @njit
        def f(n):
            r, l = R(n), L([1.5] * n + [2.5])
            total = 0
            for x in reversed(r):
                total = total * 3 + x
            return (list(reversed(r)), total, r[1:3], r[-1], r[::2], [x for x in r],
                    list(reversed(l)))
        """,
        [(5,), (2,), (1,), (0,)],
    ),
    "items": (
        """
        class W:
            def __init__(self, xs):
                self.data = list(xs)

            def __getitem__(self, i):
                return self.data[i]

            def __setitem__(self, i, v):
                self.data[i] = v

            def get(self, i):
                return self.data[i]

        @njit
        def f(n):
            w = W([1, 2, 3, 4])
            w[0] = 9
            w[1:3] = [7] * n
            s = slice(1, None)
            return w[0], w[1:], w[s], w.get(2), w.get(s), w[-1], [w[i] for i in range(2)], w[n]
        """,
        [(3,), (1,), (2,), (9,)],
    ),
    "contains_in_generator": (
        """
        class Grid:
            def __init__(self, n):
                self.n = n

            def __contains__(self, p):
                return 0 <= p[0] < self.n and 0 <= p[1] < self.n

            def near(self, p):
                for d in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                    q = (p[0] + d[0], p[1] + d[1])
                    if q in self:
                        yield q

            def count(self, s):
                todo, seen = [s], {s}
                while todo:
                    for q in self.near(todo.pop()):
                        if q not in seen:
                            seen.add(q)
                            todo.append(q)
                return len(seen)

        @njit
        def f(n):
            g = Grid(n)
            return list(g.near((0, 0))), g.count((0, 0)), (n, n) in g
        """,
        [(3,), (1,)],
    ),
    "tables": (
        """
        class Calc:
            OPS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": operator.mul}

            def __init__(self):
                self.stack = []

            def eval(self, text):
                for tok in text.split():
                    if tok in self.OPS:
                        b = self.stack.pop()
                        a = self.stack.pop()
                        self.stack.append(self.OPS[tok](a, b))
                    else:
                        self.stack.append(float(tok))
                return self.stack.pop()

        @njit
        def f(t):
            return Calc().eval(t), Calc.OPS["*"](2, 3), len(Calc.OPS)
        """,
        [("3 4 + 2 *",), ("1 2 -",), ("+",)],
    ),
    "map_of_computed": (
        """
        class Adder:
            def __init__(self, k):
                self.k = k
                self.n = 0

            def __call__(self, x):
                self.n += 1
                return x + self.k * self.n

        def adder(k):
            return lambda x: x + k

        TABLE = {"a": abs, "b": lambda x: -x}

        @njit
        def f(n):
            xs = range(-2, n)
            return (list(map(Adder(3), xs)), list(filter(Adder(-1), xs)), sum(map(adder(2), xs)),
                    list(map(Adder(1), filter(adder(1), xs))), [*map(TABLE["b"], xs)])
        """,
        [(3,), (-2,)],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(tmp_path, name):
    text, calls = PROGRAMS[name]
    check(tmp_path, inspect.cleandoc(text) + "\n", calls)


def test_table_changes(tmp_path):
    text = PROGRAMS["tables"][0]
    ns = define(tmp_path, "changes", inspect.cleandoc(text) + "\n", True)
    assert ns["f"]("3 4 +")[0] == 7
    ns["Calc"].OPS["+"] = lambda a, b: a * 10 + b
    assert ns["f"]("3 4 +")[0] == 34
    ns["Calc"].OPS = {"+": lambda a, b: b, "*": lambda a, b: 0}
    assert ns["f"]("3 4 +") == (4, 0, 2)


def test_issubclass(tmp_path):
    text = """
    class A:
        def __init__(self, x):
            self.x = x

    class B(A):
        def double(self):
            return self.x * 2

    @njit
    def f():
        return issubclass(B, A), issubclass(A, B), issubclass(B, (A, B)), issubclass(A, A)
    """
    check(tmp_path, text, [()])


# ---- `in` of what has no more than a __getitem__


class Places:
    def __init__(self, n):
        self.of = [i * 3 for i in range(n)]

    def __len__(self):
        return len(self.of)

    def __getitem__(self, i):
        return self.of[i]


class PlacesGone(Places):
    def __iter__(self):
        yield 1
        yield 2


class PlacesHeld(Places):
    def __contains__(self, x):
        return x == 77


class ByKey:
    def __init__(self):
        self.of = {0: 5, 1: 6}

    def __getitem__(self, k):
        return self.of[k]


def searched(n):
    d, g, h = Places(n), PlacesGone(n), PlacesHeld(n)
    a = 3 in d, 4 in d, 6 not in d, 77 in d
    b = 3 in g, 2 in g, 1 not in g
    c = 3 in h, 77 in h
    return a, b, c, [k for k in range(9) if k in d], 6 in ByKey()


def searched_beyond(n):
    return n in ByKey()


def test_places_are_searched_one_by_one():
    for n in (0, 1, 3):
        assert swathe.njit(searched)(n) == searched(n)
    with pytest.raises(KeyError, match="2"):
        swathe.njit(searched_beyond)(9)
