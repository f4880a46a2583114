# SPDX-License-Identifier: BSD-3-Clause
"""What a generator goes through where its objects are values, in its yields and between them."""

import itertools
from collections import deque

import numpy as np
import pytest

import swathe


def enumerated(n):
    for i, x in enumerate(x * x for x in range(n)):
        yield i + x


def zipped(n):
    for a, b in zip((x * x for x in range(n)), range(n)):
        yield a * b


def filtered(n):
    yield from filter(lambda x: x % 2, range(n))


def mapped(n):
    yield from map(lambda a, b: a + b, range(n), range(n))


def in_order(n):
    for x in sorted((x * x % 5 for x in range(n))):
        yield x


def backwards(n):
    yield from reversed([x * x % 5 for x in range(n)])


def items(n):
    d = {i: i * i for i in range(n)}
    for k, v in d.items():
        yield k + v


def values_and_keys(n):
    d = {i: i * i for i in range(n)}
    yield from d.values()
    yield from d


def members(n):
    s = {i % 3 for i in range(n)}
    yield from s


def chained(n):
    yield from itertools.chain(range(n), range(2))


def products(n):
    for x, y in itertools.product(range(n), range(2)):
        yield x * y


def accumulated(n):
    yield from itertools.accumulate(range(n))


def pairs(n):
    for p in itertools.combinations(range(n), 2):
        yield p[0] * p[1]


def nested(n):
    yield from (y for y in (x * x for x in range(n)) if y % 2)


def of_a_tuple(n):
    t = (n, n + 1, n + 2)
    yield from t
    for q in t:
        yield q


def of_an_array(n):
    yield from np.arange(n) * 2


def of_rows(n):
    for r in np.arange(2 * n).reshape(n, 2):
        yield r.sum()


def downwards(n):
    for i in range(n, 0, -2):
        yield i


def steps(n):
    for i in range(0, n, 3):
        for j in range(i, n, 2):
            yield i * 10 + j


def cut(n):
    yield from itertools.islice(itertools.count(3), n)


def of_zip(n):
    yield from zip(range(n), range(n))


def one_or_other(n):
    if n:
        yield from (x for x in range(n))
    else:
        yield -1


def again_and_again(n):
    while n > 0:
        yield from (x for x in range(n))
        n -= 1


def texts(n):
    for s in (str(x) for x in range(n)):
        yield s + "!"


def captured(n):
    k = 0
    for x in (x + k for x in range(n)):
        k += 1
        yield x


def letters(n):
    yield from "abc"[:n]


def byte_by_byte(n):
    yield from b"abc"[:n]
    for b in bytes(n):
        yield b


def of_texts(n):
    s = "a" * n
    yield from (s + str(x) for x in range(n))
    for x in map(lambda k: s[k:], range(n)):
        yield x


def displays(n):
    for x in {i: -i for i in range(n)}:
        yield x
    yield from {i for i in range(n)}
    yield from deque(range(n), maxlen=2)


def taken(n):
    yield from itertools.takewhile(lambda x: x < 3, range(n))


def shared(n):
    g = (x for x in range(n))
    for a in g:
        yield a
        for b in g:
            yield b * 10
            break


def of_enumerate(n):
    yield from enumerate(range(n))


def repeated(n):
    yield from itertools.repeat(5, n)


def cycled(n):
    for x in itertools.cycle([1, 2]):
        if n <= 0:
            return
        n -= 1
        yield x


def of_iter(n):
    yield from iter([1, 2, 3][:n])


def of_a_list(n):
    yield from [(i, str(i)) for i in range(n)]


def between(n):
    it = iter(range(n))
    for x in it:
        yield x
        y = next(it, None)
        if y is not None:
            yield -y


FORMS = [
    f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__ and callable(f)
]


def collected(f):
    @swathe.njit
    def asks(n):
        g = f(n)
        out = []
        while True:
            try:
                out.append(next(g))
            except StopIteration:
                return out

    return asks


@pytest.mark.parametrize("f", FORMS, ids=lambda f: f.__name__)
def test_it_yields_what_pythons_does(f):
    asks, called = collected(f), swathe.njit(f)
    for n in (0, 1, 2, 5):
        wanted = [str(v) for v in f(n)]
        assert [str(v) for v in asks(n)] == wanted
        assert [str(v) for v in called(n)] == wanted
