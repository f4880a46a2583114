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


def kept(n):
    def g(x, to=[]):  # noqa: B006
        to.append(x)
        return len(to)

    made = [g(i) for i in range(n)]
    return made, g(1), g(1, [2, 3]), g(5)


def is_made_anew(n):
    out = []
    for k in range(n):

        def g(x, to=[0]):  # noqa: B006
            to[0] += x
            return to

        g(k)
        g(2)
        out.append((g(3), g(0) is g(1)))
    return out


def walks(n):
    def g(x, path=[], *, rows=[[0] * 2]):  # noqa: B006
        path.append(x)
        rows[0][x % 2] += 1
        if x > 0:
            g(x - 1)
            g(x - 2)
        return path, rows

    a = g(n)
    b = g(n)
    return a, a[0] is b[0], g(1, [7])


def makes(n):
    def g(x, to=[(0, 0)]):  # noqa: B006
        to += [(x, n)]
        return len(to)

    return g


def makers(n):
    g, h = makes(n), makes(n)
    k = lambda x, to=[]: (to.append(x), len(to))[1]  # noqa: E731, B006
    return g(1), g(2), h(3), k(1), k(2)


def deeper(n):
    def g(x, to=[]):  # noqa: B006
        def put(y, beside=[]):  # noqa: B006
            beside.append(y)
            to.append(len(beside))

        put(x)
        put(x + 1)
        return to

    return g(n), len(g(n)), g(n, [4])


def only_read(n):
    def g(x, w=[1, 2, 3], more=[]):  # noqa: B006
        return w[x] + sum(w) + sum([y * 2 for y in more])

    return g(n), g(n, [4, 5]), g(n, more=[6, 7])


INSIDE = [(kept, 4), (kept, 0), (is_made_anew, 3), (walks, 3), (makers, 2), (deeper, 2)]
INSIDE += [(only_read, 1), (only_read, 0)]


@pytest.mark.parametrize("f,n", INSIDE, ids=lambda v: getattr(v, "__name__", v))
def test_lists_that_are_defaults_inside(f, n):
    assert repr(njit(f)(n)) == repr(f(n))
    assert repr(njit(f)(n)) == repr(f(n))


def placed(n, i=0, a=[], b=[], c=[]):  # noqa: B006
    if i < n:
        for j in range(n):
            if j not in a and i + j not in b and i - j not in c:
                yield from placed(n, i + 1, a + [j], b + [i + j], c + [i - j])
    else:
        yield a


def queens(n):
    return list(placed(n))


def tallied(n, seen={}):  # noqa: B006
    for i in range(n):
        seen[i] = seen.get(i, 0) + 1
        yield seen[i]


def two_at_once(n):
    a, b = tallied(n), tallied(n)
    return [next(a), next(b), next(a), next(b)], list(a), list(b)


def chosen(n, *, acc=[], unused={"a": 1}):  # noqa: B006
    if n == 0:
        yield acc
        return
    for x in range(2):
        yield from chosen(n - 1, acc=[*acc, x])


def by_names(n):
    return list(chosen(n)), list(chosen(n, acc=[5]))


class Walker:
    def walk(self, n, path=[]):  # noqa: B006
        if n == 0:
            yield path
        else:
            for x in "ab":
                yield from self.walk(n - 1, path + [x])  # noqa: RUF005


def by_method(n):
    return ["".join(p) for p in Walker().walk(n)]


VISITED = []


def visits(n):
    if n == 0:
        yield len(VISITED)
    else:
        VISITED.append(n)
        yield from visits(n - 1)
        yield from visits(n - 1)


def visited(n):
    VISITED.clear()
    return list(visits(n)), len(VISITED)


GENERATORS = [(queens, 5), (queens, 0), (by_names, 2), (by_method, 2), (visited, 3), (visited, 0)]


@pytest.mark.parametrize("f,n", GENERATORS, ids=lambda v: getattr(v, "__name__", v))
def test_generators_that_go_through_themselves(f, n):
    assert repr(njit(f)(n)) == repr(f(n))


def test_objects_of_a_generator_share_a_default():
    tallied.__defaults__[0].clear()
    want = two_at_once(3), dict(tallied.__defaults__[0])
    tallied.__defaults__[0].clear()
    assert (njit(two_at_once)(3), tallied.__defaults__[0]) == want
