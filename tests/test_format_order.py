"""Arguments of % and format are evaluated before any of them is shown, also where one changes
another."""

from __future__ import annotations

import numpy as np
import pytest
from live_memory import live

import swathe


class Counter:
    def __init__(self, x):
        self.x = x
        self.t = [x]

    def up(self):
        self.x += 1
        return self.x


def bump(t):
    t[0] += 10
    return len(t)


def instances(n):
    p = Counter(n)
    return (
        "{0.x} {1}".format(p, p.up()),
        "{0.t[0]:>4} {1}".format(p, bump(p.t)),
        "{0.x} {1}".format(p, 2),
        "%d %s" % (p.x, p.up()),
        "%s %s" % (p.x, p.up()),
    )


def lists(n):
    d, a = [n], np.arange(3)
    found = ["%d%s:%s:%s" % (x, d, x, bump(d)) for x in range(n)]
    print("%s of %s" % (d, sorted(d) + [bump(d)]))
    print(f"{d} {bump(d)} {d!r:}", d, f"{bump(d)}{a} {a[0]}", sep="|")
    print(str(d), bump(d), repr(d), f"{str(d)}", d, bump(d))
    print(f"{f'{d}'} {a} {bump(a)}", end="")
    return (
        "%s %s" % (d, bump(d)),
        "%r and %-4s|" % (d, bump(d)),
        "%r and %d" % (d, bump(d)),
        "{} {}".format(d, bump(d)),
        "{0[0]} {1}".format(d, bump(d)),
        "{:.1f} {} {}".format(2.5, a, bump(a)),
        "%s %d" % (a, bump(a)),
        found,
    )


def closures(n):
    d = {1: [n]}

    def put(k):
        d[k] = [k]
        return k

    return "%s %s" % (d, put(n + 4)), "{} {}".format(d, put(7)), "%s %d" % (d, put(8))


def raised(n):
    d = [n]
    raise ValueError("{} {}".format(d, bump(d)))


@pytest.mark.parametrize("f", [instances, lists, closures], ids=lambda f: f.__name__)
def test_order(f, capsys):
    for n in (0, 2):
        expected = f(n), capsys.readouterr().out
        assert (swathe.njit(f)(n), capsys.readouterr().out) == expected


def test_in_messages_and_without_leaks():
    f = swathe.njit(raised)
    with pytest.raises(ValueError, match=r"\[11\] 1"):
        f(1)
    g = swathe.njit(closures)
    g(1)
    before = live()
    for _ in range(5):
        g(1)
        with pytest.raises(ValueError):
            f(1)
    assert live() == before


def choices(n):
    return (
        ["%s%s" % ("" if i == 1 else i, "x" if i else 0) for i in range(n)],
        "%s|%5s|%-4s|%r"
        % ("a" if n else 1, "b" if n > 2 else 2.5, n if n else "-", "q" if n else 3),
        "{}{:>4}".format("" if n else 0, "x" if n > 2 else 3),
    )


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_text_or_something_else(n):
    assert swathe.njit(choices)(n) == choices(n)
