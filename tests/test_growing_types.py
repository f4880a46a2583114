# SPDX-License-Identifier: BSD-3-Clause
"""A value that holds what it held before has another type in each iteration: an error, not a result
that is cut off where inference ends."""

from __future__ import annotations

import copy
import queue
from collections.abc import Callable
from typing import Any

import pytest

import swathe
from swathe.errors import CompileError


def in_for(n):
    p = None
    for i in range(n):
        p = (i, p)
    return 1


def in_while(n):
    p = None
    while n > 0:
        n -= 1
        p = (n, p)
    return 1


def crosswise(n):
    p = None
    q = None
    while n > 0:
        p = (n, q)
        q = (p, n)
        n -= 1
    return 1


def in_loops(n):
    p = None
    for _ in range(n):
        for j in range(n):
            p = (j, p)
    return 1


def in_try(n):
    p = None
    while True:
        try:
            p = (n, p)
            if n < 0:
                raise ValueError
            n -= 1
        except ValueError:
            break
    return 1


def returned(n):
    if n <= 0:
        return None
    return (n, returned(n - 1))


def returned_by_expression(n):
    return (n, returned_by_expression(n - 1)) if n > 0 else None


def by_turns(n):
    return None if n <= 0 else (n, by_turns_too(n - 1))


def by_turns_too(n):
    return None if n <= 0 else (n, by_turns(n - 1))


def in_helper(n):
    return in_for(n) + 1


def inner(n):
    def count(k):
        return None if k == 0 else (k, count(k - 1))

    return 0 if count(n) is None else 1


@pytest.mark.parametrize(
    "func",
    [in_for, in_while, crosswise, in_loops, in_try, returned, returned_by_expression, by_turns]
    + [in_helper, inner],
    ids=lambda f: f.__name__,
)
def test_grows(func: Callable[[int], Any]) -> None:
    with pytest.raises(CompileError, match="holds what its? "):
        swathe.njit(func)(3)


def test_types_that_settle() -> None:
    @swathe.njit
    def f(n):
        p, q, r, s = 0, 1.5, None, (1, None)
        for i in range(n):
            p, q, r, s = q, p, (q, p), (i, r)
        return p, q, r, s

    assert f(3) == f.py_func(3) and f(0) == f.py_func(0)


def no_such_class(rows):
    at = queue.Queue()
    at.put(0)
    rows[0][0] = rows[0][0] - 1.5
    return rows


def text_plus_int(rows):
    a = copy.deepcopy(rows)
    a[0][0] = a[0][0] - 1.5
    return a, {}["x"] + ("a" + 1)


@pytest.mark.parametrize("f", [no_such_class, text_plus_int])
def test_an_error_beside_elements_that_may_become_wider_ends(f):
    with pytest.raises((swathe.errors.UnsupportedError, swathe.errors.TypingError)):
        swathe.njit(f)([[1, 2], [3, 4]])


def ever_longer(rest, chosen=()):
    if not rest:
        yield chosen
    for i, r in enumerate(rest):
        yield from ever_longer(rest[:i] + rest[i + 1 :], (*chosen, r))


def arrangements(x):
    return list(ever_longer(x))


def test_generators_with_ever_longer_tuples_are_of_one_class():
    f = swathe.njit(arrangements)
    assert f([1, 2, 3]) == arrangements([1, 2, 3])
    assert f(list(range(6))) == arrangements(list(range(6)))
    for code in f.inspect_llvm().values():
        assert 0 < code.count("define internal") < 4
