# SPDX-License-Identifier: BSD-3-Clause
"""Classes without a decorator in compiled code: whole programs (plain_written.py), what objects
tell of the types of their attributes, changes of a class, and the cache on disk."""

import functools
import os
import subprocess
import sys
import textwrap

import numpy as np
import plain_written as written
import pytest
from live_memory import live

import swathe
from swathe import njit


def same(a, b, met):
    """Are they equal, to the types, and alike in which objects lead to which?"""
    if type(a).__module__ != written.__name__ or isinstance(a, (written.Color, written.Place)):
        if isinstance(a, (list, tuple)):
            return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b, [met] * len(a)))
        if isinstance(a, dict):
            return [*a] == [*b] and same([*a.values()], [*b.values()], met)
        if isinstance(a, np.ndarray):
            return a.dtype == b.dtype and np.allclose(a, b, rtol=1e-12)
        return type(a) is type(b) and a == (
            pytest.approx(b, rel=1e-12) if isinstance(a, float) else b
        )
    if id(a) in met or type(a) is not type(b):
        return met.get(id(a)) is b
    met[id(a)] = b
    names = getattr(a, "__dataclass_fields__", None) or {**vars(a), **vars(b)}
    return all(same(getattr(a, k), getattr(b, k), met) for k in names)


def outcome(f, args, out):
    try:
        return f(*args), out()
    except Exception as e:
        return (type(e).__name__, str(e).split("\n")[0]), out()


@pytest.mark.parametrize("k", range(len(written.PROGRAMS)))
def test_programs(k, capfd):
    f, make = written.PROGRAMS[k]
    want, got = make(), make()
    r, said = outcome(f, want, lambda: capfd.readouterr().out)
    compiled = njit(f)
    for args in (got, make()):
        x, shown = outcome(compiled, args, lambda: capfd.readouterr().out)
        assert same((x, args), (r, want), {}), (x, r)
        assert shown == said
    before = live()
    args = make()
    outcome(compiled, args, lambda: None)
    del args, x
    assert live() == before


def test_a_class_may_change():
    class Rate:
        value = 2.0

        def __init__(self, x):
            self.x = x

        def get(self):
            return self.x * self.value

    @njit
    def of(r):
        return r.get()

    @njit
    def made(x):
        return Rate(x).get(), Rate.value

    assert (of(Rate(3.0)), made(1.0)) == (6.0, (2.0, 2.0))
    Rate.value = 5.0
    assert (of(Rate(3.0)), made(1.0)) == (15.0, (5.0, 5.0))
    Rate.get = lambda self: self.x + 1
    assert (of(Rate(3.0)), made(1.0)) == (4.0, (2.0, 5.0))


def test_what_objects_hold_tells_their_types():
    @njit
    def first(p):
        return p.value

    for v in (1, 2.5, True, "a", (1, 2.0), np.float32(3)):
        assert first(written.Node(v)) == v and type(first(written.Node(v))) is type(v)
    with pytest.raises(TypeError, match="is a list of unlike values: it is int in one place"):
        first(written.Node([1, "a"]))


def test_stores_make_types_wider():
    @njit
    def cut(n, by):
        n.value += by
        n.next = None
        return n.value

    n = written.Node(1)
    n.next = written.Node(2)
    assert (cut(n, 0.5), n.value, n.next) == (1.5, 1.5, None)
    n.next = written.Node(3.5)
    assert (cut(n, 2), n.value, n.next) == (3.5, 3.5, None)


class Odd:
    def __init__(self):
        self.x = 1

    def __getattr__(self, name):
        return 5


class Counts:
    made = 0

    def __init__(self):
        self.x = 1
        Counts.made += 1


def test_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        njit(written.replaced_wrong)(written.Particle(1.0))
    for x in ([], [1], [1, 2, 3]):
        with pytest.raises(TypeError, match="positional argument"):
            njit(written.unpacked_wrong)(x)
    with pytest.raises(swathe.CompileError, match="not a jitclass"):
        njit(lambda: Odd().x)()
    made = Counts.made
    assert (njit(lambda: Counts().x)(), Counts.made) == (1, made + 1)
    assert njit(lambda c: c.x)(Counts()) == 1  # what Python counts is nobody's constant


def test_what_nothing_tells_is_not_kept_for_another_process(tmp_path):
    """An empty list in an argument: what it holds is told by the program, which the second process
    takes from the cache."""
    program = textwrap.dedent("""
        import swathe

        class Log:
            def __init__(self):
                self.lines = []

        @swathe.njit(cache=True)
        def add(log, options):
            log.lines.append(2.5)
            options["values"].append(1.5)
            return options["n"]

        log, options = Log(), {"n": 1, "values": []}
        print(add(log, options), log.lines, options)
    """)
    file = tmp_path / "program.py"
    file.write_text(program)
    env = {**os.environ, "SWATHE_CACHE_DIR": str(tmp_path / "cache")}
    env["PYTHONPATH"] = ":".join(sys.path)
    said = [
        subprocess.run([sys.executable, file], env=env, capture_output=True, text=True).stdout
        for _ in range(2)
    ]
    assert said == ["1 [2.5] {'n': 1, 'values': [1.5]}\n"] * 2


class Bag:
    def __init__(self, n):
        self.items = [i * i for i in range(n)]

    def __iter__(self):
        yield from self.items


@swathe.njit
def bag(n):
    return Bag(n)


def gone_through(n):
    s = 0
    for x in bag(n):
        s += x
    return s, [x + 1 for x in bag(n)], sum(bag(n)), sorted(x for x in bag(n)), list(bag(n))


def test_what_a_call_yields_is_gone_through():
    assert swathe.njit(gone_through)(4) == gone_through(4)


@functools.total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(int(p) for p in text.split("."))

    def __eq__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self.parts == other.parts

    def __lt__(self, other):
        return self.parts < other.parts


def versions():
    a, b = Version("1.10.2"), Version("1.9.9")
    first = sorted([Version("1.0.0"), Version("2.0.0"), Version("0.5.0")])[0]
    return a > b, a <= b, a >= a, a < b, a == b, max([a, b]).parts == a.parts, first.parts


def test_total_ordering():
    assert swathe.njit(versions)() == versions()


class Above:
    def __init__(self):
        super().__init__()
        self.a = 1


class Beside(object):  # noqa: UP004
    def __init__(self):
        super(Beside, self).__init__()  # noqa: UP008
        self.b = 2


class Below(Above, Beside):
    def __init__(self, n):
        super().__init__()
        self.n = n


class Without:
    pass


class OfWithout(Without):
    def __init__(self, n=5):
        super().__init__()
        self.n = n


class Wrong:
    def __init__(self):
        super().__init__(3)


def test_super_init_reaches_object():
    def f(n):
        x = Below(n)
        return Above().a, Beside().b, x.a, x.b, x.n, OfWithout().n, OfWithout(n).n

    assert swathe.njit(cache=False)(f)(3) == f(3)

    def wrong(n):
        Wrong()
        return n

    with pytest.raises(TypeError):
        swathe.njit(cache=False)(wrong)(3)
