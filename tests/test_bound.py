# SPDX-License-Identifier: BSD-3-Clause
"""Functions that have values of their own: bound methods, defaults that are computed, closures in
containers; against what CPython does."""

from __future__ import annotations

import gc
import heapq
from collections import deque

import numpy as np
import pytest
from live_memory import live

import swathe
from swathe import _core, prange


class Button:
    def __init__(self, name):
        self.name = name
        self.n = 0

    def press(self):
        self.n += 1
        return self.name + str(self.n)

    @staticmethod
    def twice(x):
        return 2 * x


class Events:
    def __init__(self):
        self.handlers = {}

    def on(self, name, f):
        self.handlers.setdefault(name, []).append(f)

    def fire(self, name, v):
        for f in self.handlers.get(name, []):
            f(v)


class Task:
    def __init__(self, f, priority):
        self.f = f
        self.priority = priority


class Machine:
    def __init__(self):
        self.stack = [1]
        self.table = {"add": self.add, "neg": self.neg}

    def add(self, v):
        self.stack.append(v)

    def neg(self, v):
        self.stack.append(-v)

    def run(self, program):
        for op, v in program:
            self.table[op](v)
        return self.stack


def run(f, n):
    for i in range(n):
        f(i)


def adder(k):
    return lambda x: x + k


def outer(n, a):
    def f(x, k=n + 1, b=a):
        return x * k + b.sum()

    return f


def methods_of_containers():
    out = []
    add = out.append
    for i in range(5):
        add(i * 1.5)
    d = {1: 2}
    get = d.get
    q = deque([1])
    push, pop = q.append, q.popleft
    push(2)
    join = ", ".join
    seen = set()
    run(seen.add, 3)
    ints = []
    run(ints.append, 2)
    return out, ints, get(1), get(5, 7), get(9) is None, pop(), len(q), join(["a", "b"]), seen


def bound_once():
    out = []
    add = out.append
    out = [9]
    add(1)
    a, b = [], []
    for i in range(6):
        put = a.append if i % 2 else b.append
        put(i)
    return out, a, b


def special_methods():
    xs = [3.0, 1.0, 2.0]
    d = {2: 5, 1: 7}
    a = np.array([4, 2, 9])
    t = (5, 6)
    d.__setitem__(9, 9)
    d.__delitem__(2)
    xs.__setitem__(0, 8.5)
    put = a.__setitem__
    put(1, 40)
    return (
        sorted(range(3), key=xs.__getitem__),
        sorted([1, 9], key=d.__getitem__),
        sorted(range(3), key=a.__getitem__),
        list(map(t.__getitem__, [1, 0])),
        "abc".__len__(),
        range(5).__contains__(3),
        list(map("ab".__contains__, ["a", "c"])),
        d,
        a,
    )


def methods_of_arrays():
    a = np.arange(6.0)
    total, shaped = a.sum, a.reshape
    parts = []
    for k in range(3):
        part = np.full(k + 1, 1.0 * k)
        parts.append(part.sum)
    parts.append(np.arange(5.0).sum)
    return total(), shaped(2, 3), [f() for f in parts]


def methods_of_instances():
    bs = [Button("a"), Button("b")]
    acts = [b.press for b in bs]
    out = [f() for f in acts] + [f() for f in acts]
    acts.pop()
    acts += [bs[1].press]
    back = acts[::-1]
    twice = bs[0].twice
    same = [bs[0].press] * 3
    return out, [f() for f in back], bs[0].n, twice(4), [f() for f in same]


def a_table_of_methods():
    return Machine().run([("add", 3), ("neg", 4), ("add", 5)])


def defaults_in_loops():
    fs = []
    for k in range(3):

        def f(x, y=1, k=k * 2, *, z=k + 1):
            return x + y + 10 * k + 100 * z

        fs.append(f)
    gs = [lambda x, k=k: x + k for k in range(3)]
    return fs[0](1), fs[2](1), fs[1](1, 2, z=0), fs[1](1, k=0), gs[0](1), gs[2](1), gs[1](1, 7)


def defaults_once():
    log = []

    def note(v):
        log.append(v)
        return v

    f = lambda a=note(1), b=note(2): a + b  # noqa: B008, E731
    log.append(9)
    return f(), f(5), log


def defaults_of_makers():
    f = outer(3, np.ones(2))
    g = outer(5, np.ones(3))
    x = 1

    def fact(n, acc=x):
        if n <= 1:
            return acc
        return fact(n - 1, acc * n)

    x = 7
    return f(2), g(2), f(2, 1), g(2, b=np.zeros(1)), fact(5), x


def none_given():
    x = 1
    f = lambda n=None: n  # noqa: E731
    g = lambda n=x: n  # noqa: E731
    return f() is None, f(3), g(), g(None) is None


def events():
    out = []
    e = Events()
    for k in range(3):
        e.on("x" if k < 2 else "y", lambda v, k=k: out.append(v * 10 + k))
    e.fire("x", 1)
    e.fire("y", 2)
    e.fire("z", 2)
    return out


def queues():
    out = []
    ordered = []
    todo = deque()
    tasks = []
    for k in range(4):
        heapq.heappush(ordered, (-k, k, lambda v, k=k: out.append(v + k)))
        todo.append(lambda k=k: out.append(k))
        tasks.append(Task(out.append, -k))
    while ordered:
        t, i, f = heapq.heappop(ordered)
        f(t * 10)
    while todo:
        todo.popleft()()
    tasks.sort(key=lambda t: t.priority)
    for t in tasks:
        t.f(t.priority)
    return out


def undo():
    acc = []
    back = []
    try:
        for i in range(4):
            acc.append(i)
            back.append(acc.pop)
            if i == 2:
                raise ValueError("stop")
    except ValueError:
        while back:
            back.pop()()
    return acc


def changed_lists():
    xs = [1, 2, 3]
    fs = [xs.pop, xs.pop]
    del fs[0]
    fs.insert(0, xs.pop)
    fs.extend([xs.pop])
    gs = fs[:2] + fs[2:]
    gs.reverse()
    r = [f() for f in gs]
    fs.clear()
    return r, len(fs), xs


def closures_in_dicts():
    d = {}
    for k in range(3):
        d["f" + str(k)] = adder(k)

    def make(n):
        def step(k, n=n):
            return k + n

        return step

    fs = [make(i) for i in range(3)]
    gs = {i: f for i, f in enumerate(fs)}
    return d["f2"](5), [d[k](1) for k in d], sum(f(1) for f in fs), [g(0) for g in gs.values()]


def in_parallel():
    out = np.zeros(6)
    fs = []
    for k in range(3):
        fs.append(lambda x, k=k: x * k)
    f = fs[2]
    for i in prange(6):
        out[i] = f(i)
    return out


def an_error():
    xs = [1]
    find = xs.index
    try:
        find(7)
    except ValueError:
        xs.append(5)
    pop = xs.pop
    pop(), pop()
    return pop()


PROGRAMS = [
    methods_of_containers,
    bound_once,
    special_methods,
    methods_of_arrays,
    methods_of_instances,
    a_table_of_methods,
    defaults_in_loops,
    defaults_once,
    defaults_of_makers,
    none_given,
    events,
    queues,
    undo,
    changed_lists,
    closures_in_dicts,
    in_parallel,
    an_error,
]


def held():
    gc.collect()
    _core.collect()
    return live()


def outcome(f):
    try:
        return f()
    except Exception as e:
        return type(e), str(e).split("\n")[0]


@pytest.mark.parametrize("f", PROGRAMS)
def test_same_as_python(f):
    compiled = swathe.njit(parallel=f is in_parallel)(f)
    ours, python = outcome(compiled), outcome(f)
    assert repr(ours).replace("np.True_", "True") == repr(python)
    before = held()
    outcome(compiled)
    assert held() == before


# --- a closure sees the variable, not the value that it had ---------------------------------------


def in_a_list():
    fs = []
    for k in range(3):
        fs.append(lambda x: x + k)  # noqa: B023
    return fs[0](1), fs[2](1)


def in_a_comprehension():
    fs = [lambda x: x + k for k in range(3)]
    return fs[0](1), fs[2](1)


def in_a_display():
    fs = [lambda x: x + k for k in (1, 2, 3)]
    return fs[0](1), fs[2](1)


def in_a_tuple():
    fs = ()
    for k in (1, 2, 3):
        fs = fs + (lambda x: x * k,)  # noqa: B023
    return fs[0](10), fs[1](10)


def in_a_field():
    e = Events()
    out = []
    for k in range(3):
        e.on("x", lambda v: out.append(v + k))  # noqa: B023
    k = 9
    e.fire("x", 1)
    return out


def of_a_def():
    fs = {}
    for k in range(3):
        t = k * 2

        def f(x):
            return x + t  # noqa: B023

        fs[k] = f
    return fs[0](1)


@pytest.mark.parametrize(
    "f", [in_a_list, in_a_comprehension, in_a_display, in_a_tuple, in_a_field, of_a_def]
)
def test_what_changes_later_is_refused(f):
    with pytest.raises((swathe.UnsupportedError, swathe.TypingError)):
        swathe.njit(f)()


# --- nothing of it goes to Python -----------------------------------------------------------------


def returned():
    out = [1]
    return [out.append]


def returned_in_an_instance():
    e = Events()
    e.on("x", e.fire)
    return e


def put_into(xs):
    out = [1]
    xs.append(out.append)
    return 1


def put_into_dict(d):
    out = [1]
    d["a"] = out.append
    return 1


def put_into_instance(e):
    out = [1]
    e.on("x", out.append)
    return 1


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (returned_in_an_instance, ()),
        (put_into, ([],)),
        (put_into_dict, ({},)),
        (put_into_instance, (Events(),)),
    ],
)
def test_python_is_given_none_in_these(f, args):
    with pytest.raises(swathe.UnsupportedError, match="returns|puts functions"):
        swathe.njit(f)(*args)


def test_python_is_given_one_in_a_list():
    (append,) = swathe.njit(returned)()
    assert append(2) is None


def test_of_what_may_be_none():
    @swathe.njit
    def f(n):
        b = None
        for _ in range(n):
            b = Button("a")
        press = b.press
        return press()

    with pytest.raises(swathe.UnsupportedError, match="test for None first"):
        f(0)


def test_names_the_method():
    @swathe.njit
    def f():
        out = [1]
        add = out.apend
        add(1)

    with pytest.raises(swathe.CompileAttributeError, match="apend"):
        f()
