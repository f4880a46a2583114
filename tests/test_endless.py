# SPDX-License-Identifier: BSD-3-Clause
"""Generators that never end, as values: what goes through them asks for no more than it needs. A
generator expression sees its variables as CPython's does, or is refused."""

import functools
import itertools
import operator
from itertools import (
    accumulate,
    chain,
    compress,
    count,
    cycle,
    dropwhile,
    filterfalse,
    islice,
    pairwise,
    repeat,
    starmap,
    takewhile,
)

import pytest
from live_memory import live

import swathe

made = functools.cache(swathe.njit)


def naturals(n=1):
    while True:
        yield n
        n += 1


def first(n, it):
    return list(islice(it, n))


def loud(n, seen):
    for i in range(n):
        seen.append(i)
        yield i


def is_harshad(n):
    return n % sum(int(ch) for ch in str(n)) == 0


def of_tests():
    g = (x for x in count(1) if is_harshad(x))
    a = [next(g) for _ in range(12)]
    for x in g:
        if x > 40:
            break
        a.append(x)
    b = list(islice(filter(is_harshad, count(1)), 0, 12, 3))
    return a, next(g), b, first(3, (x for x in count() if x % 3)), any(x > 5 for x in count())


def in_heads():
    out = []
    for x in (y * y for y in count(3) if y % 2):
        if x > 100:
            break
        out.append(x)
    seen = [10]
    for y in (x * 2 for x in loud(5, seen) if x % 2):
        seen.append(-y)
        if y > 4:
            break
    return out, x, seen, any(x > 50 for x in (y * y for y in count()))


def streams():
    sq = accumulate(naturals())
    tw = takewhile(lambda x: x < 50, (x * x for x in count(1)))
    pw = pairwise(naturals(5))
    ch = chain([1, 2], naturals(7))
    sm = starmap(pow, zip(count(2), repeat(2)))
    dw = dropwhile(lambda v: v < 10, accumulate(naturals()))
    a = [next(sq) for _ in range(5)], list(zip("abc", accumulate(naturals(2))))
    b = next(tw), list(tw), list(tw), next(pw), next(pw), [next(ch) for _ in range(4)]
    return a, b, first(3, sm), first(3, dw), first(4, compress(count(), cycle([1, 0, 0])))


def products():
    return first(4, accumulate(count(1), operator.mul)), first(
        3, filterfalse(lambda v: v % 2, naturals())
    )


def floats():
    c, s = count(0.5, 0.25), 3
    d = count(1, s)
    return next(c), next(c), first(3, d), list(zip(count(1.5), "ab"))


def repeated():
    r = repeat([1, 2])
    k = 0
    q = repeat(k)
    k = 4
    return next(r) is next(r), next(q), list(repeat(k, 2)), list(zip("ab", repeat(k + 1)))


def in_rounds():
    out = []
    for k in range(2, 5):
        g = (x for x in count(1) if x % k == 0)
        out.append(list(islice(g, 3)))
    return out


def primes():
    yield 2
    for n in count(3, 2):
        if all(n % p for p in takewhile(lambda p: p * p <= n, primes())):
            yield n


def recursive():
    return list(islice(primes(), 12))


class Ids:
    def __init__(self, n):
        self.it = count(n)

    def new(self):
        return next(self.it)


def in_fields():
    a, b = Ids(5), Ids(10)
    return a.new(), b.new(), a.new(), {w: next(a.it) for w in "the cat sat".split()}


def evens():
    return (x for x in count() if x % 2 == 0)


def scaled(it, k):
    return (k * v for v in it)


def passed_on():
    e, s = evens(), scaled(evens(), 3)
    od = (n for n in count() if n % 2)
    z = zip(evens(), od)
    m = map(lambda a, b: a * b, evens(), count(1))
    en = enumerate(filter(lambda v: v % 3 == 0, count(1)), 1)
    return next(e), next(e), first(3, s), next(z), next(z), first(3, m), next(en), next(en)


def fails():
    out = []
    try:
        for v in (10 // (3 - x) for x in count()):
            out.append(v)
    except ZeroDivisionError as e:
        return out, str(e)


PROGRAMS = [of_tests, in_heads, streams, products, floats, repeated, in_rounds, recursive]
PROGRAMS += [in_fields, passed_on, fails]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_endless(f):
    expected = f()
    assert made(f)() == expected
    before = live()
    assert made(f)() == expected
    assert live() == before


def over_range():
    x = 2
    g = (v * x for v in range(1, 100))
    a = next(g)
    x = 5
    return a, next(g)


def over_count():
    x = 2
    g = (v for v in itertools.count(1) if v % x == 0)
    a = next(g)
    x = 5
    return a, next(g)


@pytest.mark.parametrize("f", [over_range, over_count])
def test_a_variable_that_is_set_again(f):
    with pytest.raises(swathe.UnsupportedError, match="took 'x' before it was assigned again"):
        swathe.njit(f)()


def sieve(s):
    n = next(s)
    yield n
    yield from sieve(i for i in s if i % n != 0)


def test_a_type_that_holds_itself():
    def f():
        return list(islice(sieve(iter(range(2, 1000))), 8))

    with pytest.raises(swathe.errors.CompileError):
        swathe.njit(f)()


def several():
    w = (s + str(i) for i in count() for s in "ab")
    return [next(w) for _ in range(5)]


def several_in_a_head():
    for y in (x + w for x in naturals() for w in (1, 2)):
        if y > 5:
            return y


@pytest.mark.parametrize("f", [several, several_in_a_head])
def test_several_loops_over_what_never_ends(f):
    with pytest.raises(swathe.UnsupportedError, match="over what never ends"):
        swathe.njit(f)()
