# SPDX-License-Identifier: BSD-3-Clause
"""Defaults that are containers: one object in all calls, which compiled code and Python share."""

from __future__ import annotations

import collections
import copy

import pytest

from swathe import njit

TABLE = [i * i for i in range(40)]
SHARED = [1]


def fib(n, memo={}):  # noqa: B006
    if n < 2:
        return n
    if n not in memo:
        memo[n] = fib(n - 1) + fib(n - 2)
    return memo[n]


def fib_from_outside(n):
    return fib(n)


def appended(x, to=[]):  # noqa: B006
    to.append(x)
    return len(to)


def appended_often(n):
    return [appended(i) for i in range(n)] + [appended(1, [7, 8]), appended(2)]


def by_keyword(x, *, to=[]):  # noqa: B006
    to.append(x)
    return sum(to)


def appended_by_keyword(n):
    return by_keyword(n) + by_keyword(n, to=[]) + by_keyword(1)


def is_vowel(c, vowels={"a", "e"}):  # noqa: B006
    return c in vowels


def vowels(n):
    return [is_vowel(c) for c in "abcde"[:n]]


def looked_up(i, table=TABLE):
    return table[i]


def summed(n):
    return sum([looked_up(i) for i in range(n)])


def in_one(x, a=SHARED):
    a.append(x)
    return len(SHARED)


def in_other(x, a=SHARED):
    a.append(x)
    return len(a)


def shared(n):
    return in_one(n) + in_other(n) + len(SHARED)


def counted(x, seen=collections.defaultdict(list), last=collections.deque()):  # noqa: B006, B008
    seen[x % 2].append(x)
    last.append(x)
    return len(seen[x % 2]) * 10 + last[0]


def all_counted(n):
    return [counted(i) for i in range(n)]


def steps(n, seen=[]):  # noqa: B006
    for i in range(n):
        seen.append(i)
        yield len(seen)


def stepped(n):
    return list(steps(n)) + list(steps(2))


class Kept:
    def __init__(self, xs=[]):  # noqa: B006
        self.xs = xs

    def put(self, x):
        self.xs.append(x)
        return len(self.xs)


def put_in_two(n):
    return Kept().put(n), Kept().put(n), Kept([3]).put(n)


def fails(x, seen=[]):  # noqa: B006
    seen.append(x)
    if x == 3:
        raise ValueError(len(seen))
    return 0


def fails_later(n):
    return sum([fails(i) for i in range(n)])


HAVE = [
    fib, appended, by_keyword, is_vowel, looked_up, in_one, in_other, counted, steps,
    Kept.__init__, fails,
]  # fmt: skip
FIRST = [copy.deepcopy((f.__defaults__, f.__kwdefaults__)) for f in HAVE]


def fill(now, then):
    for o, was in zip(now, then, strict=True):
        o.clear()
        o.extend(was) if hasattr(o, "extend") else o.update(was)


def begin():
    SHARED[:] = [1]
    for f, (by_place, by_name) in zip(HAVE, FIRST, strict=True):
        fill(f.__defaults__ or (), copy.deepcopy(by_place) or ())
        fill((f.__kwdefaults__ or {}).values(), copy.deepcopy(by_name or {}).values())


def seen(f):
    begin()
    out = []
    for n in (4, 1, 5):
        try:
            out.append(copy.deepcopy(f(n)))
        except ValueError as e:
            out.append(e.args)
    return out, copy.deepcopy([(g.__defaults__, g.__kwdefaults__) for g in HAVE]), SHARED[:]


@pytest.mark.parametrize(
    "f",
    [
        fib, fib_from_outside, appended_often, appended_by_keyword, vowels, summed, shared,
        all_counted, stepped, put_in_two, fails_later,
    ],
)  # fmt: skip
def test_what_python_does(f):
    want = seen(f)
    assert seen(njit(cache=False)(f)) == want


def test_other_defaults_are_seen():
    def inner(x, to=[1]):  # noqa: B006
        to.append(x)
        return len(to)

    def f(x):
        return inner(x)

    compiled = njit(cache=False)(f)
    assert [compiled(1), compiled(1)] == [2, 3]
    inner.__defaults__ = ([1, 2, 3],)
    assert compiled(1) == 4
    assert inner.__defaults__ == ([1, 2, 3, 1],)


def through(x, f=is_vowel, fs=(fib, appended)):
    return f("e"), fs[0](x), fs[1](x)


def by_default_functions(n):
    return through(n), through(n, fs=(appended, fib))


def test_functions_that_are_defaults_have_theirs():
    want = seen(by_default_functions)
    assert seen(njit(cache=False)(by_default_functions)) == want
