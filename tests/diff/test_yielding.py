# SPDX-License-Identifier: BSD-3-Clause
"""Compiled generators that Python goes through, beside CPython's own."""

import collections.abc
import contextlib
import gc
import io
import itertools
import pickle
import threading
from collections.abc import Generator

import numpy as np
import pytest
from live_memory import live

import swathe

FACTOR = 2


def squares(n):
    for i in range(n):
        yield i * i


def running(a):
    s = 0.0
    for x in a:
        s += x
        yield s


def rows(a):
    for r in a:
        yield r.sum(), r


def chunks(a, k):
    for i in range(0, len(a), k):
        yield a[i : i + k]


def fib(a=0, b=1, /, *, limit=50):
    while a < limit:
        yield a
        a, b = b, a + b


def words(s, *more):
    for w in s.split():
        yield w.upper()
    yield from more


def tree(n):
    if n > 0:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)


def returns(n):
    yield from squares(n)
    got = yield from one(n)
    yield got
    return got + 1


def one(n):
    yield -1
    return n


def maybe(n):
    for i in range(n):
        yield i if i % 2 else None


def containers(n):
    for i in range(n):
        yield [i] * i, {i: f"{i:03d}"}


def permutations(n):
    p = list(range(n))
    yield tuple(p)
    while True:
        i = n - 2
        while i >= 0 and p[i] > p[i + 1]:
            i -= 1
        if i < 0:
            return
        j = n - 1
        while p[j] < p[i]:
            j -= 1
        p[i], p[j] = p[j], p[i]
        p[i + 1 :] = p[i + 1 :][::-1]
        yield tuple(p)


def primes():
    found = {}
    q = 2
    while True:
        if q not in found:
            yield q
            found[q * q] = [q]
        else:
            for p in found[q]:
                found.setdefault(p + q, []).append(p)
            del found[q]
        q += 1


def divides(n):
    yield 1
    yield 1 // n


def own_names(slot, how, generator, gen, sent, keep, kept):
    for i in range(slot):
        yield i + how + generator + gen + sent + keep + kept


def gen(n):
    yield n


def scaled(n):
    for i in range(n):
        yield i * FACTOR


def outcome(g):
    out = []
    while True:
        try:
            out.append(next(g))
        except StopIteration as e:
            return out, e.value
        except Exception as e:
            return out, type(e), str(e).partition("\n")[0]


CALLS = [
    (squares, (0,)),
    (squares, (1,)),
    (squares, (5,)),
    (running, (np.arange(5.0),)),
    (running, (np.arange(6, dtype=np.float32)[::-2],)),
    (running, (np.empty(0),)),
    (running, ((1, 2.5),)),
    (rows, (np.arange(6.0).reshape(2, 3),)),
    (rows, (np.arange(6).reshape(2, 3).T,)),
    (chunks, (np.arange(10), 4)),
    (chunks, ("some text", 4)),
    (fib, ()),
    (fib, (3, 4)),
    (words, ("a bc d",)),
    (words, ("a bc d", "x", "y")),
    (tree, (3,)),
    (returns, (2,)),
    (maybe, (4,)),
    (containers, (3,)),
    (permutations, (3,)),
    (divides, (1,)),
    (divides, (0,)),
    (own_names, (2, 1, 1, 1, 1, 1, 1)),
    (gen, (3,)),
    (scaled, (3,)),
]
COMPILED = {f: swathe.njit(f) for f, _ in CALLS}


@pytest.mark.parametrize(("f", "args"), CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_it_yields_what_pythons_does(f, args):
    assert repr(outcome(COMPILED[f](*args))) == repr(outcome(f(*args)))


def test_it_ends_once():
    for f in (squares, COMPILED[squares]):
        g = f(2)
        assert iter(g) is g and isinstance(g, collections.abc.Generator)
        assert (list(g), list(g), next(g, 7)) == ([0, 1], [], 7)
        assert g.__name__ == "squares"


def test_keywords_and_wrong_arguments():
    g = swathe.njit(fib)
    assert list(g(limit=9)) == list(fib(limit=9))
    with pytest.raises(TypeError) as e:
        g(1, 2, 3)
    with pytest.raises(TypeError) as f:
        fib(1, 2, 3)
    assert str(e.value) == str(f.value)


def test_it_goes_on_when_asked():
    g = swathe.njit(primes)()
    assert list(itertools.islice(g, 10)) == list(itertools.islice(primes(), 10))
    assert next(g) == 31


def test_two_do_not_meet():
    p = COMPILED[squares]
    g, h = p(4), p(3)
    assert [next(g), next(g), next(h), next(g), next(h)] == [0, 1, 0, 4, 1]


def test_what_it_yields_is_a_view():
    a = np.arange(10.0)
    g = COMPILED[chunks](a, 4)
    next(g)[0] = 99
    a[5] = -1
    assert a[0] == 99 and next(g)[1] == -1


@swathe.jitclass
class Point:
    x: float

    def __init__(self, x):
        self.x = x


def test_an_instance_is_shared():
    @swathe.njit
    def moves(p, n):
        for _ in range(n):
            p.x += 1
            yield p.x

    p = Point(1.0)
    g = moves(p, 3)
    assert next(g) == 2.0
    p.x = 10.0
    assert (next(g), p.x) == (11.0, 11.0)


# ---- closing ----


def guarded(n):
    try:
        for i in range(n):
            yield i
    finally:
        print("closed")


def through(n):
    for v in guarded(n):
        yield v * 2


@pytest.mark.parametrize("f", [guarded, through], ids=["guarded", "through"])
@pytest.mark.parametrize("end", ["close", "drop", "exhaust", "begin", "leave"])
def test_what_it_does_at_its_end(f, end):
    said = []
    for g in (f, swathe.njit(f)):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            it = g(3)
            if end != "begin":
                next(it)
            if end == "exhaust":
                list(it)
            elif end == "leave":
                for _ in it:
                    break
            if end == "close":
                it.close()
                assert list(it) == []
            del it
            gc.collect()
        said.append(out.getvalue())
    assert said[0] == said[1]


def test_what_is_sent():
    @swathe.njit
    def average() -> Generator[float, float, None]:
        s, n, mean = 0.0, 0, 0.0
        while True:
            v = yield mean
            s, n = s + v, n + 1
            mean = s / n

    g = average()
    with pytest.raises(TypeError, match="just-started"):
        g.send(1.0)
    g = average()
    assert next(g) == 0.0
    assert [g.send(x) for x in (1.0, 2.0, 6)] == [1.0, 1.5, 3.0]

    with pytest.raises(TypeError, match="its annotation says float"):
        g.send("1")

    @swathe.njit
    def untold():
        while True:
            v = yield 1.0
            print(v)

    g = untold()
    next(g)
    with pytest.raises(swathe.CompileError, match="annotate it"):
        g.send(1.0)
    h = COMPILED[squares](3)
    assert (next(h), h.send(5)) == (0, 1)  # nobody looks at it


def test_what_is_thrown():
    g = COMPILED[squares](3)
    next(g)
    with pytest.raises(KeyError):
        g.throw(KeyError("k"))
    assert list(g) == []
    h = swathe.njit(guarded)(3)
    next(h)
    with pytest.raises(swathe.CompileError, match="may catch exceptions"):
        h.throw(KeyError("k"))


# ---- what is refused ----


def test_lists_and_dicts_are_no_arguments():
    for bad in ([1.0], {1: 2}, {1}, ([1],)):
        with pytest.raises(TypeError, match=r"running\(\): a generator can't keep an argument"):
            COMPILED[running](bad)


def test_errors_come_with_the_call():
    @swathe.njit
    def bad(n):
        yield n.foo

    with pytest.raises(AttributeError) as e:
        bad(3)
    assert "yield n.foo" in str(e.value) and "swathe/_yielding" not in str(e.value)
    with pytest.raises(swathe.CompileError, match="leave the signature out"):
        swathe.njit("int64(int64)")(squares)


def test_no_pickle():
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(COMPILED[squares](3))


def test_a_global_that_changes():
    global FACTOR
    g = COMPILED[scaled](4)
    assert next(g) == 0
    FACTOR = 2.5
    try:
        try:
            assert list(g) == [2.5, 5.0, 7.5]  # as CPython's
        except RuntimeError as e:
            assert "has changed since it began" in str(e)
        assert list(COMPILED[scaled](3)) == [0.0, 2.5, 5.0]
    finally:
        FACTOR = 2


def test_threads_take_turns():
    g, out = COMPILED.setdefault(primes, swathe.njit(primes))(), []

    def ask():
        for _ in range(100):
            with contextlib.suppress(ValueError):  # it runs in another thread
                out.append(next(g))

    all_ = [threading.Thread(target=ask) for _ in range(4)]
    for t in all_:
        t.start()
    for t in all_:
        t.join()
    assert sorted(out) == list(itertools.islice(primes(), len(out)))


def test_nothing_is_lost():
    make = swathe.njit(primes)

    def use():
        g = make()
        for _ in range(30):
            next(g)
        list(COMPILED[containers](4))
        list(itertools.islice(COMPILED[permutations](4), 3))
        outcome(COMPILED[divides](0))

    use()
    before = live()
    for _ in range(20):
        use()
    assert live() == before


def test_explain_shows_the_generator():
    g = COMPILED[running]
    list(g(np.ones(3)))
    text = g.explain()
    assert "yield s" in text and "check" in text and "keep(" not in text
