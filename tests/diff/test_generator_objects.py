# SPDX-License-Identifier: BSD-3-Clause
"""Generators as values: asked in pieces, sent to, closed, in lists and fields, recursive. Each
function is held against CPython, and leaves nothing behind."""

from __future__ import annotations

import generator_ends
import generator_more
import generator_values
import pytest
from live_memory import live

import swathe

ARGUMENTS = {
    "a9": (5,),
    "a14": ("ab  cde f",),
    "b10": ("2+3*(4-1)",),
    "c10": (4,),
    "f19": (20,),
    "m2": (True,),
}
FUNCTIONS = [
    v
    for m in (generator_values, generator_ends, generator_more)
    for k, v in vars(m).items()
    if k[1:].isdigit() and v.__module__ == m.__name__
]


def outcome(f, args):
    try:
        return f(*args)
    except Exception as e:
        return type(e), str(e).split("\n")[0]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_in_python(f, capsys):
    args = ARGUMENTS.get(f.__name__, ())
    want, printed = outcome(f, args), capsys.readouterr().out
    compiled = swathe.njit(f)
    assert outcome(compiled, args) == want
    assert capsys.readouterr().out == printed
    before = live()
    for _ in range(3):
        outcome(compiled, args)
    assert live() == before


def test_what_is_made_is_lazy():
    """Nothing runs before the first is asked for, and nothing more than what is asked for."""

    def steps(log):
        log.append(0)
        yield 1
        log.append(1)
        yield 2
        log.append(2)

    @swathe.njit
    def f(log):
        g = steps(log)
        log.append(10)
        a = next(g)
        log.append(20)
        return a, next(g), next(g, -1), next(g, -1)

    assert f.py_func([]) == (1, 2, -1, -1)
    log = [0]
    assert f(log) == (1, 2, -1, -1) and log == [0, 10, 0, 20, 1, 2]


def test_variables_around_it():
    """An object has what they were when it was made, so they may be set only once."""

    @swathe.njit
    def good(n):
        k = n + 1

        def gen():
            while True:
                yield k

        g = gen()
        return next(g), next(g)

    @swathe.njit
    def bad(n):
        k = n + 1

        def gen():
            while True:
                yield k

        g = gen()
        a = next(g)
        k = 7
        return a, next(g)

    assert good(3) == (4, 4)
    with pytest.raises(swathe.CompileError, match="'k', which is assigned again"):
        bad(3)
