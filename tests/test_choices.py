# SPDX-License-Identifier: BSD-3-Clause
"""One of several functions as a value: in variables, lists, dicts, fields, arguments and results,
against what CPython does."""

from __future__ import annotations

import gc
import heapq
import math
import operator
from collections import deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import _core

PLACES = range(5)


def add(a, b=1):
    return a + b


def sub(a, b=1):
    return a - b


def inc(x):
    return x + 1


def dbl(x):
    return x * 2


def neg(x):
    return -x


def fails(x):
    raise ValueError("no " + str(x))


def compose(f, g):
    return lambda x: f(g(x))


def times(k):
    return lambda x: x * k


class Op:
    def __init__(self, name, fn, arity=2):
        self.name, self.fn, self.arity = name, fn, arity


class Button:
    def __init__(self, on_click=None):
        self.on_click = on_click or self.default
        self.n = 0

    def default(self):
        self.n += 1


class Bus:
    def __init__(self):
        self.handlers = [inc]
        self.total = 0

    def on(self, f):
        self.handlers.append(f)

    def fire(self, x):
        for h in self.handlers:
            self.total += h(x)


class Machine:
    def __init__(self):
        self.state = self.idle
        self.log = []

    def idle(self, c):
        self.log.append("i")
        if c == "a":
            self.state = self.run

    def run(self, c):
        self.log.append("r")
        if c == "b":
            self.state = self.idle


class Vm:
    def __init__(self):
        self.stack = []
        self.table = {"push": self.push, "add": self.add, "mul": self.mul}

    def push(self, v):
        self.stack.append(v)

    def add(self, v):
        self.stack.append(self.stack.pop() + self.stack.pop())

    def mul(self, v):
        self.stack.append(self.stack.pop() * self.stack.pop())

    def run(self, program):
        for op, v in program:
            self.table[op](v)
        return self.stack


class Layer:
    def __init__(self, w, act):
        self.w = w
        self.act = act

    def __call__(self, x):
        return self.act(x * self.w)


@dataclass
class Rule:
    name: str
    test: Callable
    score: float = 1.0


class Animal:
    def __init__(self, name):
        self.name = name

    def speak(self):
        return self.name + "?"


class Dog(Animal):
    def speak(self):
        return self.name + " woof"


class Cat(Animal):
    def speak(self):
        return self.name + " meow"


class Kennel:
    def __init__(self, cls):
        self.cls = cls
        self.all = []

    def make(self, name):
        self.all.append(self.cls(name))


P = namedtuple("P", "x y")
Q = namedtuple("Q", "a b")
OPS = {"+": add, "-": sub}
FS = [abs, dbl]


def in_expression(n):
    f = (lambda x: x + 1) if n > 2 else (lambda x: x * 2)
    return f(10), (inc if n else dbl)(4), bool(f), callable(f), callable(n)


def on_branches(n):
    if n > 2:

        def f(x):
            return x + n

    elif n == 2:
        f = abs
    else:
        f = dbl
    return f(-10) + f(1)


def with_captures(n):
    a = n * 2
    if n > 1:

        def h(x):
            return x + a
    else:

        def h(x):
            return x - a

    def k(y):
        return h(y) * 2

    return k(3), [h(i) for i in range(3)], sum(h(i) for i in range(4))


def that_may_be_none(n):
    f = None
    for i in range(n):
        f = (lambda x: x + i) if i % 2 else (lambda x: x - i)
    g = f or dbl
    return f(5) if f is not None else -1, g(7)


def swapped(n):
    f, g = inc, dbl
    t = 1
    for _ in range(n + 3):
        f, g = g, f
        t = f(t)
    return t


def step_a(s, n):
    return s + 1, step_b if s > n else step_a


def step_b(s, n):
    return s - 2, step_a if s < 3 else step_b


def that_return_the_next(n):
    s, f = 0, step_a
    for _ in range(10):
        s, f = f(s, n)
    return s


def pick(n):
    if n == 0:
        return add
    return sub


def as_results(n):
    return pick(n)(7, 3) + pick(0)(1, 1), pick(n)(b=2, a=5), pick(n)(9)


def appended(n):
    ops = []
    ops.append(add)
    ops.append(sub)
    ops.append(max)
    ops.insert(0, lambda a, b: a * b + n)
    t = 0
    for f in ops:
        t = t * 10 + f(n, 2)
    return t, len(ops), ops[-1](1, 2)


def one_appended(n):
    ops = []
    for _ in range(n):
        ops.append(add)
    return [f(n, 2) for f in ops]


def in_a_list_that_changes(n):
    fs = [inc]
    for _ in range(n):
        fs = fs + [dbl]
    fs[0] = lambda x: x * n
    fs.reverse()
    return [f(4) for f in fs], len(fs)


def beside_none(n):
    hs = [None] * 3
    hs[1] = lambda x: x + n
    hs[2] = abs
    return [h(-4) if h is not None else 0 for h in hs]


def of_closures(n):
    fs = [times(1), times(2)]
    fs.append(lambda x: x - n)
    fs.append(abs)
    return [f(-5) for f in fs]


def in_a_dict(n):
    ops = {}
    ops["+"] = add
    ops["-"] = sub
    ops["*"] = lambda a, b: a * b
    t = 0
    for c in "+-*+":
        t = t * 10 + ops[c](n, 2)
    return t, ops.get("/", max)(3, 4), ops.pop("+")(1), len(ops)


def in_tuples(n):
    rules = []
    rules.append(("even", lambda x: x % 2 == 0))
    rules.append(("big", lambda x: x > n))
    return [name for name, test in rules if test(4)]


def handlers(n):
    log = []
    table = {}

    def on(name, f):
        table.setdefault(name, []).append(f)

    on("a", lambda x: log.append(x))
    on("a", lambda x: log.append(x * 10))
    on("b", lambda x: log.append(-x))
    for e in ["a", "b", "c"][:n]:
        for f in table.get(e, []):
            f(n)
    return log


def events(n):
    log = []
    queue = []

    def on_a(t):
        log.append(("a", t))

    def on_b(t):
        log.append(("b", t))

    heapq.heappush(queue, (3, 0, on_a))
    heapq.heappush(queue, (1, 1, on_b))
    heapq.heappush(queue, (2, 2, on_a))
    while queue:
        t, _, f = heapq.heappop(queue)
        f(t)
    return log


def tasks(n):
    log = []
    todo = deque()
    todo.append(lambda: log.append("a"))
    todo.append(lambda: log.append("b"))
    todo.rotate(n)
    while todo:
        task = todo.popleft()
        task()
    return log


def ordered(n):
    key = (lambda p: p[0]) if n > 1 else (lambda p: p[1])
    xs = [(3, 1), (1, 2), (2, 0)]
    xs.sort(key=key)
    return xs, sorted(xs, key=key, reverse=True), list(map(key, xs)), max(xs, key=key)


def given_on(n):
    test = (lambda x: x % 2 == 0) if n > 1 else (lambda x: x > 3)
    op = add if n > 1 else operator.mul
    return list(filter(test, range(8))), sum(map(test, range(5))), reduce(op, [1, 2, 3, 4])


def composed(n):
    h = compose(inc, dbl) if n > 1 else compose(abs, inc)
    return h(n)


def of_unlike_results(n):
    f = (lambda x: x) if n > 1 else (lambda x: x * 0.5)
    g = (lambda x: str(x)) if n > 1 else (lambda x: None)
    return f(3.0), g(3)


def converted(n):
    conv = [int, float, abs]
    conv.append(float)
    out = ""
    for c in [str, int, float]:
        out += str(c("1"))
    return [float(c(-1.5)) for c in conv], out


def in_objects(n):
    ops = [Op("add", add), Op("mul", lambda a, b: a * b), Op("sub", sub)]
    by = {o.name: o for o in ops}
    a, b = Button(), Button(lambda: None)
    a.on_click()
    b.on_click()
    if n > 1:
        b.on_click = a.default
        b.on_click()
    return by["mul"].fn(n, 3) + by["sub"].fn(1, 2), [o.fn(2, 3) for o in ops], a.n, b.n


def library_functions_in_a_field(n):
    a, b = Op("a", neg, n), Op("b", int, 2)
    a.fn = abs
    a.fn = int
    x = a.fn(2.5)
    a.fn = lambda x: x + n
    b.fn = float if n > 1 else math.sqrt
    return x, a.fn(2.5), b.fn(4.0), a.arity, b.arity


def in_a_field_that_is_a_list(n):
    b = Bus()
    b.on(dbl)
    b.on(lambda x: x - n)
    b.fire(10)
    return b.total


def states(n):
    m = Machine()
    for c in "xaayb" * n:
        m.state(c)
    return "".join(m.log)


def virtual_machine(n):
    return Vm().run([("push", n), ("push", 3), ("add", 0), ("push", 2), ("mul", 0)])


def layers(n):
    net = [Layer(0.5, lambda x: max(x, 0.0)), Layer(-2.0, math.tanh), Layer(1.5, lambda x: x)]
    x = float(n)
    for layer in net:
        x = layer(x)
    return x


def in_a_dataclass(n):
    rules = [Rule("even", lambda x: x % 2 == 0), Rule("big", lambda x: x > 2, 2.0)]
    return sum(r.score for r in rules if r.test(n))


def of_unlike_arity(n):
    table = {}
    table["neg"] = (1, operator.neg)
    table["add"] = (2, add)
    table["sub"] = (2, lambda a, b: a - b)
    table["all"] = (3, lambda *xs: len(xs))
    stack = [1, 2, 3, 4, n]
    for name in ("add", "neg", "sub", "all"):
        arity, f = table[name]
        if arity == 1:
            stack.append(f(stack.pop()))
        elif arity == 2:
            b = stack.pop()
            stack.append(f(stack.pop(), b))
        else:
            stack.append(f(1, 2, 3))
    return stack, table["sub"][1](n)


def known_by_their_keys(n):
    made = {"int": int, "float": float}
    keys = {"len": len, "last": lambda s: s[-1]}
    words = ["bb", "a", "ccc"]
    out = [made[k](v) for k, v in [("int", "3"), ("float", "2.5")]]
    return out, sorted(words, key=keys["len"]), sorted(words, key=keys["last"])


def a_dict_that_grows(n):
    ops = {"neg": lambda x: -x, "inc": inc}
    for name in ["dbl", "abs"][:n]:
        ops[name] = dbl if name == "dbl" else abs
    ops.update({"zero": lambda x: 0})
    return {k: ops[k](-3) for k in sorted(ops)}, ops.pop("neg")(n), len(ops)


def decorated(n):
    table = {}

    def on(name):
        def register(f):
            table[name] = f
            return f

        return register

    def plus_one(f):
        def g(*args):
            return f(*args) + 1

        return g

    @on("a")
    def first(x):
        return x + n

    @on("b")
    @plus_one
    def second(x, y=2):
        return x * y

    chosen = first if n > 1 else second
    return table["a"](n), table["b"](n), first(3), second(3, 4), chosen(5), first.__name__


def compared(n):
    f = add if n > 1 else sub
    return f is add, f == sub, f is not sub, f is max, f != add, f.__name__, inc.__name__


def compared_in_others(n):
    f = inc if n > 1 else dbl
    g = inc if n > 1 else (dbl if n else None)
    fs, gs = [], []
    fs.append(inc)
    gs.append(f)
    pairs = (1, f) == (1, inc), (f, 2) != (inc, 2), fs == gs
    maybe = g is None, g == inc, g is inc, inc in gs, gs.index(f)
    fs.append(dbl)
    fs.remove(f)
    return pairs, maybe, fs[0](7)


def of_globals(n):
    t = 0
    for c in "+-+":
        t = OPS[c](t, n)
    return t, FS[n % 2](-3), [f(-1) for f in FS]


def factory(kind, name):
    kinds = {"dog": Dog, "cat": Cat}
    if kind not in kinds:
        raise ValueError("no " + kind)
    return kinds[kind](name)


def classes(n):
    c = Dog if n > 1 else Cat
    tuples = P if n > 1 else Q
    v = tuples(1, n)
    made = [factory(k, "x").speak() for k in ["dog", "cat", "dog"][:n]]
    return c("a").speak(), v[0] + v[1], made, [k.__name__ for k in (Dog, Cat)]


def classes_in_fields(n):
    a, b = Kennel(Dog), Kennel(Cat)
    a.make("x")
    b.make("y")
    table = {}
    table["d"] = Dog
    table["f"] = lambda name: Animal(name + "!")
    b.all.append(table["f"]("z"))
    return [x.speak() for x in a.all], [x.speak() for x in b.all], table["d"] is Dog


def count_to(n):
    yield from range(n)


def squares_to(n):
    for i in range(n):
        yield i * i


def generators(n):
    g = count_to if n > 1 else squares_to
    both = {"a": count_to, "b": squares_to}
    return [x for x in g(4)], [x for k in "ba" for x in both[k](3)]


def caught(n):
    f = inc if n > 1 else fails
    try:
        return f(n)
    except ValueError as e:
        return len(str(e))


def through_a_try(n):
    f = add
    out = []
    for i in range(3):
        try:
            out.append(f(10 // (i - 1)))
            f = abs
        except ZeroDivisionError:
            f = lambda x: x * n  # noqa: E731
        finally:
            out.append(f(-1))
    return out


def raised(n):
    f = (lambda x: 10 // x) if n < 2 else fails
    return f(n)


PROGRAMS = [
    in_expression, on_branches, with_captures, that_may_be_none, swapped, that_return_the_next,
    as_results, appended, one_appended, in_a_list_that_changes, beside_none, of_closures,
    in_a_dict, in_tuples, handlers, events, tasks, ordered, given_on, composed, of_unlike_results,
    converted, in_objects, library_functions_in_a_field, in_a_field_that_is_a_list, states,
    virtual_machine, layers, in_a_dataclass, of_unlike_arity, compared, compared_in_others,
    of_globals, classes, classes_in_fields, generators, caught, known_by_their_keys,
    a_dict_that_grows, decorated, through_a_try, raised,
]  # fmt: skip


def held():
    gc.collect()
    _core.collect()
    return live()


def result(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e).__name__, str(e).split("\n")[0]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(program):
    f = swathe.njit(program)
    for n in PLACES:
        assert result(f, n) == result(program, n), n
    before = held()
    for n in PLACES:
        result(f, n)
    assert held() == before


def applied(fs, x):
    for f in fs:
        x = f(x)
    return x, len(fs)


def chosen(fs, k, x):
    return fs[k](x)


@pytest.mark.parametrize(
    "args",
    [([inc, dbl], 3), ((inc, dbl, math.sqrt), 3), ([inc, dbl] * 20, 3), ([inc], 1)],
    ids=["list", "tuple", "long", "one"],
)
def test_lists_as_arguments(args):
    assert swathe.njit(applied)(*args) == applied(*args)


def test_containers_as_arguments():
    f = swathe.njit(chosen)
    assert f({"a": inc, "b": dbl}, "b", 3) == 6
    assert f({"a": dbl, "b": inc}, "b", 3) == 4
    assert f([inc, dbl], 1, 3) == 6
    assert f([dbl, inc], 1, 3) == 4
    with pytest.raises(KeyError, match="c"):
        f({"a": inc, "b": dbl}, "c", 3)
    with pytest.raises(IndexError, match="list index out of range"):
        f([inc, dbl], 2, 3)


def test_an_argument_keeps_its_functions():
    @swathe.njit
    def f(fs):
        fs[0] = dbl
        return len(fs)

    @swathe.njit
    def g(fs):
        fs = list(fs)
        fs.append(dbl)
        return [f(5) for f in fs]

    given = [inc]
    with pytest.raises(swathe.TypingError, match=r"make a list of it"):
        f(given)
    assert g(given) == [6, 10]
    assert given == [inc]


def test_in_a_parallel_loop():
    @swathe.njit(parallel=True)
    def table(fs, xs, k):
        out = np.zeros((len(fs), len(xs)))
        extra = np.sin if k > 1 else np.cos
        for i in range(len(fs)):
            for j in swathe.prange(len(xs)):
                out[i, j] = fs[i](xs[j]) + extra(xs[j])
        return out

    xs = np.arange(101.0)
    for k in (1, 2):
        want = np.array([f(xs) + (np.sin if k > 1 else np.cos)(xs) for f in (np.exp, dbl)])
        np.testing.assert_allclose(table([np.exp, dbl], xs, k), want, rtol=1e-14)


def refused(f, match):
    with pytest.raises(swathe.errors.Error, match=match):
        swathe.njit(f)(2)


def test_without_an_end():
    def f(n):
        f = inc
        for _ in range(n):
            f = compose(inc, f)
        return f(0)

    refused(f, "has captured, which has no end")


def test_that_are_made_anew():
    def f(n):
        g = (lambda x: x) if n > 1 else (lambda x: -x)
        return g is g

    def g(n):
        return (1, times(n)) == (1, times(2))

    def h(n):
        fs = [times(n)]
        fs.append(times(2))
        return fs[0] in fs

    refused(f, "which function it is")
    refused(g, "which function it is")
    refused(h, "which function it is")


def test_that_leave():
    def f(n):
        return inc if n > 1 else dbl

    assert (swathe.njit(f)(2)(5), swathe.njit(f)(0)(5)) == (inc(5), dbl(5))

    def of_the_library(n):
        fs = []
        fs.append(math.sin)
        fs.append(abs)
        return fs

    def of_classes(n):
        table = {}
        table["a"] = int
        table["b"] = Dog
        return table

    def in_a_field(n):
        k = Kennel(Dog)
        k.make("x")
        return k

    assert [g(2.5) for g in swathe.njit(of_the_library)(1)] == [math.sin(2.5), 2.5]
    assert sorted(swathe.njit(of_classes)(1)) == ["a", "b"]
    refused(in_a_field, "returns functions in fields")


def test_indexed():
    def f(n):
        return (inc if n > 1 else dbl)[0]

    refused(f, "'function' object is not subscriptable")


def test_decorated_that_calls_itself():
    def f(n):
        @times_two
        def g(k):
            return 1 if k == 0 else g(k - 1)

        return g(n)

    refused(f, "'g' uses 'g', which is not bound here")


def times_two(f):
    return lambda x: 2 * f(x)


def combined(n):
    double, up = lambda x: x * 2, lambda x: x + n
    both = reduce(lambda f, g: lambda x: f(g(x)), (double, up, double))
    turned = reduce(lambda f, g: lambda x: g(f(x)), [abs, double], up)
    better = reduce(lambda f, g: f if f(n) > g(n) else g, [double, up])
    return both(5), turned(-7), better(3), reduce(lambda x, f: f(x), [up, double], n)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_functions_are_combined(n):
    assert swathe.njit(combined)(n) == combined(n)
