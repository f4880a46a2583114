# SPDX-License-Identifier: BSD-3-Clause
"""Values in places where they once were lost: what the fuzz kind `places` has found."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pytest

import swathe


class Box:
    def __init__(self, x=None):
        self.x = x

    def put(self, x):
        self.x = x
        return self


@dataclass
class Item:
    x: Any
    y: int = 2


def echo():
    got = None
    while True:
        got = yield got


def endless():
    k = 0
    while True:
        yield k
        k += 1


def iterator_in_a_field(n):
    b = Box().put(reversed([n, 4]))
    return next(b.x), list(b.x)


class Cup:
    x = None

    def put(self, x):
        self.x = x
        return self


def expression_in_a_field(n):
    b = Cup().put(k + 1 for k in range(n))
    return next(b.x), list(b.x)


def iterator_that_was_sent(n):
    e = echo()
    next(e)
    return list(e.send(enumerate("ab", n)))


def no_iterator(n):
    b = Box()
    if n > 5:
        b.x = iter([n])
    return list(b.x)


def empty_tuples(n):
    v = list({()})[0]
    w = {0: (v, 1)}[0][0]
    return [(), ()].index(w)


def sum_with_none(n):
    x = [n, 2]
    y = x + [None]
    x.append(3)
    return (
        [2.5] + [None, 2.5],
        [None] + [n],
        [n] + [None],
        [[n]] + [None],
        ["a"] + [None, "b"],
        x,
        y,
    )


def seen_by_keys(n):
    x = [n, 1, 2]
    seen = []

    def key(v):
        seen.append(len(x))
        return -v

    x.sort(key=key)
    return x, seen


def changed_by_keys(n):
    x = [n, 1, 2]

    def key(v):
        x.append(9)
        return v

    try:
        x.sort(key=key)
    except ValueError as e:
        return x, str(e)
    return x, ""


def raised_by_keys(n):
    x = [n, 1, 2]
    try:
        x.sort(key=lambda v: x[0])
    except IndexError as e:
        return x, str(e)
    return x, ""


def too_many_of_an_expression(n):
    a, b = (x for x in count(n))
    return a, b


def too_many_of_several_loops(n):
    a, b = (x + y for x in range(n) for y in endless())
    return a, b


def too_many_of_a_map(n):
    a, b = map(abs, endless())
    return a, b


def too_many_of_a_filter(n):
    a, b = (x for x in endless() if x > n)
    return a, b


def too_many_of_a_zip(n):
    (a, b), c = zip(count(), endless()), n
    return a, b, c


def too_many_of_enumerate(n):
    a, b = enumerate(endless())
    return a, b


def as_many(n):
    def two():
        yield n
        yield n + 1

    a, b = (x * 2 for x in two())
    c, *d = enumerate(two())
    (e, f), g = map(abs, two()), n
    return a, b, c, d, e, f, g


def outcome(f, *args):
    try:
        return f(*args)
    except (ValueError, TypeError, OverflowError) as e:
        return type(e).__name__, str(e).split("\n")[0]


@pytest.mark.parametrize(
    "f",
    [
        iterator_in_a_field, expression_in_a_field, iterator_that_was_sent, no_iterator,
        empty_tuples, sum_with_none, seen_by_keys, changed_by_keys, raised_by_keys,
        too_many_of_an_expression,
        too_many_of_several_loops, too_many_of_a_map, too_many_of_a_filter, too_many_of_a_zip,
        too_many_of_enumerate, as_many,
    ],
)  # fmt: skip
def test_as_in_cpython(f) -> None:
    assert repr(outcome(swathe.njit(f), 3)) == repr(outcome(f, 3))


def held_options(p):
    return Box(p).x["name"], Item(p).x["n"]


def test_a_dict_of_unlike_values_in_a_field() -> None:
    assert swathe.njit(held_options)({"n": 2, "name": "ab"}) == ("ab", 2)


def several_targets(n):
    a, b = c, d = (k for k in range(n))
    return a, b, c, d


def test_an_iterator_has_one_target() -> None:
    with pytest.raises(swathe.errors.CompileError, match="several targets"):
        swathe.njit(several_targets)(2)


@pytest.mark.parametrize("name", ["deque", "Counter", "defaultdict", "OrderedDict"])
def test_what_is_not_imported_has_no_name(tmp_path, name) -> None:
    text = f"def f(n):\n    return len({name}())\n"
    file = tmp_path / "bare.py"
    file.write_text(text)
    names: dict = {}
    exec(compile(text, str(file), "exec"), names)
    with pytest.raises(NameError, match=f"name '{name}' is not defined"):
        swathe.njit(cache=False)(names["f"])(1)


def far_diagonals(k):
    x = np.ones((3, 4))
    return np.tri(3, 4, k), np.tril(x, k), np.triu(x, k), np.eye(3, k=k), np.tril_indices(3, k)


def offset(k):
    return np.diagonal(np.ones((3, 4)), k)


def upper(k):
    return np.triu_indices(3, k, 4)


@pytest.mark.parametrize("f", [far_diagonals, offset, upper])
@pytest.mark.parametrize("k", [0, -2, 5, 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63)])
def test_diagonals_out_of_the_matrix(f, k) -> None:
    assert repr(outcome(swathe.njit(f), k)) == repr(outcome(f, k))
