# SPDX-License-Identifier: BSD-3-Clause
"""Dicts whose values are functions, as they change: by a method, by another name, in a helper."""

import pytest
from diff.harness import define

import swathe

PROGRAMS = (
    "d.setdefault('c', neg)\n    return d['c'](5), len(d)",
    "return d.setdefault('c', neg)(5), d.setdefault('a', neg)(5), len(d)",
    "k = 'a' if n else 'q'\n    return d.setdefault(k, neg)(3), len(d)",
    "t = 0\n    for q in ('a', 'c', 'c'):\n        t += d.setdefault(q, neg)(4)\n    return t",
    "e = d\n    e.setdefault('z', neg)\n    e['a'] = dbl\n    return [d[q](5) for q in d]",
    "h = H(d)\n    h.d.setdefault('c', neg)\n    return d['c'](5), len(d)",
    "return added(d)(3), len(d)",
)
TEXT = """
def inc(x):
    return x + 1


def dbl(x):
    return x * 2


def neg(x):
    return -x


def added(d):
    return d.setdefault('z', neg)


class H:
    def __init__(self, d):
        self.d = d


def f(n):
    d = {'a': inc, 'b': dbl}
    """


@pytest.mark.parametrize("text", PROGRAMS)
def test_changes(text):
    f = define(TEXT + text + "\n")
    g = swathe.njit(opt_level=0)(f)
    for n in (0, 1):
        assert g(n) == f(n)


def test_unlike_values_get_a_key():
    f = define("def f(n):\n    d = {'a': 'x', 'b': n}\n    return d.setdefault('a', 'y'), len(d)\n")
    assert swathe.njit(f)(1) == f(1)
    f = define(
        "def f(n):\n    d = {'a': 'x', 'b': n}\n    d.setdefault('c', 3)\n    return len(d)\n"
    )
    assert swathe.njit(f)(1) == f(1)


SEEN: list[int] = []


def noted(x):
    SEEN.append(x)
    return x + 1


class Table:
    OPS = {"a": noted, "b": lambda x: x * 10}

    def go(self, name, x):
        return self.OPS[name](x)

    @classmethod
    def of_class(cls, name, x):
        return cls.OPS[name](x) if name in cls.OPS else -1


class Below(Table):
    OPS = {**Table.OPS, "b": noted, "c": abs}


class Filled:
    OPS = {}


Filled.OPS["a"] = noted


def of_instances(name, x):
    t, u = Table(), Below()
    return (
        t.go(name, x),
        u.go(name, x),
        u.OPS[name](x),
        Table.of_class("c", x),
        Below.of_class("c", x),
        name in t.OPS,
        "c" in u.OPS,
        list(t.OPS),
        [f(x) for f in u.OPS.values()],
        Filled().OPS["a"](x),
        Filled().OPS.get("q") is None,
    )


def test_tables_of_functions_that_classes_have():
    f = swathe.njit(of_instances)
    for name in ("a", "b"):
        SEEN.clear()
        expected, seen = of_instances(name, -3), SEEN[:]
        SEEN.clear()
        assert f(name, -3) == expected and SEEN == seen
    with pytest.raises(KeyError, match="zz"):
        f("zz", 1)
    before = Table.OPS["b"]
    Table.OPS["b"] = noted
    try:
        assert f("b", 2) == of_instances("b", 2)
    finally:
        Table.OPS["b"] = before
    assert f("b", 2) == of_instances("b", 2)
