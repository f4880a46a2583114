# SPDX-License-Identifier: BSD-3-Clause
"""Functions made where an exception has a name, and lists of texts that fields get."""

from __future__ import annotations

import pytest

import swathe


class Fault(Exception):
    pass


class Held:
    def __init__(self, k):
        self.p = [["a"], ["b", "c"]][k]
        self.q = [["x", "y"]][-1]
        self.r = (["u"], ["v"])[0]
        self.s = [[(1, "a")], [((2), "b"), (3, "c")]][k]


def repeated(x, n):
    i = 0
    while i < n:
        yield x + i
        i += 1


def in_handler(n):
    out = [0]
    try:
        raise Fault(n, 3)
    except Fault as e:
        add = lambda x: x + n  # noqa: E731
        out += [add(z) for z in repeated(n, 2)]
        out += [w * n + e.args[1] for w in repeated(n, 3)]

        def inner(x):
            return [x * z + e.args[0] for z in out]  # noqa: F821

        out = inner(2)
    return out, sum(z for z in repeated(n, n))


def held(k):
    x = Held(k)
    x.p.append("z")
    x.q += x.p
    x.s.append((k, "z"))
    return x


@pytest.mark.parametrize("n", [0, 3])
def test_closures_where_an_exception_has_a_name(n: int) -> None:
    assert swathe.njit(in_handler)(n) == in_handler(n)


@pytest.mark.parametrize("k", [0, -1])
def test_fields_get_lists_of_texts(k: int) -> None:
    assert vars(swathe.njit(held)(k)) == vars(held(k))
