# SPDX-License-Identifier: BSD-3-Clause
"""Defaults that are computed where a function is defined; what it takes beside them is seen as it
is when it is called."""

from __future__ import annotations

import pytest

from swathe import UnsupportedError, njit


def kept_in_a_list(n):
    ks = []
    for i in range(n):

        def k(x, i=i):
            return x + i

        ks.append(k)
    return [q(1) for q in ks]


def one_of_two(n):
    if n > 1:

        def k(x, i=n):
            return x + i
    else:

        def k(x, i=n + 1):
            return x - i

    return k(1)


def kept_with_more(n):
    w = 2
    ks = []
    for i in range(n):

        def k(x, i=i):
            return x + i + w

        ks.append(k)
    return [q(1) for q in ks]


def one_of_two_with_more(n):
    w = 2
    if n > 1:

        def k(x, i=n):
            return x + i + w
    else:

        def k(x, i=n + 1):
            return x - i - w

    w += 1
    return k(1)


def in_a_loop(n):
    w = 2
    for j in range(2):

        def k(x, i=n):
            return x + i + w

        w += k(1)
    return k(1)


def calls_itself(n):
    w = 2

    def k(x, i=n):
        return i if x == 0 else k(x - 1) + w

    w += 1
    return k(3)


def calls_another(n):
    w = 2

    def k(x, i=n):
        return x + i + w

    def g(y, j=w):
        return k(y) + j

    w += 1
    return g(3)


def stores(n):
    w = 2

    def k(x, i=n):
        nonlocal w
        w += i
        return w

    w += 1
    return k(1) + k(2) + w


def shares_a_list(n):
    w = 2

    def k(x, i=[n]):
        i.append(x + w)
        return len(i)

    w += 1
    return k(1) + k(2)


def default_raises(n):
    w = 2
    try:

        def k(x, i=1 // n):
            return x + w + i
    except ZeroDivisionError:
        return -1
    w += 1
    return k(2)


def lambda_with_more(n):
    w = 2
    k = lambda x, i=n: x + w + i
    w += 1
    return k(2)


def lambda_in_a_loop(n):
    w = 2
    k = lambda x, i=n: x + w + i
    for j in range(n):
        w += k(2)
    return w


def several(n):
    w = 2

    def k(x, i=n, *, j=n + 1, l=w):
        return x + w + i + j * l

    w += 1
    n = 20
    return k(2), k(2, 3), k(2, j=1), k(1, l=4)


def keyword_only(n):
    w = 1

    def k(q=n, *, b=2):
        return q * b + w

    w += 1
    w = k()
    return w


PROGRAMS = (
    kept_in_a_list,
    one_of_two,
    kept_with_more,
    one_of_two_with_more,
    in_a_loop,
    calls_itself,
    calls_another,
    stores,
    shares_a_list,
    default_raises,
    lambda_with_more,
    lambda_in_a_loop,
    several,
    keyword_only,
)


@pytest.mark.parametrize("debug", (False, True))
@pytest.mark.parametrize("f", PROGRAMS)
def test_defaults(f, debug):
    g = njit(cache=False, debug=debug, opt_level=0)(f)
    for n in (0, 1, 3, 4):
        assert g(n) == f(n), n


def made_by_another(n):
    w = 1

    def make():
        return lambda: w

    k = make()
    w += n
    return k()


def made_at_once(n):
    w = 1
    k = (lambda u: lambda: w + u)(n)
    w += n
    return k()


def in_a_list(n):
    w = 1
    t = [lambda q=n: w + q]
    w += n
    return t[0]()


@pytest.mark.parametrize("f", (made_by_another, made_at_once, in_a_list))
def test_what_has_taken_an_old_value_is_refused(f):
    with pytest.raises(UnsupportedError, match="that took 'w' before it was assigned again"):
        njit(cache=False)(f)(2)
