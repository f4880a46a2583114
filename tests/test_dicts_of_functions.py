# SPDX-License-Identifier: BSD-3-Clause
"""Dicts whose values are functions, as they change: by a method, by another name, in a helper."""

import pytest
from diff.harness import define

import swathe
from swathe.errors import CompileError

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


def test_unlike_values_get_no_key():
    f = define("def f(n):\n    d = {'a': 'x', 'b': n}\n    return d.setdefault('a', 'y'), len(d)\n")
    assert swathe.njit(f)(1) == f(1)
    f = define(
        "def f(n):\n    d = {'a': 'x', 'b': n}\n    d.setdefault('c', 3)\n    return len(d)\n"
    )
    with pytest.raises(CompileError, match="sets no new key: d\\[key\\] = value does"):
        swathe.njit(f)(1)
