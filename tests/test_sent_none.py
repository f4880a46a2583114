# SPDX-License-Identifier: BSD-3-Clause
"""What `yield` is where nothing is sent: None, whoever goes on with the generator."""

from __future__ import annotations

import pytest

from swathe import njit


def answers(n):
    t = yield n
    yield 1 if t is None else 2


def as_list(n):
    return list(answers(n))


def by_next(n):
    g = answers(n)
    return next(g) + next(g)


def comprehension(n):
    return [x for x in answers(n)]


def unpacked(n):
    a, b = answers(n)
    return a, b


def display(n):
    return [*answers(n)]


def counts(n):
    while True:
        t = yield n
        if t is not None:
            n = t
        else:
            n += 1
        if n > 5:
            return


def as_list_of_counts(n):
    return list(counts(n))


def loop(n):
    r = []
    for x in counts(n):
        r.append(x)
    return r


def sends(n):
    g = counts(n)
    return next(g), next(g), g.send(1), next(g)


def goes_through(n):
    r = yield from counts(n)
    yield 7


def from_another(n):
    return list(goes_through(n))


def passes_on(n):
    t = yield n
    yield from answers(n)
    yield -1 if t is None else t


def sends_then_list(n):
    g = passes_on(n)
    next(g)
    g.send(4)
    return list(g)


def sends_then_loop(n):
    g = passes_on(n)
    next(g)
    a = g.send(4)
    for x in g:
        a += x
    return a


class Answers:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        t = yield self.n
        yield 0 if t is None else 3


def of_a_class(n):
    return list(Answers(n)), sum(Answers(n)), [x for x in Answers(n)]


def binds(xs, n):
    if n:
        yield (t := n)
        yield t + 1
    yield (u := (yield len(xs)) is None)
    yield u


def of_what_is_bound(n):
    g = binds([1], n)
    a = next(g)
    return [a * 1, sum(int(v) for v in g)]


@pytest.mark.parametrize(
    "f",
    (
        as_list,
        by_next,
        comprehension,
        unpacked,
        display,
        as_list_of_counts,
        loop,
        sends,
        from_another,
        sends_then_list,
        sends_then_loop,
        of_a_class,
        of_what_is_bound,
    ),
)
def test_nothing_is_sent(f):
    for n in (1, 3):
        assert njit(cache=False, opt_level=0)(f)(n) == f(n)
